"""The matrix of what may be compared over data sets, and the board: each top by itself."""

import numpy as np
import pandas as pd
import pytest

from attop_bench.report.compute.across import board, metric_matrix
from support.comparisons import COLUMNS, table


def timed(evaluation, seconds):
    """Runs of an evaluation, each method taking its seconds."""
    runs = evaluation[["dataset", "method", "repeat", "fold", "top"]].drop_duplicates()
    return runs.assign(
        status="ok",
        n_candidates=1,
        seconds_selection=runs["method"].map(seconds).astype(float),
        seconds_training=0.0,
        seconds_cpu=0.0,
        seconds_scoring=0.0,
        peak_memory_mb=1.0,
    )


def test_board_is_what_each_top_says_by_itself():
    values = [pd.DataFrame(np.random.default_rng(s).random((7, 3)), columns=list("abc")) for s in (0, 1)]
    tops = [{d: f"k={k + d}" for d in range(7)} for k in (1, 20)]  # others on each data set
    parts = [table(v, folds=(0.0,)) for v in values]
    for part, top in zip(parts, tops, strict=True):
        part["top"] = part["dataset"].map({str(d): t for d, t in top.items()})
    evaluation = pd.concat(parts, ignore_index=True)
    runs = timed(evaluation, {"a": 1.0, "b": 2.0, "c": 3.0})
    found = board(evaluation, runs, {str(d): "precision@k" for d in range(7)}, {})
    assert list(dict.fromkeys(found["top"])) == ["1 of 2", "2 of 2"]
    for name, v in zip(("1 of 2", "2 of 2"), values, strict=True):
        its = found[found["top"] == name].set_index("method")
        gaps = 100 * v.rsub(v.max(axis=1), axis=0)
        for m in "abc":
            assert its.at[m, "mean"] == pytest.approx(v[m].mean())
            assert its.at[m, "regret"] == pytest.approx(gaps[m].mean())
            assert its.at[m, "worst"] == pytest.approx(gaps[m].max())
            assert its.at[m, "regret_low"] < its.at[m, "regret"] < its.at[m, "regret_high"]
            assert its.at[m, "rank"] == pytest.approx(v.rank(axis=1, ascending=False)[m].mean())
            slower = [o for o in "abc" if o < m]
            assert its.at[m, "pareto"] == all(gaps[m].mean() < gaps[o].mean() for o in slower)
        assert its["p_best"].sum() == pytest.approx(1)
        assert its["p_best"].idxmax() == gaps.mean().idxmin()
        assert its["seconds"].to_dict() == pytest.approx({"a": 1, "b": 2, "c": 3})
        assert its["rank"].is_monotonic_increasing


def test_board_knows_when_there_is_nothing_to_average():
    values = pd.DataFrame([[0.1, 0.3], [0.2, 0.1]] * 3, columns=["a", "b"])
    evaluation = table(values)
    runs, metrics = timed(evaluation, {"a": 1.0, "b": 2.0}), {str(d): "precision@k" for d in range(6)}
    assert set(board(evaluation, runs, metrics, {})["top"]) == {"k=5"}
    more = pd.concat([evaluation, evaluation[evaluation["dataset"] == "0"].assign(top="k=9")])
    assert board(more, runs, metrics, {}).empty  # tops of one data set have no counterpart on the others
    assert board(evaluation[evaluation["dataset"] == "0"], runs, metrics, {}).empty
    assert board(evaluation, runs, {}, {}).empty  # no metric was named


def matrix_of(values, methods=()):
    """Return the matrix of {(dataset, method): values per fold}."""
    metric = "precision@k"
    rows = [(d, m, 0, f, "k=5", metric, v) for (d, m), vs in values.items() for f, v in enumerate(vs)]
    evaluation = pd.DataFrame(rows, columns=COLUMNS[:-1])
    datasets = list(dict.fromkeys(evaluation["dataset"]))
    titles = {m: m for m in methods or evaluation["method"]}
    return metric_matrix(evaluation, dict.fromkeys(datasets, metric), dict.fromkeys(datasets, "k=5"), titles)


class TestMatrix:
    def test_runs_are_averaged(self):
        matrix = matrix_of({("x", "a"): [0.2, 0.4], ("x", "b"): [0.6, 0.8]})
        assert matrix.scores.loc["x"].tolist() == pytest.approx([0.3, 0.7])
        assert matrix.without_datasets == matrix.without_methods == {}

    def test_missing_is_left_out_with_reason(self):
        nan = np.nan
        values = {
            ("x", "a"): [0.2, 0.4],
            ("x", "b"): [0.6, nan],
            ("y", "a"): [0.1, nan],
            ("y", "b"): [0.3, nan],
            ("z", "a"): [nan, nan],
            ("v", "a"): [0.5, 0.5],
            ("v", "b"): [0.5, np.inf],
            ("u", "a"): [0.5],
            ("u", "b"): [0.5],
        }
        matrix = matrix_of(values, ["a", "b", "c"])
        assert list(matrix.scores.index) == ["y", "u"]
        assert list(matrix.scores.columns) == ["a", "b"]
        assert matrix.without_datasets == {
            "x": "b has 1 of 2 runs",
            "z": "no method has a value of precision@k at k=5",
            "v": "b has 1 of 2 runs",
        }
        assert matrix.without_methods == {"c": "complete on 0 of 4 data sets"}
        assert matrix.counts.loc["x"].tolist() == [2, 1, 0]

    def test_what_lacks_most_is_left_out(self):
        values = {(d, m): [0.5] for d in "uvwxyz" for m in "abcde"}
        for hole in [("u", "a"), ("v", "b"), *(("z", m) for m in "cde")]:
            del values[hole]
        matrix = matrix_of(values, list("abcde"))
        # z lacks 3 of 5, then a as much as u (1 of 5), then v 1 of 4 and b 1 of 5
        assert matrix.without_datasets == {
            "v": "b has 0 of 1 runs",
            "z": "c has 0 of 1 runs, d has 0 of 1 runs and e has 0 of 1 runs",
        }
        assert matrix.without_methods == {"a": "complete on 5 of 6 data sets"}
        assert matrix.scores.shape == (4, 4)
