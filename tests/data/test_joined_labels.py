"""Labels of another file by a key: each row has its own, and rows without one are counted."""

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from attop_bench.cli.main import main
from attop_bench.data.base import DatasetError
from attop_bench.data.build import make
from attop_bench.data.catalogue import input_files
from attop_bench.data.profile.look import look
from attop_bench.data.profile.proposal import parameters
from attop_bench.run.plan import Plan
from attop_bench.run.up_to_date import digest
from support.small_run import configured, entry


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Return the rows of accounts, some with several, and the labels of most accounts."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"account": [f"00{i}" for i in rng.integers(0, 40, 90)]})
    rows["x"] = np.arange(90) / 7
    labels = pd.DataFrame({"account": [f"00{i}" for i in rng.permutation(60)[:45]]})
    labels["fraud"] = rng.choice(["yes", "no"], 45)
    rows.to_csv("rows.csv", index=False)
    labels.to_csv("labels.csv", index=False)
    return rows, labels


PARAMS = {"path": "rows.csv", "positive": "yes", "drop": ["account"]}
JOIN = {"path": "labels.csv", "on": "account"}


def test_labels_are_those_of_a_loop(files):
    rows, labels = files
    expected = []
    for account, x in rows.to_numpy():
        for other, fraud in labels.to_numpy():
            if other == account:
                expected.append((x, int(fraud == "yes")))
    for params in ({}, {"label": "fraud"}, {"entity": "account", "drop": []}):
        data = make("file", 0, **{**PARAMS, **params}, labels=JOIN)
        assert list(zip(data.X[:, 0], data.y.tolist(), strict=True)) == expected
    ledger, unknown = data.ledger, len({*labels["account"]} - {*rows["account"]})
    assert unknown > 0
    assert data.facts["labels"] == (
        f"labels.csv by account: {len(expected)} rows with a label, {90 - len(expected)} without; "
        f"{unknown} of its 45 values of account have no row"
    )
    assert (ledger.read, ledger.kept) == (90, len(expected))
    assert ledger.left_out[0].rows == 90 - len(expected) > 0
    assert str(ledger.left_out[0]).startswith(
        f"{90 - len(expected)} rows without a label in labels.csv (labels, by account)"
    )


def test_a_label_that_is_empty_is_none(files):
    rows, labels = files
    labels.assign(fraud=labels["fraud"].where(labels.index % 2 == 0)).to_csv("labels.csv", index=False)
    half = make("file", 0, **PARAMS, labels=JOIN)
    assert len(half.y) == rows["account"].isin(labels["account"][::2]).sum()


def test_a_file_of_types_is_joined_as_its_text(files):
    rows, _ = files
    expected = make("file", 0, **PARAMS, labels=JOIN)
    rows.to_parquet("rows.parquet")
    data = make("file", 0, **{**PARAMS, "path": "rows.parquet"}, labels=JOIN)
    np.testing.assert_array_equal(data.y, expected.y)
    assert data.ledger.left_out[0].rows == expected.ledger.left_out[0].rows


def test_both_files_are_inputs(files):
    assert input_files("file", {**PARAMS, "labels": JOIN}) == ["rows.csv", "labels.csv"]


@pytest.mark.parametrize(
    ("labels", "how", "message"),
    [
        (
            "account,fraud\n001,yes\n001,no\n",
            {},
            "has 2 labels for account '001', and 1 account of",
        ),
        ("number,fraud\n001,yes\n", {}, "labels.csv has no column 'account'"),
        ("account;fraud\n001;yes\n", {}, "no column 'account'; one column, .*: set separator in its reader"),
        ("account,fraud,x\n001,yes,1\n", {}, "label is not given: give label, one of fraud, x"),
        ("account,x\n001,yes\n", {}, "both files have a column 'x'"),
        (
            "account,fraud\nA1,yes\n",
            {},
            "no account of labels.csv is one of the rows, such as 'A1'",
        ),
        ("account,fraud\n001,yes\n", {"label": "fraude"}, "has no column 'fraude': give label, one of fraud"),
        ("account,fraud\n001,yes\n", {"labels": {"path": "labels.csv"}}, "labels: needs on"),
    ],
    ids=["two", "key", "mark", "which", "both", "none", "typo", "no-key"],
)
def test_what_cannot_be_joined_is_refused(labels, how, message, files):
    with open("labels.csv", "w") as file:
        file.write(labels)
    with pytest.raises(DatasetError, match=message):
        make("file", 0, **{**PARAMS, "labels": JOIN, **how})


@pytest.mark.parametrize("key", ["on", "'on'"])
def test_labels_of_a_configuration(key, files):
    """YAML reads the key ``on`` as true; a run digests the content of both files."""
    labels = yaml.safe_load(f"{{path: labels.csv, {key}: account}}")
    mine = entry(kind="file", params={**PARAMS, "labels": labels})
    digests = []
    for _ in range(2):
        plan = Plan(configured(datasets=[mine]))
        params = plan.config.datasets[0].params
        assert params["labels"] == JOIN
        assert make("file", 0, **params).n_pos > 0
        digests.append(digest(plan, next(plan.runs())))
        files[1][::-1].to_csv("labels.csv", index=False)
    assert len(set(digests)) == 2


@pytest.mark.parametrize("label", [None, "fraud"])
def test_a_look_joins_labels(label, files, capsys):
    """What the remark on a file of labels writes is taken, and its configuration runs."""
    files[1].assign(**{} if label is None else {"seen": 1}).to_csv("labels.csv", index=False)
    said = " ".join(look("rows.csv").complaints)
    option = re.search(r"--labels (\S+ \S+ \S+ \S+)", said)
    words = ["look", "rows.csv", *shlex.split(option[0]), "--positive", "yes", "--output", "c.yaml"]
    assert main([*words, *(["--label", label] if label else [])]) == 0
    (data,) = yaml.safe_load(Path("c.yaml").read_text())["datasets"]
    assert (data["params"]["label"], data["params"]["labels"]) == ("fraud", JOIN)
    expected = make("file", 0, **PARAMS, label="fraud", labels=JOIN)
    np.testing.assert_array_equal(make("file", 0, **data["params"]).y, expected.y)
    assert main([*words[:2], "--labels", "{path: labels.csv"]) == 1
    assert "{path: labels.csv" in capsys.readouterr().err


def test_a_look_joins_labels_of_another_sheet(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = pd.DataFrame({"id": [f"P{i}" for i in range(60)], "x": np.arange(60.0) % 7})
    with pd.ExcelWriter("t.xlsx") as book:
        rows.to_excel(book, sheet_name="rows", index=False)
        rows[["id"]].assign(bad=np.arange(60) % 3 // 2)[::-1].to_excel(book, sheet_name="ends", index=False)
    assert "--labels '{path: FILE, on: COLUMN, reader: {sheet: NAME}}'" in " ".join(look("t.xlsx").complaints)
    found = look("t.xlsx", labels={"path": "t.xlsx", "on": "id", "reader": {"sheet": "ends"}})
    np.testing.assert_array_equal(make("file", 0, **parameters(found)).y, np.arange(60) % 3 // 2)
