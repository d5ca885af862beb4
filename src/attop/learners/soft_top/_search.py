"""Choosing a base and its refinement by cross-validation, for several tops that share the bases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from attop._core.top import Top
from attop._core.typing import Features, Floats
from attop.learners.soft_top._refinement import Sample, precision_about, refine

#: Calls a function with each tuple of arguments, perhaps side by side, and returns the values in their order.
Run = Callable[[Callable[..., Floats], Iterable[tuple[object, ...]]], list[Floats]]

#: Settings refined together share each product with X: as many as have this many scores in all, but at
#: least four.
_SCORES, _FEWEST_TOGETHER = 400_000, 4
#: Rows scored at a time.
_BLOCK = 4096


class Bases(Protocol):
    """Linear models to start from."""

    names: list[str]

    def fit(self, X: Features, part: Sample, which: Sequence[int]) -> Floats:
        """Return the weights of some of the models trained on a part of X, a column each."""
        ...


@dataclass(frozen=True)
class Request:
    """Goal of a refinement: `top`, the settings, and the standard errors by which to beat the base."""

    top: Top
    bandwidths: tuple[float, ...]
    l2s_to_base: tuple[float, ...]
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


def thinned(part: Sample, most: int, seed: int) -> Sample:
    """Return a part of `most` rows, or `part` itself where it has no more.

    Up to half of them are positives, drawn at random as the negatives are; the weights of the rows drawn
    make up for those left out. Of groups whole ones are drawn, and weigh what they did.
    """
    if len(part.y) <= most:
        return part
    rng = np.random.default_rng(seed)
    if part.groups is not None:
        names, codes, sizes = np.unique(part.groups, return_inverse=True, return_counts=True)
        order = rng.permutation(len(names))
        n_kept = max(1, int(np.searchsorted(np.cumsum(sizes[order]), most, side="right")))
        return part.take(np.flatnonzero(np.isin(codes, order[:n_kept])))
    weight = np.ones(len(part.y)) if part.weight is None else part.weight.copy()
    pos, neg = np.flatnonzero(part.y == 1), np.flatnonzero(part.y == 0)
    n_neg = min(len(neg), most - min(len(pos), most // 2))
    kept = [rng.choice(pos, most - n_neg, replace=False), rng.choice(neg, n_neg, replace=False)]
    for rows, of in zip(kept, (pos, neg), strict=True):
        weight[rows] *= len(of) / len(rows)
    return Sample(part.rows, part.y, None, weight).take(np.sort(np.concatenate(kept)))


def search(
    X: Features,
    part: Sample,
    some: Features,
    folds: Sequence[tuple[Sample, Sample]],
    bases: Bases,
    requests: Sequence[Request],
    run: Run,
) -> list[Outcome]:
    """Choose a base, then a refinement of it or none, for each request.

    Models are chosen by `folds`, training and test parts of `some`, which is the standardised `X` or a sample
    of its rows; those chosen are trained on the rows `part` of `X`. Without folds the middle base is returned
    as it is. The results do not depend on how many calls `run` makes at a time.
    """
    every = range(len(bases.names))
    starts = run(bases.fit, [(some, train, every) for train, _ in folds])
    first = [_best_base(some, folds, starts, request.top, len(every)) for request in requests]
    chosen = sorted({j for j, _ in first})
    # One by one, so that a base does not depend on which others are wanted.
    whole = dict(zip(chosen, run(bases.fit, [(X, part, [j]) for j in chosen]), strict=True))
    outcomes = []
    for request, (j, before) in zip(requests, first, strict=True):
        outcome = Outcome(whole[j][:, 0], whole[j][:, 0], bases.names[j])
        usable = np.isfinite(before)
        if usable.any():
            kept = [(*fold, start[:, j]) for fold, start, ok in zip(folds, starts, usable, strict=True) if ok]
            _choose_refinement(some, kept, before[usable], request, outcome, run)
        if outcome.bandwidth is not None:
            setting = np.array([outcome.bandwidth]), np.array([outcome.l2_to_base])
            outcome.coef = refine(X, part, request.top, outcome.base_coef, *setting)[:, 0]
        outcomes.append(outcome)
    return outcomes


def _best_base(
    X: Features, folds: Sequence[tuple[Sample, Sample]], starts: Sequence[Floats], top: Top, n_bases: int
) -> tuple[int, Floats]:
    """Return the base with the highest mean precision over the folds, and its precision in each."""
    if not folds:
        return n_bases // 2, np.full(0, np.nan)
    values = np.array([_tested(X, W, test, top) for (_, test), W in zip(folds, starts, strict=True)])
    defined = np.isfinite(values[:, 0])
    j = int(np.argmax(values[defined].mean(axis=0))) if defined.any() else n_bases // 2
    return j, values[:, j]


def _choose_refinement(
    X: Features,
    folds: Sequence[tuple[Sample, Sample, Floats]],
    before: Floats,
    request: Request,
    outcome: Outcome,
    run: Run,
) -> None:
    """Choose the setting with the highest mean precision; keep the base where that gains too little."""
    settings = np.array(
        [(bandwidth, l2_to_base) for bandwidth in request.bandwidths for l2_to_base in request.l2s_to_base]
    )
    n_together = max(_FEWEST_TOGETHER, _SCORES // X.shape[0])
    batches = [settings[i : i + n_together] for i in range(0, len(settings), n_together)]
    jobs = [(X, request.top, batch, *fold) for fold in folds for batch in batches]
    values = np.concatenate(run(_validate, jobs))
    gains = values.reshape(len(folds), -1) - before[:, None]
    best, outcome.gain, outcome.gain_se = best_gain(gains)
    if outcome.gain > request.min_gain_se * outcome.gain_se:
        outcome.bandwidth, outcome.l2_to_base = settings[best].tolist()


def _validate(X: Features, top: Top, batch: Floats, train: Sample, test: Sample, start: Floats) -> Floats:
    return _tested(X, refine(X, train, top, start, *batch.T), test, top)


def _tested(X: Features, W: Floats, test: Sample, top: Top) -> Floats:
    """Return the smoothed precision of the linear models in the columns of `W`."""
    # A block of rows at a time: all of them at once would be a copy of X.
    firsts = range(0, len(test.rows), _BLOCK)
    scores = np.concatenate([X[test.rows[first : first + _BLOCK]] @ W for first in firsts])
    return precision_about(scores, test, top)


def best_gain(gains: Floats) -> tuple[int, float, float]:
    """Return the column with the highest mean over the folds (rows), that mean and its standard error."""
    best = int(np.argmax(gains.mean(axis=0)))
    column = gains[:, best]
    error = float(column.std(ddof=1) / np.sqrt(len(column))) if len(column) > 1 else np.nan
    return best, float(column.mean()), error
