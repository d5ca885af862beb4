"""Machine and software of each training run: versions, processor, linear algebra, commit.

On a cluster the report is made on another machine than the runs, and a package may be upgraded between two of
them. So each run's record says it, and these functions compare records with each other and with what is
installed now. Nothing of it makes a run out of date by itself.
"""

from __future__ import annotations

import inspect
import json
import platform
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attop_bench
from attop.extending import count_noun, join_words
from attop_bench.files import Entry, JsonObject
from attop_bench.run.job import JOB
from attop_bench.run.record import environment

if TYPE_CHECKING:
    import pandas as pd

#: Modules whose distribution has another name, of those that most methods use.
_DISTRIBUTIONS = {"sklearn": "scikit-learn", "attop_bench": "attop"}

#: Say nothing about scores: the code of attop has a fingerprint, and Snakemake only starts the jobs.
_NOT_COMPARED = {"attop", "snakemake"}

#: A part of the path of environments that Snakemake makes: what is installed here says nothing about them.
_OF_SNAKEMAKE = "/.snakemake/conda/"


def provenance(estimator: type) -> JsonObject:
    """Describe machine and software of this process, with the versions of an estimator's packages."""
    here = environment()
    return {
        **here,
        "versions": {**here["versions"], **_versions_of(estimator)},
        "blas": _linear_algebra(),
        "commit": commit(),
        "prefix": sys.prefix,
    }


def outdated(record: Entry) -> dict[str, str]:
    """Map the packages of a record's environment that have another version here to both, in words."""
    if _OF_SNAKEMAKE in record.get("prefix", ""):
        return {}
    versions = {**record.get("versions", {}), "python": record.get("python", "")}
    changed = {}
    for package, version in versions.items():
        now = (
            platform.python_version()
            if package == "python"
            else _installed(package)
        )
        if version and now != version and package not in _NOT_COMPARED:
            changed[package] = f"{version}, here {now or 'not installed'}"
    return changed


def environments_of(runs: pd.DataFrame) -> dict[str, str]:
    """Compare the environments in a table of runs, which has a row for each top; see `compared`."""
    each = runs.drop_duplicates(JOB)
    return compared(zip(each["method"], each["environment"], strict=True))


def compared(records: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Say for each entry of the runs' environments what it is, and where it differs who had which.

    Parameters
    ----------
    records : iterable of (str, str)
        Of each run its method, and its environment as JSON; nothing for one that has none.
    """
    values: dict[str, dict[str, Counter[str]]] = {}
    for method, text in records:
        for entry, value in _entries(json.loads(text or "{}")):
            values.setdefault(entry, {}).setdefault(value, Counter())[method] += 1
    # A package that only some methods use is alike among those.
    alike = [
        f"{entry} {next(iter(runs))}"
        for entry, runs in values.items()
        if len(runs) == 1
    ]
    rows = {"Runs trained with": ", ".join(alike)} if alike else {}
    return rows | {
        entry: _differences(runs) for entry, runs in values.items() if len(runs) > 1
    }


def short(record: Entry) -> str:
    """Reduce a record's environment to the parts that `compared` compares, as JSON; empty without them."""
    parts = {
        name: record[name]
        for name in ("python", "versions", "cpu", "blas", "commit")
        if name in record
    }
    return json.dumps(parts, sort_keys=True) if "blas" in record else ""


def _entries(environment: Entry) -> Iterator[tuple[str, str]]:
    """Yield the entries of an environment, each version as one of its own."""
    names = {
        "python": "Python",
        "cpu": "processor",
        "blas": "linear algebra",
        "commit": "commit",
    }
    for name, title in names.items():
        if environment.get(name):
            yield title, environment[name]
    yield from environment.get("versions", {}).items()


def _differences(values: Mapping[str, Counter[str]]) -> str:
    """Put each value into words with the runs that have it."""
    parts = []
    for value, methods in sorted(values.items()):
        runs = count_noun(methods.total(), "run")
        parts.append(f"{value} in {runs} of {join_words(sorted(methods))}")
    return "; ".join(parts)


def _versions_of(estimator: type) -> dict[str, str]:
    """List the installed packages that a class, its bases and the module of each come from or import."""
    modules = [
        sys.modules[base.__module__]
        for base in estimator.__mro__
        if base.__module__ in sys.modules
    ]
    tops = {module.__name__.partition(".")[0] for module in modules}
    for module in modules:
        # Own code, which may wrap another package.
        if not _is_installed(module.__name__.partition(".")[0]):
            tops |= {name.partition(".")[0] for name in _names_in(module)}
    versions = {}
    for top in sorted(tops):
        if distribution := _distribution(top):
            versions[distribution] = metadata.version(distribution)
    return versions


def _names_in(module: Any) -> Iterator[str]:
    """Yield the modules of what is in a module, and those it has imported."""
    for value in list(vars(module).values()):
        name = (
            value.__name__
            if inspect.ismodule(value)
            else getattr(value, "__module__", None)
        )
        if isinstance(name, str):
            yield name


def _is_installed(top: str) -> bool:
    """Tell whether a module, by its first name, is of Python or of an installed package."""
    file = getattr(sys.modules.get(top), "__file__", None) or ""
    return top in sys.stdlib_module_names or not file or "-packages" in file


@cache
def _distribution(top: str) -> str:
    """Find the distribution of a module by its first name; empty for what is not installed as one."""
    if top in sys.stdlib_module_names or not _is_installed(top):
        return ""
    name = _DISTRIBUTIONS.get(top, top)
    if _installed(name):
        return name
    # Reads all that is installed.
    return next(iter(metadata.packages_distributions().get(top, [])), "")


@cache
def _installed(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""


def _linear_algebra() -> str:
    """Name the loaded libraries of linear algebra, with the processor that each runs code for."""
    from threadpoolctl import threadpool_info

    pools = [pool for pool in threadpool_info() if pool.get("user_api") == "blas"]
    words = {
        f"{p.get('internal_api')} {p.get('version')} {p.get('architecture', '')}".strip()
        for p in pools
    }
    return ", ".join(sorted(words))


@cache
def commit() -> str:
    """Read the commit of the clone that attop is run from; empty if it is installed or has no git."""
    clone = Path(attop_bench.__file__).parents[2]
    if not (clone / ".git").exists():
        return ""
    command = ["git", "-C", str(clone), "rev-parse", "HEAD"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
