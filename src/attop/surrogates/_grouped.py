"""Surrogates with a compiled kernel: groups, their k, and the call of the kernel."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from types import ModuleType
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from attop._core.compiled import allowed_threads
from attop._core.sample import RankingSample, resolve_each
from attop._core.top import Top
from attop._core.typing import Bools, Floats, Ints, TopLike
from attop.surrogates._base import BoundSurrogate, Surrogate, check_shape, eligible

#: Numbers of items, or their weights.
Amounts = Ints | Floats
#: k of each group, where the surrogate is defined, and in words what that takes.
KOfGroups = tuple[Amounts, Bools, str]
#: What `attop.surrogates._kernels.groups.over_groups` returns.
Kernel = Callable[..., None]

#: Number of scores from which threads, which take 0.1 ms to start, make a call faster.
_WORTH_THREADS = 200_000
#: The groups are divided, for threads, into at most this many parts of at least this many items.
_MOST_PARTS = 16
_LEAST_ITEMS = 1000
#: Models whose scores are copied at a time: one cache line of a row of scores.
_TILE = 8


class GroupedSurrogate(Surrogate):
    """A surrogate whose value is the mean over the groups it is defined on.

    Attributes
    ----------
    loss : str
        Name of the compiled loss in the module of `_kernels`; that of items with weights begins "weighted_".
    """

    convex = True
    smooth = False
    loss: ClassVar[str]

    @abstractmethod
    def _kernels(self) -> ModuleType:
        """Import the module of the compiled losses, and numba with it, when a surrogate is first bound."""

    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> KOfGroups:
        """Resolve k of each group; tell where the surrogate is defined, and say what that takes.

        Of each group are given the number of positives and of negatives, or the weight of both. A surrogate
        without a k is defined where there are both.
        """
        return (
            np.ones(len(n_pos), np.int64),
            (n_pos > 0) & (n_neg > 0),
            "a positive and a negative",
        )

    def _constant(self) -> float:
        """Parameter that the kernel takes besides k, such as beta."""
        return 1.0

    def _bind(
        self, y: ArrayLike, groups: ArrayLike | None, weight: Floats | None
    ) -> BoundSurrogate:
        sample = RankingSample.from_labels(y, groups)
        k, defined, need = self._group_k(*sample.amounts(weight))
        eligible_sample = eligible(sample, defined, need, weight)
        k = k[defined]
        loss = self.loss if weight is None else f"weighted_{self.loss}"
        return BoundKernel(
            kernel=getattr(self._kernels(), loss),
            sample=eligible_sample,
            k=k,
            n=len(sample.order),
            n_left_out=sample.n_groups - eligible_sample.n_groups,
            weight=1.0 / eligible_sample.n_groups,
            item_weight=np.zeros(0)
            if weight is None
            else weight[eligible_sample.order],
            constant=self._constant(),
        )

    def k_of_groups(self, n_pos: Ints, n_neg: Ints) -> tuple[Amounts, Bools]:
        """Resolve k of each group and tell where the surrogate is defined; raises a ValueError if nowhere."""
        k, defined, need = self._group_k(n_pos, n_neg)
        empty = RankingSample(
            np.zeros(0, np.int64), np.zeros(len(n_pos) + 1, np.int64), n_pos, n_neg
        )
        eligible(empty, defined, need)
        return k, defined


class TopSurrogate(GroupedSurrogate):
    """A grouped surrogate of the top of the list.

    Parameters
    ----------
    top : Top, int or mapping
        Resolved in each group; an integer is k. See `attop.Top`.
    """

    def __init__(self, top: TopLike):
        self.top = Top.of(top)

    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> KOfGroups:
        k = resolve_each(self.top, n_pos, n_neg)
        return (
            k,
            (k > 0) & (n_pos > 0),
            f"a positive, and at least k items ({self.top})",
        )


def against_negatives(
    top: Top, n_pos: Amounts, n_neg: Amounts
) -> tuple[Ints, Bools, str]:
    """Resolve k of each group; tell where it has a positive and k negatives, and say so in words."""
    k = resolve_each(top, n_pos, n_neg)
    defined = (n_pos > 0) & (k > 0) & (k <= n_neg)
    return k, defined, f"a positive and at least k negatives ({top})"


def check_positive(name: str, value: float) -> float:
    """Convert a parameter to a float; refuse anything but a positive number."""
    if isinstance(value, bool) or not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be a positive number, got {value!r}")
    return float(value)


@dataclass(eq=False)
class BoundKernel(BoundSurrogate):
    """A sample, and the kernel that adds up the losses of its groups.

    `sample` and `k` are of the groups the surrogate is defined on, `n` counts the items of the others too,
    and `n_left_out` these. A group weighs `weight`; `item_weight`, in the order of the sample, is empty where
    all items weigh 1. See `attop.surrogates._kernels.groups.over_groups`.
    """

    kernel: Kernel
    sample: RankingSample
    k: Amounts
    n: int
    n_left_out: int
    weight: float
    item_weight: Floats
    constant: float

    def __post_init__(self) -> None:
        sample = self.sample
        self.n_groups = sample.n_groups
        self._longest = int(np.diff(sample.start).max())
        self._parts = _divide(
            sample, max(_LEAST_ITEMS, len(sample.order) // _MOST_PARTS)
        )

    @cached_property
    def _threads(self) -> int:
        return allowed_threads()

    def __call__(self, scores: Floats) -> tuple[float | Floats, Floats]:
        """Compute value and subgradient in score space; see `BoundSurrogate`.

        A model with a score that is not finite has value NaN. Many groups are shared among as many
        threads as the BLAS may use; the result does not depend on their number.
        """
        check_shape(scores, self.n)
        columns = scores if scores.ndim == 2 else scores[:, np.newaxis]
        # Kernels are compiled for these alone.
        columns = np.require(columns, np.float64, ["C", "W"])
        values = np.zeros((len(self._parts), columns.shape[1]))
        # Kernels write the rows of all groups kept; zeroing them first would be another pass over memory.
        coef = (np.empty if len(self.sample.order) == self.n else np.zeros)(
            columns.shape
        )

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

    def _add(
        self, columns: Floats, first: int, last: int, value: Floats, coef: Floats
    ) -> None:
        sample = self.sample
        longest = self._longest
        self.kernel(
            columns,
            sample.order,
            sample.start[first : last + 1],
            sample.n_pos[first:last],
            self.k[first:last],
            self.weight,
            value,
            coef,
            self.item_weight,
            self.constant,
            np.empty((min(columns.shape[1], _TILE), longest)),
            np.empty((2, longest)),
            np.empty((2, longest), np.int64),
        )

    def blocks(self, n_items: int) -> list[tuple[slice | Ints, BoundSurrogate]]:
        """Divide between groups; see `BoundSurrogate`. Blocks that are runs of rows are slices."""
        return [
            self._block(first, last)
            for first, last in _divide(self.sample, n_items)
        ]

    def _block(self, first: int, last: int) -> tuple[slice | Ints, BoundSurrogate]:
        whole = self.sample
        start = whole.start[first : last + 1]
        items = whole.order[start[0] : start[-1]]
        low = int(items.min())
        high = int(items.max()) + 1
        rows: slice | Ints
        # A slice makes no copy; it may hold rows of groups without a loss.
        if high - low <= 2 * len(items):
            rows = slice(low, high)
            order = items - low
            n = high - low
        else:
            rows = np.sort(items)
            order = np.searchsorted(rows, items)
            n = len(items)
        block = replace(
            self,
            sample=RankingSample(
                order,
                start - start[0],
                whole.n_pos[first:last],
                whole.n_neg[first:last],
            ),
            k=self.k[first:last],
            n=n,
            n_left_out=0,
            item_weight=self.item_weight[start[0] : start[-1]],
        )
        return rows, block


def _divide(sample: RankingSample, n_items: int) -> list[tuple[int, int]]:
    """Divide the groups, by nothing but their sizes, into runs of about `n_items` items each."""
    n = int(sample.start[-1])
    bounds = np.searchsorted(
        sample.start, np.linspace(0, n, max(1, n // n_items) + 1)
    )
    return [(int(a), int(b)) for a, b in pairwise(bounds) if a < b]
