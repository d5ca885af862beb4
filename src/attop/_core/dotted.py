"""Modules and objects of the user's, by the dotted path that a call or a configuration gives."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


def module_at(path: str) -> ModuleType:
    """Import the module at a dotted path; raise a `ValueError` that says why it cannot be, and what to do."""
    try:
        return import_module(path)
    # A module of the user's may raise anything.
    except (Exception, SystemExit) as error:
        raise ValueError(
            f"cannot import {path}: {type(error).__name__}: {error}{_remedy(path, error)}"
        ) from error


def object_at(path: str) -> Any:
    """Import the class, function or constant at a dotted path, such as ``mymethods.Centroids``.

    Raises a `ValueError` as `module_at` does, also where the module has no such name.
    """
    path_of_module, _, name = path.rpartition(".")
    module = module_at(path_of_module)
    try:
        return getattr(module, name)
    except AttributeError as error:
        file = getattr(module, "__file__", None) or "built in"
        raise ValueError(
            f"{path_of_module} ({file}) has no {name}{_of_python(path_of_module)}"
        ) from error


def _remedy(path: str, error: BaseException) -> str:
    """Say how to make a module, or the package that it is a part of, importable."""
    top = path.partition(".")[0]
    if (
        not isinstance(error, ModuleNotFoundError)
        or (error.name or "").partition(".")[0] != top
    ):
        return ""
    if error.name == top:
        return "; its folder must be on PYTHONPATH"
    return _of_python(path)


def _of_python(path: str) -> str:
    """Say that Python has a module of the name of the user's file, which hides it; empty if it has none."""
    top = path.partition(".")[0]
    if top not in sys.stdlib_module_names:
        return ""
    return f"; Python's own module {top} is found before a file {top}.py of yours: give yours another name"
