import itertools

import numpy as np
import pytest
from scipy.stats import binom

from attop.statistics._watching import watch


def wealth(hits, rows, promised):
    """The wealth after each list, bet by bet."""
    x = [h / (n * m) for h, n, m in zip(hits, rows, promised, strict=True)]
    chance = [(1 - m) / (m * n) for n, m in zip(rows, promised, strict=True)]
    factors, found = [], []
    for t in range(len(x)):
        apart = [(x[i] - x[i - 1]) ** 2 / 2 - (chance[i] + chance[i - 1]) / 2 for i in range(1, t)]
        v = max((2 * 0.25**2 + sum(apart)) / (2 + len(apart)), 0) + chance[t]
        a = 2 * v
        factors.append(max(1 + a - x[t], 0) ** 2 / (a**2 + v))
        begun = [0.5 / (s * (s + 1)) + 0.5 / 52 for s in range(1, t + 2)]
        bets = [share * np.prod(factors[s:]) for s, share in enumerate(begun)]
        found.append(sum(bets) + 1 - sum(begun))
    return found


@pytest.mark.parametrize("hits", [[3, 1, 0, 0, 1], [5, 4, 6, 0, 0], [0, 0, 0, 0, 0], [9, 9, 9, 9, 9]])
@pytest.mark.parametrize("promised", [[0.6] * 5, [0.6, 0.5, 0.7, 0.4, 0.9]])
def test_the_alarm_is_where_the_wealth_reaches_one_over_the_risk(hits, promised):
    rows = [12, 9, 10, 9, 20]
    path = wealth(hits, rows, promised)
    for risk in (0.05, 0.3):
        over = [t for t, w in enumerate(path, 1) if w >= 1 / risk]
        assert watch(hits, rows, promised, risk=risk).since == (over[0] if over else 0)


def test_the_mean_wealth_under_the_promise_is_at_most_one():
    """Over all outcomes of two lists whose precision is the promised one: v is at least the variance."""
    rows, promised = [4, 5], [0.5, 0.4]
    ways = list(itertools.product(*(range(n + 1) for n in rows)))
    chances = [[binom.pmf(h, n, m) for h, n, m in zip(way, rows, promised, strict=True)] for way in ways]
    mean = np.dot(np.prod(chances, axis=1), [wealth(way, rows, promised)[-1] for way in ways])
    assert 0.3 < mean <= 1


def years(mean, varies, number, lists, seed=0):
    rng = np.random.default_rng(seed)
    rates = np.clip(mean * (1 + varies * rng.normal(size=(number, lists))), 0, 1)
    return rng.binomial(100, rates)


@pytest.mark.parametrize("varies", [0.0, 0.3])
@pytest.mark.parametrize("promised", [0.1, 0.5])
def test_lists_that_vary_about_the_promise_seldom_raise_an_alarm(varies, promised):
    alarms = [watch(hits, [100] * 52, promised).since > 0 for hits in years(promised, varies, 150, 52)]
    assert np.mean(alarms) <= 0.06


def test_a_halved_precision_is_seen_within_four_lists():
    at_once = [watch(hits, [100] * 4, 0.3).since > 0 for hits in years(0.15, 0.1, 150, 4)]
    assert np.mean(at_once) >= 0.9
    good, bad = years(0.3, 0, 150, 26), years(0.15, 0, 150, 4, seed=1)
    found = [watch([*a, *b], [100] * 30, 0.3).since for a, b in zip(good, bad, strict=True)]
    assert np.mean([since > 26 for since in found]) >= 0.85
    assert np.mean([0 < since <= 26 for since in found]) <= 0.05


@pytest.mark.parametrize("varies", [0.0, 0.3])
def test_bounds_hold_at_all_times_at_once(varies):
    crossed = []
    for hits in years(0.3, varies, 60, 15):
        found = [watch(hits[:t], [100] * t, 0.3) for t in range(1, 16)]
        crossed.append(any(not f.low <= 0.3 <= f.high for f in found))
        assert found[-1].high - found[-1].low < found[0].high - found[0].low
    assert np.mean(crossed) <= 0.1


def test_verdicts():
    assert watch([40] * 10, [100] * 10, 0.4).verdict == "as promised"
    assert watch([4], [10], 0.4).verdict == "cannot tell"
    halved = watch([40] * 5 + [20] * 6 + [40] * 40, [100] * 51, 0.4)
    assert halved.verdict == "worse"
    assert 6 <= halved.since <= 11
    assert watch([0], [3], 0.4).low == 0
    assert watch([3], [3], 0.4).high == 1
    deep = watch([30, 12], [100, 100], [0.3, 0.1])
    assert deep.precision == pytest.approx(0.21)


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
        ([7] * 3000, [9] * 3000, 0.7),
    ],
)
def test_any_hits_and_rows_have_a_verdict(hits, rows, promised):
    found = watch(hits, rows, promised)
    assert 0 <= found.low <= found.precision <= found.high <= 1
    assert found.verdict in ("as promised", "worse", "cannot tell")


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
    ],
)
def test_bad_parameters(change, name):
    with pytest.raises(ValueError, match=name):
        watch(**{"hits": [3], "rows": [10], "promised": 0.4, **change})
