"""Python and the packages that attop asks for: which are missing, too old or broken.

Without it, a user learns of them one at a time, as the ImportError of whichever comes first.
Standard library only, since any other package may be the one that is missing.
"""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path

from attop_bench.cli.finding import Finding

__all__ = ["check_packages", "check_python", "wanted"]

_REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)\s*(\[(?P<inner>[\w-]+)\])?\s*(>=\s*(?P<least>[\d.]+))?"
    r"[^;]*(;.*extra\s*==\s*[\"'](?P<extra>[\w-]+)[\"'])?"
)

#: Packages that a run does without.
_CONVENIENT = {"shtab"}

#: Compiled packages that fail to import if the versions of others do not suit them.
_FRAGILE = {"numpy": "numpy", "scikit-learn": "sklearn", "numba": "numba", "pandas": "pandas"}


def check_python() -> Finding:
    """Compare the version of Python with what attop asks for."""
    least = re.sub(r"[^\d.]", "", metadata("attop")["Requires-Python"] or "")
    text = f"{platform.python_version()} in {sys.prefix}"
    if _numbers(platform.python_version()) < _numbers(least):
        return Finding("FAIL", "Python", text, f"make a virtual environment with Python {least} or later")
    return Finding("ok", "Python", text)


def check_packages() -> Iterator[Finding]:
    """Yield the packages that are missing, too old or broken, then one line for all others."""
    good = [f"attop {version('attop')} in {Path(__file__).parents[1]}"]
    for name, least in wanted("workflow").items():
        state = "warn" if name in _CONVENIENT else "FAIL"
        mend = f'python -m pip install "{name}>={least}"' if least else f"python -m pip install {name}"
        try:
            found = version(name)
        except PackageNotFoundError:
            yield Finding(state, "package", f"{name} is missing", mend)  # type: ignore[arg-type]
            continue
        if _numbers(found) < _numbers(least):
            text = f"{name} {found} is too old: at least {least} is needed"
            yield Finding(state, "package", text, mend)  # type: ignore[arg-type]
            continue
        try:
            if name in _FRAGILE:
                import_module(_FRAGILE[name])
        except Exception as error:  # whatever a broken installation raises
            again = f"python -m pip install --upgrade --force-reinstall {name}"
            yield Finding("FAIL", "package", f"{name} {found} cannot be imported: {error}", again)
            continue
        good.append(f"{name} {found}")
    yield Finding("ok", "packages", ", ".join(good))


def wanted(extra: str = "") -> dict[str, str]:
    """Return the packages that attop, or one of its extras, asks for, each with its least version."""
    found: dict[str, str] = {}
    for line in requires("attop") or []:
        match = _REQUIREMENT.match(line)
        if match is None or match["extra"] not in (None, extra):
            continue
        if match["name"] == "attop":
            found |= wanted(match["inner"])
        else:
            found[match["name"]] = match["least"] or ""
    return found


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers a version begins with: a release candidate counts as the release."""
    match = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, match[0].split("."))) if match else ()
