"""Names are text: what stands in a file is what is trained on, scored and listed, in every format."""

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attop.extending import Top
from attop_bench.cli.main import main
from attop_bench.data.base import DatasetError
from attop_bench.data.build import make
from attop_bench.deploy.card import _python
from attop_bench.deploy.package import read_package
from support.packages import linear_package as package
from support.packages import write_package

LONG = "12345678901234567890"


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng, n = np.random.default_rng(0), 240
    x = rng.normal(size=n).round(3)
    frame = pd.DataFrame(
        {
            "id": [f"{i:03}" for i in range(n)],
            "x": x,
            "code": rng.choice(["A1", "7", "12", "03"], n),
            "flag": rng.choice(["True", "False", "unknown"], n),
            "user": np.repeat(["01", "1", "true", "TRUE"], [149, 49, 31, 11]),
            "y": np.where(x + rng.normal(size=n) > 1, "yes", "no"),
        }
    )
    frame.to_csv("t.csv", index=False)
    return frame


@pytest.mark.parametrize("gap", [{}, {"impute": "median"}])
@pytest.mark.parametrize(("name", "value"), [("code", 7), ("code", 12), ("code", "03"), ("flag", True)])
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_one_row_scores_like_all(format, name, value, gap, table):
    """Parquet has a number or a truth value, or the text that CSV has."""
    if gap:
        table.loc[5, ["x", "code"]] = None
        table.to_csv("t.csv", index=False)
    model = package("t.csv", drop=["id", "user"], **gap)
    every = model.rank("t.csv").set_index("row")["score"]
    row = int((table[name] == str(value)).to_numpy().argmax())
    one = table[row : row + 1].assign(**{name: value})
    getattr(one, f"to_{format}")(f"one.{format}", index=False)
    assert model.rank(f"one.{format}")["score"].item() == pytest.approx(every[row + 1], rel=1e-12)


def test_the_code_of_the_card_scores_a_file(table):
    model = package("t.csv", drop=["id", "user"], impute="median")
    write_package(Path("out"), model)
    Path("out/new.csv").write_text(Path("t.csv").read_text())
    names = {}
    with contextlib.chdir("out"):
        exec(_python(model), names)
    np.testing.assert_array_equal(names["scores"], model.rank("t.csv")["score"])


def test_whole_numbers_of_parquet_stay_whole_beside_a_gap(table):
    model = package("t.csv", drop=["id", "user"])
    new = table[table["code"] == "7"][:3].assign(code=[7, 7, None], id=pd.array([7, None, 10**18], "Int64"))
    new.assign(code=new["code"].astype("Int64")).to_parquet("n.parquet")
    said = []
    ranked = model.rank("n.parquet", tell=said.append).sort_values("row")
    score = model.rank("t.csv").set_index("row")["score"]
    np.testing.assert_allclose(ranked["score"][:2], score[new.index[:2] + 1])
    assert ranked["id"].astype(object).fillna("").tolist() == [7, "", 10**18]
    assert len(said) == 1
    assert "column 'code': 1 of 3 values were never seen in training" in said[0]


def test_values_that_were_never_seen_are_counted(table, capsys):
    write_package(Path("out"), package("t.csv", drop=["id", "user"]))
    table[:9].assign(code=[" 7", "a1", "7.0", *["A1"] * 6]).to_csv("n.csv", index=False)
    assert main(["score", "out", "n.csv", "--all"]) == 0
    said = capsys.readouterr()
    assert "column 'code': 2 of 9 values were never seen in training, such as 'a1'" in said.err
    assert len(said.out.splitlines()) == 10


def test_k_is_resolved_in_each_group(table):
    model = package("t.csv", drop=["id"], group="user")
    ranked = model.rank("t.csv")
    assert ranked["user"].value_counts().to_dict() == {"01": 149, "1": 49, "true": 31, "TRUE": 11}
    for top, sizes in (
        (None, [15, 5, 4, 2]),
        (Top(k=40), [40, 40, 31, 11]),
        (Top(k=2, out_of=100), [3, 1, 1, 1]),
    ):
        head = model.head(ranked, top).groupby("user")["rank"].max()
        assert head[["01", "1", "true", "TRUE"]].tolist() == sizes
    with pytest.raises(ValueError, match="k=150 asks for 150 of the 149 items"):
        model.head(ranked, Top(k=150))
    few = table[table["user"] == "TRUE"][:3]  # the model's own k is more than any list of this file has
    few.to_csv("few.csv", index=False)
    assert len(replace(model, notes={**model.notes, "top": {"k": 4}}).head(model.rank("few.csv"))) == 3
    table.assign(user=["", *table["user"][1:]]).to_csv("gap.csv", index=False)
    ranked = model.rank("gap.csv")
    assert len(ranked) == len(table) - 1
    assert "user is missing, which names its list, row 1" in str(ranked.attrs["ledger"].left_out[0])
    table.drop(columns="user").to_csv("none.csv", index=False)
    with pytest.raises(DatasetError, match="the file lacks columns of the model: user"):
        model.rank("none.csv")


ALMOST = LONG[:-1] + "1"
USERS = [["01", "1"], ["1e5", "100000"], ["true", "TRUE"], [LONG, ALMOST], ["1.50", "1.5"], ["7", "7.0"]]


@pytest.mark.parametrize("users", USERS)
@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("role", ["group", "entity"])
def test_two_customers_are_two(role, format, users, table):
    table = table.assign(user=np.repeat(users, 120))
    getattr(table, f"to_{format}")(f"u.{format}", index=False)
    params = {"path": f"u.{format}", "label": "y", "positive": "yes", "drop": ["id", "code", "flag"]}
    data = make("file", **params, **{role: "user"})
    assert len(np.unique(data.groups if role == "group" else data.entity)) == 2


@pytest.mark.parametrize(
    ("positive", "count"), [("01", 1), ("1", 2), (1, 3), ("1.0", 3), (">= 1", 3), (True, 3)]
)
def test_a_label_is_named_as_text_or_given_as_a_number(positive, count, tmp_path):
    (tmp_path / "t.csv").write_text("u,y\n1,01\n2,1\n3,1\n4,0\n")
    assert make("file", path=tmp_path / "t.csv", label="y", positive=positive).n_pos == count


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("inf", "x is 'inf', no number"),
        ("", "x is missing, and the model fills no gaps"),
        ("1,5,6", "x is '1,5,6', no number"),
        ("0x1f", "x is '0x1f', no number"),
    ],
)
def test_a_row_without_a_number_is_named_and_the_others_are_ranked(value, reason, table, capsys):
    model = package("t.csv", drop=["id", "user"])
    new = table[:3].astype(str)
    known = model.rank("t.csv").set_index("row")["score"]
    new.loc[1, "x"] = value
    new.to_csv("n.csv", index=False)
    ranked = model.rank("n.csv").set_index("row")
    assert sorted(ranked.index) == [1, 3]
    np.testing.assert_allclose(ranked["score"].sort_index(), known[[1, 3]], rtol=1e-12)
    write_package(Path("out"), model)
    assert main(["score", "out", "n.csv", "--all"]) == 0
    said = capsys.readouterr().err
    assert f"not ranked: 1 row with no score, as {reason}, row 2 (line 3, " in said
    assert "rows: 3 read, 0 passed over, 1 not ranked, 2 scored and ranked, 2 in this list" in said
    new.assign(x=value).to_csv("n.csv", index=False)
    with pytest.raises(DatasetError, match=r"no row can be ranked: 3 rows|'x' (has infinite|must hold)"):
        model.rank("n.csv")


def test_what_is_no_table_or_model_is_named(table):
    write_package(Path("out"), package("t.csv", drop=["id", "user"]))
    for name, start in (("n.xlsx", b"PK\3\4"), ("old.xls", b"\xd0\xcf\x11\xe0"), ("n.csv", b"PK\3\4")):
        Path(name).write_bytes(start + bytes(range(256)))
        with pytest.raises(DatasetError, match="save it as CSV"):
            make("file", path=name, label="y", positive=1)
        with pytest.raises(DatasetError, match=f"{name}: .*save it as CSV"):
            read_package("out").rank(name)
    for text in ("{", "[]", json.dumps({"features": []})):
        Path("out/model.json").write_text(text)
        with pytest.raises(DatasetError, match=r"out.model\.json is not by attop deploy"):
            read_package("out")
