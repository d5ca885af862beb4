"""F-beta of the k highest scores."""

from __future__ import annotations

from numpy.typing import ArrayLike

from attop.core.typing import Floats, Ints, TopLike
from attop.metrics.family import Family
from attop.metrics.metric import EXPECTED, Metric, Need
from attop.metrics.ranking import Ranking

__all__ = ["f_beta_at_k"]


def _f_beta(ranking: Ranking, k: Ints, beta: float) -> Floats:
    return (1 + beta**2) * ranking.positives_in_top(k) / (k + beta**2 * ranking.n_pos)


def _f_beta_of(beta: float) -> Metric:
    return Metric(
        name=f"f{beta:.12g}@k",
        title=f"F{beta:.12g}@k",
        definition=f"Weighted harmonic mean of precision@k and recall@k, recall counting {beta:.12g} times.",
        bounds=(0.0, 1.0),
        ties=EXPECTED,
        edge_cases="Undefined for k > n and without positives; 1 needs k = n+.",
        needs=(Need.K_ITEMS, Need.POSITIVE),
        kernel=_f_beta,
        needs_top=True,
        parameter=("beta", beta),
    )


F_BETA = Family("f{}@k", "beta", _f_beta_of, "above 0", lambda beta: 0 < beta < float("inf"))


def f_beta_at_k(y_true: ArrayLike, y_score: ArrayLike, top: TopLike, beta: float = 1.0) -> float:
    r"""F-beta when the `k` highest scores are called positive.

    .. math:: \frac{(1 + \beta^2) \, tp}{k + \beta^2 n_+}

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Binary labels, see `attop.core.sample.check_labels`.
    y_score : array-like of shape (n,)
        Finite; the higher, the nearer the top.
    top : Top, int or mapping
        How much of the top, see `precision_at_k`.
    beta : float, positive
        How many times recall counts as much as precision.

    Returns
    -------
    f : float in [0, 1]
        Expectation over a uniformly random order of tied items.

    Raises
    ------
    UndefinedMetricError
        If ``k > n`` or there is no positive.
    ValueError
        If an argument is malformed.

    Examples
    --------
    >>> f_beta_at_k([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], 2)
    0.5
    """
    return F_BETA.at(beta).value(y_true, y_score, top)
