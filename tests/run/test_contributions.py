"""What each column adds to a row's score: it sums to the score, and a change of one column moves it alone."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from attop import SoftTop, TopBooster
from attop_bench.deploy.contributions import _of_features, contributions, largest
from attop_bench.deploy.raw_model import RawRows, raw_pipeline


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
    words = ["town", "kind"]
    return RawRows(X, words, X[[]], None, {}, False, impute, max_categories), y.astype(int)


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


@pytest.mark.parametrize("data", [(None, None), ("median", 3)])
@pytest.mark.parametrize("scaling", ["none", "standard", "minmax"])
@pytest.mark.parametrize("make", [LogisticRegression, LinearSVC, SoftTop, lightgbm, TopBooster, xgboost])
def test_contributions_and_base_sum_to_the_score(make, scaling, data):
    if make is TopBooster:
        pytest.importorskip("lightgbm")
    table, y = rows(*data)
    pipeline = raw_pipeline(table, scaling, make()).fit(table.X, y)
    added = contributions(pipeline, table.X)
    assert added.shape == (400, 6)
    tolerance = 1e-9 if make is not xgboost else 2e-5  # that of its own 32-bit sums, see below
    np.testing.assert_allclose(added.sum(axis=1), margin(pipeline, table.X), atol=tolerance, rtol=tolerance)
    assert np.ptp(added[:, -1]) < 1e-6


@pytest.mark.parametrize("data", [(None, None), ("median", 3)])
def test_in_a_linear_model_a_column_adds_what_its_change_changes(data):
    table, y = rows(*data)
    pipeline = raw_pipeline(table, "standard", LogisticRegression()).fit(table.X, y)
    shuffled = table.X.sample(frac=1, random_state=1).reset_index(drop=True)
    before, score = contributions(pipeline, table.X), pipeline.decision_function(table.X)
    for place, column in enumerate(table.X):
        other = table.X.assign(**{column: shuffled[column]})
        moved = contributions(pipeline, other) - before
        change = pipeline.decision_function(other) - score
        np.testing.assert_allclose(moved[:, place], change, atol=1e-9)
        assert np.abs(np.delete(moved, place, axis=1)).max() < 1e-12
        assert change.any()


def test_a_categorys_features_are_summed_back_to_its_column():
    table, y = rows("median", 3)
    pipeline = raw_pipeline(table, "standard", lightgbm()).fit(table.X, y)
    added = contributions(pipeline, table.X)
    each = pipeline[-1].predict(pipeline[:-1].transform(table.X), pred_contrib=True)
    names = pipeline["columns"].get_feature_names_out()
    for place, column in enumerate(table.X):
        its = [i for i, name in enumerate(names) if name.partition("__")[2].startswith(column)]
        assert len(its) == {"town": 3, "kind": 2}.get(column, 1)
        np.testing.assert_allclose(added[:, place], each[:, its].sum(axis=1), atol=1e-12)


def sample():
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(600, 25)).round(1)
    return Z, (np.maximum(Z, 0).prod(axis=1, where=np.arange(25) < 3) > 0.2) | (Z[:, 3:].max(axis=1) > 2.2)


@pytest.mark.parametrize("leaves", [2, 5, 60])
def test_trees_give_what_lightgbm_says_itself(leaves):
    Z, y = sample()
    model = lightgbm().set_params(num_leaves=leaves, min_child_samples=2).fit(Z, y)
    expected = model.predict(Z, pred_contrib=True)
    found = _of_features(model, Z)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert (found != expected).any()
    longest = model.booster_.trees_to_dataframe()["node_depth"].max()
    assert (longest > 14) == (leaves == 60)  # more features on a path than are tabled
    Z[:, 0] = np.random.default_rng(1).integers(0, 5, 600)
    model.fit(Z, np.isin(Z[:, 0], [1, 3]), categorical_feature=[0])  # splits that are at no number
    np.testing.assert_array_equal(_of_features(model, Z), model.predict(Z, pred_contrib=True))


@pytest.mark.parametrize("depth", [1, 6, 14])
def test_trees_give_what_xgboost_says_itself_in_64_bits(depth):
    Z, y = sample()
    model = xgboost().set_params(max_depth=depth, min_child_weight=0.1).fit(Z, y)
    booster, rows = model.get_booster(), pytest.importorskip("xgboost").DMatrix(Z)
    found = _of_features(model, Z)
    np.testing.assert_allclose(found, booster.predict(rows, pred_contribs=True), atol=2e-5)
    leaf = booster.trees_to_dataframe().set_index(["Tree", "Node"])["Gain"].astype(np.float32).astype(float)
    places = booster.predict(rows, pred_leaf=True).astype(int)
    summed = sum(leaf.loc[tree].loc[its].to_numpy() for tree, its in enumerate(places.T))
    assert np.ptp(found.sum(axis=1) - summed) < 1e-12  # all but where its sums begin


def test_a_linear_booster_says_it_itself():
    Z, y = sample()
    model = xgboost().set_params(booster="gblinear").fit(Z, y)
    rows = pytest.importorskip("xgboost").DMatrix(Z)
    np.testing.assert_array_equal(
        _of_features(model, Z), model.get_booster().predict(rows, pred_contribs=True)
    )


def test_what_is_not_exact_is_left_out():
    table, y = rows(None, None)
    pipeline = raw_pipeline(table, "none", RandomForestClassifier(5)).fit(table.X, y)
    assert contributions(pipeline, table.X) is None


def test_a_model_of_models_is_not_taken_for_a_linear_one():
    class Stacked(LogisticRegression):
        def decision_function(self, X):
            return super().decision_function(X) ** 3

    table, y = rows(None, None)
    assert contributions(raw_pipeline(table, "none", Stacked()).fit(table.X, y), table.X) is None


def test_the_largest_are_named_by_their_distance_from_the_mean_row():
    added = np.array([[1.0, -3.0, 0.5, 2.0, 9.0], [0.0, 0.0, 2.0, 2.0, 9.0]])
    middle = np.array([0.0, 0.0, 2.0, 2.0, 9.0])
    assert largest(added, middle, ["a", "b", "c", "d"], 2) == ["b -3, c -1.5", ""]
    assert largest(added, middle, ["a", "b", "c", "d"])[0] == "b -3, c -1.5, a +1"
