"""The page of the folder of results names every table and every column, and no other."""

from __future__ import annotations

import re

import pytest

from attop_bench.run.tables import CELLS, KEY, SCHEMA_VERSION, TABLES
from attop_bench.run.took import COLUMNS
from support import ROOT
from support.made_up import make_results
from support.rows import summary_of

PAGE = (ROOT / "docs/reference/results.md").read_text(encoding="utf-8")
#: The columns in the first cells of each section's table, by the section's heading.
SECTIONS = {
    heading.strip("`"): re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`[^|]*)\|", body, re.MULTILINE)))
    for heading, body in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
}


def test_the_page_has_every_table():
    assert set(SECTIONS) == {"Every table", *TABLES, "summary", "rules"}
    assert SECTIONS["Every table"] == list(KEY)
    assert f"which is {SCHEMA_VERSION}." in PAGE


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_the_columns_of_the_page_and_no_other(name):
    assert SECTIONS[name] == list(TABLES[name])
    if name in CELLS:
        body = PAGE[PAGE.index(f"## `{name}`") :]
        assert "list" in body[: body.index("\n## ")]


def test_the_table_of_rules_has_the_columns_of_the_page_and_no_other():
    assert SECTIONS["rules"] == list(COLUMNS)


def test_the_summary_has_the_columns_of_the_page_and_no_other():
    evaluation, runs, *_ = make_results(("wdbc",))
    columns = summary_of(evaluation, runs).columns
    assert SECTIONS["summary"] == [name for name in columns if name not in KEY]
