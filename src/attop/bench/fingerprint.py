"""Fingerprints of code: which edits make a job's results out of date.

Snakemake does not see edits below ``src``. A fingerprint covers a module and all modules of attop it imports,
read from their syntax trees, so that comments, docstrings and formatting do not count. Of a package, only the
module an imported name comes from counts: every ``__init__`` of attop is a list of exports.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

__all__ = ["fingerprint", "home_of"]

PACKAGE = "attop"
ROOT = Path(__file__).parents[2]

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


@cache
def _scan(module: str) -> tuple[str, tuple[str, ...]]:
    """Return the digest of one module and the modules of attop it imports."""
    file = _file(module)
    if file is None:
        return "", ()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imported = _strip(tree)
    others = tuple(sorted(imported - {module} - REGISTRIES)) if _ours(module) else ()
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest(), others


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


def _strip(tree: ast.Module) -> set[str]:
    """Remove the docstrings, and return the modules of attop imported; one pass: every run waits for it."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found |= _home(alias.name, None)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names if node.module else ():
                found |= _home(str(node.module), alias.name)
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                found |= _kernel(node.value)
        elif isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:]
    return found


def _home(module: str, name: str | None) -> set[str]:
    """Return the modules an import runs, exports of packages followed to where they are defined."""
    if not _ours(module):
        return set()
    file = _file(module)
    if file is None or file.name != "__init__.py":
        return {module}
    if name is None:
        return set(_exports(module).values())
    if _file(f"{module}.{name}"):
        return {f"{module}.{name}"}
    home = _exports(module).get(name)
    return _home(home, name) if home else set()


@cache
def _exports(package: str) -> dict[str, str]:
    """Return the module of each name a package exports, eagerly or through its table of homes."""
    file = _file(package)
    assert file is not None
    homes: dict[str, str] = {}
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module and _ours(node.module):
            homes |= {alias.name: node.module for alias in node.names}
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            for name, home in ast.literal_eval(node.value).items():
                homes[name] = home if _ours(home) else f"{package}.{home}"
    return homes


def _kernel(text: str) -> set[str]:
    """Return the kernel module a surrogate names as ``"module:name"``."""
    file, _, name = text.partition(":")
    module = f"attop.surrogates.kernels.{file}"
    return {module} if file.isidentifier() and name.isidentifier() and _file(module) else set()
