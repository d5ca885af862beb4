"""The suite of pairs: no learner or surrogate of the library is forgotten."""

from studies.pairs import WITHOUT, as_text, pairs

from attop import from_papers, learners
from attop.extending import SURROGATES
from support import ROOT


def test_the_suite_is_that_of_the_registry():
    written = (ROOT / "config/suites/pairs.yaml").read_text()
    assert written == as_text(), "python -m studies.pairs > config/suites/pairs.yaml"


def test_every_learner_has_its_surrogates():
    taken = {}
    for learner, surrogate, _ in pairs():
        taken.setdefault(learner, set()).add(surrogate)
    assert set(taken) == {*learners.__all__, *from_papers.__all__} - WITHOUT
    assert taken["GDRanker"] == set(SURROGATES)
    assert taken["BundleRanker"] == {name for name, its in SURROGATES.items() if its.convex}
