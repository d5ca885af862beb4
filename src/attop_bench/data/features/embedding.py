"""Low-dimensional item features by UMAP."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from attop.core.typing import Floats
from attop_bench.data.base import DatasetError

__all__ = ["umap_embedding"]


def umap_embedding(
    X: ArrayLike, n_components: int = 10, random_state: int = 0, n_neighbors: int = 15
) -> Floats:
    """Embed rows by UMAP, on one thread, so that a seed gives the same features again.

    Parameters
    ----------
    X : array-like of shape (n, d)
    n_components : int, below n - 1
        Dimensions of the embedding.
    random_state : int
    n_neighbors : int, from 2 to n - 1
        Size of the neighbourhoods UMAP preserves.

    Returns
    -------
    embedding : ndarray of shape (n, n_components)
        Each dimension is centred.

    Raises
    ------
    DatasetError
        If `X` is not a finite table, or too small for the parameters.
    ImportError
        If umap-learn is not installed.

    Notes
    -----
    The same versions of umap-learn, numba and NumPy on the same kind of processor give the same numbers;
    across them the embedding may differ, since its optimisation amplifies rounding.

    References
    ----------
    McInnes, Healy & Melville (2018), UMAP: Uniform Manifold Approximation and Projection.
    """
    table = np.asarray(X, dtype=np.float64)
    if table.ndim != 2 or not np.isfinite(table).all():
        raise DatasetError(f"UMAP needs a table without NaN or infinite values, got shape {table.shape}")
    # The spectral start takes n_components + 1 eigenvectors of an n x n matrix.
    if not 1 <= n_components < len(table) - 1 or not 2 <= n_neighbors < len(table):
        raise DatasetError(
            f"UMAP of {len(table)} rows cannot have n_components={n_components}, n_neighbors={n_neighbors}: "
            "both must be well below the number of rows"
        )
    try:
        from umap import UMAP
    except ImportError as error:
        raise ImportError("item features by UMAP need umap-learn: pip install umap-learn") from error

    model = UMAP(n_components=n_components, n_neighbors=n_neighbors, random_state=random_state, n_jobs=1)
    embedding = np.asarray(model.fit_transform(table), dtype=np.float64)
    return embedding - embedding.mean(axis=0)
