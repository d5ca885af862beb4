"""Conformal selection: a list with a bounded share of wrong rows, or with most of the positives."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln
from scipy.stats import false_discovery_control, hypergeom
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from attop._core.parameters import check_seed, check_share
from attop._core.sample import Label, check_groups, check_labels, check_scores
from attop._core.typing import Bools, Floats, Ints
from attop.metrics._scorer import scores_of_label
from attop.statistics._effective import at_least, largest_design_effect
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
        Scores rows by ``decision_function`` or ``predict_proba``. If left out, X is an array of scores, the
        higher the more likely positive.
    pos_label : str, int, float or bool, optional
        The label of the positive class. Without it labels must be 0/1, -1/+1 or booleans. If it is the first
        of the estimator's ``classes_``, its scores are taken in reverse.

    Attributes
    ----------
    n_calibration_ : int
    positives_, negatives_ : ndarray
        Sorted scores of the calibration rows of each class.
    by_entity_ : bool
        Whether the calibration rows had entities.
    design_effect_ : float
        How many calibration rows are worth one, because those of an entity may be alike; 1 without entities.

    Notes
    -----
    All of it holds for calibration rows and new rows in exchangeable order: drawn alike, and no model
    trained, tuned or chosen on either. It promises nothing under drift, for lists of another kind of rows, or
    for rows that an earlier list led to. Held-out scores of a cross-validation are those of other models:
    calibrate the model you use on rows of their own.

    Rows of one customer, card or machine are not exchangeable one by one. Give `entity`, in `fit` and for
    each list: then it is the entities that are drawn alike, and those of the list must be none of the
    calibration. Their sizes may differ.

    With n calibration rows, of which :math:`N(s)` are negatives with a score of at least s:

    - ``p_values``: :math:`p_j = (1 + N(s_j)) / (n + 1)` (Jin and Candès 2023, with the clipped score). Ties
      count against the row, so nothing is random.
    - ``select``: Benjamini and Hochberg's procedure on them. The false discovery rate, the mean over lists
      of the share of wrong rows (0 in an empty list), is at most `fdr`.
    - ``path``: put calibration and new rows in one order, negatives by score and then positives. The new
      ones are a random subset of the places. So the number of them before the (c + 1)-th calibration row has
      a known joint law over c, which bounds the wrong rows of every cut (Song, Jin and Candès 2026). The
      bounds are equally unlikely to be crossed at each of 60 cuts, their level found from 2,000 drawn orders.

    With entities,

    - ``p_values`` count the whole entity of a row, of which :math:`e_j` rows are in the list and :math:`r_j`
      score as much as it or more: :math:`p_j = (r_j + N(s_j)) / (n + e_j)`. Over the rows of a new entity the
      mean number of p-values of negatives that are at most u is at most u times its size, in samples of any
      size and however alike its rows are;
    - all others take n calibration rows and m new ones as n/d and m/d independent ones that come d at a time.
      The design effect d is that of rows which are wholly alike within an entity: the mean size of the entity
      that a row belongs to, the largest over the heads of both lists. That is exact where entities have one
      size and one score, cautious where their rows differ, and no theorem where sizes do:
      ``studies/claims/entities.py`` measures it.

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

    def __init__(
        self, estimator: Any = None, *, pos_label: Label | None = None
    ) -> None:
        self.estimator = estimator
        self.pos_label = pos_label

    def fit(self, X: Any, y: ArrayLike, *, entity: ArrayLike | None = None) -> Self:
        """Learn the scores of calibration rows.

        Parameters
        ----------
        X : rows as the estimator takes them, or array-like of n scores
        y : array-like of shape (n,)
            Two labels, of which one is `pos_label`.
        entity : array-like of shape (n,), optional
            Customer, card or machine of each row, where rows of one may be alike.

        Raises
        ------
        ValueError
            If labels do not say which is positive, or `pos_label` is none of the estimator's classes. If
            fewer than 20 rows are positive, none is negative, or the entities are so few and large that rows
            are worth less than two.
        """
        labels = check_labels(y, self.pos_label)
        scores = self._scores(X, len(labels))
        codes = (
            None if entity is None else check_groups(entity, len(labels), "entity")
        )
        self.by_entity_ = codes is not None
        self.design_effect_ = (
            1.0 if codes is None else _design_effect(scores, codes, labels)
        )
        self.positives_ = np.sort(scores[labels == 1])
        self.negatives_ = np.sort(scores[labels == 0])
        self.n_calibration_ = len(labels)
        if len(self.positives_) < MIN_POSITIVES or not len(self.negatives_):
            raise ValueError(
                f"at least {MIN_POSITIVES} calibration rows must be positive and one negative, got "
                f"{len(self.positives_)} and {len(self.negatives_)}: set more rows aside"
            )
        if self.n_calibration_ < 2 * self.design_effect_:
            raise ValueError(
                f"the {self.n_calibration_:,} calibration rows are of so few entities that they are worth "
                f"{self.n_calibration_ / self.design_effect_:.2g} independent ones: set more entities aside"
            )
        return self

    def p_values(self, X: Any, *, entity: ArrayLike | None = None) -> Floats:
        """Compute the conformal p-value of "this row is negative" for each row.

        Parameters
        ----------
        X : the whole list
        entity : array-like of shape (m,), optional
            Entity of each row; required if `fit` had those of its rows.
        """
        scores = self._fitted_scores(X)
        codes = self._entities(entity, len(scores))
        as_high, size = (1, 1) if codes is None else _within(scores, codes)
        return (as_high + self._negatives_from(scores)) / (
            self.n_calibration_ + size
        )

    def select(
        self, X: Any, fdr: float = 0.1, *, entity: ArrayLike | None = None
    ) -> Bools:
        """Choose rows of a list such that on average at most a share `fdr` of them is negative.

        Parameters
        ----------
        X : the whole list
        fdr : float
            Between 0 and 1, decided before the list is seen. For a later choice see `path`.
        entity : array-like of shape (m,), optional
            As for `p_values`.

        Returns
        -------
        chosen : ndarray of shape (m,), dtype bool
            Tied rows are chosen together.
        """
        check_share("fdr", fdr)
        return false_discovery_control(self.p_values(X, entity=entity)) <= fdr

    def path(
        self,
        X: Any,
        confidence: float = 0.9,
        random_state: int = 0,
        *,
        entity: ArrayLike | None = None,
    ) -> SelectionPath:
        """Bound the wrong rows of every list that can be cut, all bounds holding at once.

        Parameters
        ----------
        X : the whole list
        confidence : float
            Probability, over calibration rows and list, that no bound is crossed.
        random_state : int
            Of the drawn orders.
        entity : array-like of shape (m,), optional
            As for `p_values`.
        """
        check_share("confidence", confidence)
        check_seed(random_state)
        scores = self._fitted_scores(X)
        together = self._together(scores, entity)
        n = int(self.n_calibration_ / together)
        m = math.ceil(len(scores) / together)
        threshold, size = np.unique(scores, return_counts=True)
        threshold = threshold[::-1]
        size = np.cumsum(size[::-1])
        cuts, most = _envelope(n, m, 1 - confidence, random_state)
        before = np.ceil(self._negatives_from(threshold) / together)
        # All calibration rows may be negatives, except a part of one.
        beyond = np.append(most, m)
        wrong = np.minimum(
            np.ceil(together * beyond[np.searchsorted(cuts, before)]), size
        ).astype(np.int64)
        # A list has no more wrong rows than a longer one.
        wrong = np.minimum.accumulate(wrong[::-1])[::-1]
        # A list has no more right rows than a longer one.
        wrong = size + np.minimum.accumulate(wrong - size)
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
        and their positives binomial; with entities, of as many rows as they are worth. Exact tests, adjusted
        by Holm; the lowest that passes is taken.
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
        worth = 1 / self.design_effect_
        passed = (
            holm(at_least(hits * worth, (hits + misses) * worth, precision))
            <= 1 - confidence
        )
        if not passed.any():
            best = (hits / np.maximum(hits + misses, 1)).max()
            raise ValueError(
                f"no threshold is shown to reach a precision of {precision} with confidence {confidence}: "
                f"the best of {len(self.positives_)} calibration positives has {best:.2f}: lower one of "
                "them, or calibrate with more rows"
            )
        return float(thresholds[passed][0])

    def k_for(
        self,
        X: Any,
        recall: float,
        confidence: float = 0.95,
        *,
        entity: ArrayLike | None = None,
    ) -> int:
        """Find the length of a list that holds at least a share `recall` of its positives.

        Parameters
        ----------
        X : the whole list
        recall, confidence : float
            The share, and the probability over calibration rows and list that it is reached.
        entity : array-like of shape (m,), optional
            As for `p_values`.

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
        together = self._together(scores, entity)
        n_pos = len(self.positives_)
        n = self.n_calibration_
        m = len(scores)
        worth = (int(n_pos / together), int(n / together), math.ceil(m / together))
        j = _lowest_rank(*worth, recall, 1 - confidence)
        if not j:
            of_entities = (
                ""
                if together == 1
                else f", worth {worth[0]} as rows of an entity may be alike"
            )
            raise ValueError(
                f"a recall of {recall} with confidence {confidence} cannot be promised for a list of {m:,} "
                f"rows from {n_pos} calibration positives{of_entities}. In a long list "
                f"{math.ceil(math.log(1 - confidence) / math.log(recall))} are needed, in a short one no "
                "number is enough: lower recall or confidence, or give more rows"
            )
        return int((scores >= self.positives_[int((j - 1) * together)]).sum())

    def _fitted_scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        return self._scores(X, X.shape[0] if hasattr(X, "shape") else len(X))

    def _entities(self, entity: ArrayLike | None, n: int) -> Ints | None:
        """Encode the entities of a list from 0; raise ValueError where they are missing."""
        if entity is not None:
            return check_groups(entity, n, "entity")
        if self.by_entity_:
            raise ValueError(
                "entity is missing: the calibration rows had entities, so give those of the list's rows, "
                "all different if each row is of another"
            )
        return None

    def _together(self, scores: Floats, entity: ArrayLike | None) -> float:
        """Compute the number of rows of calibration and list that are worth one."""
        codes = self._entities(entity, len(scores))
        return (
            self.design_effect_
            if codes is None
            else max(self.design_effect_, _design_effect(scores, codes))
        )

    def _scores(self, X: Any, n: int) -> Floats:
        if self.estimator is None:
            return check_scores(X, n)
        return check_scores(scores_of_label(self.estimator, X, self.pos_label), n)

    def _negatives_from(self, scores: Floats) -> Ints:
        """Count the calibration negatives that score at least as much."""
        return len(self.negatives_) - np.searchsorted(
            self.negatives_, scores, "left"
        )


def _within(scores: Floats, entity: Ints) -> tuple[Ints, Ints]:
    """Count for each row the rows of its entity that score as much or more, and all of them."""
    order = np.lexsort((-scores, entity))
    new_entity = np.diff(entity[order], prepend=-1) != 0
    new_score = new_entity | (np.diff(scores[order], prepend=np.inf) != 0)
    size = np.bincount(entity)[entity]
    start = np.flatnonzero(new_entity)
    blocks = np.flatnonzero(new_score)
    # First position after each block of ties.
    ends = np.append(blocks[1:], len(order))
    as_high = np.empty(len(order), np.int64)
    block = np.cumsum(new_score) - 1
    as_high[order] = ends[block] - start[np.cumsum(new_entity) - 1]
    return as_high, size


def _design_effect(
    scores: Floats, entity: Ints, labels: Ints | None = None
) -> float:
    """Compute the largest design effect of the rows that score highest; with labels, of each class too.

    Negatives count from the highest score, positives from the lowest: these are the wrong and the lost ones.
    """
    falling = np.argsort(-scores, kind="stable")
    orders = [falling]
    if labels is not None:
        orders += [
            falling[labels[falling] == 0],
            falling[::-1][labels[falling[::-1]] == 1],
        ]
    return max(largest_design_effect(entity, order) for order in orders)


def _envelope(n: int, m: int, risk: float, random_state: int) -> tuple[Ints, Ints]:
    """Choose cuts c, and for each the most of m new rows before the (c + 1)-th calibration row of n."""
    cuts = np.unique(np.geomspace(1, n, _CUTS).round().astype(np.int64)) - 1
    shares = np.random.default_rng(random_state).dirichlet(
        np.diff(cuts, prepend=-1, append=n), _DRAWS
    )
    drawn = (
        np.random.default_rng([random_state, 1])
        .multinomial(m, shares)
        .cumsum(axis=1)[:, :-1]
    )
    new = np.arange(m + 1)
    tails = []
    for c in cuts:  # chances of each number of new rows or more
        log = (
            gammaln(new + c + 1)
            - gammaln(new + 1)
            + gammaln(n + m - new - c)
            - gammaln(m - new + 1)
        )
        chance = np.exp(log - log.max())
        tails.append(np.cumsum(chance[::-1])[::-1] / chance.sum())
    least = np.min(
        [tail[count] for tail, count in zip(tails, drawn.T, strict=True)], axis=0
    )
    # The real order is one more of the drawn ones: it has a lower least chance with probability `risk`.
    rank = math.floor(risk * (_DRAWS + 1))
    level = np.partition(least, rank - 1)[rank - 1] if rank else 0.0
    return cuts, np.array(
        [np.searchsorted(-tail, -level, "right") - 1 for tail in tails]
    )


def _lowest_rank(n_pos: int, n: int, m: int, recall: float, risk: float) -> int:
    """Find the largest j so that few of the new positives are below the j-th lowest old one; 0 if none."""
    tail, counts = risk / 20, range(m + 1)
    fewest = bisect_left(
        counts, tail, key=lambda p: hypergeom.sf(n_pos - 1, n + m, n_pos + p, n)
    )
    most = bisect_left(
        counts, True, key=lambda p: hypergeom.cdf(n_pos, n + m, n_pos + p, n) < tail
    )
    p = np.arange(fewest, most)
    may_miss = np.floor((1 - recall) * p + 1e-9)

    def fails(j: int) -> bool:
        return (
            hypergeom.cdf(j - 1, n_pos + p, n_pos, may_miss + j).max(initial=0)
            > 0.9 * risk
        )

    return bisect_left(range(1, n_pos + 1), True, key=fails)
