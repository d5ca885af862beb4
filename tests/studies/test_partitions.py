"""Methods over many partitions: who is tested against whom, and what is said of it."""

from pathlib import Path

import pandas as pd
import pytest
from studies.partitions.partitions import partition_tables

import oracles.statistics as oracle
from attop.statistics import wilcoxon
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
    assert printed["verdict"].tolist() == ["below", "below"]
    assert printed["p"].tolist() == pytest.approx([4 / 2**8] * 2)  # Holm
    assert printed.loc["a", "p_printed"] == pytest.approx(2 / 2**8), (
        "of the paper's rivals it is the only one"
    )
    assert printed.loc["c", ["p_printed"]].isna().all()


def test_other_data_sets_are_no_partitions():
    assert partition_tables(_tables(["d", "d.other"], lambda m, r: 0.1), "precision@k", ["a"]) == {}


PAPERS = Path(__file__).parents[2] / "docs" / "papers"
PARTITIONS = ["dataset", "preparation", "top", "method"]


def _published(paper, name):
    return pd.read_csv(PAPERS / paper / name)


def _adjusted(pairs, family):
    """Return p of Wilcoxon's test of each pair of columns, adjusted by Holm within a family."""
    p = pd.Series([wilcoxon(x, y).p for x, y in pairs.values()]).fillna(1.0)
    families = [repr(family(key)) for key in pairs]
    return p.groupby(families).transform(lambda its: oracle.holm(its.to_numpy()))


@pytest.mark.parametrize("paper", ["aatp2012", "prec2015"])
def test_published_tests_are_those_of_the_published_values(paper):
    tests, values = _published(paper, "tests.csv"), _published(paper, "values.csv.gz")
    wide = values.pivot(index=["repeat", "fold"], columns=PARTITIONS, values="value")
    keys = list(tests[[*PARTITIONS, "rival"]].itertuples(index=False, name=None))
    pairs = {key: (wide[key[:4]].dropna(), wide[(*key[:3], key[4])].dropna()) for key in keys}
    assert list(_adjusted(pairs, lambda key: key[:4])) == pytest.approx(list(tests["p"].fillna(1.0)))
    if "p_printed" in tests:
        named = tests["p_printed"].notna().tolist()
        ours = {key: pairs[key] for key, its in zip(keys, named, strict=True) if its}
        assert list(_adjusted(ours, lambda key: key[:4])) == pytest.approx(list(tests["p_printed"].dropna()))


def test_published_tests_of_the_push_are_those_of_the_published_values():
    values = _published("pnorm2005", "values.csv.gz").fillna({"rounds": 0, "rank": 0})
    case = ["dataset", "part", "rounds", "rank"]
    wide = values.pivot(index="repeat", columns=[*case, "p"], values="value")
    tests = _published("pnorm2005", "rounds_tests.csv")
    pairs = {
        key: (wide[(*key[:3], 0, key[3])].dropna(), wide[(*key[:3], 0, 1)].dropna())
        for key in tests[["dataset", "part", "rounds", "p"]].itertuples(index=False, name=None)
    }
    expected = tests["p_value"].fillna(1.0)
    assert list(_adjusted(pairs, lambda key: key[:3])) == pytest.approx(list(expected))
    ranks = _published("pnorm2005", "ranks.csv")
    pairs = {
        key: (wide[(*key[:2], 0, key[2], 64)], wide[(*key[:2], 0, key[2], 1)])
        for key in ranks[["dataset", "part", "rank"]].itertuples(index=False, name=None)
    }
    assert list(_adjusted(pairs, lambda key: key[:2])) == pytest.approx(list(ranks["p_value"]))


def test_published_tests_beyond_the_tables_are_those_of_the_published_values():
    values, table = _published("further", "values.csv.gz"), _published("further", "further.csv")
    cases = values.groupby(["claim", "dataset"], sort=False)
    pairs = {key: (its["first"], its["second"]) for key, its in cases}
    assert list(pairs) == list(table[["claim", "dataset"]].itertuples(index=False, name=None))
    assert list(_adjusted(pairs, lambda key: 0)) == pytest.approx(list(table["p"]))
    assert cases[["first", "second"]].mean().to_numpy() == pytest.approx(
        table[["first", "second"]].to_numpy()
    )
