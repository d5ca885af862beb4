"""Nested choice: candidates are compared on inner folds; the best, or an ensemble, scores the test part."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from attop._core.top import Top
from attop._core.typing import Floats, Ints
from attop.experiment._ensemble import Ensemble, mean_scores
from attop.experiment._judge import default_tolerance
from attop.experiment._learner import Grid, Learner, Params, Sample
from attop.experiment._routing import Estimator, Rows
from attop.experiment._selector import Selector, best_candidate
from attop.experiment._splits import Fold
from attop.metrics._metric import Metric
from attop.metrics._registry import get_metric
from attop.metrics._scorer import scores_of


class InnerScores(NamedTuple):
    """Scores of a candidate on the inner folds.

    Attributes
    ----------
    scores : list of ndarray of shape (tops, rows), one per inner fold
    seconds : float
        What fitting and scoring took.
    """

    scores: list[Floats]
    seconds: float


class Keeper(Protocol):
    """A store of candidates' scores, from one run to the next."""

    def read(self, candidate: Params) -> InnerScores | None:
        """Read the scores of a candidate, None if there are none."""

    def write(self, candidate: Params, scores: InnerScores) -> None:
        """Keep the scores of a candidate."""


@dataclass(frozen=True)
class Trained:
    """A learner tuned and trained on one fold, for several tops.

    Attributes
    ----------
    models : list of fitted estimators, one per top
    scores : ndarray of shape (tops, n_test)
    candidates : list of dict
        Those that were compared.
    chosen : list of dict, one per top
        The candidate that is trained, or that an ensemble begins with.
    times : ndarray of shape (tops, candidates)
        How often each candidate is in the model: one of them once, or an ensemble of several.
    validation : list of float, one per top
        The model's mean of the metric over the inner folds; NaN where nothing was to choose.
    values : ndarray of shape (tops, candidates, inner folds)
        Of the metric. NaN where nothing was to choose, or it is undefined.
    selected_by : ndarray of shape (tops, candidates, parts)
        What the selector chose by, see `Selector.values`; as `values` where nothing was to choose.
    seconds : dict
        Of ``selection``, ``training`` (None where it is part of the selection) and ``scoring``.
    """

    models: list[Estimator]
    scores: Floats
    candidates: list[dict[str, object]]
    chosen: list[dict[str, object]]
    times: Ints
    validation: list[float]
    values: Floats
    selected_by: Floats
    seconds: dict[str, float | None]


class _Choice(NamedTuple):
    """Candidates chosen for a top, one a step, and what was measured; see `Trained`."""

    members: list[int]
    values: Floats
    selected_by: Floats
    validation: float


@dataclass
class _Inner:
    """The inner folds of a fold, on which candidates of a learner are fitted and scored."""

    learner: Learner
    sample: Sample
    fold: Fold
    tops: Sequence[Top]
    seed: int
    keeper: Keeper | None = None
    #: Models fitted on the only inner fold, by top and candidate, if such a model is the one that is tested.
    models: list[tuple[Top, Params, Estimator]] = field(default_factory=list)
    features: Callable[[Ints], Rows] | None = None

    def compare(
        self, candidates: Sequence[Params], seconds: float | None
    ) -> list[InnerScores]:
        """Score the candidates, or the first ones that `seconds` are enough for.

        Those of a grid are fitted together, which some learners do faster; others, and all where time is
        limited, one after the other.
        """
        step = (
            1
            if self.learner.draws or seconds is not None
            else max(1, len(candidates))
        )
        compared: list[InnerScores] = []
        for first in range(0, len(candidates), step):
            compared += self._scored(candidates[first : first + step])
            if (
                seconds is not None
                and sum(one.seconds for one in compared) >= seconds
            ):
                break
        return compared

    def _scored(self, candidates: Sequence[Params]) -> list[InnerScores]:
        """Score candidates; those whose scores are stored are not fitted again."""
        kept = [
            None if self.keeper is None else self.keeper.read(one)
            for one in candidates
        ]
        new = [
            one
            for one, scores in zip(candidates, kept, strict=True)
            if scores is None
        ]
        fitted = self._fitted(new) if new else []
        if self.keeper is not None:
            for one, scores in zip(new, fitted, strict=True):
                self.keeper.write(one, scores)
        rest = iter(fitted)
        return [next(rest) if scores is None else scores for scores in kept]

    def _fitted(self, candidates: Sequence[Params]) -> list[InnerScores]:
        """Fit candidates on each inner fold, and score its other rows."""
        start, count = time.perf_counter(), len(candidates)
        picks = [(top, candidate) for top in self.tops for candidate in candidates]
        by_fold = []
        for rows, validation in self.fold.inner:
            models, self.features = self.learner.fit(
                self.sample, rows, picks, self.seed
            )
            X = self.features(validation)
            by_fold.append([scores_of(model, X, protect=True) for model in models])
            if not self.fold.refit:
                self.models += [
                    (*pick, model)
                    for pick, model in zip(picks, models, strict=True)
                ]
        seconds = (time.perf_counter() - start) / count
        return [
            InnerScores(
                [np.array(scores[number::count]) for scores in by_fold], seconds
            )
            for number in range(count)
        ]

    def choose(
        self,
        top: Top,
        scores: Sequence[Sequence[Floats]],
        selector: Selector,
        metric: Metric,
    ) -> _Choice:
        """Choose a candidate by the scores of each on the inner folds, and again in each step of an ensemble.

        It is the one with which the mean of the scores of all that are chosen is best. A candidate may
        be chosen several times.
        """
        rows = [validation for _, validation in self.fold.inner]
        if not scores:
            nothing = np.full((1, len(rows)), np.nan)
            return _Choice([0], nothing, nothing, float("nan"))
        members: list[int] = []
        total = [np.zeros(len(part)) for part in rows]

        def mean_with(candidate: Sequence[Floats]) -> list[Floats]:
            if not members:
                return list(candidate)
            return [
                mean_scores([part / len(members), of_fold], [len(members), 1])
                for part, of_fold in zip(total, candidate, strict=True)
            ]

        def measured(one: Selector, means: Sequence[Sequence[Floats]]) -> Floats:
            return np.array([one.values(self.sample, rows, m, top) for m in means])

        itself = Selector.of(metric)
        while len(members) < self.learner.ensemble:
            means = [mean_with(candidate) for candidate in scores]
            selected_by = reported = measured(selector, means)
            # Else nobody reads what is reported of the candidates.
            if selector != itself and (selector.near or not members):
                reported = measured(itself, means)
            best = selector.choose(selected_by, reported, metric)
            if best is None and len(scores) > 1:
                raise ValueError(
                    f"{selector.name} at {top} is undefined on every inner fold, so no candidate of "
                    f"{self.learner.name} can be chosen by it: give more items, another top or another metric"
                )
            if not members:
                first = reported, selected_by
            members.append(best or 0)
            total = list(map(np.add, total, scores[members[-1]]))
            mean = means[members[-1]]
        validation = best_candidate(measured(itself, [mean]).T, metric)[1]
        return _Choice(members, *first, validation)

    def finals(
        self, picks: Sequence[tuple[Top, Params]]
    ) -> tuple[list[Estimator], Callable[[Ints], Rows], bool]:
        """Fit the models that are tested, or find them; return features and if they are new too.

        Where there is a single inner fold, it may have trained on the whole training part already.
        """
        tested = [
            model
            for pick in picks
            for top, one, model in self.models
            if (top, one) == pick
        ]
        if self.features is not None and len(tested) == len(picks):
            return tested, self.features, False
        return *self.learner.fit(
            self.sample, self.fold.train, picks, self.seed
        ), True


def train(
    learner: Learner,
    sample: Sample,
    fold: Fold,
    tops: Sequence[Top],
    metric: Metric,
    seed: int,
    select: Selector | None = None,
    keeper: Keeper | None = None,
) -> Trained:
    """Choose a candidate for every top on the inner folds, train it and score the test part.

    `select` chooses, by default the best mean of `metric` over the inner folds where it is defined; the first
    listed among equals. Metrics are those of `Sample.measure`. What `keeper` keeps is not fitted again. A
    learner with an `ensemble` of several steps has the mean scores of as many choices.

    Raises
    ------
    ValueError
        If there is a choice and what it is made by is undefined on every inner fold.
    """
    selector = Selector.of(metric) if select is None else select
    candidates = learner.candidates_for(seed)
    inner = _Inner(learner, sample, fold, tops=tops, seed=seed, keeper=keeper)
    compared: list[InnerScores] = []
    if len(candidates) > 1 or not fold.refit:
        compared = inner.compare(candidates, learner.seconds)
        candidates = candidates[: len(compared)]
    before_choice = time.perf_counter()
    choices = []
    for t, top in enumerate(tops):
        by_fold = [[of_fold[t] for of_fold in one.scores] for one in compared]
        choices.append(inner.choose(top, by_fold, selector, metric))
    times = [np.bincount(one.members, minlength=len(candidates)) for one in choices]
    elapsed = time.perf_counter() - before_choice
    before = time.perf_counter()
    picks = [(tops[t], candidates[c]) for t, c in np.argwhere(times)]
    fitted, features, new = inner.finals(picks)
    trained = time.perf_counter()
    X, rest = features(fold.test), iter(fitted)
    models = [
        Ensemble.of([next(rest) for _ in counts], counts.tolist())
        for counts in (of_top[of_top > 0] for of_top in times)
    ]
    scores = np.vstack([scores_of(model, X, protect=True) for model in models])
    seconds = {
        # The time of stored candidates counts too.
        "selection": elapsed + sum(one.seconds for one in compared),
        "training": trained - before if new else None,
        "scoring": time.perf_counter() - trained,
    }
    return Trained(
        models=models,
        scores=scores,
        candidates=candidates,
        chosen=[candidates[one.members[0]] for one in choices],
        times=np.array(times),
        validation=[one.validation for one in choices],
        values=np.array([one.values for one in choices]),
        selected_by=np.array([one.selected_by for one in choices]),
        seconds=seconds,
    )


def at_edge(
    candidate: Params,
    grid: Grid,
    candidates: Sequence[Params] = (),
    values: ArrayLike = (),
    metric: str | Metric = "precision@k",
) -> list[str]:
    """Find the numeric parameters chosen at an edge of their grid, of three or more values.

    `values` are those of the `candidates` on the inner folds, of shape (candidates, folds). Parameters with
    an equally good value inside the grid are left out: a wider grid would not help.
    """
    table, edges = np.asarray(values, dtype=np.float64), []
    tolerance = np.nan_to_num(default_tolerance(metric)) + 1e-12  # rounding aside
    for name, values_tried in grid.items():
        numbers = [v for v in values_tried if isinstance(v, (int, float))]
        if not len(numbers) == len(values_tried) > 2 or candidate[name] not in (
            min(numbers),
            max(numbers),
        ):
            continue
        inside = [
            i
            for i, c in enumerate(candidates)
            if c[name] not in (min(numbers), max(numbers))
        ]
        parts = (inside, slice(None)) if inside else ()
        means = [
            best_candidate(table[rows].T, get_metric(metric))[1] for rows in parts
        ]
        if not (means and abs(means[1] - means[0]) <= tolerance):
            edges.append(name)
    return edges
