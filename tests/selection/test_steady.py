import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from attop.metrics import overlap_at_k
from attop.selection._steady import SteadyTop

X, Y = make_classification(800, weights=[0.8], flip_y=0.2, random_state=0)


def test_scores_are_the_weighted_mean_of_standardised_log_odds():
    last, tree = (
        LogisticRegression().fit(X[:400], Y[:400]),
        DecisionTreeClassifier(max_depth=4, random_state=0),
    )
    new = SteadyTop(tree, last, weight=0.3).fit(X[400:], Y[400:])
    p = np.clip(clone(tree).fit(X[400:], Y[400:]).predict_proba(X)[:, 1], 1e-6, 1 - 1e-6)
    a, b = np.log(p / (1 - p)), last.decision_function(X)
    expected = 0.7 * (a - a[400:].mean()) / a[400:].std() + 0.3 * (b - b[400:].mean()) / b[400:].std()
    np.testing.assert_allclose(new.decision_function(X), expected)
    np.testing.assert_array_equal(new.predict(X), (expected > 0).astype(int))


def test_more_weight_keeps_more_of_the_list():
    last = DecisionTreeClassifier(min_samples_leaf=8, random_state=0).fit(X[:400], Y[:400])
    tree = DecisionTreeClassifier(min_samples_leaf=8, random_state=1)
    before = SteadyTop(tree, last, weight=1).fit(X[400:], Y[400:]).decision_function(X)
    stays = [
        overlap_at_k(before, SteadyTop(tree, last, weight=w).fit(X[400:], Y[400:]).decision_function(X), 80)
        for w in (0, 0.5, 0.8, 1)
    ]
    assert stays == sorted(stays)
    assert stays[0] < stays[1] - 0.05
    first = SteadyTop(tree).fit(X[400:], Y[400:]).decision_function(X)
    np.testing.assert_allclose(
        first, SteadyTop(tree, last, weight=0).fit(X[400:], Y[400:]).decision_function(X)
    )


def test_a_frozen_previous_model_survives_clones_and_chains():
    first = SteadyTop(LogisticRegression()).fit(X[:400], Y[:400])
    second = SteadyTop(LogisticRegression(), FrozenEstimator(first))
    assert np.isfinite(cross_val_score(second, X, Y, scoring="roc_auc")).all()
    with pytest.raises(NotFittedError, match="FrozenEstimator"):
        clone(SteadyTop(LogisticRegression(), first)).fit(X, Y)


def test_bad_parameters():
    with pytest.raises(ValueError, match=r"weight must be from 0 to 1, got 1\.5"):
        SteadyTop(LogisticRegression(), weight=1.5).fit(X, Y)
    with pytest.raises(ValueError, match="previous gives all rows one score"):
        SteadyTop(LogisticRegression(), DummyClassifier().fit(X, Y)).fit(X, Y)
