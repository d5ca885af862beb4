"""Labels, scores, weights and groups of a sample, checked, and laid out for ranking."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop._core.top import Top
from attop._core.typing import Bools, Floats, Ints

#: A label as its user writes it.
Label = str | int | float | bool


class PositiveClassWarning(UserWarning):
    """Warning that one of two words was taken for the positive class, by the alphabet."""


def check_labels(y: ArrayLike, pos_label: Label | None = None) -> Ints:
    """Convert binary labels, booleans, 0/1 or -1/+1, to 0 and 1; a ValueError for anything else.

    One class alone is accepted: 0 and -1 are negative, 1 is positive. With `pos_label` labels may be any two:
    1 for it, and 0 for the other.
    """
    if pos_label is not None:
        return _labels_by_name(y, pos_label)
    labels = plain_array(y, "y")
    if labels.ndim != 1:
        raise ValueError(
            f"y must be one-dimensional, got shape {labels.shape}: pass y.ravel()"
        )
    if labels.size == 0:
        raise ValueError("y is empty: a ranking needs at least one item")
    if labels.dtype.kind not in "biuf":
        try:
            if labels.dtype.kind in "cmM":  # NumPy would make numbers of dates
                raise TypeError
            labels = labels.astype(float)
        except (TypeError, ValueError):
            raise ValueError(
                f"labels must be 0/1, -1/+1 or booleans, got {labels.dtype} such as "
                f"{labels[:1].tolist()[0]!r}: name the positive one, for example pos_label='malignant'"
            ) from None
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise ValueError(
            "labels must be 0/1, -1/+1 or booleans, got missing values: "
            "give every item a label or drop the item"
        )
    values = _distinct(labels)
    if not (values <= {0, 1} or values <= {-1, 1}):
        shown = sorted(values)[:5]
        more = " ..." if len(values) > 5 else ""
        raise ValueError(
            f"labels must be 0/1, -1/+1 or booleans, got values {shown}{more}: "
            f"choose the positive class, for example y == {shown[-1]!r}"
        )
    return (labels == 1).astype(np.int64)


def _labels_by_name(y: ArrayLike, pos_label: Label) -> Ints:
    labels = plain_labels(y)
    if labels.ndim != 1:
        raise ValueError(
            f"y must be one-dimensional, got shape {labels.shape}: pass y.ravel()"
        )
    if labels.size == 0:
        raise ValueError("y is empty: a ranking needs at least one item")
    classes = np.unique(labels).tolist()
    if len(classes) > 2:
        shown = ", ".join(map(repr, classes[:5]))
        raise ValueError(
            f"y must hold two labels, got {len(classes)}: {shown}: keep two, or join the others"
        )
    if len(classes) == 2 and pos_label not in classes:
        raise ValueError(
            f"pos_label must be one of the labels {classes}, got {pos_label!r}"
        )
    return (labels == pos_label).astype(np.int64)


def positive_last(classes: NDArray[Any], pos_label: Label | None) -> NDArray[Any]:
    """Order two classes, the positive one last: `pos_label`, by default the last in sorted order.

    A ValueError where `pos_label` is neither.
    """
    if pos_label is None:
        return np.sort(classes)
    if pos_label not in classes.tolist():
        raise ValueError(
            f"pos_label must be one of the labels {classes.tolist()}, got {pos_label!r}"
        )
    return np.concatenate(
        [classes[classes != pos_label], classes[classes == pos_label]]
    )


def warn_of_words(classes: NDArray[Any], *, stacklevel: int) -> None:
    """Warn that neither of two class names says which is positive; the last was taken."""
    if classes.dtype.kind in "biuf":
        return
    negative, positive = classes.tolist()
    warnings.warn(
        f"of the labels {negative!r} and {positive!r} the last in sorted order, {positive!r}, is taken for "
        f"the positive class, as scikit-learn does: to find the other, give pos_label={negative!r}",
        PositiveClassWarning,
        stacklevel=stacklevel + 1,
    )


def plain_labels(y: ArrayLike) -> NDArray[Any]:
    """Convert labels of any kind to an array; one of objects gets the type of its values.

    A ValueError where some are missing, or of a type that cannot be compared with the others.
    """
    labels = plain_array(y, "y")
    if labels.dtype.kind not in "fmMO":
        return labels
    if any(map(is_missing, labels.ravel())):
        raise ValueError("y has missing values: leave those rows out")
    if labels.dtype.kind != "O":
        return labels
    kinds = {
        str if isinstance(label, str) else type(label) for label in labels.flat
    }
    if len(kinds) > 1 and not all(
        issubclass(kind, (bool, np.bool_, int, float, np.number)) for kind in kinds
    ):
        raise ValueError(
            f"y mixes {' and '.join(sorted(kind.__name__ for kind in kinds))}: give labels of one type"
        )
    return labels if str in kinds else np.array(labels.tolist())


def check_positive_known(
    labels: NDArray[Any], classes: NDArray[Any], how: str = "y == {!r}"
) -> None:
    """Refuse two classes that are not numbers: the larger number is positive, but neither of two words is."""
    if classes.dtype.kind in "biuf":
        return
    shares = {label: float(np.mean(labels == label)) for label in classes.tolist()}
    named = " and ".join(
        f"{label!r} ({share:.1%} of the rows)" for label, share in shares.items()
    )
    example = how.format(min(shares, key=lambda label: shares[label]))
    raise ValueError(
        f"the labels {named} do not say which is positive: name it, such as {example}"
    )


def column_names(X: object) -> list[Any]:
    """List the names of a frame's columns, pandas' or Arrow's; none for anything else."""
    if type(X).__module__.startswith("pyarrow"):
        return list(getattr(X, "column_names", ()))
    return list(getattr(X, "columns", ()))


def refuse_masked(values: object, what: str) -> None:
    """Refuse masked values, which NumPy and scikit-learn would read as if they were not masked."""
    # pandas has a _mask too.
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{what} has masked values, which would count as if they were not: drop those items"
        )


def plain_array(values: ArrayLike, what: str) -> NDArray[Any]:
    """Convert values to an array; refuse masked ones."""
    refuse_masked(values, what)
    return np.asarray(values)


def _distinct(labels: NDArray[Any]) -> set[Any]:
    """Find the distinct labels; the usual pairs are tried first, which is faster than sorting."""
    usual = {value for value in (-1, 0, 1) if (labels == value).any()}
    if sum(np.count_nonzero(labels == value) for value in usual) == len(labels):
        return usual
    return set(np.unique(labels).tolist())


def check_scores(scores: ArrayLike, n: int | None = None) -> Floats:
    """Convert scores to floats; refuse NaN and infinity, and any number of scores but `n` if it is given."""
    values = as_floats(scores)
    n = values.size if n is None else n
    if values.shape != (n,):
        raise ValueError(
            f"scores must have shape ({n},) like y, got {values.shape}: one score per item"
        )
    if not np.isfinite(values).all():
        bad = np.flatnonzero(~np.isfinite(values))
        raise ValueError(
            f"{len(bad)} of the {n} scores are NaN or infinite, the first at position {bad[0]}: "
            "NaN and infinity cannot be ranked; fix the model that returned them"
        )
    return values


def check_weights(
    weights: ArrayLike, n: int, what: str = "sample_weight"
) -> Floats:
    """Convert weights of items to floats; refuse negative ones, NaN and infinity."""
    values = plain_array(weights, what)
    if values.dtype.kind not in "biuf" or values.shape != (n,):
        raise ValueError(
            f"{what} must hold a number for each of the {n} items, got {values.dtype} of shape {values.shape}"
        )
    values = values.astype(np.float64)
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(bad):
        raise ValueError(
            f"{what} must be finite and at least 0, got {values[bad[0]]} at position {bad[0]} "
            f"({len(bad)} such of {n})"
        )
    extreme = values[(values > 1e140) | ((values > 0) & (values < 1e-140))]
    if len(extreme):
        raise ValueError(
            f"{what} must be 0 or lie between 1e-140 and 1e140, got {extreme[0]}: products of such "
            "weights are not numbers, divide them by their mean"
        )
    return values


def centre_and_scale(
    columns: Floats, weights: Floats | None
) -> tuple[Floats, Floats]:
    """Compute mean and standard deviation of each column; a row of weight 2 counts as two rows."""
    if weights is None:
        return columns.mean(axis=0), columns.std(axis=0)
    centre = np.average(columns, axis=0, weights=weights)
    return centre, np.sqrt(
        np.average((columns - centre) ** 2, axis=0, weights=weights)
    )


def as_floats(scores: ArrayLike) -> Floats:
    """Convert scores of any shape to floats; refuse any that are not real numbers, or lose their order."""
    values = plain_array(scores, "scores")
    if values.dtype.kind not in "biuf":
        try:
            # NumPy would read "3" as a number.
            if values.dtype.kind != "O" or any(
                isinstance(value, str | bytes) for value in values.flat
            ):
                raise TypeError
            floats = values.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"scores must be real numbers, got {values.dtype}: pass the output of decision_function"
            ) from None
        whole = [value for value in values.flat if isinstance(value, int)]
    else:
        floats = values.astype(np.float64, copy=False)
        whole = (
            [int(values.min()), int(values.max())]
            if values.dtype.kind in "iu" and values.size
            else []
        )
    # As of Fraction, longdouble.
    if values.dtype.kind == "O" or values.dtype.itemsize > 8:
        finite = np.isfinite(floats)
        if len(set(values[finite].tolist())) > len(np.unique(floats[finite])):
            raise ValueError(
                f"scores must be different as floats where they are different, got {values.dtype} finer than "
                "float64, in which they would be tied: pass their ranks"
            )
    if whole and max(map(abs, whole)) > 2**53:
        raise ValueError(
            f"scores must lie between -2**53 and 2**53 where they are integers, got {min(whole)} to "
            f"{max(whole)}: as floats different ones would be tied, subtract the smallest or pass ranks"
        )
    return floats


def check_groups(groups: ArrayLike, n: int, what: str = "groups") -> Ints:
    """Encode groups as 0 .. n_groups - 1, in sorted order of their values; refuse missing ones."""
    values = plain_array(groups, what)
    if values.ndim != 1 or len(values) != n:
        raise ValueError(
            f"{what} must name that of each of the {n} items, got shape {values.shape}"
        )
    if values.dtype.kind == "U" and isinstance(groups, (list, tuple)):
        values = (
            values
            if all(isinstance(group, str) for group in groups)
            else np.array(groups, object)
        )
    if (values.dtype.kind in "fmM" and (values != values).any()) or (
        values.dtype.kind == "O" and any(map(is_missing, values))
    ):
        raise ValueError(
            f"{what} has missing values: give every item one or drop the item"
        )
    if (
        values.dtype.kind in "iu"
        and len(values)
        and int(values.max()) - int(values.min()) < 4 * n
    ):
        # Few integers, counted: several times as fast as sorting them.
        shifted = (values - values.min()).astype(np.int64)
        return (np.cumsum(np.bincount(shifted) > 0) - 1)[shifted]
    try:
        return np.unique(values, return_inverse=True)[1].astype(np.int64)
    except TypeError:
        raise ValueError(
            f"{what} mixes types that cannot be compared ({values.dtype}): use integers or strings"
        ) from None


def check_lists(
    groups: ArrayLike | None, entity: ArrayLike | None, n: int
) -> tuple[Ints | None, Ints | None]:
    """Encode the groups or the entities of `n` items as `check_groups` does; refuse both at once."""
    if groups is not None and entity is not None:
        raise ValueError(
            "give groups, for a list each, or entity, for one list of whole entities: not both"
        )
    return (
        None if groups is None else check_groups(groups, n),
        None if entity is None else check_groups(entity, n, "entity"),
    )


def lists_of(codes: Ints) -> list[Ints]:
    """Find the positions of each group's items, the groups in ascending order."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)


def is_missing(value: object) -> bool:
    """Recognise None, NaN, NaT and pandas' NA, which is neither equal nor unequal to itself."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def resolve_each(
    top: Top,
    n_pos: Ints | Floats,
    n_neg: Ints | Floats,
    *,
    of_negatives: bool = False,
) -> Ints:
    """Resolve `top` in every group, by its numbers of positives and negatives or the weights of both.

    0 where the group is too small. With `of_negatives` the list that has a top is that of the negatives.
    """
    if max(n_pos.max(initial=0), n_neg.max(initial=0)) > 2**53:
        raise ValueError(
            "sample_weight must sum to at most 2**53 where a top counts items by weight, above which floats "
            "skip whole numbers: divide the weights by their mean"
        )
    # `resolve` is written for numbers of items; weights go in as fractions, which it calculates in anyway.
    exact: type[int] = Fraction if n_pos.dtype.kind == "f" else int  # type: ignore[assignment]
    sizes = list(zip(n_pos.tolist(), n_neg.tolist(), strict=True))
    k = dict.fromkeys(sizes, 0)
    for pos, neg in k:
        with suppress(ValueError):
            k[pos, neg] = top.resolve(
                exact(neg) + (0 if of_negatives else exact(pos)), exact(pos)
            )
    return np.array([k[size] for size in sizes], np.int64)


@dataclass(frozen=True)
class RankingSample:
    """A sample sorted by group, positives first within each group.

    Attributes
    ----------
    order : ndarray of shape (n,)
        Positions in the caller's arrays, in layout order.
    start : ndarray of shape (n_groups + 1,)
        Group `g` occupies ``order[start[g]:start[g + 1]]``.
    n_pos, n_neg : ndarray of shape (n_groups,)
        Positives and negatives of each group; its positives come first.
    """

    order: Ints
    start: Ints
    n_pos: Ints
    n_neg: Ints

    @classmethod
    def from_labels(
        cls, y: ArrayLike, groups: ArrayLike | None = None
    ) -> RankingSample:
        """Lay out labels `y` (see `check_labels`) by `groups`; without groups, all items are one."""
        labels = check_labels(y)
        n = len(labels)
        codes = np.zeros(n, np.int64) if groups is None else check_groups(groups, n)
        order = np.lexsort((1 - labels, codes)).astype(np.int64)
        size = np.bincount(codes)
        n_pos = np.bincount(codes, weights=labels).astype(np.int64)
        start = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
        return cls(order, start, n_pos, (size - n_pos).astype(np.int64))

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.n_pos)

    def amounts(self, weight: Floats | None) -> tuple[Ints | Floats, Ints | Floats]:
        """Weigh the positives and the negatives of each group; without weights, count them."""
        if weight is None:
            return self.n_pos, self.n_neg
        block = np.repeat(
            np.arange(2 * self.n_groups),
            np.column_stack([self.n_pos, self.n_neg]).ravel(),
        )
        total = np.bincount(
            block, weights=weight[self.order], minlength=2 * self.n_groups
        )
        return total[0::2].astype(np.float64), total[1::2].astype(np.float64)

    def select(self, keep: Bools) -> RankingSample:
        """Restrict to the groups where `keep` is true; `order` still refers to all items."""
        size = np.diff(self.start)
        order = self.order[np.repeat(keep, size)]
        start = np.concatenate([[0], np.cumsum(size[keep])]).astype(np.int64)
        return RankingSample(order, start, self.n_pos[keep], self.n_neg[keep])


#: Begins the message of scikit-learn's about text among features.
NO_NUMBER = "could not convert string to float"


def how_to_encode(message: str, name: str) -> str:
    """Extend scikit-learn's message about text among the features by a remedy."""
    return (
        f"{message}: {name} takes numbers only. Encode text columns first:\n"
        "    encode = OneHotEncoder(handle_unknown='ignore', sparse_output=False)\n"
        "    make_column_transformer((encode, make_column_selector(dtype_exclude='number')), "
        "remainder='passthrough')"
    )
