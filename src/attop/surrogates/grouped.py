"""What surrogates with a compiled kernel share: groups, their k, and the call of the kernel."""

from __future__ import annotations

from abc import abstractmethod
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop.core.compiled import allowed_threads
from attop.core.sample import RankingSample
from attop.core.top import Top
from attop.core.typing import Floats, Ints, TopLike
from attop.surrogates.base import BoundSurrogate, Surrogate, eligible

__all__ = [
    "Amounts",
    "BoundKernel",
    "GroupedSurrogate",
    "TopSurrogate",
    "against_negatives",
    "check_shape",
    "resolve_each",
]


#: Numbers of items, or their weights.
Amounts = Ints | Floats

#: Number of scores from which threads, which take 0.1 ms to start, make a call faster.
_WORTH_THREADS = 200_000
#: The groups are divided, for threads, into at most this many parts of at least this many items.
_MOST_PARTS = 16
_LEAST_ITEMS = 1000


class GroupedSurrogate(Surrogate):
    """A surrogate whose value is the mean over the groups it is defined on.

    Attributes
    ----------
    kernel : str
        Module below `attop.surrogates.kernels` and its constant for the loss, as ``"module:LOSS"``. The
        module, and with it numba, is imported when the surrogate is first bound.
    takes_weights : bool
        Whether items may have weights.
    """

    kernel: ClassVar[str]
    takes_weights: ClassVar[bool] = True

    @abstractmethod
    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> tuple[Amounts, NDArray[np.bool_], str]:
        """Return k of each group, where the surrogate is defined, and what that takes, in words.

        Of each group are given the number of positives and of negatives, or the weight of both.
        """

    def _constants(self) -> tuple[float, ...]:
        """Return what else the kernel takes."""
        return ()

    def _bind(self, y: ArrayLike, groups: ArrayLike | None) -> BoundSurrogate:
        sample = RankingSample.from_labels(y, groups)
        return self._bound(sample, sample.n_pos, sample.n_neg, None)

    def _bind_weighted(self, y: ArrayLike, groups: ArrayLike | None, weight: Floats) -> BoundSurrogate:
        if not self.takes_weights:
            return super()._bind_weighted(y, groups, weight)
        sample = RankingSample.from_labels(y, groups)
        return self._bound(sample, *sample.amounts(weight), weight)

    def _bound(
        self, sample: RankingSample, n_pos: Amounts, n_neg: Amounts, weight: Floats | None
    ) -> BoundSurrogate:
        k, defined, need = self._group_k(n_pos, n_neg)
        return BoundKernel(
            self.kernel,
            eligible(sample, defined, need, weight),
            k[defined],
            len(sample.order),
            sample.n_groups,
            item_weight=np.zeros(0) if weight is None else weight,
            constants=self._constants(),
        )


class TopSurrogate(GroupedSurrogate):
    """A grouped surrogate of the top of the list.

    Parameters
    ----------
    top : Top, int or mapping
        Resolved in each group; an integer is k. See `attop.core.top.Top`.
    """

    def __init__(self, top: TopLike):
        self.top = Top.of(top)

    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> tuple[Amounts, NDArray[np.bool_], str]:
        k = resolve_each(self.top, n_pos, n_neg)
        return k, (k > 0) & (n_pos > 0), f"a positive, and at least k items ({self.top})"


def resolve_each(top: Top, n_pos: Amounts, n_neg: Amounts, *, of_negatives: bool = False) -> Ints:
    """Resolve `top` in every group, by its numbers of positives and negatives or the weights of both.

    0 where the group is too small. With `of_negatives` the list that has a top is that of the negatives.
    """
    # `resolve` is written for numbers of items; weights go in as fractions, which it calculates in anyway.
    exact: Any = Fraction if n_pos.dtype.kind == "f" else int
    k = np.zeros(len(n_pos), np.int64)
    for g, (pos, neg) in enumerate(zip(n_pos.tolist(), n_neg.tolist(), strict=True)):
        try:
            k[g] = top.resolve(exact(neg) + (0 if of_negatives else exact(pos)), exact(pos))
        except ValueError:
            k[g] = 0
    return k


def against_negatives(top: Top, n_pos: Amounts, n_neg: Amounts) -> tuple[Ints, NDArray[np.bool_], str]:
    """Return k of each group, where there are a positive and k negatives, and that in words."""
    k = resolve_each(top, n_pos, n_neg)
    defined = (n_pos > 0) & (k > 0) & (k <= n_neg)
    return k, defined, f"a positive and at least k negatives ({top})"


def check_shape(scores: Floats, n: int) -> None:
    """Refuse scores that are not of shape (n,) or (n, m)."""
    if scores.ndim not in (1, 2) or len(scores) != n:
        raise ValueError(f"scores must have shape ({n},) or ({n}, m), got {scores.shape}")


class BoundKernel(BoundSurrogate):
    """A sample, and the kernel that adds up the losses of its groups.

    Parameters
    ----------
    kernel : str
        See `GroupedSurrogate`.
    sample : RankingSample
        Of the groups the surrogate is defined on.
    k : ndarray of shape (n_groups,)
    n : int
        Items, also of other groups.
    n_groups : int
        Groups there were.
    weight : float, optional
        Of a group; by default the value is the mean over the groups.
    item_weight : ndarray of shape (n,) or (0,)
        Empty where all weigh 1.
    constants : tuple
        What else the kernel takes.
    """

    def __init__(
        self,
        kernel: str,
        sample: RankingSample,
        k: Amounts,
        n: int,
        n_groups: int,
        weight: float | None = None,
        *,
        item_weight: Floats,
        constants: tuple[float, ...],
    ):
        module, loss = kernel.split(":")
        kernels = import_module(f"attop.surrogates.kernels.{module}")
        self._evaluate, self._loss = kernels.evaluate, getattr(kernels, loss)
        self._kernel, self._sample = kernel, sample
        self._item_weight, self._constants = item_weight, constants
        self._more: tuple[Any, ...] = (*constants, item_weight)
        self._k: Any = np.ascontiguousarray(k)
        self._weight = 1.0 / sample.n_groups if weight is None else weight
        self._parts = _divide(sample, max(_LEAST_ITEMS, len(sample.order) // _MOST_PARTS))
        self.n = n
        self.n_groups = sample.n_groups
        self.n_left_out = n_groups - sample.n_groups

    @cached_property
    def _threads(self) -> int:
        return allowed_threads()

    def __call__(self, scores: Floats) -> tuple[float | Floats, Floats]:
        """Return value and subgradient in score space; see `BoundSurrogate`.

        A model with a score that is not finite has value NaN. Many groups are shared among as many
        threads as the BLAS may use; the result does not depend on their number.
        """
        check_shape(scores, self.n)
        columns = scores if scores.ndim == 2 else scores[:, np.newaxis]
        columns = np.ascontiguousarray(columns, dtype=np.float64)
        values = np.zeros((len(self._parts), columns.shape[1]))
        # Kernels write the rows of all groups kept; zeroing them first would be another pass over memory.
        coef = (np.empty if len(self._sample.order) == self.n else np.zeros)(columns.shape)

        def add(part: tuple[int, int], value: Floats) -> None:
            self._add(columns, *part, value, coef)

        if len(values) > 1 and columns.size >= _WORTH_THREADS and self._threads > 1:
            with ThreadPoolExecutor(self._threads) as threads:
                list(threads.map(add, self._parts, values))
        else:
            list(map(add, self._parts, values))
        total = values[0] if len(values) == 1 else values.sum(axis=0)
        if scores.ndim == 1:
            return float(total[0]), coef[:, 0]
        return total, coef

    def _add(self, columns: Floats, first: int, last: int, value: Floats, coef: Floats) -> None:
        sample = self._sample
        start, n_pos, k = sample.start[first : last + 1], sample.n_pos[first:last], self._k[first:last]
        self._evaluate(
            self._loss, columns, sample.order, start, n_pos, k, self._weight, value, coef, *self._more
        )

    def blocks(self, n_items: int) -> list[tuple[slice | Ints, BoundSurrogate]]:
        """Divide between groups; see `BoundSurrogate`. Blocks that are runs of rows are slices."""
        return [self._block(first, last) for first, last in _divide(self._sample, n_items)]

    def _block(self, first: int, last: int) -> tuple[slice | Ints, BoundSurrogate]:
        whole = self._sample
        start = whole.start[first : last + 1]
        items = whole.order[start[0] : start[-1]]
        low, high = int(items.min()), int(items.max()) + 1
        rows: slice | Ints
        if high - low <= 2 * len(items):  # a slice makes no copy; it may hold rows of groups without a loss
            rows, order, n = slice(low, high), items - low, high - low
        else:
            rows = np.sort(items)
            order, n = np.searchsorted(rows, items), len(items)
        sample = RankingSample(order, start - start[0], whole.n_pos[first:last], whole.n_neg[first:last])
        block = BoundKernel(
            self._kernel,
            sample,
            self._k[first:last],
            n,
            sample.n_groups,
            self._weight,
            item_weight=self._item_weight[rows] if len(self._item_weight) else self._item_weight,
            constants=self._constants,
        )
        return rows, block


def _divide(sample: RankingSample, n_items: int) -> list[tuple[int, int]]:
    """Divide the groups, by nothing but their sizes, into runs of about `n_items` items each."""
    n = int(sample.start[-1])
    bounds = np.searchsorted(sample.start, np.linspace(0, n, max(1, n // n_items) + 1))
    return [(int(a), int(b)) for a, b in pairwise(bounds) if a < b]
