"""The ways of the page are those it names, on the same splits."""

import numpy as np

from attop_bench.data.build import make
from studies import further


def test_positives_above_a_negative_are_counted_strictly():
    y, scores = np.array([1, 1, 0, 1, 0, 0]), np.array([5.0, 4, 4, 3, 2, 1])
    assert [further.above(y, scores, rank) for rank in (1, 2, 3)] == [1, 3, 3]


def test_a_claim_is_shown_by_its_splits():
    rows = further.push(0, {"wdbc": make("wdbc")}, splits=6)
    results = {"push": rows, "kernels": rows.assign(claim="AATP, b: c", first=rows["second"] + 1)}
    results["queries"] = results["kernels"].assign(claim="PREC, d: e").iloc[:3]
    table = further.tables(results, {})["further"].set_index("claim")
    assert list(table["splits"]) == [12, 6, 6, 3]
    assert table.at["AATP, b: c", "p"] < 0.05 < table.at["PREC, d: e", "p"]
    page = further.findings({"further": table.reset_index()})
    assert "Of 4 comparisons the first way is shown to be above the second in 1, " in page.verdict[0]
