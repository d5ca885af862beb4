"""How the list differs from the rest, and what one column alone finds, beside what a reader would count."""

import math

import numpy as np
import pandas as pd
import pytest

from attop.experiment import Fold
from attop.metrics import precision_at_k
from attop_bench.data.columns.labels import shares_of_others
from attop_bench.deploy.reasons import differences, one_column

X = pd.DataFrame(
    {
        "amount": [9.0, 7.0, np.nan, 1.0, 2.0, 3.0],
        "town": ["a", "a", "b", "b", None, "c"],
        "same": 1.0,
        "flag": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
        "empty": [np.nan, np.nan, np.nan, 1.0, 2.0, 3.0],
    }
)
LISTED = np.array([True, True, True, False, False, False])


def test_differences_are_those_one_would_count():
    found = {one.what: one for one in differences(X, ["town"], LISTED)}
    assert list(found) == ["flag", "amount", "town = a", "same"]
    assert found["flag"].standardised == math.inf
    amount = found["amount"]
    assert (amount.listed, amount.rest) == (8, 2)
    assert amount.standardised == pytest.approx(6 / math.sqrt((1 + 2 / 3) / 2))
    town = found["town = a"]  # b has 1/3 and 1/2, c 0 and 1/2; of the rest one town is not known
    assert (town.listed, town.rest) == (pytest.approx(2 / 3), 0)
    assert town.is_share
    assert town.standardised == pytest.approx(2 / 3 / math.sqrt(2 / 9 / 2))
    assert found["same"].standardised == 0


def rows(n=300):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"up": rng.normal(size=n), "down": rng.normal(size=n), "town": rng.choice([*"abc"], n)}
    )
    table.loc[::7, "up"] = np.nan
    return table, rng


@pytest.mark.parametrize("column", ["up", "down", "town"])
def test_the_column_that_is_best_in_training_orders_the_test_part(column):
    table, rng = rows()
    risk = {"up": table["up"].fillna(-9), "down": -table["down"], "town": 2.0 * (table["town"] == "b")}[
        column
    ]
    y = (risk + rng.normal(size=300) > 1).to_numpy().astype(int)
    folds = [Fold(np.arange(150), np.arange(150, 300)), Fold(np.arange(150, 300), np.arange(150))]
    table.loc[299, "town"] = "new"

    def measure(its, scores):
        return precision_at_k(y[its], scores, 20)

    for fold, (order, scores) in zip(folds, one_column(table, ["town"], y, folds, measure), strict=True):
        train = table.iloc[fold.train]
        if column == "town":
            assert order == "`town` by its share of positives"
            counts = pd.Series(y[fold.train]).groupby(train["town"].to_numpy())
            mean = y[fold.train].mean()
            known = (counts.sum() + mean) / (counts.count() + 1)
            expected = [known.get(town, mean) for town in table["town"].iloc[fold.test]]
            np.testing.assert_allclose(scores, expected)
        else:
            assert order == f"`{column}`, {'highest' if column == 'up' else 'lowest'} first"
            ranks = [pd.Series(z).rank().to_numpy() for z in (scores, risk[fold.test])]
            np.testing.assert_array_equal(*ranks)


@pytest.mark.parametrize("rows_each", [1, 2, 4])
def test_many_categories_of_noise_are_not_the_best_column(rows_each):
    rng = np.random.default_rng(4)
    y = rng.random(1000) < 0.2
    zips = rng.permutation(np.arange(1000) // rows_each).astype(str)
    table = pd.DataFrame({"zip": zips, "score": y + rng.normal(0, 0.5, 1000)})
    folds = [Fold(np.arange(500), np.arange(500, 1000)), Fold(np.arange(500, 1000), np.arange(500))]

    def measure(part, scores):
        return precision_at_k(y[part], scores, 50)

    chosen = one_column(table, ["zip"], y.astype(int), folds, measure)
    assert [order for order, _ in chosen] == ["`score`, highest first"] * 2


def test_a_share_of_others_does_not_know_its_own_label():
    rng = np.random.default_rng(5)
    codes, y = rng.integers(0, 30, 400), rng.random(400) < 0.3
    for row in range(0, 400, 37):
        other = y.copy()
        other[row] = ~y[row]
        before, after = (shares_of_others(codes, labels) for labels in (y, other))
        assert after[row] == pytest.approx(before[row], abs=1 / 400)  # through the mean alone
