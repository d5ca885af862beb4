"""Rows that are alike stay on one side of every part, inner ones too, in all protocols that draw rows."""

import numpy as np
import pytest
from scipy import sparse

from attop.experiment import whole_entities
from attop_bench.data.base import Dataset
from attop_bench.data.build import make
from attop_bench.data.kinds.sparse import sparse_copies
from attop_bench.data.splits.protocols import make_folds

PROTOCOLS = {
    "stratified": {"n_folds": 3, "inner_folds": 2},
    "holdout": {"train": 0.6, "inner_folds": 2},
    "windows": {"n_sets": 4, "window": 2, "inner_folds": 2},
    "whole-groups": {"n_folds": 3, "inner_folds": 2},
    "whole-entities": {"n_folds": 3, "inner_folds": 2},
}


def with_copies(seed, n=240):
    """Return data of which a third of the rows are copies of earlier ones, many of another customer."""
    rng = np.random.default_rng(seed)
    row = np.arange(n)
    copied = rng.choice(n, n // 3, replace=False)
    row[copied] = rng.integers(0, n, n // 3)
    X = rng.normal(size=(n, 2))[row]
    unit = {"entity": np.arange(n) // 2, "groups": np.arange(n) // 4}
    y = (rng.random(n) < 0.3).astype(int)
    return Dataset("d", X, y, duplicate_group=row, **unit)


def shares(numbers, one, other):
    return bool(set(numbers[one]) & set(numbers[other]))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("seed", range(3))
def test_no_copy_is_on_the_other_side(protocol, seed):
    data = with_copies(seed)
    if protocol != "whole-groups":
        data = Dataset("d", data.X, data.y, entity=data.entity, duplicate_group=data.duplicate_group)
    unit = {"whole-groups": data.groups, "whole-entities": data.entity}.get(protocol)
    for fold in make_folds(protocol, data, 0, seed, **PROTOCOLS[protocol]):
        for one, other in ((fold.train, fold.test), *fold.inner):
            assert len(one)
            assert len(other)
            assert not shares(data.duplicate_group, one, other)
            assert unit is None or not shares(unit, one, other)


def test_a_chain_of_customers_and_copies_is_one_unit():
    entity = np.array([0, 0, 1, 1, 2, 2, 3, 4, 5, 6])
    copies = np.array([0, 1, 1, 2, 2, 3, 4, 5, 6, 7])  # 0-1-2 hang together
    y = np.array([1, 0, 0, 0, 1, 0, 1, 0, 1, 0])
    for seed in range(10):
        for fold in whole_entities(
            y, entity=entity, n_folds=2, inner_folds=None, seed=seed, duplicate_group=copies
        ):
            assert len({bool(row in fold.test) for row in range(6)}) == 1


def test_without_copies_the_parts_are_those_without_the_option():
    y, entity = np.tile([1, 0, 0], 40), np.arange(120) // 3
    plain = whole_entities(y, entity=entity, n_folds=4, seed=1)
    asked = whole_entities(y, entity=entity, n_folds=4, seed=1, duplicate_group=np.arange(120))
    for one, other in zip(plain, asked, strict=True):
        np.testing.assert_array_equal(one.test, other.test)


def test_the_share_that_trains_is_that_of_the_groups_of_copies():
    data = with_copies(0)
    data = Dataset("d", data.X, data.y, duplicate_group=data.duplicate_group)
    [fold] = make_folds("holdout", data, 0, 0, train=0.6)
    n = len(np.unique(data.duplicate_group))
    assert len(np.unique(data.duplicate_group[fold.train])) == round(0.6 * n)


@pytest.mark.parametrize("seed", range(3))
def test_copies_of_a_sparse_matrix_are_those_of_the_dense_one(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (60, 4)).astype(float)
    written = sparse.csr_array(X)
    written.data[0] = 0.0  # written, and still a zero
    X = written.toarray()
    numbers = sparse_copies(written)
    same = (X[:, None] == X[None]).all(axis=2)
    np.testing.assert_array_equal(numbers[:, None] == numbers[None], same)
    assert written.nnz > np.count_nonzero(X)


def test_a_sparse_file_keeps_its_copies_together(tmp_path):
    lines = [f"{1 if i % 3 == 0 else -1} 1:{i % 10 + 1} 7:1" for i in range(60)]
    (tmp_path / "t.svm").write_text("\n".join(lines) + "\n")
    data = make("file", 0, path=str(tmp_path / "t.svm"), positive="1", sparse=True, copies_together=True)
    assert data.summary()["duplicate_groups"] == 10
    for fold in make_folds("stratified", data, 0, 0, n_folds=2, inner_folds=None):
        assert not shares(data.duplicate_group, fold.train, fold.test)
