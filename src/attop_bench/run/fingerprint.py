"""Fingerprints of code: which edits make a job's results out of date.

Snakemake does not see edits below ``src``. The fingerprint of a rule covers its script, all modules of attop
that this imports, directly or not, and what the configuration names: an estimator, a metric, a kind of data.
A module counts by its syntax tree without docstrings, so that comments and formatting do not count.

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
from importlib.machinery import PathFinder
from pathlib import Path

from attop._core.files import write_text

PACKAGES = ("attop", "attop_bench", "studies")

#: Import nearly everything, to look it up by name; what is looked up is named to `fingerprint` instead.
REGISTRIES = frozenset({"attop.metrics._registry", "attop_bench.data.catalogue"})

#: How a function is run, which does not change what it returns.
RUNNERS = "attop_bench.jobs"

#: An export of a package that loads when used; see `attop._core.lazy`.
_EXPORT = re.compile(r"^from \.([\w.]+) import \w+ as (\w+)$", re.MULTILINE)

#: Digest and imports of each module, until a file changes: reading them takes a second.
_CACHE = Path(".snakemake/attop/code.json")


def rule_fingerprint(script: str | os.PathLike[str], named: Iterable[str] = ()) -> str:
    """Return a digest of the code of a rule's script, of all that it leads to, and of the modules in `named`.

    A script that is missing, or imports nothing of attop, is a ValueError: nothing would ever make its
    results out of date.
    """
    path = Path(script)
    if not path.is_file():
        raise ValueError(f"there is no script {path}: a rule's fingerprint is that of its script")
    digest, imported = _script(path)
    if not imported:
        raise ValueError(f"{path} imports nothing of attop: what its results depend on cannot be read")
    return f"{digest[:8]}{fingerprint([*imported, *named])}"


def fingerprint(modules: Iterable[str]) -> str:
    """Return a digest of the code of `modules`, by their dotted names, and of what they import from attop.

    One from elsewhere counts with what it imports, but for the standard library and what is installed (below
    ``site-packages``): versions are in the records.
    """
    return _fingerprint(frozenset(modules))


@cache
def _fingerprint(modules: frozenset[str]) -> str:
    seen: dict[str, str] = {}
    todo = list(modules)
    while todo:
        if (module := todo.pop()) not in seen:
            seen[module], imported = _code().get(module) or _foreign(module)
            todo += imported
    return _sha("".join(f"{module} {seen[module]}\n" for module in sorted(seen) if seen[module]))


def home_of(path: str) -> str:
    """Return the module that defines the class or function at a dotted path, such as ``attop.SVMPerf``."""
    if path in _files():
        return path
    module, _, name = path.rpartition(".")
    home = _exports(module).get(name)
    return home_of(f"{home}.{name}") if home else module


@cache
def _script(path: Path) -> tuple[str, set[str]]:
    """Return the digest of a script, and the modules of attop it imports from."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lines = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    homes = {home_of(f"{line.module}.{alias.name}") for line in lines for alias in line.names}
    return _digest(tree), homes & _files().keys()


@cache
def _code() -> dict[str, tuple[str, list[str]]]:
    """Return the digest and the imports of each module of attop, from the cache if no file has changed."""
    files = [__file__, *_files().values(), *(f"{file}i" for file in _files().values())]
    stats = [(file, os.stat(file)) for file in files if file.endswith(".py") or os.path.exists(file)]
    state = _sha(repr([sys.version, *((file, s.st_mtime_ns, s.st_size) for file, s in stats)]))
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(_CACHE.read_text(encoding="utf-8"))
        if kept["state"] == state:
            return kept["code"]
    code = _read()
    with contextlib.suppress(OSError):
        write_text(_CACHE, json.dumps({"state": state, "code": code}))
    return code


def _read() -> dict[str, tuple[str, list[str]]]:
    import grimp

    files = _files()
    packages = [name for name in PACKAGES if name in files]
    graph = grimp.build_graph(*packages, exclude_type_checking_imports=True, cache_dir=None)
    left_out = {m for m in files if m in REGISTRIES or f"{m}.".startswith(f"{RUNNERS}.")}
    code = {}
    for module in sorted((files.keys() & graph.modules) - left_out):
        text = Path(files[module]).read_text(encoding="utf-8")
        imports = {*graph.find_modules_directly_imported_by(module), *_exports(module).values()}
        code[module] = _digest(ast.parse(text)), sorted((imports & files.keys()) - left_out)
    return code


@cache
def _files() -> dict[str, str]:
    """Return the file of each module of attop, in the order of their names."""
    files = {}
    for package in PACKAGES:
        spec = PathFinder.find_spec(package)
        for root in (spec and spec.submodule_search_locations) or ():
            for folder, _, names in os.walk(root):
                above = [package, *Path(folder).relative_to(root).parts]
                for name in names:
                    if name.endswith(".py"):
                        module = above if name == "__init__.py" else [*above, name[:-3]]
                        files[".".join(module)] = os.path.join(folder, name)
    return dict(sorted(files.items()))


@cache
def _exports(package: str) -> dict[str, str]:
    """Return the module of each export of a package that loads them when used."""
    try:
        stub = Path(f"{_files()[package]}i").read_text(encoding="utf-8")
    except (KeyError, OSError):
        return {}
    return {name: f"{package}.{module}" for module, name in _EXPORT.findall(stub)}


def _foreign(module: str) -> tuple[str, list[str]]:
    """Return the digest and the imports of a module from elsewhere; empty if it is installed."""
    file = _own_file(module)
    if not file:
        return "", []
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    above = (module if file.endswith("__init__.py") else module.rpartition(".")[0]).split(".")
    imported: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = [*above[: len(above) - node.level + 1], node.module] if node.level else [node.module]
            names = [".".join(filter(None, [*parts, alias.name])) for alias in node.names]
            imported += [*names, *map(home_of, names)]
    return _digest(tree), imported


def _own_file(module: str) -> str:
    """Return the file of a module that is neither attop's nor installed; empty if there is none."""
    if module in _files() or module.partition(".")[0] in sys.stdlib_module_names:
        return ""
    # Step by step: `importlib.util.find_spec` would import the packages above the module.
    name, *rest = module.split(".")
    spec = PathFinder.find_spec(name)
    for part in rest:
        if spec is None or spec.submodule_search_locations is None:
            return ""
        name = f"{name}.{part}"
        spec = PathFinder.find_spec(name, spec.submodule_search_locations)
    file = spec.origin if spec else None
    if not file or not file.endswith(".py") or "site-packages" in file:
        return ""
    return file


def _digest(tree: ast.Module) -> str:
    """Return a digest of a syntax tree without its docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:]
    return _sha(ast.dump(tree))


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
