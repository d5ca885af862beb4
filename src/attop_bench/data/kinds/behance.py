"""Behance, the image recommendation of PAP: a feature file of 3 GB, read as a stream."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop.core.typing import Floats, Ints
from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.builder_parameters import integer, interval
from attop_bench.data.features.interaction import interaction_features
from attop_bench.data.kinds.images import recommend

__all__ = ["behance_recommendation", "embed_items", "project_items", "read_behance"]

_WHERE = "dataset behance"
#: One record of the feature file: the identifier in digits, then the features.
RECORD = np.dtype([("item", "S8"), ("x", "<f4", 4096)])
_CHUNK = 2048


def project_items(
    path: str | os.PathLike[str], n_projected: int, seed: int
) -> tuple[NDArray[np.bytes_], NDArray[np.float32]]:
    """Read the feature file record by record and project each onto a few random directions.

    Parameters
    ----------
    path : path
    n_projected : int
        Number of directions.
    seed : int

    Returns
    -------
    item : ndarray of shape (n_items,), bytes
        Identifiers, as in the file.
    projected : ndarray of shape (n_items, n_projected), float32
        Euclidean distances are those of the 4096 features up to a relative error of about
        ``sqrt(2 / n_projected)``.

    Raises
    ------
    DatasetError
        If the file is cut off, a feature is not finite or an item occurs twice.
    """
    size = os.path.getsize(path)
    if size == 0 or size % RECORD.itemsize:
        raise DatasetError(
            f"{_WHERE}: {path} has {size} bytes, which are not whole records of {RECORD.itemsize}: it is cut "
            "off or another file; download it again"
        )
    count, width = size // RECORD.itemsize, RECORD["x"].shape[0]
    rng = np.random.default_rng(seed)
    directions = rng.standard_normal((width, n_projected), dtype=np.float32)
    directions /= np.float32(np.sqrt(n_projected))
    item = np.empty(count, RECORD["item"])
    projected = np.empty((count, n_projected), np.float32)
    with open(path, "rb") as file:
        for start in range(0, count, _CHUNK):
            records = np.fromfile(file, RECORD, _CHUNK)
            item[start : start + len(records)] = records["item"]
            projected[start : start + len(records)] = records["x"] @ directions
    if not np.isfinite(projected).all():
        bad = item[~np.isfinite(projected).all(axis=1)][0]
        raise DatasetError(
            f"{_WHERE}: features of item {bad.decode()!r} are NaN or too large: download {path} again"
        )
    if len(np.unique(item)) < count:
        raise DatasetError(f"{_WHERE}: an item occurs twice in {path}: keep one record of each")
    return item, projected


def read_behance(
    appreciations: str | os.PathLike[str],
    features: str | os.PathLike[str],
    *,
    min_likes: int = 60,
    max_likes: int = 170,
    n_projected: int = 256,
    seed: int,
) -> dict[str, NDArray]:
    """Read who liked what, and the features of the images.

    Parameters
    ----------
    appreciations : path
        ``Behance_appreciate_1M``: user, item and time in each line, separated by blanks.
    features : path
        ``Behance_Image_Features.b``: records of an identifier of 8 digits and 4096 numbers (float32,
        little-endian).
    min_likes, max_likes : int
        Users with fewer or more likes of images with features are left out.
    n_projected : int
        See `project_items`.
    seed : int

    Returns
    -------
    likes : dict
        ``user`` and ``item`` of each like, as codes from 0, and ``projected`` (see `project_items`), whose
        rows the item codes count.

    Raises
    ------
    DatasetError
        If a file has another form or no user is left.

    Notes
    -----
    Differences from the paper: UMAP does not start from the 4096 features but from random projections
    of them, so that the file is read as a stream and no more than a few hundred MB are held. Paper and
    authors do not print which users stay; the bounds are those of the authors' published scripts.
    """
    integer(_WHERE, "min_likes", min_likes, 1)
    integer(_WHERE, "max_likes", max_likes, min_likes)
    integer(_WHERE, "n_projected", n_projected, 1)
    try:
        likes = np.loadtxt(appreciations, dtype="S16", usecols=(0, 1), comments=None, ndmin=2)
    except (OSError, ValueError) as error:
        raise DatasetError(
            f"{_WHERE}: {appreciations} has not user, item and time in each line: {error}; download it again"
        ) from None
    if len(likes) == 0:
        raise DatasetError(f"{_WHERE}: {appreciations} is empty: download it again")
    identifier, projected = project_items(features, n_projected, seed)
    order = np.argsort(identifier)
    place = np.minimum(np.searchsorted(identifier, likes[:, 1], sorter=order), len(order) - 1)
    item = order[place]
    likes, item = likes[identifier[item] == likes[:, 1]], item[identifier[item] == likes[:, 1]]
    user = np.unique(likes[:, 0], return_inverse=True)[1]
    pairs = np.unique(np.column_stack([user, item]), axis=0)
    count = np.bincount(pairs[:, 0]) if len(pairs) else np.zeros(1, np.int64)
    kept = (count >= min_likes) & (count <= max_likes)
    if not kept.any():
        raise DatasetError(
            f"{_WHERE}: no user likes {min_likes} to {max_likes} images that have features, the most is "
            f"{count.max()}: lower min_likes"
        )
    pairs = pairs[kept[pairs[:, 0]]]
    return {
        "user": np.unique(pairs[:, 0], return_inverse=True)[1],
        "item": pairs[:, 1],
        "projected": projected,
    }


def embed_items(
    projected: ArrayLike,
    *,
    n_components: int = 50,
    n_neighbors: int = 10,
    min_dist: float = 0.5,
    n_fit: int = 20000,
    seed: int,
) -> dict[str, NDArray]:
    """Embed the items by UMAP, fitted on some of them.

    Parameters
    ----------
    projected : array-like of shape (n_items, d)
    n_components, n_neighbors : int
    min_dist : float
    n_fit : int
        Items drawn at random to fit on; the others are then placed among them, so many at a time.
    seed : int

    Returns
    -------
    embedding : dict
        ``item_features`` of shape (n_items, n_components).

    Notes
    -----
    Differences from the paper: UMAP is fitted on a sample and not on all 178,787 images, so that time and
    memory are bounded. The paper prints the 50 components alone; the other parameters are those of the
    authors' published scripts.

    References
    ----------
    McInnes, Healy & Melville (2018), UMAP; Hiranandani et al. (2020), section 7.3.1.
    """
    table = np.asarray(projected, dtype=np.float32)
    integer(_WHERE, "n_components", n_components, 1)
    integer(_WHERE, "n_neighbors", n_neighbors, 2)
    integer(_WHERE, "n_fit", n_fit, max(n_neighbors + 1, n_components + 2))
    if len(table) < max(n_neighbors + 1, n_components + 2):
        raise DatasetError(
            f"{_WHERE}: {len(table)} items are too few for n_components={n_components}, "
            f"n_neighbors={n_neighbors}: lower them"
        )
    try:
        from umap import UMAP
    except ImportError as error:
        raise ImportError("item features by UMAP need umap-learn: pip install umap-learn") from error

    order = np.random.default_rng(seed).permutation(len(table))
    fit, rest = np.sort(order[:n_fit]), np.sort(order[n_fit:])
    model = UMAP(
        n_components=n_components,
        n_neighbors=n_neighbors,
        min_dist=min_dist,
        random_state=seed,
        n_jobs=1,
        low_memory=True,
    )
    features = np.empty((len(table), n_components))
    features[fit] = model.fit_transform(table[fit])
    for start in range(0, len(rest), n_fit):
        rows = rest[start : start + n_fit]
        features[rows] = model.transform(table[rows])
    return {"item_features": features - features.mean(axis=0)}


def behance_recommendation(
    user: Ints,
    item: Ints,
    item_features: Floats,
    *,
    n_profile: int = 50,
    negatives: tuple[float, float] = (4, 6),
    seed: int,
) -> Dataset:
    """Return rows of <user, item, product> features; see `recommend`.

    Parameters
    ----------
    user, item : ndarray of shape (n_likes,)
        Codes from 0.
    item_features : ndarray of shape (n_items, r)
    n_profile : int
        Images drawn from the likes of a user whose mean features describe the user.
    negatives : (float, float)
        Range of the number of negatives per positive.
    seed : int

    Returns
    -------
    dataset : Dataset
        ``X`` of shape (n, 3 r), users as groups.

    Notes
    -----
    The paper's 670K rows with 111K positives have five negatives per positive.

    References
    ----------
    Hiranandani et al. (2020), section 7.3.1; He, Fang, Wang & McAuley (2016), Vista.
    """
    from scipy import sparse  # not with the module, which is imported whenever the workflow is read

    integer(_WHERE, "n_profile", n_profile, 1)
    liked = np.zeros((int(user.max()) + 1, len(item_features)), dtype=bool)
    liked[user, item] = True
    rng = np.random.default_rng(seed)
    rows = recommend(liked, n_profile, interval(_WHERE, "negatives", negatives, 0), rng)
    taste = (sparse.csr_array(rows.profile).astype(np.float64) @ item_features) / n_profile
    facts = {
        "title": "Behance",
        "source": "Behance_appreciate_1M and Behance_Image_Features.b of He et al. (2016)",
        "licence": "none stated",
        "positive": "image the user likes",
        "counts": {
            "images": len(item_features),
            "users": len(np.unique(rows.user)),
            "images describing each user": n_profile,
        },
    }
    X = interaction_features(taste[rows.user], item_features[rows.item])
    return Dataset("behance", X, rows.y, rows.user, facts)
