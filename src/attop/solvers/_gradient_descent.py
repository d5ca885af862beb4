"""Subgradient descent on the whole sample, for a grid of settings at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from attop._core.parameters import check_numbers
from attop._core.typing import Bools, Features, Floats
from attop.solvers._base import (
    Deadline,
    GridSolution,
    History,
    Status,
    broadcast_settings,
    check_loss,
    summary_status,
)
from attop.solvers._blocks import BlockedLoss, GroupBatches
from attop.surrogates._base import BoundSurrogate

#: A model whose objective grows to this many times that of the start has diverged.
_BLOWN_UP = 1e12


def gradient_descent(
    X: Features,
    loss: BoundSurrogate,
    *,
    eta: ArrayLike,
    lam: ArrayLike,
    max_iter: int = 1000,
    tol: float = 1e-4,
    window: int = 50,
    coef_init: ArrayLike | None = None,
    batch_groups: int | None = None,
    rng: np.random.Generator | None = None,
    time_limit: float | None = None,
) -> GridSolution:
    r"""Minimise ``loss(X w) + lam/2 ||w||^2`` for `m` settings of `eta` and `lam`.

    From ``w_0`` the iteration is ``w_{t+1} = w_t - eta / sqrt(t + 1) (X^T c_t + lam w_t)``, where
    ``c_t`` is the subgradient of the loss in the scores ``X w_t``. An iteration costs one product
    ``X W`` and one product ``X^T C`` for all models together, taken by blocks of groups while these are in
    cache. Each model's iterate with the lowest objective is returned.

    Parameters
    ----------
    X, loss, max_iter, time_limit
        See `attop.solvers`. The objective is evaluated at ``w_0, ..., w_{max_iter}``.
    eta : float or array-like of shape (m,), positive
        Length of the first step.
    lam : float or array-like of shape (m,), at least 0
        Regularisation.
    tol : float, at least 0
        A model has converged when the objective of its best iterate has not gone down by more than
        `tol` times its magnitude over `window` iterations. It then no longer takes part in the products.
    window : int, at least 1
    coef_init : array-like of shape (d,) or (d, m), optional
        ``w_0``; zero by default.
    batch_groups : int, at least 1, optional
        Groups that a step looks at; all by default. An iteration is then a pass over all groups, of several
        such steps, and t in the length of a step counts these.
    rng : numpy.random.Generator, optional
        Assigns the groups to new batches in each pass; seeded with 0 by default.

    Returns
    -------
    solution : GridSolution
        ``history.objective`` holds the objective of the iterates themselves, which is not monotone; a
        model that has left is recorded at its best. A model whose objective is not finite, or 10^12
        times that of ``w_0`` (or of 1, if that is larger), is marked ``"diverged"`` and left at its
        best iterate.

    Notes
    -----
    A model does not depend on which others it is trained with, except in the last bits: BLAS may sum
    the products of one column and of many in different orders, and at a kink of the loss such a
    difference can choose another subgradient.

    Differences from algorithm 1 of Hiranandani et al. (2020): the feasible set is the whole space, and the
    regulariser that of the experiments' code, see `attop.GDPApK`; the iterate of the lowest training
    objective is returned, not the last one; the paper does not say when its loop has converged, the rule
    above is ours.
    """
    deadline = Deadline(time_limit)
    history = History()
    check_loss("gradient_descent", X, loss)
    eta, lam = broadcast_settings(eta=eta, lam=lam)
    check_numbers(
        eta=eta.min(), lam=lam.min(), max_iter=max_iter, window=window, tol=tol
    )
    m = len(eta)
    start = _start(coef_init, X.shape[1], m)
    run = _Running(eta, lam, start)
    best_coef = start.copy()
    best = np.full(m, np.inf)
    each_status: list[Status] = ["max_iter"] * m
    each_n_iter = np.zeros(m, np.int64)

    def end(which: Bools, status: Status) -> None:
        for j in run.model[which]:
            each_status[j] = status

    blocked = BlockedLoss(X, loss, m)
    batches = None
    if batch_groups is not None:
        batches = GroupBatches(
            X, loss, batch_groups, np.random.default_rng(0) if rng is None else rng
        )
    with np.errstate(over="ignore", invalid="ignore"), blocked.threads():
        for t in range(max_iter + 1):
            value, G = blocked(run.W)
            objective = value + run.lam / 2 * _squared_norms(run.W)
            each_n_iter[run.model] = t

            better = objective < best[run.model]
            best[run.model[better]] = objective[better]
            best_coef[:, run.model[better]] = run.W[:, better]
            recorded = best.copy()
            recorded[run.model] = objective
            history.record(t, deadline.elapsed, recorded)

            converged = run.stalled(t, best[run.model], tol, window)
            diverged = run.blown_up(t, objective)
            end(converged, "converged")
            end(diverged, "diverged")
            going = ~(converged | diverged)
            if deadline.expired:
                end(going, "deadline")
                break
            if t == max_iter or not going.any():
                break

            if not going.all():
                run.keep(going)
                G = G[:, going]
            if batches is None:
                run.W = run.W - run.eta / np.sqrt(t + 1) * (G + run.lam * run.W)
            else:
                run.W = batches.one_pass(run.W, run.eta, run.lam)
            finite = np.isfinite(_squared_norms(run.W))
            end(~finite, "diverged")
            if not finite.all():
                run.keep(finite)
            if not finite.any():
                break
    return GridSolution(
        best_coef,
        best,
        int(each_n_iter.max()),
        summary_status(each_status),
        history,
        each_status=each_status,
        each_n_iter=each_n_iter,
    )


class _Running:
    """The models still in the products, and what their stopping rules remember."""

    def __init__(self, eta: Floats, lam: Floats, W: Floats):
        m = len(eta)
        self.model = np.arange(m)
        self.eta = eta
        self.lam = lam
        self.W = W
        self.ceiling = np.full(m, np.inf)
        self.reference = np.full(m, np.inf)
        self.reference_at = np.zeros(m, np.int64)

    def stalled(self, t: int, best: Floats, tol: float, window: int) -> Bools:
        moved = best < self.reference - tol * np.abs(best)
        self.reference[moved] = best[moved]
        self.reference_at[moved] = t
        return t - self.reference_at >= window

    def blown_up(self, t: int, objective: Floats) -> Bools:
        if t == 0:
            self.ceiling = _BLOWN_UP * np.maximum(1.0, objective)
        return ~(objective <= self.ceiling)  # true for NaN

    def keep(self, stay: Bools) -> None:
        for name in ("model", "eta", "lam", "ceiling", "reference", "reference_at"):
            setattr(self, name, getattr(self, name)[stay])
        self.W = self.W[:, stay]


def _squared_norms(W: Floats) -> Floats:
    return np.einsum("ij,ij->j", W, W)


def _start(coef_init: ArrayLike | None, d: int, m: int) -> Floats:
    """Compute ``w_0`` of each model, shape (d, m)."""
    if coef_init is None:
        return np.zeros((d, m))
    W = np.array(coef_init, dtype=np.float64, order="C")
    if W.ndim == 1:
        W = np.repeat(W[:, None], m, axis=1)
    if W.shape != (d, m):
        raise ValueError(
            f"coef_init must have shape ({d},) or ({d}, {m}) for {d} features and {m} settings, "
            f"got {np.shape(coef_init)}"
        )
    if not np.isfinite(W).all():
        raise ValueError("coef_init must be finite, got NaN or infinity")
    return W
