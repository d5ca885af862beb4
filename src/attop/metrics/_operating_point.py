"""One point of a curve: precision at a recall, recall at a precision, true positives at false positives."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from attop._core.typing import Bools, Floats, Ints
from attop.metrics._metric import Need, family
from attop.metrics._ranking import Ranking

#: For metrics that are a maximum over thresholds: a mean over the orders of tied items would be a value that
#: no threshold reaches.
THRESHOLD = "a threshold takes all of tied items or none"
#: Denominators up to which a given share is taken as the decimal it is written as.
_FINEST = 10**9
_UP_TO_ONE = ("above 0 and at most 1", lambda value: 0 < value <= 1)


def _cuts(ranking: Ranking) -> tuple[Ints, Ints]:
    """Positives and items above every threshold between different scores, one per block."""
    return ranking.pos_before + ranking.pos, ranking.before + ranking.size


def _reaches(part: Ints, whole: Ints, share: float) -> Bools:
    """Tell where ``part / whole >= share``, the decimal that was written, without rounding."""
    exact = Fraction(str(share)).limit_denominator(_FINEST)
    return part * exact.denominator >= exact.numerator * whole


@family(
    "recall@precision-{}",
    "Recall@P≥{}",
    "Undefined without positives; 0 where no threshold has the precision.",
    (Need.POSITIVE,),
    _UP_TO_ONE,
    ties=THRESHOLD,
)
def recall_at_precision(ranking: Ranking, k: Ints, precision: float) -> Floats:
    """Greatest recall over the thresholds with a precision of at least {}.

    Parameters
    ----------
    precision : float in (0, 1]

    Examples
    --------
    >>> recall_at_precision([1, 0, 1, 0, 1], [5.0, 4.0, 3.0, 2.0, 1.0], 0.6)
    1.0
    """
    pos, items = _cuts(ranking)
    counted = np.where(_reaches(pos, items, precision), pos, 0)
    return np.maximum.reduceat(counted, ranking.first) / ranking.n_pos


@family(
    "precision@recall-{}",
    "Precision@R≥{}",
    "Undefined without positives; at least the share of positives.",
    (Need.POSITIVE,),
    _UP_TO_ONE,
    ties=THRESHOLD,
)
def precision_at_recall(ranking: Ranking, k: Ints, recall: float) -> Floats:
    """Greatest precision over the thresholds with a recall of at least {}.

    Parameters
    ----------
    recall : float in (0, 1]

    Examples
    --------
    >>> precision_at_recall([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], 1.0)
    0.6666666666666666
    """
    pos, items = _cuts(ranking)
    counted = np.where(
        _reaches(pos, ranking.n_pos[ranking.group], recall), pos / items, 0.0
    )
    return np.maximum.reduceat(counted, ranking.first)


@family(
    "tpr@fpr-{}",
    "TPR@FPR≤{}",
    "Undefined without positives or without negatives.",
    (Need.POSITIVE, Need.NEGATIVE),
    ("at least 0 and below 1", lambda value: 0 <= value < 1),
)
def tpr_at_fpr(ranking: Ranking, k: Ints, fpr: float) -> Floats:
    """Share of the positives above all but floor({} n-) of the negatives.

    Parameters
    ----------
    fpr : float in [0, 1)
        0 asks for positives above all negatives.

    Examples
    --------
    >>> tpr_at_fpr([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], 0.0), tpr_at_fpr([1, 0], [1.0, 1.0], 0.0)
    (0.5, 0.5)
    """
    sizes, position = np.unique(ranking.n - ranking.n_pos, return_inverse=True)
    exact = Fraction(str(fpr))
    allowed = np.array([int(exact * size) for size in sizes.tolist()])[position][
        ranking.group
    ]
    neg = ranking.size - ranking.pos
    neg_before = ranking.before - ranking.pos_before
    # Of q tied negatives the j-th ends the count, and a tied positive comes before it with chance j/(q + 1).
    before_it = np.clip((allowed - neg_before + 1) / (neg + 1), 0.0, 1.0)
    return (
        ranking.total(
            ranking.pos * np.where(neg_before + neg <= allowed, 1.0, before_it)
        )
        / ranking.n_pos
    )
