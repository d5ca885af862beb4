"""Fingerprints of code: which edits make a job's results out of date.

Snakemake does not see edits below ``src``. The fingerprint of a rule covers its script, all modules of attop
this imports, directly or not, and what the configuration names: an estimator, a metric, a kind of data. They
are read from syntax trees, so that comments, docstrings and formatting do not count. Of a package, only the
module an imported name comes from counts, and the ``__init__`` itself where it defines the name.

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

from attop.core.files import write_text

__all__ = ["fingerprint", "home_of", "remember", "rule_fingerprint"]

PACKAGES = ("attop", "attop_bench", "studies")
ROOT = Path(__file__).parents[2]

#: How a surrogate names its kernel: the module and what is in it.
_KERNEL = re.compile(r"[^\W\d]\w*:[^\W\d]\w*")

#: Imports nearly everything, to look it up by name; what is looked up is named to `fingerprint` instead.
REGISTRIES = frozenset({"attop.metrics.registry", "attop_bench.data.catalogue"})

#: How a function is run, which does not change what it returns.
RUNNERS = "attop_bench.jobs"


def rule_fingerprint(script: str | os.PathLike[str], named: Iterable[str] = ()) -> str:
    """Return a digest of the code of a rule's script and of all that it leads to.

    Parameters
    ----------
    script : path
    named : iterable of str
        Modules of what the configuration names.

    Raises
    ------
    ValueError
        If there is no such script, or if it imports nothing of attop: then nothing would ever make its
        results out of date.
    """
    path = Path(script).resolve()
    if not path.is_file():
        raise ValueError(f"there is no script {path}: a rule's fingerprint is that of its script")
    if not _scan(str(path))[1]:
        raise ValueError(
            f"{path} imports nothing of {PACKAGES[0]}: what its results depend on cannot be read"
        )
    return _fingerprint(frozenset((str(path), *named)))


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
    text = "".join(f"{Path(module).name} {seen[module]}\n" for module in sorted(seen) if seen[module])
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


#: What another version of `_read` remembered is read again.
_READER = Path(__file__).stat().st_mtime_ns
#: By file: the time, size, Python and `_READER` that `_read` was called at, and what it returned.
_READ: dict[str, list[Any]] = {}


@cache
def _scan(module: str) -> tuple[str, tuple[str, ...]]:
    """Return the digest of one module, or script, and the modules of attop it imports."""
    file = _file(module)
    if file is None:
        return "", ()
    digest, imports, strings, _ = _parsed(file)
    if not (_ours(module) or _is_script(module)):  # a module of the user's counts by its own file alone
        return digest, ()
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    found = set().union(*(_home(*_absolute(package, *one)) for one in imports), *map(_kernel, strings))
    found -= {module, *REGISTRIES}
    return digest, tuple(sorted(name for name in found if not f"{name}.".startswith(f"{RUNNERS}.")))


def _parsed(file: Path) -> list[Any]:
    """Return `_read` of a file, from memory if the file has not changed since."""
    about = file.stat()
    state = [about.st_mtime_ns, about.st_size, sys.hexversion, _READER]
    if str(file) not in _READ or _READ[str(file)][0] != state:
        _READ[str(file)] = [state, *_read(file)]
    return _READ[str(file)][1:]


def _read(file: Path) -> list[Any]:
    """Return the digest of a file's code, its imports, strings that may be kernels, and a package's names.

    Imports are level, module and name, as in the syntax tree; for the names see `_names`.

    The modules these lead to are another question: it depends on other files.
    """
    tree = ast.parse(file.read_text(encoding="utf-8"))
    top = _names(tree)
    imports: set[tuple[int, str, str]] = set()
    strings: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports |= {(0, alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imports |= {(node.level, node.module or "", alias.name) for alias in node.names}
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str) and _KERNEL.fullmatch(node.value):
                strings.add(node.value)
        elif isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:]  # a docstring
    digest = hashlib.sha256(ast.dump(tree).encode()).hexdigest()
    ours = sorted(i for i in imports if i[0] or _ours(i[1]))
    return [digest, ours, sorted(strings), top if file.stem == "__init__" else {}]


def _names(tree: ast.Module) -> dict[str, Any]:
    """Return the names on the top level of a package: the import each is from, or None if defined here."""
    names: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: [node.level, node.module or ""] for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names[node.name] = None
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id: None for target in targets if isinstance(target, ast.Name)}
    return names


def _absolute(package: str, level: int, module: str, name: str = "") -> tuple[str, str]:
    """Return module and name of an import, relative ones resolved."""
    if not level:
        return module, name
    base = package.split(".")[: len(package.split(".")) - level + 1]
    return ".".join([*base, *filter(None, [module])]), name


def _is_script(module: str) -> bool:
    return os.sep in module


def _ours(module: str) -> bool:
    return module.split(".")[0] in PACKAGES


@cache
def _file(module: str) -> Path | None:
    if _is_script(module):
        return Path(module)
    if _ours(module):
        bases = [root.joinpath(*module.split(".")) for root in (ROOT, ROOT.parent)]
        files = [file for base in bases for file in (base.with_suffix(".py"), base / "__init__.py")]
        return next((file for file in files if file.is_file()), None)
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
    names = _exports(module)
    if not name:
        return {m for n in names for m in _home(module, n)}
    if _file(f"{module}.{name}"):
        return {f"{module}.{name}"}
    if name not in names:
        raise ValueError(f"{file} does not say where its {name!r} is from: import it from there")
    home = names[name]
    return {module} if home is None else _home(*_absolute(module, home[0], home[1], name))


@cache
def _exports(package: str) -> dict[str, Any]:
    """Return what `_names` says of a package, or of its stub where it has one."""
    file = _file(package)
    assert file is not None
    stub = file.with_suffix(".pyi")
    return {**_parsed(file)[3], **(_parsed(stub)[3] if stub.is_file() else {})}


def _kernel(text: str) -> set[str]:
    """Return the kernel module a surrogate names as ``"module:name"``."""
    module = f"attop.surrogates.kernels.{text.partition(':')[0]}"
    return {module} if _file(module) else set()
