"""Methods over many partitions: who is tested against whom, and what is said of it."""

import pandas as pd
import pytest
from studies.partitions.partitions import partition_tables

import oracles.statistics as oracle
from attop_bench.report.compute.tables import summarise


def _tables(datasets, value, n=8):
    names = ["dataset", "method", "repeat", "fold", "top"]
    keys = [(d, m, r, 0, "k=1") for d in datasets for m in "abc" for r in range(n)]
    evaluation = pd.DataFrame(
        [(*key, "precision@k", value(key[1], key[2]), None) for key in keys],
        columns=[*names, "metric", "value", "reason"],
    )
    runs = pd.DataFrame(
        [(*key, "ok", key[1] == "c", 20, 10) for key in keys],
        columns=[*names, "status", "constant", "n_train", "n_test"],
    )
    return {"evaluation": evaluation, "runs": runs, "summary": summarise(evaluation, runs)}


def test_pairs_are_tested_over_the_partitions_they_share():
    # b is below a by a little more on every partition; c is a.
    tables = _tables(["d.raw", "d"], lambda m, r: 0.5 + 0.01 * r - (m == "b") * 0.01 * (r + 1))
    means, tests, values = partition_tables(tables, "precision@k", ["a"]).values()
    assert len(values) == 3 * 8
    assert means[["dataset", "preparation", "method", "n", "constant"]].to_numpy().tolist() == [
        ["d", "raw", "a", 8, 0],
        ["d", "raw", "b", 8, 0],
        ["d", "raw", "c", 8, 8],
    ]
    against = tests.set_index("rival")
    assert list(against.index) == ["b", "c"]
    assert against.loc["b", "p"] == pytest.approx(2 / 2**8)  # all signs alike; one test to adjust for
    a, b = ([0.01 * r - 0.01 * w * (r + 1) for r in range(8)] for w in (0, 1))
    expected = oracle.corrected_t(a, b, 0.5)[-1]
    assert against.loc["b", "p_corrected"] == pytest.approx(expected)
    assert against.loc["b", "verdict"] == "above"
    assert against.loc["c", "verdict"] == "open"
    assert against.loc["c", "partitions_equal"] == 8
    assert "p_printed" not in tests
    printed = partition_tables(tables, "precision@k", ["b"], {"d": {"a"}})["tests"].set_index("rival")
    assert printed["p"].tolist() == pytest.approx([4 / 2**8] * 2)
    assert printed.loc["a", "p_printed"] == pytest.approx(2 / 2**8), (
        "of the paper's rivals it is the only one"
    )
    assert printed.loc["c", ["p_printed"]].isna().all()
    lower = partition_tables(tables, "precision@k", ["b"])["tests"].set_index("rival")
    assert lower["verdict"].tolist() == ["below", "below"]
    assert lower["p"].tolist() == pytest.approx([4 / 2**8] * 2)  # Holm


def test_other_data_sets_are_no_partitions():
    assert partition_tables(_tables(["d", "d.other"], lambda m, r: 0.1), "precision@k", ["a"]) == {}
