"""The board: each top by itself, over data sets."""

import numpy as np
import pandas as pd
import pytest

from attop_bench.report.compute.board import board
from support.comparisons import table


def timed(evaluation, seconds):
    """Runs of an evaluation, each method taking its seconds."""
    runs = evaluation[["dataset", "method", "repeat", "fold", "top"]].drop_duplicates()
    return runs.assign(
        status="ok",
        n_settings=1,
        seconds_selection=runs["method"].map(seconds).astype(float),
        seconds_training=0.0,
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
