"""Lines that are no rows: what is passed over, what is asked, and that no row is lost."""

import numpy as np
import pandas as pd
import pytest

from attop_bench.data.base import DatasetError
from attop_bench.data.build import make
from attop_bench.data.ledger import Aside, Ledger, LedgerError
from attop_bench.data.profile.look import look
from attop_bench.data.profile.proposal import parameters
from attop_bench.data.reading.as_found import read_as_found
from attop_bench.data.reading.formats import read_table
from attop_bench.data.reading.lines import is_drawn

WORDS = ("good", "poor", "average", "Total", "sum", "mean", "media", "north", "n.d.", "Source: us")
SIGNS = ("-", "+", "--", "++", "=", "==", "~", "*", "_", "·", "/")
NUMBERS = ("0", "1", "2", "7", "1.5", "-3", "1e3", "12.6%", "3 kg", "13:45", "(5)")
QUOTED = ('"a, b"', '"two\nlines"', '"say ""yes"""', '"# no"')


def column_of_words(rng, n):
    return rng.choice(WORDS, n)


def column_of_signs(rng, n):
    return rng.choice(SIGNS, n)


def column_of_two_signs(rng, n):
    return rng.choice(["-", "+"], n)


def column_of_numbers(rng, n):
    return rng.choice(NUMBERS, n)


def column_of_counts(rng, n):
    return rng.integers(0, 9, n).astype(str)


def column_of_decimals(rng, n):
    return [f"{value:.2f}" for value in rng.normal(0, 3, n)]


def column_of_gaps(rng, n):
    return rng.choice(["", "-", "NA", "3", "x"], n)


def column_of_quotes(rng, n):
    return rng.choice(QUOTED, n)


COLUMNS = [make for name, make in list(globals().items()) if name.startswith("column_of_")]


def ordinary_table(seed):
    """Return a table of ordinary content as text, the number of its rows, and of those that are blank."""
    rng = np.random.default_rng(seed)
    n, width = int(rng.integers(1, 40)), int(rng.integers(2, 7))
    same = rng.random() < 0.3  # all columns of one kind, as panels of tests are
    makers = [COLUMNS[i] for i in rng.integers(0, len(COLUMNS), 1 if same else width)] * (
        width if same else 1
    )
    columns = [np.asarray(make(rng, n), object) for make in makers]
    label = rng.choice(["yes", "no"], n) if rng.random() < 0.5 else rng.integers(0, 2, n).astype(str)
    rows = [",".join(row) for row in zip(*columns, label, strict=True)]
    header = ",".join([*(f"c{j}" for j in range(width)), "y"])
    return "\n".join([header, *rows]) + "\n", n


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_no_row_of_an_ordinary_table_is_lost(start, tmp_path):
    for seed in range(start, start + 50):
        text, n = ordinary_table(seed)
        path = tmp_path / "t.csv"
        path.write_text(text)
        table = read_table(path, "csv", {})
        assert (len(table.frame), table.ledger) == (n, Ledger(n, n, doubtful=table.ledger.doubtful)), text
        assert len(table.lines) == n
        assert len(read_table(path, "csv", {"pass_over": []}).frame) == n


def written(tmp_path, *rows, name="t.csv", header="id,x,c,y"):
    path = tmp_path / name
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


ROWS = [f"{i},{i * i % 17}.5,{'ab'[i % 2]},{'yes' if i % 3 else 'no'}" for i in range(1, 13)]
IDS, XS = range(1, 13), [i * i % 17 + 0.5 for i in range(1, 13)]


@pytest.mark.parametrize(
    "row",
    [
        f"{sum(IDS)},{sum(XS)},,",
        f"Total,{sum(XS)},,",
        f",{sum(XS)},sum,",
        f",{sum(XS) / 12:.4f},average,",
        f"{sum(IDS) / 12:.3f},{sum(XS) / 12:.4f},,",
        "Total,,,",
        "(12 rows),,,",
        "Source: our own,,,",
    ],
)
def test_a_sum_is_one_by_its_numbers_and_a_remark_by_its_form(row, tmp_path):
    ledger = read_table(written(tmp_path, *ROWS, row), "csv", {}).ledger
    assert (ledger.read, ledger.kept) == (13, 12)
    assert (ledger.passed[0].line, ledger.passed[0].content) == (14, row)


@pytest.mark.parametrize(
    "row",
    [
        f"{sum(IDS)},{sum(XS) + 1},sum,",
        f"13,{sum(XS)},sum,yes",
        "13,99,average,yes",
        f"13,{sum(XS) / 12:.1f},mean,yes",
        f",{sum(XS)},a,",
        "13,,,",
        ROWS[-1],
        "n.d.,3.5,a,yes",
        "-,-,-,-",
    ],
)
def test_a_last_row_of_other_numbers_is_kept(row, tmp_path):
    ledger = read_table(written(tmp_path, *ROWS, row), "csv", {}).ledger
    assert (ledger.read, ledger.kept) == (13, 13)


@pytest.mark.parametrize(
    ("rows", "certain"),
    [
        ("A,1 B,2 C,3 D,4 E,5 F,6 G,21", False),  # one large sum
        ("A,1 B,2 C,4 D,4 E,6 F,3.4", False),  # one mean, more finely written
        ("A,36.9,37.2 B,37.1,36.8 C,36.5,37.4 D,36.6,37.3 E,36.9,36.8 F,36.8,37.1", False),
        ("3,4 3,4 3,4 3,4 3,4 15,20", True),
        ("A,1, B,2,x C,3,y D,4,x E,5,y F,6,x ,21,", True),  # no name
    ],
)
def test_a_sum_by_numbers_alone_that_is_filled_as_a_row_is_asked_unless_it_is_well_told(
    rows, certain, tmp_path
):
    lines = rows.split()
    header = ",".join("abc"[: lines[0].count(",") + 1])
    ledger = read_table(written(tmp_path, *lines, header=header), "csv", {}).ledger
    asked, passed = ((), 1) if certain else ((1,), 0)
    assert (tuple(entry.rows for entry in ledger.doubtful), ledger.read - ledger.kept) == (asked, passed)


@pytest.mark.parametrize("place", [0, -1])
def test_a_drawn_line_of_values_that_rows_have_too_is_asked(place, tmp_path):
    rows = ["+++,---", "---,+++", "+++,+++", "+++,---", "---,+++"]
    rows.insert(place % (len(rows) + 1), "---,---")
    ledger = read_table(written(tmp_path, *rows, header="a,b"), "csv", {}).ledger
    assert (ledger.kept, ledger.doubtful[0].content) == (6, "---,---")


def test_what_is_found_in_the_middle_is_asked_and_kept(tmp_path):
    drawn, total = "---,---,---,---", f"{sum(range(1, 7))},{sum(XS[:6])},Subtotal,"
    path = written(tmp_path, *ROWS[:6], total, *ROWS[6:9], drawn, *ROWS[9:])
    table, reader, said = read_as_found(path, "csv", {})
    assert table.ledger.kept == table.ledger.read == 14
    assert [(entry.rows, entry.line) for entry in table.ledger.doubtful] == [(1, 8), (1, 12)]
    assert sum("kept as rows; if it is none: --reader 'pass_over=[8, 12]'" in line for line in said) == 2
    assert "pass_over" not in reader
    answered = read_table(path, "csv", {"pass_over": [8, 12]})
    assert (answered.ledger.kept, answered.ledger.doubtful) == (12, ())
    assert list(answered.lines) == [2, 3, 4, 5, 6, 7, 9, 10, 11, 13, 14, 15]
    with pytest.raises(DatasetError, match="no row begins in line 99; there are from 2 to 15"):
        read_table(path, "csv", {"pass_over": [99]})


def test_more_than_a_handful_at_the_end_is_asked(tmp_path):
    for n, kept in ((5, 12), (6, 18)):
        path = written(tmp_path, *ROWS, *(f"remark {'on' * i}: so and so,,," for i in range(n)))
        assert read_table(path, "csv", {}).ledger.kept == kept


@pytest.mark.parametrize(
    "header",
    ["id,x,c", "id,x,c,", "id,x,c,z", "id,x,y,c", '"id",x,c,more'],
)
@pytest.mark.parametrize("between", [(), ("",)])
def test_names_of_the_header_begin_another_table(between, header, tmp_path):
    lines = [*ROWS, *between, header, *(row.rpartition(",")[0] for row in ROWS)]
    table = read_table(written(tmp_path, *lines), "csv", {})
    begins = [s.line for s in table.suspects if s.certain and "another table begins" in s.rule]
    assert begins == [len(ROWS) + len(between) + 2]
    assert table.ledger.kept == 2 * len(ROWS)
    assert table.numbers("x").notna().all()


def test_names_of_the_header_among_words_are_values(tmp_path):
    chosen = [f"{i},{'red' * (i % 2)},{'blue' * (i % 3 > 0)},{'green' * (i % 5 > 0)}" for i in range(40)]
    table = read_table(written(tmp_path, *chosen, header="id,red,blue,green"), "csv", {})
    assert (table.ledger.kept, table.suspects) == (40, [])


def test_a_table_of_more_columns_below_another_is_refused_by_its_line(tmp_path):
    lines = [*ROWS, "id,x,c,y,z", *(f"{row},7" for row in [*ROWS, *ROWS])]
    with pytest.raises(DatasetError, match=f"line {len(ROWS) + 2:}.* of two tables in one file keep one"):
        read_table(written(tmp_path, *lines), "csv", {})


def test_the_header_again_is_no_row_only_above_numbers(tmp_path):
    ledger = read_table(written(tmp_path, *ROWS, "id,x,c,y", *ROWS), "csv", {}).ledger
    assert (ledger.kept, str(ledger.passed[0])) == (24, "1 row with the header again (line 14, 'id,x,c,y')")
    ledger = read_table(written(tmp_path, *ROWS, " id, x,c ,y", *ROWS), "csv", {}).ledger
    assert (ledger.kept, ledger.passed[0].rows) == (24, 1)
    basket = written(tmp_path, "milk,salt", "bread,milk", "beer,milk", header="bread,milk")
    ledger = read_table(basket, "csv", {}).ledger
    assert (ledger.kept, ledger.doubtful[0].line) == (3, 3)
    alone = written(tmp_path, "x", "7", "x", header="x")
    assert read_table(alone, "csv", {}).ledger.kept == 3


@pytest.mark.parametrize(
    ("row", "kept"),
    [
        ("[EUR],[m],,-", 12),
        ("[EUR],[m],,yes", 13),  # a value that comes back
        ("[EUR],4,,-", 13),
        ("n.d.,,b,", 13),
        ("---,---,---,---", 12),
        ("--,--,--,--", 13),
        ("---,===,---,---", 13),
        ("***,***,***,yes", 13),
        ("~~~,~~~,~~~,no", 13),
    ],
)
def test_a_first_row_is_none_if_it_cannot_be_one(row, kept, tmp_path):
    assert read_table(written(tmp_path, row, *ROWS), "csv", {}).ledger.kept == kept


@pytest.mark.parametrize(
    ("row", "drawn"),
    [
        (["---", "---:", ":-:"], True),
        (["", "-----", "-", ""], True),
        (["+---+----+", ""], True),
        (["---+---+--", "", ""], True),
        (["===", "="], True),
        (["───", "─────"], True),
        (["-", "-"], False),
        (["--", "++"], False),
        (["---", "==="], False),
        (["---", "", "---"], False),
        (["--- a", "---"], False),
        (["+++", "+++"], False),
    ],
)
def test_a_drawn_line_has_strokes_of_one_kind(row, drawn):
    assert is_drawn(row) == drawn


def test_long_lines_of_dashes_are_read_in_no_time(tmp_path):
    """A rule of backtracking takes a minute for these."""
    path = written(tmp_path, "-" * 100_000 + "x,1", "b,2", header="a,y")
    assert read_table(path, "csv", {}).ledger.kept == 2


def test_lines_are_numbered_as_an_editor_does(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('# by hand\n# in May\nid,n,y\n\n1,"a\nb\nc",yes\n# twice\n2,c,no\n\n3,d,yes\nTotal,,\n')
    table = read_table(path, "csv", {"comment": "#"})
    assert list(table.lines) == [5, 9, 11]
    assert [(entry.rule.split()[-1], entry.rows, entry.line) for entry in table.ledger.passed] == [
        ("table", 2, 1),
        ("value", 1, 4),
        ("comments", 1, 8),
        ("value", 1, 10),
        ("remark", 1, 12),
    ]
    assert (table.ledger.read, table.ledger.kept) == (9, 3)


def test_a_ledger_that_does_not_add_up_is_an_error():
    ledger = Ledger(10, 8, (Aside("without any value", 2, 3),))
    assert Ledger.from_dict(ledger.as_dict()) == ledger
    assert str(ledger.leaving(Aside("without a label", 1), 7)) == (
        "10 rows read, 2 passed over, 1 left out, 7 kept"
    )
    assert (ledger + ledger).kept == 16
    with pytest.raises(LedgerError, match="10 read, but 8 kept and 1 passed over or left out"):
        Ledger(10, 8, (Aside("without any value", 1, 3),))
    with pytest.raises(LedgerError):
        ledger.leaving(Aside("without a label", 1), 8)
    with pytest.raises(LedgerError, match="data has 9 rows, its ledger 8 "):
        ledger.require(9, "data")


def test_the_ledger_goes_with_the_data(tmp_path):
    frame = pd.DataFrame({"x": range(40), "y": ["yes", "no", "no", ""] * 10})
    path = tmp_path / "t.csv"
    path.write_text(frame.to_csv(index=False) + "\n,\n")
    params = parameters(look(path, label="y", positive="yes"))
    data = make("file", **params)
    assert str(data.ledger) == "42 rows read, 2 passed over, 10 left out, 30 kept"
    assert [entry.line for entry in data.ledger.left_out] == [5]
    fewer = make("file", **params, downsample_positives=0.2)
    assert [entry.rows for entry in fewer.ledger.left_out] == [10, 5]
    assert fewer.ledger.kept == len(fewer.y) == 25
    data.save(tmp_path / "d.npz")
    assert type(data).load(tmp_path / "d.npz").ledger == data.ledger
    several = make("file", **params | {"path": path, "test": path})
    assert (several.ledger.read, several.ledger.kept) == (84, 60)


def test_signs_alone_are_rows_of_the_data_set(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.choice(["-", "+"], (200, 7)), columns=[*"abcdef", "y"])
    frame.to_csv(tmp_path / "panel.csv", index=False)
    found = look(tmp_path / "panel.csv", label="y", positive="+")
    data = make("file", **parameters(found))
    assert (len(data.y), data.n_pos) == (200, (frame["y"] == "+").sum())


@pytest.mark.parametrize(
    "rows",
    [
        [
            f"{i * i + 7},{i % 7},{['Total Energies', 'Acme', 'Sum Up'][i % 3]},yes" for i in range(30)
        ],  # names
        [f"{i},{i % 7},a,yes" for i in range(27)]
        + [f"none,{i},a,no" for i in range(3)],  # one of two numbers
    ],
)
def test_names_and_words_below_numbers_are_rows(tmp_path, rows):
    (tmp_path / "t.csv").write_text("\n".join(["a,b,c,y", *rows]) + "\n")
    ledger = look(tmp_path / "t.csv", label="y").ledger
    assert (ledger.kept, ledger.doubtful) == (30, ())
