"""The first line of a docstring says what is computed or decided: that it is returned, the signature says."""

import re

import pytest

from support import ROOT

#: Rooms whose docstrings were rewritten.
ROOMS = ["run", "report", "jobs", "papers", "cli"]


@pytest.mark.parametrize("room", ROOMS)
def test_at_most_one_docstring_in_twenty_begins_with_return(room):
    files = (ROOT / "src/attop_bench" / room).rglob("*.py")
    words = [word for file in files for word in re.findall(r'^ *"""(\w+)', file.read_text(), re.M)]
    assert 20 * words.count("Return") <= len(words)
