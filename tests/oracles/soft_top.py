"""The smoothed precision@k in plain Python: the cut by its equation, the gradient by differences."""

import math

import numpy as np
from scipy.optimize import brentq


def sigmoid(z):
    if z < 0:
        return math.exp(max(z, -700.0)) / (1 + math.exp(max(z, -700.0)))
    return 1 / (1 + math.exp(-min(z, 700.0)))


def soft_cut(scores, k, h, weights):
    """t with sum_i w_i sigmoid((s_i - t) / h) = k, for 0 < k < sum_i w_i."""

    def excess(t):
        return sum(w * sigmoid((s - t) / h) for s, w in zip(scores, weights, strict=True)) - k

    return brentq(excess, min(scores) - 60 * h, max(scores) + 60 * h, xtol=1e-15, rtol=1e-15)


def resolve(top, weights, y):
    """k by weight, from one of `k`, `tau` and `kappa`."""
    ((name, value),) = top.items()
    n, n_pos = sum(weights), sum(w for w, label in zip(weights, y, strict=True) if label)
    # 1e-9: the decimal meant, not its binary neighbour.
    exact = {"k": value, "tau": math.ceil(value * n - 1e-9), "kappa": math.floor(value * n_pos + 0.5)}
    return max(1, exact[name])


def soft_prec_loss(scores, y, top, h, weights=None):
    """1 - smoothed precision of one group; None where it is undefined."""
    weights = [1.0] * len(y) if weights is None else [float(w) for w in weights]
    k = resolve(top, weights, y)
    if k > sum(weights) or not any(w > 0 and label for w, label in zip(weights, y, strict=True)):
        return None
    if k == sum(weights):
        return 1 - sum(w for w, label in zip(weights, y, strict=True) if label) / k
    t = soft_cut(scores, k, h, weights)
    return (
        1 - sum(w * sigmoid((s - t) / h) for s, w, label in zip(scores, weights, y, strict=True) if label) / k
    )


def mean_over_groups(scores, y, groups, top, h, weights=None):
    weights = np.ones(len(y)) if weights is None else weights
    values = [
        soft_prec_loss(scores[groups == g], y[groups == g], top, h, weights[groups == g])
        for g in np.unique(groups)
    ]
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


def gradient(loss, scores, step=1e-5):
    """Central differences of `loss` in every score."""
    out = np.zeros(len(scores))
    for i in range(len(scores)):
        shift = step * (np.arange(len(scores)) == i)
        out[i] = (loss(scores + shift) - loss(scores - shift)) / (2 * step)
    return out
