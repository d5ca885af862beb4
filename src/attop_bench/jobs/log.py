"""Logs: of a script, whose error also goes to the terminal, and of a child, which may print megabytes."""

from __future__ import annotations

import os
import select
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress

#: Bytes of a log that are kept from its beginning, and from its end.
_HEAD, _TAIL = 1 << 20, 1 << 16


@contextmanager
def job_log(path: str) -> Iterator[None]:
    """Send standard output and error, of libraries in C too, to the file at `path`.

    An error of a class with ``for_the_user = True`` goes to the terminal without a traceback; any other goes
    to the log with one. Both end the process with status 1. So does Ctrl-C, after cleaning up.
    """
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    terminal = os.dup(2)
    with open(path, "w", encoding="utf-8") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            yield
        except Exception as error:
            if getattr(error, "for_the_user", False):
                print(error, file=sys.stderr, flush=True)
                os.write(terminal, f"\n{error}\n\n".encode())
            else:
                traceback.print_exc()
                last = traceback.format_exc().strip().splitlines()[-1]
                os.write(
                    terminal, f"\n{last}\nThe traceback is in {path}\n\n".encode()
                )
            raise SystemExit(1) from None
        finally:
            sys.stdout.flush()
            sys.stderr.flush()


class BoundedLog:
    """A log of limited size: its beginning goes to the file at once, its end when it is closed."""

    def __init__(self, path: str | os.PathLike[str]):
        self._file: int | None = None
        with suppress(OSError):
            self._file = os.open(
                path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644
            )
        self._written = self._taken = 0
        self._last = b""

    def take(self, source: int) -> bool:
        """Read the output that is there; False at its end."""
        chunk = os.read(source, 1 << 16)
        self._taken += len(chunk)
        self._last = (self._last + chunk)[-_TAIL:]
        head = chunk[: _HEAD - self._written]
        self._write(head)
        self._written += len(head)
        return bool(chunk)

    def drain(self, source: int, seconds: float = 0.0) -> None:
        """Read all output that is there, after waiting up to `seconds` for it."""
        while select.select([source], [], [], seconds)[0] and self.take(source):
            seconds = 0.0

    def close(self, message: str) -> None:
        """Write the end of the output, and a last message."""
        left = self._taken - self._written
        if left > len(self._last):
            self._write(
                f"\n[{left - len(self._last)} bytes left out here]\n".encode()
            )
        if left:
            self._write(self._last[-left:])
        if message:
            self._write(f"{message}\n".encode())
        if self._file is not None:
            os.close(self._file)

    def tail(self) -> str:
        """Decode the end of the output."""
        return self._last[-16_000:].decode(errors="replace")

    def _write(self, text: bytes) -> None:
        if self._file is not None:
            with suppress(OSError):
                os.write(self._file, text)
