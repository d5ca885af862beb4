"""Random splits of items: cross-validation, AATP's windows, one training and test part."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from attop_bench.data.base import DatasetError
from attop_bench.data.builder_parameters import integer
from attop_bench.data.splits.folds import Fold, deal, deal_units, require, shuffled, strata_of, with_inner_folds
from attop.core.typing import Ints

__all__ = ["holdout", "stratified", "windows"]


def stratified(
    y: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    n_folds: int = 5,
    inner_folds: int = 5,
    seed: int,
    unit: Ints | None = None,
) -> list[Fold]:
    """Cross-validate: each fold is tested once, the others train, and are split again for selection.

    Parameters
    ----------
    y : array-like of shape (n,)
        Binary labels.
    groups : array-like of shape (n,), optional
        The positives of each group, and its negatives, are spread over the folds too.
    n_folds, inner_folds : int, at least 2
    seed : int
    unit : ndarray of shape (n,), optional
        Rows of one unit, such as copies of one row, are all tested or all train, as are those of selection.

    Returns
    -------
    folds : list of `n_folds` Fold
        Folds differ by at most one in items, in positives and in either class of a group; with `unit`, in
        units with a positive and in units without.

    Raises
    ------
    DatasetError
        If a class is too small for every part to have it.
    """
    integer("stratified folds", "n_folds", n_folds, 2)
    integer("stratified folds", "inner_folds", inner_folds, 2)
    labels, strata = strata_of(y, groups)
    require(labels, None, n_folds, f"{n_folds} folds", "lower n_folds")
    rng = np.random.default_rng(seed)
    part = deal_units(strata, unit, n_folds, rng)
    for f in range(n_folds) if unit is not None else ():
        require(labels, part == f, 1, f"the test part of fold {f}", "lower n_folds")
    return [
        with_inner_folds(labels, strata, part != f, inner_folds, rng, "lower inner_folds", unit)
        for f in range(n_folds)
    ]


def windows(
    y: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    n_sets: int = 10,
    window: int = 3,
    inner_folds: int = 5,
    seed: int,
) -> list[Fold]:
    """Train on a few consecutive sets and test on all the others, once from each set on (AATP).

    Experiment `f` trains on sets ``f, f + 1, ..., f + window - 1``, counted in a circle.

    Parameters
    ----------
    y, groups
        See `stratified`.
    n_sets : int, at least 2
        Disjoint sets of equal size (to one item), and as many experiments.
    window : int from 1 to ``n_sets - 1``
        Sets to train on.
    inner_folds : int, at least 2
        Stratified folds of the training part, to select the hyper-parameters with.
    seed : int

    Returns
    -------
    folds : list of `n_sets` Fold
        Test parts overlap, as do training parts if `window` is above 1: the experiments are not
        independent.

    Raises
    ------
    DatasetError
        If a class is too small for every part to have it.

    Notes
    -----
    The paper uses 10 sets and a window of 3 on Ionosphere, 20 sets and a window of 1 on Spambase.

    Differences from the paper: it states neither how the sets are drawn nor on which items C is
    selected. Here the sets are random and stratified by label, so that a small class (35 of 506 in
    Housing) is in all of them; C is selected within the training part.

    References
    ----------
    Boyd et al. (2012), section 5.3 and appendix C.
    """
    integer("windows", "n_sets", n_sets, 2)
    integer("windows", "window", window, 1, n_sets - 1)
    integer("windows", "inner_folds", inner_folds, 2)
    labels, strata = strata_of(y, groups)
    rng = np.random.default_rng(seed)
    part = deal(strata, n_sets, rng)
    folds = []
    for f in range(n_sets):
        inside = (part - f) % n_sets < window
        require(labels, ~inside, 1, f"the test part of experiment {f}", "lower n_sets")
        remedy = "lower inner_folds or n_sets, or widen the window"
        folds.append(with_inner_folds(labels, strata, inside, inner_folds, rng, remedy))
    return folds


def holdout(
    y: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    train: float = 0.7,
    stratify: bool = True,
    test: Literal["rest", "train"] = "rest",
    inner_folds: int = 5,
    seed: int,
) -> list[Fold]:
    """Train on some items drawn at random and test on the others.

    Parameters
    ----------
    y, groups
        See `stratified`.
    train : int or float
        Number of training items, or their share in (0, 1).
    stratify : bool
        Draw from the positives and the negatives, and of each group, in proportion.
    test : {"rest", "train"}
        ``"train"`` tests on the training items themselves, of the same draw: for training curves beside
        those of the test.
    inner_folds : int, at least 2
        Stratified folds of the training part, to select the hyper-parameters with.
    seed : int

    Returns
    -------
    folds : list of one Fold
        The training part has exactly the number asked for, of a share the nearest one. With `stratify`
        a class differs by less than two items from its proportion of it.

    Raises
    ------
    DatasetError
        If `train` leaves no item to train or to test on, or a class is too small for every part.

    Notes
    -----
    PREC trains on 70%, drawn anew several times. PUSH (section 5) trains on 300 items of Pima and of
    Housing, 500 of tic-tac-toe and 369 of WDBC, and on 50 of Pima to show where large p fails.

    Differences from the papers: neither says that the draw is stratified; ``stratify=False`` draws
    regardless of labels.
    """
    integer("holdout", "inner_folds", inner_folds, 2)
    if test not in ("rest", "train"):
        raise DatasetError(f"holdout: test must be 'rest' or 'train', got {test!r}")
    labels, codes = strata_of(y, groups)
    n = len(labels)
    whole = isinstance(train, int) and not isinstance(train, bool)
    wanted = train if whole else round(train * n) if isinstance(train, float) and 0 < train < 1 else 0
    if not 0 < wanted < n:
        raise DatasetError(
            f"holdout: train must be a number of items from 1 to {n - 1} or a share in (0, 1), got {train!r}"
        )
    rng = np.random.default_rng(seed)
    inside = np.zeros(n, dtype=bool)
    if stratify:
        # Evenly spaced places in the order by stratum, with a random start: in proportion everywhere.
        place = np.arange(n) * wanted + rng.integers(n)
        inside[shuffled(codes, rng)] = (place + wanted) // n > place // n
    else:
        inside[rng.permutation(n)[:wanted]] = True
    require(labels, ~inside, 1, "the test part", "train on fewer items")
    remedy = "lower inner_folds or train on more items"
    fold = with_inner_folds(labels, codes, inside, inner_folds, rng, remedy)
    return [fold if test == "rest" else replace(fold, test=fold.train)]
