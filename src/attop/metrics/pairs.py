"""Correctly ranked pairs of the highest positives and the highest negatives.

AUC, pAUC(0, k/n-] and pAp@k count the same thing over different selections.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from attop.core.typing import Floats, Ints
from attop.metrics.ranking import Ranking

__all__ = ["Ties", "correct_pairs"]

Ties = Literal["expected", "error", "half"]


def correct_pairs(ranking: Ranking, n_top_pos: Ints, n_top_neg: Ints, ties: Ties = "expected") -> Floats:
    r"""Count the correctly ranked pairs among the highest positives and the highest negatives.

    Parameters
    ----------
    ranking : Ranking
    n_top_pos, n_top_neg : ndarray of shape (n_groups,)
        How many of the highest positives and negatives are paired in each group.
    ties : {"expected", "error", "half"}
        Whether a tied pair counts as in a uniformly random order of tied items, not at all, or as one
        half. Under ``"error"`` and ``"half"`` the pairs depend on scores alone: which of several tied
        items is selected makes no difference. Under ``"expected"`` the order that ranks a pair also selects
        the items, so that the chance of a tied pair need not be one half: of tied negatives the first
        ones are selected, and fewer positives come before those.

    Returns
    -------
    pairs : ndarray of shape (n_groups,)

    Raises
    ------
    ValueError
        If `ties` is none of the three.
    """
    if ties not in ("expected", "error", "half"):
        raise ValueError(f"ties must be 'expected', 'error' or 'half', got {ties!r}")
    neg, neg_before = ranking.size - ranking.pos, ranking.before - ranking.pos_before
    top_pos, top_neg = n_top_pos[ranking.group], n_top_neg[ranking.group]
    selected_pos = np.clip(top_pos - ranking.pos_before, 0, ranking.pos)
    selected_neg = np.clip(top_neg - neg_before, 0, neg)
    above = ranking.total(selected_neg * np.minimum(ranking.pos_before, top_pos))
    if ties == "error":
        return above.astype(np.float64)
    if ties == "half":
        return above + ranking.total(selected_pos * selected_neg) / 2
    return above + ranking.total(_expected_tied(ranking.pos, neg, selected_pos, selected_neg))


def _expected_tied(p: Ints, q: Ints, a: Ints, c: Ints) -> Floats:
    """Expected pairs of tied items: the first `a` of `p` positives, the first `c` of `q` negatives.

    With ``a = p`` each positive has its own uniform place among the q negatives, with ``c = q`` each
    negative among the p positives; at most one block of a group is cut through both.
    """
    pairs = np.where(a == p, p * (c * (c + 1) / (2 * (q + 1))), c * (a * (2 * p - a + 1) / (2 * (p + 1))))
    for block in np.flatnonzero((a > 0) & (a < p) & (c > 0) & (c < q)):
        pairs[block] = _expected_cut(int(p[block]), int(q[block]), int(a[block]), int(c[block]))
    return pairs


def _expected_cut(p: int, q: int, a: int, c: int) -> float:
    """Do as `_expected_tied` for one block: condition on the v negatives before the a-th positive.

    v is negative hypergeometric. Given v, each of the a - 1 earlier positives has a uniform place among
    these v negatives, and is in (c - negatives before it)+ pairs.
    """
    v = np.arange(q + 1)
    odds = (a + v[:-1]) * (q - v[:-1]) / ((v[:-1] + 1) * (p + q - a - v[:-1]))
    log_chance = np.concatenate([[0.0], np.cumsum(np.log(odds))])
    chance = np.exp(log_chance - log_chance.max())
    pairs = np.where(v <= c, a * c - v * (a + 1) / 2, (a - 1) * (c * (c + 1) / (2 * (v + 1))))
    return float(chance @ pairs / chance.sum())
