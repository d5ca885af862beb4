"""Training comes before the test, by as long as labels take to arrive."""

import numpy as np
import pytest

from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.splits.protocols import make_folds, prequential
from oracles.datasets import prequential_window


def stream(n_days=40, seed=0, n=1500):
    """Labels, days and customers; rows in random order, some customers positive on many days."""
    rng = np.random.default_rng(seed)
    entity = rng.integers(0, 300, n)
    y = ((entity % 9 == 0) & (rng.random(n) < 0.4) | (rng.random(n) < 0.1)).astype(int)
    day = rng.integers(0, n_days, n)
    day[:2] = 0, n_days - 1
    return y, day + 17_000, entity


@pytest.mark.parametrize(
    ("n_folds", "windows", "inner_folds", "inner"),
    [
        (1, (7, 7, 7), 1, (None, None, None)),
        (3, (5, 0, 4), 2, (None, 2, 1)),
        (4, (9, 3, 1), 3, (3, 0, None)),
        (1, (13, 10, 3), 4, (2, 1, 2)),
    ],
)
@pytest.mark.parametrize("drop_known", [True, False])
def test_prequential_rows_are_those_of_the_definition(n_folds, windows, inner_folds, inner, drop_known):
    y, day, entity = stream()
    train, delay, test = windows
    names = ("inner_train", "inner_delay", "inner_test")
    options = dict(zip(names, inner, strict=True)) | {"train": train, "delay": delay, "test": test}
    options |= {"n_folds": n_folds, "inner_folds": inner_folds, "drop_known": drop_known}
    folds = prequential(y, day=day, entity=entity, **options, seed=0)
    inner = [a if b is None else b for a, b in zip(windows, inner, strict=True)]
    who = entity if drop_known else np.arange(len(y)) + 1000
    end = day.max() + 1
    assert len(folds) == n_folds
    for f, fold in enumerate(folds):
        last = end - (n_folds - 1 - f) * test
        fit, held = prequential_window(y, day, who, last, *windows)
        assert (fold.train.tolist(), fold.test.tolist()) == (fit, held)
        assert fold.refit
        assert len(fold.inner) == inner_folds
        for i, pair in enumerate(fold.inner):
            before = last - test - delay - (inner_folds - 1 - i) * inner[2]
            assert [rows.tolist() for rows in pair] == list(prequential_window(y, day, who, before, *inner))


def test_a_customer_found_in_the_delay_leaves_the_test_when_the_label_arrives():
    # Ann's fraud on day 3, one day after training ended, is known from day 6 on: a delay of 2 days.
    day = np.array([0, 1, 2, 3, 4, 5, 5, 6, 6, 5, 6])
    who = np.array([7, 8, 9, 1, 8, 1, 9, 1, 9, 2, 2])
    y = np.array([1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1])
    options = {"train": 3, "delay": 2, "test": 2, "inner_folds": 1, "seed": 0}
    options |= {"inner_train": 1, "inner_delay": 0, "inner_test": 2}
    y[1] = 0
    with pytest.raises(ValueError, match=r"training window of inner fold 0 of fold 0 needs .*inner_train"):
        prequential(y, day=day, entity=who, **options)
    day, who, y = (np.concatenate([a, b]) for a, b in ((day, [0, 1]), (who, [5, 6]), (y, [0, 1])))
    [fold] = prequential(y, day=day, entity=who, **options)
    assert fold.test.tolist() == [5, 6, 8, 9, 10]
    [fold] = prequential(y, day=day, entity=who, drop_known=False, **options)
    assert fold.test.tolist() == [5, 6, 7, 8, 9, 10]
    [alone] = prequential(y, day=day, **options)
    assert alone.test.tolist() == fold.test.tolist()


def test_prequential_refuses_what_the_data_cannot_give():
    y, day, entity = stream(20)
    with pytest.raises(DatasetError, match=r"2 folds need 28 days .*there are 20: lower n_folds"):
        prequential(y, day=day, n_folds=2, seed=0)
    with pytest.raises(DatasetError, match=r"2 inner folds of fold 0 need 16 days .*there are 6: lower in"):
        prequential(y, day=day, train=4, delay=8, test=6, inner_test=2, seed=0)
    for option, value in (("train", 0), ("delay", -1), ("test", 2.5), ("inner_folds", 0), ("inner_test", 0)):
        with pytest.raises(DatasetError, match=f"prequential split: {option} must be"):
            prequential(y, day=day, **{option: value}, seed=0)
    short = {"train": 4, "delay": 1, "test": 2, "inner_folds": 1, "seed": 0}
    with pytest.raises(ValueError, match=r"the test window of fold 0 needs.*give test more days"):
        prequential(np.where(day >= day.max() - 1, 0, y), day=day, **short)
    toy = Dataset("toy", np.zeros((len(y), 1)), y, entity=entity)
    with pytest.raises(DatasetError, match=r"'prequential' needs the day of each row.*as day"):
        make_folds("prequential", toy, 0, 0)
    with pytest.raises(DatasetError, match="days must be integers, got dtype float64"):
        Dataset("toy", np.zeros((3, 1)), [1, 0, 0], day=[0.5, 1, 2])
