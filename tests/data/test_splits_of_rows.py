"""Stratified folds, windows, shares of each user, one training part: rows are placed one by one."""

import numpy as np
import pytest

from attop_bench.data.base import DatasetError
from attop_bench.data.splits.protocols import holdout, stratified, windows, within_groups
from oracles.datasets import check_fold
from support.labelled import labels, users


@pytest.mark.parametrize("n_folds", [2, 5])
def test_folds_differ_by_one_in_items_positives_and_each_class_of_a_group(n_folds):
    rng = np.random.default_rng(n_folds)
    sizes = rng.integers(8, 40, 12)
    y, groups = users(sizes, rng.integers(1, 8, 12))
    folds = stratified(y, groups, n_folds=n_folds, inner_folds=2, seed=1)
    counts = [[len(f.test), y[f.test].sum()] for f in folds]
    assert np.ptp(counts, axis=0).max() <= 1
    for group in range(12):
        for label in (0, 1):
            stratum = (groups == group) & (y == label)
            assert np.ptp([stratum[f.test].sum() for f in folds]) <= 1
    for fold in folds:
        inner = [[len(v), y[v].sum()] for _, v in fold.inner]
        assert np.ptp(inner, axis=0).max() <= 1


def test_windows_are_consecutive_sets_in_a_circle():
    y = labels(351, 225)  # the size of Ionosphere
    folds = windows(y, n_sets=10, window=3, inner_folds=3, seed=0)
    assert len(folds) == 10
    for fold in folds:
        assert len(fold.train) in (105, 106)  # the paper: 3 of 10 sets of 351 items
        assert len(fold.train) + len(fold.test) == 351
    trained = np.array([np.isin(np.arange(351), f.train) for f in folds])
    assert (trained.sum(axis=0) == 3).all()
    for row in trained.T:  # the three experiments that train on a row follow each other
        starts = np.flatnonzero(row & ~np.roll(row, 1))
        assert len(starts) == 1
    overlap = [len(np.intersect1d(folds[0].train, folds[f].train)) for f in range(10)]
    assert overlap[3:8] == [0] * 5
    assert overlap[1] > overlap[2] > 0


def test_a_small_class_is_in_every_set():
    y = labels(506, 35)  # Housing
    folds = windows(y, n_sets=10, window=1, inner_folds=2, seed=5)
    assert {int(y[f.train].sum()) for f in folds} == {3, 4}


def test_each_user_is_split_by_the_fractions():
    y, groups = users([170, 180], [10, 20])
    (fold,) = within_groups(y, groups, seed=0)
    assert not fold.refit
    ((fit, validation),) = fold.inner
    np.testing.assert_array_equal(fit, fold.train)
    np.testing.assert_array_equal(np.sort(np.concatenate([fit, validation, fold.test])), np.arange(350))
    counts = [[((groups[p] == g) & (y[p] == 1)).sum() for p in (fit, validation, fold.test)] for g in (0, 1)]
    assert counts == [[6, 2, 2], [12, 4, 4]]
    assert [(groups[p] == 0).sum() for p in (fit, validation, fold.test)] == [102, 34, 34]


@pytest.mark.parametrize("stratify", [True, False])
def test_shares_are_rounded_up_or_down_and_exact_on_average(stratify):
    sizes, n_pos = [33, 7, 1], [4, 3, 1]
    y, groups = users(sizes, n_pos)
    # A user of one row makes no part of its own: enough rows of others keep all parts in both classes.
    more_y, more_groups = users([100], [50])
    y, groups = np.concatenate([y, more_y]), np.concatenate([groups, more_groups + 3])
    strata = 2 * groups + y if stratify else groups
    fractions, draws = (0.6, 0.2, 0.2), 600
    total = np.zeros((3, strata.max() + 1))
    for seed in range(draws):
        (fold,) = within_groups(y, groups, fractions=fractions, stratify=stratify, seed=seed)
        parts = (fold.train, fold.inner[0][1], fold.test)
        counts = np.array([np.bincount(strata[p], minlength=total.shape[1]) for p in parts])
        exact = np.outer(fractions, np.bincount(strata))
        assert (np.abs(counts - exact) < 1).all()
        total += counts
    # A count is one of two neighbours: its standard deviation is at most 1/2, of the mean 0.0204.
    assert np.abs(total / draws - exact).max() < 6 * 0.0204


def test_stratifying_keeps_test_positives_of_users_with_few():
    y, groups = users([170] * 60, [10] * 60)
    (kept,) = within_groups(y, groups, seed=0)
    (drawn,) = within_groups(y, groups, stratify=False, seed=0)
    assert (np.bincount(groups[kept.test], weights=y[kept.test]) == 2).all()
    assert (np.bincount(groups[drawn.test], weights=y[drawn.test]) == 0).any()


def test_holdout_can_test_on_its_own_training_part():
    y = np.arange(60) % 3 == 0
    on_rest, on_train = (
        holdout(y, train=20, test=test, inner_folds=2, seed=5)[0] for test in ("rest", "train")
    )
    np.testing.assert_array_equal(on_train.train, on_rest.train)
    np.testing.assert_array_equal(on_train.test, on_rest.train)
    assert not np.isin(on_rest.test, on_rest.train).any()
    with pytest.raises(DatasetError, match="'rest' or 'train', got 'all'"):
        holdout(y, test="all", seed=0)


@pytest.mark.parametrize("stratify", [True, False])
@pytest.mark.parametrize(("train", "count"), [(50, 50), (1 / 3, 68)])
def test_holdout_trains_on_the_number_asked_for(train, count, stratify):
    y = labels()
    [fold] = holdout(y, train=train, stratify=stratify, inner_folds=2, seed=1)
    assert len(fold.train) == count
    check_fold(fold, 203)
    assert len(fold.test) == 203 - count
    if stratify:
        assert abs(y[fold.train].sum() - count * 23 / 203) < 2


def test_holdout_draws_each_row_as_often():
    y = labels(40, 10)
    drawn = np.zeros(40)
    for seed in range(600):
        [fold] = holdout(y, train=10, inner_folds=2, seed=seed)
        drawn[fold.train] += 1
    # A binomial count has a standard deviation below sqrt(600 / 4 * 3 / 4); five of them.
    assert (np.abs(drawn - 150) < 5 * np.sqrt(600 * 3 / 16)).all()


@pytest.mark.parametrize("train", [0, 203, 1.0, True, "half"])
def test_holdout_refuses(train):
    with pytest.raises(DatasetError, match=r"train must be a number of items from 1 to 202 or a share"):
        holdout(labels(), train=train, seed=0)
