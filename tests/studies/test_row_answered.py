"""Predictions that somebody sends to the board are answered: their row, or why not; and by a workflow."""

import re

import numpy as np
import pandas as pd
import pytest
import yaml
from studies.board import answer

from attop_bench.cli.main import main as attop
from attop_bench.files import write_csv
from studies import board
from support import ROOT


def sent(sets=("german",), method="Mine"):
    """Return predictions on sets of the board, with labels made up but as many positives as they have."""
    splits = pd.read_csv(ROOT / "docs/board/splits.csv.gz", dtype={"tested_in": str})
    positives = pd.read_csv(ROOT / "docs/board/sets.csv", index_col="set")["positives"].fillna(0).astype(int)
    rng, parts = np.random.default_rng(0), []
    for row in splits[splits["set"].isin(sets)].itertuples():
        fold = np.array(list(row.tested_in)).astype(int)
        label = np.zeros(row.rows, dtype=int)
        for number in range(5):  # in every fold
            here = np.flatnonzero(fold == number)
            label[here[: len(here) * positives[row.set] // row.rows]] = 1
        label[np.flatnonzero(label == 0)[: positives[row.set] - label.sum()]] = 1
        keys = {"dataset": row.set, "method": method, "repeat": row.repeat, "fold": fold}
        score = label + rng.normal(size=row.rows)
        parts.append(pd.DataFrame({**keys, "row": np.arange(row.rows), "label": label, "score": score}))
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            lambda f: f[f["row"] != 7],
            "1 rows are not in the fold that tests them: row 7 is in none",
        ),
        (lambda f: f.assign(fold=(f["fold"] + 1) % 5), "778 rows are not in the fold"),
        (lambda f: f.assign(fold=f["fold"] + 10), "778 rows are not in the fold"),
        (lambda f: pd.concat([f, f[:1]]), "a row is scored twice"),
        (lambda f: f.assign(row=f["row"] + 1), r"rows 0 to 777, got 1 to 778"),
        (lambda f: f[f["repeat"] == 0], "repeat 1: 778 rows are not in the fold"),
        (lambda f: f.assign(repeat=f["repeat"] + 1), "repeat 0: 778 rows are not in"),
        (lambda f: pd.concat([f, f[f["repeat"] == 0].assign(repeat=2)]), "no such repeat"),
        (lambda f: f.assign(label=1 - f["label"]), "700 labels are 1, on the board 78"),
        (lambda f: f.assign(label=2 * f["label"]), "labels must be 0 or 1"),
        (lambda f: f.assign(score=np.where(f["row"] == 3, np.nan, f["score"])), "finite numbers"),
        (lambda f: f.assign(score="high"), "finite numbers"),
        (lambda f: f.assign(fold=f["fold"] + 0.5), "'fold' must be whole numbers"),
        (lambda f: f.assign(method="TopStack"), "'TopStack' is on the board"),
        (lambda f: f.assign(dataset="germany"), "germany: no set of the board"),
        (lambda f: f.drop(columns="repeat"), "no column 'repeat'"),
        (lambda f: f[:0], "there are no rows"),
    ],
)
def test_wrong_predictions_are_refused_with_the_reason(change, complaint, tmp_path, monkeypatch):
    monkeypatch.setattr(answer, "accepted", lambda *arguments: pytest.fail("was measured"))
    change(sent()).to_parquet(tmp_path / "p.parquet", index=False)
    assert answer.main([str(tmp_path / "p.parquet"), str(tmp_path / "out")]) == 1
    text = (tmp_path / "out/answer.md").read_text()
    assert text.startswith("Refused: ")
    assert re.search(complaint, text), text


@pytest.mark.parametrize(
    "content", [b"", b"PAR1 and no more", "dataset,method\n\ud83d".encode("utf-16", "surrogatepass")]
)
def test_what_is_no_table_is_refused(content, tmp_path):
    for name in ("p.parquet", "p.csv", "nothing.csv"):
        if name != "nothing.csv":
            (tmp_path / name).write_bytes(content)
        assert answer.main([str(tmp_path / name), str(tmp_path / "out")]) == 1
        assert (tmp_path / "out/answer.md").read_text().startswith("Refused: ")


def test_scores_of_each_top_are_checked_too(tmp_path):
    frame = pd.concat([sent().assign(top=top) for top in ("kappa=0.25", "kappa=1.0")])
    answer.check(frame)
    lacking = frame[(frame["top"] != "kappa=1.0") | (frame["row"] != 5)]
    with pytest.raises(ValueError, match=r"german, Mine, kappa=1\.0, repeat 0: 1 rows are not in"):
        answer.check(lacking)


def test_accepted_predictions_get_their_row(tmp_path, monkeypatch):
    """The page is that of `send row`, which has tests of its own."""

    def row(scored, folder):
        values = pd.read_csv(board.FOLDER / "values.csv")
        mine = pd.read_parquet(scored / "tables/evaluation.parquet").query("metric == 'precision@k'")
        means = mine.replace({"top": board._TOPS}).groupby(["dataset", "top"])["value"].mean()
        keys = pd.MultiIndex.from_frame(values[["set", "top"]])
        write_csv(folder / "values.csv", values.assign(Mine=means.reindex(keys).to_numpy()))

    def without_page(words):
        return attop([*words, "--jobs=1"])

    monkeypatch.setattr(answer, "attop", without_page)
    monkeypatch.setattr("attop_bench.cli.rescore.write_analysis", lambda *tables, **places: "")
    monkeypatch.setattr(answer.send, "row", row)
    sent().to_parquet(tmp_path / "p.parquet", index=False)
    assert answer.main([str(tmp_path / "p.parquet"), str(tmp_path / "out")]) == 0
    text = (tmp_path / "out/answer.md").read_text()
    assert "**Mine**, mean precision on german" in text
    assert "| top | Mine | TopStack | LightGBM | Logistic regression |" in text
    published = pd.read_csv(board.FOLDER / "values.csv", index_col=["set", "top"])
    for top in ("n+/4", "n+"):
        assert (
            f"{published.loc[('german', top), 'TopStack']:.3f}"
            in re.search(rf"^\| {re.escape(top)} .*$", text, re.M)[0]
        )


def test_the_workflow_runs_the_command_on_what_is_sent_and_nothing_that_is_sent():
    text = (ROOT / ".github/workflows/row.yml").read_text(encoding="utf-8")
    (job,) = yaml.safe_load(text)["jobs"].values()
    base, pull_request = (step["with"] for step in job["steps"][:2])
    assert (base["ref"], base["path"]) == ("${{ github.base_ref }}", "attop")
    assert pull_request["sparse-checkout"] == "rows"
    commands = [step for step in job["steps"] if "run" in step]
    assert [step.get("working-directory") for step in commands] == [None, "attop"]
    assert commands[0]["run"] == "pip install -e ./attop[workflow]"
    assert "python -m studies.board.answer" in commands[-1]["run"]
    assert "pull_request_target" not in text
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
