"""Folds for cross-fitting: stratified, groups kept together, two of each class in every one."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from attop.core.typing import Ints

__all__ = ["Fold", "deal_folds"]

#: Rows to train on and rows held out.
Fold = tuple[Ints, Ints]


def deal_folds(cv: Any, y: Ints, groups: Ints | None, chance: np.random.RandomState) -> list[Fold]:
    """Deal the rows to `cv` folds.

    Parameters
    ----------
    cv : int, at least 2
    y : ndarray of shape (n,)
        0 and 1.
    groups : ndarray of shape (n,) or None
        Codes 0 .. n_groups - 1; a group is in one fold. One group of all is as none.
    chance : RandomState

    Returns
    -------
    folds : list of (train, test)
        Each row is in one test part.

    Raises
    ------
    ValueError
        If a fold would hold fewer than two positives or negatives: one alone says next to nothing of the
        top, and what is trained without it may be left with none.
    """
    if isinstance(cv, bool) or not isinstance(cv, (int, np.integer)) or cv < 2:
        raise ValueError(f"cv must be an integer of at least 2, got {cv!r}")
    n_pos, n_neg = int(y.sum()), int(len(y) - y.sum())
    if min(n_pos, n_neg) < 2 * cv:
        raise ValueError(
            f"each of the {cv} folds needs two positives and two negatives, but y holds {n_pos} positives "
            f"and {n_neg} negatives: lower cv, or train on more rows"
        )
    if groups is None or groups.max() == 0:
        return list(StratifiedKFold(cv, shuffle=True, random_state=chance).split(y, y))
    n_groups = int(groups.max()) + 1
    if n_groups < cv:
        raise ValueError(f"{cv} folds of whole groups need at least {cv} groups, got {n_groups}: lower cv")
    folds = list(StratifiedGroupKFold(cv, shuffle=True, random_state=chance).split(y, y, groups))
    least = min((np.bincount(y[test], minlength=2) for _, test in folds), key=min)
    if min(least) < 2:
        raise ValueError(
            f"a fold of whole groups holds {least[1]} positives and {least[0]} negatives, but needs two of "
            "each: lower cv, or use groups none of which holds most of a class"
        )
    return folds
