"""The ways of the page are those it names, on the same splits."""

import numpy as np
from sklearn.linear_model import LogisticRegression
from studies.announced import curves

from attop_bench.data.build import make
from studies import further


def test_positives_above_a_negative_are_counted_strictly():
    y, scores = np.array([1, 1, 0, 1, 0, 0]), np.array([5.0, 4, 4, 3, 2, 1])
    assert [further.above(y, scores, rank) for rank in (1, 2, 3)] == [1, 3, 3]


def test_a_claim_is_shown_by_its_splits():
    rows = further.push(0, {"housing": make("wdbc")}, splits=6)
    results = {"push": rows, "kernels": rows.assign(claim="AATP, P@5%: c", first=rows["second"] + 1)}
    results["queries"] = results["kernels"].assign(claim="PREC, d: e").iloc[:3]
    results["boosters"] = results["kernels"].assign(claim="PUSH, AUC, f: g").iloc[:0]
    results |= {"curves": curves(0, {"pima": make("wdbc", n_features=2)}, 1), "large": "of one run"}
    table = further.tables(results, {})["further"].set_index("claim")
    assert list(table["splits"]) == [24, 6, 6, 6, 6, 3]
    assert table.at["AATP, P@5%: c", "p"] < 0.05 < table.at["PREC, d: e", "p"]


def test_the_better_candidate_of_half_of_the_queries_is_trained_on_all():
    rng = np.random.default_rng(0)
    groups, X = np.repeat(np.arange(20), 10), rng.normal(size=(200, 2))
    y = (X[:, 0] + 0.1 * rng.normal(size=200) > 0.8).astype(int)
    costs = [{"C": 1e-8}, {"C": 10.0}]
    chosen = further._chosen(LogisticRegression(), costs, X * [1, 0.01], y, groups)
    np.testing.assert_allclose(chosen.coef_, LogisticRegression(C=chosen.C).fit(X * [1, 0.01], y).coef_)
