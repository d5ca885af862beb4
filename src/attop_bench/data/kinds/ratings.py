"""Recommendation from ratings, as PAP prepares MovieLens; from its file, or from simulated ratings."""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop.extending import Floats, Ints
from attop_bench.data.base import Dataset
from attop_bench.data.columns.features import interaction_features, masked_nmf
from attop_bench.data.errors import DatasetError
from attop_bench.data.parameters import Count, Interval, Share, checked, increasing
from attop_bench.files import StrPath

_WHERE = "dataset ratings"


@checked(_WHERE)
def simulate_ratings(
    *,
    n_users: Count = 150,
    n_items: Count = 300,
    rank: Count = 3,
    noise: Share = 0.4,
    n_rated: Annotated[Interval, increasing(1)] = (30, 300),
    seed: int,
) -> dict[str, NDArray]:
    """Simulate low-rank ratings from 1 to 5 with noise, ordered by user, their times in random order.

    Parameters
    ----------
    rank : int
        Dimensions of taste, beside how much an item is liked by all and how mild a user is.
    noise : float in [0, 1]
        Share of the noise in the variance of a rating.
    n_rated : (float, float)
        Range of the number of ratings of a user, drawn log-uniformly; popular items are rated more often.
    """
    low, high = n_rated
    if high > n_items:
        raise DatasetError(
            f"{_WHERE}: n_rated must end at n_items={n_items} or before, got {n_rated}"
        )
    rng = np.random.default_rng(seed)
    taste = (
        rng.standard_normal((n_users, rank))
        @ rng.standard_normal((rank, n_items))
        / np.sqrt(rank)
    )
    quality, mildness = (
        rng.standard_normal(n_items),
        rng.standard_normal((n_users, 1)),
    )
    # Weights of variance 1 in all: as much to the item as to the match of user and item.
    signal = np.sqrt(0.4) * quality + np.sqrt(0.2) * mildness + np.sqrt(0.4) * taste
    latent = np.sqrt(1 - noise) * signal + np.sqrt(noise) * rng.standard_normal(
        signal.shape
    )
    rating = np.clip(np.rint(3.5 + 1.1 * latent), 1, 5)

    count = np.rint(np.exp(rng.uniform(np.log(low), np.log(high), n_users))).astype(
        np.int64
    )
    # The highest of log-weight plus Gumbel noise are a weighted draw without replacement.
    draw = rng.normal(0, 0.5, n_items) + rng.gumbel(size=(n_users, n_items))
    rated = (-draw).argsort(axis=1).argsort(axis=1) < count[:, None]
    user, item = np.nonzero(rated)
    return {
        "user": user,
        "item": item,
        "rating": rating[rated],
        "time": rng.permutation(len(user)),
    }


def first_ratings(
    user: ArrayLike, time: ArrayLike, n_first: int = 20
) -> NDArray[np.bool_]:
    """Mark the first `n_first` ratings of each user; those of the same time in the order they are given."""
    users = np.asarray(user)
    order = np.lexsort((np.asarray(time), users))
    _, start, size = np.unique(users[order], return_index=True, return_counts=True)
    first = np.empty(len(users), dtype=bool)
    first[order] = np.arange(len(users)) - np.repeat(start, size) < n_first
    return first


def label_rest(
    user: ArrayLike,
    item: ArrayLike,
    rating: ArrayLike,
    first: NDArray[np.bool_],
    positive: float = 5,
    min_rows: int = 20,
) -> tuple[Ints, Ints]:
    """Select the ratings that become rows, all but the first, and label them: 1 for the rating `positive`.

    Items that the `first_ratings` do not know are dropped, then users with fewer than `min_rows` ratings.
    """
    users, items = np.asarray(user), np.asarray(item)
    rows = np.flatnonzero(~first & np.isin(items, items[first]))
    active, size = np.unique(users[rows], return_counts=True)
    rows = rows[np.isin(users[rows], active[size >= min_rows])]
    if len(rows) == 0:
        raise DatasetError(
            f"{_WHERE}: no user has {min_rows} ratings beside the first ones; "
            f"the most is {size.max(initial=0)}: lower min_rows or n_first"
        )
    return rows, (np.asarray(rating)[rows] == positive).astype(np.int64)


@checked(_WHERE)
def factorise(
    user: ArrayLike,
    item: ArrayLike,
    rating: ArrayLike,
    time: ArrayLike,
    *,
    n_first: Count = 20,
    n_factors: Count = 10,
    max_iter: Count = 500,
    tol: float = 1e-4,
    seed: int,
) -> dict[str, NDArray]:
    """Factorise the first `n_first` ratings of each user by `masked_nmf`, users and items in sorted order.

    Notes
    -----
    Differences from the paper: PAP takes 30 factors on MovieLens; the default here suits the simulated
    ratings. Items without a first rating get factors of 0 and are left out by `label_rest`.
    """
    first = first_ratings(user, time, n_first)
    users, row = np.unique(user, return_inverse=True)
    items, column = np.unique(item, return_inverse=True)
    values, shape = np.asarray(rating)[first], (len(users), len(items))
    W, H, objective = masked_nmf(
        row[first],
        column[first],
        values,
        shape,
        n_factors,
        seed=seed,
        max_iter=max_iter,
        tol=tol,
    )
    return {
        "first": first,
        "user_factors": W,
        "item_factors": H,
        "objective": objective,
    }


@checked(_WHERE)
def rating_recommendation(
    user: ArrayLike,
    item: ArrayLike,
    rating: ArrayLike,
    first: NDArray[np.bool_],
    user_factors: Floats,
    item_factors: Floats,
    objective: Floats,
    *,
    positive: float = 5,
    min_rows: Count = 20,
) -> Dataset:
    """Make rows of <user, item, product> features of the ratings after the first ones, users as groups.

    For `positive` and `min_rows` see `label_rest`.

    References
    ----------
    Hiranandani et al. (2020), section 7.3.1.
    """
    users, row = np.unique(user, return_inverse=True)
    column = np.unique(item, return_inverse=True)[1]
    rows, y = label_rest(user, item, rating, first, positive, min_rows)
    n_users = len(np.unique(row[rows]))
    facts = {
        "title": "Recommendation from simulated ratings",
        "source": "simulated: low-rank ratings with noise",
        "licence": "none needed: simulated",
        "positive": f"rating of {positive:g}",
        "counts": {
            "ratings": len(row),
            "ratings factorised": int(first.sum()),
            "users": n_users,
            "users left out": len(users) - n_users,
            "items": len(np.unique(column[rows])),
            "factorisation steps": len(objective) - 1,
            "factorisation RMSE": float(np.sqrt(2 * objective[-1] / first.sum())),
        },
    }
    X = interaction_features(user_factors[row[rows]], item_factors[column[rows]])
    return Dataset("ratings", X, y, row[rows], facts)


def read_ratings(path: StrPath) -> dict[str, NDArray]:
    """Read ``u.data``: tab separated user, item, rating (1 to 5) and time in seconds, no header."""
    try:
        table = np.loadtxt(path, dtype=np.int64, delimiter="\t", ndmin=2)
    except (OSError, ValueError) as error:
        raise DatasetError(
            f"dataset {path}: no tab separated integers ({error}): fetch it again"
        ) from None
    if table.shape[1] != 4 or len(table) == 0:
        raise DatasetError(
            f"dataset {path}: user, item, rating and time were expected in each line, got a table of shape "
            f"{table.shape}: give the file u.data as published"
        )
    user, item, rating, time = table.T
    if not np.isin(rating, range(1, 6)).all():
        raise DatasetError(
            f"dataset {path}: ratings must be from 1 to 5, got {np.unique(rating)[[0, -1]].tolist()}: "
            "give the file u.data as published"
        )
    if len(np.unique(table[:, :2], axis=0)) < len(table):
        raise DatasetError(
            f"dataset {path}: a user rates an item twice: keep one of the two lines"
        )
    return {"user": user, "item": item, "rating": rating, "time": time}


@wraps(rating_recommendation, assigned=())
def movie_recommendation(**given: Any) -> Dataset:
    """Make the rows of `rating_recommendation`, named as what they are.

    With 30 factors and the other defaults 638 users, 70,032 rows of 90 features, 15,489 positives.

    Notes
    -----
    Differences from the paper: it says neither which ratings are positive nor which users stay. Its
    counts come out exactly when a rating of 5 is positive, items without a first rating are left out,
    and then users with fewer than 20 rows.

    References
    ----------
    Hiranandani et al. (2020), section 7.3.1; Harper & Konstan (2015), The MovieLens datasets.
    """
    data = rating_recommendation(**given)
    facts = {
        **data.facts,
        "title": "MovieLens 100K",
        "source": "GroupLens, MovieLens 100K",
        "licence": "GroupLens: research use with acknowledgement, no redistribution",
    }
    return replace(data, name="movielens", facts=facts)
