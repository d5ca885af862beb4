"""Compare models at the top of a list by cross-validation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.model_selection import BaseCrossValidator, check_cv

from attop._core._sklearn import num_samples
from attop._core.parameters import check_seed
from attop._core.progress import show_progress
from attop._core.sample import (
    check_groups,
    check_lists,
    check_positive_known,
    check_weights,
    plain_labels,
    refuse_masked,
)
from attop._core.seeds import derive_seed
from attop._core.top import Top
from attop._core.typing import Bools, Ints, TopLike
from attop._core.wording import did_you_mean
from attop.experiment._learner import (
    Estimator,
    Learner,
    Rows,
    Sample,
    Searched,
    takes,
)
from attop.experiment._parts import read_parts
from attop.experiment._result import TopComparison, summarise
from attop.experiment._run import Split, require_a_result, run
from attop.experiment._search import check_n_candidates
from attop.experiment._selector import Selector
from attop.experiment._several import TopComparisons
from attop.experiment._splits import (
    Fold,
    Pair,
    assign_by,
    fold_of,
    require_classes,
    stratified,
    whole_entities,
    whole_groups,
)
from attop.metrics._custom import as_metric
from attop.metrics._metric import Metric
from attop.metrics._precision import AMOUNTS, AmountMetric

#: A number of folds, a splitter of scikit-learn's, or folds.
Cv: TypeAlias = int | BaseCrossValidator | Iterable[Pair | Fold] | None
#: A model, or a model and what it is tuned over.
Given: TypeAlias = Estimator | Searched
#: Folds, how often they are drawn, and inner folds of a training part, on which candidates are chosen.
_FOLDS, _REPEATS, _INNER = 5, 2, 3


@overload
def compare_at_top(
    models: Mapping[str, Given] | Sequence[Given],
    X: Rows,
    y: ArrayLike,
    top: TopLike = ...,
    *,
    pos_label: str | float | None = ...,
    groups: ArrayLike | None = ...,
    entity: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    amount: ArrayLike | None = ...,
    metric: str | Metric | Callable[..., float] | None = ...,
    select: str | Metric | None = ...,
    n_candidates: int | None = ...,
    by: str | ArrayLike | None = ...,
    against: str | None = ...,
    cv: Cv = ...,
    return_estimator: bool = ...,
    n_jobs: int | None = ...,
    random_state: int = ...,
    verbose: bool = ...,
) -> TopComparison: ...


@overload
def compare_at_top(
    models: Mapping[str, Given] | Sequence[Given],
    X: Rows,
    y: ArrayLike,
    top: list[TopLike] | tuple[TopLike, ...],
    *,
    pos_label: str | float | None = ...,
    groups: ArrayLike | None = ...,
    entity: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    amount: ArrayLike | None = ...,
    metric: str | Metric | Callable[..., float] | None = ...,
    select: str | Metric | None = ...,
    n_candidates: int | None = ...,
    by: str | ArrayLike | None = ...,
    against: str | None = ...,
    cv: Cv = ...,
    return_estimator: bool = ...,
    n_jobs: int | None = ...,
    random_state: int = ...,
    verbose: bool = ...,
) -> TopComparisons: ...


def compare_at_top(
    models: Mapping[str, Given] | Sequence[Given],
    X: Rows,
    y: ArrayLike,
    top: TopLike | list[TopLike] | tuple[TopLike, ...] = 100,
    *,
    pos_label: str | float | None = None,
    groups: ArrayLike | None = None,
    entity: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    amount: ArrayLike | None = None,
    metric: str | Metric | Callable[..., float] | None = None,
    select: str | Metric | None = None,
    n_candidates: int | None = None,
    by: str | ArrayLike | None = None,
    against: str | None = None,
    cv: Cv = None,
    return_estimator: bool = False,
    n_jobs: int | None = None,
    random_state: int = 0,
    verbose: bool = True,
) -> TopComparison | TopComparisons:
    """Compare models by what they put at the top, on the same splits of one's own data.

    Every model is trained and tested on the same parts, tuned on the training items if it comes with a grid,
    and the best one is compared with every other: ahead, equal, open or untested, see
    `attop.experiment.decide`.

    Parameters
    ----------
    models : mapping of str to estimator, (estimator, grid) or (estimator, grid, steps), or list of them
        In a list each has the name of its class. Any scikit-learn classifiers with `decision_function` or
        `predict_proba`, pipelines included; a grid as for ``GridSearchCV``. Parameters that are None, those
        of nested estimators included, are set: `top` to the top of the comparison, so that a model is
        trained for what it is judged by, `random_state` to the seed of the run, and `n_jobs` to 1. What is
        not None stays. With steps, such as 20, the model is an ensemble of the grid's candidates in place of
        the best: in each step the candidate is added with which the mean of the scores is best on the inner
        folds, by what `select` names. A candidate may be added several times.
    X : array-like, sparse matrix or DataFrame of n rows
        As the models take it. A frame of pandas, polars or Arrow reaches them as it is, names of columns
        included.
    y : array-like of shape (n,)
        Two labels, of which one is `pos_label`.
    top : Top, int, float, str, mapping, or a list of them
        How much of the top counts. A whole number is k of a list as long as `X`, of which a test part is cut
        at the same share, to the nearest row: 100 of 20,000 items are 20 of a part of 4,000. For a list of
        another length write ``{"k": 100, "of": 30000}``; 0.01 and "1%" are shares. With `groups` it is k of
        each group. With a list of tops models are trained for each, and judged at each.
    pos_label : str, int, float or bool, optional
        The label of the positive class; models are then trained on 1 for it and 0 for the other. By default
        the larger of two numbers; labels of words need it. A `pos_label` of a model must be the same.
    groups : array-like of shape (n,), optional
        User or query of each item: a group is a list of its own, is never split, and the value is the mean
        over groups.
    entity : array-like of shape (n,), optional
        Customer, card or machine of each row, where all rows are one list: an entity is never split, so that
        no model is tested on those it was trained on. Models that split rows themselves keep entities, or
        groups, whole: attop's, and searches, calibrators and the like, whose number of folds becomes a
        ``StratifiedGroupKFold``; where they cannot, as in a ``StackingClassifier`` or by early stopping, a
        warning and the result's `notes` name them. Entities are dealt to the folds in the sorted order of
        their names, so the same ones as numbers and as text are dealt otherwise.
    sample_weight : array-like of shape (n,), optional
        What each item is worth: handed to every `fit` that takes it, also inside searches, stacks and the
        like (by scikit-learn's metadata routing), and to the metric. So are groups.
    amount : array-like of shape (n,), optional
        What each positive is worth, at least 0, to metrics of amounts, such as ``"amount@k"``, and to no
        model.
    metric : str, Metric or callable, optional
        A name of `METRICS`, the dotted path of a function, or a function ``f(y_true, y_score)`` of labels 0
        and 1 that returns a number, the higher the better; it gets k too if its third parameter is called
        ``k``. For one that is better the lower it is see `custom_metric`. By default ``"precision@k"``, with
        `amount` ``"amount@k"``, else with `sample_weight` ``"recall@k"``, the share captured.
    select : str or Metric, optional
        What chooses among the candidates of a grid, on the inner folds; by default `metric`. The name of a
        metric, such as ``"ap"`` or ``"smoothed-precision@k"``; ``"pooled-ap"`` measures the scores of all
        inner folds as one list; ``"ap-within-1se"`` takes the best of those within one standard error of the
        best by `metric`.
    n_candidates : int, optional
        How many candidates are drawn of each grid that has distributions, such as ``scipy.stats.loguniform``:
        the same number for every model; by default 10. It is refused where no grid has any.
    by : str or array-like of shape (n,), optional
        A column of `X`, or a value for each row: the result's `parts` say which share of the first k each
        part of the rows has, and what precision.
    against : str, optional
        The model to beat, if it is named before the numbers are seen. The best of the others is tested
        against it alone, so smaller leads can be shown: comparisons you did not ask for need no correction.
    cv : int, splitter or iterable of (train, test), optional
        As for ``cross_val_score``; by default 5 stratified folds, drawn twice, of whole groups or entities if
        there are any; folds that split one are refused. An integer is the number of folds; they are drawn
        twice. A grid is searched on 3 inner folds. The results equal those of a benchmark's data set called
        "data" with such folds and the same seed, whose folds, with their own inner folds, may be given too.
    return_estimator : bool
        Whether to keep the fitted models, in the column `estimator` of the result's `runs`.
    n_jobs : int, optional
        Processes, as for joblib. The numbers are the same for any.
    random_state : int
        Seeds splits and models.
    verbose : bool
        Whether to show progress, on the standard error stream.

    Returns
    -------
    TopComparison
        It prints as a table and a sentence; `table` and `runs` are DataFrames, `scores` has that of each row
        that was held out, `plot` draws it. With a list of tops `TopComparisons`, one for each.

    Raises
    ------
    ValueError
        If the input is malformed, or the metric has no value at `top` in any test part: before the first fit.
        If no model could be fitted in any run. A model that raises in some has no value there: `runs` has the
        reason, and the others go on.
    TypeError
        If a model is not an estimator.

    Notes
    -----
    Verdicts know that training parts overlap (Nadeau and Bengio 2003) and that the best model is chosen by
    the same runs: where all models are equal, a claim that one is ahead has a probability of at most 5%.
    "open" means that neither a difference nor equality is shown: give more items, or more runs by `cv`. Fewer
    than 5 runs are not tested.

    References
    ----------
    Nadeau and Bengio (2003), "Inference for the generalization error", Machine Learning 52.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = make_classification(1000, weights=[0.9], flip_y=0.2, random_state=0)
    >>> found = compare_at_top(
    ...     {"logistic": (LogisticRegression(), {"C": [0.01, 1]}), "none": DummyClassifier()},
    ...     X, y, top=50, verbose=False,
    ... )
    >>> print(found.sentence)
    logistic finds 46 of 50, 4.8 times chance. Shown to be better than none (9.5 of 50).
    """
    from joblib import Parallel, delayed

    check_seed(random_state)
    sample = _sample(X, y, pos_label, groups, sample_weight, entity, amount)
    parts = None if by is None else read_parts(by, X, len(sample.y))
    asked_tops = [*top] if isinstance(top, (list, tuple)) else [top]
    chosen = _metric(metric, sample)
    selector = Selector.of(chosen) if select is None else Selector.of(select)
    tops = _tops(asked_tops, chosen, sample)
    learners = _learners(models, sample, n_candidates, pos_label)
    names = [learner.name for learner in learners]
    if against is not None and against not in names:
        hint = did_you_mean(against, names)
        raise ValueError(
            f"against must be one of the models, got {against!r}; {hint}"
        )
    tuned = any(learner.is_tuned for learner in learners)
    splits = _splits(cv, sample, random_state, _INNER if tuned else None)
    for one in tops.values():
        _require_values(
            [split.fold for split in splits], sample, chosen, selector.metric, one
        )
    jobs = [
        delayed(run)(
            learner,
            sample,
            split,
            chosen,
            [*tops.values()],
            return_estimator,
            selector,
        )
        for split in splits
        for learner in learners
    ]
    done = Parallel(n_jobs=n_jobs, return_as="generator")(jobs)
    results = list(show_progress(done, len(jobs)) if verbose else done)
    require_a_result(results)
    notes = [_NAMED_BY[chosen.name]] if metric is None and chosen.weighted else []
    notes += _notes_on_choice(learners, selector, chosen)
    comparisons = {}
    for i, (asked, one) in enumerate(tops.items()):
        at_top = [rows[i] for rows in results]
        comparison = summarise(
            at_top, splits, chosen, one, sample, parts, against, notes
        )
        comparisons[asked] = (
            comparison
            if pos_label is None
            else replace(comparison, pos_label=pos_label)
        )
    return (
        TopComparisons(comparisons)
        if isinstance(top, (list, tuple))
        else next(iter(comparisons.values()))
    )


#: Why a comparison has a metric that was not named.
_NAMED_BY = {
    "recall@k": "Compared by recall@k, the share of the weight that is captured, for rows have weights.",
    "amount@k": "Compared by amount@k, the sum that is found, for rows have amounts.",
}


def _metric(
    metric: str | Metric | Callable[..., float] | None, sample: Sample
) -> Metric:
    """Find the metric, for weights or amounts if there are any; refuse one that does not fit them."""
    weighted = sample.weights is not None
    named = "recall@k" if weighted else "precision@k"
    if sample.amount is not None:
        named = "amount@k"
    chosen = as_metric(named if metric is None else metric)
    of_amounts = isinstance(chosen, AmountMetric)
    if sample.amount is not None and not of_amounts:
        raise ValueError(
            f"{chosen.name} takes no amount: choose {', '.join(AMOUNTS)}, or leave amount out"
        )
    if weighted and not chosen.weighted:
        raise ValueError(
            f"{chosen.name} takes no sample_weight: choose recall@k, lift@k, dcg@k or auc"
        )
    if chosen.grouped and sample.groups is None:
        raise ValueError(f"{chosen.name} is a mean over groups: give groups")
    return chosen


def _tops(
    asked: Sequence[TopLike], metric: Metric, sample: Sample
) -> dict[Top, Top]:
    """Read the tops: as they were asked for, and as shares of a list as long as the sample."""
    n = len(sample.y)
    n_pos = int(sample.y.sum())
    if not asked:
        raise ValueError(
            "top is an empty list: give one top at least, such as [50, 100]"
        )
    if not metric.needs_top and len(asked) > 1:
        raise ValueError(
            f"{metric.name} is of the whole list and has one value: give one top, not a list"
        )
    tops = {}
    for one in map(Top.of, asked):
        if one in tops:
            raise ValueError(f"top names {one} twice: give each once")
        if (
            sample.groups is None
            and one.out_of is None
            and one.resolve(n, n_pos, where="X") == n
        ):
            raise ValueError(
                f"{one} is all of the {n} rows, in any order: lower it"
            )
        tops[one] = one if sample.groups is not None else one.as_share(n)
    return tops


def _notes_on_choice(
    learners: Sequence[Learner], selector: Selector, metric: Metric
) -> list[str]:
    """Say what chose hyper-parameters, where some were chosen by something else than is reported."""
    if selector.name == metric.name or not any(
        learner.is_tuned for learner in learners
    ):
        return []
    return [f"Hyper-parameters were chosen by {selector.name}."]


def _learners(
    models: Any, sample: Sample, n_candidates: int | None, pos_label: object
) -> list[Learner]:
    """Wrap models as learners; refuse, before the first fit, what cannot be compared."""
    if isinstance(models, list | tuple):
        models = _named(models)
    if not isinstance(models, Mapping) or not models:
        raise ValueError(
            f"models must map names to estimators, such as {{'mine': SVC()}}, got {models!r}"
        )
    learners = [
        Learner.of(name, model, sample.entity is not None)
        for name, model in models.items()
    ]
    if len({learner.name.strip() for learner in learners}) < len(learners):
        raise ValueError(
            f"two models have the same name as text, got {list(models)}: rename one"
        )
    columns = {
        "groups": sample.groups,
        "sample_weight": sample.weights,
        "entity": sample.entity,
    }
    handed_on = [name for name, values in columns.items() if values is not None]
    for learner in learners:
        for name in handed_on:
            takes(learner.estimator, name)  # refuses those that cannot hand it on
    if n_candidates is not None:
        check_n_candidates(n_candidates)
        if not any(learner.draws for learner in learners):
            raise ValueError(
                f"n_candidates is {n_candidates}, but no grid has a distribution to draw from: leave it out, "
                "or give one, such as {'C': scipy.stats.loguniform(0.01, 100)}"
            )
        learners = [replace(one, n_candidates=n_candidates) for one in learners]
    return [_with_pos_label(learner, sample, pos_label) for learner in learners]


def _with_pos_label(learner: Learner, sample: Sample, pos_label: object) -> Learner:
    """Set each `pos_label` of a learner, and of estimators inside it, to the label that it is trained on.

    Raises a ValueError if one of them differs from the positive label of the comparison.
    """
    positive = sample.positive
    wanted = positive if pos_label is None else pos_label
    changes = {}
    for path, value in learner.estimator.get_params().items():
        if value is None or path.rpartition("__")[2] != "pos_label":
            continue
        if value != wanted:
            raise ValueError(
                f"model {learner.name!r} has {path}={value!r}, and {wanted!r} is positive in the comparison: "
                "give both the same"
            )
        changes[path] = positive
    if not changes:
        return learner
    return replace(
        learner, estimator=clone(learner.estimator).set_params(**changes)
    )


def _named(models: Sequence[Given]) -> dict[str, Given]:
    """Name models by their classes, the last step's in a pipeline; of one class they are numbered."""
    kinds = []
    for entry in models:
        model = entry[0] if isinstance(entry, tuple) else entry
        kinds.append(type(getattr(model, "_final_estimator", model)).__name__)
    seen: Counter[str] = Counter()
    named = {}
    for kind, entry in zip(kinds, models, strict=True):
        seen[kind] += 1
        named[f"{kind} {seen[kind]}" if kinds.count(kind) > 1 else kind] = entry
    return named


def _require_values(
    folds: Sequence[Fold],
    sample: Sample,
    metric: Metric,
    selecting: Metric,
    top: Top,
) -> None:
    """Refuse a metric without a value, or with the same for any order, in all test parts, or a fold's inner.

    Test parts have one of the `metric`, inner folds of the one that selects.
    """
    inner = [
        (selecting, [rows for _, rows in fold.inner])
        for fold in folds
        if fold.inner
    ]
    for measured, parts in ((metric, [fold.test for fold in folds]), *inner):
        named = f"{measured.name} at {top}" if measured.needs_top else measured.name
        best, worst = (
            [sample.measure(measured, rows, scores[rows], top) for rows in parts]
            for scores in (sample.y.astype(float), 1.0 - sample.y)
        )
        if all(np.isnan(value.value) for value in best):
            grouped = sample.groups is not None
            instead = (
                "; if all rows are one list, give entity in place of groups"
                if grouped
                else ""
            )
            raise ValueError(
                f"{named} is undefined in all {len(parts)} parts that would measure it "
                f"({best[0].reason}): give another top or other folds{instead}"
            )
        if all(
            np.isnan(b.value) or abs(b.value - w.value) < 1e-12
            for b, w in zip(best, worst, strict=True)
        ):
            raise ValueError(
                f"{named} is the same for any order of the rows in all {len(parts)} parts "
                "that would measure it: give a smaller top or larger parts"
            )


def _sample(
    X: Rows,
    y: ArrayLike,
    pos_label: str | float | None,
    groups: ArrayLike | None,
    sample_weight: ArrayLike | None,
    entity: ArrayLike | None,
    amount: ArrayLike | None,
) -> Sample:
    """Collect the rows to compare on, with labels 1 and 0; refuse those that no model can be compared on."""
    refuse_masked(X, "X")
    if issparse(X) and X.format not in ("csr", "csc"):
        X = X.tocsr()  # rows of other formats cannot be selected
    n = num_samples(X)
    labels = plain_labels(y)
    hit = _positives(labels, n, pos_label)
    codes, entities = check_lists(groups, entity, n)
    weights = None if sample_weight is None else check_weights(sample_weight, n)
    amounts = None if amount is None else check_weights(amount, n, "amount")
    if weights is not None and not (weights[hit].any() and weights[~hit].any()):
        raise ValueError(
            "sample_weight is 0 for all rows of a class: give both classes some weight"
        )
    if amounts is not None and not amounts[hit].any():
        raise ValueError("amount is 0 for all positives: there is nothing to find")
    # Models take the larger label for the positive one.
    originals = labels if pos_label is None else None
    return Sample(
        X,
        hit.astype(np.int64),
        codes,
        weights,
        entities,
        amount=amounts,
        labels=originals,
    )


def _positives(
    labels: NDArray[Any], n: int, pos_label: str | float | None
) -> Bools:
    """Mark the positive ones of `n` rows; refuse labels of which there are not two."""
    if labels.shape != (n,):
        raise ValueError(
            f"y must have a label for each of the {n} rows of X, got shape {labels.shape}"
        )
    classes = np.unique(labels)
    if len(classes) != 2:
        raise ValueError(
            f"y must hold two labels, got {len(classes)}: {classes[:5].tolist()}"
        )
    if pos_label is None:
        check_positive_known(labels, classes, "pos_label={!r}")
        return labels == classes[1]
    if pos_label not in classes.tolist():
        raise ValueError(
            f"pos_label must be one of the labels {classes.tolist()}, got {pos_label!r}"
        )
    return labels == pos_label


def _splits(
    cv: Cv, sample: Sample, random_state: int, inner_folds: int | None
) -> list[Split]:
    """Draw the folds and a seed for each, as the benchmark does for a data set called "data"."""
    if cv is None or isinstance(cv, Integral):
        n_folds = _FOLDS if cv is None else int(cv)
        repeats = _drawn(n_folds, sample, random_state, inner_folds)
    else:
        repeats = [_read_folds(cv, sample, random_state, inner_folds)]
    return [
        Split(r, f, fold, derive_seed(random_state, "data", r, f))
        for r, folds in enumerate(repeats)
        for f, fold in enumerate(folds)
    ]


def _drawn(
    n_folds: int,
    sample: Sample,
    random_state: int,
    inner_folds: int | None,
) -> list[list[Fold]]:
    """Draw the folds of each repeat; rows of an entity, or else of a group, stay together."""
    y = sample.y
    kind = "stratified"
    draw = partial(stratified, y)
    if sample.entity is not None:
        kind = "whole-entities"
        draw = partial(whole_entities, y, entity=sample.entity)
    elif sample.groups is not None:
        kind = "whole-groups"
        draw = partial(whole_groups, y, sample.groups)
    seeds = [
        derive_seed(random_state, "split", "data", kind, repeat)
        for repeat in range(_REPEATS)
    ]
    return [
        draw(n_folds=n_folds, inner_folds=inner_folds, seed=seed) for seed in seeds
    ]


def _read_folds(
    cv: Any,
    sample: Sample,
    random_state: int,
    inner_folds: int | None,
) -> list[Fold]:
    """Read folds, or those of a splitter, and split training parts that have no inner folds."""
    y = sample.y
    whole = sample.groups if sample.entity is None else sample.entity
    codes = None if whole is None else check_groups(whole, len(y))
    pairs = (
        cv
        if isinstance(cv, Iterable)
        else check_cv(cv).split(np.zeros(len(y)), y, codes)
    )
    chosen = [_fold(f, i, y) for i, f in enumerate(pairs)]
    if not chosen:
        raise ValueError(
            "cv gives no folds: give a number of folds, a splitter, or (train, test) pairs"
        )
    for i, fold in enumerate(chosen):
        _require_apart(
            fold, i, codes, "group" if sample.entity is None else "entity"
        )
    seen = [
        tuple(np.sort(rows).tobytes() for rows in (fold.train, fold.test))
        for fold in chosen
    ]
    if twice := [i for i, fold in enumerate(seen) if fold in seen[:i]]:
        raise ValueError(
            f"fold {twice[0]} of cv is fold {seen.index(seen[twice[0]])} again, which is not a second run: "
            "give each once"
        )
    assign = assign_by(
        y, codes, np.random.default_rng(derive_seed(random_state, "inner"))
    )
    return [
        f if f.inner else fold_of(y, f.train, f.test, inner_folds, assign)
        for f in chosen
    ]


def _fold(fold: Pair | Fold, i: int, y: Ints) -> Fold:
    """Convert a fold to row numbers; it may be given by masks, or by numbers that count from the end."""
    pair = (fold.train, fold.test) if isinstance(fold, Fold) else fold
    try:
        train, test = (np.arange(len(y))[np.asarray(part)] for part in pair)
        if (
            train.ndim != 1
            or len(np.unique(test)) < np.size(test)
            or test.ndim != 1
        ):
            raise ValueError(
                f"lists, those of test all different, got shapes {train.shape}, {test.shape}"
            )
    except (IndexError, TypeError, ValueError) as error:
        raise ValueError(
            f"fold {i} of cv must be (train, test) rows of {len(y)}: {error}"
        ) from None
    require_classes(
        y[train], f"the training part of fold {i} of cv", "give other folds"
    )
    return (
        replace(fold, train=train, test=test)
        if isinstance(fold, Fold)
        else Fold(train, test)
    )


def _require_apart(fold: Fold, i: int, codes: Ints | None, what: str) -> None:
    """Refuse a fold, or inner folds, that test rows they train on, or a group or entity of such rows."""
    seen = np.concatenate(
        [fold.train, *(rows for pair in fold.inner for rows in pair)]
    )
    for before, held in [(seen, fold.test), *fold.inner]:
        if not len(held) or np.isin(held, before).any():
            raise ValueError(
                f"fold {i} of cv must test rows, and none that it trains on, got {len(held)} rows"
            )
        if codes is not None and (
            torn := len(np.intersect1d(codes[before], codes[held]))
        ):
            raise ValueError(
                f"fold {i} of cv must keep each {what} whole, and trains and tests on rows of {torn:,} of "
                "them: give such folds, as by GroupKFold, or a number of folds"
            )
