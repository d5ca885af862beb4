"""The notes of jobs other than trainings of one fold: each is the last output of its rule."""

from __future__ import annotations

import os
from pathlib import Path

from attop_bench.files import StrPath

SUFFIX = ".made"


def note_of(output: StrPath) -> Path:
    """Name the note of the job that made an output: it lies next to it."""
    return Path(f"{os.fspath(output)}{SUFFIX}")


def noted(outputs: StrPath | list[str]) -> list[str]:
    """List the outputs of a rule, followed by the note of its job."""
    files = (
        [os.fspath(outputs)] if isinstance(outputs, str | os.PathLike) else outputs
    )
    return [*files, str(note_of(files[0]))]
