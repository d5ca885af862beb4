"""What the manifest says of data sets, beyond their own counts."""

from dataclasses import replace

from attop.statistics import likeness_within
from attop_bench.data.build import make
from attop_bench.data.splits.protocols import make_folds
from attop_bench.run.manifest import manifest
from support.small_run import configured


def test_rows_of_a_card_are_alike_within_a_window_of_time():
    """Of weeks it has few rows in each; of all days many more."""
    options = {"n_folds": 3, "train": 10, "delay": 3, "test": 5, "inner_train": 6, "inner_folds": 2}
    entry = {
        "id": "cards",
        "kind": "fraud-stream",
        "params": {"n_customers": 80, "n_terminals": 60},
        "protocol": {"kind": "prequential", "repeats": 1, "options": options},
        "tops": [{"k": 5}],
    }
    given = configured(datasets=[entry], methods=[{"id": "logistic-regression"}], metrics=["precision@k"])
    data = replace(make("fraud-stream", given.seed, **entry["params"]), name="cards")
    said = manifest(given, {"cards": data})["datasets"]["cards"]
    tests = [fold.test for fold in make_folds("prequential", data, 0, given.seed, **options)]
    assert said["design_effect"] == likeness_within(tests, data.y, data.entity)
    assert 1 < said["design_effect"] < data.summary()["design_effect"] / 3
