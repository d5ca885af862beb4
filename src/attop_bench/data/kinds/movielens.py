"""MovieLens 100K, the movie recommendation of PAP."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop.core.typing import Floats
from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.kinds.ratings import rating_recommendation

__all__ = ["movie_recommendation", "read_ratings"]


def read_ratings(path: str | os.PathLike[str]) -> dict[str, NDArray]:
    """Read ``u.data``: tab separated user, item, rating and time in seconds, no header.

    Returns
    -------
    ratings : dict
        ``user``, ``item``, ``rating`` and ``time``, each of shape (n_ratings,), int64, as in the file.

    Raises
    ------
    DatasetError
        If a line has another form, a rating is not from 1 to 5, or a user rates an item twice.
    """
    try:
        table = np.loadtxt(path, dtype=np.int64, delimiter="\t", ndmin=2)
    except (OSError, ValueError) as error:
        raise DatasetError(
            f"dataset {path}: not tab separated integers: {error}; download the file again"
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
        raise DatasetError(f"dataset {path}: a user rates an item twice: keep one of the two lines")
    return {"user": user, "item": item, "rating": rating, "time": time}


def movie_recommendation(
    user: ArrayLike,
    item: ArrayLike,
    rating: ArrayLike,
    first: NDArray[np.bool_],
    user_factors: Floats,
    item_factors: Floats,
    objective: Floats,
    *,
    positive: float = 5,
    min_rows: int = 20,
) -> Dataset:
    """Return the rows of `rating_recommendation`, named for what they are.

    Parameters
    ----------
    user, item, rating, first, user_factors, item_factors, objective, positive, min_rows
        See `rating_recommendation`.

    Returns
    -------
    dataset : Dataset
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
    data = rating_recommendation(
        user,
        item,
        rating,
        first,
        user_factors,
        item_factors,
        objective,
        positive=positive,
        min_rows=min_rows,
    )
    facts = {
        **data.facts,
        "title": "MovieLens 100K",
        "source": "GroupLens, MovieLens 100K",
        "licence": "GroupLens: research use with acknowledgement, no redistribution",
    }
    return replace(data, name="movielens", facts=facts)
