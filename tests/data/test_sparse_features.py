"""Features in a sparse matrix: kept, stored and trained on as one, never filled."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from attop.extending import Top
from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.splits.protocols import make_folds
from attop_bench.run.job import Job
from attop_bench.run.training import run_job

PROTOCOL = {"kind": "stratified", "options": {"n_folds": 2, "inner_folds": 2}}


@pytest.fixture(scope="module")
def data():
    """Return counts of words of 200 texts as a data set."""
    rng = np.random.default_rng(0)
    X = sparse.random_array(
        (200, 60), density=0.05, rng=rng, data_sampler=lambda size: rng.integers(1, 9, size)
    )
    return Dataset("words", X, X.toarray()[:, :5].sum(axis=1) + rng.normal(size=200) > 2)


def job(scaling):
    estimator = "sklearn.linear_model.LogisticRegression"
    return Job(0, 0, 0, PROTOCOL, scaling, [Top(k=20)], "precision@k", estimator)


def fold_of(data):
    return make_folds("stratified", data, repeat=0, seed=0, n_folds=2, inner_folds=2)[0]


@pytest.mark.parametrize("scaling", ["none", "standard", "log1p"])
def test_scores_are_those_of_the_dense_matrix_that_is_not_centred(scaling, data):
    fold, X = fold_of(data), data.X.toarray()
    record = run_job(job(scaling), data, fold, contain=False)
    if scaling == "log1p":
        X = np.log1p(X)
    if scaling != "none":
        X = StandardScaler(with_mean=False).fit(X[fold.train]).transform(X)
    expected = LogisticRegression().fit(X[fold.train], data.y[fold.train]).decision_function(X[fold.test])
    np.testing.assert_allclose(record.scores[0], expected, atol=1e-3)
    prepared = data.X if scaling == "none" else data.transformer(scaling).fit_transform(data.X)
    assert prepared.nnz == data.X.nnz


def test_a_sparse_matrix_survives_the_file(data, tmp_path):
    data.save(tmp_path / "d.npz")
    back = Dataset.load(tmp_path / "d.npz")
    assert (back.X != data.X).nnz == 0
    assert back.X.format == "csr"
    assert back.summary() == data.summary()
    assert data.summary()["features"] == 60


def test_what_would_fill_a_sparse_matrix_is_refused(data):
    record = run_job(job("range"), data, fold_of(data))
    assert "scaling range would fill the zeros" in record.error
    with pytest.raises(DatasetError, match="a sparse matrix of 60 features has no columns with names"):
        data.table  # noqa: B018 - a property
    X = data.X.copy()
    X.data[3] = np.nan
    with pytest.raises(DatasetError, match="1 features are NaN or infinite"):
        replace(data, X=X, impute="median")
