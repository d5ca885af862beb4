"""Ranks of the positives: the first, those above all negatives, and early recognition."""

from __future__ import annotations

import numpy as np

from attop._core.typing import Floats, Ints
from attop.metrics._metric import Need, family, metric
from attop.metrics._ranking import Ranking


@metric(
    "positives@top",
    "Positives@top",
    "Undefined without negatives; 0 without positives; grows with the number of positives.",
    (Need.NEGATIVE,),
    bounds=(0.0, float("inf")),
    ties="a positive tied with the highest negative does not count",
)
def positives_at_top(ranking: Ranking, k: Ints) -> Floats:
    """Number of positives scored strictly above the highest negative.

    Boyd et al. (2012), appendix B; in Rudin (2005) the left end of the ROC curve.

    Examples
    --------
    >>> positives_at_top([1, 1, 0, 1, 0], [4.0, 3.0, 2.0, 2.0, 1.0])
    2.0
    """
    clean = ranking.before == ranking.pos_before
    return ranking.total(
        np.where(clean & (ranking.pos == ranking.size), ranking.pos, 0)
    ).astype(np.float64)


@metric(
    "reciprocal-rank",
    "Reciprocal rank",
    "Undefined without positives.",
    (Need.POSITIVE,),
)
def reciprocal_rank(ranking: Ranking, k: Ints) -> Floats:
    """1 divided by the rank of the first positive; its mean over groups is MRR.

    Examples
    --------
    >>> reciprocal_rank([0, 1, 0, 1], [4.0, 3.0, 2.0, 1.0])
    0.5
    """
    first = np.flatnonzero((ranking.pos_before == 0) & (ranking.pos > 0))
    size = ranking.size[first]
    pos = ranking.pos[first]
    before = ranking.before[first]
    value = 1.0 / (before + 1)
    for g in np.flatnonzero(pos < size):
        left = size[g] - np.arange(size[g] - pos[g] + 1)
        # The first positive is at place i when i - 1 negatives were drawn before it.
        all_negative = np.cumprod(
            np.concatenate([[1.0], (left[:-1] - pos[g]) / left[:-1]])
        )
        value[g] = np.sum(
            all_negative * pos[g] / left / (before[g] + 1 + np.arange(len(left)))
        )
    return value


@family(
    "bedroc-{}",
    "BEDROC({})",
    "Undefined without positives or without negatives; a random order has about 1/alpha, and more with more "
    "positives.",
    (Need.POSITIVE, Need.NEGATIVE),
    ("above 0", lambda alpha: 0 < alpha < float("inf")),
)
def bedroc(ranking: Ranking, k: Ints, alpha: float = 20.0) -> Floats:
    r"""Mean of exp(-{} rank/n) over the positives, rescaled to 0 with all last and 1 with all first.

    Boltzmann-enhanced discrimination of ROC: ``(RIE - RIE_min) / (RIE_max - RIE_min)`` of robust initial
    enhancement (Sheridan et al. 2001),

    .. math:: \mathrm{RIE} = \frac{\frac{1}{n_+} \sum_{i=1}^{n_+} e^{-\alpha r_i / n}}
                                  {\frac{1}{n} \sum_{r=1}^{n} e^{-\alpha r / n}}

    with :math:`r_i` the rank, from 1, of the i-th positive (Truchon and Bayly 2007, eq. 18 and 36).

    Parameters
    ----------
    alpha : float, positive
        How early counts: a share ``ln(5)/alpha`` of the list carries 80% of the weight, 8% for 20.

    Examples
    --------
    >>> round(bedroc([1, 0, 0, 0], [4.0, 3.0, 2.0, 1.0]), 6), round(bedroc([1, 0, 0, 0], [0.0] * 4), 6)
    (1.0, 0.251696)
    """
    n = ranking.n[ranking.group]
    # A block's ranks are a run, so that its weight is a geometric sum; a positive is anywhere in it alike.
    block = np.exp(-alpha * ranking.before / n) * -np.expm1(
        -alpha * ranking.size / n
    )
    mass = ranking.total(ranking.pos / ranking.size * block)
    share = ranking.n_pos / ranking.n
    greatest = -np.expm1(-alpha * share)  # value if all positives are first
    least = np.exp(-alpha * (1 - share)) * greatest  # value if all are last
    # Rounding may leave the interval from 0 to 1.
    return np.clip((mass - least) / (greatest - least), 0.0, 1.0)
