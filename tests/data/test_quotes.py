"""Quotes that are written otherwise than twice: read and said, or refused; nothing else changes."""

import csv
import io

import numpy as np
import pytest

from attop_bench.data.base import DatasetError
from attop_bench.data.profile.look import look
from attop_bench.data.reading.formats import read_table
from attop_bench.data.reading.quotes import mended

RIGHT = [["id", "what", "y"], *([str(i), f"a {i}, b", str(i % 2)] for i in range(30))]


def text_of(rows, quoted=lambda field: f'"{field}"' if "," in field else field, between=","):
    return "".join(between.join(map(quoted, row)) + "\n" for row in rows)


#: How one field, `5" x 7", wide`, may be written, and rows of others beside it.
WAYS = {
    "backslash": ('"5\\" x 7\\", wide"', text_of(RIGHT)),
    "twice": ('"5"" x 7"", wide"', text_of(RIGHT)),
    "blank before": (' "5"" x 7"", wide"', text_of(RIGHT, between=", ")),
    "blank before, quoted header": (
        ' "5"" x 7"", wide"',
        text_of(RIGHT, lambda field: f'"{field}"' if field in "what, y" or "," in field else field, ", "),
    ),
    "blanks around": ('  "5"" x 7"", wide"  ', text_of(RIGHT, between=", ")),
    "blank and backslash": (' "5\\" x 7\\", wide"', text_of(RIGHT, between=", ")),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_field_with_quotes_is_read_in_all_ways(way, tmp_path):
    field, others = WAYS[way]
    (tmp_path / "t.csv").write_text(f"{others}30,{field},1\n")
    table = read_table(tmp_path / "t.csv")
    assert table.text("what")[30] == '5" x 7", wide'
    assert list(table.frame) == RIGHT[0]
    assert list(table.text("what")[:30]) == [row[1] for row in RIGHT[1:]]
    assert bool(table.remarks) == (way != "twice")
    table.ledger.require(31, "t.csv")
    assert list(table.lines) == list(range(2, 33))


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('30,""an extra quote, and more",1', '"an extra quote, and more'),
        ('30,"ends in 10"",1', 'ends in 10"'),
        ('30,"5" x 7" wide, b",1', '5" x 7" wide, b'),
        ('30,"5" x 7", wide",1', None),
        ('30,"",1,"', None),
        ('30,"it, is",1,2', None),
        ('30,"it, is,1', None),
    ],
)
def test_a_row_that_is_not_understood_is_refused(line, field, tmp_path):
    (tmp_path / "t.csv").write_text(text_of(RIGHT) + line + "\n")
    if field is None:
        with pytest.raises(DatasetError):
            read_table(tmp_path / "t.csv")
    else:
        assert read_table(tmp_path / "t.csv").text("what")[30] == field


def test_a_lone_quote_at_the_end_of_a_line_is_text(tmp_path):
    rows = [[*row, ""] for row in RIGHT]
    rows[0][3] = "note"
    lines = text_of(rows).splitlines()
    lines[5] += '"'
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    table = read_table(tmp_path / "t.csv")
    assert len(table.frame) == 30
    assert table.text("note")[4] == '"'


def test_single_quotes_with_apostrophes_within(tmp_path):
    rows = [RIGHT[0], *([i, f"{what}, it's" if i in "147" else what, y] for i, what, y in RIGHT[1:])]
    (tmp_path / "t.csv").write_text(text_of(rows, lambda f: f"'{f}'" if "," in f else f) + '30,5" wide,1\n')
    found = look(tmp_path / "t.csv", "y")
    assert found.reader["quote"] == "'"
    assert found.rows == 31
    assert any("with quotes not as in CSV (first line 3)" in c for c in found.complaints)
    table = read_table(tmp_path / "t.csv", options={"quote": "'"})
    assert list(table.text("what")) == [*(row[1] for row in rows[1:]), '5" wide']


def test_blanks_before_quotes_without_a_separator_within(tmp_path):
    quoted = [
        [f'"{field}"' for field in row] for row in [["id", "what", "y"], ["1", "a", "0"], ["2", "b", "1"]]
    ]
    (tmp_path / "t.csv").write_text("".join(", ".join(row) + "\n" for row in quoted))
    table = read_table(tmp_path / "t.csv")
    assert list(table.frame) == ["id", "what", "y"]
    assert list(table.text("what")) == ["a", "b"]


@pytest.mark.parametrize("seed", range(30))
def test_well_written_text_is_never_changed(seed):
    rng = np.random.default_rng(seed)
    width = int(rng.integers(2, 5))
    fields = ["a", "", 'q"', '"', 'x", y', "1,5", "\\", 'C:\\"', "it's", "5' 3\"", '""', "ü ,"]
    rows = rng.choice(np.array(fields, object), (8, width))
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", quoting=int(rng.integers(0, 2))).writerows(rows)
    lines = text.getvalue().splitlines(keepends=True)
    found = mended(lines, ",", '"', 0)
    assert (found.lines, found.places) == (lines, [])


def test_a_field_over_two_lines_stays_one(tmp_path):
    (tmp_path / "t.csv").write_text('id,what,y\n1,"two\nlines, ""both""",0\n2,"a, b",1\n')
    table = read_table(tmp_path / "t.csv")
    assert list(table.text("what")) == ['two\nlines, "both"', "a, b"]
    assert table.remarks == ()
