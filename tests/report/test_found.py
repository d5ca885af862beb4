"""Found by one, missed by the other: counts of two lists against every order of tied items."""

from itertools import pairwise, permutations, product

import numpy as np
import pandas as pd
import pytest

from attop.extending import Top
from attop_bench.report.compute.found import compare_lists, found_by, tied_places
from attop_bench.report.page.report import build_report
from attop_bench.run.evaluation import listed_row
from support.made_up import METHODS
from support.pages import made_tables


def table(scores, y, k):
    """Return the lists of methods a and b, two folds drawn twice: scores by method, repeat and fold."""
    rows = []
    for (method, repeat, fold), values in scores.items():
        test = np.arange(len(y)) + len(y) * fold + 1
        key = {"dataset": "d", "method": method, "repeat": repeat, "fold": fold, "top": f"k={k}"}
        rows.append(key | listed_row(test, y, values, Top(k=k)))
    return pd.DataFrame(rows)


def lists(scores, k):
    """Return the first k of every order of tied items."""
    orders = permutations(range(len(scores)))
    return [set(o[:k]) for o in orders if all(scores[i] >= scores[j] for i, j in pairwise(o))]


@pytest.mark.parametrize("seed", range(4))
def test_two_lists_against_every_order_of_tied_items(seed):
    rng, k, y = np.random.default_rng(seed), 3, np.array([1, 0, 1, 0, 0, 1])
    scores = {key: rng.integers(0, 3, 6).astype(float) for key in product("ab", range(2), range(2))}
    expected, tied = np.zeros((2, 4)), []
    for repeat, fold in product(range(2), range(2)):
        of_a, of_b = (lists(scores[method, repeat, fold], k) for method in "ab")
        for a, b in product(of_a, of_b):
            for i, label in enumerate(y):
                place = 0 if i in a & b else 1 if i in a else 2 if i in b else 3
                expected[1 - label, place] += 1 / (len(of_a) * len(of_b)) / 2
        sure = set.intersection(*of_a)
        tied.append(k - len(sure))
    listed = table(scores, y, k)
    pair = compare_lists(listed, "a", "b")
    assert pair.positives == pytest.approx(expected[0])
    assert pair.others == pytest.approx(expected[1, :3])
    assert tied_places(listed).get("a", (0, k)) == pytest.approx((np.mean(tied), k))
    found = found_by(listed)
    assert found[["a", "b"]].sum().tolist() == pytest.approx([2 * k, 2 * k])
    assert found.loc[found["label"] == 1, "a"].sum() == pytest.approx(expected[0, :2].sum())
    assert found["row"].is_unique


def test_methods_without_a_shared_run_are_not_compared():
    listed = table({("a", 0, 0): np.arange(4.0), ("b", 0, 1): np.arange(4.0)}, np.array([0, 1, 0, 1]), 2)
    assert compare_lists(listed, "a", "b") is None
    assert compare_lists(listed, "a", "c") is None
    assert tied_places(listed) == {}


def test_a_top_beyond_the_test_part_lists_nothing():
    listed = table({("a", 0, 0): np.arange(4.0), ("b", 0, 0): np.arange(4.0)}, np.array([0, 1, 0, 1]), 9)
    pair = compare_lists(listed, "a", "b")
    assert (pair.positives, pair.others) == ([0, 0, 0, 2], [0, 0, 0])


@pytest.mark.usefixtures("undrawn")
def test_the_page_shows_the_two_leading_methods(tmp_path):
    tables, manifest = made_tables(1, 3, n_runs=1, tops=("k=2",))
    a, b, c = METHODS[:3]
    tables["evaluation"]["value"] = tables["evaluation"]["method"].map({a: 0.4, b: 0.5, c: 0.0})
    y, of_b = np.array([0, 1, 0, 1, 0]), np.array([1.0, 3, 2, 1, 0])
    listed = table({(b, 0, 0): of_b, (a, 0, 0): np.zeros(5), (c, 0, 0): of_b[::-1]}, y, 2)
    build_report(tables | {"listed": listed.assign(dataset="set-0")}, manifest, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    part = page[page.index('class="found"') :].partition("</details>")[0]
    cells = [cell.partition("<")[0] for cell in part.split('<td class="num">')[1:]]
    assert cells == ["0.4", "0.6", "0.4", "0.6", "0.4", "0.6", "0.8", ""]
    first, second = (manifest["methods"][m]["title"] for m in (b, a))
    assert part.index(f"{first} alone") < part.index(f"{second} alone")
    assert f"Ties at the cut decide 2.0 of 2 places of {second} in a test part" in part
