"""The notes of jobs other than trainings of one fold: each is the last output of its rule."""

from __future__ import annotations

import os
from pathlib import Path

from attop_bench.files import StrPath

SUFFIX = ".made"


def note_of(output: StrPath) -> Path:
    """Return the path of the note beside an output."""
    return Path(f"{os.fspath(output)}{SUFFIX}")


def noted(outputs: StrPath | list[str]) -> list[str]:
    """Return the outputs of a rule with the note of its job, beside the first of them."""
    files = (
        [os.fspath(outputs)] if isinstance(outputs, str | os.PathLike) else outputs
    )
    return [*files, str(note_of(files[0]))]
