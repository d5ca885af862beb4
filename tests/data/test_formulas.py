"""Formulas of spreadsheets: those without a stored value are read as nothing, and said."""

import re
import zipfile

import numpy as np
import pandas as pd
import pytest

from attop_bench.data.base import DatasetError
from attop_bench.data.profile.look import look
from attop_bench.data.reading.formats import read_table
from support.packages import linear_package

ROWS = 60


def write(path, formulas=range(ROWS), column="over", above=0, sheets=("Sheet",)):
    """Write rows whose `column` has a formula in some, which is stored without value.

    A further sheet lacks the first row, a third one the first two.
    """
    openpyxl = pytest.importorskip("openpyxl")
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"x": rng.normal(size=ROWS).round(2), "over": rng.normal(size=ROWS).round(2)})
    frame["y"] = np.where(np.arange(ROWS) % 3 == 0, "yes", "no")
    frame[column] = frame[column].astype(object)
    frame.loc[list(formulas), column] = [f"=A{row}" for row in formulas]
    book = openpyxl.Workbook()
    book.active.title = sheets[0]
    for place, sheet in enumerate([book.active, *map(book.create_sheet, sheets[1:])]):
        for row in [*[["a title"]] * above, list(frame), *frame.to_numpy().tolist()[place:]]:
            sheet.append(row)
    book.save(path)
    return frame


def edit(path, pattern, text):
    """Replace a pattern in the sheets of a file."""
    with zipfile.ZipFile(path) as box:
        parts = {name: box.read(name).decode() for name in box.namelist()}
    with zipfile.ZipFile(path, "w") as box:
        for name, part in parts.items():
            is_sheet = name.startswith("xl/worksheets/")
            box.writestr(name, re.sub(pattern, text, part) if is_sheet else part)


@pytest.mark.parametrize("count", [ROWS, 7, 1])
@pytest.mark.parametrize("above", [0, 2])
def test_formulas_without_values_are_counted(count, above, tmp_path):
    write(tmp_path / "t.xlsx", range(count), above=above)
    remedy = "open the file in a spreadsheet program and save it"
    noun = "formula" if count == 1 else "formulas"
    expected = f"column over: {count} {noun} without a stored value, read as nothing: {remedy}"
    assert expected in look(tmp_path / "t.xlsx", "y").said


def test_a_label_of_formulas_is_refused_by_their_name(tmp_path):
    write(tmp_path / "t.xlsx", column="y")
    with pytest.raises(DatasetError, match=f"'y' is empty .*column y: {ROWS} formulas without"):
        look(tmp_path / "t.xlsx", "y")


def test_formulas_in_new_rows_are_told(tmp_path):
    frame = write(tmp_path / "new.xlsx", range(9))
    frame["over"] = frame["x"]
    frame.to_csv(tmp_path / "t.csv", index=False)
    told = []
    linear_package(tmp_path / "t.csv", impute="median").rank(tmp_path / "new.xlsx", told.append)
    assert any("column over: 9 formulas without a stored value" in line for line in told)


def test_cells_without_places_are_counted_from_the_left(tmp_path):
    write(tmp_path / "t.xlsx", range(4))
    edit(tmp_path / "t.xlsx", r'<(c|row) r="\w+"', r"<\1")
    (remark,) = read_table(tmp_path / "t.xlsx").remarks
    assert remark.startswith("column over: 4 formulas")


def test_the_sheet_that_is_read_is_the_one_looked_at(tmp_path):
    write(tmp_path / "t.xlsx", range(3), sheets=("one", "two"))
    for sheet, count in (("two", 2), (1, 2), (0, 3), (None, 3)):
        (remark,) = read_table(tmp_path / "t.xlsx", options={"sheet": sheet}).remarks
        assert remark.startswith(f"column over: {count} formulas")


@pytest.mark.parametrize("value", ['t="n"><f>A1</f><v>0</v></c>', 't="str"><f>A1</f><v></v></c>'])
def test_a_stored_value_is_none_of_them_and_empty_text_is_one(value, tmp_path):
    write(tmp_path / "t.xlsx", range(4))
    edit(tmp_path / "t.xlsx", r"><f>\w+</f><v ?/?>(</v>)?</c>", f" {value}")
    assert list(read_table(tmp_path / "t.xlsx").remarks) == []
