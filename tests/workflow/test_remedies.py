"""What a message tells a user to do, done: the run then ends well."""

import re
import shutil
from functools import partial
from pathlib import Path

import pytest
import yaml

from attop_bench.cli.main import main
from support import ROOT, forked
from support.small_run import SMALL, jobs, snakemake

CSV = "x,y\n" + "".join(f"{i},{i % 2}\n" for i in range(40))
OWN = {
    "id": "mine",
    "kind": "file",
    "params": {"path": "mine.csv", "label": "y", "positive": 1},
    "protocol": {"kind": "stratified", "options": {"n_folds": 2, "inner_folds": 2}},
    "tops": [{"k": 3}],
}
CONFIG = {**SMALL, "datasets": [OWN], "methods": ["logistic-regression"], "trace": False}
PREPARED = "results/data/mine/dataset.npz"
RUN = "results/train/wdbc/logistic-regression/repeat0-fold1"
OTHER = "results/train/wdbc/sgd-avg/repeat0-fold0/record.json"
EVALUATED = "results/evaluation/wdbc/runs.parquet"


def test_from_a_table_to_the_page(tmp_path, monkeypatch):
    rows = "".join(f"{i * 7 % 41},{i * i % 37},{int(i * 11 % 53 < 18)}\n" for i in range(240))
    (tmp_path / "mine.csv").write_text(f"a,b,y\n{rows}")  # neither tells the label by itself
    monkeypatch.chdir(tmp_path)
    assert main(["look", "mine.csv", "--output", "mine.yaml"]) == 0
    # docs/howto/take-a-model-away.md, which tests/docs runs, has the other methods that are proposed
    command = ["run", "mine.yaml", "--cores", "2", "--config", "methods=[logistic-regression]"]
    status, output = forked.run("attop", command, tmp_path)
    assert status == 0, output
    assert main(["deploy", "mine", "logistic-regression", "--configfile", "mine.yaml", "--jobs", "1"]) == 0
    assert main(["score", "deployed-mine", "mine.csv", "--top", "100", "--output", "list.csv"]) == 0
    page = Path(yaml.safe_load(Path("mine.yaml").read_text())["output"], "report.html")
    assert page.stat().st_size > 10_000
    assert f"The report: {page}" in output
    assert "Positives among the first k of a list of 240 items" in page.read_text()
    assert Path("deployed-mine/capacity.png").read_bytes().startswith(b"\x89PNG")  # after three commands
    assert len(Path("list.csv").read_text().splitlines()) == 101  # after four
    assert main(["status", "--configfile", "mine.yaml"]) == 0  # nor do others need a folder made for them


@pytest.fixture
def folder(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "copy", symlinks=True)


def again(folder, target):
    """Make a file; return what was run for it."""
    status, output = snakemake(folder, "--cores", "2", target)
    assert status == 0, output
    return jobs(max((folder / ".snakemake/log").iterdir()).read_text())


def cut(path, size=40):
    path.write_bytes(path.read_bytes()[:size])


def refused(folder, damaged):
    """Damage a file: the run that reads it names it, and ends. Delete what it names."""
    cut(folder / damaged)
    status, output = snakemake(folder, "--cores", "2")
    assert status != 0
    words = r"(\S+) (?:cannot be read|is not a record of a run) .*: delete it, and"
    (named,) = set(re.findall(words, output))
    (folder / named).unlink()


def test_damaged_results_are_set_aside_and_made_again(folder):
    """All of a data set at once."""
    (folder / EVALUATED).unlink()
    cut(folder / f"{RUN}/scores.npz")
    (folder / OTHER).write_text('{"status": "glorious"}')
    status, output = snakemake(folder, "--cores", "2", EVALUATED)
    assert status != 0
    assert "2 records set aside as spoilt: the same command trains again what is missing." in output
    assert "delete it" not in output
    assert (folder / OTHER).with_name("spoilt.json").read_text() == '{"status": "glorious"}'
    assert again(folder, EVALUATED) == {"train": 2, "evaluate": 1}
    refused(folder, EVALUATED)
    status, output = snakemake(folder, "--cores", "1", "--dry-run")
    assert status == 0, output
    assert jobs(output) == {"evaluate": 1, "report": 1}


def test_damaged_data_are_made_again_once_deleted(folder):
    file = folder / "results/data/wdbc/dataset.npz"
    whole = file.read_bytes()
    kept = {path: path.read_bytes() for path in folder.glob("results/train/*/*/*/*")}
    refused(folder, file.relative_to(folder))
    assert {path: path.read_bytes() for path in folder.glob("results/train/*/*/*/*")} == kept
    assert again(folder, file.relative_to(folder)) == {"prepare": 1}
    assert file.read_bytes() == whole


def test_a_damaged_record_does_not_stop_the_commands(folder, monkeypatch, capsys):
    cut(folder / RUN / "record.json")
    (folder / "config").symlink_to(ROOT / "config")
    monkeypatch.chdir(folder)
    assert main(["status", "--configfile", "config.yaml"]) == 0
    said = capsys.readouterr().out
    assert "Of those left, 1 are damaged: `attop retry` removes them." in said
    assert "9: 8 done, 1 to do" in said
    assert main(["retry", "--configfile", "config.yaml"]) == 0
    assert "cleared: wdbc logistic-regression" in capsys.readouterr().out


def test_a_file_that_is_gone_is_put_back(tmp_path):
    (tmp_path / "mine.csv").write_text(CSV)
    run = partial(snakemake, tmp_path, "--cores", "1", PREPARED, config=CONFIG)
    status, output = run()
    assert status == 0, output
    (tmp_path / "mine.csv").rename(tmp_path / "elsewhere.csv")
    status, output = run()
    assert status != 0
    assert "mine.csv is gone" in output
    assert "put the file back" in output
    (tmp_path / "elsewhere.csv").rename(tmp_path / "mine.csv")
    assert "Nothing to be done" in run()[1]


def test_a_fetched_file_that_is_edited_or_has_left_the_cache(tmp_path):
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "own.csv").write_text(CSV)
    data = {**OWN, "params": {"label": "y", "positive": 1}, "files": {"path": {"path": "own.csv"}}}
    config = {**CONFIG, "datasets": [data], "mirror": "mirror", "cache": "cache"}
    run = partial(snakemake, tmp_path, "--cores", "1", PREPARED, config=config)
    status, output = run()
    assert status == 0, output
    before = (tmp_path / PREPARED).read_bytes()
    (tmp_path / "cache/own.csv").write_text(CSV.replace("1", "3", 1))
    run()
    assert (tmp_path / PREPARED).read_bytes() != before
    assert "Nothing to be done" in run()[1]
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / PREPARED).unlink()
    status, output = run()
    assert status != 0
    (receipt,) = set(re.findall(r"was fetched and is gone since: remove (\S+) and run again", output))
    (tmp_path / receipt).unlink()
    status, output = run()
    assert status == 0, output
