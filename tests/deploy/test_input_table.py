"""Methods that take the table itself: the columns by their names, categories typed, gaps as gaps."""

import contextlib
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from attop.extending import Top
from attop_bench.data.build import make
from attop_bench.data.splits.protocols import make_folds
from attop_bench.deploy import deploy as deploying
from attop_bench.deploy.contributions import contributions
from attop_bench.deploy.package import read_package
from attop_bench.run.checks import check_method
from attop_bench.run.config import ConfigError
from attop_bench.run.fitting import compile_method
from attop_bench.run.job import Job
from attop_bench.run.training import run_job
from support.packages import write_package
from support.small_run import configured

pytestmark = pytest.mark.workflow

N = 300
PARAMS = {"path": "t.csv", "label": "y", "positive": "yes", "drop": ["id"], "one_hot": True}
PROTOCOL = {"kind": "stratified", "options": {"n_folds": 2, "inner_folds": 2}}


def by_names(C=1.0):
    """Return a pipeline of a user's own, which knows the columns by their names."""
    steps = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["town"]), (StandardScaler(), ["age"]), remainder="drop"
    )
    return make_pipeline(steps, LogisticRegression(C=C))


class Witness(ClassifierMixin, BaseEstimator):
    """A model that keeps what it was fitted on, and ranks by a column."""

    def fit(self, X, y):
        self.X_, self.classes_ = X, np.array([0, 1])
        return self

    def decision_function(self, X):
        pd.testing.assert_series_equal(X.dtypes, self.X_.dtypes)
        return X["age"].fillna(0.0).to_numpy()


def histogram():
    return HistGradientBoostingClassifier(max_iter=15, random_state=0)


def lightgbm():
    return pytest.importorskip("lightgbm").LGBMClassifier(n_estimators=15, n_jobs=1, verbose=-1)


def xgboost():
    return pytest.importorskip("xgboost").XGBClassifier(n_estimators=15, n_jobs=1, enable_categorical=True)


try:
    from catboost import CatBoostClassifier
except ImportError:
    CatBoostClassifier = object


class NativeCatBoost(CatBoostClassifier):
    """CatBoost that is told the categories as it is fitted: as a parameter they keep it from being cloned."""

    def fit(self, X, y):
        return super().fit(X, y, cat_features=list(X.select_dtypes("category")))


def catboost():
    pytest.importorskip("catboost")
    options = {"iterations": 15, "thread_count": 1, "verbose": False, "allow_writing_files": False}
    return NativeCatBoost(**options)


def skrub():
    return make_pipeline(pytest.importorskip("skrub").TableVectorizer(), LogisticRegression())


def strict():
    """Return a pipeline that refuses a category it has not seen."""
    return make_pipeline(make_column_transformer((OneHotEncoder(), ["town"])), LogisticRegression())


#: Model -> whether it takes gaps.
MODELS = {by_names: False, histogram: True, lightgbm: True, xgboost: True, catboost: False, skrub: False}
MODELS[strict] = False
#: Models that have no score for a category they have not seen.
STRICT = [catboost, strict]


@pytest.fixture
def table(tmp_path):
    """Write a table with a category that has many rows' sign, and return it."""
    rng = np.random.default_rng(0)
    town = rng.choice(["Ulm", "Bonn", "Kiel", "Jena"], N, p=[0.4, 0.3, 0.2, 0.1])
    frame = pd.DataFrame({"id": range(N), "town": town, "age": rng.normal(40, 9, N).round(1)})
    z = 2 * (frame["town"] == "Kiel") + frame["age"] / 9 + rng.normal(size=N)
    frame["y"] = np.where(z > 6, "yes", "no")
    with contextlib.chdir(tmp_path):
        yield frame


def written(frame, **options):
    """Write a table, and return its data set."""
    frame.to_csv("t.csv", index=False)
    return make("file", **PARAMS, **options)


def run(model, data):
    """Run a job of a model of this file on the first of two folds; return the fold and the scores."""
    where = f"test_input_table.{model.__name__}"
    job = Job(0, 0, 0, PROTOCOL, "standard", [Top(k=20)], "precision@k", where, input="table")
    fold = make_folds("stratified", data, repeat=0, seed=0, n_folds=2, inner_folds=2)[0]
    return fold, run_job(job, data, fold, contain=False).scores[0]


def with_gaps(frame):
    """Return a table with gaps in both features."""
    return frame.assign(
        town=frame["town"].mask(frame["id"] % 7 == 0), age=frame["age"].mask(frame["id"] % 9 == 0)
    )


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_model_is_fitted_on_the_rows_of_the_table(model, table):
    model()  # or skip
    data = written(with_gaps(table), impute="median") if MODELS[model] else written(table)
    fold, scores = run(model, data)
    by_hand = model().fit(data.X.iloc[fold.train], data.y[fold.train])
    probability = by_hand.predict_proba(data.X.iloc[fold.test])[:, 1]
    np.testing.assert_array_equal(rankdata(scores), rankdata(probability))


def test_a_model_sees_names_categories_and_gaps(table):
    data = written(with_gaps(table), impute="median", max_categories=2)
    fold, scores = run(Witness, data)
    assert list(data.X) == ["town", "age"]
    assert data.X["town"].dtype == pd.CategoricalDtype(pd.Index(["Bonn", "Jena", "Kiel", "Ulm"], dtype=str))
    assert data.X.isna().any().all()
    np.testing.assert_array_equal(scores, data.X["age"].fillna(0.0).iloc[fold.test])


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_model_of_the_table_is_taken_away_and_scores_new_rows(model, table, monkeypatch):
    model()
    for name in ("share_kept", "next_list", "one_column_alone"):  # numbers of the card
        monkeypatch.setattr(deploying, name, lambda *_, **__: math.nan)
    gaps = {"impute": "median"} if MODELS[model] else {}
    frame = with_gaps(table) if gaps else table
    frame.to_csv("t.csv", index=False)
    data = {"id": "mine", "kind": "file", "params": {**PARAMS, **gaps}, "protocol": PROTOCOL}
    method = {"id": "own", "estimator": f"test_input_table.{model.__name__}", "input": "table"}
    config = configured(datasets=[data | {"tops": [{"k": 20}]}], methods=[method], catalogues={})
    done = deploying.deploy(config, "mine", ["own"], n_jobs=1)
    write_package(Path("out"), done.package)
    package = read_package("out")
    scores = package.rank("t.csv").set_index("row")["score"].sort_index()
    np.testing.assert_allclose(scores, done.ranked.set_index("row")["score"].sort_index(), rtol=1e-9)

    told = []
    frame[:4].assign(age=40, town=["Ulm", "Rome", "Kiel", "Oslo"]).to_csv("new.csv", index=False)
    ranked = package.rank("new.csv", told.append)
    if model in STRICT:
        assert sorted(ranked["row"]) == [1, 3]
        (aside, _) = ranked.attrs["ledger"].left_out
        assert "town is 'Rome', and the model takes no new category, row 2" in str(aside)
        return
    assert len(ranked) == 4
    assert "2 of 4 values were never seen in training, such as 'Rome': they count as missing" in told[-1]
    assert ranked.set_index("row")["score"][[2, 4]].nunique() == 1


@pytest.mark.parametrize("make_model", [lightgbm, xgboost])
def test_contributions_of_columns_of_a_table_sum_to_the_score(make_model, table):
    data = written(with_gaps(table), impute="median")
    pipeline = deploying.pipeline_of(data, "table", "standard", make_model()).fit(data.X, data.y)
    added = contributions(pipeline, data.X)
    probability = pipeline.predict_proba(data.X)[:, 1]
    assert added.shape == (N, 3)
    np.testing.assert_allclose(added.sum(axis=1), np.log(probability / (1 - probability)), atol=1e-4)


def test_a_method_says_what_it_takes():
    method = {"id": "own", "estimator": "test_input_table.by_names"}
    data = [{"id": "wdbc", "protocol": PROTOCOL}]
    given = {"datasets": data, "catalogues": {"datasets": "config/datasets.yaml"}}
    assert configured(**given, methods=[method]).methods[0].input == "matrix"
    with pytest.raises(ConfigError, match="input"):
        configured(**given, methods=[method | {"input": "frame"}])
    for params, n_wrong in (({"C": 2.0}, 0), ({"c": 2.0}, 1)):
        config = configured(**given, methods=[method | {"input": "table", "params": params}])
        assert len(check_method(config.methods[0])) == n_wrong
    compile_method({"estimator": "no.such.module", "input": "table"})  # its first job compiles
