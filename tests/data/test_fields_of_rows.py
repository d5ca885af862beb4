"""Rows of more or fewer fields than the header: read from the left, and said."""

import pytest

from attop_bench.data.errors import DatasetError
from attop_bench.data.reading.formats import read_table

RIGHT = ["a,b,c", *(f"{i},{i % 7},x" for i in range(20))]
BLANK = [*RIGHT[:9], "8,1,", *RIGHT[9:]]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (RIGHT, ""),
        (BLANK, ""),
        ([f"{line}," for line in RIGHT], ""),
        (["a,b,c", *(f"{line}," for line in RIGHT[1:])], "has 3 names, the rows have 4 fields"),
        (["a,b", *(f"{line.removesuffix(',x')}," for line in RIGHT[1:])], "2 names, the rows have 3 fields"),
        (
            ["", *BLANK[:5], "", "4,7", *BLANK[5:], "in all: 5"],
            "1 row of more or fewer fields than 3 (first line 8)",
        ),
        (["a,b,c", *BLANK[1:5], "4,7,x,", *BLANK[5:]], "1 row of more or fewer fields than 3 (first line 6)"),
        (
            ["a,b,c", '1,"two\nlines",x', "4,7", *RIGHT[1:]],
            "1 row of more or fewer fields than 3 (first line 4)",
        ),
        (
            ["a,b,c", '1,"two\n\nmore\nlines",x', *RIGHT[1:], '4,"a\nb"'],
            "fewer fields than 3 (first line 26)",
        ),
        (["", "a,b,c", *RIGHT[1:3], '1,"two\nlines",', "", *RIGHT[3:]], ""),
    ],
)
def test_rows_of_other_lengths_are_said(lines, said, tmp_path):
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    remarks = read_table(tmp_path / "t.csv").remarks
    assert [said in remark for remark in remarks] == [True] * bool(said)


@pytest.mark.parametrize("header", [",a,b,c", "a,b,c,", "a,,b,c", "a,b,,c,"])
def test_a_blank_name_beside_names_for_all_fields_is_of_none(header, tmp_path):
    (tmp_path / "t.csv").write_text("\n".join([header, *RIGHT[1:]]) + "\n")
    table = read_table(tmp_path / "t.csv")
    assert list(table.frame) == ["a", "b", "c"]
    assert table.frame.iloc[3].tolist() == ["3", "3", "x"]


@pytest.mark.parametrize(
    ("more", "remedy"), [(3, "of two tables in one file keep one"), (12, "attop look finds")]
)
def test_rows_of_more_values_than_names_are_refused(more, remedy, tmp_path):
    rows = [f"{line},z" if i >= 20 - more else line for i, line in enumerate(RIGHT[1:])]
    (tmp_path / "t.csv").write_text("\n".join([RIGHT[0], '"x\ny",1,x', *rows]) + "\n")
    with pytest.raises(DatasetError, match=f"more fields in {more} of 21 rows.*line {24 - more}.*{remedy}"):
        read_table(tmp_path / "t.csv")
