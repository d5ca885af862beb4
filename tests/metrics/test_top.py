"""Top, and the layout of labels, groups and lists."""

import itertools
import pickle
from fractions import Fraction

import numpy as np
import pytest

from attop import Top
from attop._core.sample import RankingSample, check_groups, check_labels
from attop.metrics._ranking import Ranking

# Top


@pytest.mark.parametrize(
    ("value", "top"),
    [
        (20, Top(k=20)),
        (20.0, Top(k=20)),
        (np.int64(20), Top(k=20)),
        ({"k": 20}, Top(k=20)),
        ({"tau": 0.05}, Top(tau=0.05)),
        ({"kappa": 0.25}, Top(kappa=0.25)),
        ({"k": 100, "of": 30000}, Top(k=100, out_of=30000)),
        ({"k": 100.0, "of": 3e4}, Top(k=100, out_of=30000)),
        ({"tau": 0.05, "round": "nearest"}, Top(tau=0.05, round="nearest")),
        (Top(tau=0.05), Top(tau=0.05)),
        (0.05, Top(tau=0.05)),
        (np.float32(0.07), Top(tau=0.07)),
        (1.0, Top(k=1)),
        ("5%", Top(tau=0.05)),
        (" 0.7 %", Top(tau=0.007)),
        ("12.5%", Top(tau=0.125)),
        ("k=100 of 30000", Top(k=100, out_of=30000)),
    ],
)
def test_of_reads_what_a_configuration_holds(value, top):
    read = Top.of(value)
    assert read == top
    assert Top.of(read.as_dict()) == read
    assert hash(read) == hash(top)
    assert pickle.loads(pickle.dumps(read)) == read


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (None, TypeError, "cannot read a top"),
        ({"k": 2.5}, ValueError, "k must be an integer"),
        ({"of": 30}, ValueError, "exactly one of k, tau and kappa, got none"),
        ({"tau": 0.1, "of": 30}, ValueError, r"goes with k, got tau=0.1: leave it out"),
        ({"k": 30, "of": 30}, ValueError, r"below the length of the list it is taken of, got 30 of 30"),
        ({"k": 0, "of": 30}, ValueError, "k must be an integer of at least 1"),
        ({"k": 2, "of": 30.5}, TypeError, r"\('of'\) must be an integer, got 30.5"),
        ({"k": 2, "of": "30"}, TypeError, "must be an integer, got '30'"),
        ({"tau": 0.1, "round": "up"}, ValueError, "round must be 'nearest' and goes with tau, got 'up'"),
        ({"k": 2, "round": "nearest"}, ValueError, "got 'nearest' with k=2: leave it out"),
        ({"k": 2, "of": 30, "round": "nearest"}, ValueError, "goes with tau"),
        ({"kappa": 0.5, "round": "nearest"}, ValueError, "goes with tau"),
        (2.5, TypeError, "an integer, which is k, or lie between 0 and 1, a fraction of the items, got 2.5"),
        (-0.5, TypeError, "got -0.5: write for example 10 or 0.05"),
        (0, ValueError, "k must be an integer of at least 1"),
        ("100%", ValueError, "strictly between 0 and 100, got '100%'"),
        ("0%", ValueError, "strictly between 0 and 100"),
        ("nan%", ValueError, "a top is written as"),
        ("five%", ValueError, "a top is written as .* or 5%, got 'five%'"),
    ],
)
def test_a_malformed_top_is_refused(value, error, message):
    with pytest.raises(error, match=message):
        Top.of(value)


def test_a_share_of_the_items_is_rounded_up_as_the_decimal_it_was_written_as():
    # In binary 0.07 * 100 is a little above 7, whose ceiling would be 8.
    assert Top(tau=0.07).resolve(100, 5) == 7
    for hundredths in range(1, 100):
        for n in (1, 7, 99, 100, 105, 246):
            exact = -((-hundredths * n) // 100)
            assert Top(tau=hundredths / 100).resolve(n, 0) == exact
            assert Top(tau=np.float64(hundredths / 100)).resolve(n, 0) == exact


def test_a_share_in_fewer_digits_is_the_decimal_it_shows():
    assert Top(tau=np.float32(0.07)) == Top(tau=np.float64(0.07)) == Top(tau=0.07)
    assert Top(tau=np.float16(0.1)).resolve(1000, 1) == 100
    with pytest.raises(TypeError, match="must be a finite number"):
        Top(tau=np.bool_(True))


def test_the_top_of_the_paper_is_rounded_to_the_nearest_item():
    # Boyd et al., 5.3: "{19, 14, 9.5, 5, 1} (%) ... the top 20, 15, 10, 5, 1 items", of three tenths of 351.
    tops = [Top(tau=tau, round="nearest") for tau in (0.19, 0.14, 0.095, 0.05, 0.01)]
    assert [top.resolve(105, 67) for top in tops] == [20, 15, 10, 5, 1]
    assert [top.resolve(246, 158) for top in tops] == [47, 34, 23, 12, 2]
    for hundredths in range(1, 100):
        for n in (1, 7, 99, 100, 105, 246):
            exact = max(1, (2 * hundredths * n + 100) // 200)
            assert Top(tau=hundredths / 100, round="nearest").resolve(n, 0) == exact


def test_a_share_of_the_positives_is_rounded_half_up_and_at_least_one():
    assert [Top(kappa=0.25).resolve(100, n_pos) for n_pos in (0, 1, 2, 6, 10, 13)] == [1, 1, 1, 2, 3, 3]
    for tenths in range(1, 30):
        exact = max(1, int(Fraction(tenths, 10) * 15 + Fraction(1, 2)))
        assert Top(kappa=tenths / 10).resolve(100, 15) == exact


def test_resolve_at_its_limits():
    assert Top(k=5).resolve(5, 0) == 5
    assert Top(tau=1e-9).resolve(1, 0) == 1
    assert Top(tau=0.999).resolve(10, 0) == 10
    with pytest.raises(ValueError, match=r"k=6 asks for 6 of the 5 items \(2 positive\) of fold 3.*tau"):
        Top(k=6).resolve(5, 2, where="fold 3")
    with pytest.raises(ValueError, match=r"kappa=3.0 asks for 6 of the 5 items"):
        Top(kappa=3).resolve(5, 2)


def test_only_a_number_of_items_is_the_same_for_every_sample():
    assert not Top(k=3).depends_on_sample
    assert Top(k=3, out_of=30).depends_on_sample
    assert Top(tau=0.1).depends_on_sample
    assert Top(kappa=0.1).depends_on_sample


def test_k_of_a_list_is_the_same_share_of_a_sample_to_the_nearest_item():
    top = Top.of({"k": 100, "of": 30000})
    assert [top.resolve(n, 0) for n in (1, 300, 449, 450, 4000, 30000, 90000)] == [1, 1, 1, 2, 13, 100, 300]
    assert Top(k=100, out_of=4119).resolve(824, 90) == 20  # 20.005, which was 21
    for k, of, n in itertools.product((1, 2, 9), (10, 11, 99), (1, 5, 10, 55, 100)):
        share = Fraction(k * n, of)
        nearest = [cut for cut in range(1, n + 1) if abs(cut - share) <= Fraction(1, 2)] or [1]
        assert Top(k=k, out_of=of).resolve(n, 0) == max(nearest)
    for k, of, n in ((1, 3, 9), (7, 11, 110), (49, 50, 1000)):
        assert Top(k=k, out_of=of).resolve(n, 0) == n * k // of


@pytest.mark.parametrize(
    ("top", "text"),
    [
        (Top(k=20), "k=20"),
        (Top(k=100, out_of=30000), "k=100 of 30000"),
        (Top(tau=0.05), "tau=0.05"),
        (Top(tau=0.05, round="nearest"), "tau=0.05 nearest"),
        (Top(kappa=1.0), "kappa=1.0"),
    ],
)
def test_top_prints_as_it_is_written(top, text):
    assert eval(repr(top)) == top
    assert str(top) == text
    assert Top.parse(text) == top


@pytest.mark.parametrize(
    "text",
    [
        *("", "20", "k=", "k=2.5", "top=3", "tau=2"),
        *("k=10 of ten", "k = 1 of", "tau=0.1 of 9", "tau=0.1 up", "k=3 nearest"),
    ],
)
def test_what_no_top_is_written_as_is_refused(text):
    with pytest.raises(ValueError, match=r"a top is written as k=10, k=100 of 30000, .*, got"):
        Top.parse(text)


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([0, 1, 1], [0, 1, 1]),
        ([-1.0, 1, 1], [0, 1, 1]),
        ([False, True, True], [0, 1, 1]),
        (np.array([0, 1, 1], object), [0, 1, 1]),
        *(([one], [int(one == 1)]) for one in (0, 1, -1, True, False)),
    ],
)
def test_labels_become_zero_and_one(y, expected):
    labels = check_labels(y)
    assert labels.dtype == np.int64
    assert labels.tolist() == expected


def test_layout_sorts_by_group_with_positives_first():
    rng = np.random.default_rng(0)
    for n in (1, 2, 17, 60):
        y, groups = rng.integers(0, 2, n), rng.integers(0, 9, n) * 10
        sample = RankingSample.from_labels(y, groups)
        assert sorted(sample.order.tolist()) == list(range(n))
        assert sample.n_groups == len(np.unique(groups))
        for g, name in enumerate(np.unique(groups)):
            items = sample.order[sample.start[g] : sample.start[g + 1]]
            assert (groups[items] == name).all()
            assert y[items].tolist() == [1] * sample.n_pos[g] + [0] * sample.n_neg[g]
            # Equal items keep the caller's order, so that results do not depend on the sorting algorithm.
            assert (np.diff(items[: sample.n_pos[g]]) > 0).all()
            assert (np.diff(items[sample.n_pos[g] :]) > 0).all()


def test_layout_without_groups_is_one_group():
    sample = RankingSample.from_labels([-1, 1, -1, 1])
    assert sample.order.tolist() == [1, 3, 0, 2]
    assert (sample.start.tolist(), sample.n_pos.tolist(), sample.n_neg.tolist()) == ([0, 4], [2], [2])


def test_select_keeps_whole_groups_and_the_positions_of_the_caller():
    y, groups = [0, 1, 0, 1, 1], [2, 0, 1, 2, 0]
    sample = RankingSample.from_labels(y, groups).select(np.array([True, False, True]))
    assert sample.order.tolist() == [1, 4, 3, 0]
    assert (sample.n_pos.tolist(), sample.n_neg.tolist()) == ([2, 1], [0, 1])
    assert sample.start.tolist() == [0, 2, 4]
    empty = sample.select(np.zeros(2, dtype=bool))
    assert (empty.n_groups, empty.order.tolist(), empty.start.tolist()) == (0, [], [0])


def test_neighbours_of_one_class_are_one_block():
    rng = np.random.default_rng(11)
    for n_levels in (1, 3, 40, 10**6):
        for _ in range(30):
            y, scores = rng.integers(0, 2, 40), rng.integers(0, n_levels, 40).astype(float)
            full, merged = Ranking.of(y, scores), []
            for size, pos in zip(full.size.tolist(), full.pos.tolist(), strict=True):
                last = merged[-1] if merged else [1, 0.5]
                if last[1] / last[0] == pos / size in (0, 1):
                    merged[-1] = [last[0] + size, last[1] + pos]
                else:
                    merged.append([size, pos])
            size, pos = np.array(merged).T
            short = Ranking.of_list(y, scores)
            np.testing.assert_array_equal(short.size, size)
            np.testing.assert_array_equal(short.pos, pos)
            np.testing.assert_array_equal(short.before, np.cumsum(size) - size)
            np.testing.assert_array_equal(short.pos_before, np.cumsum(pos) - pos)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64])
def test_groups_become_codes_in_sorted_order(dtype):
    rng = np.random.default_rng(12)
    few = rng.integers(3, 60, 50).astype(dtype)
    many = np.where(few == few.max(), np.iinfo(dtype).max, few)
    for groups in (few, few - few.max(), many, few.astype(str), few.astype(str).astype(object)):
        expected = np.unique(groups, return_inverse=True)[1]
        codes = check_groups(groups, 50)
        assert codes.dtype == np.int64
        np.testing.assert_array_equal(codes, expected)
