"""Features of users, items and pairs: factors of ratings, UMAP of images, products."""

from __future__ import annotations

import contextlib
import importlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from attop.extending import Floats, Ints
from attop_bench.data.errors import DatasetError

#: Of fewer rows UMAP takes the exact neighbours.
_FEW = 4096


def interaction_features(user: ArrayLike, item: ArrayLike) -> Floats:
    """Join the features of user and item of each row, and their product, side by side.

    The user's change no ranking of one user, and are kept because the paper has them.

    References
    ----------
    Hiranandani et al. (2020), section 7.3.1: <user-feat, item-feat, prod-feat, label>.
    """
    u, v = np.asarray(user, dtype=np.float64), np.asarray(item, dtype=np.float64)
    return np.hstack([u, v, u * v])


def umap_embedding(
    X: ArrayLike,
    n_components: int = 10,
    random_state: int = 0,
    n_neighbors: int = 15,
    *,
    min_dist: float = 0.1,
    n_fit: int | None = None,
) -> Floats:
    """Embed rows by UMAP, on one thread, so that a seed gives the same features again.

    Parameters
    ----------
    X : array-like of shape (n, d)
    n_components, random_state, n_neighbors, min_dist
        As for UMAP.
    n_fit : int, optional
        Rows drawn at random to fit on, all if left out; the others are then placed among them.

    Returns
    -------
    embedding : ndarray of shape (n, n_components), centred

    Notes
    -----
    The numbers are the same for the same versions of umap-learn, numba and NumPy on the same kind of
    processor: the optimisation amplifies rounding.

    References
    ----------
    McInnes, Healy & Melville (2018), UMAP: Uniform Manifold Approximation and Projection.
    """
    table = np.asarray(X)
    n_fit = len(table) if n_fit is None else min(n_fit, len(table))
    # The spectral start takes n_components + 1 eigenvectors of a matrix of n_fit rows.
    if not 1 <= n_components < n_fit - 1 or not 2 <= n_neighbors < n_fit:
        raise DatasetError(
            f"UMAP of {n_fit} rows cannot have n_components={n_components}, n_neighbors={n_neighbors}: "
            "both must be well below the number of rows"
        )
    options: dict[str, Any] = {
        "n_neighbors": n_neighbors,
        "min_dist": min_dist,
        "n_jobs": 1,
    }
    if few := n_fit == len(table) < _FEW:
        options["precomputed_knn"] = _nearest(table, n_neighbors)
    try:
        with _umap(search=not few) as UMAP, warnings.catch_warnings():
            # Without a search it places no other rows.
            warnings.filterwarnings("ignore", "precomputed_knn")
            model = UMAP(
                n_components=n_components, random_state=random_state, **options
            )
            order = np.random.default_rng(random_state).permutation(len(table))
            fit, rest = np.sort(order[:n_fit]), np.sort(order[n_fit:])
            embedding = np.empty((len(table), n_components))
            embedding[fit] = model.fit_transform(table[fit])
            for start in range(0, len(rest), n_fit):
                rows = rest[start : start + n_fit]
                embedding[rows] = model.transform(table[rows])
    except ImportError as error:
        raise ImportError(
            "item features by UMAP need umap-learn: pip install umap-learn"
        ) from error
    return embedding - embedding.mean(axis=0)


def _nearest(table: Floats, n: int) -> tuple[Ints, Floats]:
    """Find the nearest `n` rows of each row and their distances: UMAP's own, but for rounding.

    Its code takes 7 s to compile, and measures each pair by a call.
    """
    from sklearn.metrics import pairwise_distances

    distances = pairwise_distances(table.astype(np.float32))
    nearest = distances.argsort(axis=1, kind="stable")[:, :n].astype(np.int32)
    return nearest, np.take_along_axis(distances, nearest, axis=1)


@contextlib.contextmanager
def _umap(search: bool) -> Iterator[Any]:
    """Yield UMAP's class, without its `search` for neighbours, pynndescent, if that is not needed.

    The first import of pynndescent compiles it, for half a minute. What was imported without compilation is
    forgotten at the end: another caller may need the search.
    """
    known = set(sys.modules)
    if search or known & {"umap", "pynndescent"}:
        yield importlib.import_module("umap").UMAP
        return
    config = cast(Any, importlib.import_module("numba.core.config"))
    disabled, config.DISABLE_JIT = config.DISABLE_JIT, True
    try:
        importlib.import_module("pynndescent")
        config.DISABLE_JIT = disabled
        yield importlib.import_module("umap").UMAP
    finally:
        config.DISABLE_JIT = disabled
        for name in set(sys.modules) - known:
            if name.partition(".")[0] in ("umap", "pynndescent"):
                del sys.modules[name]


def masked_nmf(
    row: ArrayLike,
    column: ArrayLike,
    value: ArrayLike,
    shape: tuple[int, int],
    rank: int,
    *,
    seed: int,
    max_iter: int = 500,
    tol: float = 1e-4,
) -> tuple[Floats, Floats, Floats]:
    """Minimise ``1/2 sum_(i,j observed) (v_ij - w_i . h_j)^2`` over non-negative W and H.

    Multiplicative updates: ``W <- W * (V H) / (M H)`` with M the current product on the observed
    entries and 0 elsewhere, then the same for H. No step increases the objective.

    Parameters
    ----------
    row, column : array-like of shape (n_observed,)
        Place of each observed entry, from 0; no place twice.
    value : array-like of shape (n_observed,), non-negative
    shape : (int, int)
        Rows and columns of the matrix.
    rank : int
        Columns of either factor.
    seed : int
        Of the positive random start.
    tol : float
        Stop once an iteration lowers the objective by no more than `tol` times its first value.

    Returns
    -------
    W, H : ndarrays of shape (m, rank) and (n, rank)
        Those of rows and columns without an observed entry are 0.
    objective : ndarray of shape (n_iter + 1,)
        Half the squared error over the observed entries, at the start and after each iteration.

    Notes
    -----
    Differences from the paper: Lee & Seung factorise a full matrix; here the sums run over the observed
    entries only, which leaves their proof of descent as it is (an unobserved entry is a weight of 0).
    PAP says that it factorises the ratings so and states neither mask, start nor stopping rule.

    References
    ----------
    Lee & Seung (2001), Algorithms for non-negative matrix factorization, theorem 1.
    """
    # Not with the module, which is imported whenever the workflow is read.
    from scipy import sparse

    i, j, v = (
        np.asarray(row),
        np.asarray(column),
        np.asarray(value, dtype=np.float64),
    )
    observed = sparse.csr_array((v, (i, j)), shape=shape)
    observed.sort_indices()
    i, j = (
        np.repeat(np.arange(shape[0]), np.diff(observed.indptr)),
        observed.indices,
    )
    fitted = observed.copy()

    rng = np.random.default_rng(seed)
    scale = np.sqrt(v.mean() / rank)
    W, H = (scale * rng.uniform(0.5, 1.5, (n, rank)) for n in shape)
    # Where nothing is observed the objective is flat.
    for factor, index in ((W, i), (H, j)):
        factor[np.bincount(index, minlength=len(factor)) == 0] = 0

    def fit() -> float:
        fitted.data = np.einsum("er,er->e", W[i], H[j])
        return 0.5 * float(np.square(observed.data - fitted.data).sum())

    objective = [fit()]
    for _ in range(max_iter):
        _scale_by_ratio(W, observed @ H, fitted @ H)
        fit()
        _scale_by_ratio(H, observed.T @ W, fitted.T @ W)
        objective.append(fit())
        if objective[-2] - objective[-1] <= tol * objective[0]:
            break
    return W, H, np.array(objective)


def _scale_by_ratio(factor: Floats, numerator: Floats, denominator: Floats) -> None:
    # A denominator of 0 means that the entry is 0 already, or that the objective does not depend on it.
    factor *= np.divide(
        numerator, denominator, out=np.ones_like(factor), where=denominator > 0
    )
