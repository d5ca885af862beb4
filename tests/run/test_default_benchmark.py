"""The default benchmark: that it can tell methods apart, in the time of README's first command."""

from collections import Counter

import numpy as np
import pytest

from attop_bench.data.build import make
from attop_bench.data.splits.protocols import make_folds
from attop_bench.run.config import load_config, read_yaml
from attop_bench.run.plan import Plan
from support import ROOT


@pytest.fixture(scope="module")
def default():
    return load_config(read_yaml(ROOT / "config/config.yaml"), ROOT)


def test_every_set_has_runs_enough_to_be_tested(default):
    runs = list(Plan(default).runs())
    of_set = Counter((run.dataset, run.method) for run in runs)
    assert min(of_set.values()) >= 5
    assert len(runs) <= 400, "each takes about half a second of a core"


def test_its_smallest_set_trains_on_more_than_it_tests(default):
    """With test parts that overlap, the error of a mean hardly falls with their number."""
    entry = default.dataset("wdbc")
    data = make(entry.kind, default.seed, **entry.params)
    folds = make_folds(entry.protocol.kind, data, 0, default.seed, **entry.protocol.options)
    tested = np.concatenate([fold.test for fold in folds])
    assert len(np.unique(tested)) == len(tested)
    assert all(len(fold.test) < len(fold.train) / 2 for fold in folds)


def test_sets_that_are_made_say_so(default):
    titles = {data.id: data.title for data in default.datasets}
    assert "digits" in titles["images"]
    assert all("simulated" in titles[name] for name in ("fraud-stream", "many-users"))


def test_a_method_that_is_left_out_of_a_set_has_a_reason(default):
    for data in default.datasets:
        left_out = {m.id for m in default.methods} - {
            run.method for run in Plan(default).runs() if run.dataset == data.id
        }
        assert left_out <= data.skip.keys()
        assert all(data.skip[name] for name in left_out)
