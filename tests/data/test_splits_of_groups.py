"""Groups, duplicates and entities stay on one side; given parts go round."""

from dataclasses import replace

import numpy as np
import pytest

from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.splits.protocols import given, make_folds, whole_entities, whole_groups
from oracles.datasets import check_fold
from support.labelled import labels, same, users


def queries(n=23, seed=0):
    rng = np.random.default_rng(seed)
    return users(rng.integers(4, 12, n).tolist(), [2] * n, seed)


def test_groups_stay_together_inside_and_outside():
    y, group = queries()
    folds = whole_groups(y, group, n_folds=4, inner_folds=3, seed=2)
    assert sorted(q for f in folds for q in set(group[f.test])) == list(range(23))
    for fold in folds:
        check_fold(fold, len(y))
        assert not set(group[fold.train]) & set(group[fold.test])
        assert len(set(group[fold.test])) in (5, 6)
        for fit, validation in fold.inner:
            assert not set(group[fit]) & set(group[validation])
    assert not same(folds[0], whole_groups(y, group, n_folds=4, inner_folds=3, seed=3)[0])


def test_given_parts_go_round_as_letor_folds_do():
    y, group = queries(25)
    part = group // 5
    folds = given(y, group, part=part, n_folds=5, seed=0)
    for f, fold in enumerate(folds):
        assert set(part[fold.train]) == {f, (f + 1) % 5, (f + 2) % 5}
        [(fit, validation)] = fold.inner
        assert set(part[validation]) == {(f + 3) % 5}
        assert set(part[fold.test]) == {(f + 4) % 5}
        np.testing.assert_array_equal(fit, fold.train)
        assert not fold.refit
        assert len(fold.train) + len(validation) + len(fold.test) == len(y)
    assert same(given(y, None, part=part, seed=9)[0], folds[0])


@pytest.mark.parametrize("grouped", [True, False])
def test_two_given_parts_select_on_inner_folds(grouped):
    y, group = queries(12)
    part = (group > 8).astype(int)
    [fold] = given(y, group if grouped else None, part=part, inner_folds=3, seed=0)
    check_fold(fold, len(y))
    np.testing.assert_array_equal(fold.train, np.flatnonzero(part == 0))
    assert fold.refit
    assert len(fold.inner) == 3
    if grouped:
        assert all(not set(group[fit]) & set(group[held]) for fit, held in fold.inner)


def test_given_parts_can_be_thinned():
    y, group = queries(40)
    [fold] = given(y, group, part=group // 10, n_train=60, n_test=30, seed=1)
    assert (len(fold.train), len(fold.test)) == (60, 30)
    assert set(group[fold.train] // 10) == {0, 1}


def test_duplicates_stay_on_one_side():
    rng = np.random.default_rng(0)
    copies = np.repeat(np.arange(200), rng.integers(1, 6, 200))
    order = rng.permutation(len(copies))
    copies, y = copies[order], (rng.random(200) < 0.2).astype(int)[copies][order]
    data = Dataset("copies", rng.normal(size=(len(y), 2)), y, duplicate_group=copies)
    folds = make_folds("stratified", data, 0, 0, n_folds=4, inner_folds=3)
    np.testing.assert_array_equal(np.sort(np.concatenate([f.test for f in folds])), np.arange(len(y)))
    with_positives = len(np.unique(copies[y == 1]))
    for fold in folds:
        for one, other in ((fold.train, fold.test), *fold.inner):
            assert not set(copies[one]) & set(copies[other])
        assert abs(len(np.unique(copies[fold.test])) - 50) <= 1
        assert abs(len(np.unique(copies[fold.test][y[fold.test] == 1])) - with_positives / 4) < 1
    in_time = replace(data, day=np.arange(len(y)) % 60)
    message = r"'prequential' may put rows of one duplicate group.*use stratified, windows, holdout, whole"
    with pytest.raises(DatasetError, match=message):
        make_folds("prequential", in_time, 0, 0)


def test_duplicate_groups_of_one_row_are_split_as_rows():
    y = labels()
    data = [Dataset("x", np.ones((len(y), 1)), y, duplicate_group=c) for c in (None, np.arange(len(y)))]
    for fold, together in zip(
        *(make_folds("stratified", d, 0, 3, n_folds=3, inner_folds=2) for d in data), strict=True
    ):
        np.testing.assert_array_equal(fold.test, together.test)


def test_duplicate_groups_must_leave_every_part_a_positive():
    y, copies = np.array([1, 1, 1, 0, 0, 0]), np.array([7, 7, 7, 2, 2, 1])
    data = Dataset("x", np.ones((6, 1)), y, duplicate_group=copies)
    with pytest.raises(DatasetError, match="inner fold 0 of 2"):
        make_folds("stratified", data, 0, 0, n_folds=2, inner_folds=2)


def customers(n=300, seed=0, most=9):
    """Labels and customers: a few customers have many rows and several positives, most have none."""
    rng = np.random.default_rng(seed)
    entity = np.repeat(np.arange(n), rng.geometric(0.3, n))
    compromised = rng.random(n) < 0.2
    y = (compromised[entity] & (rng.random(len(entity)) < 0.6)).astype(int)
    y[entity == 0] = np.arange((entity == 0).sum()) < most
    order = rng.permutation(len(y))
    return y[order], entity[order]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("n_folds", "inner_folds"), [(2, 2), (3, 5), (7, 2)])
def test_no_entity_is_on_both_sides_and_positives_are_spread(n_folds, inner_folds, seed):
    y, entity = customers(seed=seed)
    folds = whole_entities(y, entity=entity, n_folds=n_folds, inner_folds=inner_folds, seed=seed)
    np.testing.assert_array_equal(np.sort(np.concatenate([f.test for f in folds])), np.arange(len(y)))
    most, largest = np.bincount(entity, weights=y).max(), np.bincount(entity).max()
    for fold in folds:
        check_fold(fold, len(y))
        assert len(fold.train) + len(fold.test) == len(y)
        for one, other in ((fold.train, fold.test), *fold.inner):
            assert not set(entity[one]) & set(entity[other])
        assert np.ptp([y[held].sum() for _, held in fold.inner]) <= most
    assert np.ptp([y[f.test].sum() for f in folds]) <= most
    assert np.ptp([len(f.test) for f in folds]) <= largest


def test_entities_with_many_positives_are_dealt_before_those_with_few():
    # 6 + 2 x 3 + 1 + 1 positives: dealt in any other order than by size, three parts are less even.
    n_pos = [6, 3, 3, 3, 1, 1, 1]
    y, entity = users([n + 2 for n in n_pos], n_pos)
    for seed in range(20):
        folds = whole_entities(y, entity=entity, n_folds=3, inner_folds=2, seed=seed)
        assert sorted(int(y[f.test].sum()) for f in folds) == [6, 6, 6]


def test_entities_are_placed_at_random_and_names_do_not_matter():
    y, entity = customers(60, most=1)
    folds = [whole_entities(y, entity=entity, n_folds=4, inner_folds=2, seed=s) for s in range(200)]
    tested = np.mean([np.isin(np.arange(len(y)), f[0].test) for f in folds], axis=0)
    assert tested.min() > 0.1
    assert tested.max() < 0.45
    named = np.array([f"customer {e:03}" for e in entity])
    for a, b in zip(folds[3], whole_entities(y, entity=named, n_folds=4, inner_folds=2, seed=3), strict=True):
        assert same(a, b)


Y, WHO = np.array([1, 1, 0, 0, 0, 0]), np.array([1, 1, 2, 2, 3, 3])
TOY = Dataset("toy", np.zeros((6, 1)), Y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: whole_groups(*queries(3), n_folds=4, seed=0), "4 folds of whole groups .* 3: .*n_folds"),
        (lambda: whole_groups(*queries(3), n_folds=3, seed=0), "5 folds of whole groups .* 2: .*inner_folds"),
        (lambda: whole_entities(Y, entity=WHO, n_folds=4, seed=0), "4 folds of whole groups .* 3: .*n_folds"),
        (lambda: whole_entities(Y, entity=WHO, n_folds=2, seed=0), "test part of fold [01] .* 1 positive"),
        (lambda: given(Y, part=WHO // 3, seed=0), "the test part of fold 0 needs at least 1 positive"),
    ],
)
def test_too_few_groups_or_positives_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: given(Y, part=0 * Y, seed=0), "at least two parts"),
        (lambda: given(Y, part=WHO // 3, n_folds=3, seed=0), "n_folds must be an integer from 1 to 2"),
        (lambda: given(Y, part=WHO // 3, n_train=9, seed=0), "n_train must be an integer from 1 to 4"),
        (lambda: make_folds("given", TOY, 0, 0), "toy: protocol 'given' needs data that come in parts"),
        (lambda: make_folds("whole-entities", TOY, 0, 0), "needs entities.*as entity; or use stratified"),
        (lambda: Dataset("toy", TOY.X, Y, entity=[1, 2]), "6 items but entities of shape"),
    ],
)
def test_wrong_requests_of_groups_and_parts_are_refused(call, message):
    with pytest.raises(DatasetError, match=message):
        call()
