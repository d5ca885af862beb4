"""Killed at any time, the same command goes on and ends with the same results."""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from attop.bench.locks import claim
from test_workflow import ROOT, SMALL

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds processes below /proc")


def start(folder, config):
    """Start a run; it leads a process group of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    command = [sys.executable, "-m", "snakemake", "-s", str(ROOT / "Snakefile"), "--directory", str(folder)]
    command += ["--configfile", str(folder / "config.yaml"), "--cores", "2"]
    with (folder / "output.txt").open("a") as output:
        return subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


def finish(folder, config):
    assert start(folder, config).wait(timeout=1800) == 0, (folder / "output.txt").read_text()[-5000:]


def descendants(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, task.read_text().split()):
                found += [child, *descendants(child)]
    return found


def workers(folder):
    """Return the processes that train for `folder`: jobs, supervisors and their children, and servers."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            if "attop.bench.warm" in words or (str(folder) in words and "snakemake -s" not in words):
                found.append(int(path.name))
    return found


def kill_one(run, folder, draw):
    """Kill the main process, or one of those that work for it; return which."""
    everyone = sorted({*descendants(run.pid), *workers(folder)} - {run.pid})
    victim = run.pid if draw.random() < 0.5 or not everyone else draw.choice(everyone)
    with contextlib.suppress(ProcessLookupError):
        os.kill(victim, signal.SIGKILL)
    return "main process" if victim == run.pid else "worker"


def finished(folder):
    """Return the times of writing of all that is done and not being done again."""
    return {p: p.stat().st_mtime_ns for p in folder.glob("results/train/*/*/*/scores.npz")}


def scores(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.glob("results/train/*/*/*/scores.npz")}


def results(folder):
    """Return everything that a reader of the report sees and that does not depend on the clock."""
    import pandas as pd

    found = {}
    for name in ("evaluation", "cross", "selection", "roc", "trace"):
        found[name] = pd.read_parquet(folder / "results/tables" / f"{name}.parquet").to_json()
    return found


def kill_and_resume(folder, config, times, seed, longest):
    """Kill `times` times at random, then let the run end; return what was killed."""
    draw = random.Random(seed)
    killed, before = [], {}
    while len(killed) < times:
        run = start(folder, config)
        time.sleep(draw.uniform(1, longest))
        if run.poll() is None:
            killed.append(kill_one(run, folder, draw))
            if killed[-1] == "worker":  # the run notices; then what is left of it goes too
                with contextlib.suppress(subprocess.TimeoutExpired):
                    run.wait(timeout=draw.uniform(1, 5))
            with contextlib.suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        time.sleep(1)  # jobs notice within half a second that their run is gone
        done = finished(folder)
        assert len(done) >= len(before) - 2, "finished jobs were lost"
        before = done
        if (folder / "results/report.html").exists():
            shutil.rmtree(folder / "results")
            before = {}
    kept = finished(folder)
    finish(folder, config)
    again = [p for p, written in finished(folder).items() if p in kept and kept[p] != written]
    assert len(again) <= 2, "finished jobs were repeated"
    return killed


def test_killed_runs_go_on(tmp_path):
    finish(tmp_path / "whole", SMALL)
    killed = kill_and_resume(tmp_path / "killed", SMALL, times=3, seed=2, longest=9)
    assert len(killed) == 3
    assert scores(tmp_path / "killed") == scores(tmp_path / "whole")
    assert results(tmp_path / "killed") == results(tmp_path / "whole")


def test_full_disk(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("a small file system can be mounted by root only")
    config = {**SMALL, "datasets": SMALL["datasets"][:1], "methods": SMALL["methods"][2:]}
    try:
        (folder / "rest").write_bytes(bytes((8 << 20) - (160 << 10)))
        assert start(folder, config).wait(timeout=300) != 0
        (folder / "rest").unlink()
        for record in folder.glob("results/train/*/*/*/record.json"):
            assert json.loads(record.read_text())["status"] == "ok"
        finish(folder, config)
        finish(tmp_path / "large", config)
        assert scores(folder) == scores(tmp_path / "large")
        assert results(folder) == results(tmp_path / "large")
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def lock(state):
    (state / "locks").mkdir(parents=True, exist_ok=True)
    (state / "locks" / "0.output.lock").write_text("results/report.html\n")
    return state / "locks"


def dead(identity):
    ended = subprocess.Popen(["true"])
    ended.wait()
    return {**identity, "pid": ended.pid}


@pytest.mark.parametrize(
    ("change", "removed", "words"),
    [
        (dead, True, "killed"),
        (lambda mine: {**mine, "started": "1"}, True, "killed"),  # the number belongs to another process
        (lambda mine: mine, False, ""),
        (lambda mine: {**dead(mine), "where": ["elsewhere"]}, False, "snakemake --unlock"),
        (lambda mine: {}, False, "snakemake --unlock"),
    ],
    ids=["gone", "number taken", "at work", "other host", "damaged"],
)
def test_only_a_lock_of_a_dead_process_of_this_host_is_removed(tmp_path, change, removed, words):
    claim(tmp_path)
    (path,) = (tmp_path / "claims").iterdir()
    path.rename(path.with_name("host.1.json"))
    path.with_name("host.1.json").write_text(
        json.dumps(change(json.loads((path.with_name("host.1.json")).read_text())))
    )
    locks = lock(tmp_path)
    message = claim(tmp_path)
    assert locks.exists() != removed
    assert words in message
    assert bool(message) == bool(words)


def test_a_lock_without_any_claim_stays(tmp_path):
    locks = lock(tmp_path)
    assert "snakemake --unlock" in claim(tmp_path)
    assert locks.exists()
