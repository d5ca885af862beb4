"""Columns of plain numbers are read and judged at once, as each would be by itself."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact

from attop.metrics import auc
from attop_bench.data.profile.leaks import _areas_of_numbers, leaks
from attop_bench.data.profile.leaks_at_top import _Order
from attop_bench.data.profile.missing import chance
from attop_bench.data.profile.readers import Column
from attop_bench.data.reading import table as columns
from attop_bench.data.reading.cells import GAPS, as_written, numbers_of, plain_floats, present
from attop_bench.data.reading.table import Table

#: Cells that a column of numbers may have, plain or not.
CELLS = [
    "1",
    "-2.5",
    "1e5",
    "007",
    "+3",
    "1.",
    ".5",
    "nan",
    "inf",
    "",
    " 4",
    "5 ",
    "1,5",
    "12%",
    "x",
    "1E400",
]
CELLS += ["9007199254740993", "True", "0", "01", "1_0", "0x1A", "\u0661", "-0"]


def column(name, kind="number", text=False):
    return Column(kind, name=name, missing=0.0, distinct=100, example="", text=text)


def test_plain_numbers_are_those_of_the_slow_reading():
    rng = np.random.default_rng(0)
    plain = 0
    for size in (1, 2, 3, 5):
        for _ in range(150):
            text = pd.Series(rng.choice(CELLS[: rng.integers(2, len(CELLS) + 1)], size), dtype="str")
            floats, slow = plain_floats(text), numbers_of(text.str.strip())
            fast = None if floats is None else as_written(text, floats)
            if fast is not None:
                pd.testing.assert_series_equal(fast, slow)
                plain += 1
    assert plain > 50


@pytest.mark.parametrize("missing", [None, ["-999"], ["-9.99e2", "x"], False, {"a": [-999]}, {"b": [-999]}])
@pytest.mark.parametrize("decimal", [".", ","])
def test_a_column_has_the_same_values_whether_it_is_plain_or_not(missing, decimal):
    rng = np.random.default_rng(1)
    for cells in (["-999", "1", "2"], ["1.5", "-999", "3"], ["1.234", "950"], ["1,5", "2"], ["NA", "3"]):
        text = pd.DataFrame({"a": rng.choice(cells, 40)}, dtype="str")
        table = Table(text, "t", has_types=False, missing=missing, decimal=decimal)
        padded = Table(" " + text, "t", has_types=False, missing=missing, decimal=decimal)
        pd.testing.assert_series_equal(table.values("a"), padded.values("a"))
        assert plain_floats(padded.frame["a"]) is None


@pytest.mark.parametrize("words", [GAPS, frozenset(), frozenset(["", "x", "-999"])])
def test_cells_are_present_that_are_neither_missing_nor_a_word(words):
    rng = np.random.default_rng(4)
    for size in (1, 2, 40):
        text = pd.Series(rng.choice([*CELLS, "NA", " NA\t", "\xa0-999", None], size), name="a").astype("str")
        stripped = text.str.strip()
        expected = stripped.mask(stripped.isin(words), np.nan)
        pd.testing.assert_series_equal(present(text, words), expected)


def test_areas_of_all_columns_are_those_of_each():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.integers(0, 5, (60, 7)).astype(float), columns=list("abcdefg"))
    frame = frame.mask(rng.random(frame.shape) < 0.2)
    frame["a"] = np.arange(60)
    y = rng.random(60) < 0.3
    areas = _areas_of_numbers(frame, [column(name) for name in frame], y)
    for name in frame:
        area = auc(y.astype(int), frame[name].fillna(frame[name].median()).to_numpy())
        assert areas[name] == pytest.approx(max(area, 1 - area))


@pytest.mark.parametrize("negatives", [12, 25])
@pytest.mark.parametrize("kind", ["number", "category"])
def test_a_column_with_a_value_in_every_row_says_nothing_by_that(kind, negatives):
    rng = np.random.default_rng(negatives)
    y = np.arange(3000) >= negatives
    values = rng.normal(size=3000) if kind == "number" else rng.choice(list("abc"), 3000)
    frame = pd.DataFrame({"x": values, "y": y.astype(int)})
    assert leaks(frame, [column("x", kind, kind == "category"), column("y")], "y", y) == {}


def test_an_order_is_suspected_by_its_hits_whatever_is_excluded_at_once():
    rng = np.random.default_rng(3)
    seen = set()
    for levels in (2, 5, 50, 1000):
        for noise in (0.0, 0.02, 0.05, 0.5):
            y = rng.random(400) < 0.4
            scores = np.round((y + noise * rng.normal(size=400)) * levels)
            order = _Order("highest", scores)
            hits = [order.found(y, part) for part in (4, 2)]
            suspected = all(
                found >= share * length for (length, found), share in zip(hits, (0.98, 0.95), strict=True)
            )
            assert order.is_suspected(y) == suspected
            seen.add(suspected)
    assert seen == {True, False}


@pytest.mark.parametrize(
    "values",
    [[3, 1, 3], [1.5, np.nan, 2.0, -0.0, 0.0, 1e300], [True, False], pd.array([1, None, 2**60], "Int64"), []],
)
def test_numbers_with_types_are_written_once_a_value(values, monkeypatch):
    asked, one_by_one = [], columns._written
    monkeypatch.setattr(columns, "_written", lambda value: asked.append(value) or one_by_one(value))
    frame = pd.DataFrame({"a": values})
    table = Table(frame, "t")
    text = table.text("a")
    assert len(asked) == frame["a"].nunique()
    expected = [value if pd.isna(value) else one_by_one(value) for value in table.values("a")]
    assert text.tolist() == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("n", [1, 12, 60, 3000])
def test_chance_is_that_of_fishers_exact_test(n):
    rng = np.random.default_rng(n)
    for _ in range(40):
        rows, n_pos = rng.integers(0, n + 1, 2)
        hits = rng.integers(max(0, rows + n_pos - n), min(rows, n_pos) + 1)
        table = [[hits, rows - hits], [n_pos - hits, n - rows - n_pos + hits]]
        np.testing.assert_allclose(
            chance(hits, rows, n_pos, n), fisher_exact(table).pvalue, rtol=1e-7, atol=1e-300
        )
