"""What is counted and printed: bars on a terminal, lines elsewhere, the time left, the end."""

import json
import time
from io import StringIO
from types import SimpleNamespace

import pytest
from rich.console import Console

from attop_bench.data.ledger import Aside, Ledger
from snakemake_logger_plugin_attop.display import Display
from snakemake_logger_plugin_attop.progress import Job, Progress


@pytest.fixture
def out():
    return StringIO()


def train(dataset, method, fold=0):
    return "train", {"dataset": dataset, "method": method, "repeat": "0", "fold": str(fold)}


def planned(*jobs, cores=1, clock=time.monotonic, machine=8):
    """Return the progress of jobs, numbered from 0."""
    progress = Progress(clock, machine=machine)
    progress.plan(jobs, cores=cores)
    for number, job in enumerate(jobs):
        progress.describe(number, Job(*job))
    return progress


def run(progress, *numbers):
    for number in numbers:
        progress.start([number])
        progress.finish(number)


def begun(out, folder, *, terminal=False, configfiles=()):
    """Return the progress of two training jobs and its display."""
    progress = planned(train("digits", "m0"), train("digits", "m1"))
    display = Display(Console(file=out, force_terminal=terminal, width=100, no_color=True), progress)
    display.begin(
        report="results/report.html", manifest=str(folder / "manifest.json"), configfiles=configfiles
    )
    return progress, display


def test_what_has_no_data_is_not_said_to_be_trained(out, tmp_path):
    progress, display = begun(out, tmp_path)
    display.failure(Job("fetch", {"dataset": "digits"}), "unavailable: no such host", is_result=True)
    for number in (0, 1):
        run(progress, number)
        display.update()
    assert "digits: no data, nothing trained" in out.getvalue()
    assert "training jobs done" not in out.getvalue()


def test_without_a_terminal_there_are_lines_and_no_codes(out, tmp_path):
    progress, display = begun(out, tmp_path)
    for number in (0, 1):
        run(progress, number)
        display.update()
    (tmp_path / "manifest.json").write_text(json.dumps({"headline": "m1 ranks best."}))
    display.end()
    text = out.getvalue()
    assert "\x1b" not in text
    assert text.startswith("2 training jobs on 1 data set, 2 steps in all, 1 at a time\n")
    assert text.count("digits: 2 of 2 training jobs done") == 1
    assert text.rstrip().endswith("m1 ranks best.\nThe report: results/report.html")


def test_a_row_that_may_be_none_is_not_among_those_that_were_passed_over(out, tmp_path):
    progress, display = begun(out, tmp_path)
    asked = Aside("at the end", 1, 4, "Total,9")
    ledger = Ledger(3, 2, left_out=(Aside("without a label", 1, 4),), doubtful=(asked,))
    (tmp_path / "manifest.json").write_text(json.dumps({"datasets": {"digits": {"rows": ledger.as_dict()}}}))
    run(progress, 0, 1)
    display.end()
    assert "1 row without a label (line 4); may be none: 1 row at the end" in " ".join(out.getvalue().split())
    assert dict(ledger.lines())["that may be none"] == str(asked)


def test_on_a_terminal_a_bar_for_each_data_set(out, tmp_path):
    progress, display = begun(out, tmp_path, terminal=True)
    progress.start([0])
    display._live.refresh()
    text = out.getvalue()
    assert "digits" in text
    assert "0/2" in text
    assert "m0" in text
    display.end()


def test_failures_alike_are_said_once_and_counted_at_the_end(out, tmp_path):
    _, display = begun(out, tmp_path, configfiles=["mine.yaml"])
    for _ in range(3):
        display.failure(Job(*train("digits", "svm")), "timeout: more than 5 s", is_result=True)
    assert out.getvalue().count("svm on digits") == 1
    display.end()
    last = out.getvalue().splitlines()[-3:]
    assert last == [
        "3 failed:",
        "  svm on digits (3 jobs): timeout: more than 5 s",
        "After fixing the cause: attop retry --configfile mine.yaml, then the same command again.",
    ]


@pytest.mark.parametrize(("n", "said"), [(11, "1 other reason:"), (14, "4 other reasons:")])
def test_more_reasons_than_fit_are_counted(out, tmp_path, n, said):
    _, display = begun(out, tmp_path)
    for i in range(n):
        display.failure(Job(*train("digits", f"m{i}")), "error")
    display.end()
    assert f"  and {said} attop status" in out.getvalue()


def test_what_was_interrupted_says_how_to_go_on_and_names_no_report(out, tmp_path):
    _, display = begun(out, tmp_path)
    display.end()
    assert "0 of 2 steps done" in out.getvalue()
    assert "the same command goes on" in out.getvalue()
    assert "report.html" not in out.getvalue()
    display.end()  # as logging does
    assert out.getvalue().count("steps done") == 1


def test_what_a_later_run_tries_again_by_itself_need_not_be_cleared(out, tmp_path):
    _, display = begun(out, tmp_path)
    display.failure(Job("check", {}), "no column 'y'")
    display.end()
    assert out.getvalue().rstrip().endswith("After fixing the cause: the same command again.")


def test_a_job_that_ends_well_when_tried_again_has_not_failed(out, tmp_path):
    progress, display = begun(out, tmp_path)
    job = progress.jobs[0]
    progress.start([0])
    progress.fail(0)
    display.failure(job, "killed for its memory")
    progress.describe(0, job)
    run(progress, 0)
    assert not progress.failed
    display.end()
    assert out.getvalue().count("killed for its memory") == 1
    assert "1 failed" not in out.getvalue()


def test_markup_in_a_reason_is_text(out, tmp_path):
    _, display = begun(out, tmp_path, terminal=True)
    display.failure(Job(*train("digits", "m")), "[red]no[/red] [link")
    assert "[red]no[/red] [link" in out.getvalue()


@pytest.fixture
def clock():
    return SimpleNamespace(now=0.0)


#: The report's number.
REPORT = 12


@pytest.fixture
def progress(clock):
    jobs = [train(d, m, f) for d in ("a", "b") for m in ("fast", "slow") for f in range(3)]
    return planned(*jobs, ("report", {}), cores=2, clock=lambda: clock.now)


def run_for(progress, clock, number, seconds):
    progress.start([number])
    clock.now += seconds
    progress.finish(number)


def test_counts_follow_the_events(progress, clock):
    assert progress.steps == (0, 13)
    progress.start([0, REPORT])
    assert progress.running_methods("a") == ["fast"]
    assert progress.running_methods("b") == []
    assert progress.running_others() == ["report"]
    progress.finish(0)
    progress.finish(REPORT)
    assert progress.steps == (2, 13)
    assert progress.done == {"a": 1}
    assert progress.total == {"a": 6, "b": 6}
    assert progress.running_others() == []


def test_no_estimate_before_a_training_job_has_ended(progress, clock):
    assert progress.seconds_left() is None
    run_for(progress, clock, REPORT, 50.0)
    assert progress.seconds_left() is None


def test_what_is_left_counts_by_its_like(progress, clock):
    run_for(progress, clock, 0, 2.0)  # fast on a
    run_for(progress, clock, 3, 10.0)  # slow on a
    # a: 2 fast, 2 slow; b: 3 of each, by their methods on a; the report by the mean of all.
    assert progress.seconds_left() == pytest.approx((2 * 2 + 2 * 10 + 3 * 2 + 3 * 10 + 6) / 2)
    run_for(progress, clock, 6, 4.0)  # fast on b
    assert progress.seconds_left() == pytest.approx((2 * 2 + 2 * 10 + 2 * 4 + 3 * 10 + (2 + 10 + 4) / 3) / 2)


def test_what_runs_counts_less_what_it_has_run(progress, clock):
    run_for(progress, clock, 0, 4.0)
    before = progress.seconds_left()
    progress.start([1, 2])
    clock.now += 1.0
    assert progress.seconds_left() == pytest.approx(before - 1.0)
    clock.now += 100.0  # longer than expected: no less than nothing
    assert progress.seconds_left() == pytest.approx(before - 4.0)


@pytest.mark.parametrize("slots", [1, 2, 5, 30])
@pytest.mark.parametrize("waits_there", [True, False])
def test_jobs_of_a_cluster_count_by_the_rate_of_steps(slots, waits_there, clock):
    """A hundred are handed over, and so many run: the time to come is that of those slots."""
    jobs = [train("a", "fast", fold) for fold in range(60)]
    progress = planned(*jobs, cores=100, clock=lambda: clock.now, machine=2)
    if waits_there:
        progress.start(range(60))
    for first in range(0, 30, slots):
        batch = range(first, first + slots)
        if not waits_there:
            progress.start(batch)
        for number in batch:
            clock.now += 10.0 / slots
            progress.finish(number)
    assert progress.seconds_left() == pytest.approx(30 / slots * 10.0)


def test_one_end_is_no_rate(clock):
    progress = planned(*(train("a", "fast", fold) for fold in range(5)), cores=100, machine=2)
    run(progress, 0)
    assert progress.seconds_left() is None


def test_a_job_that_broke_off_is_not_done_and_no_example(progress, clock):
    progress.start([0])
    clock.now += 5.0
    assert progress.fail(0).subject == "fast on a"
    assert progress.steps == (0, 13)
    assert progress.seconds_left() is None


def test_an_event_of_an_unknown_job_is_ignored(progress):
    assert progress.finish(1234) is None
    assert progress.fail(1234) is None
    assert progress.steps == (0, 13)


def test_the_time_of_the_report_counts_by_data_sets(out):
    progress = planned(*(train(d, "a") for d in "abcde"), ("report", {}))
    run(progress, *range(5))
    progress.start([5])
    assert Display(Console(file=out), progress)._summary() == "5 of 6 steps, about 30 s left; now: report"
