"""Data without a download: two sets that come with scikit-learn, and simulated users."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.parameters import Count, checked

__all__ = ["DIGITS_SOURCE", "digit", "simulation", "wdbc"]

#: Facts of the digit images, shared with the image recommendation made of them.
DIGITS_SOURCE = {
    "source": "UCI, Optical Recognition of Handwritten Digits (its test part), as bundled with scikit-learn",
    "licence": "CC BY 4.0",
}


@checked("dataset wdbc")
def wdbc(n_features: Annotated[int, Field(strict=True, ge=1, le=30)] = 30) -> Dataset:
    """Wisconsin diagnostic breast cancer: 569 tumours, 30 features, 212 malignant.

    Parameters
    ----------
    n_features : int from 1 to 30
        The first so many features. With all of them the top of the list is easy; Rudin (2005), section 5,
        takes the first six so that no ranking is perfect.

    Raises
    ------
    DatasetError
        If `n_features` is anything else.

    Notes
    -----
    Malignant is the positive class. scikit-learn codes benign as 1, so its target is turned round.
    """
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    facts = {
        "title": "Breast cancer Wisconsin (diagnostic)",
        "source": "UCI, Breast Cancer Wisconsin (Diagnostic), as bundled with scikit-learn",
        "licence": "CC BY 4.0",
        "positive": "malignant tumour",
    }
    malignant = bunch.target == list(bunch.target_names).index("malignant")
    return Dataset("wdbc", bunch.data[:, :n_features], malignant, None, facts)


@checked("dataset digit")
def digit(
    digit: Annotated[int, Field(strict=True, ge=0, le=9)],
    pool: Annotated[int, Field(strict=True, ge=1, le=4)] = 1,
) -> Dataset:
    """One handwritten digit against the nine others: 1797 images of 8 by 8 pixels, about 10% positive.

    Parameters
    ----------
    digit : int from 0 to 9
        The positive class.
    pool : int from 1 to 4, a divisor of 8
        Side of the squares of pixels of which each becomes one, their mean. On all pixels every method is
        right at the top; with 4 by 4 of them (``pool=2``) a linear score no longer is.

    Raises
    ------
    DatasetError
        If `digit` or `pool` is anything else.
    """
    from sklearn.datasets import load_digits

    if 8 % pool:
        raise DatasetError(f"dataset digit: pool must divide 8, the pixels of a side, got {pool}")
    bunch = load_digits()
    side = 8 // pool
    pixels = bunch.data.reshape(-1, side, pool, side, pool).mean(axis=(2, 4)).reshape(-1, side**2)
    facts = {
        "title": f"Handwritten digit {digit} against the rest",
        **DIGITS_SOURCE,
        "positive": f"image of the digit {digit}",
    }
    return Dataset(f"digit-{digit}", pixels, bunch.target == digit, None, facts)


@checked("dataset simulation")
def simulation(
    n_users: Count = 60,
    n_pos: Annotated[Sequence[Count], Field(min_length=1)] = (10, 20),
    n_neg: Count = 160,
    d: Count = 5,
    *,
    seed: int,
) -> Dataset:
    """Users whose positives are N(-1_d, I) and whose negatives are N(0_d, I).

    Parameters
    ----------
    n_users : int
        Number of users, the groups.
    n_pos : sequence of int
        Positives per user; the users take the entries in turn, so two entries make two halves.
    n_neg : int
        Negatives per user.
    d : int
        Number of features.
    seed : int

    Returns
    -------
    dataset : Dataset
        Users in order; within a user the positives come first.

    Raises
    ------
    DatasetError
        If a number is not a positive integer.

    Notes
    -----
    Case 1 of the paper has 10 positives and looks at the top k = 20, case 2 has 20 and k = 10.

    Differences from the paper: it simulates a single user per run and averages over 300 runs of either
    case; here all users form one set, half of them of either case, with one model for all. A split
    within users divides the counts: for a test part of 20% with the paper's counts, ask for five times
    as many (``n_pos=(50, 100), n_neg=800``).

    References
    ----------
    Hiranandani et al. (2020), section 7.1.
    """
    rng = np.random.default_rng(seed)
    positives = np.resize(np.asarray(n_pos), n_users)
    size = positives + n_neg
    user = np.repeat(np.arange(n_users), size)
    position = np.arange(len(user)) - np.repeat(np.cumsum(size) - size, size)
    y = (position < positives[user]).astype(np.int64)
    X = rng.standard_normal((len(user), d)) - y[:, None]
    facts = {
        "title": "Simulated users with few and with many positives",
        "source": "simulated, after Hiranandani et al. (2020), section 7.1",
        "licence": "none needed: simulated",
        "positive": "item drawn around -1 instead of 0",
        "counts": {f"users with {c} positives": int((positives == c).sum()) for c in sorted(set(n_pos))},
    }
    return Dataset("simulation", X, y, user, facts)
