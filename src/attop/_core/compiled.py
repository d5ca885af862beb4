"""Compiled code: a cache that follows its sources, and the number of threads."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from threadpoolctl import ThreadpoolController

#: Options of numba for a kernel.
KERNEL: dict[str, Any] = {"cache": True, "nogil": True, "no_cfunc_wrapper": True}
#: Options of a function that only kernels call: without a wrapper for Python, a short one compiles in half
#: the time.
HELPER: dict[str, Any] = {**KERNEL, "no_cpython_wrapper": True}


def kernel_sources() -> list[Path]:
    """List the source files of all compiled kernels: ``[_]kernels.py``, and those in ``_kernels``."""
    package = Path(__file__).parents[1]
    return sorted([*package.rglob("*kernels.py"), *package.rglob("_kernels/*.py")])


def discard_stale(
    folder: str | os.PathLike[str], sources: Iterable[Path] | None = None
) -> None:
    """Empty numba's cache in `folder` if any source of a kernel changed since it was filled.

    numba notices an edit of the file a kernel is in, but not of a file whose functions it calls: after an
    update, results would come from a mixture of old and new code. Paths are relative to `folder`: a package
    that is moved or copied keeps its cache. `sources` are those of all kernels by default.
    """
    sources = kernel_sources() if sources is None else sources
    cache = Path(folder) / "__pycache__"
    stamp = cache / "kernels.stamp"
    state = "".join(
        f"{os.path.relpath(s, folder)} {s.stat().st_mtime_ns} {s.stat().st_size}\n"
        for s in sources
    )
    # There is no stamp yet; or the folder is read-only, where sources do not change either.
    with contextlib.suppress(OSError):
        if stamp.read_text() == state:
            return
    with contextlib.suppress(OSError):
        for file in cache.glob("*.nb[ci]"):
            file.unlink(missing_ok=True)
        stamp.write_text(state)  # a half-written stamp would never match


@functools.cache
def blas() -> ThreadpoolController:
    """Look up the linear algebra libraries in use, once: it takes longer than a small problem."""
    return ThreadpoolController().select(user_api="blas")


def allowed_threads() -> int:
    """Count the threads that the BLAS may use: one setting, OMP_NUM_THREADS, governs kernels too."""
    return max(
        (library.num_threads for library in blas().lib_controllers), default=1
    )
