"""Which rows train, select and test: the protocols of the papers, as pure functions of a seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop.datasets.base import Dataset, DatasetError
from attop.datasets.parameters import complete, hint, integer
from attop.sample import check_groups, check_labels
from attop.seeds import derive_seed

__all__ = [
    "PROTOCOLS",
    "Fold",
    "Protocol",
    "count_folds",
    "make_folds",
    "stratified",
    "windows",
    "within_groups",
]

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Fold:
    """Rows of one experiment; all arrays hold increasing row numbers of the data set.

    Attributes
    ----------
    train : ndarray
        Rows the final model is trained on.
    test : ndarray
        Rows it is tested on; no other array has any of them.
    inner : list of (fit, validation)
        Pairs of row numbers to select the hyper-parameters with: train on `fit`, score `validation`.
    refit : bool
        True: the pairs split `train`, and the final model is trained anew on all of it. False: there is
        one pair, its `fit` is `train`, its `validation` lies outside, and the model selected is final.
    """

    train: Ints
    test: Ints
    inner: list[tuple[Ints, Ints]]
    refit: bool = True


def stratified(
    y: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    n_folds: int = 5,
    inner_folds: int = 5,
    seed: int,
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

    Returns
    -------
    folds : list of `n_folds` Fold
        Folds differ by at most one in items, in positives and in either class of a group.

    Raises
    ------
    DatasetError
        If a class is too small for every part to have it.
    """
    integer("stratified folds", "n_folds", n_folds, 2)
    integer("stratified folds", "inner_folds", inner_folds, 2)
    labels, strata = _strata(y, groups)
    _require(labels, None, n_folds, f"{n_folds} folds", "lower n_folds")
    rng = np.random.default_rng(seed)
    part = _deal(strata, n_folds, rng)
    return [
        _with_inner_folds(labels, strata, part != f, inner_folds, rng, "lower inner_folds")
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
    labels, strata = _strata(y, groups)
    rng = np.random.default_rng(seed)
    part = _deal(strata, n_sets, rng)
    folds = []
    for f in range(n_sets):
        inside = (part - f) % n_sets < window
        _require(labels, ~inside, 1, f"the test part of experiment {f}", "lower n_sets")
        remedy = "lower inner_folds or n_sets, or widen the window"
        folds.append(_with_inner_folds(labels, strata, inside, inner_folds, rng, remedy))
    return folds


def within_groups(
    y: ArrayLike,
    groups: ArrayLike,
    *,
    fractions: Sequence[float] = (0.6, 0.2, 0.2),
    stratify: bool = True,
    seed: int,
) -> list[Fold]:
    """Split the rows of each user at random into a training, a validation and a test part (PAP).

    The model trained on the training part that does best on the validation part is tested as it is:
    `refit` is False.

    Parameters
    ----------
    y : array-like of shape (n,)
        Binary labels.
    groups : array-like of shape (n,)
        User of each row.
    fractions : three positive numbers that sum to 1
        Share of each part in every user's rows.
    stratify : bool
        Split the positives and the negatives of each user apart.
    seed : int

    Returns
    -------
    folds : list of one Fold
        In every stratum (a user, or either class of a user) a part has its share of the rows, rounded
        down or up at random such that the share is exact on average.

    Raises
    ------
    DatasetError
        If `fractions` are not as above, or a part is without positives or negatives altogether.

    Notes
    -----
    A user without a positive in the test part has no pAp@k and drops out of the mean. Splitting rows
    regardless of labels, a user with 10 positives has none in a test part of 20% in about one of ten
    splits, so each split averages over other users. With `stratify` these users keep two in every
    split; the expected share of each part is the same. Users with less than ``1 / fraction`` positives
    can still miss a part.

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
    order = _shuffled(strata, rng)
    _, start, size = np.unique(strata[order], return_index=True, return_counts=True)
    # Evenly spaced points with a random start per stratum: an interval of length f has floor(f size) or
    # ceil(f size) of the points, f size on average.
    offset = np.repeat(rng.random(len(size)) - start, size)
    place = (np.arange(len(labels)) + offset) / np.repeat(size, size)
    part = np.empty(len(labels), np.int64)
    part[order] = np.searchsorted(np.cumsum(share)[:2], place, side="right")
    for p, name in enumerate(("training", "validation", "test")):
        _require(labels, part == p, 1, f"the {name} part", "give it a larger fraction")
    train, validation, test = (np.flatnonzero(part == p) for p in range(3))
    return [Fold(train, test, [(train, validation)], refit=False)]


@dataclass(frozen=True)
class Protocol:
    """A way of splitting.

    Attributes
    ----------
    name : str
    function : callable
        ``function(y, groups, *, seed, **options)`` returns the folds of one repeat.
    summary : str
        For reports.
    counted_by : str or None
        Option that says how many folds a repeat has; None: it has one.
    needs_groups : bool
    """

    name: str
    function: Callable[..., list[Fold]]
    summary: str
    counted_by: str | None
    needs_groups: bool = False

    def options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return `given` with defaults filled in; raise `DatasetError` if a name is unknown."""
        return complete(self.function, given, f"protocol {self.name!r}", reserved=("y", "groups", "seed"))


PROTOCOLS: Mapping[str, Protocol] = {
    p.name: p
    for p in (
        Protocol("stratified", stratified, "stratified cross-validation, nested for selection", "n_folds"),
        Protocol("windows", windows, "train on a few consecutive sets, test on the others (AATP)", "n_sets"),
        Protocol("within-groups", within_groups, "each user's rows split in three (PAP)", None, True),
    )
}


def make_folds(kind: str, dataset: Dataset, repeat: int, seed: int, **options: Any) -> list[Fold]:
    """Return the folds of one repeat of a protocol.

    Parameters
    ----------
    kind : str
        A key of `PROTOCOLS`.
    dataset : Dataset
    repeat : int
        Repeats differ in their random numbers alone.
    seed : int
        Of the run. The folds depend on it, on the name of the data set, the protocol and the repeat:
        never on a method, so that methods are compared on the same folds.
    **options
        Parameters of the protocol's function.

    Returns
    -------
    folds : list of Fold

    Raises
    ------
    DatasetError
        If the protocol or an option is unknown, groups are missing, or a class is too small.
    """
    protocol = _protocol(kind)
    if protocol.needs_groups and dataset.groups is None:
        others = ", ".join(p.name for p in PROTOCOLS.values() if not p.needs_groups)
        raise DatasetError(
            f"dataset {dataset.name}: protocol {kind!r} needs groups and the data have none: use {others}"
        )
    filled = protocol.options(options)
    derived = derive_seed(seed, "split", dataset.name, kind, repeat)
    try:
        return protocol.function(dataset.y, dataset.groups, seed=derived, **filled)
    except DatasetError as error:
        raise DatasetError(f"dataset {dataset.name}: {error}") from None


def count_folds(kind: str, **options: Any) -> int:
    """Return how many folds a repeat of a protocol has, without looking at data.

    Raises
    ------
    DatasetError
        If the protocol or an option is unknown.
    """
    protocol = _protocol(kind)
    filled = protocol.options(options)
    if protocol.counted_by is None:
        return 1
    return integer(f"protocol {kind!r}", protocol.counted_by, filled[protocol.counted_by], 2)


def _protocol(kind: str) -> Protocol:
    if kind not in PROTOCOLS:
        raise DatasetError(f"unknown protocol {kind!r}; {hint(kind, PROTOCOLS)}")
    return PROTOCOLS[kind]


def _strata(y: ArrayLike, groups: ArrayLike | None) -> tuple[Ints, Ints]:
    """Return labels, and codes of the combinations of label and group, negatives first."""
    labels = check_labels(y)
    if groups is None:
        return labels, labels
    codes = check_groups(groups, len(labels))
    return labels, labels * (codes.max() + 1) + codes


def _shuffled(strata: Ints, rng: np.random.Generator) -> Ints:
    """Return the rows stratum by stratum, in random order within each."""
    order = rng.permutation(len(strata))
    return order[np.argsort(strata[order], kind="stable")]


def _deal(strata: Ints, n_parts: int, rng: np.random.Generator) -> Ints:
    """Deal the rows out like cards, stratum by stratum; return the part of each row.

    Strata lie one after the other, so any run of them, such as a class, is dealt as evenly as one.
    """
    part = np.empty(len(strata), np.int64)
    part[_shuffled(strata, rng)] = np.arange(len(strata)) % n_parts
    return part


def _with_inner_folds(
    y: Ints, strata: Ints, inside: NDArray[np.bool_], inner_folds: int, rng: np.random.Generator, remedy: str
) -> Fold:
    """Return the fold that trains on the rows `inside`."""
    _require(y, inside, inner_folds, f"{inner_folds} inner folds of a training part", remedy)
    train = np.flatnonzero(inside)
    part = _deal(strata[train], inner_folds, rng)
    inner = [(train[part != i], train[part == i]) for i in range(inner_folds)]
    return Fold(train, np.flatnonzero(~inside), inner)


def _require(y: Ints, rows: NDArray[np.bool_] | None, least: int, what: str, remedy: str) -> None:
    """Refuse rows with fewer than `least` positives or negatives."""
    labels = y if rows is None else y[rows]
    n_pos = int(labels.sum())
    n_neg = len(labels) - n_pos
    if min(n_pos, n_neg) < least:
        raise DatasetError(
            f"{what} cannot all have both classes: at least {least} positives and {least} negatives "
            f"are needed, got {n_pos} and {n_neg}: {remedy}, or add data"
        )
