"""How many threads compiled code may use."""

from __future__ import annotations

import functools

from threadpoolctl import ThreadpoolController

__all__ = ["allowed_threads", "blas"]


@functools.cache
def blas() -> ThreadpoolController:
    """Return the linear algebra libraries in use; looking them up takes longer than a small problem."""
    return ThreadpoolController().select(user_api="blas")


def allowed_threads() -> int:
    """Return as many threads as the BLAS may use, so that one setting, OMP_NUM_THREADS, governs both."""
    return max((library.num_threads for library in blas().lib_controllers), default=1)
