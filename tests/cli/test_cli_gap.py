"""`attop gap`: a table in a file, read, judged and refused in words."""

import re

import numpy as np
import pandas as pd
import pytest

from attop.cli import gap as command
from attop.cli.main import main
from attop.diagnostics.gap import gap

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
    X, y, groups = command.read("table.csv", "fraud", "fraud", "user")
    kinds = [(table["kind"] == "a"), (table["kind"] == "b"), table["kind"].isna()]
    expected = np.column_stack([table["amount"], table["weekend"], *kinds]).astype(float)
    np.testing.assert_array_equal(X, expected)
    assert y.tolist() == (table["fraud"] == "fraud").tolist()
    assert groups.tolist() == table["user"].tolist()
    assert capsys.readouterr().out == "Left out, text of more than 50 values: name.\n"
    assert command.read("table.csv", "fraud", None, None)[1].tolist() == (table["fraud"] == "ok").tolist()
    assert command.read("table.csv", "weekend", None, None)[1].tolist() == table["weekend"].tolist()
    assert command.read("table.csv", "user", "3", None)[1].tolist() == (table["user"] == 3).tolist()


@pytest.mark.workflow
def test_it_prints_what_the_function_finds(table, capsys):
    call = ["gap", "table.csv", "--label", "fraud", "--positive", "fraud", "--top"]
    assert main([*call, "20"]) == 0
    printed = capsys.readouterr().out
    X, y, groups = command.read("table.csv", "fraud", "fraud", None)
    assert printed.endswith(f"{gap(X, y, 20)}\n")
    assert f"240 rows, {y.sum()} of them positive, 6 features" in printed
    assert main([*call, "tau=0.1", "--group", "user", "--jobs", "2"]) == 0
    printed = capsys.readouterr().out
    X, y, groups = command.read("table.csv", "fraud", "fraud", "user")
    assert printed.endswith(f"{gap(X, y, {'tau': 0.1}, groups=groups)}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv", "--label", "fraud", "--top", "5"], "cannot read none.csv"),
        (
            ["table.csv", "--label", "frod", "--top", "5"],
            "--label frod: .* has the columns amount, kind",
        ),
        (
            ["table.csv", "--label", "fraud", "--top", "5", "--group", "x"],
            "--group x: table.csv has",
        ),
        (["table.csv", "--label", "kind", "--top", "5"], "--label kind: 80 rows without a label"),
        (["table.csv", "--label", "user", "--top", "5"], "--label user holds 6 values .*--positive"),
        (
            ["table.csv", "--label", "fraud", "--top", "5", "--positive", "f"],
            "--positive f: .* holds fraud, ok",
        ),
        (["table.csv", "--label", "fraud", "--top", "0.1"], "--top: .*got 'k=0.1'"),
        (["table.csv", "--label", "fraud", "--top", "241"], "k=241 asks for 241 of the 240 items"),
    ],
)
def test_what_cannot_be_done_is_one_message(arguments, message, table, capsys):
    assert main(["gap", *arguments]) == 1
    said = capsys.readouterr().err
    assert said.startswith("attop gap cannot go on:\n")
    assert re.search(message, said)
