"""Fingerprints of files that change within one process."""

import importlib

from attop_bench.run import fingerprint


def forget():
    """Have every module looked up and read again, as a new process does."""
    for function in vars(fingerprint).values():
        getattr(function, "cache_clear", int)()
    importlib.invalidate_caches()
