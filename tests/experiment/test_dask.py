"""Fits on the workers of a Dask cluster are those of one machine, to the bit."""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from attop import SoftTop, TopStack, compare_at_top

distributed = pytest.importorskip("distributed")

MEMBERS = [("linear", LogisticRegression()), ("tree", DecisionTreeClassifier(max_depth=3))]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(400, 3))
    return X, (X[:, 0] + rng.normal(size=400) > 1.5) | (X[:, 1] > 1.8)


@pytest.fixture(scope="module")
def workers():
    """Two worker processes, each of which has had something to do at the end."""
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
        work = client.run(lambda dask_worker: dask_worker.state.transition_counter)
        assert len(work) == 2
        assert min(work.values()) > 20


def test_compare_at_top(data, workers):
    tree = (DecisionTreeClassifier(max_depth=3), {"min_samples_leaf": [1, 20]})
    models = {"soft": SoftTop(cv=3), "tree": tree}
    here = compare_at_top(models, *data, top=20, cv=3, n_jobs=1, verbose=False)
    with parallel_config(backend="dask"):
        there = compare_at_top(models, *data, top=20, cv=3, verbose=False)
    unmeasured = ["seconds"]
    assert there.runs.drop(columns=unmeasured).equals(here.runs.drop(columns=unmeasured))


@pytest.mark.parametrize(
    ("model", "fitted"),
    [
        (SoftTop(20, min_gain_se=-np.inf, cv=3), ("coef_", "base_coef_", "cv_gain_")),
        (TopStack(MEMBERS, top=20, cv=3), ("coef_", "_centre", "_scale", "intercept_")),
    ],
    ids=["SoftTop", "TopStack"],
)
def test_estimators(data, workers, model, fitted):
    weight = np.random.default_rng(8).integers(1, 4, len(data[1])).astype(float)
    model.fit(*data, sample_weight=weight)
    here = {name: getattr(model, name) for name in fitted}
    with parallel_config(backend="dask"):
        model.fit(*data, sample_weight=weight)
    for name in fitted:
        np.testing.assert_array_equal(getattr(model, name), here[name])
