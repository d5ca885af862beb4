"""What the pages of the estimators say of them."""

import sys

import numpy as np
import pytest
from sklearn.base import clone

from support import ROOT

sys.path.insert(0, str(ROOT / "docs/_ext"))
pytest.importorskip("sphinx", reason="the pages are made by Sphinx")
from registries import ONE_LIST, learner_table, learners

import attop

#: Cross-validated by groups, for which a handful of fits is not enough.
TUNED = {"SoftTop", "TopStack", "TopBooster"}


@pytest.mark.parametrize("name", sorted(set(learners()) - TUNED))
def test_whether_groups_have_a_top_each(name):
    estimator = getattr(attop, name)()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X[:, 0] + rng.normal(size=40) > 0
    groups = np.repeat([0, 1], 20)
    X[:, 1] += 3 * groups * y
    if "top" in estimator.get_params():
        estimator.set_params(top={"k": 5})
    if "metric" in estimator.get_params():
        estimator.set_params(metric="auc")  # no start has an AUC of 1, of precision@5 all have
    alone = clone(estimator).fit(X, y).decision_function(X)
    grouped = clone(estimator).fit(X, y, groups=groups).decision_function(X)
    assert np.allclose(alone, grouped) == (name in ONE_LIST)


def test_the_table_of_learners_stands_in_its_page():
    text = (ROOT / "docs/reference/learners.md").read_text(encoding="utf-8")
    table = "\n".join(learner_table())
    assert f"\n\n{table}\n\n" in text, f"the table is\n{table}"


def test_every_learner_has_a_page():
    assert {"AATP", "SoftTop", "TopStack", "PNormPush"} <= set(learners())
    assert "Ranker" not in learners()
