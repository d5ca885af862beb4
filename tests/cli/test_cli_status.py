"""`attop status`: what a run has taken and will take."""

import numpy as np
import pytest
from joblib import cpu_count

from attop.extending import format_duration
from attop_bench.cli.estimate import size
from attop_bench.data.base import save_arrays
from attop_bench.files import write_json
from attop_bench.run.up_to_date import digest

MINE = """
output: out
datasets: [wdbc, spambase]
methods: [aatp, {id: linear-svm, limits: {seconds: 60}}]
"""


def shown(ask):
    lines = ask("status", "--configfile", "mine.yaml").splitlines()
    return [" ".join(line.split()) for line in lines]


def finish(runs, plan, **record):
    for run in runs:
        save_arrays(plan.scores_path(run), {"scores": np.zeros(1)})
        write_json(plan.record_path(run), {"digest": digest(plan, run), "n_test": 400, **record})


def test_nothing_is_known_before_the_first_job_but_what_the_catalogue_says(folder, ask):
    lines = shown(ask)
    assert "wdbc aatp 10 unknown 60 min" in lines
    assert "linear-svm 10 unknown 60 s" in lines
    assert "Training jobs 60: 0 done, 60 to do; one core each" in lines
    hours = 10 + 20 + 30 / 60  # by the limits: aatp on ten and twenty splits, linear-svm on thirty
    assert (
        f"unknown for 60 jobs until one of each method and data set is done ({hours} if each took its limit)"
        in "\n".join(lines)
    )
    assert "Longest job is stopped after 60 min" in lines
    assert "Download 703 kB" in lines
    assert f"Prepared data {size(8 * 4601 * 59)}, and an unknown amount for wdbc" in lines
    assert f"Predictions at most {size(8 * 4601 * 6 * 40)}, and an unknown amount for wdbc" in lines
    assert f"Go on with: snakemake --cores {cpu_count()} --configfile mine.yaml" in lines


def test_what_is_done_says_what_the_rest_will_take(plan, ask):
    runs = {m: [r for r in plan.runs("wdbc") if r.method == m] for m in ("aatp", "linear-svm")}
    parts = {"selection": 30.0, "training": 9.0, "scoring": 1.0}
    finish(runs["aatp"][:4], plan, status="ok", seconds=parts)
    finish(runs["linear-svm"][:1], plan, status="timeout")  # it took all of its minute
    lines = shown(ask)
    assert "wdbc aatp 4 6 4.0 min 60 min" in lines
    assert "linear-svm 1 9 9.0 min 60 s" in lines
    assert any(line.startswith("Training jobs 60: 4 done, 1 failed") for line in lines)
    hours = "Core hours of training 0.22 by the jobs that are done, and unknown for 40"
    assert any(line.startswith(hours) for line in lines)
    wdbc, spambase = 8 * 400 * 4 * 15, 8 * 4601 * 6 * 40
    assert f"Predictions at most {size(wdbc + spambase)}" in lines


def test_the_time_on_some_cores(plan, ask):
    for method in ("aatp", "linear-svm"):
        for dataset in ("wdbc", "spambase"):
            runs = [r for r in plan.runs(dataset) if r.method == method]
            finish(runs[:1], plan, status="ok", seconds={"training": 12.0})
    said = " ".join(ask("status", "--configfile", "mine.yaml", "--cores", "4").split())
    assert f"On 4 cores about {format_duration(12 * 56 / 4)}" in said
    assert "snakemake --cores 4 --configfile mine.yaml" in said


@pytest.mark.parametrize(("amount", "text"), [(0, "0 bytes"), (999, "999 bytes"), (703_000, "703 kB")])
def test_size(amount, text):
    assert size(amount) == text


@pytest.mark.parametrize(
    ("protocol", "said"),
    [
        ("{n_folds: 4}}", "4 runs a method cannot be tested"),
        # Leads in the best case: all that differs is in favour of the best.
        ("{n_folds: 5}, repeats: 2}", "with 10 runs and 40 positives a lead below 30.2 of 100"),
        ("{n_folds: 5}, repeats: 20}", "with 100 runs and 40 positives a lead below 20.6 of 100"),
    ],
)
def test_what_the_plan_cannot_show_is_said_before_a_run(folder, ask, protocol, said):
    (folder / "mine.yaml").write_text(
        "output: out\nmethods: [aatp, linear-svm]\ndatasets:\n"
        "  - {id: own, kind: file, params: {path: a.csv, label: y, positive: 1}, tops: [{kappa: 1.0}],\n"
        "     scoring: precision@k, expect: {items: 1000, positives: 40},\n"
        f"     protocol: {{kind: stratified, options: {protocol}}}\n"
    )
    (line,) = (line for line in shown(ask) if line.startswith("own: "))
    assert said in line
    assert ("cannot be shown at kappa=1.0" in line) == ("lead" in line)


def test_results_of_other_versions_are_counted_and_cleared(plan, ask):
    runs = [run for run in plan.runs("wdbc") if run.method == "aatp"]
    here = {"numpy": np.__version__, "scipy": "0.1"}
    finish(runs[:3], plan, status="ok", environment={"versions": {**here, "numpy": "1.0"}})
    finish(runs[3:5], plan, status="ok", environment={"versions": here})
    finish(runs[5:6], plan, status="ok", environment={"versions": {"numpy": np.__version__}})
    finish(runs[6:7], plan, status="error", environment={"versions": {"numpy": np.__version__}})
    other = f"5 results of other versions: numpy 1.0, here {np.__version__}, scipy 0.1, here"
    assert any(line.startswith(other) for line in shown(ask))
    asked = ask("retry", "--configfile", "mine.yaml", "--outdated", "--dataset", "spambase")
    assert "None of these is of other versions: there is nothing to clear." in asked
    cleared = ask("retry", "--configfile", "mine.yaml", "--outdated")
    assert cleared.count("cleared: wdbc aatp") == 5
    assert [plan.record_path(run).exists() for run in runs] == [False] * 5 + [True] * 2 + [False] * 3
    assert not any("other versions" in line for line in shown(ask))


@pytest.mark.parametrize(
    ("granularity", "minutes"), [("fold", 30), (2, 30), (7, 70), (99, 200), ("method", 200)]
)
def test_a_block_asks_for_the_time_of_its_folds(folder, ask, granularity, minutes):
    """Ten minutes a fold; the data set of most has twenty of them. Preparation asks for half an hour."""
    with (folder / "mine.yaml").open("a") as file:
        file.write(f"granularity: {granularity}\n")
    assert any(f", {minutes} min (" in line for line in shown(ask) if line.startswith("Largest request"))


def test_what_other_jobs_will_take_is_said_by_those_that_are_done(plan, folder, ask):
    """One job of each rule is done; the others are said to take as long."""
    steps = [*plan.steps(), *plan.last_steps()]
    assert (
        f"Data, tables, report {len(steps)} jobs to do; core hours unknown until one of each rule is done"
        in shown(ask)
    )
    assert not any(line.startswith("rule ") for line in shown(ask))
    first = {step.rule: step for step in reversed(steps)}
    for step in first.values():
        step.output.parent.mkdir(parents=True, exist_ok=True)
        if step.output.suffix == ".npz":
            save_arrays(step.output, {"y": np.zeros(9)})
        else:
            step.output.write_text("{}")
        write_json(step.note, {"made": "", "seconds": 90.0, "cpu_seconds": 60.0, "peak_memory_mb": 123.4})
    left = len(steps) - len(first)
    lines = shown(ask)
    hours = f"{left * 90 / 3600:.2g}"
    assert f"Data, tables, report {left} jobs to do; {hours} core hours, by the jobs that are done" in lines
    assert "split 1 job 90 s 90 s 60 s 123 MB" in lines
    next(iter(first.values())).note.unlink()
    assert any(line.startswith(f"Data, tables, report {left + 1} jobs") for line in shown(ask))


def test_the_largest_request_of_what_is_left_is_said_before_anything_is_submitted(plan, folder, ask):
    first = "Largest request 1,000 MB (aatp on wdbc), 30 min (prepare of wdbc), 1 thread"
    assert f"{first}; where a scheduler reads it" in shown(ask)
    finish(
        [run for run in plan.runs("wdbc") if run.method == "linear-svm"][:1],
        plan,
        status="ok",
        peak_memory_mb=2000.0,
        seconds={"training": 6.0},
    )
    assert any(
        "Largest request 3,900 MB (linear-svm on wdbc), 30 min (prepare of wdbc)" in line
        for line in shown(ask)
    )
    text = (folder / "mine.yaml").read_text()
    resources = "{threads: 2, datasets: {spambase: {memory_mb: 16000, minutes: 90, gpus: 2}}}"
    (folder / "mine.yaml").write_text(
        text.replace("id: linear-svm,", f"id: linear-svm, resources: {resources},")
    )
    where = "(linear-svm on spambase)"
    line = f"Largest request 16,000 MB {where}, 90 min {where}, 2 threads, 2 GPUs"
    assert any(line in shown_line for shown_line in shown(ask))
