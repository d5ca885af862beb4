"""The table on what libraries make of one list, computed again."""

import numpy as np
import pytest

from support import ROOT
from support.other_libraries import LIBRARIES, cell

LINES = (ROOT / "docs/explanation/other-libraries.md").read_text(encoding="utf-8").splitlines()
CELLS = [[part.strip() for part in line[1:-1].split("|")] for line in LINES if line.startswith("| ")]
#: The rows by the first word of each.
PRINTED = {name.split(" ")[0]: values for name, *values in CELLS if name and not name.startswith("-")}


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_row_is_what_the_library_says(library):
    package, evaluate = LIBRARIES[library]
    pytest.importorskip(package, reason=f"{library} is not installed")
    y, scores = np.array([1, 1] + [0] * 8), np.zeros(10)
    found = zip(evaluate(y, scores, 2), evaluate(y[::-1].copy(), scores, 2), strict=True)
    assert [cell(values) for values in found] == PRINTED[library]


def test_ours_never_depend_on_the_order():
    assert PRINTED.keys() > LIBRARIES.keys()  # the others are in no extra
    assert all(len(set(value.split(", "))) == 1 for value in PRINTED["attop"])
