"""The plugin as Snakemake loads and feeds it."""

import logging
from types import SimpleNamespace

import pytest
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry
from snakemake_interface_logger_plugins.tests import MockOutputSettings, TestLogHandlerBase

from attop_bench.run.snakemake import WORDS, keep_words_on_groups
from snakemake_logger_plugin_attop import LogHandler


class TestInterface(TestLogHandlerBase):
    __test__ = True

    def get_log_handler_cls(self):
        return LogHandler

    def get_log_handler_settings(self):
        return None


def event(name, level=logging.INFO, message="", **told):
    return logging.makeLogRecord({"event": name, "levelno": level, "msg": message, **told})


def job(rule, wildcards, output=(), log=(), name=LogEvent.JOB_INFO, **more):
    about = {"jobid": 1, "rule_name": rule, "wildcards": wildcards, "output": output, "log": log}
    return event(name, **about, **more)


@pytest.fixture
def handler():
    found = LogHandler(MockOutputSettings(), None)
    yield found
    found.close()


def begin(handler, folder, rule, wildcards):
    where = {"report": "report.html", "manifest": str(folder / "m.json"), "configfiles": []}
    handler.emit(event("attop_todo", jobs=[(rule, wildcards)], cores=1, **where))


def fail(handler, *about):
    handler.emit(job("check", {}, *about, name=LogEvent.JOB_ERROR, rule_msg=None))


FOLD = {"dataset": "wdbc", "method": "svm", "repeat": "0", "fold": "0"}


def test_snakemake_finds_it():
    registry = LoggerPluginRegistry()
    registry.collect_plugins()
    assert registry.is_installed("attop")


@pytest.mark.parametrize(
    ("rule", "about", "text", "said"),
    [
        ("train", FOLD, '{"status": "error", "error": "no"}', "failed: svm on wdbc: error: no"),
        ("train", FOLD, '{"status": "ok", "error": "one class"}', ""),
        ("train", FOLD, '{"status": "not_applicable", "error": "one class"}', ""),
        ("train", FOLD, "{", "record.json"),  # damaged: said, and ends nothing
        ("fetch", {"dataset": "a"}, '{"unavailable": ["no"]}', "failed: fetch a: unavailable: no"),
    ],
)
def test_what_a_job_wrote_says_whether_it_failed(handler, tmp_path, capfd, rule, about, text, said):
    record = tmp_path / {"train": "record.json", "fetch": "fetch.json"}[rule]
    record.write_text(text)
    begin(handler, tmp_path, rule, about)
    handler.emit(job(rule, about, [str(record)]))
    handler.emit(event(LogEvent.JOB_STARTED, jobs=[1]))
    handler.emit(event(LogEvent.JOB_FINISHED, job_id=1))
    handler.close()
    printed = capfd.readouterr().err
    assert said in printed
    assert ("failed" in printed) == bool(said)
    assert "1 of 1 steps done" in printed


def test_the_reason_of_a_job_that_broke_off_is_the_end_of_its_log(handler, tmp_path, capfd):
    log = tmp_path / "check.log"
    log.write_text("reading\nColumnError: no column 'y'\n\n")
    begin(handler, tmp_path, "check", {})
    handler.emit(job("check", {}, [], [str(log)]))
    handler.emit(event(LogEvent.JOB_STARTED, jobs=[1]))
    fail(handler, [], [str(log)])
    assert f"failed: check: ColumnError: no column 'y' (all of it: {log})" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("free", "why"), [(100, "no space left on the disk of {}: free"), (10**9, "no reason")]
)
def test_a_full_disk_is_the_reason_of_a_job_that_could_not_say_its_own(
    free, why, handler, tmp_path, capfd, monkeypatch
):
    monkeypatch.setattr("shutil.disk_usage", lambda place: SimpleNamespace(free=free))
    begin(handler, tmp_path, "check", {})
    fail(handler, [str(tmp_path / "data/checked.json")], [str(tmp_path / "none.log")])
    assert f"failed: check: {why.format(tmp_path)}" in capfd.readouterr().err


#: What Snakemake's plugin of SLURM says of a job that sbatch refuses, and Snakemake adds.
SAID = "SLURM sbatch failed. The error message was 'sbatch: error: invalid partition: none\nsbatch: x'."
REFUSED = f"{SAID}\n    sbatch call:\n        sbatch -p none\nFor further error details see the cluster log."


@pytest.mark.parametrize("of_group", [False, True])
def test_the_reason_of_a_job_that_a_scheduler_refuses_is_its_own_sentence(of_group, handler, tmp_path, capfd):
    begin(handler, tmp_path, "train", FOLD)
    handler.emit(job("train", FOLD))
    if of_group:
        about = [{"jobid": 1, "rule_name": "train"}]
        handler.emit(event(LogEvent.GROUP_ERROR, job_error_info=about, **{WORDS: REFUSED}))
    words = None if of_group else REFUSED
    handler.emit(job("train", FOLD, name=LogEvent.JOB_ERROR, rule_msg=words))
    said = capfd.readouterr().err
    assert f"failed: svm on wdbc: {' '.join(SAID.split())}\n" in said
    assert "sbatch call" not in said


def test_the_event_of_a_group_has_the_words_of_the_scheduler(monkeypatch, caplog):
    jobs = pytest.importorskip("snakemake.jobs")
    monkeypatch.setattr(jobs.GroupJob, "log_error", jobs.GroupJob.log_error)
    keep_words_on_groups()
    group = SimpleNamespace(jobs=[], groupid="train")
    jobs.GroupJob.log_error(group, REFUSED, aux_logs=["log"], external_jobid=1)
    (record,) = caplog.records
    assert getattr(record, WORDS) == REFUSED
    assert record.aux_logs == ["log"]


def test_a_job_that_ends_because_the_run_was_stopped_has_not_failed(handler, tmp_path, capfd, monkeypatch):
    begin(handler, tmp_path, "check", {})
    monkeypatch.setattr("attop_bench.run.interrupt._status", 130)
    handler.emit(job("check", {}))
    fail(handler)
    handler.emit(
        event(None, logging.ERROR, "WorkflowError:\nAt least one job did not complete successfully.")
    )
    handler.close()
    said = capfd.readouterr().err
    assert "failed" not in said
    assert "did not complete" not in said
    assert said.endswith("Stopped. 0 of 1 steps are done; the same command goes on.\n")


def test_warnings_and_errors_pass_snakemakes_chatter_does_not(handler, capfd):
    handler.emit(event(None, message="Building DAG of jobs..."))
    handler.emit(event(None, logging.WARNING, "the lock was stale"))
    handler.emit(event(None, logging.ERROR, "The configuration cannot be run"))
    handler.emit(event(None, message="SLURM run ID: 1234"))  # jobs are cancelled by it
    handler.emit(event(None, message="Nothing to be done (all requested files are present)."))
    said = capfd.readouterr().err
    assert "Building" not in said
    places = [said.index(s) for s in ("stale", "cannot be run", "run ID: 1234", "Nothing")]
    assert places == sorted(places)


@pytest.mark.parametrize("answer", ["Congratulations, your workflow is in a good condition!", "archived x"])
def test_the_answer_of_a_command_that_runs_nothing_is_shown(handler, capfd, answer):
    for message in ("Building DAG of jobs...", answer):
        handler.emit(event(None, message=message))
    handler.close()
    assert capfd.readouterr().err == f"{answer}\n"


def test_what_is_said_before_a_run_is_not_shown(handler, tmp_path, capfd):
    handler.emit(event(None, message="Conda environments: ignored"))
    begin(handler, tmp_path, "check", {})
    handler.close()
    assert "Conda" not in capfd.readouterr().err


@pytest.mark.parametrize("option", ["dryrun", "verbose", "debug_dag"])
def test_a_dry_run_looks_as_without_it(option, capfd):
    settings = MockOutputSettings()
    setattr(settings, option, True)
    handler = LogHandler(settings, None)
    handler.emit(event(LogEvent.RUN_INFO, message="Job stats:\ntrain 3", stats={}))
    assert "Job stats:" in capfd.readouterr().err
    handler.close()
