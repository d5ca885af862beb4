"""The entries of ``references.bib``: attop and the publications behind methods."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("references.bib")


@dataclass(frozen=True)
class Publication:
    """A publication."""

    key: str
    #: Without BibTeX's braces.
    title: str
    bibtex: str


@cache
def bibliography() -> dict[str, Publication]:
    """Read the publications that attop knows, by key."""
    text = FILE.read_text(encoding="utf-8")
    entries = {}
    for entry in re.finditer(
        r"^@\w+\{([^,]+),.*?^\}", text, re.DOTALL | re.MULTILINE
    ):
        title = re.search(r"^  title = \{(.*)\},?$", entry[0], re.MULTILINE)
        entries[entry[1]] = Publication(
            entry[1], re.sub("[{}]", "", title[1] if title else entry[1]), entry[0]
        )
    return entries


def cited(keys: Iterable[str]) -> list[Publication]:
    """Select attop's own entry and those of the keys, in the order of the file."""
    wanted = {"attop", *keys}
    if unknown := wanted - set(bibliography()):
        raise KeyError(f"references.bib has no entry {', '.join(sorted(unknown))}")
    return [entry for key, entry in bibliography().items() if key in wanted]
