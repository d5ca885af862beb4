"""A job's output goes to its log; what the user must act on also to the terminal."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Iterator

__all__ = ["job_log"]


@contextlib.contextmanager
def job_log(path: str) -> Iterator[None]:
    """Send standard output and error, of libraries in C too, to the file at `path`.

    An error in the data or the configuration is said on the terminal in its own words, without a
    traceback; any other goes to the log with one. Both end the process with status 1.
    """
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    terminal = os.dup(2)
    with open(path, "w", encoding="utf-8") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        try:
            yield
        except Exception as error:
            if _says_it_all(error):
                print(error, file=sys.stderr, flush=True)
                os.write(terminal, f"\n{error}\n\n".encode())
            else:
                traceback.print_exc()
                last = traceback.format_exc().strip().splitlines()[-1]
                os.write(terminal, f"\n{last}\nThe traceback is in {path}\n\n".encode())
            raise SystemExit(1) from None
        finally:
            sys.stdout.flush()
            sys.stderr.flush()


def _says_it_all(error: Exception) -> bool:
    # Imported late: they bring NumPy and pydantic, which not every job needs.
    from attop.bench.config import ConfigError
    from attop.bench.records import FailedRuns
    from attop.datasets.base import DatasetError

    return isinstance(error, (ConfigError, DatasetError, FailedRuns))
