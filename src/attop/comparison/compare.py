"""compare_at_top: whose top is best, is it real, and what does one find."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from attop.comparison.runs import Candidate, Sample, run
from attop.metrics import Metric, get_metric
from attop.metrics.ranking import check_weights
from attop.seeds import derive_seed
from attop.statistics import corrected_t_test, holm
from attop.statistics.two_methods import scaled_error
from attop.top import Top
from attop.typing import Floats, Ints, TopLike

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TopComparison", "compare_at_top"]

#: Of the intervals and the tests.
CONFIDENCE = 0.95
_FOLDS, _REPEATS = 5, 2


@dataclass(frozen=True)
class TopComparison:
    """What `compare_at_top` found.

    Attributes
    ----------
    table : DataFrame, one row a model, best first
        The metric's mean with a 95% interval (`low`, `high`), how many times chance (`lift`), the difference
        to the best model with its interval (`behind`, `behind_low`, `behind_high`), `p` of the corrected
        resampled t-test, adjusted by Holm's procedure, and mean `seconds` of a run.
    runs : DataFrame, one row a model and run
        `value`, `lift`, the `setting` that was chosen, `seconds`, and the `reason` of an undefined value.
    metric, top : str, Top
    list_length : int
        Items of the list that the sentence speaks of: those given, or what `top` says.
    share : float
        Positives among the items: what chance finds.
    grouped : bool
        Whether each value is a mean over groups.
    """

    table: pd.DataFrame
    runs: pd.DataFrame
    metric: str
    top: Top
    list_length: int
    share: float
    grouped: bool

    @property
    def sentence(self) -> str:
        """What the table says, in words."""
        best = self.table.index[0]
        parts = [f"{best} {self._found(best)}."]
        others = self.table.iloc[1:]
        shown = others.index[others["p"] < 1 - CONFIDENCE].tolist()
        level = [name for name in others.index if name not in shown]
        if shown:
            parts.append(f"It is shown to be better than {_listed(shown)}.")
        if level:
            parts.append(f"Not told apart from it: {_listed(level)}.")
        return " ".join(parts)

    def _found(self, model: str) -> str:
        row = self.table.loc[model]
        lift = f"{row['lift']:.2g} times chance" if math.isfinite(row["lift"]) else "chance finds none"
        if self.metric != "precision@k":
            return f"has a {self.metric} of {row[self.metric]:.3g} ({self.top}), {lift}"
        k = self.k
        where = "in each group's " if self.grouped else "of your "
        return f"finds {_count(k * row[self.metric])} {where}{k:,}, {lift}"

    @property
    def k(self) -> int:
        """Items at the top of the list that the sentence speaks of."""
        return self.top.resolve(self.list_length, round(self.share * self.list_length))

    def plot(self, axes: Any = None) -> Any:
        """Draw every model's mean, interval and runs, and chance.

        Parameters
        ----------
        axes : matplotlib Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        figure : matplotlib Figure
        """
        from attop.comparison.figure import draw

        return draw(self, axes)

    def __str__(self) -> str:
        shown = self.table.copy()
        shown["seconds"] = shown["seconds"].map("{:.2f}".format)
        return f"{shown.to_string(float_format='{:.3f}'.format, na_rep='')}\n\n{self.sentence}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"{self.table.to_html(float_format='{:.3f}'.format, na_rep='')}<p>{self.sentence}</p>"


def compare_at_top(
    models: Mapping[str, Any],
    X: Any,
    y: ArrayLike,
    top: TopLike = 100,
    *,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    metric: str | Metric | None = None,
    cv: Any = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    verbose: bool = True,
) -> TopComparison:
    """Compare models by what they put at the top, on the same splits of one's own data.

    Every model is trained and looked at on the same parts, tuned on the training items if it comes with a
    grid, and compared with the best one by the corrected resampled t-test (Nadeau and Bengio 2003), which
    knows that training parts overlap.

    Parameters
    ----------
    models : mapping of str to estimator or (estimator, grid)
        Any scikit-learn classifiers with `decision_function` or `predict_proba`, pipelines included; a grid
        as for ``GridSearchCV``. A random state that is None is seeded, and `n_jobs` that is None becomes 1.
    X : array-like, sparse matrix or DataFrame of n rows
        As the models take it.
    y : array-like of shape (n,)
        Two labels; the second in sorted order is the positive one.
    top : Top, int or mapping
        How much of the top counts. A whole number is k of a list as long as `X`, of which a test part is cut
        at the same share: 100 of 20,000 items are 20 of a part of 4,000. For a list of another length write
        ``{"k": 100, "of": 30000}``. With `groups` it is k of each group.
    groups : array-like of shape (n,), optional
        User or query of each item: a group is a list of its own, is never split, and the value is the mean
        over groups. Where rows belong together but there is one list, leave `groups` out and give `cv`.
    sample_weight : array-like of shape (n,), optional
        What each item is worth: handed to every `fit` that takes it, and to the metric.
    metric : str or Metric, optional
        By default ``"precision@k"``, with `sample_weight` ``"recall@k"``, the share captured.
    cv : int, splitter or iterable of (train, test), optional
        As for ``cross_val_score``; by default 5 stratified folds, drawn twice, of whole groups if there are
        any. A number is that of the folds, drawn twice.
    n_jobs : int, optional
        Processes, as for joblib. The numbers are the same for any.
    random_state : int
        Seeds splits and models.
    verbose : bool
        Whether to show progress, on the standard error stream.

    Returns
    -------
    TopComparison
        It prints as a table and a sentence; `table` and `runs` are DataFrames, `plot` draws it.

    Raises
    ------
    ValueError
        If the input is malformed, or `top` asks for more items than there are.
    TypeError
        If a model is no estimator.

    Notes
    -----
    The best model is found by the same runs that it is compared on, which favours it a little: "not told
    apart" is the safe reading, and a difference that is shown should be large enough to matter to you.

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
    logistic finds 46 of your 50, 4.9 times chance. It is shown to be better than none.
    """
    candidates = [Candidate.of(name, given) for name, given in models.items()]
    if not candidates:
        raise ValueError("models is empty: give at least one, such as {'mine': LogisticRegression()}")
    sample = _sample(X, y, groups, sample_weight)
    n, n_pos = len(sample.y), int(sample.positive.sum())
    found = get_metric(metric or ("precision@k" if sample_weight is None else "recall@k"))
    if sample_weight is not None and not found.weighted:
        raise ValueError(f"{found.name} takes no sample_weight: choose recall@k, lift@k, dcg@k or auc")
    if found.grouped and groups is None:
        raise ValueError(f"{found.name} is a mean over groups: give groups")
    cut = Top.of(top)
    if groups is None:
        cut.resolve(n, n_pos, where="X")
        if cut.k is not None and cut.out_of is None and cut.k < n:
            cut = Top(k=cut.k, out_of=n)
    splits = _splits(cv, sample, random_state)
    jobs = [
        (candidate, train, test, derive_seed(random_state, "run", r))
        for r, (train, test) in enumerate(splits)
        for candidate in candidates
    ]
    results = _in_parallel(jobs, sample, found, cut, n_jobs, verbose)
    numbers = [r for r in range(len(splits)) for _ in candidates]
    return _summary(results, numbers, splits, found, cut, sample)


def _sample(X: Any, y: ArrayLike, groups: ArrayLike | None, sample_weight: ArrayLike | None) -> Sample:
    labels = np.asarray(y)
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    if labels.shape != (n,):
        raise ValueError(f"y must have a label for each of the {n} rows of X, got shape {labels.shape}")
    classes = np.unique(labels)
    if len(classes) != 2:
        raise ValueError(f"y must hold two labels, got {len(classes)}: {classes[:5].tolist()}")
    codes = None if groups is None else np.asarray(groups)
    if codes is not None and codes.shape != (n,):
        raise ValueError(f"groups must name the group of each of the {n} rows, got shape {codes.shape}")
    weights = None if sample_weight is None else check_weights(sample_weight, n)
    return Sample(X, labels, (labels == classes[1]).astype(np.int64), codes, weights)


def _splits(cv: Any, sample: Sample, random_state: int) -> list[tuple[Ints, Ints]]:
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv

    rows = np.zeros(len(sample.y))
    if cv is not None and not isinstance(cv, int):
        splitter = check_cv(cv, sample.positive, classifier=True)
        return list(splitter.split(rows, sample.positive, sample.groups))
    kind = StratifiedKFold if sample.groups is None else StratifiedGroupKFold
    folds = _FOLDS if cv is None else cv
    return [
        split
        for repeat in range(_REPEATS)
        for split in kind(folds, shuffle=True, random_state=derive_seed(random_state, "split", repeat)).split(
            rows, sample.positive, sample.groups
        )
    ]


def _in_parallel(
    jobs: Sequence[tuple[Candidate, Ints, Ints, int]],
    sample: Sample,
    metric: Metric,
    top: Top,
    n_jobs: int | None,
    verbose: bool,
) -> list[dict[str, Any]]:
    from joblib import Parallel, delayed

    done = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(run)(candidate, sample, train, test, metric, top, seed)
        for candidate, train, test, seed in jobs
    )
    return list(_shown(done, len(jobs)) if verbose else done)


def _shown(results: Iterator[dict[str, Any]], total: int) -> Iterator[dict[str, Any]]:
    """Pass results on, and say how many are done and how long the others will take."""
    begun, live = time.monotonic(), sys.stderr.isatty()
    for done, result in enumerate(results, 1):
        passed = time.monotonic() - begun
        line = f"{done} of {total} runs, {passed:.0f} s, about {passed / done * (total - done):.0f} s to go"
        if live or done in {total * tenth // 10 for tenth in range(1, 11)}:
            print(line.ljust(60), end="\r" if live and done < total else "\n", file=sys.stderr, flush=True)
        yield result


def _summary(
    results: list[dict[str, Any]],
    numbers: list[int],
    splits: list[tuple[Ints, Ints]],
    metric: Metric,
    top: Top,
    sample: Sample,
) -> TopComparison:
    import pandas as pd

    runs = pd.DataFrame(results).assign(run=numbers)
    values = runs.pivot(index="run", columns="model", values="value")
    ratio = float(np.mean([len(test) / len(train) for train, test in splits]))
    means = values.mean()
    sign = 1 if metric.higher_is_better else -1
    best = (sign * means[list(dict.fromkeys(runs["model"]))]).sort_values(
        ascending=False, kind="stable", na_position="last"
    )
    table = pd.DataFrame({metric.name: means[best.index]})
    reach = {name: _reach(values[name].dropna().to_numpy(), ratio) for name in best.index}
    table["low"], table["high"] = (
        (table[metric.name] + side * pd.Series(reach)).clip(*metric.bounds) for side in (-1, 1)
    )
    table["lift"] = runs.groupby("model")["lift"].mean()[best.index]
    tests = {}
    for name in best.index[1:]:
        paired = sign * values[[best.index[0], name]].dropna()
        tests[name] = corrected_t_test(*paired.to_numpy().T, test_train_ratio=ratio, confidence=CONFIDENCE)
    for column, attribute in (("behind", "mean"), ("behind_low", "low"), ("behind_high", "high"), ("p", "p")):
        table[column] = pd.Series(
            {name: getattr(test, attribute) for name, test in tests.items()}, dtype=float
        )
    tested = table["p"].notna()
    table.loc[tested, "p"] = holm(table.loc[tested, "p"])
    table["seconds"] = runs.groupby("model")["seconds"].mean()[best.index]
    table.index.name = "model"
    n = len(sample.y)
    length = top.out_of or (n if sample.groups is None else round(n / len(np.unique(sample.groups))))
    return TopComparison(
        table, runs, metric.name, top, length, float(sample.positive.mean()), sample.groups is not None
    )


def _reach(values: Floats, ratio: float) -> float:
    """Half the width of the interval of the mean over runs whose training parts overlap."""
    if len(values) < 2:
        return math.nan
    return scaled_error(values, ratio) * float(stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1))


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _count(found: float) -> str:
    return f"{found:.0f}" if found >= 9.95 else f"{found:.1f}"
