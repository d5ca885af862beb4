"""The conformance suite: every method here passes it, and a broken one fails the check it breaks."""

import multiprocessing
import sys

import pytest
import yaml
from sklearn.linear_model import LogisticRegression

from attop_bench.cli.main import main
from attop_bench.conformance import CHECKS, Method, check_all
from attop_bench.data.build import make
from attop_bench.data.splits.protocols import make_folds
from attop_bench.run.job import Run
from attop_bench.run.plan import Plan
from attop_bench.run.training import run_job
from support import hostile_methods
from support.every_estimator import CHEAP, CLASSES, COMPOSITES, NAMES
from support.small_run import configured
from support.unsound_methods import (
    BROKEN,
    AnyNumber,
    ByProbability,
    Divides,
    LeavesProcess,
    ScoresByPosition,
    Sound,
)

TITLES = {check.name: check.title for check in CHECKS}


def results(kind, **params):
    return {r.check.name: r for r in check_all(Method(kind, params))}


def failures(kind, **params):
    return {name: r.reason for name, r in results(kind, **params).items() if r.status == "FAIL"}


@pytest.mark.workflow
@pytest.mark.parametrize("name", NAMES + COMPOSITES)
def test_every_estimator_of_attop_passes(name):
    found = results(CLASSES[name], **CHEAP.get(name, {}))
    assert {n: r.reason for n, r in found.items() if r.status == "FAIL"} == {}
    skipped = {n for n, r in found.items() if r.status == "not applicable"}
    assert skipped <= {"takes_top", "takes_sparse"}


@pytest.mark.parametrize("kind", [Sound, ByProbability, LogisticRegression])
def test_other_sound_methods_pass(kind):
    found = results(kind)
    assert list(found) == list(TITLES)
    assert {n: r.reason for n, r in found.items() if r.status == "FAIL"} == {}
    assert found["takes_top"].status == ("ok" if kind is ByProbability else "not applicable")
    assert found["fits_many"].status == found["takes_groups"].status == found["takes_top"].status


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", BROKEN, ids=lambda kind: kind.__name__)
def test_a_broken_method_fails_the_check_it_breaks_and_no_other(kind):
    found = failures(kind)
    assert list(found) == [BROKEN[kind]], found
    assert found[BROKEN[kind]]


@pytest.mark.parametrize(
    ("kind", "checks"),
    [
        (ScoresByPosition, {"scores_items_alone", "scores_equal_items_equally"}),
        (Divides, {"takes_constant_feature", "takes_constant_features"}),
        (AnyNumber, {"takes_nan", "takes_infinities", "takes_one_class"}),
    ],
)
def test_what_breaks_several(kind, checks):
    assert set(failures(kind)) == checks


def test_processes_that_are_left_are_counted():
    try:
        assert list(failures(LeavesProcess)) == ["leaves_no_process"]
    finally:
        for process in LeavesProcess.left:
            process.communicate()


@pytest.mark.workflow
def test_each_check_can_fail():
    several = {"scores_equal_items_equally", "takes_constant_feature"}
    several |= {"takes_constant_features", "takes_nan", "takes_infinities"}
    others = {"gives_scores", "leaves_no_process"}  # by the hostile methods, and by LeavesProcess
    assert {*BROKEN.values()} | several | others == set(TITLES)


@pytest.mark.parametrize(
    ("name", "check", "words"),
    [
        ("Raises", "fits", "RuntimeError: no wish to learn"),
        ("OutOfMemory", "fits", "MemoryError"),
        ("CallsExit", "fits", "SystemExit: 0"),
        ("NaNScores", "gives_scores", "60 scores that are NaN or infinite"),
        ("NaNWeights", "gives_scores", "coef_ is NaN or infinite"),
        ("WrongLength", "gives_scores", "shape (59,) for 60 items"),
        ("Undecided", "ranks", "of the pairs"),
    ],
)
def test_hostile_methods(name, check, words):
    found = results(getattr(hostile_methods, name))
    assert found[check].status == "FAIL"
    assert words in found[check].reason
    if check != "ranks":
        assert found["ranks"].reason == f"presupposes: {TITLES[check]}"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """Threads set by the command are for it alone."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, "1")


def command(capfd, *arguments):
    """Run the command in a process of its own: it kills all children, and pytest's fork server is one."""
    context = multiprocessing.get_context("fork")
    process = context.Process(target=lambda: sys.exit(main(["check-method", *arguments])))
    process.start()
    process.join()
    said = capfd.readouterr()
    return process.exitcode, said.out.splitlines(), said.err


@pytest.mark.workflow
def test_the_command_says_a_line_per_check(capfd):
    status, lines, _ = command(capfd, "sklearn.linear_model.LogisticRegression", "--param", "C=0.5")
    assert status == 0
    assert len(lines) == len(CHECKS) + 2
    assert f"ok              {TITLES['fits']}" in lines
    assert lines[0] == (
        "sklearn.linear_model.LogisticRegression can take part in the benchmark: "
        f"{len(CHECKS) - 3} checks ok, 0 failed, 3 not applicable"
    )
    status, lines, _ = command(capfd, "support.unsound_methods.Reversed")
    assert status == 1
    (failed,) = (line for line in lines if line.startswith("FAIL"))
    assert lines.index(failed) == 2  # what failed comes first
    assert failed.startswith(f"FAIL            {TITLES['ranks']}: a positive is above a negative in ")


@pytest.mark.workflow
@pytest.mark.skipif(sys.platform != "linux", reason="a process is watched on Linux only")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Crashes", "SIGSEGV"),
        ("ExitsAtOnce", "ended its process with status 0"),
        ("LoopsForEver", "its limit of 1 s"),
    ],
)
def test_the_command_outlives_the_method(capfd, name, words):
    status, lines, _ = command(capfd, f"support.hostile_methods.{name}", "--seconds", "1")
    assert status == 1
    assert " 1 failed, " in lines[0]
    assert words in next(line for line in lines if line.startswith("FAIL"))


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "soon"])
def test_a_time_is_above_nothing(seconds, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["check-method", "sklearn.svm.LinearSVC", "--seconds", seconds])
    assert caught.value.code == 2
    assert f"a number of seconds above 0 is needed, got '{seconds}'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["nowhere.Class"],
            "'nowhere.Class': cannot import nowhere: ModuleNotFoundError: No module named 'nowhere'",
        ),
        (["Class"], "a dotted path is needed"),
        (["support.unsound_methods.Sound", "--param", "C"], "--param wants NAME=VALUE, got 'C'"),
    ],
)
def test_the_command_refuses(capfd, arguments, words):
    status, lines, error = command(capfd, *arguments)
    assert (status, lines) == (1, [])
    assert words in error


def test_a_new_method_passes_and_runs(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["new-method", "my-ranker"]) == 0
    status, lines, _ = command(capfd, "mymethods.MyRanker")
    assert status == 0, lines
    plan = Plan(configured(**yaml.safe_load((tmp_path / "my-ranker.yaml").read_text(encoding="utf-8"))))
    assert [run.method for run in plan.first_runs("wdbc")] == ["logistic-regression", "my-ranker"]
    job = plan.job(Run("wdbc", "my-ranker", 0, 0))
    dataset = make("wdbc")
    (fold, *_) = make_folds(job.protocol["kind"], dataset, 0, 0, **job.protocol["options"])
    assert run_job(job, dataset, fold, contain=False).ok
    for name, reason in (("my-ranker", "remove mymethods.py and my-ranker.yaml"), ("My", "lower-case")):
        assert main(["new-method", name]) == 1
        assert reason in capfd.readouterr().err
