"""The errata hold: every example of docs/errata runs, and the index has them all."""

import doctest
import re

import pytest

from support import ROOT

pytestmark = pytest.mark.workflow

DOCS = ROOT / "docs"
PAGES = sorted((DOCS / "errata").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_run(page):
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert failed == 0
    # Each section but an introduction shows what it says.
    sections = page.read_text().split("\n## ")[1:]
    assert [s.splitlines()[0] for s in sections if ">>>" not in s] == []
    assert tried > len(sections)


def test_the_index_has_every_page():
    """Of a link that leads nowhere Sphinx warns: test_docs.py."""
    linked = re.findall(r"\]\((errata/[^)#]+)", (DOCS / "errata.md").read_text())
    assert set(linked) == {f"errata/{page.name}" for page in PAGES}
