"""Card precision against every order of tied cards, and against the handbook's printed values."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import oracles.metrics as oracle
from attop.datasets.formats.pickled_frame import load_columns
from attop.metrics import UndefinedMetricError, card_precision, precision_at_k
from support import ROOT


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
    for week in weeks(1, 200, levels=None):
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
    found = card_precision([1, 0, 1, 1, 0], [0.9, 0.5, 0.9, 0.5, 0.1], 1, cards, days)
    assert found.per_day.tolist() == [1.0, 1.0]
    missed = card_precision([0, 0, 1, 1, 0], [0.9, 0.5, 0.9, 0.5, 0.1], 1, cards, days)
    assert missed.per_day.tolist() == [0.0, 1.0]
    # Where all that are left are fewer than k, the team still had time for k.
    assert card_precision(
        [1, 0, 1, 0], [2.0, 1.0, 2.0, 1.0], 2, ["a", "b", "a", "b"], [1, 1, 2, 2]
    ).per_day.tolist() == [0.5, 0.0]


def test_what_cannot_be_computed_is_refused():
    with pytest.raises(UndefinedMetricError, match="k=3 asks for more than the 2 cards of day 2"):
        card_precision([1, 0, 0, 1, 0], range(5), 3, ["a", "b", "c", "a", "b"], [1, 1, 1, 2, 2])
    with pytest.raises(ValueError, match="groups must name"):
        card_precision([1, 0], [1.0, 2.0], 1, ["a"], [1, 1])
    with pytest.raises(ValueError, match="n_orders"):
        card_precision([1, 0], [1.0, 2.0], 1, ["a", "b"], [1, 1], n_orders=0)


# The printed values of the Fraud Detection Handbook

HANDBOOK = Path(os.environ.get("ATTOP_MIRROR") or ROOT.parent / "shared/data") / "fraud-handbook"
FEATURES = [
    "TX_AMOUNT",
    "TX_DURING_WEEKEND",
    "TX_DURING_NIGHT",
    *[f"CUSTOMER_ID_{what}_{d}DAY_WINDOW" for d in (1, 7, 30) for what in ("NB_TX", "AVG_AMOUNT")],
    *[f"TERMINAL_ID_{what}_{d}DAY_WINDOW" for d in (1, 7, 30) for what in ("NB_TX", "RISK")],
]


@pytest.fixture(scope="module")
def handbook():
    """Return seven days to train on, and seven to test on a week later without customers known for fraud."""
    if not (HANDBOOK / "SHA256SUMS").exists():
        pytest.skip(f"the handbook's transactions are not in {HANDBOOK}")
    sums = dict(line.split()[::-1] for line in (HANDBOOK / "SHA256SUMS").read_text().splitlines())
    sums = {Path(name).name: digest for name, digest in sums.items()}
    dates = np.arange("2018-07-25", "2018-08-15", dtype="datetime64[D]")
    parts = [load_columns(HANDBOOK / f"{date}.pkl", sums[f"{date}.pkl"]) for date in dates]
    table = pd.DataFrame({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
    table = table.sort_values("TRANSACTION_ID")
    day = table["TX_TIME_DAYS"] - table["TX_TIME_DAYS"].min()
    train, tests = table[day < 7], []
    for d in range(14, 21):
        known = table["CUSTOMER_ID"][(table["TX_FRAUD"] == 1) & (day < d - 7)]
        tests.append(table[(day == d) & ~table["CUSTOMER_ID"].isin(known)])
    return train, pd.concat(tests)


def as_the_handbook_does(test, scores, k=100):
    """Precision of each day with tied cards in the order in which sorting the rows leaves them."""
    found, precision = set(), []
    test = test.assign(predictions=scores)
    for _, day in test.groupby("TX_TIME_DAYS"):
        day = day[~day["CUSTOMER_ID"].isin(found)][["predictions", "CUSTOMER_ID", "TX_FRAUD"]]
        checked = day.groupby("CUSTOMER_ID").max().sort_values("predictions", ascending=False).head(k)
        its = checked.index[checked["TX_FRAUD"] == 1]
        found |= set(its)
        precision.append(len(its) / k)
    return float(np.mean(precision))


@pytest.mark.parametrize(
    ("model", "printed", "low", "high"),
    [
        (LogisticRegression(random_state=0), 0.291, 0.291, 0.291),
        (DecisionTreeClassifier(max_depth=2, random_state=0), 0.241, 0.236, 0.397),
        (RandomForestClassifier(random_state=0, n_jobs=2), 0.287, 0.287, 0.289),
    ],
    ids=["logistic-regression", "tree", "forest"],
)
def test_printed_values_of_the_handbook(handbook, model, printed, low, high):
    train, test = handbook
    chain = make_pipeline(StandardScaler(), model).fit(train[FEATURES], train["TX_FRAUD"])
    scores = chain.predict_proba(test[FEATURES])[:, 1]
    found = card_precision(
        test["TX_FRAUD"], scores, 100, test["CUSTOMER_ID"], test["TX_TIME_DAYS"], n_orders=20
    )
    theirs = as_the_handbook_does(test, scores)
    assert round(theirs, 3) == printed
    assert (round(found.low, 3), round(found.high, 3)) == (low, high)
    assert found.low <= theirs <= found.high
