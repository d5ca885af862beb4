"""Fingerprints of code: which edits make a job's results out of date.

Snakemake does not see edits of what a script imports. The fingerprint of a rule covers its script, all
modules of attop that this imports, directly or not, and what the configuration names: an estimator, a metric,
a kind of data, a paper, wherever they lie. What is installed does not count, except attop: versions are in
the records.

A module counts by what it says (`attop_bench.run.syntax`), so that comments and formatting do not count; and
by the files in its folder that it names: templates, styles, printed numbers. Code from outside attop may look
for modules in ways of its own. Of such code these count, too: modules whose names stand there as texts, and a
file in its folder that is called like a module of Python's library, which it may put first.

A name that is imported from a package whose stub exports it counts for the module that defines it. Of such a
package as a whole all modules count: so nothing imports one (`tests/run/test_fingerprint.py`).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

from attop_bench.files import JsonObject, StrPath, write_text
from attop_bench.run import syntax
from attop_bench.run.parameters import short_digest
from attop_bench.run.syntax import Content, absolute

#: Count where they are installed, too.
_OWN = {"attop", "attop_bench"}

#: Import nearly everything, to look it up by name; what is looked up is named to `fingerprint` instead. How a
#: function is run (``jobs``) does not change what it returns, nor does a check before it.
_LEFT_OUT = re.compile(
    r"attop\.metrics\._registry|attop_bench\.(data\.catalogue|run\.checks|jobs(\..*)?)"
)

#: An export of a package that loads when used; see `attop._core.lazy`.
_EXPORT = re.compile(r"^from (\.?[\w.]+) import \w+ as (\w+)$", re.MULTILINE)

#: A text that may name a module, or what is in one.
_MODULE = re.compile(r"\.*[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")

#: The folder of Python's own library, and names of those of installed packages.
_LIBRARY, _INSTALLED = (
    os.path.dirname(os.__file__),
    {"site-packages", "dist-packages"},
)

#: What was read of each file, until it changes: reading them takes a second. New files are yet to be added.
_CACHE = Path(".snakemake/attop/code.json")
_NEW: list[str] = []


def rule_fingerprint(
    script: StrPath, named: Iterable[str] = (), files: Iterable[StrPath] = ()
) -> str:
    """Digest the code of a rule's script, of all that it leads to, and of what is named.

    This is the code of the modules in `named`, and the content of `files`, which may be folders.

    A script that is missing, or imports nothing of attop, is a ValueError: nothing would ever make its
    results out of date.
    """
    path = Path(script)
    if not path.is_file():
        raise ValueError(
            f"there is no script {path}: a rule's fingerprint is that of its script"
        )
    content = _content(str(path), "")
    imported = [home for home in map(home_of, content.imported) if file_of(home)]
    if not imported:
        raise ValueError(
            f"{path} imports nothing of attop: what its results depend on cannot be read"
        )
    data = "".join(map(content_digest, files))
    return f"{content.digest[:8]}{fingerprint([*imported, *named])}{data}"


def fingerprint(modules: Iterable[str]) -> str:
    """Digest the code of `modules`, by their dotted names, and of all that they import."""
    return _fingerprint(frozenset(modules))


@cache
def _fingerprint(modules: frozenset[str]) -> str:
    seen: dict[str, str] = {}
    todo = list(modules)
    while todo:
        if (module := todo.pop()) not in seen:
            seen[module], imported = _module(module)
            todo += imported
    keep_what_was_read()
    digests = sorted(
        (os.path.basename(module), digest)
        for module, digest in seen.items()
        if digest
    )
    return short_digest(
        "".join(f"{module} {digest}\n" for module, digest in digests).encode()
    )


def keep_what_was_read() -> None:
    """Leave in the working directory what was read of each file."""
    if not _NEW:
        return
    _NEW.clear()
    with suppress(OSError):
        write_text(_CACHE, json.dumps([_reader(), _memory()]))


@cache
def home_of(path: str) -> str:
    """Find the module that defines the class or function at a dotted path, such as ``attop.SVMPerf``."""
    module, _, name = path.rpartition(".")
    home = None if file_of(path) else _exports(module).get(name)
    return home_of(f"{home}.{name}") if home else path if file_of(path) else module


def counts(module: str) -> bool:
    """Tell whether edits of a module make results out of date: it is found, and not installed."""
    return bool(file_of(module))


@cache
def _module(module: str) -> tuple[str, list[str]]:
    """Digest a module and the data it names, and list the modules it imports."""
    if _LEFT_OUT.fullmatch(module) or not (file := file_of(module)):
        return "", []
    content = _content(file, module)
    digest = content.digest
    folder = os.path.dirname(file)
    for text in content.texts:
        if text.partition("/")[0] in _entries(folder):
            # A folder only of a package: beside a file of the user's it may be anything.
            data = _data(Path(folder, text), folders=_is_in_package(module))
            digest += "".join(short_digest(path.read_bytes()) for path in data)
    modules = [*map(home_of, content.imported), *_exports(module).values()]
    if module.partition(".")[0] not in _OWN:
        modules += [
            *_named_modules(content.texts, module),
            *_hidden(content.imported, module, folder),
        ]
    return digest, modules


def _is_in_package(module: str) -> bool:
    return "." in module and not os.path.isabs(module)


def _named_modules(texts: Iterable[str], module: str) -> Iterator[str]:
    """Yield the modules that texts in a `module` name, whatever imports them."""
    for text in texts:
        if _MODULE.fullmatch(text):
            yield home_of(absolute(text, module.rpartition(".")[0]))


def _hidden(imported: Iterable[str], module: str, folder: str) -> Iterator[str]:
    """Yield files of a `folder` called like modules that a file there imports, and that lie elsewhere.

    The file may put its folder first in Python's path, which this process does not know.
    """
    if _is_in_package(module):
        return
    for top in sorted(
        {name.partition(".")[0] for name in imported}
        - _OWN
        - {*sys.builtin_module_names}
    ):
        file = os.path.join(folder, f"{top}.py")
        if os.path.isfile(file) and not os.path.samefile(
            file, _origin(top) or folder
        ):
            yield file


def _content(file: str, module: str) -> Content:
    """Read the code of a file and the names in it, unless they are remembered from the unchanged file."""
    return Content(
        *_remembered(file, file, lambda: syntax.read(Path(file), module))
    )


def content_digest(path: StrPath) -> str:
    """Digest a file, or the names and files in a folder except compiled code."""
    file = os.fspath(path)
    if os.path.isdir(file):
        inside = _data(Path(file), folders=True)
        return short_digest(
            "".join(
                f"{f.relative_to(file)} {content_digest(f)}\n" for f in inside
            ).encode()
        )
    [digest] = _remembered(
        f"data {os.path.abspath(file)}", file, lambda: [_digest_of_file(file)]
    )
    return digest


def _digest_of_file(file: str) -> str:
    with open(file, "rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()[:16]


def _remembered(
    key: str, file: str, make: Callable[[], Iterable[Any]]
) -> list[Any]:
    """Look up the values that `make` reads of a file; it is read only if it changed since."""
    stat = os.stat(file)
    state = [stat.st_mtime_ns, stat.st_size]
    noted = _memory().get(key, [None])
    if state != noted[0]:
        _NEW.append(key)
        _memory()[key] = noted = [state, *make()]
    return noted[1:]


@cache
def _memory() -> JsonObject:
    with suppress(OSError, ValueError):
        reader, memory = json.loads(_CACHE.read_text(encoding="utf-8"))
        if reader == _reader():
            return memory
    return {}


def _reader() -> str:
    """State the versions of the files that read code."""
    return " ".join(
        str(os.stat(file).st_mtime_ns) for file in (__file__, syntax.__file__)
    )


@cache
def _entries(folder: str) -> frozenset[str]:
    return frozenset(os.listdir(folder))


def _data(path: Path, folders: bool) -> list[Path]:
    """List a file that is not code, or the files of a folder that is not a package, but no compiled code."""
    if folders and path.is_dir() and not (path / "__init__.py").exists():
        return sorted(
            file
            for file in path.rglob("*")
            if file.is_file() and "__pycache__" not in file.parts
        )
    return [path] if path.is_file() and path.suffix != ".py" else []


@cache
def _exports(package: str) -> dict[str, str]:
    """Map each export of a package that loads them when used to its module."""
    stub = Path(f"{file_of(package)}i")
    text = stub.read_text(encoding="utf-8") if stub.is_file() else ""
    return {
        name: resolve_name(module, package)
        for module, name in _EXPORT.findall(text)
    }


@cache
def file_of(module: str) -> str:
    """Find the file of a module; empty if it does not count, being installed or of Python's library."""
    top = module.partition(".")[0]
    file = _origin(module)
    if not file.endswith(".py"):
        return ""
    is_installed = file.startswith(_LIBRARY) or _INSTALLED.intersection(
        Path(file).parts
    )
    return file if top in _OWN or not is_installed else ""


def _origin(module: str) -> str:
    """Find the file of a module, which may be named by its absolute path; empty if it has none."""
    if os.path.isabs(module):
        return module
    spec = (
        None
        if module.partition(".")[0] in sys.builtin_module_names
        else _spec(module)
    )
    return (spec and spec.origin) or ""


@cache
def _spec(module: str) -> ModuleSpec | None:
    """Find a module step by step: `importlib.util.find_spec` would import the packages above it."""
    above, _, _ = module.rpartition(".")
    if not above:
        return PathFinder.find_spec(module)
    package = _spec(above)
    places = package and package.submodule_search_locations
    return PathFinder.find_spec(module, places) if places else None
