"""Choosing a base and its refinement by cross-validation, for several tops that share the bases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from attop._core.top import Top
from attop._core.typing import Features, Floats, Ints
from attop.learners._thinned import thinned
from attop.learners.soft_top._refinement import RefinedRows, precision_about, refine

#: Calls a function with each tuple of arguments, perhaps side by side, and returns the values in their order.
Run = Callable[[Callable[..., Floats], Iterable[tuple[object, ...]]], list[Floats]]

#: Settings refined together share each product with X: as many as have this many scores in all, but at
#: least four.
_SCORES, _FEWEST_TOGETHER = 400_000, 4
#: Rows scored at a time.
_BLOCK = 4096
#: Where a fold has more rows to train on than `_MANY`, all bases and settings are tried on `_FEW` of them in
#: `_FIRST` folds (of groups in all), and one in `_ONE_IN`, the best, on `_MANY` in all folds.
_MANY, _FEW, _FIRST, _ONE_IN = 24_000, 8_000, 2, 8


class Bases(Protocol):
    """Linear models to start from."""

    names: list[str]

    def fit(self, X: Features, part: RefinedRows, which: Sequence[int]) -> Floats:
        """Train some of the models on a part of X, a column of weights each."""
        ...


@dataclass(frozen=True)
class Request:
    """Request for a refinement: top, pairs of h and lambda, and standard errors to beat the base by."""

    top: Top
    settings: Floats
    min_gain_se: float


@dataclass
class Outcome:
    """A chosen model: `coef`, that of its base, and how they compared over the folds."""

    coef: Floats
    base_coef: Floats
    base: str
    gain: float = np.nan
    gain_se: float = np.nan
    bandwidth: float | None = None
    l2_to_base: float | None = None


def subsampled(part: RefinedRows, most: int, seed: int) -> RefinedRows:
    """Draw a part of `most` rows, or `part` itself where it has no more.

    They are those of `thinned`. Of groups whole ones are drawn, and weigh what they did; if these are of one
    class, `part` itself is returned.
    """
    if len(part.y) <= most:
        return part
    if part.groups is None:
        rows, weight = thinned(part.y, part.weight, most, seed)
        return replace(part.take(rows), weight=weight)
    rng = np.random.default_rng(seed)
    names, codes, sizes = np.unique(
        part.groups, return_inverse=True, return_counts=True
    )
    order = rng.permutation(len(names))
    n_kept = max(
        1, int(np.searchsorted(np.cumsum(sizes[order]), most, side="right"))
    )
    some = part.take(np.flatnonzero(np.isin(codes, order[:n_kept])))
    return some if 0 < some.y.sum() < len(some.y) else part


def search(
    X: Features, part: RefinedRows, trials: Trials, requests: Sequence[Request]
) -> list[Outcome]:
    """Choose a base, then a refinement of it or none, for each request.

    Models are chosen by `trials`; those chosen are trained on the rows `part` of the standardised `X`.
    Without folds the middle base is returned as it is.
    """
    bases = trials.bases
    starts = trials.stages[0].starts(range(len(bases.names)))
    choices = [_choose(trials, starts, request) for request in requests]
    chosen = sorted({j for j, *_ in choices})
    # One by one, so that a base does not depend on which others are wanted.
    whole = dict(
        zip(
            chosen,
            trials.run(bases.fit, [(X, part, [j]) for j in chosen]),
            strict=True,
        )
    )
    outcomes = []
    for request, (j, settings, gains) in zip(requests, choices, strict=True):
        outcome = Outcome(whole[j][:, 0], whole[j][:, 0], bases.names[j])
        if len(gains) > 0:
            best, outcome.gain, outcome.gain_se = best_gain(gains)
            if outcome.gain > request.min_gain_se * outcome.gain_se:
                outcome.bandwidth, outcome.l2_to_base = settings[best].tolist()
                outcome.coef = refine(
                    X, part, request.top, outcome.base_coef, *settings[[best]].T
                )[:, 0]
        outcomes.append(outcome)
    return outcomes


def _choose(
    trials: Trials, starts: Sequence[Floats], request: Request
) -> tuple[int, Floats, Floats]:
    """Choose a base and settings to refine it; return also what each adds to the precision, a row a fold.

    `starts` are all bases trained on each fold of the first stage. The best of them, and the best settings
    for the very best, are tried again in the next.
    """
    top = request.top
    settings = request.settings
    names = trials.bases.names
    which = list(range(len(names)))
    for stage in trials.stages:
        values = stage.tested(starts, top)
        usable = np.isfinite(values).all(axis=-1)
        if not (stage.folds and usable.any()):
            return len(names) // 2, settings, np.empty((0, len(settings)))
        order = _best_first(values[usable])
        j = int(order[0])
        models = [start[:, [j]] for start in starts]
        gains = stage.gains(top, settings, models, values[:, j])
        if stage is not trials:
            settings = settings[_best_of(_best_first(gains))]
            which = _best_of(order).tolist()
            starts = trials.starts(which)
    return which[j], settings, gains


def _best_of(best_first: Ints) -> Ints:
    """Select the first of a stage's columns, which are tried in the next, in ascending order."""
    return np.sort(best_first[: -(-len(best_first) // _ONE_IN)])


def _best_first(values: Floats) -> Ints:
    """Sort the columns by their mean over the folds, the rows, the highest first."""
    return np.argsort(-values.mean(axis=0), kind="stable")


@dataclass(frozen=True)
class Trials:
    """Models trained on the folds' training parts, or on some of many rows, and their precision.

    With `few` they are fewer. `folds` are training and test parts of `X`, standardised features, all or a
    sample of their rows. The results do not depend on how many calls `run` makes at a time.
    """

    X: Features
    folds: Sequence[tuple[RefinedRows, RefinedRows]]
    bases: Bases
    run: Run
    seed: int
    few: bool = False

    @property
    def large(self) -> bool:
        """True if a training part is subsampled."""
        return any(len(train.y) > _MANY for train, _ in self.folds)

    @property
    def stages(self) -> list[Trials]:
        """List these trials, and first, where there are many rows, those on few rows of few folds.

        Of groups on all folds, as some may have no list that is long enough.
        """
        if not self.large:
            return [self]
        folds = self.folds
        if folds[0][0].groups is None:
            folds = folds[:_FIRST]
        return [replace(self, folds=folds, few=True), self]

    def starts(self, which: Sequence[int]) -> list[Floats]:
        """Train some bases on each fold, a column each."""
        calls = [
            (self.bases, self.X, train, which, self.few, self.seed)
            for train, _ in self.folds
        ]
        return self.run(_fit, calls)

    def tested(self, models: Sequence[Floats], top: Top) -> Floats:
        """Compute the precision of the models of each fold, a row a fold."""
        pairs = zip(models, self.folds, strict=True)
        return np.array([_tested(self.X, W, test, top) for W, (_, test) in pairs])

    def gains(
        self, top: Top, settings: Floats, starts: Sequence[Floats], before: Floats
    ) -> Floats:
        """Compute the precision each setting adds to that of the start, a row a fold that has one."""
        n_together = max(
            _FEWEST_TOGETHER, _SCORES // (_FEW if self.few else self.X.shape[0])
        )
        batches = [
            settings[i : i + n_together]
            for i in range(0, len(settings), n_together)
        ]
        usable = np.flatnonzero(np.isfinite(before)).tolist()
        each = [(*self.folds[i], starts[i][:, 0]) for i in usable]
        jobs = [
            (self.X, top, batch, *one, self.few, self.seed)
            for one in each
            for batch in batches
        ]
        values = np.concatenate(self.run(_validate, jobs))
        return values.reshape(len(usable), -1) - before[usable, None]


def _fit(
    bases: Bases,
    X: Features,
    train: RefinedRows,
    which: Sequence[int],
    few: bool,
    seed: int,
) -> Floats:
    return bases.fit(*_some_of(X, train, few, seed), which)


def _validate(
    X: Features,
    top: Top,
    batch: Floats,
    train: RefinedRows,
    test: RefinedRows,
    start: Floats,
    few: bool,
    seed: int,
) -> Floats:
    rows, part = _some_of(X, train, few, seed)
    return _tested(X, refine(rows, part, top, start, *batch.T), test, top)


def _some_of(
    X: Features, part: RefinedRows, few: bool, seed: int
) -> tuple[Features, RefinedRows]:
    """Choose the features and rows to train on: all, or a subsample where there are many."""
    most = _FEW if few and len(part.y) > _MANY else _MANY
    sample = subsampled(part, most, seed)
    # Few enough, or of groups that cannot be subsampled.
    if sample is part:
        return X, part
    return X[sample.rows], replace(sample, rows=np.arange(len(sample.rows)))


def _tested(X: Features, W: Floats, test: RefinedRows, top: Top) -> Floats:
    """Compute the smoothed precision of the linear models in the columns of `W`."""
    # A block of rows at a time: all of them at once would be a copy of X.
    firsts = range(0, len(test.rows), _BLOCK)
    scores = np.concatenate(
        [X[test.rows[first : first + _BLOCK]] @ W for first in firsts]
    )
    return precision_about(scores, test, top)


def best_gain(gains: Floats) -> tuple[int, float, float]:
    """Find the column with the highest mean over the folds (rows), that mean and its standard error."""
    best = int(np.argmax(gains.mean(axis=0)))
    column = gains[:, best]
    error = (
        float(column.std(ddof=1) / np.sqrt(len(column)))
        if len(column) > 1
        else np.nan
    )
    return best, float(column.mean()), error
