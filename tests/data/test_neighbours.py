"""Rows that belong together though no column says so are asked about: alike names, rows in their order."""

import numpy as np
import pandas as pd
import pytest

from attop_bench.data.build import make
from attop_bench.data.profile.look import look
from attop_bench.data.profile.neighbours import _steps_outwards
from attop_bench.data.profile.proposal import parameters
from attop_bench.data.splits.protocols import make_folds

N = 400


def pairs(seed=0):
    """Return a table whose rows are alike by pairs that follow each other, and a label of each pair."""
    rng = np.random.default_rng(seed)
    of_pair = rng.normal(size=(N // 2, 4)).repeat(2, axis=0)
    frame = pd.DataFrame((of_pair + rng.normal(0, 0.1, (N, 4))).round(3), columns=list("abcd"))
    return frame.assign(y=(of_pair[:, 0] > 1).astype(int))


def said(frame, folder, about):
    frame.to_csv(folder / "t.csv", index=False)
    return [line for line in look(folder / "t.csv", "y").complaints if about in line]


NAMES = {
    "barcodes": lambda i: f"TC-{i // 2 * 7 % 331:03}-0{i % 2 + 1}A",
    "pictures": lambda i: f"scans/p{i // 2:04}_{'left' if i % 2 else 'right'}.png",
    "recordings": lambda i: f"phon_R01_S{i // 2:03}_{i % 2}",
    "letters": lambda i: f"S{i // 2:03}{'ab'[i % 2]}",
}


@pytest.mark.parametrize("form", NAMES)
def test_rows_whose_names_begin_alike_are_asked(form, tmp_path):
    frame = pairs().assign(sample=list(map(NAMES[form], range(N)))).sample(frac=1, random_state=0)
    (line,) = said(frame, tmp_path, "begin alike")
    assert line.startswith("sample: ")
    assert "--role" in line


@pytest.mark.parametrize(
    "names",
    [
        [f"S{i:05}" for i in range(N)],
        [f"S{i * 7919 % 401:03}-{i % 2}" for i in range(N)],
        [f"{i * 2654435761 % 2**32:08x}" for i in range(N)],
    ],
    ids=["numbers", "of others", "digests"],
)
def test_names_of_rows_that_are_not_alike_are_silent(names, tmp_path):
    frame = pairs().sample(frac=1, random_state=1).assign(sample=names)
    assert not said(frame, tmp_path, "begin alike")


@pytest.mark.parametrize("walk", [False, True])
def test_rows_in_an_order_that_tells_are_asked_and_the_answer_keeps_blocks(walk, tmp_path):
    frame = pairs()
    if walk:
        frame[list("abcd")] = frame[list("abcd")].cumsum().round(3)
    assert len(said(frame, tmp_path, "blocks: 20")) == 1
    params = parameters(look(tmp_path / "t.csv", "y")) | {"blocks": 20}
    data = make("file", **params)
    for fold in make_folds("whole-entities", data, 0, 0, n_folds=3, inner_folds=2):
        assert not {*data.entity[fold.train]} & {*data.entity[fold.test]}


def test_a_column_may_be_named_stem(tmp_path):
    frame = pairs().rename(columns={"a": "stem"}).drop(columns=list("bcd"))
    frame.insert(0, "name", [NAMES["letters"](i) for i in range(N)])
    frame = frame.assign(y=np.random.default_rng(1).integers(0, 2, N)).sample(frac=1, random_state=1)
    assert len(said(frame, tmp_path, "begin alike")) == 1


def test_gaps_are_no_neighbours(tmp_path):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(N, 4)).round(3), columns=list("abcd"))
    frame.iloc[: N // 2] = np.nan
    frame = frame.assign(e=rng.normal(size=N).round(3), y=rng.integers(0, 2, N))
    assert not said(frame, tmp_path, "blocks")


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"b": np.arange(N), "c": np.arange(N) // 2},
        {"customer_id": np.arange(N) // 2 + 1000},
        {"day": np.datetime64("2024-01-01") + np.arange(N)},
    ],
    ids=["shuffled", "sorted", "entity", "day"],
)
def test_other_orders_are_silent(columns, tmp_path):
    frame = pairs()
    if not {"customer_id", "day"} & {*columns}:
        frame = frame.sample(frac=1, random_state=2)
    assert not said(frame.assign(**columns), tmp_path, "blocks")


def groups(size, share=1.0, noise=0.1, columns=8, seed=4):
    """Return rows in no order, a share of them in groups of a size that are alike but for noise."""
    rng = np.random.default_rng(seed)
    grouped = int(N * share) // size
    of = np.r_[np.arange(grouped).repeat(size), np.arange(grouped, grouped + N - grouped * size)]
    values = rng.normal(size=(N, columns))[of] + rng.normal(0, noise, (N, columns))
    frame = pd.DataFrame(values.round(3), columns=[f"c{i}" for i in range(columns)])
    return frame.assign(y=rng.integers(0, 2, N)).sample(frac=1, random_state=seed)


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_rows_of_any_order_that_are_nearly_alike_are_asked(size, share, tmp_path):
    (line,) = said(groups(size, share), tmp_path, "nearly alike")
    assert f"{size - 1} other" in line
    assert "--role COLUMN=entity" in line


def test_the_rows_that_are_named_are_alike(tmp_path):
    (line,) = said(groups(2, noise=0.01), tmp_path, "nearly alike")
    one, other = line.split(" nearly alike, as ")[1].split(" of c0")[0].split(" and ")
    distance = np.subtract(*(np.array(row.split(", "), float) for row in (one, other)))
    assert np.abs(distance).max() < 0.06


def of_few_values():
    rng = np.random.default_rng(5)
    return pd.DataFrame(rng.integers(0, 30, (N, 6)), columns=list("abcdef"))


def mostly_zero():
    rng = np.random.default_rng(6)
    values = rng.gamma(2, 30, (N, 6)) * (rng.random((N, 6)) < 0.4)
    return pd.DataFrame(values.round(1), columns=list("abcdef"))


def on_a_line():
    rng = np.random.default_rng(7)
    values = rng.random((N, 1)) * np.arange(1, 7) + rng.normal(0, 0.01, (N, 6))
    return pd.DataFrame(values.round(3), columns=list("abcdef"))


SINGLE = {
    "few values": of_few_values,
    "mostly zero": mostly_zero,
    "one factor": on_a_line,
    "copies": lambda: groups(2, noise=0).drop(columns="y"),
    "no pairs": lambda: groups(1).drop(columns="y"),
}


@pytest.mark.parametrize("kind", SINGLE)
def test_rows_without_a_near_copy_are_silent(kind, tmp_path):
    frame = SINGLE[kind]()
    assert not said(frame.assign(y=np.arange(len(frame)) % 3 // 2), tmp_path, "nearly alike")


def test_near_copies_of_an_entity_or_in_an_order_have_their_answer(tmp_path):
    frame = groups(2)
    named = frame.assign(customer_id=(frame.index // 2) + 1000)
    assert not said(named, tmp_path, "nearly alike")
    assert not said(frame.sort_index(), tmp_path, "nearly alike")


@pytest.mark.parametrize("dimension", [2, 6])
def test_steps_outwards_are_exponential_with_the_dimension(dimension):
    points = np.random.default_rng(8).random((4000, dimension))
    _, steps = _steps_outwards(points, np.arange(2000))
    np.testing.assert_allclose(dimension * steps[:, :6].mean(axis=0), 1, rtol=0.2)
    assert abs(np.corrcoef(steps[:, 0], steps[:, 1:].mean(axis=1))[0, 1]) < 0.1
