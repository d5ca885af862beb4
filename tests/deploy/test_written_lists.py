"""A list says what its rows are, opens in a spreadsheet as it was written, and has a picture."""

import codecs
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest

from attop.experiment import NextList
from attop_bench.data.base import DatasetError
from attop_bench.deploy.lists import columns_of_list, lists_in, read_list, write_list
from attop_bench.deploy.picture import draw_expectation, expectation_figure

NOTES = {"beside": ["id", "when"], "features": ["amount", "score", *(f"x{i}" for i in range(20))]}
PRESENT = ["amount", "id", "score", *(f"x{i}" for i in range(20)), "more"]


@pytest.mark.parametrize(
    ("wanted", "has_reasons", "names"),
    [
        (None, True, ["id"]),
        (None, False, ["id", "amount", *(f"x{i}" for i in range(11))]),
        (["more", "id", "amount"], True, ["id", "more", "amount"]),
    ],
)
def test_columns_are_those_that_say_what_a_row_is(wanted, has_reasons, names):
    assert columns_of_list(PRESENT, NOTES, wanted, has_reasons) == names


def test_all_columns_are_those_of_the_file():
    present = [name for name in PRESENT if name != "score"]
    assert {*columns_of_list(present, NOTES, ["all"], True)} == {*present}


@pytest.mark.parametrize("wanted", [["amuont"], ["score"], ["all"], ["all", "amount"]])
def test_a_column_that_is_not_there_or_that_the_list_adds_is_refused(wanted):
    with pytest.raises(DatasetError, match=r"amount|adds a column 'score'|no column 'all'"):
        columns_of_list(PRESENT, NOTES, wanted, True)


#: Cells that a spreadsheet would change: formulas, zeros in front, dates, long numbers, quotes, lines.
CELLS = [
    "=cmd|' /C calc'!A0",
    "+1+2",
    "-x",
    "@SUM(A1)",
    "\t=1",
    "'=1",
    "00123",
    "1E5",
    "3-4",
    "2026-01-02",
    "12345678901234567890",
    'a "quoted", b',
    "two\nlines",
    "Müller",
    "'",
    "TRUE",
    "0.10",
]


@pytest.fixture
def ranked():
    return pd.DataFrame(
        {"rank": range(1, len(CELLS) + 1), "=note": CELLS, "score": np.linspace(2, 1, len(CELLS))}
    )


@pytest.mark.parametrize("name", ["list.csv", "list.xlsx"])
def test_a_list_is_read_as_it_was_written(name, ranked, tmp_path):
    pytest.importorskip("openpyxl")
    write_list(tmp_path / name, ranked)
    again = read_list(tmp_path / name)
    assert again["=note"].tolist() == CELLS
    assert again["rank"].tolist() == [str(rank) for rank in ranked["rank"]]
    assert again["score"].astype(float).tolist() == ranked["score"].tolist()


def test_csv_has_the_mark_of_utf8_where_it_is_needed(ranked, tmp_path):
    write_list(tmp_path / "a.csv", ranked)
    write_list(tmp_path / "b.csv", ranked.drop(index=CELLS.index("Müller")))
    begins = [(tmp_path / name).read_bytes().startswith(codecs.BOM_UTF8) for name in ("a.csv", "b.csv")]
    assert begins == [True, False]
    assert pd.read_csv(tmp_path / "a.csv").columns[0] == "rank"


def test_no_cell_of_excel_is_a_formula_nor_becomes_one_when_edited(ranked, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    write_list(tmp_path / "list.xlsx", ranked)
    sheet = openpyxl.load_workbook(tmp_path / "list.xlsx").active
    cells = [row[1] for row in sheet.iter_rows()]
    assert {cell.data_type for cell in cells} == {"s"}
    prefixed = {text for text, cell in zip(["=note", *CELLS], cells, strict=True) if cell.quotePrefix}
    assert prefixed == {"=note", *CELLS[:6]}
    assert [type(row[0].value) for row in sheet.iter_rows(min_row=2)] == [int] * len(CELLS)


def test_each_type_is_as_excel_holds_it_without_a_loss(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    noon = datetime(2026, 6, 1, 12)
    columns = {
        "amount": ["0012.50", "12,5", ""],
        "number": np.array([1, 2**62, -3]),
        "share": [0.5, np.nan, np.inf],
        "when": [noon, pd.NaT, noon],
        "zone": [noon.replace(tzinfo=UTC)] * 3,
        "bell": ["\a", None, "x"],
        "yes": [True, False, True],
    }
    frame = pd.DataFrame({name: pd.Series(list(values), dtype=object) for name, values in columns.items()})
    write_list(tmp_path / "list.xlsx", frame, numeric=["amount"])
    sheet = openpyxl.load_workbook(tmp_path / "list.xlsx").active
    found = {column[0].value: [cell.value for cell in column[1:]] for column in sheet.iter_cols()}
    assert found["amount"] == [12.5, "12,5", None]
    assert found["number"] == [1, str(2**62), -3]
    assert found["share"] == [0.5, None, "inf"]
    assert found["when"] == [noon, None, noon]
    assert found["zone"] == ["2026-06-01 12:00:00+00:00"] * 3
    assert found["bell"][1:] == [None, "x"]
    assert found["yes"] == [True, False, True]


def test_what_excel_cannot_hold_is_refused_and_nothing_is_written(tmp_path):
    pytest.importorskip("openpyxl")
    with pytest.raises(DatasetError, match="'note' has 40,000 in row 2"):
        write_list(tmp_path / "list.xlsx", pd.DataFrame({"note": ["a", "b" * 40_000]}))
    assert not list(tmp_path.iterdir())


def test_a_row_of_fewer_fields_is_refused_by_its_line_below_a_cell_of_two(tmp_path):
    (tmp_path / "list.csv").write_text('rank,row,score,note\n1,5,0.9,"a\nb"\n2,6,0.8,c\n3,7,0.7\n')
    with pytest.raises(DatasetError, match=r"list\.csv is no list of attop score: .*line 5"):
        read_list(tmp_path / "list.csv")


def test_a_file_that_is_no_workbook_is_named(tmp_path):
    (tmp_path / "list.xlsx").write_text("rank,score\n1,2\n")
    with pytest.raises(DatasetError, match=r"list\.xlsx is no list of attop score"):
        read_list(tmp_path / "list.xlsx")


def test_lists_of_a_folder_are_csv_and_excel_files_in_order(tmp_path):
    for name in ("10.csv", "9.xlsx", "2.CSV", "2.promise.json", "notes.txt"):
        (tmp_path / name).touch()
    assert [path.name for path in lists_in(tmp_path)] == ["2.CSV", "9.xlsx", "10.csv"]


@pytest.fixture
def forecast():
    ks = np.arange(1, 61)
    numbers = {"k": 20, "length": 300, "expected": 8.0, "low": 4.0, "high": 13.0, "least": 5.0}
    paths = {"ks": ks, "path": 0.4 * ks, "band_low": 0.2 * ks, "band_high": 0.7 * ks}
    return NextList(**numbers, **paths, optimism=0.0, reason="")


def test_the_picture_has_one_band_its_finding_as_title_and_the_legend_off_the_data(forecast):
    figure = expectation_figure(forecast, "june_$1$.csv", 0.1)
    (axes,) = figure.axes
    band, bar = axes.collections
    assert type(band).__name__ == "FillBetweenPolyCollection"
    assert [segment.tolist() for segment in bar.get_segments()] == [[[20, 4], [20, 13]]]
    title = axes.get_title(loc="left")
    assert title == (
        "june_$1$.csv: among the first 20 of 300 rows expect 8 positives\n(4 to 13 in 95% of such lists)"
    )
    figure.draw_without_rendering()
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert box.y1 < axes.get_window_extent().y0
    texts = [text.get_window_extent() for text in axes.texts]
    assert all(figure.bbox.x0 <= text.x0 and text.x1 <= figure.bbox.x1 for text in texts)
    line = axes.lines[0]
    np.testing.assert_array_equal(line.get_ydata(), forecast.path)
    assert axes.get_ylim()[1] >= forecast.band_high.max()


@pytest.mark.parametrize(("form", "begin"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_the_picture_is_the_same_file_each_time(form, begin, forecast):
    first = draw_expectation(forecast, "june.csv", 0.1, form)
    assert first.startswith(begin)
    assert draw_expectation(forecast, "june.csv", 0.1, form) == first
