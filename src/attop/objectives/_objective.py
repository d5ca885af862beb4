"""A surrogate as the objective of a booster: a derivative and a positive second one for every item."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attop._core.sample import as_floats
from attop._core.top import Top
from attop._core.typing import Floats, Ints, TopLike
from attop.surrogates._base import BoundSurrogate, Surrogate
from attop.surrogates._registry import SURROGATES, get_surrogate

#: The least second derivative of an item of weight 1: that of log-odds of 14.
_LEAST = 1e-6
#: Rows that are computed at a time.
_BLOCK = 16_384


class Objective:
    r"""First and second derivatives of a surrogate, for boosting by Newton steps.

    With c the coefficients of the surrogate at scores s (see `attop.surrogates.BoundSurrogate`) and w the
    weights of the items, an item's first and second derivative are

    .. math:: g_i = \frac{c_i}{\max_j |c_j| / w_j}, \qquad
              h_i = \max\bigl(|g_i|, \; w_i \, p_i (1 - p_i)\bigr), \qquad p_i = \frac{1}{1 + e^{-s_i}}.

    Parameters
    ----------
    surrogate : str or Surrogate
        Such as ``"prec@k-soft"``, see `attop.get_surrogate`.
    top : Top, int or mapping, optional
        For a surrogate given by its name, where it has a top; resolved in each group.

    Raises
    ------
    ValueError
        If the surrogate is unknown.
    TypeError
        If it has a top and there is none.

    Notes
    -----
    Most surrogates have no second derivative that is positive, or none at all. That of log loss takes its
    place: where scores are log-odds, :math:`p (1 - p)` is the Fisher information of an item, and a leaf's
    :math:`-\sum g / \sum h` a step along the natural gradient. An item whose class is all but certain has
    next to none; at least :math:`|g|` keeps the step of every leaf within 1. So start from a model of log
    loss, whose scores are log-odds; where all scores are zero there is no list yet to improve the top of.

    The scale makes the largest derivative 1, what log loss gives an item it is wholly wrong about, so that
    a learning rate, a penalty of leaves and a least sum of second derivatives mean what they mean there. It
    is taken again each round: as the loss falls, steps do not shrink with it. The number of rounds ends
    training, by the evaluation metric.

    Examples
    --------
    >>> g, h = Objective("prec@k-ramp", 1).derivatives([2.0, 1.0, 0.0], [0, 1, 0])
    >>> g.tolist(), h.round(3).tolist()
    ([1.0, -1.0, 0.0], [1.0, 1.0, 0.25])
    """

    def __init__(self, surrogate: str | Surrogate, top: TopLike | None = None):
        self.surrogate = surrogate_of(surrogate, top)
        self._last: tuple[list[Any], BoundSurrogate] | None = None

    def value_and_gradient(
        self,
        scores: ArrayLike,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> tuple[float, Floats]:
        """Compute the surrogate's value and coefficients, as `Surrogate.value_and_coef` does."""
        value, gradient = self._bind(y, groups, sample_weight)(as_floats(scores))
        return float(value), gradient

    def derivatives(
        self,
        scores: ArrayLike,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> tuple[Floats, Floats]:
        """Compute first and second derivatives, each of shape (n,); parameters as `Surrogate.value_and_coef`.

        Items of weight 0 have derivatives 0, as has an item whose score does not change the loss.
        """
        _, gradient = self.value_and_gradient(scores, y, groups, sample_weight)
        weight = None if sample_weight is None else as_floats(sample_weight)
        size = gradient
        if weight is not None:
            size = np.divide(
                gradient, weight, out=np.zeros_like(gradient), where=weight > 0
            )
        largest = max(size.max(), -size.min())
        if largest > 0:
            gradient /= largest
        return gradient, _second_derivatives(as_floats(scores), gradient, weight)

    def _bind(
        self,
        y: ArrayLike,
        groups: ArrayLike | None,
        sample_weight: ArrayLike | None,
    ) -> BoundSurrogate:
        """Bind to a sample, or reuse the last binding: a booster brings the same sample every round."""
        sample = [
            None if values is None else np.asarray(values)
            for values in (y, groups, sample_weight)
        ]
        if self._last is None or not all(map(_equal, self._last[0], sample)):
            bound = self.surrogate.bind(y, groups, sample_weight)
            self._last = [None if a is None else a.copy() for a in sample], bound
        return self._last[1]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_last": None}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.surrogate!r})"


def _second_derivatives(
    scores: Floats, gradient: Floats, weight: Floats | None
) -> Floats:
    """Compute max(|g|, w p (1 - p)); p (1 - p) is e / (1 + e)^2 with e = exp(-|s|)."""
    second = np.empty_like(gradient)
    # In cache: at a million rows fresh memory costs more than the arithmetic.
    for first in range(0, len(scores), _BLOCK):
        rows = slice(first, first + _BLOCK)
        e = np.exp(-np.abs(scores[rows]))
        of_log_loss = np.maximum(e / (1.0 + e) ** 2, _LEAST)
        if weight is not None:
            of_log_loss *= weight[rows]
        np.maximum(of_log_loss, np.abs(gradient[rows]), out=second[rows])
    return second


def surrogate_of(surrogate: str | Surrogate, top: TopLike | None) -> Surrogate:
    """Make a surrogate from its name and `top`, or take an object; refuse one that lacks its top."""
    if top is None and isinstance(surrogate, str) and surrogate in SURROGATES:
        kind: Any = SURROGATES[surrogate]
        if "top" in inspect.signature(kind).parameters:
            raise TypeError(
                f"{surrogate} is a loss of the top: give top, for example {{'tau': 0.05}}"
            )
    return get_surrogate(surrogate, Top(k=1) if top is None else Top.of(top))


def read_call(
    first: Any, second: Any, weight: Any, group: Any = None
) -> tuple[Any, Any, Any, Any]:
    """Read scores, labels, groups and weights: of (scores, data set), or of (y, scores, weight, group)."""
    if not hasattr(second, "get_label"):
        return second, first, codes_of(group), weight
    weight = second.get_weight()
    return (
        first,
        second.get_label(),
        codes_of(second.get_group()),
        None if weight is None or not len(weight) else weight,
    )


def codes_of(sizes: ArrayLike | None) -> Ints | None:
    """Code the group of each row from the sizes of consecutive groups; None for one list."""
    if sizes is None:
        return None
    counts = np.asarray(sizes, dtype=np.int64)
    return np.repeat(np.arange(len(counts)), counts) if len(counts) else None


def _equal(one: Any, other: Any) -> bool:
    return one is other or (
        one is not None and other is not None and np.array_equal(one, other)
    )
