"""The suite of pairs: no learner or surrogate of the library is forgotten."""

import pytest
from studies.pairs import WITHOUT, as_text, pairs

from attop import from_papers, learners
from attop.surrogates._registry import SURROGATES
from support import ROOT


def test_the_suite_is_that_of_the_registry():
    written = (ROOT / "config/suites/pairs.yaml").read_text()
    assert written == as_text(), "python -m studies.pairs > config/suites/pairs.yaml"


@pytest.mark.parametrize("name", sorted({*learners.__all__, *from_papers.__all__} - WITHOUT))
def test_every_learner_has_its_surrogates(name):
    taken = {surrogate for learner, surrogate, _ in pairs() if learner == name}
    expected = {
        "GDRanker": set(SURROGATES),
        "BundleRanker": {s for s, its in SURROGATES.items() if its.convex},
    }
    assert taken == expected.get(name, taken)
    assert taken


def test_every_surrogate_is_there():
    assert {surrogate for _, surrogate, _ in pairs()} >= set(SURROGATES)
