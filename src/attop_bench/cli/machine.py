"""Cores, threads, memory and graphics of the machine.

Without it, a container's quota is overlooked: more jobs start than there are cores or memory for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from attop.core.wording import counted
from attop_bench.cli.finding import Finding

__all__ = ["check_cores", "check_graphics", "memory_mb", "usable_cores"]

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_CGROUPS = Path("/sys/fs/cgroup")


def check_cores() -> Iterator[Finding]:
    """Say how many cores there are to use, and whether variables ask for more threads than that."""
    cores, seen = usable_cores(), os.cpu_count() or 1
    fewer = f" of {seen}: the others are not for this process (affinity or cgroup)" if cores < seen else ""
    yield Finding("ok", "cores", f"{cores}{fewer}; snakemake --cores {cores} uses them all")
    values = {name: os.environ[name] for name in _THREADS if name in os.environ}
    text = ", ".join(f"{name}={value}" for name, value in values.items()) or "no variable limits them"
    for name, value in values.items():
        if not value.isdigit() or not 1 <= int(value) <= cores:
            fix = f"unset {name}, or export {name}=1"
            yield Finding("warn", "threads", f"{name}={value}, for {counted(cores, 'core')}", fix)
    yield Finding("ok", "threads", f"{text}; a training job has one, whatever is set here")


def check_graphics() -> Finding:
    """Draw an empty figure as the report draws all of its own."""
    backend = os.environ.get("MPLBACKEND", "")
    try:
        import matplotlib
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        with open(os.devnull, "wb") as nowhere:
            FigureCanvasSVG(Figure()).print_svg(nowhere)
    except Exception as error:  # whatever a broken installation raises
        fix = "unset MPLBACKEND" if backend else "python -m pip install --force-reinstall matplotlib"
        return Finding("FAIL", "graphics", f"matplotlib cannot draw: {error}", fix)
    said = f", MPLBACKEND={backend}" if backend else ""
    text = f"matplotlib {matplotlib.__version__}{said}; figures are drawn as SVG, without a display"
    return Finding("ok", "graphics", text)


def usable_cores() -> int:
    """Return how many cores this process may use, by its affinity and the quota of its cgroups."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for folder in _cgroups():
        quota, period = [*_words(folder / "cpu.max"), "", ""][:2]
        if not quota:
            quota = "".join(_words(folder / "cpu.cfs_quota_us"))
            period = "".join(_words(folder / "cpu.cfs_period_us"))
        if quota.isdigit() and period.isdigit():  # else "max", or -1: no limit
            allowed = min(allowed, max(1, int(quota) // int(period)))
    return allowed


def memory_mb() -> float | None:
    """Return the memory of the machine in MB, or less if the cgroup allows less; None if not known."""
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None
    for folder in _cgroups():
        for name in ("memory.max", "memory.limit_in_bytes"):
            limit = "".join(_words(folder / name))
            if limit.isdigit():
                total = min(total, int(limit))
    return total / 1e6


def _cgroups() -> Iterator[Path]:
    """Yield the folders of this process's cgroups and of those above them, versions 1 and 2."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        root = _CGROUPS / controllers if controllers else _CGROUPS
        own = root / path.lstrip("/")
        yield from (folder for folder in (own, *own.parents) if folder.is_relative_to(root))


def _words(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except OSError:
        return []
