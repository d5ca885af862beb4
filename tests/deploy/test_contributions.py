"""What each column adds to a row's score: it sums to the score, and a change of one column moves it alone."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from attop import SoftTop, TopBooster
from attop_bench.data.base import Dataset
from attop_bench.data.columns.preparation import as_categories
from attop_bench.deploy.contributions import contributions, largest
from attop_bench.deploy.deploy import pipeline_of


def rows(impute, max_categories, n=400):
    rng = np.random.default_rng(0)
    town = rng.choice(["a", "b", "c", "d", "e", "f"], n, p=[0.3, 0.3, 0.2, 0.1, 0.05, 0.05])
    X = pd.DataFrame({"town": town, "age": rng.normal(40, 9, n), "kind": rng.choice(["x", "y"], n)})
    X["amount"], X["noise"] = rng.lognormal(3, 1, n), rng.normal(size=n)
    y = (
        X["age"] / 9 + 2 * np.isin(town, ["a", "f"]) + np.log(X["amount"]) + rng.normal(size=n) > 9
    ).to_numpy()
    if impute:
        X.loc[rng.random(n) < 0.1, ["town", "age"]] = None
    X = X.assign(town=as_categories(X["town"]), kind=as_categories(X["kind"]))
    return Dataset("towns", X, y.astype(int), impute=impute, max_categories=max_categories)


def margin(pipeline, X):
    model, Z = pipeline[-1], pipeline[:-1].transform(X)
    if type(model).__module__.startswith("lightgbm"):
        return model.predict(Z, raw_score=True)
    if type(model).__module__.startswith("xgboost"):
        return model.predict(Z, output_margin=True)
    return pipeline.decision_function(X)


def lightgbm():
    return pytest.importorskip("lightgbm").LGBMClassifier(n_estimators=20, n_jobs=1, verbose=-1)


def xgboost():
    return pytest.importorskip("xgboost").XGBClassifier(n_estimators=20, n_jobs=1)


@pytest.mark.parametrize("options", [(None, None), ("median", 3)])
@pytest.mark.parametrize("scaling", ["none", "standard", "minmax"])
@pytest.mark.parametrize("make", [LogisticRegression, LinearSVC, SoftTop, lightgbm, TopBooster, xgboost])
def test_contributions_and_base_sum_to_the_score(make, scaling, options):
    if make is TopBooster:
        pytest.importorskip("lightgbm")
    data = rows(*options)
    pipeline = pipeline_of(data, "matrix", scaling, make()).fit(data.X, data.y)
    added = contributions(pipeline, data.X)
    assert added.shape == (400, 6)
    tolerance = 1e-9 if make is not xgboost else 2e-5  # its own sums have 32 bits
    np.testing.assert_allclose(added.sum(axis=1), margin(pipeline, data.X), atol=tolerance, rtol=tolerance)
    assert np.ptp(added[:, -1]) < 1e-6


@pytest.mark.parametrize("options", [(None, None), ("median", 3)])
def test_in_a_linear_model_a_column_adds_what_its_change_changes(options):
    data = rows(*options)
    pipeline = pipeline_of(data, "matrix", "standard", LogisticRegression()).fit(data.X, data.y)
    shuffled = data.X.sample(frac=1, random_state=1).reset_index(drop=True)
    before, score = contributions(pipeline, data.X), pipeline.decision_function(data.X)
    for place, column in enumerate(data.X):
        other = data.X.assign(**{column: shuffled[column]})
        moved = contributions(pipeline, other) - before
        change = pipeline.decision_function(other) - score
        np.testing.assert_allclose(moved[:, place], change, atol=1e-9)
        assert np.abs(np.delete(moved, place, axis=1)).max() < 1e-12
        assert change.any()


def test_what_is_not_exact_is_left_out():
    data = rows(None, None)
    pipeline = pipeline_of(data, "matrix", "none", RandomForestClassifier(5)).fit(data.X, data.y)
    assert contributions(pipeline, data.X) is None


def test_a_model_of_models_is_not_taken_for_a_linear_one():
    class Stacked(LogisticRegression):
        def decision_function(self, X):
            return super().decision_function(X) ** 3

    data = rows(None, None)
    assert contributions(pipeline_of(data, "matrix", "none", Stacked()).fit(data.X, data.y), data.X) is None


def test_the_largest_are_named_with_their_values_by_their_distance_from_the_mean_row():
    X = pd.DataFrame({"a": [1.5, 1.0], "b": ["new, 'urgent'", "x"], "c": [None, "y"], "d": [np.nan, 3.0]})
    added = np.array([[1.0, -3.0, 0.5, 2.5, 9.0], [0.0, 0.0, 2.0, 2.0, 9.0]])
    middle = np.array([0.0, 0.0, 2.0, 2.0, 9.0])
    assert largest(added, middle, X, 2) == ["b = \"new, 'urgent'\" -3, c is missing -1.5", ""]
    assert largest(added, middle, X, 4)[0].endswith(", a = 1.5 +1, d is missing +0.5")


def test_rows_are_explained_as_they_are_all_at_once(monkeypatch):
    data, rng = rows("median", 3), np.random.default_rng(0)
    pipeline = pipeline_of(data, "matrix", "standard", LogisticRegression()).fit(data.X, data.y)
    middle = rng.normal(size=data.X.shape[1] + 1)
    outcomes = []
    for n_rows in (10**6, 7):
        monkeypatch.setattr("attop_bench.deploy.contributions._ROWS", n_rows)
        added = contributions(pipeline, data.X)
        outcomes.append((added, largest(added, middle, data.X)))
    np.testing.assert_array_equal(outcomes[0][0], outcomes[1][0])
    assert outcomes[0][1] == outcomes[1][1]


def test_a_long_text_is_shortened_in_a_reason():
    X = pd.DataFrame({"note": ["urgent " * 20]})
    (text,) = largest(np.array([[2.0, 0.0]]), np.zeros(2), X)
    assert re.fullmatch(r"note = '[urgent ]{37}\.\.\.' \+2", text)
