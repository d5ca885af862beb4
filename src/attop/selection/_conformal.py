"""Conformal selection: a list with at most so many wrong, or with most of the positives."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln
from scipy.stats import binom, false_discovery_control, hypergeom
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from attop._core.parameters import check_seed, check_share
from attop._core.sample import check_labels, check_scores
from attop._core.typing import Floats, Ints
from attop.metrics._scorer import scores_of
from attop.statistics._ranks import holm

#: Calibration positives below which nothing is promised.
MIN_POSITIVES = 20
_DRAWS, _CUTS = 2000, 60


@dataclass(frozen=True)
class SelectionPath:
    """The lists that can be cut, one a distinct score, and how many of their rows are wrong at most.

    Attributes
    ----------
    size, wrong : ndarray of shape (m,)
        Rows of the list, rising, and the bound on its negatives.
    threshold : ndarray of shape (m,)
        Rows of at least this score are in it.
    """

    size: Ints
    wrong: Ints
    threshold: Floats


class ConformalSelector(BaseEstimator):
    r"""Select rows of a new list with a guarantee that needs no right model.

    Parameters
    ----------
    estimator : fitted classifier, optional
        Scores rows by ``decision_function`` or ``predict_proba``. If left out, X is an array of scores.

    Attributes
    ----------
    n_calibration_ : int
    positives_, negatives_ : ndarray
        Sorted scores of the calibration rows of each class.

    Notes
    -----
    All of it holds for calibration rows and new rows in exchangeable order: drawn alike, and no model
    trained, tuned or chosen on either. It promises nothing under drift, for lists of another kind of rows, or
    for rows that an earlier list led to. Held-out scores of a cross-validation are those of other models:
    calibrate the model you use on rows of their own.

    With n calibration rows, of which :math:`N(s)` are negatives with a score of at least s:

    - ``p_values``: :math:`p_j = (1 + N(s_j)) / (n + 1)` (Jin and Candès 2023, with the clipped score). Ties
      count against the row, so nothing is random.
    - ``select``: Benjamini and Hochberg's procedure on them. The false discovery rate, the mean over lists
      of the share of wrong rows (0 in an empty list), is at most `fdr`.
    - ``path``: put calibration and new rows in one order, negatives by score and then positives. The new
      ones are a random subset of the places. So the number of them before the (c + 1)-th calibration row has
      a known joint law over c, which bounds the wrong rows of every cut (Song, Jin and Candès 2026). The
      bounds are equally unlikely to be crossed at each of 60 cuts, their level found from 2,000 drawn orders.

    Differences from the papers: ties are not broken at random. The path of Zhu and Simeone (2026, arXiv
    2604.11305) bounds a mean ratio of shares; this one bounds a number of rows, with a probability.

    References
    ----------
    Jin and Candès (2023), "Selection by prediction with conformal p-values", Journal of Machine Learning
    Research 24. Song, Jin and Candès (2026), "Everywhere valid bounds on false discovery proportions in
    conformal inference", arXiv 2605.20726.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(4000) < 0.1
    >>> scores = rng.normal(size=4000) + 3 * y
    >>> selector = ConformalSelector().fit(scores[:2000], y[:2000])
    >>> chosen = selector.select(scores[2000:], fdr=0.2)
    >>> int(chosen.sum()), int((chosen & ~y[2000:]).sum())
    (221, 47)
    """

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn the scores of calibration rows.

        Parameters
        ----------
        X : rows as the estimator takes them, or array-like of n scores
        y : array-like of shape (n,)
            Two labels, as 0/1, -1/+1 or booleans.

        Raises
        ------
        ValueError
            If fewer than 20 rows are positive, or none is negative.
        """
        labels = check_labels(y)
        scores = self._scores(X, len(labels))
        self.positives_, self.negatives_ = np.sort(scores[labels == 1]), np.sort(scores[labels == 0])
        self.n_calibration_ = len(labels)
        if len(self.positives_) < MIN_POSITIVES or not len(self.negatives_):
            raise ValueError(
                f"at least {MIN_POSITIVES} calibration rows must be positive and one negative, got "
                f"{len(self.positives_)} and {len(self.negatives_)}: set more rows aside"
            )
        return self

    def p_values(self, X: Any) -> Floats:
        """Return the conformal p-value of "this row is negative" for each row."""
        return (1 + self._negatives_from(self._fitted_scores(X))) / (self.n_calibration_ + 1)

    def select(self, X: Any, fdr: float = 0.1) -> NDArray[np.bool_]:
        """Choose rows of a list such that on average at most a share `fdr` of them is negative.

        Parameters
        ----------
        X : the whole list
        fdr : float
            Between 0 and 1, decided before the list is seen. For a later choice see `path`.

        Returns
        -------
        chosen : ndarray of shape (m,), dtype bool
            Tied rows are chosen together.
        """
        check_share("fdr", fdr)
        return false_discovery_control(self.p_values(X)) <= fdr

    def path(self, X: Any, confidence: float = 0.9, random_state: int = 0) -> SelectionPath:
        """Bound the wrong rows of every list that can be cut, all bounds holding at once.

        Parameters
        ----------
        X : the whole list
        confidence : float
            Probability, over calibration rows and list, that no bound is crossed.
        random_state : int
            Of the drawn orders.
        """
        check_share("confidence", confidence)
        check_seed(random_state)
        scores = self._fitted_scores(X)
        threshold, size = np.unique(scores, return_counts=True)
        threshold, size = threshold[::-1], np.cumsum(size[::-1])
        cuts, most = _envelope(self.n_calibration_, len(scores), 1 - confidence, random_state)
        before = self._negatives_from(threshold)
        wrong = np.minimum(most[np.searchsorted(cuts, before)], size)
        wrong = np.minimum.accumulate(wrong[::-1])[::-1]  # a list has no more than a longer one
        wrong = size + np.minimum.accumulate(wrong - size)  # nor more right ones than that
        return SelectionPath(size, wrong, threshold)

    def threshold_for(self, precision: float, confidence: float = 0.9) -> float:
        """Find the lowest score above which rows are positive at least so often.

        Parameters
        ----------
        precision : float
            Of all rows to come that score above the threshold. A single list varies about it.
        confidence : float
            Probability, over calibration rows, that it is reached.

        Returns
        -------
        threshold : float
            Take rows that score above it.

        Raises
        ------
        ValueError
            If no threshold is shown to reach it.

        Notes
        -----
        Thirty thresholds, the r-th highest scores. Given one of them the rows above are independent draws,
        and their positives binomial. Exact tests, adjusted by Holm; the lowest that passes is taken.
        """
        check_share("precision", precision)
        check_share("confidence", confidence)
        check_is_fitted(self)
        scores = np.sort(np.concatenate([self.positives_, self.negatives_]))
        places = np.geomspace(10, len(scores), 30).round().astype(int)
        thresholds = np.unique(scores[-places[places <= len(scores)]])
        hits, misses = (
            len(part) - np.searchsorted(part, thresholds, "right")
            for part in (self.positives_, self.negatives_)
        )
        passed = holm(binom.sf(hits - 1, hits + misses, precision)) <= 1 - confidence
        if not passed.any():
            best = (hits / np.maximum(hits + misses, 1)).max()
            raise ValueError(
                f"no threshold is shown to reach a precision of {precision} with confidence {confidence}: "
                f"the best of {len(self.positives_)} calibration positives has {best:.2f}: lower one of "
                "them, or calibrate with more rows"
            )
        return float(thresholds[passed][0])

    def k_for(self, X: Any, recall: float, confidence: float = 0.95) -> int:
        """Find the length of a list that holds at least a share `recall` of its positives.

        Parameters
        ----------
        X : the whole list
        recall, confidence : float
            The share, and the probability over calibration rows and list that it is reached.

        Returns
        -------
        k : int
            The k highest rows, ties included.

        Raises
        ------
        ValueError
            If there are too few calibration positives, or too few are to be expected in the list.

        Notes
        -----
        The threshold is the j-th lowest calibration positive. Given both numbers of positives their order is
        random, so that the new ones below it follow a negative hypergeometric law. The number of new ones is
        known up to an interval (hypergeometric, a tenth of the risk); j is the largest that does for all.
        """
        check_share("recall", recall)
        check_share("confidence", confidence)
        scores = self._fitted_scores(X)
        n_pos, m = len(self.positives_), len(scores)
        j = _lowest_rank(n_pos, self.n_calibration_, m, recall, 1 - confidence)
        if not j:
            raise ValueError(
                f"a recall of {recall} with confidence {confidence} cannot be promised for a list of {m:,} "
                f"rows from {n_pos} calibration positives. In a long list "
                f"{math.ceil(math.log(1 - confidence) / math.log(recall))} are needed, in a short one no "
                "number is enough: lower recall or confidence, or give more rows"
            )
        return int((scores >= self.positives_[j - 1]).sum())

    def _fitted_scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        return self._scores(X, X.shape[0] if hasattr(X, "shape") else len(X))

    def _scores(self, X: Any, n: int) -> Floats:
        return check_scores(X if self.estimator is None else scores_of(self.estimator, X), n)

    def _negatives_from(self, scores: Floats) -> Ints:
        """Count the calibration negatives that score at least as much."""
        return len(self.negatives_) - np.searchsorted(self.negatives_, scores, "left")


def _envelope(n: int, m: int, risk: float, random_state: int) -> tuple[Ints, Ints]:
    """Return cuts c, and for each the most of m new rows before the (c + 1)-th of n calibration rows."""
    cuts = np.unique(np.geomspace(1, n, _CUTS).round().astype(np.int64)) - 1
    shares = np.random.default_rng(random_state).dirichlet(np.diff(cuts, prepend=-1, append=n), _DRAWS)
    drawn = np.random.default_rng([random_state, 1]).multinomial(m, shares).cumsum(axis=1)[:, :-1]
    new, tails = np.arange(m + 1), []
    for c in cuts:  # chances of so many new rows or more
        log = gammaln(new + c + 1) - gammaln(new + 1) + gammaln(n + m - new - c) - gammaln(m - new + 1)
        chance = np.exp(log - log.max())
        tails.append(np.cumsum(chance[::-1])[::-1] / chance.sum())
    least = np.min([tail[found] for tail, found in zip(tails, drawn.T, strict=True)], axis=0)
    # The real order is one more of the drawn ones: it has a lower least chance with probability `risk`.
    rank = math.floor(risk * (_DRAWS + 1))
    level = np.partition(least, rank - 1)[rank - 1] if rank else 0.0
    return cuts, np.array([np.searchsorted(-tail, -level, "right") - 1 for tail in tails])


def _lowest_rank(n_pos: int, n: int, m: int, recall: float, risk: float) -> int:
    """Return the largest j so that few of the new positives are below the j-th lowest old one; 0 if none."""
    tail, counts = risk / 20, range(m + 1)
    fewest = bisect_left(counts, tail, key=lambda p: hypergeom.sf(n_pos - 1, n + m, n_pos + p, n))
    most = bisect_left(counts, True, key=lambda p: hypergeom.cdf(n_pos, n + m, n_pos + p, n) < tail)
    p = np.arange(fewest, most)
    may_miss = np.floor((1 - recall) * p + 1e-9)

    def fails(j: int) -> bool:
        return hypergeom.cdf(j - 1, n_pos + p, n_pos, may_miss + j).max(initial=0) > 0.9 * risk

    return bisect_left(range(1, n_pos + 1), True, key=fails)
