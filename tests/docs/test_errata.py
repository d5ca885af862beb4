"""The errata hold: every example of docs/errata runs, and the index leads to what there is."""

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


def anchor(heading):
    """Anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_the_index_leads_to_sections_that_exist():
    links = re.findall(r"\]\((errata/[^)]+)\)", (DOCS / "errata.md").read_text())
    assert len(links) > 15
    for link in links:
        path, _, fragment = link.partition("#")
        headings = re.findall(r"^#+ (.+)$", (DOCS / path).read_text(), re.MULTILINE)
        assert not fragment or fragment in map(anchor, headings), link
    linked = {link.partition("#")[0] for link in links}
    assert linked == {f"errata/{page.name}" for page in PAGES}
