"""What surrogates with a compiled kernel share: groups, their k, and the call of the kernel."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from importlib import import_module
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop.sample import RankingSample
from attop.surrogates.base import BoundSurrogate, Surrogate, eligible
from attop.top import Top

__all__ = ["GroupedSurrogate", "TopSurrogate", "check_shape", "resolve_each"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class GroupedSurrogate(Surrogate):
    """A surrogate whose value is the mean over the groups it is defined on.

    Attributes
    ----------
    kernel : str
        Module below `attop.surrogates.kernels` and its constant for the loss, as ``"module:LOSS"``. The
        module, and with it numba, is imported when the surrogate is first bound.
    """

    kernel: ClassVar[str]

    @abstractmethod
    def _group_k(self, sample: RankingSample) -> tuple[Ints, NDArray[np.bool_], str]:
        """Return k of each group, where the surrogate is defined, and what that takes, in words."""

    def bind(self, y: ArrayLike, groups: ArrayLike | None = None) -> BoundSurrogate:
        """Prepare for a sample: labels of shape (n,), and groups of shape (n,) or None for a single one.

        Raises
        ------
        ValueError
            If the surrogate is undefined on every group.
        """
        sample = RankingSample.from_labels(y, groups)
        k, defined, need = self._group_k(sample)
        kept = eligible(sample, defined, need)
        return _BoundKernel(self.kernel, kept, k[defined], len(sample.order), sample.n_groups)


class TopSurrogate(GroupedSurrogate):
    """A grouped surrogate of the top of the list.

    Parameters
    ----------
    top : Top, int or mapping
        Resolved in each group; an integer is k. See `attop.top.Top`.
    """

    def __init__(self, top: Top | int | Mapping[str, float]):
        self.top = Top.of(top)


def resolve_each(top: Top, sample: RankingSample) -> Ints:
    """Resolve `top` in every group; 0 where the group is too small."""
    k = np.zeros(sample.n_groups, np.int64)
    for g, (n_pos, n_neg) in enumerate(zip(sample.n_pos.tolist(), sample.n_neg.tolist(), strict=True)):
        try:
            k[g] = top.resolve(n_pos + n_neg, n_pos)
        except ValueError:
            k[g] = 0
    return k


def check_shape(scores: Floats, n: int) -> None:
    """Refuse scores that are not of shape (n,) or (n, m)."""
    if scores.ndim not in (1, 2) or len(scores) != n:
        raise ValueError(f"scores must have shape ({n},) or ({n}, m), got {scores.shape}")


class _BoundKernel(BoundSurrogate):
    def __init__(self, kernel: str, sample: RankingSample, k: Ints, n: int, n_groups: int):
        module, loss = kernel.split(":")
        kernels = import_module(f"attop.surrogates.kernels.{module}")
        self._evaluate, self._loss = kernels.evaluate, getattr(kernels, loss)
        self._sample = sample
        self._k = np.ascontiguousarray(k, dtype=np.int64)
        self.n = n
        self.n_groups = sample.n_groups
        self.n_left_out = n_groups - sample.n_groups

    def __call__(self, scores: Floats) -> tuple[float | Floats, Floats]:
        """Return value and subgradient in score space; see `BoundSurrogate`.

        A model with a score that is not finite has value NaN.
        """
        check_shape(scores, self.n)
        columns = scores if scores.ndim == 2 else scores[:, np.newaxis]
        columns = np.ascontiguousarray(columns, dtype=np.float64)
        value = np.zeros(columns.shape[1])
        coef = np.zeros(columns.shape)
        sample = self._sample
        self._evaluate(
            self._loss,
            columns,
            sample.order,
            sample.start,
            sample.n_pos,
            self._k,
            1.0 / self.n_groups,
            value,
            coef,
        )
        if scores.ndim == 1:
            return float(value[0]), coef[:, 0]
        return value, coef
