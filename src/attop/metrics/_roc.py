"""The ROC curve and the area under it, of the whole list and of the top alone."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attop._core.sample import Label, check_labels, check_scores
from attop._core.top import Top
from attop._core.typing import Floats, Ints, TopLike
from attop.metrics._metric import EXPECTED, Need, Ties, UndefinedMetricError, metric
from attop.metrics._ranking import Ranking


@metric(
    "auc",
    "AUC",
    "Undefined without positives or without negatives.",
    (Need.POSITIVE, Need.NEGATIVE),
    ties=EXPECTED + "; a tied pair counts one half",
    weighted=True,
)
def auc(ranking: Ranking, k: Ints, ties: Ties = "expected") -> Floats:
    """Share of the pairs of a positive and a negative in which the positive has the higher score.

    With weights a pair counts their product, so that an item of weight 2 is there twice.

    Examples
    --------
    >>> auc([1, 0, 1, 0], [3.0, 2.0, 2.0, 1.0])
    0.875
    >>> auc([1, 0, 1, 0], [3.0, 2.0, 2.0, 1.0], ties="error")
    0.75
    """
    above = np.cumsum(ranking.gain) - ranking.gain
    above = above - above[ranking.first][ranking.group]
    pairs = ranking.loss * (above if ties == "error" else above + ranking.gain / 2)
    return ranking.total(pairs) / (
        ranking.total(ranking.gain) * ranking.total(ranking.loss)
    )


def auc_at_k(
    y_true: ArrayLike,
    y_score: ArrayLike,
    top: TopLike,
    *,
    pos_label: Label | None = None,
) -> float:
    """AUC among the k items of highest score: how well the top itself is ordered.

    Parameters
    ----------
    y_true, y_score, top, pos_label
        As for `precision_at_k`.

    Returns
    -------
    auc : float in [0, 1]
        The exact expectation over a uniformly random order of tied items, among the orders that bring both
        classes into the top.

    Raises
    ------
    UndefinedMetricError
        If no order of tied items brings a positive and a negative among the first k.
    ValueError
        If an argument is malformed, or k is above n.

    Notes
    -----
    It depends on which items are at the top, and so says nothing of two rankings with other items there;
    Hiranandani et al. (2020, section 7.1) report it where precision@k is the same. It is not a metric of the
    registry: whether it is defined depends on the scores.

    Examples
    --------
    >>> auc_at_k([1, 0, 1, 0, 1], [5.0, 4.0, 3.0, 2.0, 1.0], 3)
    0.5
    """
    labels = check_labels(y_true, pos_label)
    n = len(labels)
    n_pos = int(labels.sum())
    ranking = Ranking.of_list(labels, check_scores(y_score, n))
    k = Top.of(top).resolve(n, n_pos)
    cut = int(ranking.cut_block(np.array([k]))[0])
    pos, neg = ranking.pos, ranking.size - ranking.pos
    correct = float((neg * (ranking.pos_before + pos / 2))[:cut].sum())
    above = int(ranking.pos_before[cut])
    below = int(ranking.before[cut]) - above
    p = int(pos[cut])
    q = int(neg[cut])
    places = k - int(ranking.before[cut])
    total = chance = 0.0
    # Positives of the cut block that get a place.
    for a in range(max(0, places - q), min(places, p) + 1):
        b = places - a
        if above + a and below + b:
            odds = math.comb(p, a) * math.comb(q, b) / math.comb(p + q, places)
            chance += odds
            total += (
                odds * (correct + b * (above + a / 2)) / ((above + a) * (below + b))
            )
    if not chance:
        raise UndefinedMetricError(
            "one class at the top",
            f"auc@k is undefined: the {k} highest-scoring items are all of one class: raise k",
        )
    return total / chance


class RocPoints(NamedTuple):
    """False and true positives when the list is cut after each block of tied scores.

    Attributes
    ----------
    fp, tp : ndarray of shape (n_thresholds + 1,)
        Counts, from (0, 0) to (n-, n+).
    """

    fp: Ints | Floats
    tp: Ints | Floats

    def rates(self) -> tuple[Floats, Floats]:
        """Compute false and true positive rates, both in [0, 1].

        Raises
        ------
        UndefinedMetricError
            If there is no positive or no negative.
        """
        for counts, what in ((self.tp, "positive"), (self.fp, "negative")):
            if counts[-1] == 0:
                raise UndefinedMetricError(
                    f"no {what}",
                    f"ROC rates are undefined: no {what} to divide by; use the counts instead",
                )
        return self.fp / self.fp[-1], self.tp / self.tp[-1]

    def hits(self, k: ArrayLike) -> Floats:
        """Compute the positives expected among the first k items: precision@k times k.

        Ties are in random order, so that between two points the hits are on a straight line.
        """
        return np.interp(np.asarray(k, float), self.fp + self.tp, self.tp)


def roc_points(
    y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Label | None = None
) -> RocPoints:
    """Compute the points of the ROC curve as counts, as plotted by Rudin (2005), section 5.

    Joined by straight lines they are the curve expected over a uniformly random order of tied items; its
    area is `auc` times n+ n-.

    Parameters
    ----------
    y_true, y_score, pos_label
        As for `auc`.

    Examples
    --------
    >>> points = roc_points([1, 0, 1, 0], [3.0, 2.0, 2.0, 1.0])
    >>> points.fp.tolist(), points.tp.tolist()
    ([0, 0, 1, 2], [0, 1, 2, 2])
    """
    labels = check_labels(y_true, pos_label)
    ranking = Ranking.of(labels, check_scores(y_score, len(labels)))
    tp = np.concatenate([[0], np.cumsum(ranking.pos)])
    fp = np.concatenate([[0], np.cumsum(ranking.size - ranking.pos)])
    return RocPoints(fp, tp)
