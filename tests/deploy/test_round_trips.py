"""Whatever a command writes, its partner reads: random tables with odd names, ids, labels and separators."""

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attop.experiment import HeldOut
from attop.extending import Top
from attop.metrics import get_metric
from attop_bench.cli.main import main
from attop_bench.cli.options import source
from attop_bench.cli.propose import _values_of
from attop_bench.deploy.lists import own_rows, read_list
from attop_bench.deploy.promise import promise_path, read_promise
from attop_bench.files import csv_text, original_cell, plain_cell, write_csv, write_parquet
from attop_bench.run.rescore import rescore
from attop_bench.run.tables import read_tables, write_tables
from support.packages import linear_package, write_package

N = 120
#: Names of rows as they are found: formulas, numbers, separators, quotes, new lines, other scripts.
NAMES = ["=1+1", "@u", "+49 30", "-x", "'=a", "''@b", "'c", "007", "7", " 7 ", "1e5", "NA", "nan", "None"]
NAMES += ["a,b;c", "a\tb", 'say "hi"', '"', "x\ny", "x\r\ny", "x\ry", "naïve ☃", "1" * 20, "#1", "\u202eabc"]
NAMES += [
    "\u2028",
    "'",
    "-1e9",
    "12:30",
    "1,5",
    "0x1f",
    "\\N",
    "%d",
    "{}",
    "<b>",
    "x\x0cy",
    "TRUE",
    "x" * 9999,
]
HEADS = ["id", "=id", "Käse", "a b", "a,b", "a;b;c;d;e;f;g", 'q"q', "1", "@x", "x.1", "-", "ID "]
LABELS = [("yes", "no"), ("1", "0"), (True, False), ("-1", "1"), ("=1", "+"), ("2.0", "1.0"), ("a,b", "c;d")]
LABELS.append((">50K", "<=50K"))
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "cp1252"]


def random_case(seed):
    """Return a table, the parameters that read it, and the options with which it is written."""
    rng = np.random.default_rng(seed)
    x, identifier = rng.normal(size=N).round(3), HEADS[rng.integers(len(HEADS))]
    positive, negative = LABELS[seed % len(LABELS)]
    mark = [",", ";", "\t", "|"][rng.integers(4)]
    decimal = "," if mark != "," and rng.random() < 0.5 else "."
    ids = [*rng.permutation(NAMES).tolist(), *(f"r{i}" for i in range(N))][:N]
    encoding = ENCODINGS[rng.integers(4)]
    if encoding == "cp1252":
        ids = [name.encode("cp1252", "replace").decode("cp1252") + f"#{i}" for i, name in enumerate(ids)]
    table = pd.DataFrame({identifier: ids, "x": x, "kind": rng.choice(["b", "Ä", "7"], N)})
    table["day"] = pd.date_range("2026-01-01", periods=N).strftime("%d.%m.%Y")
    table["y"] = np.where(x + rng.normal(size=N) > 0.8, positive, negative)
    params = {"drop": [identifier, "day"], "positive": positive}
    role = [None, "group", "entity"][seed % 3]
    if role:
        table["user"] = rng.choice(["01", "1", "=u", "ü"], N)
        params[role] = "user"
    reader = {"separator": "tab" if mark == "\t" else mark, "decimal": decimal}
    if encoding == "cp1252":
        reader["encoding"] = encoding
    how = {"sep": mark, "decimal": decimal, "encoding": encoding, "index": False}
    how["quoting"] = csv.QUOTE_NONNUMERIC  # Python before 3.13 quotes no cell for a carriage return

    return table, identifier, {**params, "reader": reader}, how


def held_out(table, positive, entity):
    """Return test parts of a chosen model and a rival of the rows of a table."""
    rng, y = np.random.default_rng(0), (table["y"] == positive).to_numpy().astype(int)
    names = np.unique(table["user"], return_inverse=True)[1] if entity else None
    return [[HeldOut(np.arange(N), y, y * quality + rng.normal(size=N), names)] for quality in (1.5, 0.5)]


def as_pandas_reads(path):
    """Return a list as pandas reads it, with what protects from formulas."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def check_list(path, written):
    """Compare a list as pandas, Python and attop read it with the table that was written."""
    text = (
        written.astype(object).where(written.notna(), "").map(lambda v: v if isinstance(v, str) else str(v))
    )
    plain, own = as_pandas_reads(path), read_list(path)
    pd.testing.assert_frame_equal(own, plain.rename(columns=original_cell).map(original_cell))
    with open(path, newline="", encoding="utf-8") as file:
        most = csv.field_size_limit(2**31 - 1)
        head, *rows = csv.reader(file)
        csv.field_size_limit(most)
    assert head == list(plain.columns) == [plain_cell(name) for name in written]
    assert rows == plain.to_numpy().tolist()
    for name in written:
        if written[name].dtype.kind not in "fiub":
            assert own[name].tolist() == text[name].tolist(), name
        else:
            np.testing.assert_array_equal(own[name].astype(float), written[name].astype(float))


@pytest.mark.parametrize("seed", range(24))
def test_deploy_score_and_watch_understand_each_other(seed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table, identifier, params, how = random_case(seed)
    table.to_csv("t.csv", **how)
    entity = "entity" in params
    parts = [] if "group" in params else held_out(table, params["positive"], entity)
    package = linear_package("t.csv", held_out=parts, **params)
    write_package(Path("out"), package)
    written = package.rank("t.csv")
    write_csv("all.csv", written)
    check_list("all.csv", written)

    calls = [
        ["--all"],
        [],
        ["--top", "tau=0.2", "--explore", "3", "--previous", "lists/1.csv", "--id", identifier],
    ]
    for number, options in enumerate(calls, 1):
        file = f"lists/{number}.csv"
        assert main(["score", "out", "t.csv", "--output", file, *options]) == 0
        promise = read_promise(Path(file))
        assert promise.k == own_rows(read_list(file)).sum()
        assert read_list(file)[identifier].isin(table[identifier]).all()
    marks = read_list("lists/3.csv")
    assert set(marks["change"][own_rows(marks)]) == {"stayed"}
    capsys.readouterr()

    hits = 0
    for number in (1, 2, 3):
        rows = read_list(f"lists/{number}.csv")
        labels = table["y"].to_numpy()[rows["row"].astype(int) - 1]
        hits += (labels[own_rows(rows)] == params["positive"]).sum()
        columns = rows.assign(y=labels).rename(columns=plain_cell).map(plain_cell)
        how = {"sep": ",;\t"[number - 1], "quoting": csv.QUOTE_NONNUMERIC}
        columns.to_csv(f"lists/{number}.csv", index=False, **how)
    assert main(["watch", "lists", "--model", "out", "--promised", "0.3"]) == 0
    total = sum(read_promise(Path(f"lists/{number}.csv")).k for number in (1, 2, 3))
    assert f"found {hits:,} of {total:,} rows of 3 lists" in capsys.readouterr().out
    if any(read_promise(Path(f"lists/{number}.csv")).holds for number in (1, 2, 3)):
        assert main(["watch", "lists", "--model", "out"]) == 0
    assert not any(path.name.startswith(".") for path in Path().rglob("*"))


@pytest.mark.parametrize("seed", range(20))
def test_every_table_that_is_written_opens_equal(seed, tmp_path):
    rng = np.random.default_rng(seed)
    columns, texts = {}, rng.permutation(HEADS)[:5].tolist()
    for name in texts:
        columns[name] = rng.choice(np.array(NAMES, dtype=object), 8)
    columns |= {
        "whole": rng.integers(-9, 9, 8),
        "number": rng.normal(size=8) * 10.0 ** rng.integers(-300, 300),
    }
    columns |= {"truth": rng.random(8) < 0.5, "gap": np.where(rng.random(8) < 0.5, np.nan, 1.5)}
    frame = pd.DataFrame(columns)
    write_csv(tmp_path / "t.csv", frame)
    text = {plain_cell(name): str for name in texts}
    exact = {"float_precision": "round_trip", "keep_default_na": False, "na_values": {"gap": [""]}}
    back = pd.read_csv(tmp_path / "t.csv", dtype=text, **exact).rename(columns=original_cell)
    for name in texts:
        back[name] = back[name].map(original_cell)
    pd.testing.assert_frame_equal(back, frame, check_dtype=False)
    assert csv_text(frame) == (tmp_path / "t.csv").read_bytes().decode()


@pytest.mark.parametrize("seed", range(6))
def test_rescoring_reads_what_was_sent_as_csv_and_as_parquet(seed, tmp_path):
    """As ``studies.board.send`` writes predictions; and the tables come back as they were written."""
    rng = np.random.default_rng(seed)
    methods = rng.permutation(
        [name for name in NAMES if name.strip() == name and name not in ("NA", "nan", "None")]
    )
    rows = []
    for method in methods[:3].tolist():
        for fold in range(2):
            own = {
                "dataset": "d-1",
                "method": method,
                "repeat": 0,
                "fold": fold,
                "row": np.arange(fold, 40, 2),
            }
            own["label"] = (np.random.default_rng(fold).random(20) < 0.4).astype(int)
            rows.append(pd.DataFrame({**own, "score": rng.normal(size=20)}))
    sent = pd.concat(rows, ignore_index=True)
    write_parquet(tmp_path / "p.parquet", sent)
    sent.to_csv(tmp_path / "p.csv", index=False)
    asked = [Top(k=5)], [get_metric("precision@k")], get_metric("precision@k")
    by_file = [rescore([tmp_path / name], *asked, n_jobs=1) for name in ("p.parquet", "p.csv")]
    for name, table in by_file[0].tables.items():
        pd.testing.assert_frame_equal(table, by_file[1].tables[name], check_dtype=False)
    assert set(by_file[0].tables["runs"]["method"]) == set(methods[:3])
    write_tables(by_file[0].tables, tmp_path / "tables", csv=True)
    for name, table in read_tables([tmp_path / "tables"]).items():
        file = tmp_path / f"tables/{name}.csv"
        if file.exists() and len(table):
            text = pd.read_csv(file, dtype=str, keep_default_na=False)
            assert text["method"].map(original_cell).tolist() == table["method"].tolist()


def test_propose_reads_every_method_of_the_board():
    published = source() / "docs/board/values.csv"
    with open(published, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for method in rows[0].keys() - {"set", "top"}:
        values = _values_of(method)
        known = {(row["set"], row["top"]): row[method] for row in rows}
        for (name, top), value in values.stack().items():
            assert float(known[name, top]) == value
        assert len(values)


def test_a_promise_is_beside_its_list_whatever_it_is_called(tmp_path):
    for name in ("a.csv", "b.1.csv", "ü.CSV", "=x.csv"):
        assert promise_path(tmp_path / name).parent == tmp_path
        assert promise_path(tmp_path / name) != tmp_path / name
    assert json.loads(json.dumps(str(promise_path("b.1.csv")))) == "b.1.promise.json"
