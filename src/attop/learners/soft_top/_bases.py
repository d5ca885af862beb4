"""Pointwise linear models to start from: candidates, and Newton's method for a path of C at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import issparse
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import expit

from attop._core.typing import Features, Floats, Ints
from attop.learners.soft_top._refinement import RefinedRows

#: Losses `newton_path` minimises.
PointwiseLoss = Literal["logistic", "squared-hinge"]

#: With up to this many dense features the Hessian is factorised; with more, only multiplied by.
_MOST_FACTORISED = 500
#: Rows of the Hessian's product at a time: they stay in cache, and no weighted copy of X is made.
_BLOCK = 2048
_MOST_STEPS = 100
#: Norm of the gradient, relative to that at w = 0, at which a solution is reached.
_TOL = 1e-8
_HALVINGS = 30


def newton_path(
    X: Features, y: Ints, weight: Floats, Cs: Sequence[float], loss: PointwiseLoss
) -> Floats:
    r"""Minimise :math:`\tfrac12 \|w\|^2 + C \sum_i a_i \ell(z_i (w \cdot x_i + b))` for each C.

    The loss is :math:`\log(1 + e^{-m})` or :math:`(1 - m)_+^2`, z is ``2 y - 1`` and a the weight, positive
    for some row of each class. Returns w of shape (d, len(Cs)), in the order given; b, which is not penalised
    and does not rank, is left out.

    Newton's method with halved steps, for C in ascending order, each from the solution before. The Hessian is
    factorised where there are few dense features, and multiplied with otherwise, in the method of conjugate
    gradients. Ends after 100 steps, or where rounding hides any descent.
    """
    z = np.where(y == 1, 1.0, -1.0)
    coef = np.empty((X.shape[1], len(Cs)))
    at = np.zeros(X.shape[1] + 1)
    for position in np.argsort(Cs).tolist():
        at = _newton(X, z, weight, 1.0 / Cs[position], loss, at)
        coef[:, position] = at[:-1]
    return coef


def _newton(
    X: Features,
    z: Floats,
    weight: Floats,
    lam: float,
    loss: PointwiseLoss,
    start: Floats,
) -> Floats:
    """Minimise the regularised loss by Newton's method, each step halved until it descends enough."""
    ridge = np.append(np.full(X.shape[1], lam), 0.0)
    slope_at_zero = -weight * z * (0.5 if loss == "logistic" else 2.0)
    small = _TOL * float(np.linalg.norm(X.T @ slope_at_zero))
    at = start
    scores = X @ start[:-1] + start[-1]
    value, slope, bend = _loss_and_slopes(z, scores, weight, loss)
    value += 0.5 * float(ridge @ at**2)
    for _ in range(_MOST_STEPS):
        gradient = np.append(X.T @ slope, slope.sum()) + ridge * at
        if np.linalg.norm(gradient) <= small:
            break
        step = -_solve(X, bend, ridge, gradient)
        moved = X @ step[:-1] + step[-1]
        descent = float(gradient @ step)
        for halving in range(_HALVINGS):
            size = 0.5**halving
            new = at + size * step
            new_value, new_slope, new_bend = _loss_and_slopes(
                z, scores + size * moved, weight, loss
            )
            new_value += 0.5 * float(ridge @ new**2)
            if new_value <= value + 1e-4 * size * descent:
                break
        else:
            break
        at = new
        scores = scores + size * moved
        value = new_value
        slope = new_slope
        bend = new_bend
    return at


def _loss_and_slopes(
    z: Floats, scores: Floats, weight: Floats, loss: PointwiseLoss
) -> tuple[float, Floats, Floats]:
    """Compute the loss, and its first and second derivative in every score."""
    margin = z * scores
    if loss == "logistic":
        p = expit(-margin)
        return (
            float(weight @ np.logaddexp(0.0, -margin)),
            -weight * z * p,
            weight * p * (1.0 - p),
        )
    hinge = np.maximum(1.0 - margin, 0.0)
    return (
        float(weight @ hinge**2),
        -2.0 * weight * z * hinge,
        2.0 * weight * (hinge > 0),
    )


def _solve(X: Features, bend: Floats, ridge: Floats, gradient: Floats) -> Floats:
    """Solve with the Hessian ``[X 1]' diag(bend) [X 1] + diag(ridge)``."""
    d = X.shape[1]
    # Where all second derivatives are 0, the Hessian says nothing of the unregularised intercept b:
    # a small ridge keeps the system regular.
    ridge = ridge + np.append(np.zeros(d), 1e-10 * (1.0 + bend.sum()))
    if not issparse(X) and d <= _MOST_FACTORISED:
        hessian = np.diag(ridge)
        rows = np.flatnonzero(bend)
        for first in range(0, len(rows), _BLOCK):
            some = (
                slice(first, first + _BLOCK)
                if len(rows) == len(bend)
                else rows[first : first + _BLOCK]
            )
            block = X[some]
            b = bend[some]
            hessian[:d, :d] += (block * b[:, None]).T @ block
            side = b @ block
            hessian[d, :d] += side
            hessian[:d, d] += side
        hessian[d, d] += bend.sum()
        return cho_solve(cho_factor(hessian), gradient)

    def product(v: Floats) -> Floats:
        inner = bend * (X @ v[:-1] + v[-1])
        return np.append(X.T @ inner, inner.sum()) + ridge * v

    return cg(
        LinearOperator((d + 1, d + 1), matvec=product),
        gradient,
        rtol=1e-3,
        maxiter=500,
    )[0]


class PointwiseBases:
    """Logistic regression and the squared-hinge SVM for several C, classes as they are and balanced.

    `losses` are those of `newton_path`, `names` those of the candidates.
    """

    _NAMES: ClassVar[dict[str, str]] = {
        "logistic": "LogisticRegression",
        "squared-hinge": "LinearSVC",
    }
    #: Strongest regularisation first: of equally good values the first is chosen.
    _CS: ClassVar[dict[PointwiseLoss, list[float]]] = {
        "logistic": [1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0],
        "squared-hinge": [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0],
    }

    def __init__(
        self, losses: Sequence[PointwiseLoss] = ("logistic", "squared-hinge")
    ):
        self._candidates = [
            (loss, balanced, C)
            for loss in losses
            for balanced in (False, True)
            for C in self._CS[loss]
        ]
        self.names = [
            f"{self._NAMES[loss]}(C={C:g}{', balanced' * balanced})"
            for loss, balanced, C in self._candidates
        ]

    def fit(self, X: Features, part: RefinedRows, which: Sequence[int]) -> Floats:
        """Train some candidates, a column of weights each; rows outside of `part` weigh nothing."""
        y = np.zeros(X.shape[0], np.int64)
        weight = np.zeros(X.shape[0])
        y[part.rows] = part.y
        weight[part.rows] = 1.0 if part.weight is None else part.weight
        total = weight.sum()
        positive = weight[y == 1].sum()
        classes = np.where(
            y == 1, total / (2 * positive), total / (2 * (total - positive))
        )
        coef = np.empty((X.shape[1], len(which)))
        chosen = [self._candidates[j] for j in which]
        for loss, balanced in dict.fromkeys(c[:2] for c in chosen):
            at = [i for i, c in enumerate(chosen) if c[:2] == (loss, balanced)]
            Cs = [chosen[i][2] for i in at]
            coef[:, at] = newton_path(
                X, y, weight * classes if balanced else weight, Cs, loss
            )
        return coef
