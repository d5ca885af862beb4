"""How many times chance the top holds (lift, enrichment factor), and early recognition: RIE and BEDROC."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from attop.core.typing import Floats, Ints, TopLike
from attop.metrics.family import Family
from attop.metrics.metric import EXPECTED, Metric, Need
from attop.metrics.ranking import Ranking

__all__ = ["bedroc", "lift_at_k", "rie"]


def _lift(ranking: Ranking, k: Ints) -> Floats:
    return ranking.gain_in_top(k) / ranking.total(ranking.gain) * (ranking.n / k)


def _exponential_mass(ranking: Ranking, alpha: float) -> Floats:
    """Sum of ``exp(-alpha rank / n)`` over the positives, as a share of the whole list's, times n.

    A block's ranks are a run, so that theirs is a geometric sum, and a positive is anywhere in it alike.
    """
    n = ranking.n[ranking.group]
    block = np.exp(-alpha * ranking.before / n) * -np.expm1(-alpha * ranking.size / n)
    return ranking.total(ranking.pos / ranking.size * block) * ranking.n / -np.expm1(-alpha)


def _rie(ranking: Ranking, k: Ints, alpha: float) -> Floats:
    return _exponential_mass(ranking, alpha) / ranking.n_pos


def _bedroc(ranking: Ranking, k: Ints, alpha: float) -> Floats:
    share = ranking.n_pos / ranking.n
    greatest = -np.expm1(-alpha * share)  # all positives first
    least = np.exp(-alpha * (1 - share)) * greatest  # all last
    mass = _exponential_mass(ranking, alpha) / ranking.n * -np.expm1(-alpha)
    return np.clip((mass - least) / (greatest - least), 0.0, 1.0)  # rounding may leave it


LIFT = Metric(
    name="lift@k",
    title="Lift@k",
    definition="Precision@k divided by the share of positives: how many times more positives the top holds "
    "than a random one. The enrichment factor of drug discovery.",
    bounds=(0.0, float("inf")),
    ties=EXPECTED,
    edge_cases="Undefined for k > n and without positives; 1 in expectation for a random order; at most "
    "n/max(k, n+).",
    needs=(Need.K_ITEMS, Need.POSITIVE),
    kernel=_lift,
    needs_top=True,
    weighted=True,
)


def _rie_of(alpha: float) -> Metric:
    return Metric(
        name=f"rie-{alpha:.12g}",
        title=f"RIE({alpha:.12g})",
        definition=f"Mean of exp(-alpha rank/n) over the positives, alpha = {alpha:.12g}, divided by its "
        "mean over all items.",
        bounds=(0.0, float("inf")),
        ties=EXPECTED,
        edge_cases="Undefined without positives; 1 for a random order; its range depends on the share of "
        "positives.",
        needs=(Need.POSITIVE,),
        kernel=_rie,
        parameter=("alpha", alpha),
    )


def _bedroc_of(alpha: float) -> Metric:
    return Metric(
        name=f"bedroc-{alpha:.12g}",
        title=f"BEDROC({alpha:.12g})",
        definition=f"RIE, alpha = {alpha:.12g}, rescaled to 0 with all positives last and 1 with all first.",
        bounds=(0.0, 1.0),
        ties=EXPECTED,
        edge_cases="Undefined without positives or without negatives; a random order has about 1/alpha, and "
        "more with more positives.",
        needs=(Need.POSITIVE, Need.NEGATIVE),
        kernel=_bedroc,
        parameter=("alpha", alpha),
    )


def _positive_number(value: float) -> bool:
    return 0 < value < float("inf")


RIE = Family("rie-{}", "alpha", _rie_of, "above 0", _positive_number)
BEDROC = Family("bedroc-{}", "alpha", _bedroc_of, "above 0", _positive_number)


def lift_at_k(
    y_true: ArrayLike, y_score: ArrayLike, top: TopLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """How many times more positives the top holds than a random one: the lift, or enrichment factor.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Binary labels, see `attop.core.sample.check_labels`.
    y_score : array-like of shape (n,)
        Finite; the higher, the nearer the top.
    top : Top, int or mapping
        How much of the top, see `precision_at_k`; EF1% is ``{"tau": 0.01}``.
    sample_weight : array-like of shape (n,), optional
        What each item is worth, see `recall_at_k`: how many times more of it than chance the top captures.

    Returns
    -------
    lift : float, from 0 to n/max(k, n+)
        Precision@k divided by n+/n. Expectation over a uniformly random order of tied items: 1 for a
        scorer that is constant.

    Raises
    ------
    UndefinedMetricError
        If ``k > n`` or there is no positive.
    ValueError
        If `y_true` or `y_score` are malformed.

    Examples
    --------
    >>> lift_at_k([1, 1, 0, 0, 0, 0, 0, 0], [8.0, 1.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0], 2)
    2.0
    """
    return LIFT.value(y_true, y_score, top, sample_weight=sample_weight)


def rie(y_true: ArrayLike, y_score: ArrayLike, alpha: float = 20.0) -> float:
    r"""Robust initial enhancement (Sheridan et al. 2001).

    .. math:: \frac{\frac{1}{n_+} \sum_{i=1}^{n_+} e^{-\alpha r_i / n}}
                   {\frac{1}{n} \sum_{r=1}^{n} e^{-\alpha r / n}}

    with :math:`r_i` the rank, from 1, of the i-th positive (Truchon and Bayly 2007, eq. 18).

    Parameters
    ----------
    y_true, y_score
        As for `lift_at_k`.
    alpha : float, positive
        How early counts: a share ``ln(5)/alpha`` of the list carries 80% of the weight, 8% for 20.

    Returns
    -------
    rie : float, positive
        Expectation over a uniformly random order of tied items; 1 for a scorer that is constant.

    Raises
    ------
    UndefinedMetricError
        If there is no positive.
    ValueError
        If `y_true`, `y_score` or `alpha` are malformed.

    Examples
    --------
    >>> rie([1, 0, 1, 0], [1.0, 1.0, 1.0, 1.0])
    1.0
    """
    return RIE.at(alpha).value(y_true, y_score)


def bedroc(y_true: ArrayLike, y_score: ArrayLike, alpha: float = 20.0) -> float:
    """Boltzmann-enhanced discrimination of ROC: `rie` moved to the range from 0 to 1.

    Truchon and Bayly (2007), eq. 36: ``(RIE - RIE_min) / (RIE_max - RIE_min)``, with the values of the lists
    that hold all positives last and first.

    Parameters
    ----------
    y_true, y_score, alpha
        As for `rie`.

    Returns
    -------
    bedroc : float in [0, 1]
        Expectation over a uniformly random order of tied items, whatever the order of the rows.

    Raises
    ------
    UndefinedMetricError
        If there is no positive or no negative.
    ValueError
        If `y_true`, `y_score` or `alpha` are malformed.

    Examples
    --------
    >>> round(bedroc([1, 0, 0, 0], [4.0, 3.0, 2.0, 1.0]), 6), round(bedroc([1, 0, 0, 0], [0.0] * 4), 6)
    (1.0, 0.251696)
    """
    return BEDROC.at(alpha).value(y_true, y_score)
