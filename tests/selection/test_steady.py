import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from attop import SoftTop, TopStack
from attop.learners import PositiveClassWarning
from attop.metrics import overlap_at_k
from attop.selection._steady import SteadyTop

X, Y = make_classification(800, weights=[0.8], flip_y=0.2, random_state=0)


def test_scores_are_the_weighted_mean_of_standardised_log_odds():
    last = LogisticRegression().fit(X[:400], Y[:400])
    tree = DecisionTreeClassifier(max_depth=4, random_state=0)
    new = SteadyTop(tree, last, weight=0.3).fit(X[400:], Y[400:])
    p = clone(tree).fit(X[400:], Y[400:]).predict_proba(X)[:, 1]
    a = logit(np.clip(p, 1e-6, 1 - 1e-6)) + 1e-3 * (np.float64(p == 1) - (p == 0))
    b = last.decision_function(X)
    expected = 0.7 * (a - a[400:].mean()) / a[400:].std() + 0.3 * (b - b[400:].mean()) / b[400:].std()
    np.testing.assert_allclose(new.decision_function(X), expected)
    np.testing.assert_array_equal(new.predict(X), (expected > 0).astype(int))


def test_more_weight_keeps_more_of_the_list():
    last = DecisionTreeClassifier(min_samples_leaf=8, random_state=0).fit(X[:400], Y[:400])
    tree = DecisionTreeClassifier(min_samples_leaf=8, random_state=1)
    first, *lists = (
        SteadyTop(tree, previous, weight=weight).fit(X[400:], Y[400:]).decision_function(X)
        for previous, weight in ((None, 0.5), (last, 0), (last, 0.5), (last, 0.8), (last, 1))
    )
    stays = [overlap_at_k(lists[-1], scores, 80) for scores in lists]
    assert stays == sorted(stays)
    assert stays[0] < stays[1] - 0.05
    np.testing.assert_allclose(first, lists[0])


def test_a_frozen_previous_model_survives_clones_and_chains():
    first = SteadyTop(LogisticRegression()).fit(X[:400], Y[:400])
    second = SteadyTop(LogisticRegression(), FrozenEstimator(first))
    assert np.isfinite(cross_val_score(second, X, Y, scoring="roc_auc")).all()
    with pytest.raises(NotFittedError, match="FrozenEstimator"):
        clone(SteadyTop(LogisticRegression(), first)).fit(X, Y)


@pytest.mark.parametrize("previous", [True, False])
def test_a_row_of_weight_two_is_two_rows_and_one_of_weight_zero_none(previous):
    last = LogisticRegression().fit(X[:400], Y[:400]) if previous else None
    times = np.random.default_rng(0).integers(0, 3, 400)
    rows = np.repeat(np.arange(400, 800), times)
    few, many, far = (
        SteadyTop(LogisticRegression(tol=1e-9), last).fit(*given).decision_function(X)
        for given in (
            (X[400:], Y[400:], times),
            (X[rows], Y[rows]),
            (np.vstack([X[400:], 1000 + X[:400]]), np.r_[Y[400:], Y[:400]], np.r_[times, np.zeros(400)]),
        )
    )
    np.testing.assert_allclose(few, many, atol=1e-6)
    np.testing.assert_allclose(few, far, atol=1e-6)


@pytest.mark.parametrize("model", [LogisticRegression(tol=1e-9), GaussianNB(), KNeighborsClassifier()])
@pytest.mark.parametrize("far", [1e300, np.nan, np.inf])
def test_what_stands_in_rows_of_weight_zero_does_not_matter(model, far):
    last = LogisticRegression().fit(X[:400], Y[:400])
    weight = np.where(np.arange(400) % 4, 1.0, 0.0)
    features = X[400:].copy()
    features[weight == 0] = far
    labels = np.where(weight > 0, Y[400:], 7)
    found = SteadyTop(model, last).fit(features, labels, sample_weight=weight)
    expected = SteadyTop(model, last).fit(X[400:][weight > 0], Y[400:][weight > 0])
    np.testing.assert_allclose(found.decision_function(X), expected.decision_function(X))


def test_groups_and_entities_of_rows_that_count_are_handed_on():
    weight = np.where(np.arange(400) % 4, 1.0, 0.0)
    model = TopStack([("a", GaussianNB()), ("b", LogisticRegression())], top=20, cv=2)
    given = {"entity": np.arange(400) // 4, "sample_weight": weight}
    rows = weight > 0
    found = SteadyTop(model).fit(X[:400], Y[:400], **given)
    part = {name: values[rows] for name, values in given.items()}
    expected = SteadyTop(model).fit(X[:400][rows], Y[:400][rows], **part)
    np.testing.assert_array_equal(found.decision_function(X), expected.decision_function(X))


@pytest.mark.parametrize("make", [list, pd.Series, lambda y: pd.Series(y, dtype="boolean"), np.array])
def test_labels_as_objects_are_labels(make):
    y = np.array([bool(label) for label in Y], dtype=object)
    found = SteadyTop(LogisticRegression()).fit(X, make(y) if make is not np.array else y)
    expected = SteadyTop(LogisticRegression()).fit(X, Y == 1)
    np.testing.assert_array_equal(found.classes_, [False, True])
    np.testing.assert_array_equal(found.decision_function(X), expected.decision_function(X))


def test_the_surest_rows_are_not_tied():
    """Naive Bayes is surer than a float can say of one probability, and keeps their order in both."""
    rng = np.random.default_rng(0)
    y = np.arange(1200) % 10 == 0
    rows = rng.normal(size=(1200, 12)) + 3 * y[:, None]
    model = GaussianNB().fit(rows, y)
    assert (model.predict_proba(rows)[:, 1] == 1).sum() > 50
    steady = SteadyTop(GaussianNB()).fit(rows, y).decision_function(rows)
    exact = np.subtract(*model.predict_joint_log_proba(rows).T[::-1])
    assert len(np.unique(steady)) == len(steady)
    np.testing.assert_array_equal(np.argsort(steady), np.argsort(exact))


@pytest.mark.parametrize(("before", "now"), [([0, 1], [-1, 1]), (["b", "a"], [0, 1]), (["0", "1"], [0, 1])])
def test_a_previous_model_of_other_labels_is_refused(before, now):
    last = LogisticRegression().fit(X[:400], np.array(before)[Y[:400]])
    for previous in (last, FrozenEstimator(last), make_pipeline(last)):
        with pytest.raises(ValueError, match="previous must have learnt the labels of y"):
            SteadyTop(LogisticRegression(), previous).fit(X[400:], np.array(now)[Y[400:]])


def test_of_words_the_new_model_says_which_is_positive():
    words = np.array(["well", "ill"])[Y]
    with pytest.warns(PositiveClassWarning, match="'well', is taken for the positive class"):
        assert SteadyTop(LogisticRegression()).fit(X, words).classes_.tolist() == ["ill", "well"]
    named = SteadyTop(SoftTop(top=20, pos_label="ill")).fit(X, words)
    assert named.classes_.tolist() == ["well", "ill"]
    plain = SteadyTop(SoftTop(top=20)).fit(X, Y)
    np.testing.assert_array_equal(named.decision_function(X), plain.decision_function(X))


def test_bad_parameters():
    for weight in (1.5, -0.1, "a", None, float("nan"), True):
        with pytest.raises(ValueError, match=f"weight must be a number from 0 to 1, got {weight!r}"):
            SteadyTop(LogisticRegression(), weight=weight).fit(X, Y)
    with pytest.raises(ValueError, match="X has masked values"):
        SteadyTop(LogisticRegression()).fit(np.ma.masked_less(X, 0), Y)
    with pytest.raises(ValueError, match="previous gives all rows one score"):
        SteadyTop(LogisticRegression(), DummyClassifier().fit(X, Y)).fit(X, Y)
