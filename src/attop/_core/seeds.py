"""Seeds derived from that of a run and their purpose."""

from __future__ import annotations

import hashlib
import json


def derive_seed(run_seed: int, *names: str | int, bits: int = 32) -> int:
    """Derive the seed of one purpose from the seed of a run.

    The seed, from 0 to ``2**bits - 1``, is the same on every machine, in every process and whatever else has
    run before. The names say its purpose, such as ``"split", "wdbc", 3``; a number and its text are the same
    name, since a workflow hands numbers on as text. Leave the method out, and all methods see the same data.
    Give an estimator 31 bits: some libraries take no larger seed.

    Examples
    --------
    >>> derive_seed(0, "split", 1) == derive_seed(0, "split", "1") != derive_seed(0, "split", 2)
    True
    """
    # JSON keeps the names apart: ("a", "bc") is not ("ab", "c").
    purpose = json.dumps([str(run_seed), *map(str, names)]).encode()
    return int.from_bytes(
        hashlib.blake2b(purpose, digest_size=4).digest(), "big"
    ) >> (32 - bits)
