"""Image recommendation of PAP: Behance, and its form with bundled digit images and simulated users."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from attop.core.typing import Floats, Ints
from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.features import interaction_features, umap_embedding
from attop_bench.data.kinds.bundled import DIGITS_SOURCE
from attop_bench.data.parameters import Count, Interval, Share, checked, increasing

#: One record of Behance's feature file: the identifier in digits, then the features.
RECORD = np.dtype([("item", "S8"), ("x", "<f4", 4096)])
_CHUNK = 2048
_Neighbours = Annotated[int, Field(strict=True, ge=2)]


def digit_images() -> dict[str, NDArray]:
    """Return ``pixels`` of shape (1797, 64) and the ``digit`` of each image, the users' taste."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    return {"pixels": bunch.data, "digit": bunch.target}


@checked("dataset images")
def embed_images(
    pixels: ArrayLike, *, n_components: Count = 10, n_neighbors: _Neighbours = 15, seed: int
) -> dict[str, NDArray]:
    """Return ``item_features`` of shape (n_items, n_components); see `umap_embedding`."""
    return {"item_features": umap_embedding(pixels, n_components, seed, n_neighbors)}


def simulate_likes(
    digit: ArrayLike,
    n_users: int,
    n_classes: tuple[int, int],
    liking: tuple[float, float],
    noise: float,
    rng: np.random.Generator,
) -> NDArray[np.bool_]:
    """Return which users like which images, shape (n_users, n_items).

    A user likes from `n_classes[0]` to `n_classes[1]` digits: an image of these with a probability drawn from
    `liking` once per user, so that some engage little and some much, any other with probability `noise`.
    """
    classes, code = np.unique(digit, return_inverse=True)
    count = rng.integers(n_classes[0], n_classes[1] + 1, n_users)
    preference = rng.random((n_users, len(classes))).argsort(axis=1).argsort(axis=1)
    likes_class = preference < count[:, None]
    probability = np.where(likes_class[:, code], rng.uniform(*liking, (n_users, 1)), noise)
    return rng.random(probability.shape) < probability


@dataclass(frozen=True)
class Recommendation:
    """Rows of a recommendation data set, and what was put aside to describe the users."""

    #: user, item, y: Row by row; users in order.
    user: Ints
    item: Ints
    y: Ints
    #: Shape (n_users, n_items). Items whose mean features describe the user; none is a row of that user.
    profile: NDArray[np.bool_]


def recommend(
    liked: NDArray[np.bool_], n_profile: int, negatives: tuple[float, float], rng: np.random.Generator
) -> Recommendation:
    """Put `n_profile` liked items of each user aside, label the other liked ones 1 and sample negatives.

    Users with no more liked items than `n_profile` are left out. The number of negatives per positive is
    drawn from the range `negatives` once per user; they are drawn without replacement from the items the
    user does not like, and end where those end.
    """
    profile = np.zeros_like(liked)
    rows = []
    for user in np.flatnonzero(liked.sum(axis=1) > n_profile):
        likes = rng.permutation(np.flatnonzero(liked[user]))
        profile[user, likes[:n_profile]] = True
        positive = likes[n_profile:]
        others = rng.permutation(np.flatnonzero(~liked[user]))
        negative = others[: round(rng.uniform(*negatives) * len(positive))]
        labels = np.repeat([1, 0], [len(positive), len(negative)])
        rows.append((np.full(len(labels), user), np.concatenate([positive, negative]), labels))
    if not rows:
        raise DatasetError(
            f"dataset of images: none of {len(liked)} users likes more than the {n_profile} items "
            "that describe a user: lower n_profile or raise liking"
        )
    users, items, y = map(np.concatenate, zip(*rows, strict=True))
    return Recommendation(users, items, y, profile)


@checked("dataset images")
def image_recommendation(
    item_features: ArrayLike,
    digit: ArrayLike,
    *,
    n_users: Count = 150,
    n_classes: Annotated[tuple[int, int], increasing(1, 10)] = (2, 3),
    liking: Annotated[Interval, increasing(0, 1)] = (0.04, 0.12),
    noise: Share = 0.001,
    n_profile: Count = 10,
    negatives: Annotated[Interval, increasing(1)] = (4, 6),
    seed: int,
) -> Dataset:
    """Simulate users of the images and return rows of <user, item, product> features.

    User features are the mean item features of `n_profile` liked images drawn at random; these images
    then leave the user's data.

    Nothing but the simulated taste (`simulate_likes`) looks at `digit`, the class of each image; for
    `n_profile` and `negatives` see `recommend`. Users are groups.

    Notes
    -----
    Differences from the paper: digit images and simulated users stand in for Behance, 10 liked images
    instead of 50 describe a user, and UMAP starts from 64 pixels instead of 4096 network features. The
    paper says only that negatives are sampled at random; its 670K rows with 111K positives have five
    negatives per positive, the middle of the default range.

    References
    ----------
    Hiranandani et al. (2020), section 7.3.1.
    """
    features = np.asarray(item_features, dtype=np.float64)
    rng = np.random.default_rng(seed)
    liked = simulate_likes(digit, n_users, n_classes, liking, noise, rng)
    rows = recommend(liked, n_profile, negatives, rng)
    taste = (rows.profile @ features) / n_profile
    facts = {"title": "Image recommendation: digit images, simulated users", **DIGITS_SOURCE}
    left_out = n_users - len(np.unique(rows.user))
    counts = {"users left out": left_out, "images describing each user": n_profile}
    return _data("images", rows, taste, features, facts, counts)


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
    n_neighbors: _Neighbours = 10,
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
    return _data("behance", rows, taste, item_features, facts, {"images describing each user": n_profile})


def _data(
    name: str,
    rows: Recommendation,
    taste: Floats,
    item_features: Floats,
    facts: dict[str, str],
    counts: dict[str, int],
) -> Dataset:
    """Return rows of <user, item, product> features, users as groups."""
    users = len(np.unique(rows.user))
    about = {
        **facts,
        "positive": "image the user likes",
        "counts": {"items": len(item_features), "users": users, **counts},
    }
    X = interaction_features(taste[rows.user], item_features[rows.item])
    return Dataset(name, X, rows.y, rows.user, about)
