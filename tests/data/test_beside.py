"""Files beside a table: sizes of lists are read, weights, labels and further rows are named."""

import shlex

import numpy as np
import pandas as pd
import pytest

from attop_bench.cli.tables import _read_options
from attop_bench.data.base import DatasetError
from attop_bench.data.build import make
from attop_bench.data.catalogue import input_files
from attop_bench.data.profile.look import look
from attop_bench.data.profile.proposal import parameters
from attop_bench.data.splits.protocols import make_folds

SIZES = [7, 5, 9, 4, 6, 8, 3, 9, 5, 4, 6, 7]


def ranked(tmp_path, end, form="svm"):
    """Write rows of lists with grades, and the sizes of the lists beside them."""
    rng = np.random.default_rng(0)
    grade, x = rng.integers(0, 3, sum(SIZES)), rng.normal(size=(sum(SIZES), 2)).round(3)
    path = tmp_path / f"rank.{form}"
    if form == "svm":
        path.write_text("".join(f"{g} 1:{a} 2:{b}\n" for g, (a, b) in zip(grade, x, strict=True)))
    else:
        pd.DataFrame({"label": grade, "a": x[:, 0], "b": x[:, 1]}).to_csv(path, index=False)
    (tmp_path / f"rank.{form}{end}").write_text("".join(f"{size}\n" for size in SIZES))
    return path


@pytest.mark.parametrize("end", [".query", ".group"])
@pytest.mark.parametrize("form", ["svm", "csv"])
def test_sizes_of_lists_are_the_groups(form, end, tmp_path):
    found = look(ranked(tmp_path, end, form), "label", ">= 1")
    assert any(f"{end} beside it has the sizes of 12 lists" in c for c in found.complaints)
    params = parameters(found)
    assert (params["group"], params["reader"]["groups"]) == ("qid", end)
    dataset = make("file", **params)
    np.testing.assert_array_equal(np.unique(dataset.groups, return_counts=True)[1], SIZES)
    assert dataset.X.shape[1] == 2
    without = look(ranked(tmp_path, end, form), "label", ">= 1", given={"groups": None})
    assert "group" not in parameters(without)


def test_sizes_of_lists_are_in_any_file(tmp_path):
    path = ranked(tmp_path, ".query", "csv")
    sizes = tmp_path / "sizes.txt"
    (tmp_path / "rank.csv.query").rename(sizes)
    params = {"path": str(path), "label": "label", "positive": ">= 1", "group": "qid"}
    dataset = make("file", **params, reader={"groups": {"path": str(sizes)}})
    np.testing.assert_array_equal(np.unique(dataset.groups, return_counts=True)[1], SIZES)
    assert input_files("file", params | {"reader": {"groups": {"path": "s.txt"}}}) == [str(path), "s.txt"]
    assert input_files("file", params | {"reader": {"groups": ".query"}})[1:] == [f"{path}.query"]
    for wrong in ({"file": str(sizes)}, ".sizes", ".group", {"path": str(tmp_path / "none")}):
        with pytest.raises(DatasetError, match="groups"):
            make("file", **params, reader={"groups": wrong})
    sizes.write_text("1\n2\n")
    with pytest.raises(DatasetError, match="of 3 rows, the table has 73"):
        make("file", **params, reader={"groups": {"path": str(sizes)}})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("7\n5\n", "of 12 rows, the table has 73"),
        ("7 x", "must hold sizes"),
        ("", "got 'nothing'"),
        ("0 73", "got '0'"),
    ],
)
def test_sizes_that_are_none_are_named_and_refused(content, message, tmp_path):
    path = ranked(tmp_path, ".query")
    (tmp_path / "rank.svm.query").write_text(content)
    found = look(path, "label", ">= 1")
    assert [c for c in found.complaints if message in c]
    assert "qid" not in [c.name for c in found.columns]
    with pytest.raises(DatasetError, match="groups"):
        make("file", **parameters(found) | {"reader": {"groups": ".query"}})


def people(tmp_path, n=300):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"cust": [f"C{i:04}" for i in range(n)], "spend": rng.normal(size=n)})
    frame["seg"] = rng.choice(["a", "b"], n)
    frame.to_csv(tmp_path / "features.csv", index=False)
    return frame


@pytest.mark.parametrize("name", ["labels.csv", "train_labels.csv", "Y.csv", "outcome-2024.csv"])
def test_labels_by_a_key_are_named(name, tmp_path):
    frame = people(tmp_path)
    frame[["cust"]].assign(churned=0)[::-1].to_csv(tmp_path / name, index=False)
    said = look(tmp_path / "features.csv").complaints
    assert any(f"{name} beside it has churned for 100% of its 300 cust" in c for c in said)


@pytest.mark.parametrize("key", ["id", "account"])
def test_labels_by_a_key_of_another_name_are_named(key, tmp_path):
    labels = people(tmp_path)[["cust"]].assign(churned=0).rename(columns={"cust": key})
    labels.to_csv(tmp_path / "labels.csv", index=False)
    said = look(tmp_path / "features.csv").complaints
    assert any(f"labels.csv beside it has the values of cust as {key}" in c for c in said)


def test_a_measure_is_no_key_of_another_name(tmp_path):
    people(tmp_path).assign(age=np.arange(300) % 80).to_csv(tmp_path / "features.csv", index=False)
    pd.DataFrame({"id": range(60), "churned": 0}).to_csv(tmp_path / "labels.csv", index=False)
    assert "the values of" not in "\n".join(look(tmp_path / "features.csv").complaints)


@pytest.mark.parametrize("header", [True, False])
def test_labels_in_the_order_of_the_rows_may_have_a_header(header, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    labels = people(tmp_path)[["spend"]].gt(1).astype(int).rename(columns={"spend": "churned"})
    labels.to_csv("y_train.csv", index=False, header=header)
    assert any("--labels y_train.csv" in c for c in look("features.csv").complaints)
    found = look("features.csv", labels="y_train.csv")
    assert "y_train.csv" not in "\n".join(found.complaints)
    np.testing.assert_array_equal(make("file", **parameters(found)).y, labels["churned"])
    labels.assign(x=1).cumsum()[["x"]].to_csv("x.csv", index=False)
    assert len(look("x.csv", labels="y_train.csv").columns) == 2
    rows = {"path": "features.csv", "drop": ["cust", "seg"], "positive": 1}
    data = make("file", **rows, labels="y_train.csv")
    np.testing.assert_array_equal(data.y, labels["churned"])


def test_a_label_too_many_is_no_header(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    labels = people(tmp_path)["spend"].gt(1).astype(int)
    pd.concat([labels, labels[:1]]).to_csv("y_train.csv", index=False, header=False)
    with pytest.raises(DatasetError, match=f"{len(labels) + 1} rows"):
        make("file", path="features.csv", drop=["cust", "seg"], positive=1, labels="y_train.csv")


def test_a_file_that_is_taken_is_not_named_again_however_it_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    labels = people(tmp_path)["spend"].gt(1).astype(int)
    labels.to_csv("y_train.csv", index=False, header=["churned"])
    for path, labels in (
        ("features.csv", tmp_path / "y_train.csv"),
        (tmp_path / "features.csv", "y_train.csv"),
    ):
        assert "--labels" not in "\n".join(look(path, labels=str(labels)).complaints)


def test_weights_in_any_folder_are_named_with_an_option_that_can_be_read(tmp_path):
    folder = tmp_path / "our data: it's"
    folder.mkdir()
    people(folder)
    pd.Series(np.ones(300), name="w").to_csv(folder / "weights.csv", index=False)
    line = next(c for c in look(folder / "features.csv").complaints if "--reader" in c)
    option = shlex.split(line.partition("--reader ")[2])
    assert look(folder / "features.csv", given=_read_options(option)).column("weight").kind == "weight"


def test_other_rows_are_named(tmp_path):
    frame = people(tmp_path).assign(bought=lambda rows: (rows["spend"] > 1).astype(int))
    frame.to_csv(tmp_path / "train.csv", index=False)
    frame.to_csv(tmp_path / "valid.csv", index=False)
    frame.drop(columns="bought").to_csv(tmp_path / "test.csv", index=False)
    said = "\n".join(look(tmp_path / "train.csv").complaints)
    assert "valid.csv beside it has the same columns" in said
    assert f"test: {tmp_path / 'valid.csv'} in params, and protocol: {{kind: given}}" in said
    params = parameters(look(tmp_path / "train.csv")) | {"test": str(tmp_path / "valid.csv")}
    data = make("file", **params)
    (fold,) = make_folds("given", data, repeat=0, seed=0)
    np.testing.assert_array_equal(fold.test, np.arange(300, 600))
    assert "test.csv beside it lacks bought alone" in said
    for i in range(5):
        frame.drop(columns="bought").to_csv(tmp_path / f"new-{i}.csv", index=False)
    said = look(tmp_path / "train.csv").complaints
    (line,) = [line for line in said if "lacks bought alone" in line]
    assert "new-0.csv, new-1.csv" in line


@pytest.mark.parametrize(
    ("name", "content"),
    [("labels.txt", "not a table"), ("labels.json", "{}"), ("test.csv", "q,r\n1,2\n"), ("label.png", "x")],
)
def test_files_that_do_not_belong_are_not_named(name, content, tmp_path):
    people(tmp_path)
    (tmp_path / name).write_text(content)
    assert "beside it" not in "\n".join(look(tmp_path / "features.csv").complaints)
