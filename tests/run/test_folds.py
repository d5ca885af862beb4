"""The folds of a repeat, as written once and read by every job."""

from dataclasses import replace

import numpy as np
import pytest

from attop_bench.data.base import Dataset, DatasetError, Unavailable, load_arrays, save_unavailable
from attop_bench.data.ledger import LedgerError
from attop_bench.data.splits.protocols import PROTOCOLS
from attop_bench.run.folds import read_folds, write_folds
from support.folds import cut

RNG = np.random.default_rng(0)
Y = (RNG.random(120) < 0.4).astype(int)
COLUMNS = {
    "groups": np.arange(120) // 10,
    "part": np.arange(120) % 3,
    "entity": np.arange(120) // 4,
    "day": np.arange(120) // 4,
}
DATA = Dataset("toy", RNG.normal(size=(120, 2)), Y, **COLUMNS)
OPTIONS = {
    "holdout": [{}, {"test": "train"}],
    "windows": [{"n_sets": 4}],
    "given": [{}, {"n_folds": 3}],
    "prequential": [{"train": 7, "delay": 1, "test": 7, "drop_known": False}],
}


def split(kind="stratified", options=None, **changes):
    return {"kind": kind, "options": options or {}, "repeat": 0, "seed": 7, **changes}


@pytest.mark.parametrize(
    ("kind", "options"), [(kind, options) for kind in PROTOCOLS for options in OPTIONS.get(kind, [{}])]
)
def test_what_is_read_is_what_was_cut(kind, options, tmp_path):
    how = split(kind, options)
    folds = cut(DATA, how)
    write_folds(tmp_path / "folds.npz", folds, DATA, how)
    for fold, read in zip(folds, read_folds(tmp_path / "folds.npz", DATA, how), strict=True):
        assert read.refit == fold.refit
        pairs = zip(
            [(fold.train, fold.test), *fold.inner], [(read.train, read.test), *read.inner], strict=True
        )
        for written, found in pairs:
            for rows, again in zip(written, found, strict=True):
                assert again.dtype == rows.dtype
                np.testing.assert_array_equal(again, rows)


def test_the_rows_of_a_fold_add_up(tmp_path):
    folds = cut(DATA, split())
    write_folds(tmp_path / "folds.npz", folds, DATA, split())
    rows = load_arrays(tmp_path / "folds.npz")[1]["rows"]
    assert rows[0]["train"] == len(folds[0].train)
    assert all(sum(counts.values()) == len(DATA.y) for counts in rows)
    twice = replace(folds[0], train=np.append(folds[0].train, folds[0].train[0]))
    with pytest.raises(LedgerError, match="rows of a fold do not add up"):
        write_folds(tmp_path / "twice.npz", [twice], DATA, split())


def test_the_same_folds_are_the_same_bytes(tmp_path):
    for name in "ab":
        write_folds(tmp_path / name, cut(DATA, split()), DATA, split())
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    ("data", "how", "words"),
    [
        (DATA, split(seed=8), "another split"),
        (DATA, split(repeat=1), "another split"),
        (DATA, split(options={"n_folds": 4}), "another split"),
        (Dataset("toy", DATA.X, 1 - Y, **COLUMNS), split(), "another data"),
        (Dataset("toy", DATA.X, Y, **{**COLUMNS, "groups": None}), split(), "another data"),
        (Dataset("other", DATA.X, Y, **COLUMNS), split(), "another data"),
    ],
    ids=["seed", "repeat", "options", "labels", "groups", "name"],
)
def test_folds_of_other_data_or_another_protocol_are_refused(data, how, words, tmp_path):
    write_folds(tmp_path / "folds.npz", cut(DATA, split()), DATA, split())
    with pytest.raises(DatasetError, match=words):
        read_folds(tmp_path / "folds.npz", data, how)


def test_a_damaged_file_is_said_to_be_one(tmp_path):
    (tmp_path / "folds.npz").write_bytes(b"PK nothing")
    with pytest.raises(DatasetError, match=r"folds.npz cannot be read .*delete it"):
        read_folds(tmp_path / "folds.npz", DATA, split())


def test_without_data_there_are_none(tmp_path):
    save_unavailable(tmp_path / "folds.npz", "toy", Unavailable("no network", "ask for it"))
    with pytest.raises(Unavailable, match="no network"):
        read_folds(tmp_path / "folds.npz", DATA, split())
