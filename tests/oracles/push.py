"""The p-norm push as its paper writes it (Rudin 2005, section 4 and figure 1): pairs, in full."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from sklearn.preprocessing import MinMaxScaler


def real_data(seed, n=50, d=6, share=0.4, shift=0.6):
    """Overlapping classes, features in [-1, 1]."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < share * n).astype(int)
    X = rng.normal(size=(n, d)) + shift * y[:, None] * rng.uniform(-1, 1, d)
    return MinMaxScaler((-1, 1)).fit_transform(X), y


def threshold_data(seed, n=60, d=3):
    """Two threshold rankers in {0, 1} per real feature."""
    X, y = real_data(seed, n, d)
    return np.hstack([np.quantile(X, q, axis=0) < X for q in (0.4, 0.7)]).astype(float), y


class PushPath(NamedTuple):
    coordinates: np.ndarray
    steps: np.ndarray
    lambdas: np.ndarray
    margin: float  # how clearly each coordinate won its argmax, relative to the first round's largest


def push_pseudocode(H, y, p, rounds):
    """Figure 1: weak rankers H (n, J), pair weights d_ik, line search on equation (2).

    z_t is section 4's; figure 1's, ``sum_k (sum_i d_ik)^p``, leads the same way and overflows for large p.
    """
    M = H[y == 1][:, None, :] - H[y == 0][None, :, :]
    n_pos, n_neg, n_rankers = M.shape
    d = np.full((n_pos, n_neg), 1 / (n_pos * n_neg))
    lam = np.zeros(n_rankers)
    coordinates, steps, lambdas, margins = [], [], [], []
    for _ in range(rounds):
        derivative = np.abs(np.einsum("k,ik,ikj->j", d.sum(axis=0) ** (p - 1), d, M))
        j = int(np.argmax(derivative))
        runner_up = np.delete(derivative, j).max() if n_rankers > 1 else 0.0
        margins.append((derivative[j] - runner_up) / derivative[j])
        alpha = _solve_equation_2(d, M[:, :, j], p)
        lam[j] += alpha
        z = (d * np.exp(-alpha * M[:, :, j])).sum()
        d = d * np.exp(-alpha * M[:, :, j]) / z
        coordinates.append(j)
        steps.append(alpha)
        lambdas.append(lam.copy())
    return PushPath(np.array(coordinates), np.array(steps), np.array(lambdas), min(margins))


def _solve_equation_2(d, M, p):
    """The alpha at which sum_k (sum_i d exp(-alpha M))^(p-1) (sum_i M d exp(-alpha M)) is zero."""

    def equation_2(alpha):
        moved = d * np.exp(-alpha * M)
        by_negative = moved.sum(axis=0)
        # Divided by the largest, which moves no root and lets the power underflow only where it may.
        return ((by_negative / by_negative.max()) ** (p - 1) * (M * moved).sum(axis=0)).sum()

    low, high = -1.0, 1.0
    while equation_2(low) < 0:
        low *= 2
    while equation_2(high) > 0:
        high *= 2
    return brentq(equation_2, low, high, xtol=1e-15, rtol=1e-15)


LOSSES = ["exponential", "logistic", "hinge"]
PRICES = ["power", "exp"]


def push_value(scores, y, loss, price, p):
    """What the surrogates return: a monotone function of sum_k g(sum_i l(f(x_i) - f(x_k))).

    Pair by pair, in 60 decimal digits of unbounded exponent.
    """
    n_pos, n_neg = int((y == 1).sum()), int((y == 0).sum())
    with localcontext() as context:
        context.prec = 60
        total = Decimal(0)
        for negative in scores[y == 0]:
            inner = sum(
                _pair_loss(Decimal(float(s)) - Decimal(float(negative)), loss) for s in scores[y == 1]
            )
            total += inner ** Decimal(p) if price == "power" else inner.exp()
        if loss == "exponential":
            return float(total.ln() if price == "power" else total.ln().ln())
        mean = total / n_neg
        return float((mean ** (1 / Decimal(p)) if price == "power" else mean.ln()) / n_pos)


def _pair_loss(margin, loss):
    if loss == "exponential":
        return (-margin).exp()
    if loss == "logistic":
        return (1 + (-margin).exp()).ln() / Decimal(2).ln()
    return max(1 - margin, Decimal(0))


def threshold_matrix(X, thresholds):
    """The weak rankers 1[x_j > t] in columns, by feature and threshold."""
    return np.column_stack([X[:, j] > t for j, ts in enumerate(thresholds) for t in ts]).astype(float)
