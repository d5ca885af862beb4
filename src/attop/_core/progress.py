"""One line of progress on the standard error stream."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import TypeVar

from attop._core.wording import format_duration

T = TypeVar("T")

#: Seconds between two lines where there is no terminal.
_APART = 10.0


def show_progress(
    results: Iterator[T], total: int, noun: str = "runs", subject: str = ""
) -> Iterator[T]:
    """Pass results on, and print how many are done and the time left.

    On a terminal that is one line. Elsewhere it is a line each ten seconds, and the last.
    """
    begun = time.monotonic()
    live = sys.stderr.isatty()
    printed_at = 0.0
    for done, result in enumerate(results, 1):
        passed = time.monotonic() - begun
        line = f"{subject}{done} of {total} {noun}, {format_duration(passed)}"
        if done < total:
            line += (
                f", about {format_duration(passed / done * (total - done))} to go"
            )
        if live or done == total or passed - printed_at >= _APART:
            printed_at = passed
            print(
                line.ljust(60),
                end="\r" if live and done < total else "\n",
                file=sys.stderr,
                flush=True,
            )
        yield result
