import itertools

import numpy as np
import pytest
from scipy.stats import binom

from attop.statistics._watching import watch


def wealth(hits, rows, promised):
    """The wealth after each list, bet by bet."""
    found = []
    # A rate with a Beta(1/2, 1/2) law is the squared sine of a uniform angle.
    nodes, weights = np.polynomial.legendre.leggauss(80)
    angles = np.arcsin(promised**0.5) * (1 + nodes) / 2
    for t in range(1, len(hits) + 1):
        total, shares = 0.0, 0.0
        for s in range(1, t + 1):
            won, lost = sum(hits[s - 1 : t]), sum(rows[s - 1 : t]) - sum(hits[s - 1 : t])

            def factor(rate, won=won, lost=lost):
                return (rate / promised) ** won * ((1 - rate) / (1 - promised)) ** lost

            mixed = weights @ factor(np.sin(angles) ** 2) / weights.sum()
            share = 0.5 / (s * (s + 1)) + 0.5 / 52
            total, shares = total + share * (mixed + factor(promised / 2)) / 2, shares + share
        found.append(total + 1 - shares)
    return found


@pytest.mark.parametrize("hits", [[3, 1, 0, 0, 1], [5, 4, 6, 0, 0], [0, 0, 0, 0, 0], [9, 9, 9, 9, 9]])
def test_the_alarm_is_where_the_wealth_reaches_one_over_the_risk(hits):
    rows, promised = [12, 9, 10, 9, 20], 0.6
    path = wealth(hits, rows, promised)
    for risk in (0.05, 0.3):
        over = [t for t, w in enumerate(path, 1) if w >= 1 / risk]
        assert watch(hits, rows, promised, risk=risk).since == (over[0] if over else 0)


def test_the_mean_wealth_under_the_promise_is_one():
    """Over all outcomes of lists whose precision is the promised one."""
    rows, promised = [4, 3, 5], 0.5
    ways = list(itertools.product(*(range(n + 1) for n in rows)))
    chance = [np.prod([binom.pmf(h, n, promised) for h, n in zip(way, rows, strict=True)]) for way in ways]
    assert np.dot(chance, [wealth(way, rows, promised)[-1] for way in ways]) == pytest.approx(1)
    alarms = np.dot(chance, [watch(way, rows, promised, risk=0.5).since > 0 for way in ways])
    assert 0 < alarms <= 0.5


def test_bounds_hold_at_all_times_at_once():
    crossed = []
    for seed in range(40):
        hits = np.random.default_rng(seed).binomial(50, 0.3, 15)
        found = [watch(hits[:t], [50] * t, 0.3) for t in range(1, 16)]
        crossed.append(any(not f.low <= 0.3 <= f.high for f in found))
        assert found[-1].high - found[-1].low < found[0].high - found[0].low
    assert np.mean(crossed) <= 0.1


def test_verdicts():
    assert watch([40] * 10, [100] * 10, 0.4).verdict == "as promised"
    assert watch([4], [10], 0.4).verdict == "cannot tell"
    halved = watch([40] * 5 + [20] * 4 + [40] * 40, [100] * 49, 0.4)
    assert halved.verdict == "worse"
    assert 6 <= halved.since <= 9
    assert watch([0], [3], 0.4).low == 0
    assert watch([3], [3], 0.4).high == 1


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"hits": []}, "hits"),
        ({"hits": [11]}, "hits"),
        ({"hits": [1, 2]}, "hits"),
        ({"promised": 0}, "promised"),
        ({"risk": 1}, "risk"),
    ],
)
def test_bad_parameters(change, name):
    with pytest.raises(ValueError, match=name):
        watch(**{"hits": [3], "rows": [10], "promised": 0.4, **change})
