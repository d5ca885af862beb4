"""Attributes that are documented together have an entry each on the page of their class."""

import inspect
import re
import sys

import pytest

from support import ROOT

sys.path.insert(0, str(ROOT / "docs/_ext"))
pytest.importorskip("sphinx", reason="the pages are made by Sphinx")
from attributes import one_by_one
from sphinx.ext.napoleon import Config, NumpyDocstring

from attop.experiment import NextList

WRITTEN = """Text.

Parameters
----------
a, b : int
    Left as it is.

Attributes
----------
k, length : int
    Rows, of how many.

    More on them.
alone : str
    One.
x, y, z : float
    Three.

Notes
-----
p, q : none of it.
"""


def test_each_has_an_entry_and_all_else_is_as_it_was():
    assert "\n".join(one_by_one(WRITTEN.splitlines())) + "\n" == WRITTEN.replace(
        "k, length :", "k :"
    ).replace("alone : str", "length : int\n    See ``k``.\nalone : str").replace("x, y, z :", "x :").replace(
        "Notes\n", "y : float\n    See ``x``.\nz : float\n    See ``x``.\nNotes\n"
    )


def test_without_attributes_nothing_changes():
    lines = ["Text.", "", "Parameters", "----------", "a, b : int", "    Two."]
    assert one_by_one(lines) == lines
    assert one_by_one([]) == []


def test_no_name_of_the_next_list_is_torn():
    lines = one_by_one(inspect.getdoc(NextList).splitlines())
    config = Config(napoleon_use_ivar=True)
    fields = re.findall(r"^:ivar ([^:]+):", str(NumpyDocstring(lines, config, what="class")), re.M)
    assert fields == [*NextList.__dataclass_fields__]
