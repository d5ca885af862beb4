"""A kill from outside is no result before the last attempt, in whatever order kills come."""

import itertools

import pytest

from attop_bench.jobs.limits import FAILED, ProcessResult
from attop_bench.run.attempts import Attempts
from attop_bench.run.up_to_date import number_run

KILLED = ProcessResult("killed", "the job was killed by SIGKILL")
#: What may end an attempt: the job is killed alone, or with all that could tell of it.
EVENTS = ("job", "all")


@pytest.fixture
def note(tmp_path):
    return tmp_path / "killed"


def rows(note, runs, number):
    """Yield, for each attempt of each run, whether it leaves a row; a run ends with one."""
    for run, events in enumerate(runs):
        for attempt, event in enumerate(events, start=1):
            row = event == "job" and Attempts(str(run), number).settle(KILLED, note, "d").status in FAILED
            yield run, attempt, row
            if row:
                return


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_row_in_no_order_before_the_last_attempt_nor_of_one_kill(note, number):
    for runs in itertools.product(itertools.product(EVENTS, repeat=number), repeat=2):
        note.unlink(missing_ok=True)
        for run, attempt, row in rows(note, runs, number):
            events = [*itertools.chain(*runs[:run]), *runs[run][:attempt]]
            seen_here = runs[run][:attempt].count("job")
            assert row == (seen_here == number and events.count("job") > 1), (runs, run, attempt)
            assert not row or attempt == number


def test_what_is_not_known_is_never_the_last(note):
    for _ in range(5):
        assert Attempts().settle(KILLED, note, "d").status == "failed"


@pytest.mark.parametrize("status", ["done", *FAILED[:-1]])
def test_a_result_ends_the_count(note, status):
    attempts, other = Attempts("run", 2), ProcessResult(status, "its own")
    for end, expected in [(KILLED, "failed"), (other, status), (KILLED, "failed"), (KILLED, "killed")]:
        assert attempts.settle(end, note, "d").status == expected
    assert not note.exists()


@pytest.mark.parametrize("status", ["abandoned", "failed"])
def test_what_is_no_result_leaves_the_count(note, status):
    attempts = Attempts("run", 2)
    assert attempts.settle(KILLED, note, "d").status == "failed"
    assert attempts.settle(ProcessResult(status, "a disk"), note, "d") == ProcessResult(status, "a disk")
    assert attempts.settle(KILLED, note, "d").status == "killed"


def test_kills_of_another_specification_do_not_count(note):
    attempts = Attempts("run", 2)
    for digest in ("d", "e", "d"):
        assert attempts.settle(KILLED, note, digest).status == "failed"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"digest": "d", "kills": 3}', '"d"'])
def test_a_spoilt_note_counts_nothing(note, text):
    note.write_text(text)
    assert Attempts("run", 1).settle(KILLED, note, "d").status == "failed"


def test_a_note_that_cannot_be_written_is_no_row(note):
    assert Attempts("run", 1).settle(KILLED, note / "none" / "killed", "d").status == "failed"


def test_a_job_finds_the_attempts_of_its_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Attempts.of("out") == Attempts()
    number_run("out", 3)
    first = Attempts.of("out")
    number_run("out", 1)
    second = Attempts.of("out")
    assert (first.number, second.number) == (3, 1)
    assert first.run != second.run
    for text in ("", "[]", "{}", '{"run": "x"}'):
        (tmp_path / "out/.attop.json").write_text(text)
        assert Attempts.of("out").number is None
