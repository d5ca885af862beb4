"""Notes of what results were made with, which take them over where Snakemake does not remember them.

Snakemake remembers in ``.snakemake`` of the working directory. That may be lost, or know the folder of
results by another path. So what trainings wait for, and their records, bear a digest of the parameters and
inputs they were made with. In a folder that was taken over, a result runs again if its note disagrees. One
whose note has no digest, such as a table, runs again if it is older than the take-over.

A note is the last output of its rule, and says what its job took, too (`attop_bench.run.use`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from attop_bench.archives import opened
from attop_bench.files import Entry, StrPath, read_json, write_json
from attop_bench.run.notes import SUFFIX, note_of
from attop_bench.run.parameters import plain, short_digest
from attop_bench.run.use import Use

#: Parameters that do not change a result: what a job may take, where files are found, how often it was tried.
_OF_NO_RESULT = {"limits", "receipts", "sources", "turn"}

#: The beginning of a record; see `attop_bench.run.record.Record`.
_MADE = re.compile(r'\{\s*"digest": "\w*",\s*"made": "(\w+)"')


def made_with(params: Iterable[Entry], inputs: Any) -> str:
    """Digest a job's parameters and inputs, as Snakemake has them.

    Of inputs called data and folds only these count: a training waits for others, too. Where a result lies
    does not count.
    """
    named = [getattr(inputs, name, []) for name in ("data", "folds")]
    files = [file for some in named for file in _each(some)] or list(inputs)
    compared = {
        name: value
        for one in params
        for name, value in one.items()
        if name not in _OF_NO_RESULT
    }
    text = json.dumps(plain(compared))
    for file in map(str, files):
        text = text.replace(json.dumps(file), json.dumps(os.path.basename(file)))
    return short_digest("\n".join([text, *map(_origin, files)]).encode())


def leave_note(snakemake: Any, *, can_be_taken_over: bool = True) -> None:
    """Leave the note of a job, its last output: what it was made with, and what it took.

    Without the former its results are taken over by their times alone.
    """
    made = made_with(snakemake.params, snakemake.input) if can_be_taken_over else ""
    write_json(
        snakemake.output[-1], {"made": made, **Use.of_this_process().as_dict()}
    )


def runs_again(
    outputs: Iterable[StrPath], params: Any, inputs: Any, since: float
) -> bool:
    """Decide whether a job of a folder that was taken over at the time `since` is to run again."""
    paths = list(map(Path, outputs))
    try:
        if noted := read_note(paths[-1]):
            return noted != made_with(params, inputs)
        return any(path.stat().st_mtime < since for path in paths)
    except OSError:  # an input or an output is gone
        return True


def read_note(output: Path) -> str:
    """Read the digest in the last output of a job, a note or a record; empty if it has none."""
    with suppress(OSError, ValueError):
        if output.suffix == SUFFIX:
            return str(read_json(output).get("made", ""))
        with opened(output) as file:
            start = _MADE.match(file.read(200).decode("utf-8", "replace"))
        return start[1] if start else ""
    return ""


def _each(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _origin(file: StrPath) -> str:
    """Read the digest in the note of a file, else digest its content."""
    return read_note(note_of(file)) or short_digest(Path(file).read_bytes())
