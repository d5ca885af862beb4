"""Every protocol: nothing leaks, a seed decides, wrong requests are refused."""

import numpy as np
import pytest

from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.splits.protocols import (
    PROTOCOLS,
    count_folds,
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
    assert all(same(a, b) for a, b in zip(folds, function(y, groups, seed=3, **options), strict=True))
    assert not any(same(a, b) for a, b in zip(folds, function(y, groups, seed=4, **options), strict=True))


@pytest.mark.parametrize("function", [stratified, windows])
def test_labels_may_be_signs_or_booleans(function):
    y = labels()
    for other in (2 * y - 1, y == 1):
        assert all(same(a, b) for a, b in zip(function(y, seed=0), function(other, seed=0), strict=True))


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
    ],
)
def test_what_cannot_be_split_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("function", [stratified, windows])
def test_one_class_is_refused(function):
    with pytest.raises(ValueError, match="at least 1 positive and 1 negative"):
        function(np.ones(100, int), seed=0)


def data(groups=None, name="toy"):
    y = labels()
    return Dataset(name, np.zeros((len(y), 1)), y, groups)


def test_folds_by_name_depend_on_run_data_protocol_and_repeat():
    folds = make_folds("stratified", data(), 0, 0, n_folds=3)
    assert all(
        same(a, b) for a, b in zip(folds, make_folds("stratified", data(), 0, 0, n_folds=3), strict=True)
    )
    for other in (
        make_folds("stratified", data(), 1, 0, n_folds=3),
        make_folds("stratified", data(), 0, 1, n_folds=3),
        make_folds("stratified", data(name="other"), 0, 0, n_folds=3),
    ):
        assert not any(same(a, b) for a, b in zip(folds, other, strict=True))


@pytest.mark.parametrize(
    ("kind", "options", "count"),
    [
        ("stratified", {}, 5),
        ("stratified", {"n_folds": 3}, 3),
        ("windows", {"n_sets": 7}, 7),
        ("within-groups", {"stratify": False}, 1),
    ],
)
def test_the_number_of_folds_is_known_without_the_data(kind, options, count):
    groups = np.arange(203) % 4 if "groups" in PROTOCOLS[kind].needs else None
    assert count_folds(kind, **options) == count
    assert len(make_folds(kind, data(groups), 0, 0, **options)) == count


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
