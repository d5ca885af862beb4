"""Files of SVMlight that stay sparse: the values of the table, without its cells."""

import gzip
from unittest.mock import patch

import numpy as np
import pytest
from scipy import sparse

from attop.experiment import Fold
from attop.extending import Top
from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.build import make
from attop_bench.run.job import Job
from attop_bench.run.training import run_job

PROTOCOL = {"kind": "stratified", "options": {"n_folds": 2, "inner_folds": 2}}


def lines_of(X, y, query=None, turned=False):
    """Return rows as lines of SVMlight."""
    lines = []
    for i in range(X.shape[0]):
        row = X[[i]].tocoo()
        fields = [f"{j + 1}:{value!r}" for j, value in zip(row.col.tolist(), row.data.tolist(), strict=True)]
        group = [] if query is None else [f"qid:{query[i]}"]
        lines.append(" ".join([str(y[i]), *group, *(fields[::-1] if turned else fields)]))
    return "\n".join(lines) + "\n"


def made(n=60, d=40, seed=0):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=0.1, rng=rng, format="csr")
    X[0, d - 1] = 0.5
    return X, np.where(np.arange(n) % 4 == 0, 1, -1)


@pytest.mark.parametrize("turned", [False, True], ids=["in-order", "turned"])
@pytest.mark.parametrize("seed", range(3))
def test_values_are_those_of_the_table(turned, seed, tmp_path):
    X, y = made(seed=seed)
    query = np.arange(60) // 6
    text = "# made\n\n" + lines_of(X, y, query, turned) + "\n"
    (tmp_path / "t.svm").write_text(text)
    params = {"path": str(tmp_path / "t.svm"), "positive": "1"}
    full = make("file", 0, **params, group="qid")
    kept = make("file", 0, **params, sparse=True)
    assert kept.X.nnz == X.nnz
    assert kept.X.indices.dtype == np.int32
    np.testing.assert_array_equal(kept.X.toarray(), full.X)
    np.testing.assert_array_equal(kept.y, full.y)
    np.testing.assert_array_equal(kept.groups, full.groups)
    assert kept.ledger == full.ledger
    assert kept.facts["positive"].split()[-1] == "1"


def test_parts_are_as_wide_as_the_widest(tmp_path):
    X, y = made()
    (tmp_path / "a.svm").write_text(lines_of(X[:, :7], y))
    with gzip.open(tmp_path / "b.svm.gz", "wt") as file:
        file.write(lines_of(X, y))
    data = make(
        "file", 0, path=str(tmp_path / "a.svm"), test=str(tmp_path / "b.svm.gz"), positive="1", sparse=True
    )
    assert data.X.shape == (120, 40)
    assert np.bincount(data.part).tolist() == [60, 60]
    np.testing.assert_array_equal(data.X[60:].toarray(), X.toarray())


def test_no_cell_is_made_on_the_way_to_the_learner(tmp_path):
    """A table of these indices would have 60 x 3 million cells, and to fill them is an error here."""
    X, y = made()
    text = lines_of(X, y).replace(" 40:", " 3000000:")
    (tmp_path / "t.svm").write_text(text)
    params = {"path": str(tmp_path / "t.svm"), "positive": "1"}
    with pytest.raises(DatasetError, match="set sparse: true"):
        make("file", 0, **params)

    def refused(*_, **__):
        raise AssertionError("a sparse matrix was filled")

    with (
        patch.object(sparse.csr_array, "toarray", refused),
        patch.object(sparse.csr_matrix, "toarray", refused),
    ):
        make("file", 0, **params, sparse=True).save(tmp_path / "t.npz")
        data = Dataset.load(tmp_path / "t.npz")
        assert data.X.shape == (60, 3_000_000)
        rows = np.arange(60)
        fold = Fold(rows[:40], rows[40:], [(rows[:30], rows[30:40])])
        job = Job(
            0,
            0,
            0,
            PROTOCOL,
            "standard",
            [Top(k=5)],
            "precision@k",
            "sklearn.linear_model.LogisticRegression",
        )
        record = run_job(job, data, fold, contain=False)
    assert np.isfinite(record.scores).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"one_hot": True}, "sparse cannot be combined with one_hot: leave one out"),
        ({"impute": "median"}, "sparse cannot be combined with impute"),
        ({"group": "qid"}, "sparse cannot be combined with group"),
        ({"reader": {"separator": ";"}}, "unknown parameter 'separator'"),
        ({"format": "csv"}, "sparse is for files of the format svmlight"),
        ({"positive": "7"}, "7"),
    ],
    ids=["one-hot", "impute", "group", "reader", "format", "positive"],
)
def test_options_of_tables_are_refused(options, message, tmp_path):
    (tmp_path / "t.svm").write_text(lines_of(*made()))
    params = {"path": str(tmp_path / "t.svm"), "positive": "1", "sparse": True}
    with pytest.raises(DatasetError, match=message):
        make("file", 0, **{**params, **options})


@pytest.mark.parametrize(
    "text", ["", "1 2\n", "1 1:x\n", "1 qid:1 1:2\n-1 1:3\n", "1 0:3\n"], ids=["empty", "no", "x", "qid", "0"]
)
def test_a_damaged_file_is_refused_in_words(text, tmp_path):
    (tmp_path / "t.svm").write_text(text)
    with pytest.raises(DatasetError, match=r"dataset .*t\.svm"):
        make("file", 0, path=str(tmp_path / "t.svm"), positive="1", format="svmlight", sparse=True)
