"""How many threads compiled code may use."""

from __future__ import annotations

from threadpoolctl import threadpool_info

__all__ = ["allowed_threads"]


def allowed_threads() -> int:
    """Return as many threads as the BLAS may use, so that one setting, OMP_NUM_THREADS, governs both."""
    return max((pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1)
