"""Results that Snakemake does not remember are taken over by their records; what disagrees runs again."""

import json
import re
import shutil

import pytest

from support.small_run import ONE, SMALL, jobs, snakemake

#: Rules whose results bear a note; what no note covers is made again.
NOTED = {"fetch", "prepare", "split", "compile", "train"}
DERIVED = {"evaluate": 2, "trace": 2, "report": 1}
ALL = 6 + 3 * 1  # runs: three methods, two folds of wdbc and one of many-users


@pytest.fixture
def copy(finished, tmp_path):
    shutil.copytree(finished, tmp_path / "run")
    return tmp_path / "run"


def planned(folder, config=SMALL):
    """Return the jobs of a dry run, and how many runs of how many are taken over."""
    status, printed = snakemake(folder, "--cores", "1", "-n", config=config)
    assert status == 0, printed
    words = " ".join(printed.split())
    taken = re.search(r"(\d+) of (\d+) training runs are of this configuration and taken over", words)
    counts = jobs(printed)
    assert DERIVED.items() <= counts.items()
    return {rule: n for rule, n in counts.items() if rule in NOTED}, taken and (int(taken[1]), int(taken[2]))


def spoil(record, **changes):
    """Write other entries into a record, as if it had been made with something else."""
    record.write_text(json.dumps({**json.loads(record.read_text()), **changes}))


def lose(folder):
    shutil.rmtree(folder / ".snakemake")


def test_all_is_taken_over_where_the_memory_is_lost(copy):
    lose(copy)
    assert planned(copy) == ({}, (ALL, ALL))


def test_another_spelling_of_the_folder_is_the_same_folder(copy):
    config = {**SMALL, "output": str(copy / "results")}
    assert planned(copy, config) == ({}, (ALL, ALL))


def test_a_folder_that_was_moved_is_taken_over(copy, tmp_path):
    shutil.move(copy / "results", tmp_path / "elsewhere")
    config = {**SMALL, "output": "../elsewhere"}
    assert planned(tmp_path / "new", config) == ({}, (ALL, ALL))


@pytest.mark.parametrize("entries", [["made"], ["digest", "made"]])
def test_a_record_that_disagrees_runs_again(copy, entries):
    lose(copy)
    record = copy / "results/train/wdbc/sgd-avg/repeat0-fold1/record.json"
    spoil(record, **dict.fromkeys(entries, "0" * 16))
    assert planned(copy) == ({"train": 1}, (ALL - ("digest" in entries), ALL))


def test_what_was_made_with_another_configuration_runs_again(copy):
    """Of one method another parameter, of one data set another protocol."""
    lose(copy)
    first, second = SMALL["datasets"]
    methods = [SMALL["methods"][0], {"id": "sgd-avg", "params": {"epochs": 3}}, SMALL["methods"][2]]
    counts, taken = planned(copy, {**SMALL, "methods": methods})
    assert (counts["train"], taken) == (3, (6, ALL))
    second = {**second, "params": {"n_users": 9}}
    counts, taken = planned(copy, {**SMALL, "datasets": [first, second]})
    assert (counts["train"], counts["prepare"], counts["split"], taken) == (3, 1, 1, (6, ALL))


def test_data_whose_note_is_of_other_code_are_made_again(copy):
    lose(copy)
    note = copy / "results/data/many-users/dataset.npz.made"
    spoil(note, made="0" * 16)
    counts, _ = planned(copy)
    assert (counts["prepare"], counts["split"], counts["train"]) == (1, 1, 3)


def test_what_is_remembered_of_results_that_were_replaced_since_is_not_believed(tmp_path):
    """Two working directories in turn: the memory of the first is of other results by then."""

    def run(name, C, *options):
        methods = [method(C), "logistic-regression"]
        config = {**ONE, "output": "../shared", "methods": methods}
        records = [
            f"../shared/train/wdbc/{m}/repeat0-fold0/record.json" for m in ("mine", "logistic-regression")
        ]
        status, printed = snakemake(tmp_path / name, "--cores", "2", *options, *records, config=config)
        assert status == 0, printed
        return " ".join(printed.split())

    run("a", 1)
    assert "1 of 4 training runs are of this configuration" in run("b", 2)
    before = {path: path.read_bytes() for path in tmp_path.glob("shared/train/*/*/*/record.json")}
    run("a", 1)
    changed = {path.parent.parent.name for path, content in before.items() if path.read_bytes() != content}
    assert changed == {"mine"}
    assert "Nothing to be done" in run("a", 1, "-n")


def method(C):
    return {"id": "mine", "estimator": "sklearn.linear_model.LogisticRegression", "params": {"C": C}}
