"""Every protocol: nothing leaks, a seed decides, wrong requests are refused; rows placed one by one."""

from dataclasses import replace

import numpy as np
import pytest

from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.splits.protocols import (
    PROTOCOLS,
    count_folds,
    holdout,
    make_folds,
    stratified,
    windows,
    within_groups,
)
from oracles.datasets import check_fold
from support.labelled import labels, same, users


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (stratified, {"n_folds": 5, "inner_folds": 3}),
        (stratified, {"n_folds": 2, "inner_folds": 2}),
        (windows, {"n_sets": 10, "window": 3, "inner_folds": 3}),
        (windows, {"n_sets": 20, "window": 19, "inner_folds": 2}),
        (within_groups, {"fractions": (0.6, 0.2, 0.2)}),
        (within_groups, {"fractions": (0.5, 0.1, 0.4), "stratify": False}),
    ],
)
def test_parts_are_disjoint_hold_both_classes_and_follow_the_seed(function, options):
    y, groups = users([40, 7, 60, 96], [9, 1, 5, 15])
    folds = function(y, groups, seed=3, **options)
    for fold in folds:
        check_fold(fold, len(y))
        for rows in (fold.train, fold.test, *(part for pair in fold.inner for part in pair)):
            assert set(y[rows]) == {0, 1}
    assert all(map(same, folds, function(y, groups, seed=3, **options)))
    assert not any(map(same, folds, function(y, groups, seed=4, **options)))


@pytest.mark.parametrize("function", [stratified, windows])
def test_labels_may_be_signs_or_booleans(function):
    y = labels()
    for other in (2 * y - 1, y == 1):
        assert all(map(same, function(y, seed=0), function(other, seed=0)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stratified(labels(50, 3), n_folds=5, seed=0), "fold 0 .*got 0 and 10: lower n_folds"),
        (lambda: stratified(1 - labels(50, 3), n_folds=5, seed=0), "inner fold 2 .* 8 and 0: .*inner_folds"),
        (lambda: stratified(labels(50, 5), n_folds=5, inner_folds=5, seed=0), "inner fold .*inner_folds"),
        (lambda: stratified(labels(), n_folds=1, seed=0), "n_folds must be an integer of at least 2, got 1"),
        (lambda: stratified(labels(), n_folds="5", seed=0), "n_folds must be an integer .* got '5'"),
        (lambda: windows(labels(), n_sets=10, window=10, seed=0), "window must be an integer from 1 to 9"),
        (lambda: windows(labels(100, 9), n_sets=20, window=1, seed=0), "inner fold .*n_sets"),
        (lambda: windows(labels(40, 5), n_sets=20, window=19, inner_folds=4, seed=0), "test part of exp"),
        (lambda: within_groups([0, 1] * 9, [0] * 18, fractions=(0.6, 0.4), seed=0), "three positive numbers"),
        (lambda: within_groups([0, 1] * 9, [0] * 18, fractions=(0.6, 0.3, 0.2), seed=0), "sum to 1"),
        (lambda: within_groups([0, 0, 1, 1], [0, 0, 1, 1], seed=0), "validation part .*larger"),
        (lambda: stratified(np.ones(100, int), seed=0), "at least 1 positive and 1 negative"),
        (lambda: windows(np.ones(100, int), seed=0), "at least 1 positive and 1 negative"),
    ],
)
def test_what_cannot_be_split_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def data(groups=None, name="toy"):
    y = labels()
    return Dataset(name, np.zeros((len(y), 1)), y, groups)


def test_folds_by_name_depend_on_run_data_protocol_and_repeat():
    cases = [("toy", 0, 0), ("toy", 0, 0), ("toy", 1, 0), ("toy", 0, 1), ("other", 0, 0)]
    folds, again, *others = (make_folds("stratified", data(name=n), r, s, n_folds=3) for n, r, s in cases)
    assert all(map(same, folds, again))
    assert not any(any(map(same, folds, other)) for other in others)


@pytest.mark.parametrize(
    ("kind", "options", "count"),
    [
        ("stratified", {}, 5),
        ("stratified", {"n_folds": 3}, 3),
        ("windows", {"n_sets": 7}, 7),
        ("holdout", {"train": 100}, 1),
        ("within-groups", {"stratify": False}, 1),
        ("whole-groups", {"n_folds": 4, "inner_folds": 2}, 4),
        ("given", {"n_folds": 2}, 2),
    ],
)
def test_the_number_of_folds_is_known_without_the_data(kind, options, count):
    groups = np.arange(203) % 20 if "groups" in PROTOCOLS[kind].needs else None
    its = replace(data(groups), part=np.arange(203) % 3)
    assert count_folds(kind, **options) == count
    assert len(make_folds(kind, its, 0, 0, **options)) == count


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("stratifed", {}, "unknown protocol 'stratifed'; did you mean 'stratified'"),
        ("bootstrap", {}, "choose one of: stratified, windows, holdout, within-groups, whole-groups"),
        ("windows", {"n_set": 3}, "protocol 'windows': unknown parameter 'n_set'; did you mean 'n_sets'"),
        ("within-groups", {}, "toy: protocol 'within-groups' needs groups.*use stratified, windows"),
        ("stratified", {"n_folds": 30}, "dataset toy: the test part of fold .* lower n_folds"),
    ],
)
def test_wrong_requests_say_what_is_wrong(kind, options, message):
    with pytest.raises(ValueError, match=message):
        make_folds(kind, data(), 0, 0, **options)


def test_the_seed_is_not_an_option():
    with pytest.raises(DatasetError, match="protocol 'windows': unknown parameter 'seed'"):
        count_folds("windows", seed=3)


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
    y = labels(351, 35)  # the size of Ionosphere, and a small class
    folds = windows(y, n_sets=10, window=3, inner_folds=3, seed=0)
    assert len(folds) == 10
    for fold in folds:
        assert len(fold.train) in (105, 106)  # the paper: 3 of 10 sets of 351 items
        assert len(fold.train) + len(fold.test) == 351
        assert 9 <= y[fold.train].sum() <= 12  # 3 or 4 a set
    trained = np.array([np.isin(np.arange(351), f.train) for f in folds])
    assert (trained.sum(axis=0) == 3).all()
    for row in trained.T:  # the three experiments that train on a row follow each other
        starts = np.flatnonzero(row & ~np.roll(row, 1))
        assert len(starts) == 1
    overlap = [len(np.intersect1d(folds[0].train, folds[f].train)) for f in range(10)]
    assert overlap[3:8] == [0] * 5
    assert overlap[1] > overlap[2] > 0


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
