"""Card precision against every order of tied cards."""

import numpy as np
import pytest

import oracles.metrics as oracle
from attop.metrics import UndefinedMetricError, card_precision, get_metric, precision_at_k


def weeks(seed, count, levels):
    """Small weeks of few cards, several items a card and day; every day has at least four cards left."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(30, 45))
        days = np.sort(rng.integers(0, 3, n))
        cards = rng.integers(0, 7, n)
        y = (rng.random(n) < 0.15).astype(int)
        yield y, rng.integers(0, levels, n).astype(float) if levels else rng.random(n), 2, cards, days


def as_lists(week):
    y, scores, k, cards, days = week
    return y.tolist(), scores.tolist(), k, cards.tolist(), days.tolist()


def test_without_ties_it_is_the_only_value_there_is():
    for week in weeks(1, 50, levels=None):
        ((only),) = oracle.card_precisions(*as_lists(week))
        found = card_precision(*week)
        assert found.value == pytest.approx(float(only), rel=1e-14)
        assert found.low == found.high == found.value


def test_with_ties_the_interval_is_that_of_all_orders():
    n_tied = exact = 0
    for week in weeks(2, 300, levels=4):
        values = [float(value) for value in oracle.card_precisions(*as_lists(week))]
        found = card_precision(*week, n_orders=20)
        n_tied += len(values) > 1
        exact += found[1:3] == (pytest.approx(min(values)), pytest.approx(max(values)))
        # Day by day the interval may be too narrow, by a card or two of the week's six; it is never too wide.
        assert min(values) - 1e-12 <= found.low <= found.value + 1e-12
        assert found.value - 1e-12 <= found.high <= max(values) + 1e-12
    assert n_tied > 200
    assert exact >= 285


def test_one_day_and_one_item_a_card_is_precision_at_k():
    rng = np.random.default_rng(3)
    y, scores = rng.integers(0, 2, 60), rng.permutation(60).astype(float)
    found = card_precision(y, scores, {"tau": 0.2}, np.arange(60), np.zeros(60))
    assert found.value == precision_at_k(y, scores, {"tau": 0.2})
    tied = np.zeros(60)
    found = card_precision(y, tied, 10, np.arange(60), np.zeros(60), n_orders=2000)
    assert found.value == pytest.approx(precision_at_k(y, tied, 10), abs=0.02)
    assert (found.low, found.high) == (0.0, 1.0)


def test_neither_the_order_of_rows_nor_names_matter_without_ties():
    (week,) = weeks(4, 1, levels=None)
    y, scores, k, cards, days = week
    mix = np.random.default_rng(5).permutation(len(y))
    named = np.array(["ann", "bob", "cat", "dan", "eve", "fay", "gus"])[cards]
    other = card_precision(y[mix] * 2 - 1, scores[mix] * 1e300, k, named[mix], days[mix])
    assert other.value == card_precision(*week).value


def test_a_card_found_is_not_there_later_and_its_place_goes_to_the_next():
    cards, days = ["a", "b", "a", "b", "c"], [1, 1, 2, 2, 2]
    for first, per_day in ((1, [1.0, 1.0]), (0, [0.0, 1.0])):
        found = card_precision([first, 0, 1, 1, 0], [0.9, 0.5, 0.9, 0.5, 0.1], 1, cards, days)
        assert found.per_day.tolist() == per_day
    # Where all that are left are fewer than k, the team still had time for k.
    found = card_precision([1, 0, 1, 0], [2.0, 1.0, 2.0, 1.0], 2, cards[:4], days[:4])
    assert found.per_day.tolist() == [0.5, 0.0]


def test_what_cannot_be_computed_is_refused():
    with pytest.raises(UndefinedMetricError, match="k=3 is more than the 2 cards of day 2"):
        card_precision([1, 0, 0, 1, 0], range(5), 3, ["a", "b", "c", "a", "b"], [1, 1, 1, 2, 2])
    with pytest.raises(ValueError, match="groups must name"):
        card_precision([1, 0], [1.0, 2.0], 1, ["a"], [1, 1])
    with pytest.raises(ValueError, match="n_orders"):
        card_precision([1, 0], [1.0, 2.0], 1, ["a", "b"], [1, 1], n_orders=2.5)
    with pytest.raises(ValueError, match="random_state"):
        card_precision([1, 0], [1.0, 2.0], 1, ["a", "b"], [1, 1], random_state=-1)


def test_names_with_the_number_of_cards_checked():
    for week in weeks(7, 20, levels=3):
        y, scores, k, cards, days = week
        metric = get_metric(f"card-precision-{k}")
        value = metric.evaluate(y, scores, top=17, entities=cards, days=days)
        assert value == (card_precision(*week).value, 1, 0, None)
    alone = get_metric("card-precision-2").evaluate([1, 0, 0], [3.0, 2.0, 1.0])
    assert np.isnan(alone.value)
    assert alone.reason == "the data name no entities or no days"
    short = get_metric("card-precision-4").evaluate([1, 0], [2.0, 1.0], entities=[1, 2], days=[0, 0])
    assert short.reason == "k > n"
    with pytest.raises(ValueError, match=r"k must be a whole number of at least 1, got 2\.5"):
        get_metric("card-precision-2.5")
    with pytest.raises(ValueError, match="takes no sample_weight"):
        get_metric("card-precision-2").evaluate([1, 0], [2.0, 1.0], sample_weight=[1, 2])
