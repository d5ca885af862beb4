"""Where some words are listed a second time."""

import ast

from support import ROOT


def listings(words):
    """Return, by file, the lists, tuples and sets of the code that hold two of the words or more."""
    found = {}
    for path in sorted(p for folder in ("src", "workflow") for p in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
                held = {e.value for e in node.elts if isinstance(e, ast.Constant)} & set(words)
                if len(held) > 1:
                    found.setdefault(str(path.relative_to(ROOT)), []).append(sorted(held))
    return found
