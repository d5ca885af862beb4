"""Ranks of methods over data sets, and the tests on them.

Everything here takes `scores`, a DataFrame of data sets x methods, higher is better.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import scipy  # `scipy.stats`, half a second, is imported by its first use
from numpy.typing import ArrayLike

from attop._core.typing import Floats
from attop.statistics._rounding import levels
from attop.statistics._two_methods import MIN_DATASETS


def rank_rows(scores: pd.DataFrame) -> pd.DataFrame:
    """Rank the methods on each data set, 1 the best, ties averaged; NaN where a score is not finite.

    Scores that are equal but for rounding are tied.
    """
    finite = scores.astype(float).where(np.isfinite(scores.astype(float)))
    levelled = pd.DataFrame(
        levels(finite.to_numpy()), scores.index, scores.columns
    ).where(finite.notna())
    return levelled.rank(axis=1, ascending=False, method="average")


def mean_ranks(scores: pd.DataFrame) -> pd.Series:
    """Compute the mean rank of each method over the data sets, best first; NaN if one of its scores is."""
    return rank_rows(scores).mean(axis=0, skipna=False).sort_values(kind="stable")


def refusal(scores: pd.DataFrame) -> str | None:
    """Say in a sentence why the scores cannot be tested, or return None."""
    n, k = scores.shape
    if k < 3:
        return f"A rank test needs at least 3 methods, and there are {k}."
    if n < MIN_DATASETS:
        return f"A rank test needs at least {MIN_DATASETS} data sets, and there are {n}."
    undefined = int((~np.isfinite(scores.to_numpy(float))).sum())
    if undefined:
        return f"{undefined} of {n * k} values are undefined: leave out their data sets or methods."
    if (rank_rows(scores) == (k + 1) / 2).all(axis=None):
        return "All methods are equal on every data set."
    return None


@dataclass(frozen=True)
class Friedman:
    """Friedman's test and Iman and Davenport's, of the hypothesis that all methods rank equally.

    `chi2` has k - 1 degrees of freedom, `F` k - 1 and (k - 1)(N - 1). The numbers are NaN where `refused`.
    """

    ranks: pd.Series
    n_datasets: int
    chi2: float = math.nan
    F: float = math.nan
    p_F: float = math.nan
    refused: str | None = None


def friedman(scores: pd.DataFrame) -> Friedman:
    """Test whether the methods rank equally over the data sets.

    Parameters
    ----------
    scores : DataFrame, N data sets x k methods
        Higher is better.

    Notes
    -----
    chi2 = 12 N / (k (k + 1)) (sum_j R_j^2 - k (k + 1)^2 / 4) and F = (N - 1) chi2 / (N (k - 1) - chi2), as in
    Demsar, JMLR 7 (2006), section 3.2.2: without a correction for ties, which makes it conservative.
    """
    ranks, (n, k) = mean_ranks(scores), scores.shape
    refused = refusal(scores)
    if refused:
        return Friedman(ranks, n, refused=refused)
    chi2 = 12 * n / (k * (k + 1)) * (float((ranks**2).sum()) - k * (k + 1) ** 2 / 4)
    rest = n * (k - 1) - chi2
    # The same ranking on every data set leaves nothing in the denominator.
    f = (n - 1) * chi2 / rest if rest > 1e-9 * n * k else math.inf
    return Friedman(
        ranks, n, chi2, f, float(scipy.stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
    )


def critical_difference(
    n_methods: int, n_datasets: int, alpha: float = 0.05
) -> float:
    """Compute Nemenyi's critical difference of mean ranks, q sqrt(k (k + 1) / (6 N)).

    q is the upper `alpha` quantile of the studentized range of k means with infinite degrees of freedom,
    divided by sqrt(2). NaN for fewer than two methods or no data set.
    """
    if n_methods < 2 or n_datasets < 1:
        return math.nan
    q = scipy.stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / math.sqrt(
        2
    )
    return float(q * _standard_error(n_methods, n_datasets))


def _standard_error(k: int, n: int) -> float:
    return math.sqrt(k * (k + 1) / (6 * n))


def holm(p_values: ArrayLike) -> Floats:
    """Adjust p-values by Holm's step-down procedure, in the order given."""
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError(
            f"p_values must be a list of numbers in [0, 1], got {p_values!r}"
        )
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(
        np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)), 1.0
    )
    return adjusted


def holm_factors(p_values: ArrayLike, risk: float) -> Floats:
    """Compute the factor by which Holm's procedure multiplies each p before it compares it with the risk.

    Each that is rejected by those left at its step, equal ones alike; all others by their number, where the
    procedure ends.
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    left = np.arange(p.size, 0, -1, dtype=float)
    not_rejected = p[order] * left >= risk
    if not_rejected.any():
        left[not_rejected.argmax() :] = left[not_rejected.argmax()]
    first = np.searchsorted(p[order], p, side="left")
    return left[first]


@dataclass(frozen=True)
class Pair:
    """Two methods, the better ranked (or the control) second: z > 0 where `first` ranks worse."""

    first: str
    second: str
    z: float
    p: float
    p_adjusted: float


@dataclass(frozen=True)
class Comparison:
    """Pairwise comparisons of mean ranks; `pairs` and `cliques` are empty where `refused`.

    `critical_difference` is NaN for Holm's procedure, which has none.
    """

    procedure: str
    alpha: float
    ranks: pd.Series
    n_datasets: int
    pairs: tuple[Pair, ...] = ()
    cliques: tuple[tuple[str, ...], ...] = ()
    critical_difference: float = math.nan
    refused: str | None = None


def against_control(
    scores: pd.DataFrame, control: str, alpha: float = 0.05
) -> Comparison:
    """Compare every method with a control by mean ranks, adjusted by Holm; pairs by p-value."""
    if control not in scores.columns:
        raise ValueError(
            f"control {control!r} is not among the methods: {', '.join(map(str, scores))}"
        )
    ranks = mean_ranks(scores)
    n = len(scores)
    refused = refusal(scores)
    if refused:
        return Comparison("holm", alpha, ranks, n, refused=refused)
    pairs = _pairs(
        ranks, n, [(m, control) for m in ranks.index if m != control], "holm"
    )
    return Comparison("holm", alpha, ranks, n, pairs)


def all_pairs(
    scores: pd.DataFrame,
    alpha: float = 0.05,
    procedure: Literal["nemenyi", "holm"] = "nemenyi",
) -> Comparison:
    """Compare every two methods by mean ranks, with the cliques of a critical-difference diagram.

    Parameters
    ----------
    scores : DataFrame, data sets x methods
        Higher is better.
    alpha : float
        Family-wise error.
    procedure : {"nemenyi", "holm"}
        Nemenyi's studentized range, or normal p-values adjusted by Holm.
    """
    if procedure not in ("nemenyi", "holm"):
        raise ValueError(
            f"procedure must be 'nemenyi' or 'holm', got {procedure!r}"
        )
    ranks, (n, k) = mean_ranks(scores), scores.shape
    refused = refusal(scores)
    if refused:
        return Comparison(procedure, alpha, ranks, n, refused=refused)
    order = list(ranks.index)
    pairs = _pairs(
        ranks,
        n,
        [(b, a) for i, a in enumerate(order) for b in order[i + 1 :]],
        procedure,
    )
    different = {
        frozenset((p.first, p.second)) for p in pairs if p.p_adjusted < alpha
    }
    cd = critical_difference(k, n, alpha) if procedure == "nemenyi" else math.nan
    return Comparison(
        procedure=procedure,
        alpha=alpha,
        ranks=ranks,
        n_datasets=n,
        pairs=pairs,
        cliques=cliques(order, different),
        critical_difference=cd,
    )


def _pairs(
    ranks: pd.Series, n: int, names: list[tuple[str, str]], procedure: str
) -> tuple[Pair, ...]:
    k = len(ranks)
    z = np.array([ranks[a] - ranks[b] for a, b in names]) / _standard_error(k, n)
    p = 2 * scipy.stats.norm.sf(np.abs(z))
    if procedure == "holm":
        adjusted = holm(p)
    else:
        adjusted = np.clip(
            scipy.stats.studentized_range.sf(np.abs(z) * math.sqrt(2), k, np.inf),
            0.0,
            1.0,
        )
    rows = sorted(zip(names, z, p, adjusted, strict=True), key=lambda row: row[2])
    return tuple(
        Pair(a, b, float(v), float(q), float(h)) for (a, b), v, q, h in rows
    )


def cliques(
    order: Sequence[str], different: set[frozenset[str]]
) -> tuple[tuple[str, ...], ...]:
    """Find the maximal runs of two or more methods, in order of rank, of which no two differ.

    Parameters
    ----------
    order : sequence of str
        The methods, best first.
    different : set of frozenset of str
        The pairs that differ significantly.
    """
    cliques_found: list[tuple[str, ...]] = []
    last = 0  # end of the run found before: a run that ends no later is part of it
    for start in range(len(order)):
        stop = start + 1
        while stop < len(order) and all(
            frozenset((order[stop], m)) not in different for m in order[start:stop]
        ):
            stop += 1
        if stop > last and stop - start > 1:
            cliques_found.append(tuple(order[start:stop]))
        last = max(last, stop)
    return tuple(cliques_found)
