"""What jobs took, rule by rule."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from attop_bench.files import read_json, write_csv
from attop_bench.run.made import leave_note, read_note
from attop_bench.run.notes import note_of, noted
from attop_bench.run.took import (
    COLUMNS,
    Step,
    by_rule,
    cells_of_rules,
    in_words,
    of_notes,
    of_runs,
    put_into,
)
from attop_bench.run.use import Use

ROWS = [
    ("prepare", "one", Use(2.0, 1.0, 100.0, "n1")),
    ("train", "one", Use(3.0, 5.0, 300.0, "n1")),
    ("train", "two", Use(100.0, 90.0, 200.0, "n2")),
    ("train", "one", Use(4.0, None, None, "n2")),
    ("report", "", Use(None, None, None, "")),
]


def test_a_row_for_each_rule_and_data_set():
    table = pd.DataFrame(by_rule(ROWS), columns=COLUMNS).set_index(["rule", "dataset"])
    assert list(table.index) == [("prepare", "one"), ("train", "one"), ("train", "two"), ("report", "")]
    assert table.loc[("train", "one")].tolist() == [2, 7.0, 4.0, 5.0, 300.0]
    report = table.loc[("report", "")]
    assert report["jobs"] == 1
    assert report.drop("jobs").isna().all()  # nobody measured it
    assert table["jobs"].sum() == len(ROWS)


def test_what_comes_after_the_report_has_its_rows_too_and_once(tmp_path):
    """A paper's page that is made again replaces its rows; the others stay to the byte."""
    table = tmp_path / "rules.csv"
    write_csv(table, pd.DataFrame(by_rule(ROWS), columns=COLUMNS))
    before = table.read_bytes()
    for seconds in (9.0, 7.0):
        further = [("simulate", "", Use(1.0, 1.0, 50.0, "n1"))] * 2
        put_into(table, [*further, ("paper", "", Use(seconds, None, 80.0, "n1"))])
        assert table.read_bytes().startswith(before)
        found = pd.read_csv(table).set_index("rule")
        assert found.index.tolist()[-3:] == ["report", "simulate", "paper"]
        assert found.loc["simulate", ["jobs", "seconds"]].tolist() == [2, 2.0]
        assert found.loc["paper", ["jobs", "seconds", "peak_memory_mb"]].tolist() == [1, seconds, 80.0]


def test_a_line_for_each_rule_over_all_data_sets():
    assert cells_of_rules(ROWS)["train"] == ["3 jobs", "107 s", "100 s", "95 s", "300 MB"]
    expected = "3 jobs, 107 s together, 100 s the longest; 95 s of processors; 300 MB at most"
    assert in_words(ROWS)["Rule train"] == expected
    assert in_words([]) == {}


def test_a_run_counts_once_for_all_its_tops():
    runs = pd.DataFrame(
        {
            "dataset": ["one", "one", "two"],
            "method": "m",
            "repeat": 0,
            "fold": 0,
            "top": ["k=1", "k=2", "k=1"],
            "started": [10.0, 10.0, np.nan],
            "ended": [12.5, 12.5, np.nan],
            "seconds_cpu": [2.0, 2.0, np.nan],
            "peak_memory_mb": [150.0, 150.0, np.nan],
            "host": "n1",
        }
    )
    assert list(of_runs(runs)) == [
        ("train", "one", Use(2.5, 2.0, 150.0, "n1")),
        ("train", "two", Use(None, None, None, "n1")),
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="units of memory")
def test_a_process_and_its_children_are_measured():
    """A child of 200 MB that computes for 0.2 s, of a process that does neither."""
    child = "import time\nb = b'x' * 200_000_000\nwhile time.process_time() < 0.2: pass"
    program = (
        "import json, subprocess, sys\nfrom attop_bench.run.use import Use\n"
        f"subprocess.run([sys.executable, '-c', {child!r}], check=True)\n"
        "print(json.dumps(Use.of_this_process().as_dict()))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    took = json.loads(done.stdout)
    assert took["cpu_seconds"] >= 0.2
    assert took["seconds"] >= took["cpu_seconds"] / os.cpu_count()
    assert 200 < took["peak_memory_mb"] < 400
    assert took["host"]


def test_a_note_says_what_its_job_took_and_what_it_was_made_with(tmp_path):
    output, data = tmp_path / "table.npz", tmp_path / "data"
    data.write_text("data")
    assert noted(str(output)) == [str(output), str(note_of(output))]
    job = SimpleNamespace(output=noted(str(output)), params=[{"seed": 1}], input=[str(data)])
    step = Step("prepare", "one", output, note_of(output))
    assert list(of_notes([step])) == []
    leave_note(job)
    assert len(read_note(step.note)) == 16
    ((rule, dataset, use),) = of_notes([step])
    assert (rule, dataset) == ("prepare", "one")
    assert use.seconds > 0
    assert use.peak_memory_mb > 10
    leave_note(job, can_be_taken_over=False)
    assert read_note(step.note) == ""
    step.note.write_text("{")
    assert list(of_notes([step])) == []
    step.note.write_text('{"made": "", "of_a_later_version": 1}')
    assert list(of_notes([step])) == [("prepare", "one", Use())]
    assert read_json(step.note)["of_a_later_version"] == 1


def test_what_nobody_measured_is_not_nothing():
    rows = [("split", "one", Use(2.0, None, None, "n1")), ("split", "one", Use(None, None, None, "n1"))]
    (row,) = by_rule(rows)
    assert (row["seconds"], row["seconds_cpu"], row["peak_memory_mb"]) == (2.0, None, None)
    assert cells_of_rules(rows)["split"] == ["2 jobs", "2.0 s", "2.0 s", "not measured", "not measured"]
