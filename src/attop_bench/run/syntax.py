"""Code without its layout: the same for each version of Python that reads it.

`ast.dump` differs between versions: 3.12 added fields to functions and classes, 3.13 leaves out empty ones,
and each shows text by its own table of characters. So an upgrade of Python would make all results out of
date. The form here leaves out what is empty, shows text in ASCII and joins the pieces of an f-string.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from attop_bench.run.parameters import short_digest

#: Texts that may name a file, a folder or a module.
_NAME = re.compile(r"\.*\w[\w.-]*(/\w[\w.-]*)*")

#: Of a node: how a text was written, and whether a name is read or set, which its place says.
_NOT_SHOWN = {"kind", "ctx", "type_comment"}


class Content(NamedTuple):
    """The code of a file, and names in it."""

    #: Of the code without docstrings, comments, layout, and imports for types alone.
    digest: str
    #: Dotted paths that it imports, sorted.
    imported: list[str]
    #: Texts that may name data or modules, sorted.
    texts: list[str]


def read(file: Path, module: str) -> Content:
    """Parse a file of code, with relative imports resolved for a `module` of this name."""
    tree = ast.parse(file.read_bytes())
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
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
            source = absolute("." * node.level + (node.module or ""), package)
            imported |= {
                f"{source}.{alias.name}" if source else alias.name
                for alias in node.names
            }
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and _NAME.fullmatch(node.value)
        ):
            texts.add(node.value)
    return Content(
        short_digest(form(tree).encode()), sorted(imported), sorted(texts)
    )


def absolute(name: str, package: str) -> str:
    """Resolve the name of a module, which may begin with dots, within a package."""
    inside = name.lstrip(".")
    level = len(name) - len(inside)
    if not level:
        return name
    above = package.split(".")
    return ".".join(filter(None, [*above[: len(above) - level + 1], inside]))


#: A part of a form: text as it is to be shown, or what is still to be put into words.
_Part = str | ast.AST | list[Any]


def form(tree: ast.AST) -> str:
    """Write a syntax tree as text that is the same for each version of Python."""
    shown: list[str] = []
    todo: list[_Part] = [tree]
    while todo:  # no recursion: a sum of a thousand terms is a thousand levels deep
        part = todo.pop()
        if isinstance(part, str):
            shown.append(part)
        else:
            todo += reversed(list(_parts(part)))
    return "".join(shown)


def _parts(value: ast.AST | list[Any]) -> Iterator[_Part]:
    if isinstance(value, list):
        yield "["
        for entry in value:
            yield _part(entry)
            yield ","
        yield "]"
        return
    yield f"{type(value).__name__}("
    yield from (
        _pieces(value) if isinstance(value, ast.JoinedStr) else _fields(value)
    )
    yield ")"


def _fields(node: ast.AST) -> Iterator[_Part]:
    """Yield the fields of a node that hold something."""
    for name, value in ast.iter_fields(node):
        is_empty = value is None or value == []
        if name not in _NOT_SHOWN and not is_empty:
            yield f"{name}="
            yield _part(value)
            yield ","


def _pieces(text: ast.JoinedStr) -> Iterator[_Part]:
    """Yield the pieces of an f-string; versions differ in where they cut the text between two values."""
    between = ""
    for piece in text.values:
        if isinstance(piece, ast.Constant):
            between += str(piece.value)
        else:
            yield ascii(between)
            yield piece
            between = ""
    yield ascii(between)


def _part(value: Any) -> _Part:
    return value if isinstance(value, (ast.AST, list)) else ascii(value)


def _is_idle(line: ast.stmt) -> bool:
    """Tell whether a statement is a docstring, or imports for types alone."""
    if isinstance(line, ast.If) and not line.orelse:
        return isinstance(line.test, ast.Name) and line.test.id == "TYPE_CHECKING"
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)
