"""The mistake bound of Perceptron@k, evaluated and checked."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from attop.solvers.minibatch.batches import Batch
from attop.solvers.minibatch.perceptron import PerceptronSolution
from attop.surrogates.prec_at_k import PrecAtKAvg, PrecAtKMax

__all__ = ["MistakeBound", "check_mistakes", "mistake_bound"]


class MistakeBound(NamedTuple):
    r"""The terms of the mistake bound for one comparison model u.

    Attributes
    ----------
    bound : float
        :math:`(2 R \sqrt k \|u\| + \sqrt{\sum_t \ell_t(u)})^2`
    radius : float
        R, the largest norm of an item.
    k : int
        The largest k of a batch.
    norm : float
        :math:`\|u\|`
    loss : float
        :math:`\sum_t \ell_t(u)`, in items.
    n_batches : int
    """

    bound: float
    radius: float
    k: int
    norm: float
    loss: float
    n_batches: int


def mistake_bound(
    stream: Iterable[Batch], u: ArrayLike, *, variant: Literal["avg", "max"] = "avg"
) -> MistakeBound:
    r"""Bound the mistakes of Perceptron@k on a stream of batches (Kar et al. 2015, section 4).

    With :math:`\Delta_t` the negatives in the top of batch t, whatever u,

    .. math:: \sum_t \Delta_t \le \Bigl(2 R \sqrt k \, \|u\| + \sqrt{\textstyle\sum_t \ell_t(u)}\Bigr)^2,

    where :math:`\|x\| \le R` for all items and :math:`\ell_t` is prec@k's avg or max surrogate on batch t.

    Parameters
    ----------
    stream : iterable of Batch
        The batches in the order seen, such as ``Batches(...).one_pass()``. It is read once, a batch at a
        time.
    u : array-like of shape (d,)
        The comparison model. The bound holds for each, and says most for one with little loss and norm.
    variant : {"avg", "max"}
        Perceptron@k-avg and its surrogate, or -max and its.

    Returns
    -------
    bound : MistakeBound

    Raises
    ------
    ValueError
        If the stream is empty, `u` is of the wrong shape or not finite, or `variant` is unknown.

    Notes
    -----
    Where u realises the k-margin (or the strong margin for max) on each batch, the loss is 0 and the
    bound is :math:`4 R^2 k \|u\|^2`, however long the stream.

    Differences from the paper: k may differ from batch to batch; the largest is the bound's.

    Examples
    --------
    >>> import numpy as np
    >>> from attop.solvers.minibatch.batches import Batch
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> mistake_bound([Batch(X, np.array([0, 1]), 1, 1)], [0.5, -0.5]).bound
    2.0000000000000004
    """
    if variant not in ("avg", "max"):
        raise ValueError(f"variant must be 'avg' or 'max', got {variant!r}")
    surrogate: type[PrecAtKAvg] | type[PrecAtKMax] = PrecAtKAvg if variant == "avg" else PrecAtKMax
    w = np.asarray(u, dtype=np.float64)
    if w.ndim != 1 or not np.isfinite(w).all():
        raise ValueError(f"u must be a finite vector, one number per feature, got shape {w.shape}")
    radius = loss = 0.0
    k = n_batches = 0
    for batch in stream:
        if batch.X.shape[1] != len(w):
            raise ValueError(
                f"u must have one number for each of the {batch.X.shape[1]} features, got {len(w)}"
            )
        labels = (np.arange(len(batch.rows)) < batch.n_pos).astype(np.int64)
        value, _ = surrogate(batch.k).value_and_coef(batch.scores(w[:, np.newaxis])[:, 0], labels)
        loss += float(value)
        radius = max(radius, _largest_norm(batch.X))
        k, n_batches = max(k, batch.k), n_batches + 1
    if n_batches == 0:
        raise ValueError("the stream holds no batch: a pass over a sample yields at least one")
    norm = float(np.linalg.norm(w))
    bound = (2 * radius * math.sqrt(k) * norm + math.sqrt(loss)) ** 2
    return MistakeBound(bound, radius, k, norm, loss, n_batches)


def check_mistakes(
    solution: PerceptronSolution,
    stream: Iterable[Batch],
    u: ArrayLike,
    *,
    variant: Literal["avg", "max"] = "avg",
) -> MistakeBound:
    """Check the record of a perceptron against the bound.

    Parameters
    ----------
    solution : PerceptronSolution
        Of `attop.solvers.minibatch.perceptron.perceptron`.
    stream : iterable of Batch
        The batches it saw: ``n_iter`` passes of `attop.solvers.minibatch.batches.Batches` with an equal
        `rng`. (More batches, as when it ended within a pass, only make the bound larger.)
    u, variant
        As for `mistake_bound`.

    Returns
    -------
    bound : MistakeBound
        With ``solution.n_mistakes <= bound``.

    Raises
    ------
    ValueError
        If the stream cannot be the one the perceptron saw.
    ArithmeticError
        If the bound is violated: the perceptron did not make the updates of the paper.
    """
    bound = mistake_bound(stream, u, variant=variant)
    if bound.k < solution.largest_k or bound.n_batches < solution.n_updates:
        raise ValueError(
            f"the stream holds {bound.n_batches} batches with k up to {bound.k}, the perceptron updated on "
            f"{solution.n_updates} with k up to {solution.largest_k}: give the batches it saw"
        )
    # The bound is a rounded sum; the number of mistakes is exact.
    if solution.n_mistakes > bound.bound * (1 + 1e-9):
        raise ArithmeticError(
            f"{solution.n_mistakes} mistakes exceed the bound of {bound.bound:g}: "
            "the stream or the variant is another, or the updates are not the perceptron's"
        )
    return bound


def _largest_norm(X: Any) -> float:
    squares = X.multiply(X).sum(axis=1) if issparse(X) else np.einsum("ij,ij->i", X, X)
    return math.sqrt(float(np.max(squares)))
