"""Ratios of two costs measured in turn, and the line that reports one.

On a machine shared with others seconds mean little and a ratio much, if both sides have met the same
disturbances: calls alternate, each ratio is that of two neighbours, and the median with its quartiles is
what a line shows. The verdict is on processor time (of all threads), which waiting does not count; the
ratio of wall time stands beside it, and differs where one side uses more cores than the other.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import numpy as np

#: A reading takes at least this long, or the clock's resolution would show.
SHORTEST = 0.02
WIDTHS = (50, 11, 11, 22, 8, 8)


def show(what: str, seconds: np.ndarray, goal: float | None = None) -> None:
    """Print the line of readings; `goal` is the largest ratio wanted, None for a reference.

    `seconds`, shape (repeats, 2, 2), are of ours and of the peer, and of processor and of wall time.
    """
    cpu, wall = (seconds[:, 0] / seconds[:, 1]).T
    ours, peer = (duration(np.median(side)) for side in seconds[..., 0].T)
    row(what, ours, peer, cpu, wall=f"{np.median(wall):.3g}", goal=goal)


def by_quick(doc: str, quick: int, usual: int) -> int:
    """Return how often to measure, or how much, with ``--quick`` and without."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repeats, or fewer rows")
    return quick if parser.parse_args().quick else usual


def interleave(ours: Callable[[], object], peer: Callable[[], object], repeats: int) -> np.ndarray:
    """Call one, then the other, `repeats` times; both are called once before, unmeasured."""
    calls = [(call, _calls_for_a_reading(call)) for call in (ours, peer)]
    return np.array([[clocked(*call) for call in calls] for _ in range(repeats)])


def interleave_programs(ours: str, peer: str, repeats: int) -> np.ndarray:
    """Run two Python programs in turn, each in a fresh interpreter; the first run of each is discarded."""
    return np.array([[_read_program(source) for source in (ours, peer)] for _ in range(repeats + 1)])[1:]


def _calls_for_a_reading(call: Callable[[], object]) -> int:
    call()
    return max(1, round(SHORTEST / max(clocked(call)[0], 1e-7)))


def clocked(call: Callable[[], object], n: int = 1) -> np.ndarray:
    """Return processor and wall time of a call."""
    wall = time.perf_counter()
    cpu = time.process_time()
    for _ in range(n):
        call()
    return np.array([time.process_time() - cpu, time.perf_counter() - wall]) / n


def _read_program(source: str) -> np.ndarray:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = time.perf_counter()
    subprocess.run([sys.executable, "-c", source], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    elapsed = time.perf_counter() - wall
    return np.array([after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, elapsed])


def alone(function: Callable, *arguments: object):
    """Return what a function returns in a new process."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def header() -> None:
    """Print the names of the columns, and a rule."""
    names = ("what", "ours", "peer/limit", "ratio (quartiles)", "wall", "goal")
    print(_columns(*names), "met")
    print("-" * (sum(WIDTHS) + len(WIDTHS) + 3), flush=True)


def row(what: str, ours: str, peer: str, ratio, *, wall: str = "", goal: float | None = None) -> None:
    """Print one line.

    `ratio` is ours over peer: one number, or one per repeat, which are shown as median and quartiles.
    """
    low, median, high = np.quantile(np.atleast_1d(ratio), [0.25, 0.5, 0.75])
    spread = f"{median:.3g} ({low:.3g} .. {high:.3g})" if np.size(ratio) > 1 else f"{median:.3g}"
    verdict = "" if goal is None else "yes" if median <= goal else "NO"
    wanted = "" if goal is None else f"<= {goal:g}"
    print(_columns(what, ours, peer, spread, wall, wanted), verdict, flush=True)


def duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def _columns(what: str, *cells: str) -> str:
    return " ".join([f"{what:<{WIDTHS[0]}}", *(f"{c:>{w}}" for c, w in zip(cells, WIDTHS[1:], strict=True))])
