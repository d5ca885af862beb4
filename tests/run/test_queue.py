"""Jobs that a killed run left in the queue, and file systems without locks, are said before a run begins."""

import errno
import fcntl
import os
from uuid import UUID

import pytest

from attop_bench.run.output import lock_output

RUN, OTHER = (str(UUID(int=n)) for n in (1, 2))


@pytest.fixture
def queue(tmp_path, monkeypatch):
    """Return a function that has `squeue` list some jobs; the working directory has submitted some."""
    programs = tmp_path / "bin"
    programs.mkdir()
    here = tmp_path / "here"
    (here / ".snakemake/slurm_logs").mkdir(parents=True)
    monkeypatch.chdir(here)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")

    def listed(*jobs, then=""):
        lines = "\n".join("|".join(map(str, job)) for job in jobs)
        squeue = programs / "squeue"
        squeue.write_text(f"#!/bin/sh\necho \"$@\" > {tmp_path}/asked\ncat <<'END'\n{lines}\nEND\n{then}\n")
        squeue.chmod(0o755)
        return here

    return listed


def held(output="results"):
    """Return the refusal of `lock_output`, and what it tells."""
    told = []
    return lock_output(output, tell=told.append), told


@pytest.mark.parametrize("state", ["RUNNING", "PENDING", "SUSPENDED"])
def test_jobs_of_a_killed_run_are_named_with_the_command_that_ends_them(queue, tmp_path, state):
    here = queue(*[(n, RUN, state, tmp_path / "here") for n in (11, 12)])
    refusal, told = held()
    assert f"An earlier run from {here} left 2 jobs in the queue: 11, 12 of SLURM run ID {RUN}." in refusal
    assert f"`scancel --me --name={RUN}` ends them" in refusal
    assert not told
    assert "--me" in (tmp_path / "asked").read_text()
    queue()
    assert held() == ("", [])


def test_jobs_of_two_runs_and_of_a_named_one_are_told_apart(queue, tmp_path):
    here = tmp_path / "here"
    queue((11, RUN, "RUNNING", here), (12, f"mine_{OTHER}", "PENDING", here))
    refusal, _ = held()
    assert f"11 of SLURM run ID {RUN}; 12 of SLURM run ID mine_{OTHER}" in refusal
    assert f"scancel --me --name={RUN},mine_{OTHER}" in refusal


def test_other_jobs_of_the_user_are_none_of_this(queue, tmp_path):
    here = tmp_path / "here"
    queue(
        (11, RUN, "RUNNING", tmp_path / "elsewhere"),
        (12, "my-simulation", "RUNNING", here),
        (13, "a|b", "RUNNING", here),
        (14, RUN, "COMPLETING", here),  # as after scancel: its processes were ended
        ("",),
    )
    assert held() == ("", [])


def test_the_folder_is_known_by_what_it_leads_to(queue, tmp_path, monkeypatch):
    queue((11, RUN, "RUNNING", tmp_path / "here"))
    (tmp_path / "link").symlink_to(tmp_path / "here")
    monkeypatch.chdir(tmp_path / "link")
    assert "left 1 job in the queue" in held()[0]


def test_jobs_that_may_be_of_a_run_that_lives_are_told_alone(queue, tmp_path):
    here = queue()
    assert held("first") == ("", [])  # and this process holds it on
    queue((11, RUN, "RUNNING", here))
    refusal, told = held("second")
    assert refusal == ""
    assert "They may be those of the run that writes to first." in told[0]


@pytest.mark.parametrize(
    ("then", "reason"),
    [
        ("echo 'Unable to contact controller' >&2; exit 1", "Unable to contact controller"),
        ("exit 3", "squeue: 3"),
    ],
)
def test_a_queue_that_does_not_answer_is_told(queue, then, reason):
    queue(then=then)
    refusal, told = held()
    assert refusal == ""
    assert "It is not known whether jobs of an earlier run are still in the queue: " in told[0]
    assert reason in told[0]


def test_nothing_is_asked_where_no_run_has_submitted_any(queue, tmp_path):
    here = queue((11, RUN, "RUNNING", tmp_path / "here"))
    (here / ".snakemake/slurm_logs").rmdir()
    assert held() == ("", [])
    assert not (tmp_path / "asked").exists()


def test_a_file_system_without_locks_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def refuse(file, how):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    refusal, told = held()
    assert refusal == ""
    assert "The file system of results has no locks (No locks available)" in told[0]
    assert "one at a time" in told[0]
