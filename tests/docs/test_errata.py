"""The errata hold: every example of docs/errata runs, and the index leads to what there is."""

import doctest
import re

import numpy as np
import pytest

import oracles.surrogates as oracle
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


def test_algorithm_2_descends_the_first_line_of_equation_14():
    """Its loss counts the beta positives highest by the scores; that line is the larger one."""
    rng = np.random.default_rng(0)
    larger = 0
    for _ in range(150):
        n_pos, n_neg = rng.integers(1, 5), rng.integers(1, 4)
        scores, y = rng.normal(size=n_pos + n_neg), np.repeat([1, 0], [n_pos, n_neg])
        pos, neg = oracle.split(scores, y)
        for k in range(1, n_neg + 1):
            beta, pi = min(n_pos, k), oracle.orderings(n_pos, k)
            loss = pi[:, :beta].sum(axis=(1, 2))
            first = max(
                (loss + (pi * (chosen[None, None, :] - pos[None, :, None])).sum(axis=(1, 2))).max()
                for chosen in oracle.subsets(neg, k)
            ) / (beta * k)
            np.testing.assert_allclose(oracle.pap_ts_pairs(scores, y, k), first, atol=1e-12)
            second = oracle.pap_ts_orderings(scores, y, k)
            assert first >= second - 1e-12
            larger += first > second + 1e-9
    assert larger > 10
