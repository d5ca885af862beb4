"""Fingerprints of code: which edits make a job's results out of date.

Snakemake does not see edits below ``src``. A fingerprint covers a module and all modules of attop it imports,
read from their syntax trees, so that comments, docstrings and formatting do not count. Of a package, only the
module an imported name comes from counts: every ``__init__`` of attop is a list of exports.

Parsing all of attop takes a third of a second, and every start of Snakemake asks: `remember` keeps what was
read of files that have not changed since.
"""

from __future__ import annotations

import ast
import atexit
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

from attop.files import write_text

__all__ = ["fingerprint", "home_of", "remember"]

PACKAGE = "attop"
ROOT = Path(__file__).parents[2]

#: How a surrogate names its kernel: the module and what is in it.
_KERNEL = re.compile(r"[^\W\d]\w*:[^\W\d]\w*")

#: Imports nearly everything, to look it up by name; what is looked up is named to `fingerprint` instead.
REGISTRIES = frozenset({"attop.metrics.registry", "attop.datasets.catalogue"})


def fingerprint(modules: Iterable[str]) -> str:
    """Return a digest of the code of `modules` and of what they import from attop.

    Parameters
    ----------
    modules : iterable of str
        Dotted names. One from elsewhere counts by its own file alone, and not at all if it is installed
        (below ``site-packages``): versions are in the records.
    """
    return _fingerprint(frozenset(modules))


@cache
def _fingerprint(modules: frozenset[str]) -> str:
    seen: dict[str, str] = {}
    todo = list(modules)
    while todo:
        module = todo.pop()
        if module not in seen:
            seen[module], imported = _scan(module)
            todo += imported
    text = "".join(f"{module} {seen[module]}\n" for module in sorted(seen) if seen[module])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def home_of(path: str) -> str:
    """Return the module that defines the class or function at a dotted path."""
    module, _, name = path.rpartition(".")
    return next(iter(_home(module, name)), module)


def remember(path: str | os.PathLike[str]) -> None:
    """Keep what is read of each file in one of JSON, for other processes until the file changes.

    It is written when the process ends, if there is anything new.
    """
    with contextlib.suppress(OSError, ValueError, TypeError):
        _READ.update(json.loads(Path(path).read_text(encoding="utf-8")))
    known = dict(_READ)

    def keep() -> None:
        if known != _READ:
            with contextlib.suppress(OSError):
                write_text(path, json.dumps(_READ))

    atexit.register(keep)


#: By file: the time, size and Python that `_read` was called at, and what it returned.
_READ: dict[str, list[Any]] = {}


@cache
def _scan(module: str) -> tuple[str, tuple[str, ...]]:
    """Return the digest of one module and the modules of attop it imports."""
    file = _file(module)
    if file is None:
        return "", ()
    about = file.stat()
    state = [about.st_mtime_ns, about.st_size, sys.hexversion]
    if str(file) not in _READ or _READ[str(file)][0] != state:
        _READ[str(file)] = [state, *_read(file)]
    _, digest, imports, strings = _READ[str(file)]
    if not _ours(module):
        return digest, ()
    found = set().union(*(_home(*one) for one in imports), *map(_kernel, strings))
    return digest, tuple(sorted(found - {module} - REGISTRIES))


def _read(file: Path) -> list[Any]:
    """Return the digest of a file's code, its imports (module and name), and strings that may be kernels.

    The modules these lead to are another question: it depends on other files.
    """
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imports: set[tuple[str, str]] = set()
    strings: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports |= {(alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imports |= {(node.module or "", alias.name) for alias in node.names}
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str) and _KERNEL.fullmatch(node.value):
                strings.add(node.value)
        elif isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:]  # a docstring
    digest = hashlib.sha256(ast.dump(tree).encode()).hexdigest()
    return [digest, sorted(i for i in imports if _ours(i[0])), sorted(strings)]


def _ours(module: str) -> bool:
    return module.split(".")[0] == PACKAGE


@cache
def _file(module: str) -> Path | None:
    if _ours(module):
        base = ROOT.joinpath(*module.split("."))
        return next((f for f in (base.with_suffix(".py"), base / "__init__.py") if f.is_file()), None)
    # Step by step: `importlib.util.find_spec` would import the packages above the module.
    name, *rest = module.split(".")
    spec = PathFinder.find_spec(name)
    for part in rest:
        if spec is None or _installed(spec):
            return None
        name = f"{name}.{part}"
        spec = PathFinder.find_spec(name, spec.submodule_search_locations)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py") or _installed(spec):
        return None
    return Path(spec.origin)


def _installed(spec: ModuleSpec) -> bool:
    return "site-packages" in (spec.origin or "")


def _home(module: str, name: str) -> set[str]:
    """Return the modules an import runs, exports of packages followed to where they are defined."""
    if not _ours(module):
        return set()
    file = _file(module)
    if file is None or file.name != "__init__.py":
        return {module}
    if not name:
        return set(_exports(module).values())
    if _file(f"{module}.{name}"):
        return {f"{module}.{name}"}
    home = _exports(module).get(name)
    return _home(home, name) if home else set()


@cache
def _exports(package: str) -> dict[str, str]:
    """Return the module of each name a package exports: those its stub lists, or its ``__init__`` imports."""
    file = _file(package)
    assert file is not None
    stub = file.with_suffix(".pyi")
    homes: dict[str, str] = {}
    for node in ast.parse((stub if stub.is_file() else file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module and (node.level or _ours(node.module)):
            home = f"{package}.{node.module}" if node.level else node.module
            homes |= {alias.name: home for alias in node.names}
    return homes


def _kernel(text: str) -> set[str]:
    """Return the kernel module a surrogate names as ``"module:name"``."""
    module = f"attop.surrogates.kernels.{text.partition(':')[0]}"
    return {module} if _file(module) else set()
