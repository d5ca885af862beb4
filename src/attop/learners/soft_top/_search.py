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
#: Where a fold has more rows to train on than this, all bases and settings are tried on `_FEW` of them, and
#: one in `_ONE_IN`, the best, on all.
_MANY, _FEW, _ONE_IN = 24_000, 8_000, 8


class Bases(Protocol):
    """Linear models to start from."""

    names: list[str]

    def fit(self, X: Features, part: RefinedRows, which: Sequence[int]) -> Floats:
        """Return the weights of some of the models trained on a part of X, a column each."""
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
    """Return a part of `most` rows, or `part` itself where it has no more.

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
    starts = trials.starts(range(len(bases.names)), few=True)
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
                setting = (
                    np.array([outcome.bandwidth]),
                    np.array([outcome.l2_to_base]),
                )
                outcome.coef = refine(
                    X, part, request.top, outcome.base_coef, *setting
                )[:, 0]
        outcomes.append(outcome)
    return outcomes


def _choose(
    trials: Trials, starts: Sequence[Floats], request: Request
) -> tuple[int, Floats, Floats]:
    """Choose a base and settings to refine it; return also what each adds to the precision, a row a fold.

    `starts` are all bases trained on each fold. Where that was on few of its rows, the best of them, and the
    best settings for the very best, are tried again on all.
    """
    settings = request.settings
    n_bases = len(trials.bases.names)
    values = trials.tested(starts, request.top)
    usable = np.isfinite(values).all(axis=-1)
    if not (trials.folds and usable.any()):
        return n_bases // 2, settings, np.empty((0, len(settings)))
    best_first = _best_first(values[usable])
    j = int(best_first[0])
    models = [start[:, [j]] for start in starts]
    before = values[:, j]
    if trials.large and len(settings) > 1:
        gains = trials.gains(request.top, settings, models, before, few=True)
        settings = settings[
            np.sort(_best_first(gains)[: -(-len(settings) // _ONE_IN)])
        ]
    if trials.large and n_bases > 1:
        again: list[int] = np.sort(best_first[: -(-n_bases // _ONE_IN)]).tolist()
        starts = trials.starts(again)
        values = trials.tested(starts, request.top)
        first = int(_best_first(values[usable])[0])
        j = again[first]
        models = [start[:, [first]] for start in starts]
        before = values[:, first]
    return j, settings, trials.gains(request.top, settings, models, before)


def _best_first(values: Floats) -> Ints:
    """Return the columns by their mean over the folds, the rows, the highest first."""
    return np.argsort(-values.mean(axis=0), kind="stable")


@dataclass(frozen=True)
class Trials:
    """Models trained on the folds' training parts, or on few of many rows, and their precision.

    `folds` are training and test parts of `X`, standardised features, all or a sample of their rows. The
    results do not depend on how many calls `run` makes at a time.
    """

    X: Features
    folds: Sequence[tuple[RefinedRows, RefinedRows]]
    bases: Bases
    run: Run
    seed: int

    @property
    def large(self) -> bool:
        """True if a training part is subsampled."""
        return any(len(train.y) > _MANY for train, _ in self.folds)

    def starts(self, which: Sequence[int], few: bool = False) -> list[Floats]:
        """Return some bases trained on each fold, a column each."""
        few = few and len(self.bases.names) > 1  # with one base there is no choice
        calls = [
            (self.bases, self.X, train, which, few, self.seed)
            for train, _ in self.folds
        ]
        return self.run(_fit, calls)

    def tested(self, models: Sequence[Floats], top: Top) -> Floats:
        """Return the precision of the models of each fold, a row a fold."""
        pairs = zip(models, self.folds, strict=True)
        return np.array([_tested(self.X, W, test, top) for W, (_, test) in pairs])

    def gains(
        self,
        top: Top,
        settings: Floats,
        starts: Sequence[Floats],
        before: Floats,
        few: bool = False,
    ) -> Floats:
        """Return the precision each setting adds to that of the start, a row a fold that has one."""
        n_together = max(
            _FEWEST_TOGETHER, _SCORES // (_FEW if few else self.X.shape[0])
        )
        batches = [
            settings[i : i + n_together]
            for i in range(0, len(settings), n_together)
        ]
        usable = np.flatnonzero(np.isfinite(before)).tolist()
        each = [(*self.folds[i], starts[i][:, 0], few, self.seed) for i in usable]
        jobs = [(self.X, top, batch, *one) for one in each for batch in batches]
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
    return bases.fit(*_few_of(X, train, few, seed), which)


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
    return _tested(
        X, refine(*_few_of(X, train, few, seed), top, start, *batch.T), test, top
    )


def _few_of(
    X: Features, part: RefinedRows, few: bool, seed: int
) -> tuple[Features, RefinedRows]:
    """Choose the features and rows to train on: all, or a subsample where there are many."""
    if not few or len(part.y) <= _MANY:
        return X, part
    sample = subsampled(part, _FEW, seed)
    if sample is part:  # of groups that cannot be subsampled
        return X, part
    return X[sample.rows], replace(sample, rows=np.arange(len(sample.rows)))


def _tested(X: Features, W: Floats, test: RefinedRows, top: Top) -> Floats:
    """Return the smoothed precision of the linear models in the columns of `W`."""
    # A block of rows at a time: all of them at once would be a copy of X.
    firsts = range(0, len(test.rows), _BLOCK)
    scores = np.concatenate(
        [X[test.rows[first : first + _BLOCK]] @ W for first in firsts]
    )
    return precision_about(scores, test, top)


def best_gain(gains: Floats) -> tuple[int, float, float]:
    """Return the column with the highest mean over the folds (rows), that mean and its standard error."""
    best = int(np.argmax(gains.mean(axis=0)))
    column = gains[:, best]
    error = (
        float(column.std(ddof=1) / np.sqrt(len(column)))
        if len(column) > 1
        else np.nan
    )
    return best, float(column.mean()), error
