"""Image recommendation: bundled digit images, and simulated users who like some of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from attop.extending import Floats, Ints
from attop_bench.data.base import Dataset
from attop_bench.data.columns.features import interaction_features, umap_embedding
from attop_bench.data.errors import DatasetError
from attop_bench.data.kinds.bundled import DIGITS_SOURCE
from attop_bench.data.parameters import Count, Interval, Share, checked, increasing

Neighbours = Annotated[int, Field(strict=True, ge=2)]


def digit_images() -> dict[str, NDArray]:
    """Load ``pixels`` of shape (1797, 64) and the ``digit`` of each image, the users' taste."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    return {"pixels": bunch.data, "digit": bunch.target}


@checked("dataset images")
def embed_images(
    pixels: ArrayLike,
    *,
    n_components: Count = 10,
    n_neighbors: Neighbours = 15,
    seed: int,
) -> dict[str, NDArray]:
    """Compute ``item_features`` of shape (n_items, n_components); see `umap_embedding`."""
    return {
        "item_features": umap_embedding(pixels, n_components, seed, n_neighbors)
    }


def simulate_likes(
    digit: ArrayLike,
    n_users: int,
    n_classes: tuple[int, int],
    liking: tuple[float, float],
    noise: float,
    rng: np.random.Generator,
) -> NDArray[np.bool_]:
    """Draw which users like which images, shape (n_users, n_items).

    A user likes from `n_classes[0]` to `n_classes[1]` digits: an image of these with a probability drawn from
    `liking` once per user, any other with probability `noise`.
    """
    classes, code = np.unique(digit, return_inverse=True)
    count = rng.integers(n_classes[0], n_classes[1] + 1, n_users)
    preference = rng.random((n_users, len(classes))).argsort(axis=1).argsort(axis=1)
    likes_class = preference < count[:, None]
    probability = np.where(
        likes_class[:, code], rng.uniform(*liking, (n_users, 1)), noise
    )
    return rng.random(probability.shape) < probability


@dataclass(frozen=True)
class Recommendation:
    """Rows of a recommendation data set, and the items put aside to describe the users."""

    #: user, item, y: Row by row; users in order.
    user: Ints
    item: Ints
    y: Ints
    #: Shape (n_users, n_items). Items whose mean features describe the user; none is a row of that user.
    profile: NDArray[np.bool_]


def recommend(
    liked: NDArray[np.bool_],
    n_profile: int,
    negatives: tuple[float, float],
    rng: np.random.Generator,
) -> Recommendation:
    """Put `n_profile` liked items of each user aside, label the other liked ones 1 and sample negatives.

    Users with no more liked items are left out. The number of negatives per positive is drawn from the range
    `negatives` once per user; they are drawn without replacement from the items the user does not like.
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
        rows.append(
            (
                np.full(len(labels), user),
                np.concatenate([positive, negative]),
                labels,
            )
        )
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

    User features are the mean item features of `n_profile` liked images drawn at random; these leave the
    user's data. Nothing but the simulated taste (`simulate_likes`) looks at `digit`, the class of each image;
    for `n_profile` and `negatives` see `recommend`. Users are groups.

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
    facts = {
        "title": "Image recommendation: digit images, simulated users",
        **DIGITS_SOURCE,
    }
    left_out = n_users - len(np.unique(rows.user))
    counts = {"users left out": left_out, "images describing each user": n_profile}
    return interaction_dataset("images", rows, taste, features, facts, counts)


def interaction_dataset(
    name: str,
    rows: Recommendation,
    taste: Floats,
    item_features: Floats,
    facts: dict[str, str],
    counts: dict[str, int],
) -> Dataset:
    """Make rows of <user, item, product> features, with users as groups."""
    size = {"items": len(item_features), "users": len(np.unique(rows.user))}
    facts_of_images = {
        **facts,
        "positive": "image the user likes",
        "counts": {**size, **counts},
    }
    X = interaction_features(taste[rows.user], item_features[rows.item])
    return Dataset(name, X, rows.y, rows.user, facts_of_images)
