"""Pointwise losses for reference: hinge and logistic."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from attop._core.sample import check_labels
from attop._core.typing import Floats
from attop.surrogates._base import BoundSurrogate, Surrogate, check_shape


class _PointwiseLoss(Surrogate):
    convex = True

    @staticmethod
    @abstractmethod
    def loss(margin: Floats) -> tuple[Floats, Floats]:
        """Compute loss and derivative at margins ``+s`` of positives and ``-s`` of negatives."""

    def _bind(
        self, y: ArrayLike, groups: ArrayLike | None, weight: Floats | None
    ) -> BoundSurrogate:
        sign = np.where(check_labels(y) == 1, 1.0, -1.0)
        if weight is not None and not weight.any():
            raise ValueError("all items weigh 0: give some of them weight")
        return _BoundPointwise(
            type(self), sign, None if weight is None else weight / weight.sum()
        )


class _BoundPointwise(BoundSurrogate):
    n_groups = 1
    n_left_out = 0

    def __init__(
        self, loss: type[_PointwiseLoss], sign: Floats, share: Floats | None
    ):
        self.n = len(sign)
        self._loss = loss.loss
        self._sign = sign
        self._share = share  # share of each item in the mean; None if all are equal

    def __call__(self, scores: Floats) -> tuple[float | Floats, Floats]:
        """Compute value and subgradient in score space; see `BoundSurrogate`."""
        check_shape(scores, self.n)
        sign = self._sign if scores.ndim == 1 else self._sign[:, np.newaxis]
        # NaN in, NaN out: the solver looks at the value.
        with np.errstate(invalid="ignore"):
            loss, slope = self._loss(sign * scores)
        if self._share is None:
            value = loss.mean(axis=0)
            coef = sign * slope / self.n
        else:
            share = self._share if scores.ndim == 1 else self._share[:, np.newaxis]
            value = self._share @ loss
            coef = sign * slope * share
        return (float(value) if scores.ndim == 1 else value), coef


class HingeLoss(_PointwiseLoss):
    r"""Mean hinge loss :math:`\frac{1}{n} \sum_i (1 - \pm s_i)_+`, + for positives, - for negatives.

    Notes
    -----
    The linear SVM's loss. An upper bound of the error rate of the rule s > 0; zero if all positives
    score at least 1 and all negatives at most -1. All items count alike: `groups` are pooled.
    """

    name = "hinge"
    smooth = False

    @staticmethod
    def loss(margin: Floats) -> tuple[Floats, Floats]:
        """Compute loss and derivative at margins."""
        return np.maximum(1.0 - margin, 0.0), np.where(margin < 1.0, -1.0, 0.0)


class LogisticLoss(_PointwiseLoss):
    r"""Mean logistic loss :math:`\frac{1}{n} \sum_i \log(1 + \exp(\mp s_i))`, - for positives.

    Notes
    -----
    Natural logarithm, so that it bounds log 2 times the error rate. All items count alike: `groups` are
    pooled.
    """

    name = "logistic"
    smooth = True

    @staticmethod
    def loss(margin: Floats) -> tuple[Floats, Floats]:
        """Compute loss and derivative at margins."""
        return np.logaddexp(0.0, -margin), -expit(-margin)
