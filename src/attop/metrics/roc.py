"""Points of the ROC curve, as counts and as rates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attop.core.sample import check_labels
from attop.core.typing import Floats, Ints
from attop.metrics.metric import UndefinedMetricError
from attop.metrics.ranking import Ranking, check_scores

__all__ = ["RocPoints", "roc_points"]


class RocPoints(NamedTuple):
    """False and true positives when the list is cut after each block of tied scores.

    Attributes
    ----------
    fp, tp : ndarray of shape (n_thresholds + 1,), dtype int64
        Counts, from (0, 0) to (n-, n+).
    """

    fp: Ints
    tp: Ints

    def rates(self) -> tuple[Floats, Floats]:
        """Return false and true positive rates, both in [0, 1].

        Raises
        ------
        UndefinedMetricError
            If there is no positive or no negative.
        """
        for counts, what in ((self.tp, "positive"), (self.fp, "negative")):
            if counts[-1] == 0:
                raise UndefinedMetricError(
                    f"no {what}", f"ROC rates are undefined: no {what} to divide by; use the counts instead"
                )
        return self.fp / self.fp[-1], self.tp / self.tp[-1]


def roc_points(y_true: ArrayLike, y_score: ArrayLike) -> RocPoints:
    """Return the points of the ROC curve as counts, as plotted by Rudin (2005), section 5.

    Joined by straight lines they are the curve expected over a uniformly random order of tied items; its
    area is `auc` times n+ n-.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Binary labels, see `attop.core.sample.check_labels`.
    y_score : array-like of shape (n,)
        Finite; the higher, the nearer the top.

    Returns
    -------
    RocPoints

    Raises
    ------
    ValueError
        If `y_true` or `y_score` are malformed.

    Examples
    --------
    >>> points = roc_points([1, 0, 1, 0], [3.0, 2.0, 2.0, 1.0])
    >>> points.fp.tolist(), points.tp.tolist()
    ([0, 0, 1, 2], [0, 1, 2, 2])
    """
    labels = check_labels(y_true)
    ranking = Ranking.of(labels, check_scores(y_score, len(labels)))
    tp = np.concatenate([[0], np.cumsum(ranking.pos)])
    fp = np.concatenate([[0], np.cumsum(ranking.size - ranking.pos)])
    return RocPoints(fp, tp)
