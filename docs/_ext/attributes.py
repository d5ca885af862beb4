"""Attributes that a docstring documents together, each by itself: Sphinx tears ``k, length : int``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sphinx.application import Sphinx

_TOGETHER = re.compile(r"(\w+(?:, \w+)+) : (.+)")


def one_by_one(lines: Sequence[str]) -> list[str]:
    """Return the lines of a docstring with an entry for each attribute: the others refer to the first."""
    written: list[str] = []
    others: list[str] = []
    is_attributes = False
    for place, line in enumerate(lines):
        below = lines[place + 1] if place + 1 < len(lines) else ""
        is_entry = bool(line) and not line.startswith(" ")
        if is_entry:
            written += others
            others = []
        if is_entry and re.fullmatch("-{3,}", below):
            is_attributes = line == "Attributes"
        match = _TOGETHER.fullmatch(line)
        if not (is_attributes and match):
            written.append(line)
            continue
        first, *names = match[1].split(", ")
        written.append(f"{first} : {match[2]}")
        for name in names:
            others += [f"{name} : {match[2]}", f"    See ``{first}``."]
    return written + others


def split_attributes(
    app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Change a docstring before napoleon reads it."""
    if what == "class":
        lines[:] = one_by_one(lines)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register it before napoleon, which has priority 500."""
    app.connect("autodoc-process-docstring", split_attributes, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
