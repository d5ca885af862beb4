"""A model is read by skops where that can be, and under other versions only if it scores its rows alike."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attop_bench.cli.main import main
from attop_bench.data.base import DatasetError
from attop_bench.deploy.package import _digest as digest
from attop_bench.deploy.package import read_package
from attop_bench.deploy.trial import read_trial
from support.packages import linear_package, write_package


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of a model of numbers and text with gaps; it is the working directory's ``out``."""
    monkeypatch.chdir(tmp_path)
    rng, n = np.random.default_rng(0), 120
    x = rng.normal(size=n).round(3)
    frame = pd.DataFrame({"x": x, "kind": rng.choice(["a", "b", "7"], n)})
    frame["y"] = np.where(x > 0.5, "yes", "no")
    frame.loc[::9, "x"] = None
    frame.loc[::7, "kind"] = None
    frame.to_csv("t.csv", index=False)
    write_package(Path("out"), linear_package("t.csv", impute="median"))
    return Path("out")


def rewrite(folder, name, change):
    """Change a file of JSON, and its digest in the notes."""
    content = json.loads((folder / name).read_text())
    change(content)
    (folder / name).write_text(json.dumps(content))
    notes = json.loads((folder / "model.json").read_text())
    notes["digests"][name] = digest(folder / name)
    (folder / "model.json").write_text(json.dumps(notes))


def scored(folder, capsys, status=0):
    assert main(["score", str(folder), "t.csv", "--all"]) == status
    return capsys.readouterr()


def without_skops(monkeypatch):
    monkeypatch.setattr("attop_bench.deploy.package.find_spec", lambda name: None)


def test_the_file_without_code_is_read_where_it_can_be(folder, capsys, monkeypatch):
    pytest.importorskip("skops", reason="pip install skops")
    by_skops = scored(folder, capsys)
    assert "unpickled" not in by_skops.err
    monkeypatch.setitem(sys.modules, "skops.io", None)  # importing it would fail
    named = scored(folder / "model.joblib", capsys)
    assert "out/model.joblib is unpickled, which runs the code it holds: it was asked for" in named.err
    without_skops(monkeypatch)
    unpickled = scored(folder, capsys)
    assert "is unpickled, which runs the code it holds: model.skops needs skops" in unpickled.err
    (folder / "model.skops").unlink()
    alone = scored(folder, capsys)
    assert "is unpickled, which runs the code it holds: there is no model.skops" in alone.err
    assert by_skops.out == named.out == unpickled.out == alone.out


@pytest.mark.parametrize("name", ["", "model.joblib"])
def test_another_version_is_tried_and_named(name, folder, capsys, monkeypatch):
    """The pipeline was written by scikit-learn 1.0.2, as far as it knows."""
    with monkeypatch.context() as patch:
        patch.setattr("sklearn.base.__version__", "1.0.2")
        write_package(folder, linear_package("t.csv", impute="median"))
    rewrite(folder, "model.json", lambda notes: notes["versions"].update({"scikit-learn": "1.0.2"}))
    said = scored(folder / name, capsys)
    file = name or ("model.skops" if (folder / "model.skops").exists() else "model.joblib")
    assert f"out/{file} was made with scikit-learn 1.0.2 (here " in said.err
    assert "; the scores of 20 stored rows are equal" in said.err
    assert len(said.out.splitlines()) == 121


def test_other_scores_are_refused_with_versions_and_difference(folder, capsys):
    rewrite(folder, "model.json", lambda notes: notes["versions"].update({"scikit-learn": "1.0.2"}))
    scored(folder, capsys)
    kept = {file: file.read_bytes() for file in (folder / "trial.json", folder / "model.json")}
    for name, change, said in (
        ("trial.json", lambda trial: trial["scores"].__setitem__(0, 9.0), "differ by up to "),
        (
            "trial.json",
            lambda trial: trial["columns"].pop("x"),
            "it cannot score its stored rows (ValueError",
        ),
        ("trial.json", lambda trial: trial["scores"].pop(), "trial.json is not by attop deploy"),
        ("trial.json", lambda trial: trial.pop("text"), "trial.json is not by attop deploy"),
    ):
        rewrite(folder, name, change)
        err = scored(folder, capsys, status=1).err
        assert said in err
        if "out/model" in err:
            assert "was made with scikit-learn 1.0.2 (here " in err
            assert "install the versions the card names, or deploy again" in err
        for file, content in kept.items():
            file.write_bytes(content)
    write_package(folder, replace(linear_package("t.csv", impute="median"), trial=pd.DataFrame()))
    rewrite(folder, "model.json", lambda notes: notes["versions"].update({"scikit-learn": "1.0.2"}))
    assert "there are no stored rows to try it on" in scored(folder, capsys, status=1).err


def test_a_package_that_is_not_there_counts_as_another_version(folder, capsys):
    rewrite(folder, "model.json", lambda notes: notes["versions"].update({"not-installed": "1.0"}))
    assert "was made with not-installed 1.0 (here none)" in scored(folder, capsys).err


def test_stored_rows_come_back_as_they_were(folder):
    model = linear_package("t.csv", impute="median")
    rows, scores = read_trial(folder / "trial.json")
    assert rows.isna().sum().min() > 0
    assert len(rows) == len(scores) == 20
    np.testing.assert_array_equal(model.pipeline.decision_function(rows), scores)
    as_text = model.trial.astype(dict.fromkeys(model.notes["categories"], object))
    pd.testing.assert_frame_equal(rows, as_text, check_dtype=False)
    assert np.all(np.diff(scores) >= 0)
    assert scores[0] == model.pipeline.decision_function(model.trial).min()


@pytest.mark.parametrize(
    "content",
    ["[" * 100_000, "{}", "[]", "null", '"text"', "NaN", '{"top": {"k": "x"}}', "1" * 5000, "\\ud800"],
)
def test_notes_that_attop_did_not_write_are_refused_in_a_sentence(content, folder):
    (folder / "model.json").write_text(content)
    with pytest.raises(DatasetError, match=r"out.model\.json is not by attop deploy \(.*\): deploy again"):
        read_package(folder)


#: What could be of another model, for all that can be seen.
POSSIBLE = [(name, None) for name in ("group", "unit", "middle", "precision")]
POSSIBLE += [(name, {"k": "x"}) for name in ("reader", "versions")]
POSSIBLE += [("group", "x"), ("unit", "x"), ("format", "x"), ("fills_gaps", True), ("takes_unseen", True)]


def test_every_entry_of_the_notes_has_its_kind(folder):
    kept = json.loads((folder / "model.json").read_text())
    for name in kept:
        for odd in (None, {"k": "x"}, [None], "x", -1.5, True):
            if (name, odd) not in POSSIBLE:
                (folder / "model.json").write_text(json.dumps({**kept, name: odd}))
                with pytest.raises(DatasetError, match="deploy again"):
                    read_package(folder)
