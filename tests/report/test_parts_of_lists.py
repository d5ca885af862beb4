"""Parts of the lists of a run: the benchmark's table of counts, and the shares that the library finds."""

import numpy as np
import pandas as pd
import pytest

from attop import Top
from attop.experiment import HeldOut, parts_at_top
from attop_bench.data.base import Dataset
from attop_bench.report.compute.parts import parts_of_lists
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
    rows, runs = [], []
    for fold, test in enumerate(tests):
        key = {"dataset": "d", "method": "m", "repeat": 0, "fold": fold, "top": str(top)}
        rows += [key | row for row in _part_rows(data, test, scores[test], top)]
        runs.append(key | {"n_test": len(test), "n_train": N - len(test)})
    found = parts_of_lists(pd.DataFrame(rows), pd.DataFrame(runs), {"d": 2.0}).set_index("part")
    tested = [HeldOut(test, data.y[test], scores[test]) for test in tests]
    # Two rows of each entity are worth one.
    expected = parts_at_top({"m": tested}, data.parts, top, 1 / 3, y=data.y, entity=np.arange(N) // 2)
    expected = expected.loc["m"]
    assert found.index.tolist() == expected.index.tolist() == NAMES
    same = [c for c in expected if c.startswith(("share", "precision", "of_all", "positive"))]
    alike = [c for c in same if not c.endswith(("_low", "_high"))]
    pd.testing.assert_frame_equal(found[alike], expected[alike], check_names=False)
    assert found.loc["never listed", "share"] == 0
    assert np.isnan(found.loc["never listed", "precision"])
    plain = parts_at_top({"m": tested}, data.parts, top, 1 / 3, y=data.y).loc["m"]
    independent = parts_of_lists(pd.DataFrame(rows), pd.DataFrame(runs)).set_index("part")
    pd.testing.assert_frame_equal(independent[same], plain[same], check_names=False)
    assert (found["share_high"] - found["share_low"] >= plain["share_high"] - plain["share_low"]).all()


def test_a_data_set_without_parts_has_no_rows():
    data, scores = data_set(2)
    without = Dataset("d", data.X, data.y)
    assert _part_rows(without, np.arange(N), scores, Top(k=5)) == []
    assert parts_of_lists(pd.DataFrame(columns=["dataset", "method", "top", "column"]), pd.DataFrame()).empty
