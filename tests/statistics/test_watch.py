"""Watching lists: the alarm by its definition, what it finds and what it does not take for a fall."""

import math

import numpy as np
import pytest
from studies.claims.watch import YEAR, alarms, lists
from studies.claims.watch import seen as seen_in_four

from attop.statistics import watch
from oracles.statistics import chance_of_a_window


def first_alarm(hits, rows, promised, risk):
    """Return the list that raises the alarm and the start of its window, by going through all windows."""
    for end in range(1, len(hits) + 1):
        ratios = {}
        for start in range(max(end - 52, 0), end):
            level = 0.0007 + 0.02 / (start + 1) ** 2 if end - start <= 6 else 0.00003
            chance = chance_of_a_window(hits[:end], rows[:end], promised[:end], start)
            ratios[start] = chance / (level * risk / 0.05)
        if any(ratio <= 1 and end - start >= (3 if start < 4 else 4) for start, ratio in ratios.items()):
            return end, 1 + min(ratios, key=ratios.get)
    return 0, 0


CASES = [
    ([18, 19, 14, 3, 4, 1], [100] * 6, [61 / 600] * 6),
    ([3, 4, 1], [100] * 3, [61 / 600] * 3),
    ([40, 41, 39, 40, 40, 20, 18, 22, 21, 19], [100] * 10, [0.4] * 10),
    ([5, 4, 6, 0, 0, 0, 2, 1], [12, 9, 10, 9, 20, 3, 9, 9], [0.6, 0.5, 0.7, 0.4, 0.9, 0.6, 0.6, 0.5]),
    ([0, 0, 0, 0], [9] * 4, [0.5] * 4),
    ([9, 9, 9, 9], [9] * 4, [0.5] * 4),
    ([30, 31, 29, 30, 80, 30, 15, 14, 16, 13], [100] * 10, [0.3] * 10),
    ([40, 41, 39, 40, 3, 2, 41, 1, 3, 2, 4, 3], [100] * 12, [0.4] * 12),
]


@pytest.mark.parametrize(("hits", "rows", "promised"), CASES)
@pytest.mark.parametrize("risk", [0.05, 0.4])
def test_the_alarm_is_the_first_by_its_definition(hits, rows, promised, risk):
    found = watch(hits, rows, promised, risk=risk)
    assert (found.raised, found.since) == first_alarm(hits, rows, promised, risk)


def test_windows_end_after_a_year():
    hits = [30, 27] * 30 + [24] * 60
    found = watch(hits, [100] * 120, 0.3)
    assert found.raised > 60
    assert found.raised - found.since < YEAR


def test_a_fall_is_dated_and_not_hidden_by_good_lists():
    found = watch([18, 19, 14, 3, 4, 1], [100] * 6, 61 / 600)
    assert (found.status, found.since, found.raised) == ("worse", 4, 6)
    assert watch([3, 4, 1], [100] * 3, 61 / 600).since == 1
    good = [40] * 20
    for later, start in (
        ([20] * 6 + [40] * 26, 21),
        ([95] + [20] * 6, 22),  # a list far above hides nothing
        ([0] * 4, 21),
    ):
        found = watch([*good, *later], [100] * (20 + len(later)), 0.4)
        assert found.status == "worse"
        assert abs(found.since - start) <= 1
        assert found.raised <= start + 5


def test_one_failed_list_is_no_fall():
    assert watch([40] * 20 + [0] + [40] * 5, [100] * 26, 0.4).raised == 0
    assert watch([0], [100], 0.4).raised == 0


def test_two_failed_lists_among_four_are_no_fall():
    for later in ([0, 0, 40, 40], [0, 40, 0, 40], [40, 0, 0]):
        assert watch([40] * 10 + later + [40] * 5, [100] * (15 + len(later)), 0.4).raised == 0


def test_expected_promised_and_found_are_three_numbers():
    """Promised is the lower end of what is expected: a loss of 27% is not "as promised"."""
    found = watch([24, 23, 25] * 12, [60] * 36, 25.8 / 60, expected=33.07 / 60)
    assert found.status == "not shown to be worse"
    assert (found.rows, found.hits) == (2160, 864)
    assert found.promised == pytest.approx(928.8)
    assert found.expected == pytest.approx(1190.52)
    assert math.isnan(watch([4], [10], 0.4).expected)
    deep = watch([30, 12], [100, 50], [0.3, 0.1], expected=[0.4, 0.2])
    assert (deep.promised, deep.expected) == pytest.approx((35, 50))
    assert deep.precision == pytest.approx(0.27)


@pytest.mark.parametrize("found", [0.9, 0.97, 1.0, 1.1])
def test_as_promised_is_said_from_the_promise_on(found):
    steady = watch([round(400 * found)] * 40, [1000] * 40, 0.4)
    assert steady.status == ("as promised" if found >= 1 else "not shown to be worse")
    assert steady.lists_to_tell == 0


@pytest.mark.parametrize("hits", [[41, 38, 44], [38, 37], [30, 30, 30], [4, 0, 3]])
def test_so_many_lists_more_would_tell(hits):
    rows = [100] * len(hits)
    found = watch(hits, rows, 0.4)
    if found.status != "cannot tell":
        assert found.lists_to_tell == 0
        return
    more, mean = found.lists_to_tell, sum(hits) // len(hits)
    later = watch([*hits, *[mean] * (more + 1)], [100] * (len(hits) + more + 1), 0.4)
    assert later.status != "cannot tell"
    assert more < 4 or watch([*hits, mean], [*rows, 100], 0.4).status == "cannot tell"


def test_none_where_no_number_of_lists_tells():
    assert watch([1], [2], 0.6).lists_to_tell is None


@pytest.mark.parametrize(
    "failing",
    [
        [1, 1, 40, 1],
        [1, 40, 1, 1],
        [40, 1, 1, 40, 1, 1],
        [15, 14, 40, 16, 41, 14, 13],
    ],
)
@pytest.mark.parametrize("good", [0, 12])
def test_lists_that_fail_beside_one_as_before_are_no_fall(failing, good):
    """A fall is a level: lists after it agree with each other."""
    hits = [*[40, 41] * (good // 2), *failing]
    assert watch(hits, [100] * len(hits), 0.4).raised == 0


@pytest.mark.parametrize(("law", "varies"), [("fifth", 0.25), ("pairs", 0.3)])
def test_failures_seldom_raise_an_alarm(law, varies):
    """Without a look at how lists agree it is 11 and 18 of 100 years."""
    hits = lists(np.full(YEAR, 0.3), law, varies, 300, 400, np.random.default_rng(3))
    assert (alarms(hits, 400, 0.3) > 0).mean() <= 0.07


def test_successive_lists_that_are_alike_are_told():
    wave = [40 + round(12 * math.sin(i / 4)) for i in range(40)]
    found = watch(wave, [100] * 40, 0.4)
    x = np.array(wave) - np.mean(wave)
    assert found.dependence == pytest.approx((x[1:] @ x[:-1]) / (x @ x))
    assert found.assumption == "not met"
    assert watch([38, 42, 41, 37, 43, 40] * 5, [100] * 30, 0.4).assumption == "no sign against it"
    assert watch([40] * 30, [100] * 30, 0.4).dependence == 0
    few = watch(wave[:9], [100] * 9, 0.4)
    assert (few.assumption, math.isnan(few.dependence)) == ("unchecked", True)
    fall = watch([41, 39] * 10 + [21, 19] * 5, [100] * 30, 0.4)  # a fall is no dependence
    assert (fall.since, fall.assumption) == (21, "no sign against it")


@pytest.mark.parametrize(
    ("law", "varies"),
    [
        ("normal", 0.0),
        ("normal", 0.3),
        ("lognormal", 0.3),
        ("seldom", 0.3),
        ("successive", 0.2),
        ("season", 0.3),
    ],
)
def test_years_that_keep_the_promise_seldom_raise_an_alarm(law, varies):
    """A small version of studies/claims/watch.py, its seed fixed."""
    hits = lists(np.full(YEAR, 0.3), law, varies, 100, 100, np.random.default_rng(0))
    assert (alarms(hits, 100, 0.3) > 0).mean() <= 0.1


@pytest.mark.parametrize(("varies", "at_once", "after"), [(0.0, 0.8, 0.8), (0.1, 0.8, 0.7), (0.2, 0.75, 0.4)])
def test_a_halved_precision_is_seen_within_four_lists(varies, at_once, after):
    for good, share in ((0, at_once), (26, after)):
        seen = seen_in_four(0.3, varies, good, 100, 100, np.random.default_rng(0))
        assert seen.mean() >= share


@pytest.mark.parametrize("varies", [0.0, 0.3])
def test_bounds_hold_at_all_times_at_once(varies):
    years = lists(np.full(15, 0.3), "normal", varies, 20, 100, np.random.default_rng(0)).astype(int)
    crossed = []
    for hits in years:
        found = [watch(hits[:t], [100] * t, 0.3) for t in (1, 4, 8, 15)]
        crossed.append(any(not f.low <= 0.3 <= f.high for f in found))
        assert found[-1].high - found[-1].low < found[0].high - found[0].low
    assert np.mean(crossed) <= 0.1


def test_bounds_stay_in_their_range():
    assert watch([0], [3], 0.4).low == 0
    assert watch([3], [3], 0.4).high == 1


@pytest.mark.parametrize(
    ("hits", "rows", "promised"),
    [
        ([500], [1_000_000], 0.0005),
        ([1], [100_000], 0.5),
        ([1_000_000], [1_000_000], 0.999),
        ([0], [100_000], 0.9999999),
        ([100_000], [100_000], 1e-300),
        ([1, 0] * 30, [1] * 60, 1e-300),
        ([0] * 5, [10**9] * 5, 1 - 1e-16),
        ([0, 10**15], [10**15] * 2, 0.5),
        ([7] * 120, [9] * 120, 0.7),
        ([40, 0, 41, 1, 39], [100, 1, 100, 1, 100], 0.4),
    ],
)
def test_any_hits_and_rows_have_a_status(hits, rows, promised):
    with np.errstate(all="raise", under="ignore"):
        found = watch(hits, rows, promised)
    assert 0 <= found.low <= found.precision <= found.high <= 1
    assert found.status in ("as promised", "not shown to be worse", "worse", "cannot tell")


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"hits": []}, "hits"),
        ({"hits": [11]}, "hits"),
        ({"hits": [-1]}, "hits"),
        ({"hits": [1, 2]}, "hits"),
        ({"hits": [1.5]}, "whole numbers"),
        ({"hits": [float("nan")]}, "whole numbers"),
        ({"hits": ["3"]}, "whole numbers"),
        ({"rows": [10.5]}, "whole numbers"),
        ({"hits": np.ma.masked_equal([3], 3)}, "masked"),
        ({"rows": [0]}, "hits"),
        ({"promised": 0}, "promised"),
        ({"promised": "a"}, "promised"),
        ({"promised": [0.4, 0.4]}, "promised"),
        ({"risk": 1}, "risk"),
        ({"expected": 1.2}, "expected must be a precision"),
        ({"expected": [0.4, 0.4]}, "expected"),
        ({"expected": "a"}, "expected"),
    ],
)
def test_bad_parameters(change, name):
    with pytest.raises(ValueError, match=name):
        watch(**{"hits": [3], "rows": [10], "promised": 0.4, **change})
