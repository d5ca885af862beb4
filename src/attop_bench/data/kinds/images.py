"""Image recommendation in the form of PAP's Behance set, from bundled digit images and simulated users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop.core.typing import Ints
from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.builder_parameters import fraction, integer, interval
from attop_bench.data.features.embedding import umap_embedding
from attop_bench.data.features.interaction import interaction_features
from attop_bench.data.kinds.bundled import DIGITS_SOURCE

__all__ = [
    "Recommendation",
    "digit_images",
    "embed_images",
    "image_recommendation",
    "recommend",
    "simulate_likes",
]

_WHERE = "dataset images"


def digit_images() -> dict[str, NDArray]:
    """Return ``pixels`` of shape (1797, 64) and the ``digit`` of each image, the users' taste."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    return {"pixels": bunch.data, "digit": bunch.target}


def embed_images(
    pixels: ArrayLike, *, n_components: int = 10, n_neighbors: int = 15, seed: int
) -> dict[str, NDArray]:
    """Return ``item_features`` of shape (n_items, n_components); see `umap_embedding`."""
    integer(_WHERE, "n_components", n_components, 1)
    integer(_WHERE, "n_neighbors", n_neighbors, 2)
    return {"item_features": umap_embedding(pixels, n_components, seed, n_neighbors)}


def simulate_likes(
    digit: ArrayLike,
    n_users: int,
    n_classes: tuple[int, int],
    liking: tuple[float, float],
    noise: float,
    rng: np.random.Generator,
) -> NDArray[np.bool_]:
    """Let users like images of a few digits.

    Parameters
    ----------
    digit : array-like of shape (n_items,)
    n_users : int
    n_classes : (int, int)
        Smallest and largest number of digits a user likes.
    liking : (float, float)
        Range of the probability that a user likes an image of these digits; drawn once per user, so
        that some engage little and some much.
    noise : float in [0, 1]
        Probability of liking any other image.
    rng : Generator

    Returns
    -------
    liked : ndarray of shape (n_users, n_items)
    """
    classes, code = np.unique(digit, return_inverse=True)
    count = rng.integers(n_classes[0], n_classes[1] + 1, n_users)
    preference = rng.random((n_users, len(classes))).argsort(axis=1).argsort(axis=1)
    likes_class = preference < count[:, None]
    probability = np.where(likes_class[:, code], rng.uniform(*liking, (n_users, 1)), noise)
    return rng.random(probability.shape) < probability


@dataclass(frozen=True)
class Recommendation:
    """Rows of a recommendation data set, and what was put aside to describe the users.

    Attributes
    ----------
    user, item, y : ndarray of shape (n,)
        Row by row; users in order.
    profile : ndarray of shape (n_users, n_items), bool
        Items whose mean features describe the user; none is a row of that user.
    """

    user: Ints
    item: Ints
    y: Ints
    profile: NDArray[np.bool_]


def recommend(
    liked: NDArray[np.bool_], n_profile: int, negatives: tuple[float, float], rng: np.random.Generator
) -> Recommendation:
    """Put `n_profile` liked items of each user aside, label the other liked ones 1 and sample negatives.

    Parameters
    ----------
    liked : ndarray of shape (n_users, n_items), bool
    n_profile : int
        Users with no more liked items than this are left out.
    negatives : (float, float)
        Range of the number of negatives per positive, drawn uniformly per user. The negatives are drawn
        without replacement from the items the user does not like, and end where those end.
    rng : Generator

    Raises
    ------
    DatasetError
        If no user is left.
    """
    profile = np.zeros_like(liked)
    users, items, labels = [], [], []
    for user in np.flatnonzero(liked.sum(axis=1) > n_profile):
        likes = rng.permutation(np.flatnonzero(liked[user]))
        profile[user, likes[:n_profile]] = True
        positive = likes[n_profile:]
        others = rng.permutation(np.flatnonzero(~liked[user]))
        negative = others[: round(rng.uniform(*negatives) * len(positive))]
        users.append(np.full(len(positive) + len(negative), user))
        items.append(np.concatenate([positive, negative]))
        labels.append(np.repeat([1, 0], [len(positive), len(negative)]))
    if not users:
        raise DatasetError(
            f"{_WHERE}: none of {len(liked)} users likes more than the {n_profile} items "
            "that describe a user: lower n_profile or raise liking"
        )
    return Recommendation(np.concatenate(users), np.concatenate(items), np.concatenate(labels), profile)


def image_recommendation(
    item_features: ArrayLike,
    digit: ArrayLike,
    *,
    n_users: int = 150,
    n_classes: Sequence[int] = (2, 3),
    liking: Sequence[float] = (0.04, 0.12),
    noise: float = 0.001,
    n_profile: int = 10,
    negatives: Sequence[float] = (4, 6),
    seed: int,
) -> Dataset:
    """Simulate users of the images and return rows of <user, item, product> features.

    User features are the mean item features of `n_profile` liked images drawn at random; these images
    then leave the user's data.

    Parameters
    ----------
    item_features : array-like of shape (n_items, r)
    digit : array-like of shape (n_items,)
        Class of each image; nothing but the simulated taste looks at it.
    n_users, n_classes, liking, noise
        See `simulate_likes`.
    n_profile, negatives
        See `recommend`.
    seed : int

    Returns
    -------
    dataset : Dataset
        ``X`` of shape (n, 3 r), users as groups.

    Raises
    ------
    DatasetError
        If a parameter is out of range or no user is left.

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
    integer(_WHERE, "n_users", n_users, 1)
    integer(_WHERE, "n_profile", n_profile, 1)
    low, high = interval(_WHERE, "n_classes", n_classes, 1, len(np.unique(digit)))
    fraction(_WHERE, "noise", noise)
    rng = np.random.default_rng(seed)
    liked = simulate_likes(
        digit, n_users, (int(low), int(high)), interval(_WHERE, "liking", liking, 0, 1), noise, rng
    )
    rows = recommend(liked, n_profile, interval(_WHERE, "negatives", negatives, 1), rng)
    taste = (rows.profile @ features) / n_profile
    kept = np.unique(rows.user)
    facts = {
        "title": "Image recommendation: digit images, simulated users",
        **DIGITS_SOURCE,
        "positive": "image the user likes",
        "counts": {
            "items": len(features),
            "users": len(kept),
            "users left out": n_users - len(kept),
            "images describing each user": n_profile,
        },
    }
    X = interaction_features(taste[rows.user], features[rows.item])
    return Dataset("images", X, rows.y, rows.user, facts)
