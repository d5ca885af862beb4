"""Whatever a method does, its run ends with a record, and no other run notices."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import attop_bench.run.preload  # noqa: F401 - children are forked with it
from attop.extending import Top, derive_seed
from attop_bench.data.base import Dataset, Unavailable, load_arrays, save_unavailable
from attop_bench.files import read_json
from attop_bench.jobs import supervise as supervision
from attop_bench.jobs.limits import Limits
from attop_bench.jobs.supervise import supervise
from attop_bench.report import build_report
from attop_bench.run import job as process
from attop_bench.run.attempts import Attempts
from attop_bench.run.folds import write_folds
from attop_bench.run.job import Job
from support import ROOT
from support.client import CLIENT
from support.folds import cut
from support.small_run import ONE, snakemake, without_figures

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is watched on Linux only"),
]


#: Of workflows: what the runs came to.
RUNS = "results/evaluation/wdbc/runs.parquet"


@pytest.fixture
def job_of(tmp_path):
    """Return a function that makes a training job of a method of `hostile_methods`."""
    rng = np.random.default_rng(0)
    y = (np.arange(90) % 3 == 0).astype(int)
    dataset = Dataset("toy", rng.normal(size=(90, 3)) + y[:, None], y)
    dataset.save(tmp_path / "data.npz")

    def make(method, estimator=None, seconds=20, tops=({"k": 5},), **changes):
        spec = Job(
            repeat=0,
            fold=0,
            seed=7,
            protocol={"kind": "stratified", "options": {"n_folds": 3, "inner_folds": 2}},
            scaling="none",
            tops=[Top.of(top) for top in tops],
            scoring="precision@k",
            estimator=estimator or f"support.hostile_methods.{method}",
        )
        write_folds(tmp_path / "folds.npz", cut(dataset, spec.split), dataset, spec.split)
        names = ("data.npz", "folds.npz", "scores.npz", "record.json", "log")
        files = {name.split(".")[0]: str(tmp_path / name) for name in names}
        return SimpleNamespace(spec=spec, **{**files, **changes}, limits=Limits(seconds, 1000))

    return make


def train(job):
    process.train(job.spec, **{name: value for name, value in vars(job).items() if name != "spec"})


@pytest.fixture(autouse=True)
def without_servers(monkeypatch):
    monkeypatch.setenv("ATTOP_WARM", "0")


def record_of(job):
    train(job)
    record = read_json(job.record)
    assert record["ended"] - record["started"] > sum(s or 0 for s in record["seconds"].values())
    arrays, _ = load_arrays(job.scores)
    assert (arrays["scores"].size > 0) == (record["status"] == "ok")
    return record, Path(job.log).read_text()


@pytest.mark.parametrize(
    ("method", "status", "words"),
    [
        ("Fine", "ok", ""),
        ("Raises", "error", "no wish to learn"),
        ("OutOfMemory", "memory", "MemoryError"),
        ("NaNScores", "diverged", "NaN or infinite"),
        ("NaNWeights", "diverged", "weights"),
        ("WrongLength", "error", "shape (29,)"),
        ("CallsExit", "error", "SystemExit"),
        ("ExitsAtOnce", "error", "ended its process with status 0"),
        ("Crashes", "error", "SIGSEGV"),
        ("ChangesDirectory", "ok", ""),
        ("OddAttributes", "ok", ""),
        ("LoneSurrogate", "error", r"a name with \ud800 in it"),
        ("Speechless", "error", "SpeechlessError, whose message is unknown"),
        ("WritesEverywhere", "error", "after writing"),
        ("LimitsFiles", "error", "File too large"),
        ("LoopsForEver", "timeout", "0.8 s"),
        ("IgnoresAlarms", "timeout", "0.8 s"),
        ("EatsMemory", "memory", "1000 MB"),
        ("ChildrenEatMemory", "memory", "1000 MB"),
    ],
)
def test_what_a_method_does_is_its_status(job_of, method, status, words):
    record, log = record_of(job_of(method, seconds=0.8 if status == "timeout" else 20))
    assert record["status"] == status
    assert words in record["error"]
    assert words in log
    if method in ("Raises", "Crashes") or status == "timeout":
        assert "in fit" in log
        assert "in fit" in record["traceback"]
    assert record["environment"]["host"]
    assert record["cpu_seconds"] > 0
    assert record["seed"] == derive_seed(7, "toy", 0, 0)


def test_a_child_that_comes_back_writes_no_results(job_of):
    record, log = record_of(job_of("ForksAndExits"))
    assert record["status"] == "ok"
    assert "SystemExit" not in log


@pytest.mark.parametrize("methods", [("Fine", "ChangesFeatures"), ("Undecided", "Undecided")])
def test_what_was_changed_or_drawn_before_makes_no_difference(job_of, methods):
    """A method's own features are changed, and the generators of the process are seeded."""
    found = []
    for method in methods:
        job = job_of(method, tops=[{"k": 5}, {"tau": 0.2}])
        record_of(job)
        found.append(load_arrays(job.scores)[0]["scores"])
    np.testing.assert_array_equal(*found)


def test_data_that_cannot_be_read_are_no_result_of_the_method(job_of, capsys):
    job = job_of("Fine")
    Path(job.data).write_bytes(Path(job.data).read_bytes()[:100])
    with pytest.raises(SystemExit):
        train(job)
    assert not Path(job.record).exists()
    assert "data.npz cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize("method", ["WritesNoRecord", "WritesAnotherRecord", "WritesOtherScores"])
def test_a_method_that_spoils_its_own_results_is_a_row(job_of, method):
    record, _ = record_of(job_of(method))
    assert record["status"] == "error"
    assert "left no readable record" in record["error"]


@pytest.mark.parametrize("method", ["KillsItself", "KillsItsParent", "TerminatesItself"])
def test_a_kill_is_a_result_at_the_last_attempt_alone(job_of, method):
    """Of the job, or of the process that watches it."""
    job = job_of(method, attempts=Attempts("run", 3))
    for _ in range(2):
        with pytest.raises(SystemExit):
            train(job)
        assert not Path(job.record).exists()
    record, _ = record_of(job)
    assert record["status"] == "killed"
    assert record["error"].startswith("killed 3 times, at its last attempt too, from outside or by itself.")
    assert not Path(job.record).with_name("killed").exists()


def test_the_end_of_its_client_is_no_result_of_a_job(job_of, tmp_path):
    job = job_of("Patient", attempts=Attempts("run", 1))
    job.spec = replace(job.spec, params={"seconds": 600})
    script = ["import pickle", "from attop_bench.run.job import train"]
    script += [f"job = vars(pickle.loads({pickle.dumps(job)}))", "train(job.pop('spec'), **job)"]
    (tmp_path / "script.py").write_text("\n".join(script))
    log = Path(job.log)
    for _ in range(2):
        log.unlink(missing_ok=True)
        with subprocess.Popen([*CLIENT, "script.py"], cwd=tmp_path) as client:
            until = time.monotonic() + 60
            while not log.exists() and time.monotonic() < until:
                time.sleep(0.05)
            client.kill()
        time.sleep(0.6)  # in which a job notices that its client is gone
    assert not Path(job.record).exists()
    assert not Path(job.record).with_name("killed").exists()


def test_a_log_keeps_its_beginning_and_its_end(job_of):
    record, log = record_of(job_of("PrintsMegabytes"))
    assert record["status"] == "ok"
    assert log.startswith("first words")
    assert log.rstrip().endswith("ok")
    assert "last words" in log
    assert "bytes left out here" in log
    assert len(log) < 2e6


def test_no_child_is_left(job_of):
    record, _ = record_of(job_of("LeavesChildren"))
    assert record["status"] == "ok"
    lines = [p.read_bytes() for p in Path("/proc").glob("[0-9]*/cmdline") if p.exists()]
    assert not [line for line in lines if b"# left by" in line]


def test_data_that_cannot_be_had(job_of):
    job = job_of("Fine")
    save_unavailable(job.data, "toy", Unavailable("no network", "get it by hand"))
    record, _ = record_of(job)
    assert record["status"] == "not_applicable"
    assert "get it by hand" in record["error"]


def supervised(work, log, abandoned):
    """Supervise in a process of its own: all children are killed, and pytest's fork server is one."""
    context = multiprocessing.get_context("fork")
    found = context.SimpleQueue()
    process = context.Process(target=lambda: found.put(supervise(work, log, Limits(), abandoned)))
    process.start()
    process.join(60)
    assert process.exitcode == 0
    return found.get()


def test_a_kill_from_outside_leaves_no_record(tmp_path):
    def work():
        os.kill(os.getpid(), signal.SIGKILL)

    assert supervised(work, tmp_path / "log", lambda: False).status == "killed"


def test_what_nobody_waits_for_is_stopped(tmp_path):
    start = time.monotonic()
    ending = supervised(lambda: time.sleep(600), tmp_path / "log", lambda: time.monotonic() - start > 0.2)
    assert ending.status == "abandoned"


def test_a_child_started_while_others_are_killed_is_killed_too(tmp_path, monkeypatch):
    """As by the thread of an executor whose processes are gone."""
    listed = supervision._descendants
    late = iter([["sleep", "600"]])

    def listed_too_early():
        if before := listed():
            return before
        for command in late:
            subprocess.Popen(command)
        return []

    monkeypatch.setattr(supervision, "_descendants", listed_too_early)
    assert supervised(lambda: None, tmp_path / "log", lambda: False).status == "done"


def test_results_that_cannot_be_written_are_no_result_of_the_method(job_of, capsys):
    with pytest.raises(SystemExit):
        train(job_of("Fine", scores="/proc/none/scores.npz"))
    assert "Error" in capsys.readouterr().err


def test_a_warm_process_changes_no_bit(job_of, tmp_path, monkeypatch):
    script = ["import pickle, sklearn.linear_model, attop_bench.run.training"]  # once, not per job
    script += ["from attop.from_papers import SGDAtK", "from attop_bench.run.job import train"]
    for name, estimator in (
        ("sgd", "attop.from_papers.SGDAtK"),
        ("log", "sklearn.linear_model.LogisticRegression"),
    ):
        job = job_of("", estimator, seconds=60, scores=f"{name}.npz", record=f"{name}.json")
        script += [f"job = vars(pickle.loads({pickle.dumps(job)}))", "train(job.pop('spec'), **job)"]
    found = []
    for warm in "01":
        monkeypatch.setenv("ATTOP_WARM", warm)
        folder = tmp_path / warm
        folder.mkdir()
        (folder / "script.py").write_text("\n".join(script))
        subprocess.run([*CLIENT, "script.py"], cwd=folder, check=True)
        assert {read_json(folder / f"{name}.json")["status"] for name in ("sgd", "log")} == {"ok"}
        found.append([(folder / f"{name}.npz").read_bytes() for name in ("sgd", "log")])
    assert found[0] == found[1]


#: One of each way to end; test_what_a_method_does_is_its_status has more.
HOSTILE = {"Raises": "error", "LoopsForEver": "timeout", "EatsMemory": "memory", "NaNScores": "diverged"}
HOSTILE |= {"KillsItself": "killed", "KilledOnce": "ok", "eats-all": "memory"}


def test_a_run_with_hostile_methods_ends_and_the_others_are_as_without(finished, tmp_path, monkeypatch):
    """Below a limit of the machine. Killed each time is a row of the second run; once, as by hand, is not."""
    monkeypatch.delenv("ATTOP_WARM")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"), prepend=os.pathsep)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("KILLED_ONCE", str(tmp_path / "killed-once"))
    without_figures(monkeypatch)
    hostile = {name: {"id": name, "estimator": f"support.hostile_methods.{name}"} for name in HOSTILE}
    hostile["LoopsForEver"]["limits"] = {"seconds": 0.1}
    hostile["eats-all"] |= {"estimator": hostile["EatsMemory"]["estimator"], "limits": {"memory_mb": None}}
    methods = [*hostile.values(), *ONE["methods"]]
    config = {**ONE, "limits": {"memory_mb": 600}, "methods": methods}
    below = {"config": config, "space": 2 << 30}
    first, output = snakemake(tmp_path, "--cores", "2", "--keep-going", RUNS, **below)
    assert first != 0
    assert "killed by SIGKILL from outside" in output
    second, output = snakemake(tmp_path, "--cores", "2", RUNS, **below)
    assert second == 0, output
    tables = {path.stem: pd.read_parquet(path) for path in (tmp_path / RUNS).parent.glob("*.parquet")}
    build_report(tables, {}, tmp_path / "report.html")
    page, runs = (tmp_path / "report.html").read_text(encoding="utf-8"), tables["runs"]
    assert all(name in page for name in HOSTILE)
    found = dict(runs.groupby("method")["status"].unique().map(list))
    assert {name: found[name] for name in HOSTILE} == {name: [status] for name, status in HOSTILE.items()}
    errors = runs.set_index("method")["error"]
    assert errors["KillsItself"].str.contains("killed 2 times").all()
    assert errors["EatsMemory"].str.contains("600 MB.*memory_mb").all()
    assert errors["eats-all"].str.contains("MemoryError").all()
    assert not list(tmp_path.glob("results/train/*/*/*/killed"))
    assert found["logistic-regression"] == ["ok"]
    for fold in (0, 1):
        file = f"results/train/wdbc/logistic-regression/repeat0-fold{fold}/scores.npz"
        assert (tmp_path / file).read_bytes() == (finished / file).read_bytes()

    strict = {**below, "config": {**config, "strict": True}}
    status, output = snakemake(tmp_path, "--cores", "2", RUNS, **strict)
    assert status != 0
    assert "attop retry" in output
