"""Columns of which no score depends: new rows may lack them, or have no value there."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from attop.experiment import fit
from attop_bench.data.base import DatasetError
from attop_bench.deploy.contributions import unused_columns
from attop_bench.deploy.deploy import pipeline_of, read
from attop_bench.deploy.package import Package
from support.packages import linear_package

TREE = DecisionTreeClassifier(max_depth=2, random_state=0)
LASSO = LogisticRegression(l1_ratio=1.0, solver="liblinear", C=0.05)


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Return rows whose label depends on ``x`` and ``kind``, and not on three other columns."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 200
    X = pd.DataFrame({"x": rng.normal(size=n).round(3), "same": np.full(n, 3.0)})
    X["colour"] = rng.choice(["red", "blue"], n)
    X["kind"] = rng.choice(["a", "b"], n)
    X["noise"] = rng.normal(size=n).round(3)
    X["y"] = np.where(X["x"] + 2 * (X["kind"] == "a") > 1.5, "yes", "no")
    X.to_csv("old.csv", index=False)
    return X


def deployed(estimator):
    """Return the package of a model of old.csv."""
    data, _ = read("old", "file", {"path": "old.csv", "label": "y", "positive": "yes", "one_hot": True})
    pipeline = pipeline_of(data, "matrix", "standard", estimator)
    model = fit(pipeline, data.table, data.y)
    package = linear_package("old.csv")
    unused = unused_columns(model, data.table)
    return Package(model, {**package.notes, "unused": unused}, [])


@pytest.mark.parametrize("estimator", [TREE, LASSO], ids=["tree", "lasso"])
def test_new_rows_may_lack_what_the_model_does_not_use(estimator, table):
    package = deployed(estimator)
    assert package.notes["unused"] == ["same", "colour", "noise"]
    whole = package.rank("old.csv")
    table.drop(columns=["same", "colour", "noise"]).to_csv("fewer.csv", index=False)
    said = []
    fewer = package.rank("fewer.csv", said.append)
    assert said == ["dataset fewer.csv: lacks columns that the model does not use: same, colour, noise"]
    np.testing.assert_array_equal(fewer["score"], whole["score"])
    np.testing.assert_array_equal(fewer["row"], whole["row"])
    # Nor does what is written there matter.
    table.assign(same="?", colour="", noise="n. d.").to_csv("other.csv", index=False)
    np.testing.assert_array_equal(package.rank("other.csv")["score"], whole["score"])


@pytest.mark.parametrize("column", ["x", "kind"])
def test_a_column_that_is_used_must_be_there(column, table):
    package = deployed(TREE)
    table.drop(columns=column).to_csv("fewer.csv", index=False)
    with pytest.raises(DatasetError, match=f"lacks columns of the model: {column}; add them.*noise"):
        package.rank("fewer.csv")


def test_the_header_is_found_without_them(table):
    package = deployed(TREE)
    text = table.drop(columns="noise").to_csv(index=False)
    Path("below.csv").write_text("Written by us\n\n" + text)
    assert len(package.rank("below.csv")) == 200


def test_of_a_model_that_does_not_say_all_are_used(table):
    assert deployed(HistGradientBoostingClassifier(max_iter=3)).notes["unused"] == []


def test_an_importance_of_0_is_no_proof(table):
    """Scores that change with a column show that it is used, whatever the model says."""

    class Silent(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.model_ = LogisticRegression().fit(X, y)
            self.classes_ = self.model_.classes_
            self.feature_importances_ = np.zeros(X.shape[1])
            return self

        def decision_function(self, X):
            return self.model_.decision_function(X)

    assert deployed(Silent()).notes["unused"] == []
