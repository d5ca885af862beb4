"""Assignment of rows to folds: for comparisons, the benchmark's protocols and cross-validation within a fit.

One rule for each situation:

- `assign_folds`: rows, in equal shares of every stratum; duplicates stay together
- `assign_groups`: whole groups, each of which is a list of its own
- `assign_balanced_groups`: whole groups ranked in one list, with equal shares of the positives
- `cross_fitting_folds`: rows or whole groups, each held out once, by scikit-learn's splitters
- `tuning_folds`: rows or whole groups, in fewer folds, or none, where the sample is too small
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike

from attop._core.parameters import check_number
from attop._core.sample import check_groups, check_labels
from attop._core.typing import Ints
from attop._core.wording import count_noun

#: Rows to train on and rows to score.
Pair = tuple[Ints, Ints]
#: ``assign(rows, n_folds)`` returns the fold of each of some rows.
Assign = Callable[[Ints, int], Ints]


@dataclass(frozen=True)
class Fold:
    """Rows of one experiment; all arrays hold increasing row numbers.

    Attributes
    ----------
    train : ndarray
        Rows the final model is trained on.
    test : ndarray
        Rows it is tested on; no other array has any of them.
    inner : list of (fit, validation)
        Pairs of row numbers to select the hyper-parameters with: train on `fit`, score `validation`.
    refit : bool
        True: the pairs split `train`, or are of earlier days, and the final model is trained on all of
        `train`. False: there is one pair, its `fit` is `train`, its `validation` lies outside, and the model
        selected is final.
    """

    train: Ints
    test: Ints
    inner: list[Pair] = field(default_factory=list)
    refit: bool = True


def strata_of(y: ArrayLike, groups: ArrayLike | None) -> tuple[Ints, Ints]:
    """Code the strata of rows, the combinations of label and group, negatives first."""
    labels = check_labels(y)
    if groups is None:
        return labels, labels
    codes = check_groups(groups, len(labels))
    return labels, labels * (codes.max() + 1) + codes


def shuffled(strata: Ints, rng: Generator | RandomState) -> Ints:
    """Shuffle rows within each stratum; the strata follow each other."""
    order = rng.permutation(len(strata))
    return order[np.argsort(strata[order], kind="stable")]


def assign_folds(
    strata: Ints,
    n_folds: int,
    rng: Generator | RandomState,
    duplicate_group: Ints | None = None,
) -> Ints:
    """Assign rows to folds: in random order within their stratum, they go to the folds in turn.

    Strata follow one another, so any run of them, such as a class, is divided evenly too. Rows of one
    duplicate group, such as copies of a row, are in one fold. Duplicate groups of one stratum (that of a
    positive, where there is one) and size follow one another.
    """
    if duplicate_group is not None:
        distinct, index, size = np.unique(
            duplicate_group, return_inverse=True, return_counts=True
        )
        stratum = np.zeros(len(distinct), np.int64)
        np.maximum.at(stratum, index, strata)
        return assign_folds(stratum * (size.max() + 1) + size, n_folds, rng)[index]
    fold = np.empty(len(strata), np.int64)
    fold[shuffled(strata, rng)] = np.arange(len(strata)) % n_folds
    return fold


def assign_groups(groups: Ints, n_folds: int, rng: Generator) -> Ints:
    """Assign whole groups to folds, whose numbers of groups differ by at most one; return each row's fold.

    A ValueError where there are fewer groups than folds.
    """
    distinct, index = np.unique(groups, return_inverse=True)
    _require_groups(len(distinct), n_folds)
    return rng.permutation(np.arange(len(distinct)) % n_folds)[index]


def assign_balanced_groups(
    y: Ints, groups: Ints, n_folds: int, rng: Generator
) -> Ints:
    """Assign whole groups to folds of similar numbers of positives and of rows; return each row's fold.

    Groups with positives come first, those with most before the others, each to the fold with the fewest
    positives; then those without, each to the fold with the fewest rows. Ties are broken at random. A
    ValueError where there are fewer groups than folds.
    """
    distinct, index, size = np.unique(
        groups, return_inverse=True, return_counts=True
    )
    _require_groups(len(distinct), n_folds)
    n_pos = np.bincount(index, weights=y).astype(np.int64)
    order = rng.permutation(len(distinct))
    order = order[np.argsort(-n_pos[order], kind="stable")]
    n_with = int((n_pos > 0).sum())
    fold = np.empty(len(distinct), np.int64)
    # smallest by positives, then by rows, then by fold
    held = [(0, 0, f) for f in rng.permutation(n_folds).tolist()]
    for g in order[:n_with].tolist():
        positives, rows, f = held[0]
        fold[g] = f
        heapq.heapreplace(held, (positives + int(n_pos[g]), rows + int(size[g]), f))
    rest = [(rows, f) for _, rows, f in held]
    heapq.heapify(rest)
    for g in order[n_with:].tolist():
        rows, f = rest[0]
        fold[g] = f
        heapq.heapreplace(rest, (rows + int(size[g]), f))
    return fold[index]


def joined(units: Ints, duplicate_group: Ints | None) -> Ints:
    """Join `units`, such as customers, into the smallest ones that split no duplicate group.

    Two units that have rows of one duplicate group are one, and so are those that others connect.
    """
    if duplicate_group is None:
        return units
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    unit, duplicate = (
        np.unique(codes, return_inverse=True)[1]
        for codes in (units, duplicate_group)
    )
    n_units = int(unit.max()) + 1
    size = n_units + int(duplicate.max()) + 1
    links = coo_array(
        (np.ones(len(unit)), (unit, n_units + duplicate)), shape=(size, size)
    )
    return connected_components(links, directed=False)[1][unit].astype(np.int64)


def pairs_of(fold: Ints, n_folds: int) -> list[Pair]:
    """Split positions by fold: for each fold those outside and those inside it."""
    return [
        (np.flatnonzero(fold != f), np.flatnonzero(fold == f))
        for f in range(n_folds)
    ]


def fold_of(
    y: Ints,
    train: Ints,
    test: Ints,
    inner_folds: int | None,
    assign: Assign,
    remedy: str = "lower inner_folds",
) -> Fold:
    """Make a `Fold` of a training and a test part; `assign` splits the training part for selection.

    Without `inner_folds` there is nothing to select by. A ValueError, which names the `remedy`, where an
    inner fold lacks a class.
    """
    if inner_folds is None:
        return Fold(train, test)
    check_number("inner_folds", inner_folds)
    inner = [
        (train[fit], train[val])
        for fit, val in pairs_of(assign(train, inner_folds), inner_folds)
    ]
    for i, (_, validation) in enumerate(inner):
        require_classes(y[validation], f"inner fold {i} of {inner_folds}", remedy)
    return Fold(train, test, inner)


def cross_validation(
    y: Ints, n_folds: int, inner_folds: int | None, assign: Assign
) -> list[Fold]:
    """Make the folds of cross-validation; `assign` splits all rows, then each training part for selection.

    A ValueError where a fold or inner fold lacks a class.
    """
    check_number("n_folds", n_folds)
    folds = []
    for f, (train, test) in enumerate(
        pairs_of(assign(np.arange(len(y)), n_folds), n_folds)
    ):
        require_classes(y[test], f"the test part of fold {f}", "lower n_folds")
        folds.append(fold_of(y, train, test, inner_folds, assign))
    return folds


def assign_by(
    strata: Ints,
    groups: Ints | None,
    rng: Generator,
    duplicate_group: Ints | None = None,
) -> Assign:
    """Choose the rule that assigns folds: by whole `groups`, or without groups by rows of `strata`."""

    def assign(rows: Ints, count: int) -> Ints:
        if groups is not None:
            return assign_groups(groups[rows], count, rng)
        duplicates = None if duplicate_group is None else duplicate_group[rows]
        return assign_folds(strata[rows], count, rng, duplicates)

    return assign


def stratified(
    y: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    n_folds: int = 5,
    inner_folds: int | None = 5,
    seed: int,
    duplicate_group: Ints | None = None,
) -> list[Fold]:
    """Cross-validate: each fold is tested once, the others train, and are split again for selection.

    Folds differ by at most one in items, in positives and in either class of each group. Rows of one
    duplicate group are all in one fold, inner folds included; then folds differ by at most one in duplicate
    groups with a positive, and in those without. Without inner folds (None) there is nothing to select by. A
    ValueError where a class is too small for every part to have it.
    """
    labels, strata = strata_of(y, groups)
    rng = np.random.default_rng(seed)
    return cross_validation(
        labels, n_folds, inner_folds, assign_by(strata, None, rng, duplicate_group)
    )


def whole_groups(
    y: ArrayLike,
    groups: ArrayLike,
    *,
    n_folds: int = 5,
    inner_folds: int | None = 5,
    seed: int,
    duplicate_group: Ints | None = None,
) -> list[Fold]:
    """Cross-validate over groups: the items of a query are all in one part, so that test queries are new.

    Folds, and inner folds, differ by at most one in groups; errors are those of `stratified`. Groups with
    rows of one duplicate group are in one part, and count as one.
    """
    labels = check_labels(y)
    codes = joined(check_groups(groups, len(labels)), duplicate_group)
    rng = np.random.default_rng(seed)
    return cross_validation(
        labels, n_folds, inner_folds, assign_by(labels, codes, rng)
    )


def whole_entities(
    y: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    entity: ArrayLike,
    n_folds: int = 5,
    inner_folds: int | None = 5,
    seed: int,
    duplicate_group: Ints | None = None,
) -> list[Fold]:
    """Cross-validate over entities: all rows of a customer are in one part, and are ranked in one list.

    Others call the folds group-disjoint; scikit-learn's are `StratifiedGroupKFold`. `whole_groups` is for
    lists: there each group is ranked for itself; here `groups` are not used. Folds, and inner folds, differ
    in positives by no more than one entity has, and in rows too, unless too few entities are without
    positives to make up for it; see `assign_balanced_groups`. Entities with rows of one duplicate group are
    in one part, and count as one.
    """
    labels = check_labels(y)
    codes = joined(check_groups(entity, len(labels)), duplicate_group)
    rng = np.random.default_rng(seed)
    return cross_validation(
        labels,
        n_folds,
        inner_folds,
        lambda rows, count: assign_balanced_groups(
            labels[rows], codes[rows], count, rng
        ),
    )


def cross_fitting_folds(
    cv: int, y: Ints, groups: Ints | None, rng: RandomState
) -> list[Pair]:
    """Split rows into folds for cross-fitting: each row is held out once, and a group is in one fold.

    One group of all is as none. A ValueError where a fold would hold fewer than two positives or negatives:
    one alone says next to nothing of the top, and what is trained without it may be left with none.
    """
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    check_number("cv", cv)
    kind = StratifiedKFold
    whole = None if groups is None or groups.max() == 0 else groups
    if whole is not None:
        kind = StratifiedGroupKFold
        _require_groups(int(whole.max()) + 1, cv)
    require_classes(y, f"a sample for {cv} folds", "lower cv", least=2 * cv)
    folds = list(kind(cv, shuffle=True, random_state=rng).split(y, y, whole))
    for f, (_, test) in enumerate(folds):
        remedy = "lower cv, use groups none of which holds most of a class"
        require_classes(y[test], f"fold {f} of whole groups", remedy, least=2)
    return folds


def tuning_folds(
    y: Ints, groups: Ints | None, n_folds: int, rng: Generator
) -> list[Pair]:
    """Split rows into folds to tune a model on within its fit: class by class, or of whole groups.

    There are no more folds than groups, or than items of a class, and none if that leaves one. A fold whose
    training part lacks a class, or whose test part has no positive, is left out.
    """
    labels = y if groups is None else np.zeros(len(y), np.int64)
    units = np.arange(len(y)) if groups is None else groups
    n_folds = min(
        n_folds,
        *(len(np.unique(units[labels == label])) for label in np.unique(labels)),
    )
    if n_folds < 2:
        return []
    fold = np.empty(len(y), np.int64)
    for label in np.unique(labels):
        fold[labels == label] = assign_groups(units[labels == label], n_folds, rng)
    return [
        (train, test)
        for train, test in pairs_of(fold, n_folds)
        if 0 < y[train].sum() < len(train) and y[test].any()
    ]


def require_classes(y: Ints, what: str, remedy: str, least: int = 1) -> None:
    """Refuse labels with fewer than `least` positives or negatives, naming `what` and the `remedy`."""
    n_pos = int(y.sum())
    n_neg = len(y) - n_pos
    if min(n_pos, n_neg) < least:
        raise ValueError(
            f"{what} needs at least {count_noun(least, 'positive')} and {count_noun(least, 'negative')}, "
            f"got {n_pos} and {n_neg}: {remedy}, or add data"
        )


def _require_groups(n_groups: int, n_folds: int) -> None:
    if n_groups < n_folds:
        raise ValueError(
            f"{n_folds} folds of whole groups need {n_folds} groups, got {n_groups}: "
            "lower the number of folds (n_folds, inner_folds or cv)"
        )
