"""Notes of what results were made with, which take them over where Snakemake does not remember them.

Snakemake remembers in ``.snakemake`` of the working directory. That may be lost, or know the folder of
results by another path. So what trainings wait for, and their records, bear a digest of the parameters and
inputs they were made with. In a folder that was taken over, a result runs again if its note disagrees. One
without a note, such as a table, runs again if it is older than the take-over.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attop_bench.files import StrPath, write_text
from attop_bench.run.parameters import plain

#: Parameters that do not change a result: what a job may take, where files are found, how often it was tried.
_OF_NO_RESULT = {"limits", "receipts", "sources", "turn"}

#: The beginning of a record; see `attop_bench.run.record.Record`.
_MADE = re.compile(r'\{\s*"digest": "\w*",\s*"made": "(\w+)"')


def made_with(params: Iterable[Mapping[str, Any]], inputs: Any) -> str:
    """Return a digest of a job's parameters and inputs, as Snakemake has them.

    Of inputs called data and folds only these count: a training waits for others, too. Where a result lies
    does not count.
    """
    named = [getattr(inputs, name, []) for name in ("data", "folds")]
    files = [file for some in named for file in _each(some)] or list(inputs)
    compared = {name: value for one in params for name, value in one.items() if name not in _OF_NO_RESULT}
    text = json.dumps(plain(compared))
    for file in map(str, files):
        text = text.replace(json.dumps(file), json.dumps(os.path.basename(file)))
    return _digest("\n".join([text, *map(_origin, files)]).encode())


def leave_note(snakemake: Any) -> None:
    """Leave the note of a job beside its first output."""
    write_text(note_of(snakemake.output[0]), made_with(snakemake.params, snakemake.input))


def note_of(output: StrPath) -> Path:
    """Return the path of the note beside an output."""
    return Path(f"{os.fspath(output)}.made")


def runs_again(outputs: Iterable[StrPath], params: Any, inputs: Any, since: float) -> bool:
    """Return whether a job of a folder that was taken over at the time `since` is to run again."""
    paths = list(map(Path, outputs))
    try:
        if noted := read_note(paths[-1]):
            return noted != made_with(params, inputs)
        return any(path.stat().st_mtime < since for path in paths)
    except OSError:  # an input or an output is gone
        return True


def read_note(output: Path) -> str:
    """Return the digest of an output in its record or its note; empty if neither has it."""
    record, note = output.with_name("record.json"), note_of(output)
    with contextlib.suppress(OSError, ValueError):
        if note.exists():
            return note.read_text(encoding="utf-8")
        with open(record, encoding="utf-8") as file:
            start = _MADE.match(file.read(200))
        return start[1] if start else ""
    return ""


def _each(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _origin(file: StrPath) -> str:
    """Return the digest in the note of a file, else one of its content."""
    with contextlib.suppress(OSError):
        return note_of(file).read_text(encoding="utf-8")
    return _digest(Path(file).read_bytes())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
