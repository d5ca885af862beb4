"""Folds that are made within a fit: every class or whole groups, as many as the sample allows."""

import numpy as np
import pytest

from attop.experiment._splits import cross_fitting_folds, tuning_folds

Y = (np.random.default_rng(0).random(203) < 0.3).astype(int)


def tuned(y, groups, n_folds, seed=0):
    return tuning_folds(y, groups, n_folds, np.random.default_rng(seed))


def test_tuning_folds_divide_each_class_evenly():
    folds = tuned(Y, None, 4)
    tests = [test for _, test in folds]
    np.testing.assert_array_equal(np.sort(np.concatenate(tests)), np.arange(len(Y)))
    assert np.ptp([Y[rows].sum() for rows in tests]) <= 1
    assert all(np.array_equal(np.union1d(*fold), np.arange(len(Y))) for fold in folds)
    assert not np.array_equal(tests[0], tuned(Y, None, 4, seed=6)[0][1])


def test_tuning_folds_keep_groups_whole_and_are_no_more_than_there_is_to_divide():
    groups = np.random.default_rng(6).integers(0, 7, len(Y))
    folds = tuned(Y, groups, 20)
    assert len(folds) == 7
    assert all(not np.intersect1d(groups[train], groups[test]).size for train, test in folds)
    assert len(tuned(np.repeat([1, 0], [3, 7]), None, 5)) == 3
    assert tuned(np.repeat([1, 0], [1, 9]), None, 5) == []


@pytest.mark.parametrize(
    ("cv", "y", "groups", "message"),
    [
        (True, Y, None, "cv must be an integer of at least 2, got True"),
        (40, Y, None, r"40 folds needs at least 80 .*: lower cv"),
        (4, Y, np.arange(len(Y)) % 3, r"4 folds of whole groups need 4 groups, got 3.*cv"),
        (2, np.sort(Y), np.repeat([0, 1], [100, 103]), r"fold . of whole groups .*2 positives.*lower cv"),
    ],
)
def test_cross_fitting_folds_refuse_too_few(cv, y, groups, message):
    with pytest.raises(ValueError, match=message):
        cross_fitting_folds(cv, y, groups, np.random.RandomState(0))
