"""Delimited text is read at once where all rows are alike, as it is row by row."""

import random
import subprocess
import sys

import pandas as pd
import pytest

from attop_bench.data.reading import delimited
from attop_bench.data.reading.delimited import _How, _read_at_once, _read_rows, _start, read_delimited

#: Cells that the two readers could cut otherwise.
CELLS = ["a", "1.5", "", "NA", "é", "'", "#", "\\", "\x1a", "\x85", "\0", '"', '""', '"x"', '"x,y"', '"x""y"']
CELLS += ['"l\nm"', '"\r\n"', '"\r"', 'a"b', '"a"b', ' "q"', '"" ', "\r"]


def write(folder, text, encoding="utf-8"):
    path = folder / "t.csv"
    path.write_bytes(text.encode(encoding))
    return path


def how(path, **others):
    written = {"encoding": None, "separator": ",", "comment": None, "quote": '"'} | others
    return _How(path, **written)


def texts(number):
    """Yield small texts of random cells."""
    rng = random.Random(number)
    for _ in range(400):
        width, end = rng.randint(1, 3), rng.choice(["\n", "\n", "\r\n", "\r"])
        cells = rng.sample(CELLS, rng.randint(2, len(CELLS)))
        rows = [",".join(rng.choices(cells, k=width)) for _ in range(rng.randint(1, 5))]
        yield end.join([",".join("1" * width), *rows]) + rng.choice(["", end, end + end])


@pytest.mark.parametrize("block", [64, 1 << 24])
def test_fields_are_those_of_the_slow_reading(block, tmp_path, monkeypatch):
    monkeypatch.setattr(delimited, "_LEAST", block)
    monkeypatch.setattr(delimited, "_MOST", block)
    alike = 0
    for text in texts(block):
        written = how(write(tmp_path, text))
        start = _start(written, 0, header=False)
        at_once = _read_at_once(written, start)
        if at_once is None:
            continue
        pd.testing.assert_frame_equal(at_once, _read_rows(written, start.rows), check_column_type=False)
        alike += 1
    assert alike > 100


def test_no_row_is_lost_below_a_blank_line_that_ends_in_a_return(tmp_path):
    path = write(tmp_path, "\r,a\r1,b\r2,c\r")
    assert read_delimited(path, header=False).to_numpy().tolist() == [["", "a"], ["1", "b"], ["2", "c"]]


@pytest.fixture
def no_slow_reading(monkeypatch):
    def refused(*arguments):
        raise AssertionError("read row by row")

    monkeypatch.setattr(delimited, "_read_rows", refused)


PLAIN = {
    "plain": ("a,b\n1,x\n2,y\n", "utf-8", {}),
    "quoted": ('"a","b"\n"1","x,z"\n"2","y"\n', "utf-8", {}),
    "a quote at the end": ('a,b\n1,x\n2,"y"', "utf-8", {}),
    "returns": ('a,b\r\n1,"x"\r\n2,y\r\n', "utf-8", {}),
    "a mark": ("a,b\n1,x\n2,y\n", "utf-8-sig", {}),
    "wide": ("a,b\n1,x\n2,y\n", "utf-16", {}),
    "of Windows": ("a,b\n1,é\n2,y\n", "cp1252", {"encoding": "cp1252"}),
    "title above": ("A title\n\na;b\n\n1;x\n2;y\n", "utf-8", {"skip": 2, "separator": ";"}),
    "a blank line": ("a,b\n1,x\n\n2,y\n\n", "utf-8", {}),
    "no header": ("1\tx\n2\ty\n", "utf-8", {"header": False, "separator": "tab"}),
}


def test_a_row_longer_than_a_block_is_never_read_row_by_row(tmp_path, monkeypatch, no_slow_reading):
    monkeypatch.setattr(delimited, "_LEAST", 64)
    width = 50
    lines = [",".join(f"{name}{j:0100}" for j in range(width)) for name in "abc"]
    assert read_delimited(write(tmp_path, "\n".join(lines))).shape == (2, width)


@pytest.mark.parametrize("what", PLAIN)
def test_usual_text_is_never_read_row_by_row(what, tmp_path, no_slow_reading):
    text, encoding, options = PLAIN[what]
    frame = read_delimited(write(tmp_path, text, encoding), **options)
    assert frame.shape == (2, 2)
    assert frame.iloc[:, 0].tolist() == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("a,b\n1,x\n2\n", {}),
        ("a,b\n1,x # no\n", {"comment": "#"}),
        ("a b\n1  x\n", {"separator": "whitespace"}),
        ("a¦b\n1¦x\n", {"separator": "¦"}),
        ('a,b\n1,"x\r\ny"\n', {}),
        ('a,b\n"1",x\n2,"y', {}),
        ('a,b\n"1",x\n2,"', {}),
        ("a,b\n", {}),
    ],
)
def test_what_may_be_cut_otherwise_is_read_row_by_row(text, others, tmp_path):
    written = how(write(tmp_path, text), **others)
    assert _read_at_once(written, _start(written, 0, header=True)) is None


def test_bytes_that_are_no_text_are_read_row_by_row(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,\xe9\n")
    written = how(path)
    assert _read_at_once(written, delimited._Start([], 1, 1, 2, ())) is None


def test_a_larger_limit_of_a_cell_is_kept():
    code = "import csv; csv.field_size_limit(2**40); import attop_bench.data.reading.delimited; "
    code += "print(csv.field_size_limit())"
    said = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert said.strip() == str(2**40)
