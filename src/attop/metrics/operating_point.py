"""One point of a curve: precision at a recall, recall at a precision, true positives at false positives."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop.core.typing import Floats, Ints
from attop.metrics.family import Family
from attop.metrics.metric import EXPECTED, Metric, Need
from attop.metrics.ranking import Ranking

__all__ = ["precision_at_recall", "recall_at_precision", "tpr_at_fpr"]


#: For metrics that are a maximum over thresholds: a mean over the orders of tied items would be a value that
#: no threshold reaches.
THRESHOLD = "a threshold takes all of tied items or none"
#: Denominators up to which a given share is taken as the decimal it is written as.
_FINEST = 10**9


def _cuts(ranking: Ranking) -> tuple[Ints, Ints]:
    """Positives and items above every threshold that tells scores apart, one per block."""
    return ranking.pos_before + ranking.pos, ranking.before + ranking.size


def _reaches(part: Ints, whole: Ints, share: float) -> NDArray[np.bool_]:
    """Tell where ``part / whole >= share``, the decimal that was written, without rounding."""
    exact = Fraction(str(share)).limit_denominator(_FINEST)
    return part * exact.denominator >= exact.numerator * whole


def _recall_at_precision(ranking: Ranking, k: Ints, precision: float) -> Floats:
    found, items = _cuts(ranking)
    counted = np.where(_reaches(found, items, precision), found, 0)
    return np.maximum.reduceat(counted, ranking.first) / ranking.n_pos


def _precision_at_recall(ranking: Ranking, k: Ints, recall: float) -> Floats:
    found, items = _cuts(ranking)
    counted = np.where(_reaches(found, ranking.n_pos[ranking.group], recall), found / items, 0.0)
    return np.maximum.reduceat(counted, ranking.first)


def _tpr_at_fpr(ranking: Ranking, k: Ints, fpr: float) -> Floats:
    sizes, position = np.unique(ranking.n - ranking.n_pos, return_inverse=True)
    exact = Fraction(str(fpr))
    allowed = np.array([int(exact * size) for size in sizes.tolist()])[position][ranking.group]
    neg, neg_before = ranking.size - ranking.pos, ranking.before - ranking.pos_before
    # Of q tied negatives the j-th ends the count, and a tied positive comes before it with chance j/(q + 1).
    before_it = np.clip((allowed - neg_before + 1) / (neg + 1), 0.0, 1.0)
    return ranking.total(ranking.pos * np.where(neg_before + neg <= allowed, 1.0, before_it)) / ranking.n_pos


def _recall_at_precision_of(precision: float) -> Metric:
    return Metric(
        name=f"recall@precision-{precision:.12g}",
        title=f"Recall@P≥{precision:.12g}",
        definition=f"Greatest recall over the thresholds with a precision of at least {precision:.12g}.",
        bounds=(0.0, 1.0),
        ties=THRESHOLD,
        edge_cases="Undefined without positives; 0 where no threshold has the precision.",
        needs=(Need.POSITIVE,),
        kernel=_recall_at_precision,
        parameter=("precision", precision),
    )


def _precision_at_recall_of(recall: float) -> Metric:
    return Metric(
        name=f"precision@recall-{recall:.12g}",
        title=f"Precision@R≥{recall:.12g}",
        definition=f"Greatest precision over the thresholds with a recall of at least {recall:.12g}.",
        bounds=(0.0, 1.0),
        ties=THRESHOLD,
        edge_cases="Undefined without positives; at least the share of positives.",
        needs=(Need.POSITIVE,),
        kernel=_precision_at_recall,
        parameter=("recall", recall),
    )


def _tpr_at_fpr_of(fpr: float) -> Metric:
    return Metric(
        name=f"tpr@fpr-{fpr:.12g}",
        title=f"TPR@FPR≤{fpr:.12g}",
        definition=f"Share of the positives above all but floor({fpr:.12g} n-) of the negatives.",
        bounds=(0.0, 1.0),
        ties=EXPECTED,
        edge_cases="Undefined without positives or without negatives.",
        needs=(Need.POSITIVE, Need.NEGATIVE),
        kernel=_tpr_at_fpr,
        parameter=("fpr", fpr),
    )


def _up_to_one(value: float) -> bool:
    return 0 < value <= 1


def _below_one(value: float) -> bool:
    return 0 <= value < 1


RECALL_AT_PRECISION = Family(
    "recall@precision-{}", "precision", _recall_at_precision_of, "above 0 and at most 1", _up_to_one
)
PRECISION_AT_RECALL = Family(
    "precision@recall-{}", "recall", _precision_at_recall_of, "above 0 and at most 1", _up_to_one
)
TPR_AT_FPR = Family("tpr@fpr-{}", "fpr", _tpr_at_fpr_of, "at least 0 and below 1", _below_one)


def recall_at_precision(y_true: ArrayLike, y_score: ArrayLike, precision: float) -> float:
    """Greatest recall among the thresholds whose precision is at least `precision`.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Binary labels, see `attop.core.sample.check_labels`.
    y_score : array-like of shape (n,)
        Finite; the higher, the nearer the top.
    precision : float in (0, 1]

    Returns
    -------
    recall : float in [0, 1]
        A threshold takes all of tied items or none; 0 where none has the precision.

    Raises
    ------
    UndefinedMetricError
        If there is no positive.
    ValueError
        If an argument is malformed.

    Examples
    --------
    >>> recall_at_precision([1, 0, 1, 0, 1], [5.0, 4.0, 3.0, 2.0, 1.0], 0.6)
    1.0
    """
    return RECALL_AT_PRECISION.at(precision).value(y_true, y_score)


def precision_at_recall(y_true: ArrayLike, y_score: ArrayLike, recall: float) -> float:
    """Greatest precision among the thresholds whose recall is at least `recall`.

    Parameters
    ----------
    y_true, y_score
        As for `recall_at_precision`.
    recall : float in (0, 1]

    Returns
    -------
    precision : float in (0, 1]
        A threshold takes all of tied items or none.

    Raises
    ------
    UndefinedMetricError
        If there is no positive.
    ValueError
        If an argument is malformed.

    Examples
    --------
    >>> precision_at_recall([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], 1.0)
    0.6666666666666666
    """
    return PRECISION_AT_RECALL.at(recall).value(y_true, y_score)


def tpr_at_fpr(y_true: ArrayLike, y_score: ArrayLike, fpr: float) -> float:
    """Share of the positives found before more than a share `fpr` of the negatives is.

    Parameters
    ----------
    y_true, y_score
        As for `recall_at_precision`.
    fpr : float in [0, 1)
        ``floor(fpr * n-)`` negatives may come before; 0 asks for positives above all negatives.

    Returns
    -------
    tpr : float in [0, 1]
        Expectation over a uniformly random order of tied items.

    Raises
    ------
    UndefinedMetricError
        If there is no positive or no negative.
    ValueError
        If an argument is malformed.

    Examples
    --------
    >>> tpr_at_fpr([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], 0.0), tpr_at_fpr([1, 0], [1.0, 1.0], 0.0)
    (0.5, 0.5)
    """
    return TPR_AT_FPR.at(fpr).value(y_true, y_score)
