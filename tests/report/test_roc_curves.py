"""ROC curves of several runs, read at the same rates."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from attop_bench.report.figures.curves import left_end, mean_roc


def curve(fp, tp):
    """Return the table of one run, with its corners."""
    return pd.DataFrame([{"fp": fp, "tp": tp, "n_neg": fp[-1], "n_pos": tp[-1]}])


def test_roc_is_read_as_the_staircase_it_is():
    # Ranked + - + -: up to (0, 1), right to (1, 1), up to (1, 2), right to (2, 2).
    at = np.array([0.0, 0.25, 0.49, 0.5, 0.75, 1.0])
    assert mean_roc(curve([0, 0, 1, 1, 2], [0, 1, 1, 2, 2]), at)[0].tolist() == [0.5, 0.5, 0.5, 1.0, 1.0, 1.0]
    # With a tie of everything: the diagonal; with the negatives first: up at the right end.
    assert mean_roc(curve([0, 2], [0, 2]), at)[0] == pytest.approx(at)
    assert mean_roc(curve([0, 2, 2], [0, 0, 2]), at)[0].tolist() == [0, 0, 0, 0, 0, 1.0]


def test_area_under_the_read_curve_is_the_share_of_ordered_pairs():
    rng = np.random.default_rng(3)
    y = np.array([0] * 20 + [1] * 12)
    scores = rng.permutation(len(y)) + 6.5 * y  # no ties
    ranked = y[np.argsort(-scores)]
    run = curve([0, *np.cumsum(1 - ranked)], [0, *np.cumsum(ranked)])
    middle = (np.arange(20) + 0.5) / 20  # the curve is flat between two negatives, so midpoints are exact
    pairs = np.mean(scores[y == 1][:, None] > scores[y == 0])
    assert mean_roc(run, middle)[0].mean() == pytest.approx(pairs, abs=1e-12)


def test_mean_roc_averages_rates_of_runs_with_different_counts():
    runs = pd.DataFrame(
        {"fp": [[0, 0, 2], [0, 4], [0, 0]], "tp": [[0, 3, 3], [0, 1], [0, 5]]}
        | {"n_neg": [2, 4, 0], "n_pos": [3, 1, 5]}
    )
    mean, n = mean_roc(runs, np.array([0.0, 0.5, 1.0]))
    assert n == 2  # a run without a negative has no rates
    assert mean.tolist() == [0.5, 0.75, 1.0]
    assert np.isnan(mean_roc(runs[:0], np.array([0.5]))[0]).all()


def test_left_end_follows_the_top():
    assert left_end("k=10", 1000, 50, grouped=False) == 0.02
    assert left_end("k=2", 1000, 50, grouped=False) == 0.01  # at least 10 negatives
    assert left_end("k=500", 1000, 50, grouped=False) == 0.1
    assert left_end("k=5000", 1000, 50, grouped=False) == 0.1
    assert left_end("tau=0.01", 990, 10, grouped=False) == pytest.approx(20 / 990)
    assert left_end("k=5", 100_000, 50, grouped=True) == 0.1
