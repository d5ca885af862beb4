"""Parts of the lists of a run: the benchmark's table of counts has the shares that the library finds."""

import numpy as np
import pandas as pd
import pytest

from attop import Top
from attop.experiment import HeldOut, parts_at_top
from attop_bench.data.base import Dataset
from attop_bench.run.evaluation import _part_rows

pytestmark = pytest.mark.workflow

N, FOLDS = 120, 4
NAMES = ["north", "south", "never listed"]


def data_set(seed):
    rng = np.random.default_rng(seed)
    y = (rng.random(N) < 0.2).astype(int)
    y[:2] = 0, 1
    by = rng.integers(0, 2, N)
    scores = rng.integers(0, 6, N) + y * rng.random(N).round(1)
    by[0] = 2
    scores[0] = -1.0
    facts = {"by": {"column": "region", "names": NAMES}}
    return Dataset("d", np.zeros((N, 1)), y, facts=facts, by=by), scores


@pytest.mark.parametrize("top", [Top(k=5), Top(tau=0.2), Top(kappa=1)])
def test_the_tables_of_a_run_give_what_the_library_gives(top):
    data, scores = data_set(1)
    tests = np.split(np.arange(N), FOLDS)
    rows = [row for test in tests for row in _part_rows(data, test, scores[test], top)]
    counts = pd.DataFrame(rows).groupby("part").sum(numeric_only=True).loc[NAMES]
    made = pd.DataFrame(
        {
            "of_all": counts["rows"] / N,
            "positive": counts["positives"] / counts["rows"],
            "share": counts["among"] / counts["among"].sum(),
            "precision": counts["found"] / counts["among"],
        }
    )
    tested = [HeldOut(test, data.y[test], scores[test]) for test in tests]
    library = parts_at_top({"m": tested}, data.parts, top, 1 / 3, y=data.y).loc["m"]
    pd.testing.assert_frame_equal(made, library[list(made)], check_names=False)
    assert np.isnan(made.loc["never listed", "precision"])


def test_a_data_set_without_parts_has_no_rows():
    data, scores = data_set(2)
    without = Dataset("d", data.X, data.y)
    assert _part_rows(without, np.arange(N), scores, Top(k=5)) == []
