"""Fingerprints of code: which edits make a job's results out of date.

Snakemake does not see edits of what a script imports. The fingerprint of a rule covers its script, all
modules of attop that this imports, directly or not, and what the configuration names: an estimator, a metric,
a kind of data, a paper, wherever they lie. What is installed does not count, except attop: versions are in
the records.

A module counts by its syntax tree without docstrings and types, so that comments and formatting do not count;
and by the files beside it that it names: templates, styles, printed numbers.

Of a package that loads its exports when used, all modules count: so modules of attop import from the module
that defines a name, not from its package (`tests/run/test_fingerprint.py`).
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

from attop._core.files import StrPath, write_text

#: Count where they are installed, too.
_OWN = {"attop", "attop_bench"}

#: Import nearly everything, to look it up by name; what is looked up is named to `fingerprint` instead. How a
#: function is run (``jobs``) does not change what it returns, nor does a check before it.
_LEFT_OUT = re.compile(r"attop\.metrics\._registry|attop_bench\.(data\.catalogue|run\.checks|jobs(\..*)?)")

#: An export of a package that loads when used; see `attop._core.lazy`.
_EXPORT = re.compile(r"^from \.([\w.]+) import \w+ as (\w+)$", re.MULTILINE)

#: Texts that may name a file or a folder.
_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)*")

#: What was read of each file, until it changes: reading them takes a second. New files are yet to be added.
_CACHE = Path(".snakemake/attop/code.json")
_NEW: list[str] = []


def rule_fingerprint(script: StrPath, named: Iterable[str] = ()) -> str:
    """Return a digest of the code of a rule's script, of all that it leads to, and of the modules in `named`.

    A script that is missing, or imports nothing of attop, is a ValueError: nothing would ever make its
    results out of date.
    """
    path = Path(script)
    if not path.is_file():
        raise ValueError(f"there is no script {path}: a rule's fingerprint is that of its script")
    digest, names, _ = _remembered(str(path), "")
    imported = [home for home in map(home_of, names) if _file(home)]
    if not imported:
        raise ValueError(f"{path} imports nothing of attop: what its results depend on cannot be read")
    return f"{digest[:8]}{fingerprint([*imported, *named])}"


def fingerprint(modules: Iterable[str]) -> str:
    """Return a digest of the code of `modules`, by their dotted names, and of what they import."""
    return _fingerprint(frozenset(modules))


@cache
def _fingerprint(modules: frozenset[str]) -> str:
    seen: dict[str, str] = {}
    todo = list(modules)
    while todo:
        if (module := todo.pop()) not in seen:
            seen[module], imported = _module(module)
            todo += imported
    if _NEW:
        _NEW.clear()
        with contextlib.suppress(OSError):
            write_text(_CACHE, json.dumps([_reader(), _kept()]))
    return _sha("".join(f"{module} {seen[module]}\n" for module in sorted(seen) if seen[module]).encode())


@cache
def home_of(path: str) -> str:
    """Return the module that defines the class or function at a dotted path, such as ``attop.SVMPerf``."""
    module, _, name = path.rpartition(".")
    home = None if _file(path) else _exports(module).get(name)
    return home_of(f"{home}.{name}") if home else path if _file(path) else module


@cache
def _module(module: str) -> tuple[str, list[str]]:
    """Return the digest of a module and of the data it names, and the modules it imports."""
    if _LEFT_OUT.fullmatch(module) or not (file := _file(module)):
        return "", []
    digest, names, texts = _remembered(file, module)
    folder = os.path.dirname(file)
    for text in texts:
        if text.partition("/")[0] in _entries(folder):
            # A folder only of a package: beside a file of the user's it may be anything.
            data = _data(Path(folder, text), folders="." in module)
            digest += "".join(_sha(path.read_bytes()) for path in data)
    return digest, [*map(home_of, names), *_exports(module).values()]


def _remembered(file: str, module: str) -> tuple[str, list[str], list[str]]:
    """Return the result of `_read`, without reading a file that has not changed."""
    stat = os.stat(file)
    state, read = [stat.st_mtime_ns, stat.st_size], _kept().get(file, [None])
    if state != read[0]:
        _NEW.append(file)
        _kept()[file] = read = [state, *_read(Path(file), module)]
    return read[1], read[2], read[3]


@cache
def _kept() -> dict[str, Any]:
    with contextlib.suppress(OSError, ValueError):
        by, kept = json.loads(_CACHE.read_text(encoding="utf-8"))
        if by == _reader():
            return kept
    return {}


def _reader() -> str:
    """Return the versions of Python and of this file, which read code."""
    return f"{sys.version} {os.stat(__file__).st_mtime_ns}"


def _read(file: Path, module: str) -> tuple[str, list[str], list[str]]:
    """Return the digest of a file of code, the names that it imports, and texts that may name data."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    above = (module if file.name == "__init__.py" else module.rpartition(".")[0]).split(".")
    imported: set[str] = set()
    texts: set[str] = set()
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(body := getattr(node, "body", None), list):
            vars(node)["body"] = [line for line in body if not _is_idle(line)]
        todo += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parts = [*above[: len(above) - node.level + 1], node.module] if node.level else [node.module]
            imported |= {".".join(filter(None, [*parts, alias.name])) for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _NAME.fullmatch(node.value):
            texts.add(node.value)
    return _sha(ast.dump(tree).encode()), sorted(imported), sorted(texts)


def _is_idle(line: ast.stmt) -> bool:
    """Return whether a statement is a docstring, or imports for types alone."""
    if isinstance(line, ast.If) and not line.orelse:
        return isinstance(line.test, ast.Name) and line.test.id == "TYPE_CHECKING"
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)


@cache
def _entries(folder: str) -> frozenset[str]:
    return frozenset(os.listdir(folder))


def _data(path: Path, folders: bool) -> list[Path]:
    """Return a file that is no code, or those of a folder that is no package; compiled code never counts."""
    if folders and path.is_dir() and not (path / "__init__.py").exists():
        return sorted(file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    return [path] if path.is_file() and path.suffix != ".py" else []


@cache
def _exports(package: str) -> dict[str, str]:
    """Return the module of each export of a package that loads them when used."""
    stub = Path(f"{_file(package)}i")
    text = stub.read_text(encoding="utf-8") if stub.is_file() else ""
    return {name: f"{package}.{module}" for module, name in _EXPORT.findall(text)}


@cache
def _file(module: str) -> str:
    """Return the file of a module; empty if it does not count, being installed or of the standard library."""
    top = module.partition(".")[0]
    spec = None if top in sys.stdlib_module_names else _spec(module)
    file = (spec and spec.origin) or ""
    return file if file.endswith(".py") and (top in _OWN or "site-packages" not in file) else ""


@cache
def _spec(module: str) -> ModuleSpec | None:
    """Find a module step by step: `importlib.util.find_spec` would import the packages above it."""
    above, _, _ = module.rpartition(".")
    if not above:
        return PathFinder.find_spec(module)
    package = _spec(above)
    places = package and package.submodule_search_locations
    return PathFinder.find_spec(module, places) if places else None


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
