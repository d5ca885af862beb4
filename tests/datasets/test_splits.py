"""Splits: nothing leaks, everything is covered, small classes are everywhere, a seed decides."""

import numpy as np
import pytest

from attop.datasets.base import Dataset, DatasetError
from attop.datasets.splits.protocols import (
    PROTOCOLS,
    count_folds,
    given,
    holdout,
    make_folds,
    prequential,
    stratified,
    whole_entities,
    whole_groups,
    windows,
    within_groups,
)
from attop.seeds import derive_seed
from oracles.datasets import check_fold, prequential_window


def labels(n=203, n_pos=23, seed=0):
    return np.random.default_rng(seed).permutation(np.arange(n) < n_pos).astype(int)


def users(sizes, n_pos, seed=0):
    """Labels and groups of users with given numbers of rows and positives, rows in random order."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    y = np.concatenate([np.arange(n) < p for n, p in zip(sizes, n_pos, strict=True)]).astype(int)
    order = np.random.default_rng(seed).permutation(len(y))
    return y[order], group[order]


def same(a, b):
    arrays = [[f.train, f.test, *(p for pair in f.inner for p in pair)] for f in (a, b)]
    return all(np.array_equal(u, v) for u, v in zip(*arrays, strict=True))


# Every protocol


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


# Stratified


def test_each_row_is_tested_once_and_the_others_train():
    y = labels()
    folds = stratified(y, n_folds=4, inner_folds=3, seed=0)
    np.testing.assert_array_equal(np.sort(np.concatenate([f.test for f in folds])), np.arange(len(y)))
    for fold in folds:
        np.testing.assert_array_equal(np.union1d(fold.train, fold.test), np.arange(len(y)))


@pytest.mark.parametrize("n_folds", [2, 3, 5, 7])
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


def test_a_fold_has_room_for_just_one_positive_each():
    y = labels(60, 5)
    folds = stratified(y, n_folds=5, inner_folds=4, seed=0)
    assert [y[f.test].sum() for f in folds] == [1] * 5
    assert {int(y[v].sum()) for f in folds for _, v in f.inner} == {1}


def test_rows_are_placed_at_random():
    # Every row lands in each fold equally often: 400 draws of 1/4, six standard deviations are 52.
    y = labels(20, 8)
    tested = np.zeros(20)
    for seed in range(400):
        tested[stratified(y, n_folds=4, inner_folds=2, seed=seed)[0].test] += 1
    assert np.abs(tested - 100).max() < 52


# Windows


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


# Within groups


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


# Refusals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stratified(labels(50, 3), n_folds=5, seed=0), "5 folds .* at least 5 positives.* got 3"),
        (
            lambda: stratified(1 - labels(50, 3), n_folds=5, seed=0),
            "at least 5 positives and 5 negatives are needed, got 47 and 3: lower n_folds",
        ),
        (
            lambda: stratified(labels(50, 5), n_folds=5, inner_folds=5, seed=0),
            "inner folds of a training part",
        ),
        (lambda: stratified(labels(), n_folds=1, seed=0), "n_folds must be an integer of at least 2, got 1"),
        (lambda: stratified(labels(), n_folds="5", seed=0), "n_folds must be an integer .* got '5'"),
        (lambda: windows(labels(), n_sets=10, window=10, seed=0), "window must be an integer from 1 to 9"),
        (lambda: windows(labels(100, 9), n_sets=20, window=1, seed=0), "inner folds of a training part"),
        (
            lambda: windows(labels(40, 5), n_sets=20, window=19, inner_folds=4, seed=0),
            "test part of experiment",
        ),
        (lambda: within_groups([0, 1] * 9, [0] * 18, fractions=(0.6, 0.4), seed=0), "three positive numbers"),
        (lambda: within_groups([0, 1] * 9, [0] * 18, fractions=(0.6, 0.3, 0.2), seed=0), "sum to 1"),
        (lambda: within_groups([0, 0, 1, 1], [0, 0, 1, 1], seed=0), "cannot all have both classes"),
    ],
)
def test_what_cannot_be_split_is_refused(call, message):
    with pytest.raises(DatasetError, match=message):
        call()


@pytest.mark.parametrize("function", [stratified, windows])
def test_one_class_is_refused(function):
    with pytest.raises(DatasetError, match="both classes"):
        function(np.ones(100, int), seed=0)


# By name


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
        (
            "bootstrap",
            {},
            "choose one of: stratified, windows, holdout, within-groups, whole-groups, whole-entities, preq",
        ),
        ("windows", {"n_set": 3}, "protocol 'windows': unknown parameter 'n_set'; did you mean 'n_sets'"),
        ("within-groups", {}, "toy: protocol 'within-groups' needs groups.*use stratified, windows"),
        ("stratified", {"n_folds": 30}, "dataset toy: 30 folds cannot all have both classes"),
    ],
)
def test_wrong_requests_say_what_is_wrong(kind, options, message):
    with pytest.raises(DatasetError, match=message):
        make_folds(kind, data(), 0, 0, **options)


def test_the_seed_is_not_an_option():
    with pytest.raises(DatasetError, match="protocol 'windows': unknown parameter 'seed'"):
        count_folds("windows", seed=3)


# Seeds


def test_derived_seeds_are_the_same_for_ever():
    # Written down: a change would silently change every published split.
    assert derive_seed(0) == 2389934049
    assert derive_seed(7, "split", "wdbc", 3) == 2692616564


def test_derived_seeds_keep_purposes_apart():
    purposes = [
        ("a", "bc"),
        ("ab", "c"),
        ("abc",),
        ("a", "b", "c"),
        ("a", "bc", ""),
        (),
        ("",),
        ("1", "2"),
        ("12",),
    ]
    seeds = [derive_seed(run, *names) for run in range(200) for names in purposes]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**32 for seed in seeds)
    assert (
        derive_seed(0, "split", 3)
        == derive_seed(0, "split", "3")
        == derive_seed(np.int64(0), "split", np.int64(3))
    )


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


# One training part


@pytest.mark.parametrize("stratify", [True, False])
@pytest.mark.parametrize(("train", "count"), [(50, 50), (0.7, 142), (1 / 3, 68)])
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


@pytest.mark.parametrize("train", [0, 203, 1.0, 0.0, -3, True, "half", None])
def test_holdout_refuses(train):
    with pytest.raises(DatasetError, match=r"train must be a number of items from 1 to 202 or a share"):
        holdout(labels(), train=train, seed=0)


# Whole groups and given parts


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


def test_too_few_groups_are_refused():
    y, group = queries(3)
    with pytest.raises(DatasetError, match="3 groups cannot make 4 parts: lower n_folds"):
        whole_groups(y, group, n_folds=4, seed=0)
    with pytest.raises(DatasetError, match="2 groups cannot make 5 parts: lower inner_folds"):
        whole_groups(y, group, n_folds=3, seed=0)


def test_given_parts_go_round_as_letor_folds_do():
    y, group = queries(25)
    part = group // 5
    folds = given(y, group, part, n_folds=5, seed=0)
    for f, fold in enumerate(folds):
        assert set(part[fold.train]) == {f, (f + 1) % 5, (f + 2) % 5}
        [(fit, validation)] = fold.inner
        assert set(part[validation]) == {(f + 3) % 5}
        assert set(part[fold.test]) == {(f + 4) % 5}
        np.testing.assert_array_equal(fit, fold.train)
        assert not fold.refit
        assert len(fold.train) + len(validation) + len(fold.test) == len(y)
    assert same(given(y, None, part, seed=9)[0], folds[0])


@pytest.mark.parametrize("grouped", [True, False])
def test_two_given_parts_select_on_inner_folds(grouped):
    y, group = queries(12)
    part = (group > 8).astype(int)
    [fold] = given(y, group if grouped else None, part, inner_folds=3, seed=0)
    check_fold(fold, len(y))
    np.testing.assert_array_equal(fold.train, np.flatnonzero(part == 0))
    assert fold.refit
    assert len(fold.inner) == 3
    if grouped:
        assert all(not set(group[fit]) & set(group[held]) for fit, held in fold.inner)


def test_given_parts_can_be_thinned():
    y, group = queries(40)
    [fold] = given(y, group, group // 10, n_train=60, n_test=30, seed=1)
    assert (len(fold.train), len(fold.test)) == (60, 30)
    assert set(group[fold.train] // 10) == {0, 1}
    with pytest.raises(DatasetError, match="n_train must be an integer from 1 to"):
        given(y, group, group // 10, n_train=10_000, seed=1)


def test_given_refuses():
    y, group = queries(4)
    with pytest.raises(DatasetError, match="at least two parts"):
        given(y, group, np.zeros(len(y), int), seed=0)
    with pytest.raises(DatasetError, match="n_folds must be an integer from 1 to 2"):
        given(y, group, group // 2, n_folds=3, seed=0)
    with pytest.raises(DatasetError, match=r"the test part of fold [01] cannot all have both classes"):
        given(np.where(group == 3, 0, y), group, (group == 3).astype(int), seed=0)
    data = Dataset("toy", np.zeros((len(y), 1)), y, group)
    with pytest.raises(DatasetError, match="dataset toy: protocol 'given' needs data that come in parts"):
        make_folds("given", data, 0, 0)
    assert count_folds("given", n_folds=5) == 5
    assert count_folds("holdout", train=3) == 1
    assert count_folds("whole-groups") == 5


def test_rows_of_a_unit_stay_on_one_side():
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(200), rng.integers(1, 6, 200))
    order = rng.permutation(len(unit))
    unit, y = unit[order], (rng.random(200) < 0.2).astype(int)[unit][order]
    data = Dataset("copies", rng.normal(size=(len(y), 2)), y, unit=unit)
    folds = make_folds("stratified", data, 0, 0, n_folds=4, inner_folds=3)
    np.testing.assert_array_equal(np.sort(np.concatenate([f.test for f in folds])), np.arange(len(y)))
    with_positives = len(np.unique(unit[y == 1]))
    for fold in folds:
        for one, other in ((fold.train, fold.test), *fold.inner):
            assert not set(unit[one]) & set(unit[other])
        assert abs(len(np.unique(unit[fold.test])) - 50) <= 1
        assert abs(len(np.unique(unit[fold.test][y[fold.test] == 1])) - with_positives / 4) < 1
    with pytest.raises(DatasetError, match=r"'holdout' may put rows of one unit.*use stratified"):
        make_folds("holdout", data, 0, 0)


def test_units_that_are_rows_are_split_as_rows():
    y = labels()
    data = [Dataset("x", np.ones((len(y), 1)), y, unit=unit) for unit in (None, np.arange(len(y)))]
    for fold, same in zip(
        *(make_folds("stratified", d, 0, 3, n_folds=3, inner_folds=2) for d in data), strict=True
    ):
        np.testing.assert_array_equal(fold.test, same.test)


def test_units_are_saved_and_must_leave_every_part_a_positive(tmp_path):
    y, unit = np.array([1, 1, 1, 0, 0, 0]), np.array([7, 7, 7, 2, 2, 1])
    data = Dataset("x", np.ones((6, 1)), y, unit=unit)
    data.save(tmp_path / "x.npz")
    assert Dataset.load(tmp_path / "x.npz").unit.tolist() == [2, 2, 2, 1, 1, 0]
    assert data.summary()["units"] == 3
    with pytest.raises(DatasetError, match="the test part of fold"):
        make_folds("stratified", data, 0, 0, n_folds=2, inner_folds=2)


# Whole entities


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
    assert all(
        same(a, b)
        for a, b in zip(
            folds[3], whole_entities(y, entity=named, n_folds=4, inner_folds=2, seed=3), strict=True
        )
    )


def test_whole_entities_refuse():
    y, entity = np.array([1, 1, 0, 0, 0, 0]), np.array([1, 1, 2, 2, 3, 3])
    with pytest.raises(DatasetError, match="3 entities cannot make 4 parts: lower n_folds"):
        whole_entities(y, entity=entity, n_folds=4, seed=0)
    with pytest.raises(DatasetError, match=r"the test part of fold [01] cannot all have both classes"):
        whole_entities(y, entity=entity, n_folds=2, seed=0)
    toy = Dataset("toy", np.zeros((6, 1)), y)
    with pytest.raises(DatasetError, match=r"'whole-entities' needs entities.*as entity; or use stratified"):
        make_folds("whole-entities", toy, 0, 0)
    with pytest.raises(DatasetError, match="6 items but entities of shape"):
        Dataset("toy", np.zeros((6, 1)), y, entity=[1, 2])


def test_entities_are_saved_and_folds_are_made_of_them(tmp_path):
    y, entity = customers()
    data = Dataset("bank", np.zeros((len(y), 1)), y, entity=[f"c{e}" for e in entity])
    data.save(tmp_path / "x.npz")
    again = Dataset.load(tmp_path / "x.npz")
    assert again.groups is None
    assert again.summary()["entities"] == 300
    for fold in make_folds("whole-entities", again, 0, 0, n_folds=3, inner_folds=2):
        assert not set(entity[fold.train]) & set(entity[fold.test])


# In time


def stream(n_days=40, seed=0, n=1500):
    """Labels, days and customers; rows in random order, some customers positive on many days."""
    rng = np.random.default_rng(seed)
    entity = rng.integers(0, 300, n)
    y = ((entity % 9 == 0) & (rng.random(n) < 0.4) | (rng.random(n) < 0.1)).astype(int)
    day = rng.integers(0, n_days, n)
    day[:2] = 0, n_days - 1
    return y, day + 17_000, entity


@pytest.mark.parametrize(
    ("n_folds", "windows", "inner_folds", "inner"),
    [
        (1, (7, 7, 7), 1, (None, None, None)),
        (3, (5, 0, 4), 2, (None, 2, 1)),
        (4, (9, 3, 1), 3, (3, 0, None)),
        (1, (13, 10, 3), 4, (2, 1, 2)),
    ],
)
@pytest.mark.parametrize("drop_known", [True, False])
def test_prequential_rows_are_those_of_the_definition(n_folds, windows, inner_folds, inner, drop_known):
    y, day, entity = stream()
    train, delay, test = windows
    names = ("inner_train", "inner_delay", "inner_test")
    folds = prequential(
        y,
        day=day,
        entity=entity,
        n_folds=n_folds,
        train=train,
        delay=delay,
        test=test,
        drop_known=drop_known,
        inner_folds=inner_folds,
        **dict(zip(names, inner, strict=True)),
        seed=0,
    )
    inner = [a if b is None else b for a, b in zip(windows, inner, strict=True)]
    who = entity if drop_known else np.arange(len(y)) + 1000
    end = day.max() + 1
    assert len(folds) == n_folds
    for f, fold in enumerate(folds):
        last = end - (n_folds - 1 - f) * test
        fit, held = prequential_window(y, day, who, last, *windows)
        assert (fold.train.tolist(), fold.test.tolist()) == (fit, held)
        assert fold.refit
        assert len(fold.inner) == inner_folds
        for i, pair in enumerate(fold.inner):
            before = last - test - delay - (inner_folds - 1 - i) * inner[2]
            assert [rows.tolist() for rows in pair] == list(prequential_window(y, day, who, before, *inner))


def test_nothing_is_learnt_or_chosen_from_what_is_not_yet_known():
    y, day, entity = stream(60, n=3000)
    folds = prequential(y, day=day, entity=entity, n_folds=2, train=8, delay=5, test=6, seed=0)
    for fold in folds:
        opens = day[fold.test].min()
        assert day[fold.train].max() < opens - 5
        for fit, validation in fold.inner:
            assert day[fit].max() < day[validation].min() - 5
            assert day[validation].max() <= day[fold.train].max()
        known = set(entity[fold.train][y[fold.train] == 1])
        assert known
        assert not known & set(entity[fold.test])
    assert set(day[folds[0].test]) | set(day[folds[1].test]) == set(range(day.max() - 11, day.max() + 1))
    assert day[folds[0].test].max() < day[folds[1].test].min()


def test_a_customer_found_in_the_delay_leaves_the_test_when_the_label_arrives():
    # Ann's fraud on day 3, one day after training ended, is known from day 6 on: a delay of 2 days.
    day = np.array([0, 1, 2, 3, 4, 5, 5, 6, 6, 5, 6])
    who = np.array([7, 8, 9, 1, 8, 1, 9, 1, 9, 2, 2])
    y = np.array([1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1])
    options = {"train": 3, "delay": 2, "test": 2, "inner_folds": 1, "seed": 0}
    options |= {"inner_train": 1, "inner_delay": 0, "inner_test": 2}
    y[1] = 0
    with pytest.raises(DatasetError, match="the training window of inner fold 0 of fold 0 cannot all have"):
        prequential(y, day=day, entity=who, **options)
    day, who, y = (np.concatenate([a, b]) for a, b in ((day, [0, 1]), (who, [5, 6]), (y, [0, 1])))
    [fold] = prequential(y, day=day, entity=who, **options)
    assert fold.test.tolist() == [5, 6, 8, 9, 10]
    [fold] = prequential(y, day=day, entity=who, drop_known=False, **options)
    assert fold.test.tolist() == [5, 6, 7, 8, 9, 10]
    [alone] = prequential(y, day=day, **options)
    assert alone.test.tolist() == fold.test.tolist()


def test_prequential_refuses_what_the_data_cannot_give():
    y, day, entity = stream(20)
    with pytest.raises(
        DatasetError,
        match=r"2 folds need 28 days \(train 7, delay 7, test 2 x 7\), and there are 20: lower n_folds",
    ):
        prequential(y, day=day, n_folds=2, seed=0)
    with pytest.raises(
        DatasetError, match=r"2 inner folds of fold 0 need 16 days .*and there are 6: lower in"
    ):
        prequential(y, day=day, train=4, delay=8, test=6, inner_test=2, seed=0)
    for option, value in (("train", 0), ("delay", -1), ("test", 2.5), ("inner_folds", 0), ("inner_test", 0)):
        with pytest.raises(DatasetError, match=f"prequential split: {option} must be an integer of at least"):
            prequential(y, day=day, **{option: value}, seed=0)
    short = {"train": 4, "delay": 1, "test": 2, "inner_folds": 1, "seed": 0}
    with pytest.raises(DatasetError, match=r"the test window of fold 0 cannot all have.*give test more days"):
        prequential(np.where(day >= day.max() - 1, 0, y), day=day, **short)
    toy = Dataset("toy", np.zeros((len(y), 1)), y, entity=entity)
    with pytest.raises(
        DatasetError, match=r"'prequential' needs the day of each row.*as day; or use stratif"
    ):
        make_folds("prequential", toy, 0, 0)
    with pytest.raises(DatasetError, match="days must be whole numbers, got dtype float64"):
        Dataset("toy", np.zeros((3, 1)), [1, 0, 0], day=[0.5, 1, 2])


def test_days_are_saved(tmp_path):
    y, day, entity = stream()
    Dataset("bank", np.zeros((len(y), 1)), y, entity=entity, day=day).save(tmp_path / "x.npz")
    again = Dataset.load(tmp_path / "x.npz")
    np.testing.assert_array_equal(again.day, day)
    assert again.summary()["days"] == 40
    options = {"train": 5, "delay": 2, "test": 3}
    [fold] = make_folds("prequential", again, 0, 0, **options)
    assert same(fold, prequential(y, day=day, entity=entity, seed=1, **options)[0])
