"""The suite of pairs: no learner or surrogate of the library is forgotten."""

import numpy as np
import pytest
from studies.boosters import SurrogateBooster
from studies.pairs import WITHOUT, as_text, pairs, refused, suite

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
    boosted = {m["params"]["surrogate"] for m in suite()["methods"] if m["id"].startswith("LightGBM.")}
    assert boosted == set(SURROGATES)
    assert taken["BundleRanker"] == {name for name, its in SURROGATES.items() if its.convex}


def test_ways_of_a_learner_stand_beside_each_other():
    titles = [method["title"] for method in suite()["methods"]]
    assert len({*titles}) == len(titles)
    for way in ("AATP (by pairs)", "AATP (by CVXPY with SCS)", "PNormPush (by thresholds)"):
        assert any(title.startswith(way) for title in titles)


def test_what_is_refused_has_a_reason_each_and_nothing_is_between():
    table = refused()
    for learner in ("BundleRanker", "FactorRanker"):
        taken = {surrogate for name, surrogate, _ in pairs() if name == learner}
        assert taken | {*table.loc[table["learner"] == learner, "surrogate"]} == set(SURROGATES)
    assert (table["why"].str.split().str.len() >= 5).all()


@pytest.mark.parametrize("surrogate", SURROGATES)
def test_a_booster_takes_every_surrogate(surrogate):
    pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(90, 3)), np.arange(90) % 3
    y = (X[:, 0] + rng.normal(size=90) > 0.8).astype(int)
    for lists in (None, groups):
        model = SurrogateBooster(surrogate, top=5, n_estimators=3, num_leaves=4).fit(X, y, lists)
        assert np.isfinite(model.decision_function(X)).all()
        assert model.booster_.num_trees() == 6
