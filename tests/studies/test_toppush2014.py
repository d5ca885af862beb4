"""Spambase as the authors of TopPush publish it."""

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_matrix
from studies.toppush2014.kind import spambase_of_the_authors

from attop_bench.data.base import DatasetError


def test_the_authors_parts_are_kept_in_their_order(tmp_path):
    X, y = np.arange(10.0).reshape(5, 2), np.array([[1], [-1], [1], [-1], [-1]], np.int16)
    parts = {"Xtr": csc_matrix(X[:3]), "ytr": y[:3], "Xte": csc_matrix(X[3:]), "yte": y[3:]}
    savemat(tmp_path / "s.mat", parts)
    found = spambase_of_the_authors(tmp_path / "s.mat")
    np.testing.assert_array_equal(found.X, X)
    assert found.y.tolist() == [1, 0, 1, 0, 0]
    assert found.part.tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize("content", [b"no file of MATLAB", b""])
def test_another_file_is_refused(content, tmp_path):
    (tmp_path / "s.mat").write_bytes(content)
    with pytest.raises(DatasetError, match="is not the authors' file"):
        spambase_of_the_authors(tmp_path / "s.mat")
