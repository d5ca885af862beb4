"""How a run can have ended is listed once."""

import ast

from attop.statuses import FAILED, NOT_APPLICABLE, OK, STATUSES
from support import ROOT


def _listings(tree):
    """Yield the lists, tuples and sets of a file that hold two statuses or more."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            words = {e.value for e in node.elts if isinstance(e, ast.Constant)}
            if len(words & set(STATUSES)) > 1:
                yield sorted(words & set(STATUSES))


def test_no_other_place_lists_the_statuses():
    found = {
        str(path.relative_to(ROOT)): listings
        for folder in ("src", "workflow")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if (listings := [*_listings(ast.parse(path.read_text(encoding="utf-8")))])
    }
    assert found == {
        "src/attop/jobs/limits.py": [["error", "memory", "timeout"]],  # how a process ends, of any work
        "src/attop/statuses.py": [sorted(FAILED)],
    }


def test_every_status_is_good_bad_or_neither():
    assert {*FAILED, OK, NOT_APPLICABLE} == set(STATUSES)
    assert len(STATUSES) == len(set(STATUSES)) == len(FAILED) + 2
