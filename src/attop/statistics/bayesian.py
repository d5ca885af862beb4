"""Two methods compared by posterior probabilities, with a region of practical equivalence (rope).

Paired scores, higher is better. Source: Benavoli, Corani, Demsar and Zaffalon, JMLR 18 (2017).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from attop.statistics.two_methods import MIN_DATASETS, differences, scaled_error

__all__ = ["Posterior", "bayesian_signed_rank", "correlated_t"]

#: Rows of weights held at once.
_CHUNK = 2000


@dataclass(frozen=True)
class Posterior:
    """Probabilities that a is practically worse than b, equivalent (within the rope) and better."""

    n: int
    rope: float
    worse: float = math.nan
    equivalent: float = math.nan
    better: float = math.nan
    refused: str | None = None


def _check_rope(rope: float) -> None:
    if not 0 <= rope < math.inf:
        raise ValueError(f"rope must be a half-width >= 0 in units of the metric, got {rope}")


def correlated_t(a: ArrayLike, b: ArrayLike, *, rope: float, test_train_ratio: float) -> Posterior:
    """Compare two methods on one data set by the Bayesian correlated t-test.

    Parameters
    ----------
    a, b : array-like of shape (n,)
        Scores by run: the same repeats and folds.
    rope : float
        Differences from -rope to rope are of no practical importance.
    test_train_ratio : float
        Test items over training items, rho / (1 - rho) for the correlation rho = n_test / n_total.

    Returns
    -------
    Posterior
        Of the mean difference, a Student t with n - 1 degrees of freedom. Refused for fewer than two runs, an
        undefined value, or no variance.
    """
    _check_rope(rope)
    d, refused = differences(a, b, 2, "runs")
    n = np.size(a)
    if refused:
        return Posterior(n, rope, refused=refused)
    mean, error = float(d.mean()), scaled_error(d, test_train_ratio)
    if error == 0:
        refused = f"All {n} differences are {mean:.4g}: there is no variance to learn from."
        return Posterior(n, rope, refused=refused)
    worse = float(stats.t.cdf(-rope, n - 1, mean, error))
    better = float(stats.t.sf(rope, n - 1, mean, error))
    return Posterior(n, rope, worse, max(0.0, 1 - worse - better), better)


def bayesian_signed_rank(
    a: ArrayLike, b: ArrayLike, *, rope: float, seed: int, n_draws: int = 20_000
) -> Posterior:
    """Compare two methods over data sets by the Bayesian signed-rank test.

    Parameters
    ----------
    a, b : array-like of shape (N,)
        Scores by data set.
    rope : float
        Differences from -rope to rope are of no practical importance.
    seed : int
    n_draws : int
        Draws from the posterior; the standard error of a probability is at most 0.5 / sqrt(n_draws).

    Returns
    -------
    Posterior
        How often each of the three regions has the most weight of the pairs' averages (z_i + z_j) / 2.
        Refused for fewer than five data sets or an undefined value.

    Notes
    -----
    The weights are Dirichlet(1/2, 1, ..., 1), the 1/2 for one prior difference of 0. Regions that are equal
    in a draw share it.
    """
    _check_rope(rope)
    if n_draws < 1:
        raise ValueError(f"n_draws must be at least 1, got {n_draws}")
    d, refused = differences(a, b, MIN_DATASETS, "data sets")
    n = np.size(a)
    if refused:
        return Posterior(n, rope, refused=refused)
    z = np.concatenate([[0.0], d])
    average = (z[:, None] + z) / 2
    edge = rope * (1 + 1e-12)  # an average on the edge is within, whatever its rounding
    below, above = (average < -edge).astype(float), (average > edge).astype(float)
    alpha = np.ones(z.size)
    alpha[0] = 0.5
    rng = np.random.default_rng(seed)
    wins = np.zeros(3)
    for start in range(0, n_draws, _CHUNK):
        weights = rng.dirichlet(alpha, size=min(_CHUNK, n_draws - start))
        worse, better = (((weights @ region) * weights).sum(axis=1) for region in (below, above))
        shares = np.column_stack([worse, 1 - worse - better, better])
        first = shares >= shares.max(axis=1, keepdims=True) - 1e-12
        wins += (first / first.sum(axis=1, keepdims=True)).sum(axis=0)
    worse_p, equivalent, better_p = (wins / n_draws).tolist()
    return Posterior(n, rope, worse_p, equivalent, better_p)
