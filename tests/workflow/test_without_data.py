"""Runs whose data sets are unavailable: all of them, or some."""

import json
import re

import pytest

from attop_bench.data.files.fetch import end_without_data
from support.small_run import SMALL, jobs, snakemake

LOGISTIC = SMALL["methods"][2:]
GONE = {
    "kind": "file",
    "params": {"label": "y", "positive": 1},
    "protocol": {"kind": "stratified", "options": {"n_folds": 2, "inner_folds": 2}},
    "tops": [{"k": 3}],
}
FILES = {"path": {"path": "own.csv", "remedy": "ask its authors"}}
NONE = {
    **SMALL,
    "cache": "cache",
    "offline": True,
    "trace": False,
    "methods": LOGISTIC,
    "datasets": [{**GONE, "id": name, "files": FILES} for name in ("first", "second")],
}


def failures(output):
    """Return what failed, as it is said once more at the end, each without its reason."""
    return re.findall(r"^  (\w+ \w+)[^:\n]*: ", output.split(" failed:\n")[1], re.MULTILINE)


def test_a_run_without_any_data_trains_nothing_and_says_what_to_do(tmp_path):
    status, said = snakemake(tmp_path, "--cores", "2", config=NONE)
    assert status == 1, said
    assert sorted(failures(said)) == ["fetch first", "fetch second", "prepare first", "prepare second"]
    assert said.count("failed: prepare first dataset: no data set of this run is available") == 1
    assert "fetch first: unavailable: own.csv: offline: no server was asked ask its authors" in said
    assert not list(tmp_path.glob("results/train/*"))
    assert not list(tmp_path.glob("results/data/*/*.npz"))

    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror/own.csv").write_text("a,y\n" + "1,0\n2,1\n" * 20)
    status, said = snakemake(tmp_path, "--cores", "1", "-n", config={**NONE, "mirror": "mirror"})
    assert status == 0, said
    counts = jobs(said)
    assert (counts["fetch"], counts["prepare"], counts["train"]) == (2, 2, 4)


def test_where_some_data_are_there_all_else_goes_on(tmp_path):
    config = {**NONE, "datasets": [NONE["datasets"][0], SMALL["datasets"][0]]}
    target = "results/evaluation/first/runs.parquet"
    status, said = snakemake(tmp_path, "--cores", "2", target, config=config)
    assert status == 0, said
    (record, *_) = tmp_path.glob("results/train/first/*/*/record.json")
    assert json.loads(record.read_text())["status"] == "not_applicable"


@pytest.mark.parametrize(
    ("contents", "ends"),
    [
        ([], False),
        (['{"unavailable": ["no", "ask"]}'], True),
        (['{"unavailable": ["no", "ask"]}'] * 2, True),
        (['{"unavailable": ["no", "ask"]}', '{"files": {}}'], False),
        (['{"unavailable": ["no", "ask"]}', None], False),  # on its way
        (['{"unavailable": ["no", "ask"]}', '{"files'], False),  # half of it
    ],
)
def test_only_where_all_were_tried_in_vain(contents, ends, tmp_path, capsys):
    receipts = [tmp_path / f"{i}.json" for i, _ in enumerate(contents)]
    for receipt, content in zip(receipts, contents, strict=True):
        if content is not None:
            receipt.write_text(content)
    if not ends:
        end_without_data(receipts)
        return
    with pytest.raises(SystemExit):
        end_without_data(receipts)
    assert "no data set of this run is available" in capsys.readouterr().out
