"""Files and modules that an entry of the configuration names, on which its results depend.

A parameter may name a file of weights, or a module to be imported; the code shows neither. Without `depends`
every file, and every module outside what is installed, that a parameter names counts. With it what it lists
counts and nothing else, for a parameter may name a file that is written, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from attop_bench.run.fingerprint import counts, file_of, home_of

if TYPE_CHECKING:
    from attop_bench.run.options import DatasetConfig, MethodConfig


class Named(NamedTuple):
    """Modules by dotted names, and paths of files and folders."""

    modules: list[str]
    files: list[str]


def named_by(entry: MethodConfig | DatasetConfig, home: str) -> Named:
    """Collect files and modules that an entry depends on; `home` is the module of its class or function."""
    if entry.depends is not None:
        files = {
            text: path for text in entry.depends if (path := _path(text, home))
        }
        return Named(
            [home_of(text) for text in entry.depends if text not in files],
            list(files.values()),
        )
    texts = sorted(set(_texts([entry.params, getattr(entry, "param_grid", {})])))
    files = {
        text: path for text in texts if os.path.isfile(path := _path(text, home))
    }
    dotted = [
        text
        for text in texts
        if all(part.isidentifier() for part in text.split("."))
    ]
    modules = [home_of(text) for text in dotted if text not in files]
    return Named(
        [module for module in modules if counts(module)], list(files.values())
    )


def complaints(entry: MethodConfig | DatasetConfig, path: str) -> Iterator[str]:
    """Yield what an entry is said to depend on and is not there; `path` is that of its class or function."""
    home = home_of(path)
    for text in entry.depends or ():
        if not _path(text, home) and not counts(home_of(text)):
            yield (
                f"depends: {text!r} is neither a file or folder, in {os.getcwd()} or next to the code of "
                f"{path}, nor a module that Python finds outside of installed packages: correct it, or leave "
                "it out"
            )


def _path(text: str, home: str) -> str:
    """Find a file or folder from the working directory or next to a module; empty if neither has it."""
    if not text:
        return ""
    code = file_of(home)
    places = [
        os.path.expanduser(text),
        *([os.path.join(os.path.dirname(code), text)] if code else []),
    ]
    return next(filter(os.path.exists, places), "")


def _texts(value: object) -> Iterator[str]:
    """Yield the texts in a value of the configuration."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _texts(list(value.values()))
    elif isinstance(value, Iterable):
        for one in value:
            yield from _texts(one)
