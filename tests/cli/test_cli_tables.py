"""`attop headroom` and `attop look`: a table in a file, read, judged and refused in words."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from attop.headroom import headroom
from attop_bench.cli import tables as command
from attop_bench.cli.main import main
from support.transactions import transactions

RNG = np.random.default_rng(0)


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table with numbers, text, a name of each row, missing values and a group."""
    monkeypatch.chdir(tmp_path)
    n = 240
    frame = pd.DataFrame(
        {
            "amount": RNG.normal(size=n),
            "kind": np.array(["a", "b", None], dtype=object)[np.arange(n) % 3],
            "name": [f"row {i}" for i in range(n)],
            "weekend": np.arange(n) % 7 < 2,
            "user": np.arange(n) % 6,
        }
    )
    frame["fraud"] = np.where(frame["amount"] + RNG.normal(size=n) > 1.2, "fraud", "ok")
    frame.loc[::11, "amount"] = np.nan
    frame.to_csv("table.csv", index=False)
    return frame


def test_what_is_read(table, capsys):
    X, y, groups, entity = command.read("table.csv", "fraud", "fraud", "user")
    assert entity is None
    kinds = [(table["kind"] == "a"), (table["kind"] == "b"), table["kind"].isna()]
    expected = np.column_stack([table["amount"], table["weekend"], *kinds]).astype(float)
    np.testing.assert_allclose(X, expected, rtol=1e-13)  # pandas before 3 reads decimals to a bit or so
    assert y.tolist() == (table["fraud"] == "fraud").tolist()
    assert groups.tolist() == table["user"].tolist()
    n_pos = (table["fraud"] == "fraud").sum()
    left_out, counts = capsys.readouterr().out.split("\n", 1)
    ledger, counts = counts.rsplit("\n", 3)[0], counts.split("\n", 4)[-1]
    assert ledger == "Rows read: 240\nRows passed over: 0\nRows left out: 0\nRows kept: 240"
    assert "name" in left_out
    assert counts == f"240 rows, {n_pos} of them positive (fraud = fraud), 5 features\n\n"
    assert command.read("table.csv", "fraud", None, None)[1].tolist() == (table["fraud"] == "fraud").tolist()
    assert command.read("table.csv", "weekend", None, None)[1].tolist() == table["weekend"].tolist()
    assert command.read("table.csv", "user", "3", None)[1].tolist() == (table["user"] == 3).tolist()
    assert command.read("table.csv", "user", ">= 3", None)[1].tolist() == (table["user"] >= 3).tolist()
    assert command.read("table.csv", "fraud", None, None, ["user", "kind"])[0].shape == (240, 2)


def test_a_table_is_read_as_a_data_set_is(table, capsys):
    """What is proposed is what is read, but for columns that are dropped, and leaks are said."""
    frauds = (table["fraud"] == "fraud").tolist()
    table.to_csv("numbered.csv", sep=";", decimal=",")
    table.assign(told=np.where(table["fraud"] == "fraud", "yes", None)).to_csv("leak.csv", index=False)
    for path, drop in (("numbered.csv", ["1"]), ("leak.csv", [])):
        X, y, *_ = command.read(path, "fraud", None, None, drop)
        assert y.tolist() == frauds
        assert X.shape == (240, 6)
    assert "told tells the label nearly alone (AUC 1.000): is it" in capsys.readouterr().out


@pytest.mark.workflow
def test_it_prints_what_the_function_finds(table, ask, capsys, monkeypatch):
    call, given = ["headroom", "table.csv", "--label", "fraud", "--positive", "fraud", "--top"], {}

    def watched(X, y, top, **how):
        given.update(how, data=(X, y), found=headroom(X, y, top, **how) if top.k else top)
        return given["found"]

    monkeypatch.setattr("attop.headroom.headroom", watched)
    X, y, _, entity = command.read("table.csv", "fraud", "fraud", None)
    capsys.readouterr()
    printed = ask(*call, "20")
    assert printed.endswith(f"{given['found']}\n")
    for read, expected in zip((*given["data"], given["entity"]), (X, y, entity), strict=True):
        np.testing.assert_array_equal(read, expected)
    assert f"240 rows, {y.sum()} of them positive (fraud = fraud), 6 features" in printed
    assert ask(*call, "tau=0.1", "--group", "user", "--jobs", "2").endswith("\ntau=0.1\n")
    assert given["groups"].tolist() == table["user"].tolist()
    assert (given["entity"], given["n_jobs"]) == (None, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("none.csv --label fraud --top 5", "none.csv: there is no such file"),
        ("table.csv --label frod --top 5", "no column 'frod'.*did you mean 'fraud'"),
        ("table.csv --label fraud --top 5 --group x", "no column 'x'"),
        ("bare.csv --label y --top 5", "no column is left that could be a feature"),
        ("table.csv --label user --top 5", "--label user holds 6 values.*--positive"),
        ("table.csv --label fraud --top 5 --positive f", "no row has fraud = 'f'; values are"),
        ("twice.csv --label y --top 1", "'y'.*twice"),
        ("table.csv --label fraud --top 241", "k=241 asks for 241 of the 240 items"),
    ],
)
def test_what_cannot_be_done_is_one_message(arguments, message, table, ask):
    Path("twice.csv").write_text("a,y,y\n1,0,0\n2,1,1\n")  # one of the two would be a feature
    Path("bare.csv").write_text("a,y\n" + "5,0\n5,1\n" * 20)
    said = ask("headroom", *arguments.split(), status=1)
    assert said.startswith("attop headroom cannot go on:\n")
    assert re.search(message, said)


def test_look_prints_a_screen_and_writes_a_configuration(tmp_path, monkeypatch, ask):
    monkeypatch.chdir(tmp_path)
    transactions(1000).to_csv("mine.csv", index=False)
    named = ["look", "mine.csv", "--label", "fraud", "--positive", "yes"]
    printed = ask(*named, "--output", "mine.yaml")
    assert "mine.csv: 1,000 rows, 25 columns" in printed
    assert "label: fraud = yes, 2.40% of the rows" in printed
    assert re.search(r"tops: \[\{k: 1, of: \d+\}\]", ask(*named, "--top", "1 a day"))
    assert "transaction_id  identifier" in printed
    assert len(printed.splitlines()) < 45
    written = yaml.safe_load((tmp_path / "mine.yaml").read_text())
    assert written["datasets"][0]["params"]["label"] == "fraud"
    proposed = ask("look", "mine.csv").partition("writes:\n")[2].partition("\nNext:")[0]
    assert yaml.safe_load(proposed) == written


def test_look_says_what_is_wrong(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n5,6\n")
    assert main(["look", "t.csv"]) == 1
    said = capsys.readouterr()
    assert "t.csv: 3 rows, 2 columns" in said.out  # what there is, all the same
    assert "name the label" in said.err
    assert "name the label" not in said.out  # once


def test_a_column_of_one_value_or_none_is_named(tmp_path, ask):
    (tmp_path / "t.csv").write_text("a,absent\n" + "1,x\n2,\n3,\n" * 9)
    assert "absent" in ask("look", str(tmp_path / "t.csv"), status=1)


def test_in_a_terminal_look_asks_and_the_answer_is_in_the_configuration(tmp_path, monkeypatch, ask):
    rng = np.random.default_rng(5)
    ids, y = 10_000 + 97 * rng.integers(0, 90, 400), rng.random(400) < 0.2
    frame = pd.DataFrame({"x": rng.normal(size=400), "patient_nbr": ids, "y": y.astype(int)})
    frame.to_csv(tmp_path / "wards.csv", index=False)
    asked = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda question: asked.append(question) or "number")
    call = ["look", "wards.csv", "--label", "y", "--output", "w.yaml"]
    assert main(call) == 0
    (question,) = asked
    assert question.startswith(
        "patient_nbr (88 values, 4.5 rows each, no more alike than others: by its name"
    )
    assert question.endswith("): entity or number? [entity] ")
    assert "entity: " not in (tmp_path / "w.yaml").read_text()
    assert main([*call, "--role", "patient_nbr=group"]) == 0
    assert "group: patient_nbr" in (tmp_path / "w.yaml").read_text()
    assert "--role wants COLUMN=KIND" in ask("look", "wards.csv", "--role", "patient_nbr", status=1)


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        (["skip=3", "header=false"], {"skip": 3, "header": False}),
        (["sheet=2", "pass_over=[7, 8]"], {"sheet": 2, "pass_over": [7, 8]}),
        (["separator=;", "quote=^", "comment=#"], {"separator": ";", "quote": "^", "comment": "#"}),
        (["separator=~", "comment=%"], {"separator": "~", "comment": "%"}),
        (["separator=|", "encoding=cp1252"], {"separator": "|", "encoding": "cp1252"}),
        (["names=c", "missing={x: [-9]}"], {"names": "c", "missing": {"x": [-9]}}),
        (["n_features=9", "zero_based=true"], {"n_features": 9, "zero_based": True}),
    ],
)
def test_options_of_the_reader_have_types_as_in_a_configuration(texts, options):
    assert command._read_options(texts) == options


@pytest.mark.parametrize("form", ["csv", "excel"])
def test_lines_to_skip_are_given_as_look_writes_them(form, table, capsys):
    if form == "excel":
        pytest.importorskip("openpyxl")
        with pd.ExcelWriter("t.xlsx") as book:
            table.to_excel(book, index=False, startrow=3)
    else:
        Path("t.csv").write_text("a\nb\nc\n" + table.to_csv(index=False))
    (name,) = [path.name for path in Path().glob("t.*")]
    assert main(["look", name, "--label", "fraud", "--reader", "skip=3"]) == 0
    assert "reader: {skip: 3}" in capsys.readouterr().out


def test_in_a_terminal_look_asks_of_lines_that_may_be_rows(table, monkeypatch):
    text = table.to_csv(index=False).splitlines()
    Path("t.csv").write_text("\n".join([*text[:50], "---,---,---,---,---,---", *text[50:]]) + "\n")
    for stream in ("stdin", "stdout"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)
    for answer, kept in (("", 241), ("no", 240)):
        asked = []
        monkeypatch.setattr("builtins.input", lambda question: asked.append(question) or answer)  # noqa: B023
        assert main(["look", "t.csv", "--label", "fraud", "--output", "c.yaml"]) == 0
        assert any("line 51" in question and "rows, yes or no?" in question for question in asked)
        params = yaml.safe_load(Path("c.yaml").read_text())["datasets"][0]["params"]
        assert params.get("reader", {}).get("pass_over") == (None if kept == 241 else [51])
