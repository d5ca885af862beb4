"""Counts and the time left, from a run's events."""

import pytest

from snakemake_logger_plugin_attop.progress import Job, Progress


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def train(dataset, method, fold=0):
    return "train", {"dataset": dataset, "method": method, "repeat": "0", "fold": str(fold)}


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def progress(clock):
    found = Progress(clock)
    jobs = [train(d, m, f) for d in ("a", "b") for m in ("fast", "slow") for f in range(3)]
    found.plan([*jobs, ("report", {})], cores=2)
    for number, (rule, wildcards) in enumerate(jobs):
        found.describe(number, Job(rule, wildcards))
    found.describe(99, Job("report", {}))
    return found


def run(progress, clock, number, seconds):
    progress.start([number])
    clock.now += seconds
    return progress.finish(number)


def test_counts_follow_the_events(progress, clock):
    assert progress.steps == (0, 13)
    progress.start([0, 99])
    assert progress.running_methods("a") == ["fast"]
    assert progress.running_methods("b") == []
    assert progress.running_others() == ["report"]
    progress.finish(0)
    progress.finish(99)
    assert progress.steps == (2, 13)
    assert progress.done == {"a": 1}
    assert progress.total == {"a": 6, "b": 6}
    assert progress.running_others() == []


def test_no_estimate_before_a_training_job_has_ended(progress, clock):
    assert progress.seconds_left() is None
    run(progress, clock, 99, 50.0)
    assert progress.seconds_left() is None


def test_what_is_left_counts_by_its_like(progress, clock):
    run(progress, clock, 0, 2.0)  # fast on a
    run(progress, clock, 3, 10.0)  # slow on a
    # a: 2 fast, 2 slow; b: 3 of each, by their methods on a; the report by the mean of all.
    assert progress.seconds_left() == pytest.approx((2 * 2 + 2 * 10 + 3 * 2 + 3 * 10 + 6) / 2)
    run(progress, clock, 6, 4.0)  # fast on b
    assert progress.seconds_left() == pytest.approx((2 * 2 + 2 * 10 + 2 * 4 + 3 * 10 + (2 + 10 + 4) / 3) / 2)


def test_what_runs_counts_less_what_it_has_run(progress, clock):
    run(progress, clock, 0, 4.0)
    before = progress.seconds_left()
    progress.start([1, 2])
    clock.now += 1.0
    assert progress.seconds_left() == pytest.approx(before - 1.0)
    clock.now += 100.0  # longer than expected: no less than nothing
    assert progress.seconds_left() == pytest.approx(before - 4.0)


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
