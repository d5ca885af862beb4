"""The tables on what libraries make of one list, computed again."""

from pathlib import Path

import numpy as np
import pytest

from support.other_libraries import LIBRARIES, cell

PAGE = Path(__file__).parents[2] / "docs/explanation/other-libraries.md"
#: Title of the section, labels and scores, k.
LISTS = {
    "## One constant scorer, seven libraries": ([1, 1] + [0] * 8, [0.0] * 10, 2),
    "### One list, seven libraries": (
        [1, 1, 0, 0, 0, 0, 1, 0, 0, 0],
        [0.9, 0.8, 0.8, 0.8, 0.5, 0.5, 0.5, 0.2, 0.2, 0.1],
        3,
    ),
}


def rows(title):
    """The rows of the table below a title, by the first word of each."""
    lines = PAGE.read_text(encoding="utf-8").split(title)[1].split("\n#")[0].splitlines()
    cells = [[part.strip() for part in line[1:-1].split("|")] for line in lines if line.startswith("| ")]
    return {name.split(" ")[0]: values for name, *values in cells if name and not name.startswith("-")}


@pytest.mark.parametrize("title", LISTS)
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_row_is_what_the_library_says(title, library):
    package, evaluate = LIBRARIES[library]
    printed = rows(title)
    pytest.importorskip(package, reason=f"{library} is not installed")
    y, scores, k = map(np.array, LISTS[title])
    found = zip(
        evaluate(y, scores, int(k)), evaluate(y[::-1].copy(), scores[::-1].copy(), int(k)), strict=True
    )
    assert [cell(values) for values in found] == printed[library]


@pytest.mark.parametrize("title", LISTS)
def test_ours_never_depend_on_the_order(title):
    printed = rows(title)
    assert printed.keys() > LIBRARIES.keys()  # the others are in no extra
    assert all(len(set(value.split(", "))) == 1 for value in printed["attop"])
