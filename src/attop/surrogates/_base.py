"""The contract of a surrogate: a function of scores that knows nothing of features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from attop._core.sample import RankingSample, as_floats, check_weights
from attop._core.typing import Bools, Floats, Ints

#: First and second derivative at a step along a line.
Slope = Callable[[float], tuple[float, float]]


class BoundSurrogate(ABC):
    """A surrogate bound to the labels and groups of one sample; solvers call it once an iteration.

    Attributes
    ----------
    n : int
        Items of the sample.
    n_groups : int
        Groups the value is the mean of.
    n_left_out : int
        Groups left out because the surrogate is undefined on them, for example for lack of a positive.
    surrogate : Surrogate or None
        What was bound. Solvers ask it whether it is convex and smooth.
    """

    surrogate: Surrogate | None = None
    n: int
    n_groups: int
    n_left_out: int

    @abstractmethod
    def __call__(self, scores: Floats) -> tuple[float | Floats, Floats]:
        """Compute value and subgradient in score space.

        Parameters
        ----------
        scores : ndarray of shape (n,) or (n, m)
            Scores of one model, or of `m` models in columns.

        Returns
        -------
        value : float, or ndarray of shape (m,)
        coef : ndarray of the shape of `scores`
            ``X.T @ coef`` is a subgradient in ``w`` at ``scores = X @ w``.
        """

    def blocks(self, n_items: int) -> list[tuple[slice | Ints, BoundSurrogate]]:
        """Divide into parts of the sample that do not need each other's scores.

        Parameters
        ----------
        n_items : int
            About the size of a part.

        Returns
        -------
        blocks : list of (rows, loss)
            The values at ``scores[rows]`` add up to the value; the coefficients are those of the rows. Rows
            in no block have coefficients 0. A sample that cannot be divided is one block of all rows.
        """
        return [(slice(None), self)]


class AlongLine(BoundSurrogate):
    """A bound surrogate with derivatives along a line, blind to a common shift of the scores."""

    @abstractmethod
    def along(self, scores: Floats, direction: Floats | Bools) -> Slope:
        """Make ``step -> (first, second derivative)`` of the value at ``scores + step * direction``."""


class Surrogate(ABC):
    """A loss of scores; a subclass implements `_bind`.

    Attributes
    ----------
    name : str
        Name in configurations; empty for one that cannot be made from a top alone.
    convex : bool
        Whether the value is convex in the scores.
    smooth : bool
        Whether the value is differentiable everywhere.
    """

    name: ClassVar[str] = ""
    convex: ClassVar[bool]
    smooth: ClassVar[bool]
    #: Why it takes no weights; empty for one that does.
    no_weights: ClassVar[str] = ""

    def bind(
        self,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> BoundSurrogate:
        """Prepare for a sample.

        Parameters
        ----------
        y : array-like of shape (n,)
        groups : array-like of shape (n,), optional
            Without, the sample is one group.
        sample_weight : array-like of shape (n,), optional
            At least 0; an item of weight 2 counts as two equal items. Wherever the definition or a top
            counts items, positives or negatives, it is their weight that counts. Groups are not weighted.

        Raises
        ------
        ValueError
            If the surrogate is undefined on every group, a weight is negative or not finite, or the
            surrogate takes none.
        """
        weight = (
            None
            if sample_weight is None
            else check_weights(sample_weight, len(np.asarray(y)))
        )
        if weight is not None and self.no_weights:
            raise ValueError(
                f"{type(self).__name__} takes no sample_weight: {self.no_weights}"
            )
        bound = self._bind(y, groups, weight)
        bound.surrogate = self
        return bound

    @abstractmethod
    def _bind(
        self, y: ArrayLike, groups: ArrayLike | None, weight: Floats | None
    ) -> BoundSurrogate:
        """Bind to a sample; `weight` is checked, and None where all items weigh 1."""

    def value_and_coef(
        self,
        scores: ArrayLike,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> tuple[float | Floats, Floats]:
        """Compute value and subgradient for `scores` of shape (n,) or (n, m); see `BoundSurrogate`."""
        bound = self.bind(y, groups, sample_weight)
        scores = as_floats(scores)
        check_shape(scores, bound.n)
        return bound(scores)

    def __repr__(self) -> str:
        fields = ", ".join(f"{k}={v!r}" for k, v in vars(self).items())
        return f"{type(self).__name__}({fields})"


def check_shape(scores: Floats, n: int) -> None:
    """Refuse scores that are not of shape (n,) or (n, m)."""
    if scores.ndim not in (1, 2) or len(scores) != n:
        raise ValueError(
            f"scores must have shape ({n},) or ({n}, m), got {scores.shape}"
        )


def of_both_classes(
    y: ArrayLike, groups: ArrayLike | None, weight: Floats | None = None
) -> tuple[RankingSample, RankingSample]:
    """Make a sample, and that of its groups with a positive and a negative; see `eligible`."""
    sample = RankingSample.from_labels(y, groups)
    n_pos, n_neg = sample.amounts(weight)
    return sample, eligible(
        sample, (n_pos > 0) & (n_neg > 0), "a positive and a negative", weight
    )


def eligible(
    sample: RankingSample, keep: Bools, need: str, weight: Floats | None = None
) -> RankingSample:
    """Keep the groups a surrogate is defined on; refuse a sample without any."""
    if not keep.any():
        if weight is not None:
            n_pos, n_neg = sample.amounts(weight)
            raise ValueError(
                f"no group has {need}, counted by sample_weight: the positives of a group weigh up to "
                f"{n_pos.max():g}, the negatives up to {n_neg.max():g}; lower k or scale the weights"
            )
        pos = int(sample.n_pos.max())
        neg = int(sample.n_neg.max())
        raise ValueError(
            f"no group has {need}: the {sample.n_groups} groups have up to {pos} positives and up to "
            f"{neg} negatives; lower k, or do without groups"
            if sample.n_groups > 1
            else f"the sample needs {need}, got {pos} positives and {neg} negatives: lower k or add data"
        )
    return sample if keep.all() else sample.select(keep)
