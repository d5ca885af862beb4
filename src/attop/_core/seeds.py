"""Seeds that depend on what they are for, and on nothing else."""

from __future__ import annotations

import hashlib
import json


def derive_seed(run_seed: int, *names: str | int, bits: int = 32) -> int:
    """Derive the seed of one purpose from the seed of a run.

    The result is the same on every machine, in every process and whatever else has run before. Leave
    the method out of the names of a split or a simulation, and all methods see the same data.

    Parameters
    ----------
    run_seed : int
    *names : str or int
        What the seed is for, for example ``"split", "wdbc", 3``. A number and its text are the same
        name, since a workflow hands numbers on as text.
    bits : int, at most 32
        31 for an estimator, since some libraries take no larger seed.

    Returns
    -------
    seed : int in [0, 2**bits)
        The range `numpy.random.RandomState` and scikit-learn's ``random_state`` take.

    Examples
    --------
    >>> derive_seed(0, "split", 1) == derive_seed(0, "split", "1") != derive_seed(0, "split", 2)
    True
    """
    # JSON keeps the names apart: ("a", "bc") is not ("ab", "c").
    purpose = json.dumps([str(run_seed), *map(str, names)]).encode()
    return int.from_bytes(hashlib.blake2b(purpose, digest_size=4).digest(), "big") >> (32 - bits)
