"""Formulas of spreadsheets: those without a stored value are read as nothing, and said."""

import re
import zipfile

import pandas as pd
import pytest

from attop_bench.data.base import DatasetError
from attop_bench.data.profile.look import look
from attop_bench.data.reading.formats import read_table
from support.packages import linear_package

FRAME = pd.DataFrame({"x": range(60), "over": [3, 1, 4, 1, 5] * 12, "y": ["yes", "no", "no"] * 20})


def write(path, count, column="over", **options):
    """Write the table with a formula, which is stored without value, in so many cells of a column."""
    pytest.importorskip("openpyxl")
    formulas = FRAME[column].where(FRAME.index >= count, "=A2")
    FRAME.assign(**{column: formulas}).to_excel(path, index=False, **options)


@pytest.mark.parametrize("count", [60, 7])
def test_formulas_without_values_are_counted(count, tmp_path):
    write(tmp_path / "t.xlsx", count, startrow=2)
    remark = f"column over: {count} formulas without a stored value, read as nothing: open the file in a "
    assert any(line.startswith(remark) for line in look(tmp_path / "t.xlsx", "y").said)


def test_a_label_of_formulas_is_refused_by_their_name(tmp_path):
    write(tmp_path / "t.xlsx", 60, "y")
    with pytest.raises(DatasetError, match=r"'y' is empty .*column y: 60 formulas without"):
        look(tmp_path / "t.xlsx", "y")


def test_formulas_in_new_rows_are_told(tmp_path):
    write(tmp_path / "new.xlsx", 9)
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    told = []
    linear_package(tmp_path / "t.csv", impute="median").rank(tmp_path / "new.xlsx", told.append)
    assert "column over: 9 formulas" in "".join(told)


def test_the_sheet_that_is_read_is_the_one_looked_at(tmp_path):
    with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
        write(book, 3, sheet_name="one")
        write(book, 2, sheet_name="two")
    for sheet, count in (("two", 2), (1, 2), (0, 3), (None, 3)):
        (remark,) = read_table(tmp_path / "t.xlsx", options={"sheet": sheet}).remarks
        assert remark.startswith(f"column over: {count} formulas")


@pytest.mark.parametrize(
    ("pattern", "text", "remarks"),
    [
        (r'<(c|row) r="\w+"', r"<\1", 1),  # cells need not name their places
        (r"><f>\w+</f><v ?/?>(</v>)?</c>", ' t="n"><f>A1</f><v>0</v></c>', 0),
        (r"><f>\w+</f><v ?/?>(</v>)?</c>", ' t="str"><f>A1</f><v></v></c>', 0),  # empty text is a value
    ],
)
def test_what_other_programs_write(pattern, text, remarks, tmp_path):
    write(tmp_path / "t.xlsx", 4)
    with zipfile.ZipFile(tmp_path / "t.xlsx") as old, zipfile.ZipFile(tmp_path / "u.xlsx", "w") as new:
        for name in old.namelist():
            part = old.read(name).decode()
            new.writestr(name, re.sub(pattern, text, part) if "sheet1" in name else part)
    table = read_table(tmp_path / "u.xlsx")
    assert [line[:23] for line in table.remarks] == ["column over: 4 formulas"] * remarks
