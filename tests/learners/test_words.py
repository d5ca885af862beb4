"""Labels of words: `pos_label` in learners, pipelines and searches."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from attop import SGDAtK, SoftTop, TopPush
from attop.learners import PositiveClassWarning, Ranker
from attop.metrics import make_top_scorer
from support.every_estimator import COMPOSITES, NAMES, make
from support.small_sample import X, Y

FRAUD = np.where(Y, "fraud", "ok")


def fit(model, y):
    with warnings.catch_warnings():
        # Convergence is not the question here, words are.
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", PositiveClassWarning)
        return model.fit(X, y)


@pytest.mark.parametrize("name", [*NAMES, *COMPOSITES])
def test_either_word_is_learnt_as_the_number_it_stands_for(name):
    plain = fit(make(name, search="fixed-point"), Y).decision_function(X)
    model = fit(clone(make(name, search="fixed-point", pos_label="fraud")), FRAUD)
    assert model.classes_.tolist() == ["ok", "fraud"]
    np.testing.assert_array_equal(model.decision_function(X), plain)
    np.testing.assert_array_equal(model.predict(X) == "fraud", plain > 0)
    other = fit(make(name, search="fixed-point", pos_label=0), 1 - Y)
    assert other.classes_.tolist() == [1, 0]
    np.testing.assert_array_equal(other.decision_function(X), plain)


@pytest.mark.parametrize("form", [np.asarray, pd.Series, pd.Categorical, list, lambda y: y.astype(object)])
def test_words_without_a_name_are_ordered_and_it_is_said(form):
    with pytest.warns(PositiveClassWarning, match="'ok', is taken .*: to find the other, give .*='fraud'"):
        model = TopPush().fit(X, form(FRAUD))
    assert model.classes_.tolist() == ["fraud", "ok"]
    np.testing.assert_array_equal(model.decision_function(X), TopPush().fit(X, 1 - Y).decision_function(X))


def test_a_name_that_is_no_label_is_refused():
    for labels, name in ((FRAUD, "Fraud"), (Y, 2), (Y, "1"), (Y == 1, "True")):
        with pytest.raises(ValueError, match=f"pos_label must be one of the labels .*, got {name!r}"):
            TopPush(pos_label=name).fit(X, labels)
    with pytest.raises(ValueError, match="one class only"):
        TopPush(pos_label="ok").fit(X, ["ok"] * len(X))
    with pytest.raises(ValueError, match="got 3 classes"):
        TopPush(pos_label="a").fit(X, np.array(["a", "b", "c"])[np.arange(len(X)) % 3])


@pytest.mark.parametrize(
    "model", [LogisticRegression(), SoftTop(base="logistic", cv=2, pos_label="fraud")], ids=type
)
@pytest.mark.parametrize("metric", ["precision@k", "auc", "recall@precision-0.9"])
def test_a_search_by_a_scorer_has_the_values_of_the_numbers(model, metric):
    grid = {"C": [0.01, 1.0]} if isinstance(model, LogisticRegression) else {"min_gain_se": [0.0, np.inf]}
    named = make_top_scorer(metric, 0.2, pos_label="fraud")
    plain = clone(model).set_params(pos_label=None) if isinstance(model, Ranker) else model
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", PositiveClassWarning)
        words = GridSearchCV(model, grid, scoring=named, cv=3).fit(X, FRAUD).cv_results_
        numbers = GridSearchCV(plain, grid, scoring=make_top_scorer(metric, 0.2), cv=3).fit(X, Y).cv_results_
    assert np.isfinite(words["mean_test_score"]).all()
    np.testing.assert_allclose(words["mean_test_score"], numbers["mean_test_score"], rtol=1e-12)


def test_a_scorer_takes_the_positive_label_of_a_learner_inside_a_pipeline():
    scorer = make_top_scorer("precision@k", 0.2)
    named = make_pipeline(StandardScaler(), TopPush(pos_label="fraud"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", PositiveClassWarning)
        words = cross_val_score(named, X, FRAUD, scoring=scorer, cv=3)
    numbers = cross_val_score(make_pipeline(StandardScaler(), TopPush()), X, Y, scoring=scorer, cv=3)
    np.testing.assert_array_equal(words, numbers)


def test_a_stream_of_words():
    plain, named = SGDAtK(), SGDAtK(pos_label="fraud")
    for rows in np.split(np.arange(len(X)), 3):
        plain.partial_fit(X[rows], Y[rows], classes=[0, 1])
        named.partial_fit(X[rows], FRAUD[rows], classes=["ok", "fraud"])
    np.testing.assert_array_equal(named.coef_, plain.coef_)
    assert named.classes_.tolist() == ["ok", "fraud"]
    with pytest.warns(PositiveClassWarning, match="'ok', is taken"):
        SGDAtK().partial_fit(X, FRAUD, classes=["fraud", "ok"])
