"""Three ways to train the methods of pAp@k's table 3."""

import numpy as np
import pandas as pd
import pytest
from studies.movielens import findings, orderings, side_by_side
from studies.movielens.code import SharedCut, cross_entropy, descend, greedy_of, one_number_for_all_weights
from studies.movielens.ways import ways
from studies.papk2020 import PRINTED

from attop.surrogates import PrecAtKAvg
from attop_bench.data.build import make
from attop_bench.papers.findings import printed_numbers
from support.movielens import as_printed


def _users(rng, n_users=6):
    groups = np.repeat(np.arange(n_users), 14)
    y = (rng.random(len(groups)) < 0.35).astype(int)
    y[::14] = 1
    y[groups == n_users - 1] = 0  # one without a positive
    return y, groups


def _value(scores, y, groups, k, cut):
    """Mean over users of avg at one k', by the definition; and of it divided by min(n+, k + 1)."""
    plain, divided = [], []
    for g in np.unique(groups):
        its = groups == g
        pos = np.sort(scores[its & (y == 1)])[::-1]
        neg = np.sort(scores[its & (y == 0)])[::-1]
        if not len(pos) or len(neg) < k:
            continue
        most = min(len(pos), k)
        right = min(cut, most)
        rate = (most - right) / (len(pos) - right) if len(pos) > right else 0.0
        value = (k - right) + neg[: k - right].sum() - rate * pos[right:].sum()
        plain.append(value)
        divided.append(value / min(len(pos), k + 1))
    return np.mean(plain), np.mean(divided)


@pytest.mark.parametrize("seed", range(15))
def test_one_cut_for_all_users_by_enumeration(seed):
    rng = np.random.default_rng(seed)
    y, groups = _users(rng)
    k, scores = int(rng.integers(1, 6)), rng.normal(size=(len(y), 2))
    values, C = SharedCut(y, groups, k)(scores)
    for j in range(2):
        by_cut = [_value(scores[:, j], y, groups, k, cut) for cut in range(k + 1)]
        best = int(np.argmax([plain for plain, _ in by_cut]))
        assert values[j] == pytest.approx(by_cut[best][1])
        # The coefficients are the gradient of what is not divided, at that cut.
        step = 1e-6 * rng.normal(size=len(y))
        ahead = _value(scores[:, j] + step, y, groups, k, best)[0]
        assert C[:, j] @ step == pytest.approx(ahead - by_cut[best][0], rel=1e-4, abs=1e-12)


def test_one_cut_for_one_user_is_the_surrogate():
    rng = np.random.default_rng(0)
    y, scores = np.repeat([1, 0], [7, 20]), rng.normal(size=27)
    value, coef = SharedCut(y, np.zeros(27, int), 4)(scores[:, np.newaxis])
    expected, slope = PrecAtKAvg(4).value_and_coef(scores, y)
    assert value[0] * 5 == pytest.approx(expected)
    np.testing.assert_allclose(coef[:, 0], slope)


def test_one_number_moves_all_weights_alike():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(50, 4)) + 0.5, rng.integers(0, 2, 50)
    start = np.random.RandomState(3).standard_normal(4)
    moved = one_number_for_all_weights(X, y, np.random.RandomState(3)) - start / np.linalg.norm(start)
    np.testing.assert_allclose(moved, moved[0])
    assert abs(moved[0]) > 1e-6


def test_the_iterate_kept_is_that_of_the_lowest_loss_or_the_next():
    X, y = np.array([[1.0], [-1.0]]), np.array([1, 0])
    common = {"eta": np.array([1.0]), "lam": np.array([0.0]), "steps": 3}
    start = np.zeros((1, 1))
    in_time = descend(X, cross_entropy(y), start, **common)
    late = descend(X, cross_entropy(y), start, **common, late=True)
    w = [0.0]
    for t in range(3):
        w.append(w[-1] + 1 / np.sqrt(t + 1) / (1 + np.exp(w[-1])))
    np.testing.assert_allclose([in_time[0, 0], late[0, 0]], w[2:])


def test_greedy_combines_classifiers_of_its_own():
    rng = np.random.default_rng(2)
    y, groups = _users(rng, 12)
    X = rng.normal(size=(len(y), 3)) + np.outer(y, [1.0, 0.0, 0.0])
    w = greedy_of(X, y, groups, 2, lambda A, b: A[b == 1].mean(axis=0), np.random.RandomState(0))
    assert w[0] > 2 * abs(w[1:]).max()


def test_every_method_is_trained_in_every_way_that_is_known():
    data = make("ratings", 0, n_users=40, n_items=120, n_rated=(40, 80))
    few = {"split": 1, "n_starts": 2, "n_worded": 2, "tops": (2,), "worded_tops": (2,), "steps": 4}
    table = ways(0, {"movielens": data}, **few)
    starts = table.groupby(["way", "method"])["start"].count().unstack("method")
    assert (starts.loc["words", ["gd-papk-avg", "svm-pauc", "sgd-avg"]] == 2).all()
    assert (starts.loc["exact"].dropna() == 1).all()
    assert set(starts.loc["code"].dropna().index) == {
        "gd-papk-avg", "gd-papk-max", "gd-papk-ts", "svm-pauc", "sgd-avg", "greedy-papk",
    }  # fmt: skip
    assert set(starts.loc["reference"].dropna().index) == {
        "random", "item-mean", "u.v", "logistic-regression",
    }  # fmt: skip
    assert table["value"].between(0, 1).all()
    assert (table["split"] == 1).all()
    again = ways(0, {"movielens": data}, **few)
    assert table.equals(again)
    assert ways(0, {}, split=0).empty


def test_orderings_are_explained_by_the_ways_in_which_they_hold():
    printed = printed_numbers(PRINTED)
    table = side_by_side(
        pd.concat([as_printed(0), as_printed(1)]), printed[printed["dataset"] == "movielens"]
    )
    found = orderings(table)
    assert len(found) == 5 * 21
    select = (found["higher"] == "select-papk") | (found["lower"] == "select-papk")
    assert (found.loc[~select, "cause"] == "the code").all()
    assert found.loc[~select, "code"].eq(True).all()
    assert (found.loc[select, "cause"] == "none").all()
    assert found.loc[select, "code"].isna().all()
    row = table[(table["method"] == "svm-pauc") & (table["way"] == "code") & (table["k"] == 8)].iloc[0]
    assert row["mean"] == pytest.approx(0.349 + 0.001)
    assert row["spread"] == pytest.approx(0)
    assert row["spread_starts"] == pytest.approx(np.std([0, 0.002], ddof=1))
    assert row["printed"] == 0.349
    (table,) = findings({"ways": table, "orderings": found}).tables
    assert f"Of 105 printed orders of two methods {found['words'].eq(True).sum()} hold" in table.note
