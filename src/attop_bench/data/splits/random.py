"""Protocols that draw rows, groups or entities at random, or take the parts the data come in.

In all of them `y` are binary labels of shape (n,), `groups` the list of each row, and `inner_folds`, at least
2, the folds of each training part that select the hyper-parameters. They raise a ValueError if an option is
out of range or a part would lack positives or negatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop.experiment import (
    Fold,
    assign_by,
    assign_folds,
    fold_of,
    require_classes,
    shuffled,
    strata_of,
)
from attop.extending import Ints, check_groups, check_labels
from attop_bench.data.errors import DatasetError
from attop_bench.data.parameters import integer


def windows(
    y: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    n_sets: int = 10,
    window: int = 3,
    inner_folds: int = 5,
    seed: int,
    duplicate_group: Ints | None = None,
) -> list[Fold]:
    """Train on a few consecutive sets and test on all the others, once from each set on (AATP).

    Experiment `f` trains on sets ``f, f + 1, ..., f + window - 1``, counted in a circle. Test parts
    overlap, as do training parts if `window` is above 1: the experiments are not independent.

    Parameters
    ----------
    n_sets : int, at least 2
        Disjoint sets of equal size (to one item), and as many experiments.
    window : int from 1 to ``n_sets - 1``
        Sets to train on.

    Notes
    -----
    The paper uses 10 sets and a window of 3 on Ionosphere, 20 sets and a window of 1 on Spambase.

    Differences from the paper: it states neither how the sets are drawn nor on which items C is selected.
    Here the sets are stratified by label, and C is selected within the training part.

    References
    ----------
    Boyd et al. (2012), section 5.3 and appendix C.
    """
    integer("windows", "n_sets", n_sets, 2)
    integer("windows", "window", window, 1, n_sets - 1)
    labels, strata = strata_of(y, groups)
    rng = np.random.default_rng(seed)
    part = assign_folds(strata, n_sets, rng, duplicate_group)
    assign = assign_by(strata, None, rng, duplicate_group)
    folds = []
    for f in range(n_sets):
        inside = (part - f) % n_sets < window
        train, test = np.flatnonzero(inside), np.flatnonzero(~inside)
        require_classes(
            labels[test], f"the test part of experiment {f}", "lower n_sets"
        )
        remedy = "lower inner_folds or n_sets, widen the window"
        folds.append(fold_of(labels, train, test, inner_folds, assign, remedy))
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
    duplicate_group: Ints | None = None,
) -> list[Fold]:
    """Train on some items drawn at random and test on the others: one fold.

    Parameters
    ----------
    train : int or float
        Number of training items, or their share in (0, 1).
    stratify : bool
        Draw from the positives and the negatives, and of each group, in proportion, to less than two items.
    test : {"rest", "train"}
        ``"train"`` tests on the training items of the same draw, for training curves.
    duplicate_group : ndarray of shape (n,), optional
        Rows of one are drawn together: of these groups so large a share is drawn as `train` is of the rows.

    Notes
    -----
    PREC trains on 70%, drawn several times. PUSH (section 5) trains on 300 items of Pima and of
    Housing, 500 of tic-tac-toe and 369 of WDBC, and on 50 of Pima to show where large p fails. Neither says
    that the draw is stratified.
    """
    if test not in ("rest", "train"):
        raise DatasetError(f"holdout: test must be 'rest' or 'train', got {test!r}")
    labels, codes = strata_of(y, groups)
    n = len(labels)
    wanted = _count_of(train, n)
    if not 0 < wanted < n:
        raise DatasetError(
            f"holdout: train must be a number of items from 1 to {n - 1} or a share in (0, 1), got {train!r}"
        )
    rng = np.random.default_rng(seed)
    if duplicate_group is None:
        inside = _drawn(codes, wanted, stratify, rng)
    else:
        stratum, index = _units(codes, duplicate_group)
        of_units = min(max(round(wanted / n * len(stratum)), 1), len(stratum) - 1)
        inside = _drawn(stratum, of_units, stratify, rng)[index]
    require_classes(labels[~inside], "the test part", "train on fewer items")
    remedy = "lower inner_folds, train on more items"
    rows, rest = np.flatnonzero(inside), np.flatnonzero(~inside)
    assign = assign_by(codes, None, rng, duplicate_group)
    fold = fold_of(labels, rows, rest, inner_folds, assign, remedy)
    return [fold if test == "rest" else replace(fold, test=fold.train)]


def _count_of(train: object, n: int) -> int:
    """Count the items that a number or a share of `n` items asks for; 0 for anything else."""
    if isinstance(train, int) and not isinstance(train, bool):
        return train
    return round(train * n) if isinstance(train, float) and 0 < train < 1 else 0


def _drawn(
    strata: Ints, wanted: int, stratify: bool, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Draw `wanted` of some items at random, in proportion of the strata if `stratify`, and mark them."""
    n = len(strata)
    inside = np.zeros(n, dtype=bool)
    if not stratify:
        inside[rng.permutation(n)[:wanted]] = True
        return inside
    # Evenly spaced places in the order by stratum, with a random start: in proportion everywhere.
    place = np.arange(n) * wanted + rng.integers(n)
    inside[shuffled(strata, rng)] = (place + wanted) // n > place // n
    return inside


def _units(strata: Ints, duplicate_group: Ints) -> tuple[Ints, Ints]:
    """Number the stratum of each duplicate group, a positive's where there is one, and each row's group."""
    distinct, index = np.unique(duplicate_group, return_inverse=True)
    stratum = np.zeros(len(distinct), np.int64)
    np.maximum.at(stratum, index, strata)
    return stratum, index


def within_groups(
    y: ArrayLike,
    groups: ArrayLike,
    *,
    fractions: Sequence[float] = (0.6, 0.2, 0.2),
    stratify: bool = True,
    seed: int,
) -> list[Fold]:
    """Split the rows of each user at random into a training, a validation and a test part (PAP): one fold.

    The model trained on the training part that does best on the validation part is tested as it is:
    `refit` is False.

    Parameters
    ----------
    fractions : three positive numbers that sum to 1
        Share of each part in every stratum (a user, or either class of a user), rounded down or up at random
        such that it is exact on average.
    stratify : bool
        Split the positives and the negatives of each user separately.

    Notes
    -----
    A user without a positive in the test part has no pAp@k and drops out of the mean: without `stratify` a
    user with 10 positives has none in a test part of 20% in about one of ten splits.

    Differences from the paper: it does not describe the split; its authors draw rows regardless of
    labels, which is ``stratify=False``.

    References
    ----------
    Hiranandani et al. (2020), section 7.3.
    """
    share = np.asarray(fractions, dtype=np.float64)
    if share.shape != (3,) or not (share > 0).all() or abs(share.sum() - 1) > 1e-9:
        raise DatasetError(
            "split within groups: fractions must be three positive numbers that sum to 1 "
            f"(training, validation, test), got {fractions!r}"
        )
    labels = check_labels(y)
    codes = check_groups(groups, len(labels))
    strata = 2 * codes + labels if stratify else codes
    rng = np.random.default_rng(seed)
    order = shuffled(strata, rng)
    _, start, size = np.unique(strata[order], return_index=True, return_counts=True)
    # Evenly spaced points with a random start per stratum: an interval of length f has floor(f size) or
    # ceil(f size) of the points, f size on average.
    offset = np.repeat(rng.random(len(size)) - start, size)
    place = (np.arange(len(labels)) + offset) / np.repeat(size, size)
    part = np.empty(len(labels), np.int64)
    part[order] = np.searchsorted(np.cumsum(share)[:2], place, side="right")
    for p, name in enumerate(("training", "validation", "test")):
        require_classes(
            labels[part == p], f"the {name} part", "give it a larger fraction"
        )
    train, validation, test = (np.flatnonzero(part == p) for p in range(3))
    return [Fold(train, test, [(train, validation)], refit=False)]


def given(
    y: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    part: ArrayLike,
    n_folds: int = 1,
    n_train: int | None = None,
    n_test: int | None = None,
    inner_folds: int = 5,
    refit: bool = False,
    seed: int,
) -> list[Fold]:
    """Take the parts the data come in: the last tests, the one before validates, the others train.

    With a validation part, the model selected on it is tested as it is, unless `refit`. Of two parts the
    first trains and the second tests, and inner folds, of whole groups where there are any, select.

    Parameters
    ----------
    part : array-like of shape (n,)
        Part of each row, from 0.
    n_folds : int
        Experiment `f` begins with part `f` and goes round, as LETOR's folds do: with five parts and five
        folds, fold 1 trains on S1, S2, S3, validates on S4 and tests on S5, fold 2 trains on S2, S3, S4.
    n_train, n_test : int, optional
        Draw so many rows of the training and of the test part at random, regardless of labels: AATP (section
        5.5) draws 500 rows of each training fold of LETOR and 1000 of the test fold.
    refit : bool
        Train what was selected again, on the training and the validation part.
    """
    where = "given parts"
    labels = check_labels(y)
    parts = np.asarray(part)
    count = int(parts.max()) + 1
    if count < 2:
        raise DatasetError(
            f"{where}: at least two parts are needed, got {count}: use another protocol"
        )
    integer(where, "n_folds", n_folds, 1, count)
    rng = np.random.default_rng(seed)
    assign = assign_by(
        labels, None if groups is None else check_groups(groups, len(labels)), rng
    )
    folds = []
    for f in range(n_folds):
        role = (parts - f) % count
        train = _draw(
            np.flatnonzero(role < max(count - 2, 1)), n_train, "n_train", rng
        )
        test = _draw(np.flatnonzero(role == count - 1), n_test, "n_test", rng)
        require_classes(
            labels[train], f"the training part of fold {f}", "raise n_train"
        )
        require_classes(labels[test], f"the test part of fold {f}", "raise n_test")
        if count > 2:
            validation = np.flatnonzero(role == count - 2)
            require_classes(
                labels[validation],
                f"the validation part of fold {f}",
                "rotate other parts",
            )
            final = np.union1d(train, validation) if refit else train
            folds.append(
                Fold(final, test, [(train, validation)], refit=bool(refit))
            )
        else:
            folds.append(fold_of(labels, train, test, inner_folds, assign))
    return folds


def _draw(
    rows: Ints, count: int | None, name: str, rng: np.random.Generator
) -> Ints:
    if count is None:
        return rows
    integer("given parts", name, count, 1, len(rows))
    return np.sort(rng.choice(rows, count, replace=False))
