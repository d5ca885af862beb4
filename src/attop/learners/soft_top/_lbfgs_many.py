"""L-BFGS for several models at once, which share each product with the features."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attop._core.typing import Floats, Ints

#: Pairs of a step and its change of gradient that are remembered.
_MEMORY = 10
#: A step is taken if it decreases the objective by this share of what its slope promises (Armijo).
_ARMIJO = 1e-4
#: Below this step length the line search gives up.
_SHORTEST = 1e-8


def lbfgs_many(
    objective: Callable[[Floats, Ints], tuple[Floats, Floats]],
    start: Floats,
    *,
    max_iter: int = 60,
    tol: float = 1e-6,
) -> tuple[Floats, Floats]:
    """Minimise `m` smooth functions of `d` numbers side by side.

    ``objective(W, models)`` takes a column of W for each of `models`, positions in `start` of shape (d, m),
    and returns their values and, in columns, gradients. It is called `max_iter` times after the call at
    `start`; a model is done, and no longer asked for, when an accepted step lowers its value by no more than
    `tol`. Returns the lowest iterates, never higher than `start`, and their values.

    Each call of `objective` serves every model where it is: one takes a step, another shortens its own. Steps
    are halved or shortened further by interpolation until they descend enough; pairs without positive
    curvature, which a function that is not convex has, are left out.
    """
    W = np.array(start, dtype=np.float64)
    d, m = W.shape
    models = np.arange(m)
    value, gradient = objective(W, models)
    lowest = W.copy()
    lowest_value = value.copy()
    steps = np.zeros((_MEMORY, d, m))
    bends = np.zeros((_MEMORY, d, m))
    rho = np.zeros((_MEMORY, m))
    direction = -gradient
    # The first step has no curvature to go by: a tenth of the start's length, or 1.
    length = np.linalg.norm(W, axis=0)
    size = np.where(length > 0, 0.1 * length, 1.0) / np.maximum(
        np.linalg.norm(gradient, axis=0), 1e-300
    )
    going = np.isfinite(value) & gradient.any(axis=0)
    for _ in range(max_iter):
        if not going.all():
            models = models[going]
            value = value[going]
            size = size[going]
            rho = rho[:, going]
            W = W[:, going]
            gradient = gradient[:, going]
            direction = direction[:, going]
            steps = steps[:, :, going]
            bends = bends[:, :, going]
        if len(models) == 0:
            break
        step = size * direction
        new_value, new_gradient = objective(W + step, models)
        slope = np.einsum("dm,dm->m", gradient, direction)
        took = new_value <= value + _ARMIJO * size * slope
        # The minimum of the parabola through value, slope and the new value, within bounds.
        rise = new_value - value - size * slope
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            factor = np.nan_to_num(-slope * size / (2 * rise), nan=0.1)
        size[~took] *= np.clip(factor, 0.1, 0.5)[~took]
        going = took | (size >= _SHORTEST)
        if not took.any():
            continue
        bend = new_gradient - gradient
        curvature = np.einsum("dm,dm->m", step, bend)
        lengths = np.linalg.norm(step, axis=0) * np.linalg.norm(bend, axis=0)
        curved = np.flatnonzero(took & (curvature > 1e-10 * lengths))
        for memory, newest in ((steps, step), (bends, bend)):
            memory[:-1, :, curved] = memory[1:, :, curved]
            memory[-1][:, curved] = newest[:, curved]
        rho[:-1, curved] = rho[1:, curved]
        rho[-1, curved] = 1.0 / curvature[curved]
        going &= ~(took & (value - new_value <= tol))
        W = np.where(took, W + step, W)
        value = np.where(took, new_value, value)
        gradient = np.where(took, new_gradient, gradient)
        direction = np.where(
            took, -_inverse_hessian(steps, bends, rho, gradient), direction
        )
        size[took] = 1.0
        lowest[:, models], lowest_value[models] = W, value
    return lowest, lowest_value


def _inverse_hessian(
    steps: Floats, bends: Floats, rho: Floats, gradient: Floats
) -> Floats:
    """Apply the two-loop recursion of each model to its gradient; an empty place has rho 0."""
    q = gradient.copy()
    alpha = np.empty_like(rho)
    for i in reversed(range(_MEMORY)):
        alpha[i] = rho[i] * np.einsum("dm,dm->m", steps[i], q)
        q -= alpha[i] * bends[i]
    square = np.einsum("dm,dm->m", bends[-1], bends[-1])
    q *= np.where(rho[-1] > 0, 1.0 / np.maximum(rho[-1] * square, 1e-300), 1.0)
    for i in range(_MEMORY):
        q += (alpha[i] - rho[i] * np.einsum("dm,dm->m", bends[i], q)) * steps[i]
    return q
