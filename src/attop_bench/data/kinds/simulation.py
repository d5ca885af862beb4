"""Users with few and users with many positives (PAP, section 7.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.builder_parameters import integer

__all__ = ["simulation"]


def simulation(
    n_users: int = 60, n_pos: Sequence[int] = (10, 20), n_neg: int = 160, d: int = 5, *, seed: int
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
    where = "dataset simulation"
    for name, value in (("n_users", n_users), ("n_neg", n_neg), ("d", d)):
        integer(where, name, value, 1)
    if not isinstance(n_pos, (list, tuple)) or not n_pos:
        raise DatasetError(f"{where}: n_pos must be a list of integers, got {n_pos!r}: write [10, 20]")
    for value in n_pos:
        integer(where, "n_pos", value, 1)

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
