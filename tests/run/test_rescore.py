"""Stored scores of anybody's: the tables and the page of the benchmark, without training."""

import math
import re

import numpy as np
import pandas as pd
import pytest

from attop.extending import Top
from attop.metrics import METRICS, get_metric
from attop_bench.cli.main import main
from attop_bench.data.base import DatasetError
from attop_bench.files import read_json
from attop_bench.run.rescore import files_of, rescore
from attop_bench.run.tables import KEY, TABLES
from support.small_run import without_figures

TOPS = [Top(k=3), Top(kappa=0.5), Top(tau=0.2)]
PRECISION, RECALL, AUC = (get_metric(name) for name in ("precision@k", "recall@k", "auc"))


def predictions(datasets=("a", "b"), methods=("good", "bad", "flat"), repeats=2, folds=3, n=60, seed=0):
    """Return made scores, those of ``flat`` all alike, those of ``bad`` with many ties."""
    rng = np.random.default_rng(seed)
    rows = []
    for dataset in datasets:
        signal = rng.normal(size=n)
        label = (signal + rng.normal(size=n) > 0.8).astype(int)
        for repeat in range(repeats):
            fold = rng.permutation(n) % folds
            for method in methods:
                score = {"good": signal, "bad": rng.integers(0, 4, n) + 0.0, "flat": np.zeros(n)}[method]
                runs = {"dataset": dataset, "method": method, "repeat": repeat, "fold": fold}
                rows.append(pd.DataFrame({**runs, "row": np.arange(n), "label": label, "score": score}))
    return pd.concat(rows, ignore_index=True)


def rescored(frame, tmp_path, metrics=(PRECISION, RECALL, AUC), **options):
    for dataset, part in frame.groupby("dataset"):
        part.to_csv(tmp_path / f"{dataset}.csv", index=False)
    return rescore(files_of(tmp_path), TOPS, metrics, metrics[0], n_jobs=1, **options)


def test_every_value_is_the_metric_of_its_rows(tmp_path):
    frame = predictions().sample(frac=1, random_state=0)  # in any order
    tables = rescored(frame, tmp_path).tables
    evaluation = tables["evaluation"]
    assert len(evaluation) == 2 * 3 * 2 * 3 * len(TOPS) * 3
    assert not evaluation.duplicated([*KEY, "metric"]).any()
    for row in evaluation.sample(60, random_state=1).itertuples():
        run = {name: getattr(row, name) for name in ("dataset", "method", "repeat", "fold")}
        its = frame[(frame[list(run)] == run).all(axis=1)]
        top = Top.parse(row.top)
        expected = METRICS[row.metric].evaluate(its["label"].to_numpy(), its["score"].to_numpy(), top)
        assert row.value == expected.value


def test_groups_and_weights_reach_the_metrics(tmp_path):
    frame = predictions(("a",), repeats=1)
    frame["group"] = np.where(frame["row"] % 2, "u", "v")
    frame["weight"] = 1.0 + frame["row"]
    values = rescored(frame, tmp_path).tables["evaluation"]
    for row in values[values["method"] == "bad"].itertuples():
        its = frame[(frame["method"] == "bad") & (frame["fold"] == row.fold)]
        metric, weights = METRICS[row.metric], its["weight"].to_numpy()
        arguments = (its["label"].to_numpy(), its["score"].to_numpy(), Top.parse(row.top), its["group"])
        expected = metric.evaluate(*arguments, weights if metric.weighted else None)
        assert row.value == pytest.approx(expected.value)
    assert (values["n_groups"] + values["n_left_out"]).eq(2).all()


def test_scores_of_one_top_are_evaluated_at_it_alone(tmp_path):
    one, other = (predictions(("a",), ("good", "bad"), seed=0).assign(top=str(top)) for top in TOPS[:2])
    other["score"] = -other["score"]
    both = rescored(pd.concat([one, other]), tmp_path).tables
    assert len(both["evaluation"]) == 2 * 2 * 3 * 2 * 3
    for frame, top in ((one, TOPS[0]), (other, TOPS[1])):
        alone = rescored(frame.drop(columns="top"), tmp_path).tables
        for name in ("evaluation", "runs"):
            its, expected = (tables[name][tables[name]["top"] == str(top)] for tables in (both, alone))
            pd.testing.assert_frame_equal(its.reset_index(drop=True), expected.reset_index(drop=True))
    with pytest.raises(DatasetError, match=r"scores for tau=0\.5, which is not asked for"):
        rescored(one.assign(top="tau=0.5"), tmp_path)


def of_tops(named):
    """Return scores of two methods, other ones for each value of the column `top`."""
    parts = [predictions(("a",), ("good",), seed=0).assign(top=name) for name in named]
    for number, part in enumerate(parts):
        part["score"] = np.roll(part["score"], number)
    return pd.concat(parts, ignore_index=True)


def test_scores_may_be_for_several_tops_or_for_all(tmp_path):
    named = ("k=3, tau=0.2", "kappa=0.5")
    frame = of_tops(named)
    tables = rescored(frame, tmp_path).tables
    alone = [rescored(frame[frame["top"] == name].drop(columns="top"), tmp_path).tables for name in named]
    for top, its in (("k=3", alone[0]), ("tau=0.2", alone[0]), ("kappa=0.5", alone[1])):
        here, expected = (one["evaluation"][one["evaluation"]["top"] == top] for one in (tables, its))
        assert sorted(here["value"]) == sorted(expected["value"])
    every = rescored(frame[frame["top"] == named[0]].assign(top="all"), tmp_path).tables["evaluation"]
    order = [*KEY, "metric"]
    every, expected = (one.sort_values(order, ignore_index=True) for one in (every, alone[0]["evaluation"]))
    pd.testing.assert_frame_equal(every, expected)
    with pytest.raises(DatasetError, match="two scores of a row are for k=3"):
        rescored(of_tops(("k=3, tau=0.2", "k=3")), tmp_path)


def test_scores_for_the_nearest_k_serve_a_top_that_has_none(tmp_path):
    stored = ["k=1", "kappa=0.5", "k=5"]
    frame = of_tops(stored)
    with pytest.raises(DatasetError, match=r"which is not asked for.*--nearest"):
        rescored(frame, tmp_path)
    found = rescored(frame, tmp_path, nearest=True)
    assert "measured on those for the nearest k" in found.manifest["datasets"]["a"]["protocol"]
    sources = set()
    for row in found.tables["evaluation"].query("metric == 'precision@k'").itertuples():
        its = frame[(frame["repeat"] == row.repeat) & (frame["fold"] == row.fold)]
        parts = dict(list(its.groupby("top")))
        n, n_pos = len(parts["k=1"]), int(parts["k=1"]["label"].sum())
        wanted = Top.parse(row.top).resolve(n, n_pos)
        lengths = {name: Top.parse(name).resolve(n, n_pos) for name in stored}
        source = min(stored, key=lambda name: (abs(math.log(lengths[name] / wanted)), lengths[name]))
        if row.top in stored:
            source = row.top
        sources.add((row.top, source))
        part = parts[source]
        assert (
            row.value
            == PRECISION.evaluate(
                part["label"].to_numpy(), part["score"].to_numpy(), TOPS[0].parse(row.top)
            ).value
        )
    assert {top for top, _ in sources} == {str(top) for top in TOPS}
    assert len({source for _, source in sources}) > 1
    with pytest.raises(DatasetError, match=r"no scores are for k=3.*from group to group: ask for"):
        rescored(frame.assign(group=1), tmp_path, nearest=True)


def test_a_top_of_more_rows_than_a_test_part_is_undefined_and_stops_no_other(tmp_path):
    of_tops(["k=1", "k=400"]).to_csv(tmp_path / "a.csv", index=False)  # test parts of 20 rows
    tops = [Top(k=50), Top(k=3)]
    values = rescore([tmp_path / "a.csv"], tops, [PRECISION], PRECISION, nearest=True, n_jobs=1)
    alone = rescored(of_tops(["k=1"]).drop(columns="top"), tmp_path, metrics=(PRECISION,)).tables
    here, expected = (one[one["top"] == "k=3"] for one in (values.tables["evaluation"], alone["evaluation"]))
    assert here["value"].tolist() == expected["value"].tolist()
    longer = values.tables["evaluation"].query("top == 'k=50'")
    assert longer["value"].isna().all()
    assert set(longer["reason"]) == {"k > n"}
    assert len(longer) == len(here) == 6


def test_typed_files_are_read_as_their_text_is(tmp_path):
    frame = of_tops(("k=3, tau=0.2", "kappa=0.5"))
    typed = frame.astype({"row": np.uint32, "label": np.uint8, "dataset": "category", "top": "category"})
    typed["score"] = typed["score"].rank(method="dense").astype(np.uint16)
    typed.to_parquet(tmp_path / "typed.parquet", index=False)
    read = rescore([tmp_path / "typed.parquet"], TOPS, [PRECISION, AUC], PRECISION, n_jobs=1)
    (tmp_path / "typed.parquet").unlink()
    written = rescored(frame, tmp_path, metrics=(PRECISION, AUC))
    pd.testing.assert_frame_equal(read.tables["evaluation"], written.tables["evaluation"])
    pd.testing.assert_frame_equal(read.tables["listed"], written.tables["listed"])


def test_the_tables_are_those_of_the_benchmark(tmp_path):
    found = rescored(predictions(), tmp_path)
    assert set(found.tables) == set(TABLES)
    for name, columns in TABLES.items():
        assert list(found.tables[name].columns) == [*KEY, *columns]
    runs = found.tables["runs"]
    assert runs["status"].eq("ok").all()
    assert (runs["n_train"] + runs["n_test"]).eq(60).all()
    assert set(runs.loc[runs["constant"], "method"]) == {"flat"}
    assert found.manifest["datasets"]["a"]["items"] == 60


def test_what_a_fold_was_trained_on_may_be_unknown(tmp_path):
    anew = predictions()
    anew["row"] = anew.groupby(["dataset", "method", "repeat", "fold"]).cumcount()
    for frame in (predictions(folds=1), anew):  # one fold, and rows that are numbered anew in each
        assert all(map(math.isnan, rescored(frame, tmp_path).tables["runs"]["n_train"]))


def test_the_page_is_the_reports_and_says_what_is_missing(tmp_path, capsys, monkeypatch):
    without_figures(monkeypatch)
    frame = predictions()
    gone = (
        (frame["dataset"] == "b") & (frame["method"] == "bad") & (frame["repeat"] == 1) & (frame["fold"] == 0)
    )
    frame[~gone].to_parquet(tmp_path / "all.parquet")
    out = tmp_path / "out"
    assert main(["rescore", str(tmp_path / "all.parquet"), "--output", str(out), "--jobs", "1"]) == 0
    said = capsys.readouterr()
    assert "35 runs of 3 methods on 2 data sets at kappa=0.25" in said.out
    assert said.err.startswith("1 of 1 files, ")
    assert said.err.endswith("writing tables, figures and the report\n")
    page = (out / "report.html").read_text(encoding="utf-8")
    assert re.search(r"1\s+job missing", page)
    assert (out / "tables/board.csv").is_file()
    frame = frame[frame["dataset"] == "a"].rename(columns={"method": "framework"})
    frame.to_csv(tmp_path / "in.csv", index=False)
    command = ["rescore", str(tmp_path / "in.csv"), *("--top", "5") * 2, "--top=tau=0.1", "--metric=auc"]
    assert main([*command, "--rename", "framework=method", "--title", "Mine", "--output", str(out)]) == 0
    assert not (out / "tables/board.csv").exists(), "of one data set there is none"
    page = (out / "report.html").read_text(encoding="utf-8")
    assert list(read_json(out / "manifest.json")["methods"]) == ["good", "bad", "flat"]
    for words in ("<title>Mine", "good", "flat", "k=5", "tau=0.1"):
        assert words in page


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.drop(columns="score"), r"no column 'score'.*--rename COLUMN=score"),
        (lambda f: f.assign(label=f["label"] * 2), r"labels must be 0 or 1, got \[0, 2\]"),
        (lambda f: f.assign(score=np.where(f["row"] == 3, np.inf, f["score"])), "scores are NaN or infinite"),
        (lambda f: f.assign(score=np.where(f["row"] == 3, np.nan, f["score"])), "'score' has missing values"),
        (lambda f: f.assign(score="high"), "'score' is not numeric, such as 'high'"),
        (
            lambda f: f.assign(fold=0, repeat=0),
            "a row is scored twice: give each repeat and fold its own number",
        ),
        (lambda f: f.drop(f.index[(f["method"] == "bad") & (f["row"] == 5)]), "are not the same as the"),
        (
            lambda f: f.assign(
                label=np.where((f["method"] == "bad") & (f["row"] == 5), 1 - f["label"], f["label"])
            ),
            "method 'bad' has other labels",
        ),
        (lambda f: f.assign(weight=1.0 + (f["method"] == "bad")), "method 'bad' has other weights"),
        (lambda f: f.assign(group=f["row"] % 4 * (f["method"] == "bad")), "method 'bad' has other groups"),
        (lambda f: f.assign(score=2**60 + f["row"]), r"fold \d: scores must lie between -2\*\*53"),
    ],
)
def test_refuses(change, message, tmp_path):
    with pytest.raises(DatasetError, match=message):
        rescored(change(predictions()), tmp_path)


@pytest.mark.parametrize("pair", [("01", "1"), ("1e5", "100000"), ("true", "TRUE"), ("NA", "None")])
@pytest.mark.parametrize("column", ["method", "dataset"])
def test_names_are_text(column, pair, tmp_path):
    frame = predictions(("a", "b"), ("good", "bad"), repeats=1)
    first = {"method": "good", "dataset": "a"}[column]
    frame[column] = np.where(frame[column] == first, *pair)
    frame["group"] = np.where(frame["row"] % 2, "01", "1")
    frame.to_csv(tmp_path / "p.csv", index=False)
    values = rescore([tmp_path / "p.csv"], TOPS, [PRECISION], PRECISION, n_jobs=1).tables["evaluation"]
    assert set(values[column]) == set(pair)
    assert len(values) == 2 * 2 * 3 * len(TOPS)
    assert (values["n_groups"] + values["n_left_out"]).eq(2).all()


def test_a_column_renamed_to_one_there_is_is_refused(tmp_path):
    frame = predictions(("a",)).assign(p=0.5)
    frame.to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(DatasetError, match="column 'score' occurs twice: rename one"):
        rescore([tmp_path / "p.csv"], TOPS, [PRECISION], PRECISION, rename={"p": "score"}, n_jobs=1)


def test_a_data_set_in_two_files_is_refused(tmp_path):
    for name in ("one", "two"):
        predictions(("a",)).to_csv(tmp_path / f"{name}.csv", index=False)
    with pytest.raises(DatasetError, match=r"data set .a. is in .*one.csv as well"):
        rescore(files_of(tmp_path), TOPS, [PRECISION], PRECISION, n_jobs=1)


@pytest.mark.parametrize("name", ["../../escaped", "{}/main", "uci/adult", "x" * 300, "all"])
def test_nothing_is_written_outside_the_output(name, tmp_path, capsys):
    frame = predictions(("a",), folds=2).assign(dataset=name.format(tmp_path))
    frame.to_csv(tmp_path / "p.csv", index=False)
    output = tmp_path / "in/out"
    assert main(["rescore", str(tmp_path / "p.csv"), "--output", str(output), "--jobs", "1"]) == 1
    assert "data set: files are called after it" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["p.csv"]


def test_what_cannot_be_read_is_said_on_the_command_line(tmp_path, capsys):
    assert main(["rescore", str(tmp_path)]) == 1
    assert "no file of predictions" in capsys.readouterr().err
    predictions().to_csv(tmp_path / "p.csv", index=False)
    assert main(["rescore", str(tmp_path), "--metric", "precison@k"]) == 1
    assert "did you mean 'precision@k'" in capsys.readouterr().err
