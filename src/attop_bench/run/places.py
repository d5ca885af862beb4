"""The places of what a configuration names: the same ones for the workflow and for every command.

A file of the benchmark's is that of the working directory, as with a copied configuration, else the one
beside the Snakefile. A module is found by Python's own path, then beside a configuration, then beside the
Snakefile.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator

from attop_bench.files import Entry, JsonObject, StrPath
from attop_bench.run.config import CATALOGUES, catalogue_files

#: Locates a file of the benchmark by its path relative to the Snakefile.
Beside = Callable[[str], str]

_DEFAULT = "config/config.yaml"


def default_configuration(locate: Beside) -> str:
    """Locate the configuration whose keys others replace."""
    return _DEFAULT if os.path.exists(_DEFAULT) else locate(_DEFAULT)


def with_places(
    raw: Entry,
    files: Iterable[StrPath],
    snakefile: StrPath | None,
    locate: Beside,
) -> JsonObject:
    """Complete a configuration by the paths of its catalogues, and let Python find the modules it names.

    `files` are the configuration files that were given, `snakefile` is the one beside which the benchmark's
    files lie, None where that is at an address. A link to a configuration stands for what it leads to, as
    with a script that Python is given.
    """
    for folder in _folders(files, snakefile):
        if folder not in sys.path:
            sys.path.append(folder)
    with_catalogues = {"catalogues": dict(CATALOGUES), **raw}
    catalogues = catalogue_files(with_catalogues)
    if all(map(os.path.exists, catalogues.values())):
        return with_catalogues
    return {
        **raw,
        "catalogues": {
            section: locate(file) for section, file in catalogues.items()
        },
    }


def _folders(files: Iterable[StrPath], snakefile: StrPath | None) -> Iterator[str]:
    """Yield the folders of modules in the order in which they are looked through."""
    for file in files:
        yield os.path.dirname(os.path.realpath(file))
    if snakefile is not None:
        yield os.path.dirname(os.path.abspath(snakefile))
