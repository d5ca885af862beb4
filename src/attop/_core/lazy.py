"""Exports that load when first used, as the stub of their package lists them.

The stub (``__init__.pyi``) is the one list of a package's public names, for type checkers, completion and
`attach` alike. scientific Python's lazy_loader does the same, but parses the stub by `ast`, whose import
takes half as long again as that of attop.
"""

from __future__ import annotations

import sys
from importlib import import_module

# Importing it from typing would cost more than the rest of this module.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def attach(
    package: str, file: str
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Make ``__getattr__``, ``__dir__`` and ``__all__`` of a package, by the stub in the folder of `file`.

    Each line ``from .module import name as name`` of the stub is an export.
    """
    home = {}
    with open(file.removesuffix(".py") + ".pyi", encoding="utf-8") as stub:
        for line in stub:
            match line.split():
                case ["from", module, "import", name, "as", _]:
                    home[name] = module

    def __getattr__(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home[name], package), name)
        setattr(sys.modules[package], name, value)
        return value

    names = sorted(home)
    return __getattr__, lambda: names, names
