"""Ctrl-C and SIGTERM stop a run; they are no failure, and the same command goes on."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import yaml

from attop_bench.run import interrupt
from support import ROOT
from support.small_run import SMALL

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a group of processes as of a terminal")

PATIENT = {"id": "patient", "estimator": "support.hostile_methods.Patient", "params": {"seconds": 1.0}}
CONFIG = {**SMALL, "methods": [*SMALL["methods"], PATIENT]}
LOGS = "results/logs/train/*/patient/*.log"
NOISE = ("Traceback", "no reason given", "failed", "nobody waits", "did not complete")


def start(folder, *command):
    """Start a command in a group of its own, as a terminal does; its output goes to a file."""
    (folder / "config.yaml").write_text(yaml.safe_dump(CONFIG))
    path = os.pathsep.join([str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    with (folder / "output.txt").open("w") as file:
        streams = {"stdout": file, "stderr": file, "stdin": subprocess.DEVNULL}
        return subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored in the background
            **streams,
        )


def until(happened, process):
    deadline = time.monotonic() + 120
    while not happened() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)


def attop(*words):
    return [
        sys.executable,
        "-c",
        "import sys; from attop_bench.cli.main import main; sys.exit(main())",
        *words,
    ]


@pytest.mark.workflow
def test_a_run_stopped_by_the_user_says_what_is_done_and_the_same_command_goes_on(finished, tmp_path):
    shutil.copytree(finished, tmp_path, dirs_exist_ok=True)
    command = attop("run", "config.yaml", "--cores", "1")
    running = start(tmp_path, *command)
    until(lambda: len(list(tmp_path.glob(LOGS))) == 2, running)  # the first job is done
    os.killpg(running.pid, signal.SIGINT)
    os.killpg(running.pid, signal.SIGINT)  # once more changes nothing
    assert running.wait(timeout=60) == 130
    said = (tmp_path / "output.txt").read_text()
    assert "Stopped. 1 of 3 training jobs are done; the same command goes on." in said
    assert not [word for word in NOISE if word in said], said

    running = start(tmp_path, *command)
    until(lambda: "2 training jobs" in (tmp_path / "output.txt").read_text(), running)
    os.kill(running.pid, signal.SIGTERM)  # jobs that run are waited for
    assert running.wait(timeout=60) == 143
    said = (tmp_path / "output.txt").read_text()
    assert re.search("Stopped. [012] of 2 training jobs are done; the same command goes on.", said)
    assert not [word for word in NOISE if word in said], said


def test_a_run_stopped_while_it_is_planned_says_so_in_a_word(tmp_path):
    """From the first import of Snakemake on."""
    running = start(tmp_path, *attop("run", "config.yaml", "--cores", "1"))
    line = Path(f"/proc/{running.pid}/cmdline")
    until(lambda: b"heed_interrupt" in line.read_bytes(), running)
    until(lambda: psutil.Process(running.pid).cpu_times().user > 0.5, running)
    os.killpg(running.pid, signal.SIGINT)
    assert running.wait(timeout=60) == 130
    output = (tmp_path / "output.txt").read_text()
    assert output.strip() == interrupt._BEFORE.strip()
    assert not (tmp_path / "results").exists()
    assert "Traceback" not in output


def test_a_command_stopped_by_the_user_says_so_in_a_line(monkeypatch, capsys):
    from attop_bench.cli import folder, main

    def stopped(options):
        """Print nothing."""
        raise KeyboardInterrupt

    monkeypatch.setattr(folder, "run_list", stopped)
    assert main.main(["list", "metrics"]) == 130
    assert capsys.readouterr().err == "\nattop list was stopped\n"


@pytest.fixture
def clock(monkeypatch):
    """Return the time, which a test sets, of a process that no signal has reached."""
    now = [0.0]
    monkeypatch.setattr(interrupt, "_status", 0)
    monkeypatch.setattr(interrupt, "_at", float("-inf"))
    monkeypatch.setattr(interrupt.time, "monotonic", lambda: now[0])
    return now


def test_a_second_interrupt_counts_once_jobs_had_time_to_be_cancelled(clock, capfd):
    for at, leaves in ((0.0, True), (1.0, False), (9.0, False), (11.0, True)):
        clock[0] = at
        if leaves:
            with pytest.raises(SystemExit, match="130"):
                interrupt._interrupt(signal.SIGINT, None)
        else:
            interrupt._interrupt(signal.SIGINT, None)
    assert capfd.readouterr().err.count("Stopping already") == 2
    with pytest.raises(SystemExit, match="130"):
        interrupt.leave()


def test_what_is_said_depends_on_whether_jobs_had_begun(clock, capfd, monkeypatch):
    monkeypatch.setattr(interrupt, "_has_begun", False)
    for begun in (False, True):
        clock[0] += 11.0
        with pytest.raises(SystemExit):
            interrupt._interrupt(signal.SIGINT, None)
        assert ("no job had begun" in capfd.readouterr().err) != begun
        interrupt.jobs_begin()


def test_who_is_not_told_to_stop_does_not_leave(clock):
    assert not interrupt.is_stopped()
    interrupt.leave()


def test_an_interrupt_that_is_ignored_stays_so():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        interrupt.heed_interrupt()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
