"""Behance: who liked which images (He, Fang, Wang and McAuley 2016)."""

from __future__ import annotations

import os
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop.extending import Floats, Ints
from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.catalogue import Kind, Stage
from attop_bench.data.columns.features import umap_embedding
from attop_bench.data.kinds.images import Neighbours, interaction_dataset, recommend
from attop_bench.data.parameters import Count, Interval, Share, checked, increasing

#: One record of the feature file: the identifier in digits, then the features.
RECORD = np.dtype([("item", "S8"), ("x", "<f4", 4096)])
_CHUNK = 2048


def project_items(
    path: str | os.PathLike[str], n_projected: int, seed: int
) -> tuple[NDArray[np.bytes_], NDArray[np.float32]]:
    """Read Behance's feature file record by record and project each onto `n_projected` random directions.

    Returns the identifiers as in the file, and an array (n_items, n_projected). Euclidean distances are those
    of the 4096 features up to a relative error of about ``sqrt(2 / n_projected)``.
    """
    size = os.path.getsize(path)
    if size == 0 or size % RECORD.itemsize:
        raise DatasetError(
            f"dataset behance: {path} has {size} bytes, which are not whole records of {RECORD.itemsize}: it "
            "is cut off or another file; download it again"
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
            f"dataset behance: features of item {bad.decode()!r} are NaN or too large: download {path} again"
        )
    if len(np.unique(item)) < count:
        raise DatasetError(f"dataset behance: an item occurs twice in {path}: keep one record of each")
    return item, projected


@checked("dataset behance")
def read_behance(
    appreciations: str | os.PathLike[str],
    features: str | os.PathLike[str],
    *,
    min_likes: Count = 60,
    max_likes: Count = 170,
    n_projected: Count = 256,
    seed: int,
) -> dict[str, NDArray]:
    """Read who liked what, and the features of the images.

    Returns ``user`` and ``item`` of each like, as codes from 0, and ``projected`` (see `project_items`),
    whose rows the item codes count.

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

    Notes
    -----
    Differences from the paper: UMAP does not start from the 4096 features but from random projections
    of them, so that the file is read as a stream and no more than a few hundred MB are held. Paper and
    authors do not print which users stay; the bounds are those of the authors' published scripts.
    """
    import pandas as pd

    try:
        likes = np.loadtxt(appreciations, dtype="S16", usecols=(0, 1), comments=None, ndmin=2)
    except (OSError, ValueError) as error:
        raise DatasetError(
            f"dataset behance: {appreciations} has not user, item and time in each line: {error}; download "
            "it again"
        ) from None
    if len(likes) == 0:
        raise DatasetError(f"dataset behance: {appreciations} is empty: download it again")
    identifier, projected = project_items(features, n_projected, seed)
    item = pd.Index(identifier).get_indexer(likes[:, 1])
    likes, item = likes[item >= 0], item[item >= 0]
    user = np.unique(likes[:, 0], return_inverse=True)[1]
    pairs = np.unique(np.column_stack([user, item]), axis=0)
    count = np.bincount(pairs[:, 0]) if len(pairs) else np.zeros(1, np.int64)
    kept = (count >= min_likes) & (count <= max_likes)
    if not kept.any():
        raise DatasetError(
            f"dataset behance: no user likes {min_likes} to {max_likes} images that have features, the most "
            f"is {count.max()}: lower min_likes"
        )
    user, item = pairs[kept[pairs[:, 0]]].T
    return {"user": np.unique(user, return_inverse=True)[1], "item": item, "projected": projected}


@checked("dataset behance")
def embed_behance(
    projected: ArrayLike,
    *,
    n_components: Count = 50,
    n_neighbors: Neighbours = 10,
    min_dist: Share = 0.5,
    n_fit: Count = 20000,
    seed: int,
) -> dict[str, NDArray]:
    """Return ``item_features`` of shape (n_items, n_components); see `umap_embedding`.

    Notes
    -----
    Differences from the paper: UMAP is fitted on a sample and not on all 178,787 images, so that time and
    memory are bounded. The paper prints the 50 components alone; the other parameters are those of the
    authors' published scripts.

    References
    ----------
    Hiranandani et al. (2020), section 7.3.1.
    """
    features = umap_embedding(projected, n_components, seed, n_neighbors, min_dist=min_dist, n_fit=n_fit)
    return {"item_features": features}


@checked("dataset behance")
def behance_recommendation(
    user: Ints,
    item: Ints,
    item_features: Floats,
    *,
    n_profile: Count = 50,
    negatives: Annotated[Interval, increasing(0)] = (4, 6),
    seed: int,
) -> Dataset:
    """Return rows of <user, item, product> features; see `recommend`.

    `user` and `item` of each like are codes from 0; `item_features` has shape (n_items, r). The paper's 670K
    rows with 111K positives have five negatives per positive.

    References
    ----------
    Hiranandani et al. (2020), section 7.3.1; He, Fang, Wang & McAuley (2016), Vista.
    """
    from scipy import sparse  # not with the module, which is imported whenever the workflow is read

    liked = np.zeros((int(user.max()) + 1, len(item_features)), dtype=bool)
    liked[user, item] = True
    rng = np.random.default_rng(seed)
    rows = recommend(liked, n_profile, negatives, rng)
    taste = (sparse.csr_array(rows.profile).astype(np.float64) @ item_features) / n_profile
    facts = {
        "title": "Behance",
        "source": "Behance_appreciate_1M and Behance_Image_Features.b of He et al. (2016)",
        "licence": "none stated",
    }
    return interaction_dataset(
        "behance", rows, taste, item_features, facts, {"images describing each user": n_profile}
    )


BEHANCE = Kind(
    "behance",
    (
        Stage("source", read_behance),
        Stage("umap", embed_behance, ("projected",)),
        Stage("dataset", behance_recommendation, ("user", "item", "item_features")),
    ),
    ("appreciations", "features"),
)
