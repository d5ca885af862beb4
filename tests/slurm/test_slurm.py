"""The profile on a real SLURM: results as without one, a job that needs more memory, cancelled jobs.

ATTOP_TEST_SLURM=1 asks for these tests: they use the SLURM that runs here, or start one of a single node
(up.sh, for Debian and root).
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

pytestmark = pytest.mark.skipif(
    os.environ.get("ATTOP_TEST_SLURM") != "1",
    reason="submits jobs to SLURM: ATTOP_TEST_SLURM=1 asks for it, and starts a SLURM where none runs",
)

CONFIG = yaml.safe_load((ROOT / "config" / "config.yaml").read_text())
#: The default configuration on one of six data sets by four of twelve methods: all take a quarter of an hour.
DEFAULT = {
    **CONFIG,
    "datasets": [
        {"id": "digit-8", "protocol": {"kind": "stratified", "options": {"n_folds": 3, "inner_folds": 3}}}
    ],
    "methods": CONFIG["methods"][2:9:2],
}
FOLDS = 6
PATIENT = {"id": "patient", "estimator": "support.hostile_methods.Patient"}


def patient(**params):
    """Return a configuration of one slow method on a small data set, `FOLDS` training jobs."""
    protocol = {"kind": "stratified", "options": {"n_folds": FOLDS, "inner_folds": 2}}
    return {
        **DEFAULT,
        "datasets": [{"id": "wdbc", "protocol": protocol, "tops": [{"k": 10}]}],
        "methods": [{**PATIENT, "params": {"seconds": 0.5, **params}}],
    }


@pytest.fixture(scope="module", autouse=True)
def slurm(tmp_path_factory):
    """A SLURM that takes jobs; one that had to be started is stopped at the end."""
    if subprocess.run(["sh", "-c", "sinfo"], capture_output=True).returncode == 0:
        yield
        return
    log = tmp_path_factory.mktemp("slurm") / "up.log"
    with log.open("w") as file:  # a pipe would stay open as long as the daemons live
        done = subprocess.run(
            [HERE / "up.sh"], stdout=file, stderr=file, stdin=subprocess.DEVNULL, timeout=300
        )
    assert done.returncode == 0, log.read_text()
    yield
    subprocess.run([HERE / "down.sh"], stdin=subprocess.DEVNULL, timeout=60)


def start(folder, config, *arguments):
    """Start the workflow in the repository's root, with results and output in `folder`."""
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    command = [sys.executable, "-m", "support.impatient", "--directory", str(folder)]
    command += ["--configfile", str(folder / "config.yaml"), *arguments]
    path = os.pathsep.join([str(ROOT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    with (folder / "output.txt").open("w") as file:
        streams = {"stdout": file, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL}
        return subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            start_new_session=True,  # a terminal of its own
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            **streams,
        )


def run(folder, config, *arguments):
    """Run the workflow to its end and return the exit status, and what it printed and logged."""
    status = start(folder, config, *arguments).wait(timeout=600)
    return status, (folder / "output.txt").read_text() + logged(folder)


def logged(folder):
    """Return Snakemake's log of the last run, which has every event; what a run prints does not."""
    logs = sorted(folder.glob(".snakemake/log/*.snakemake.log"))
    return logs[-1].read_text() if logs else ""


def submit(*arguments):
    """Return the arguments of a run by the profile."""
    return ["--profile", "slurm", *arguments]


@pytest.fixture(scope="module")
def beginning(slurm, tmp_path_factory):
    """A folder in which all is done that comes before training the method `patient`."""
    folder = tmp_path_factory.mktemp("beginning")
    finish_checks(folder, patient())
    return folder


@pytest.fixture
def folder(beginning, tmp_path):
    """A copy of it, times and Snakemake's notes included."""
    return shutil.copytree(beginning, tmp_path / "run")


def finish_checks(folder, config):
    """Do on this machine all that comes before training."""
    compiled = [f"results/data/compiled/{method['id']}.json" for method in config["methods"]]
    folds = [f"results/data/{data['id']}/folds/repeat0.npz" for data in config["datasets"]]
    status, output = run(folder, config, "--cores", "2", *folds, *compiled)
    assert status == 0, output


def records(folder):
    """Return the records of the finished runs by their folders."""
    return {
        path.parent: json.loads(path.read_text()) for path in folder.glob("results/train/*/*/*/record.json")
    }


def jobs(output):
    """Return the properties of the SLURM jobs a run submitted, in that order."""
    ids = re.findall(r"SLURM jobid (\d+)", output)
    shown = [subprocess.check_output(["scontrol", "show", "job", id], text=True) for id in ids]
    return [dict(re.findall(r"(\w+)=(\S*)", text)) for text in shown]


#: Two jobs of SLURM where many are alike: each starts a Snakemake of its own.
IN_PAIRS = ("prepare=1", "compile=2", "train=6", "evaluate=2")


def test_results_are_those_of_a_run_without_slurm(tmp_path):
    status, output = run(tmp_path / "slurm", DEFAULT, *submit("--group-components", *IN_PAIRS))
    assert status == 0, output
    assert (tmp_path / "slurm" / "results" / "report.html").exists()
    here = records(tmp_path / "slurm")
    assert len(here) == 4 * 3
    assert {record["status"] for record in here.values()} == {"ok"}

    submitted = jobs(output)
    assert sum("group_train" in job["StdOut"] for job in submitted) == 2
    assert {job["NumCPUs"] for job in submitted} == {"1"}

    some = [f"results/train/digit-8/{method}/repeat0-fold0/scores.npz" for method in ("push-8", "sgd-avg")]
    status, output = run(tmp_path / "alone", DEFAULT, "--cores", "2", *some)
    assert status == 0, output
    for path in some:
        with np.load(tmp_path / "slurm" / path) as ours, np.load(tmp_path / "alone" / path) as theirs:
            np.testing.assert_array_equal(ours["scores"], theirs["scores"])


def test_a_job_killed_for_its_memory_gets_more(folder):
    config = patient(megabytes=1000, seconds=2.0)  # SLURM looks at the memory once a second
    finish_checks(folder, config)
    top = "results/train/wdbc/patient/repeat0-fold0/record.json"
    status, output = run(folder, config, *submit(top))
    assert status == 0, output
    first, second = jobs(output)
    assert (first["JobState"], second["JobState"]) == ("FAILED", "COMPLETED")
    assert (first["MinMemoryNode"], second["MinMemoryNode"]) == ("1000M", "4500M")
    assert "exceeded memory limit" in Path(first["StdOut"]).read_text()
    assert [record["status"] for record in records(folder).values()] == ["ok"]


def until_some_are_done(folder, running):
    """Wait until a SLURM job has ended well while another is in the queue; return the ids of those there."""
    deadline = time.monotonic() + 400
    while True:
        submitted = jobs(logged(folder))
        states = [job["JobState"] for job in submitted]
        going = [job["JobId"] for job in submitted if job["JobState"] in ("PENDING", "RUNNING")]
        if going and "COMPLETED" in states:
            return going
        assert running.poll() is None, (folder / "output.txt").read_text()
        assert time.monotonic() < deadline, submitted
        time.sleep(0.2)


def times(folder):
    """Return when each record was written."""
    return {run: (run / "record.json").stat().st_mtime_ns for run in records(folder)}


def goes_on(folder, config, arguments):
    """Run the same command again: it trains what is left, and touches no record that is there."""
    before = times(folder)
    assert 0 < len(before) < FOLDS
    status, output = run(folder, config, *arguments)
    assert status == 0, output
    assert re.search(rf"^train +{FOLDS - len(before)}$", output, re.MULTILINE), output
    after = times(folder)
    assert len(after) == FOLDS
    assert before.items() <= after.items()


BROKEN_OFF = submit("trainings", "--retries", "0", "--group-components", "train=2")


def test_a_run_goes_on_where_scancel_stopped_it(folder):
    config = patient()
    running = start(folder, config, *BROKEN_OFF)
    subprocess.run(["scancel", *until_some_are_done(folder, running)], check=True)
    assert running.wait(timeout=400) != 0
    goes_on(folder, config, BROKEN_OFF)


def test_ctrl_c_cancels_what_was_submitted(folder):
    config = patient()
    running = start(folder, config, *BROKEN_OFF)
    until_some_are_done(folder, running)
    os.killpg(running.pid, signal.SIGINT)
    assert running.wait(timeout=400) == 130
    printed = (folder / "output.txt").read_text()
    assert "Stopping." in printed
    assert "Traceback" not in printed
    states = {job["JobState"] for job in jobs(logged(folder))}
    assert states <= {"COMPLETED", "CANCELLED"}, states
    goes_on(folder, config, BROKEN_OFF)


def test_jobs_that_outlive_their_run_are_named_until_they_have_ended(folder):
    config = patient()
    running = start(folder, config, *BROKEN_OFF)
    going = until_some_are_done(folder, running)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()

    status, output = run(folder, config, *BROKEN_OFF)
    assert status == 1
    words = " ".join(output.split())
    remedy = re.search(r"`(scancel --me --name=\S+)` ends them", words)
    assert remedy, output
    assert any(id in words.partition("left")[2] for id in going), output
    assert "Submitted" not in output

    subprocess.run(remedy[1].split(), check=True)
    while subprocess.check_output(["squeue", "--me", "--noheader"], text=True).strip():
        time.sleep(0.2)
    goes_on(folder, config, BROKEN_OFF)


def test_a_block_that_was_cancelled_keeps_its_finished_folds(folder):
    config = {**patient(), "granularity": FOLDS, "trace": False}
    block = folder / f"results/train/wdbc/patient/block{FOLDS}-0.zip"
    arguments = submit("trainings", "--retries", "0")
    running = start(folder, config, *arguments)
    deadline = time.monotonic() + 400
    while len(list(block.parent.glob("*.folds/*/record.json"))) < 2:
        assert running.poll() is None, (folder / "output.txt").read_text()
        assert time.monotonic() < deadline
        time.sleep(0.2)
    subprocess.run(["scancel", *(job["JobId"] for job in jobs(logged(folder)))], check=True)
    assert running.wait(timeout=400) != 0
    assert not block.exists()
    done = {path.parent.name: path.read_bytes() for path in block.parent.glob("*.folds/*/record.json")}
    assert 2 <= len(done) < FOLDS

    status, output = run(folder, config, *arguments)
    assert status == 0, output
    assert [path.name for path in block.parent.iterdir() if path.suffix != ".made"] == [block.name]
    with zipfile.ZipFile(block) as archive:
        folds = {name.split("/")[0]: archive.read(name) for name in archive.namelist() if "record" in name}
    assert len(folds) == FOLDS
    assert done.items() <= folds.items()


def test_two_halves_of_the_trainings_are_all_of_them(folder):
    config = {**patient(), "trace": False}
    for half, n in (("1/2", FOLDS // 2), ("2/2", FOLDS)):
        status, output = run(folder, config, *submit("trainings", "--batch", f"trainings={half}"))
        assert status == 0, output
        assert len(records(folder)) == n
        assert len(jobs(output)) == 1
