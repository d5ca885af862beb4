"""What is used of Snakemake beyond its documentation: as it is there, and a run without any of it."""

import logging
from pathlib import Path
from types import SimpleNamespace

import pytest
import snakemake.common
import snakemake.logging
from snakemake.common import get_function_params
from snakemake.script import PythonScript, ScriptBase
from snakemake_interface_logger_plugins.tests import MockOutputSettings

from attop_bench.run import snakemake as internals
from support.small_run import SMALL
from support.small_run import snakemake as run

HERE = str(Path(__file__).parent)


def thing(path, value):
    """An object with one attribute, of one attribute, ..."""
    for name in reversed(path.split(".")):
        value = SimpleNamespace(**{name: value})
    return value


def job(rule, **wildcards):
    return SimpleNamespace(rule=SimpleNamespace(name=rule), wildcards_dict=wildcards)


CASES = [
    (internals.folder_of_file, "current_basedir.get_path_or_uri", lambda secret_free: "a/b", "a/b", HERE),
    (internals.is_main, "is_main_process", True, True, False),
    (internals.is_module, "modifier.is_main_snakefile", lambda: False, True, False),
    (internals.on_cluster, "remote_exec", True, True, False),
    (internals.is_limited, "global_resources", {"_cores": 2}, False, True),
    (internals.is_limited, "resource_settings.nodes", 3, True, True),
    (internals.at_a_time, "resource_settings.cores", 4, 4, 1),
    (internals.attempts, "execution_settings.retries", 2, 3, None),
    (internals.configfiles, "overwrite_configfiles", ["a.yaml"], ["a.yaml"], []),
    (
        internals.jobs_to_do,
        "dag.needrun_jobs",
        lambda: [job("train", fold="1")],
        [("train", {"fold": "1"})],
        [],
    ),
]


@pytest.mark.parametrize(("function", "path", "value", "expected", "without"), CASES)
def test_an_attribute_is_used_where_it_is_there(function, path, value, expected, without):
    assert function(thing(path, value)) == expected
    assert function(SimpleNamespace()) == without


def test_only_snakemakes_own_limit_of_starts_goes():
    for limit, timespan in ((100, 1), (5, 1)):
        limiter = SimpleNamespace(max_jobs=limit, timespan=timespan)
        workflow = thing("scheduler.job_rate_limiter", limiter)
        internals.start_without_limit(workflow)
        assert workflow.scheduler.job_rate_limiter == (None if limit == 100 else limiter)
    internals.start_without_limit(SimpleNamespace())


@pytest.mark.parametrize(
    ("script", "source", "container", "command"),
    [
        ("train.py", "import attop_bench", None, "python -ISc"),
        ("report.py", "import attop_bench", None, "python"),
        ("train.py", "of another workflow", None, "python"),
        ("train.py", "import attop_bench", "image", "python"),
    ],
)
def test_own_scripts_are_handed_to_servers(monkeypatch, script, source, container, command):
    monkeypatch.setattr(ScriptBase, "_execute_cmd", lambda self, command, **given: given["py_exec"])
    monkeypatch.setattr(PythonScript, "_execute_cmd", None, raising=False)
    internals.hand_to_servers(["train"], "module")
    started = SimpleNamespace(
        path=SimpleNamespace(get_filename=lambda: script),
        source=source,
        container_img=container,
        resources={"cpus_per_task": 3},
    )

    def start():
        return PythonScript._execute_cmd(started, "{py_exec} {fname:q}", py_exec="python", fname="script")

    assert start().startswith(command)
    assert ("-ISc" in start()) == (command != "python")
    assert ("default_int_handler" in start()) == (script == "report.py")
    monkeypatch.setenv("SLURM_CPUS_PER_TASK", "3")
    assert ("OMP_NUM_THREADS=3 " in start()) == (command != "python")


def test_parameters_of_a_function_are_kept(monkeypatch):
    def minutes(wildcards, attempt):
        return attempt

    kept = get_function_params(internals.asked_often(minutes))
    assert list(kept) == ["wildcards", "attempt"]
    monkeypatch.delattr(snakemake.common, "overwrite_function_params")
    assert internals.asked_often(len) is len


def test_snakemakes_own_text_is_printed_with_its_classes_or_without(monkeypatch):
    assert isinstance(internals.plain_handler(MockOutputSettings()), snakemake.logging.ColorizingTextHandler)
    monkeypatch.delattr(snakemake.logging, "DefaultFilter")
    assert type(internals.plain_handler(MockOutputSettings())) is logging.StreamHandler


WITHOUT = """
import snakemake.common
from snakemake.cli import main
from attop_bench.run import snakemake as internals

internals.of = lambda thing, path, default=None: default
del snakemake.common.overwrite_function_params
"""


@pytest.mark.workflow
def test_the_benchmark_runs_without_any_of_it(tmp_path):
    config = {**SMALL, "datasets": SMALL["datasets"][:1], "methods": SMALL["methods"][2:]}
    scores = "results/train/wdbc/logistic-regression/repeat0-fold0/scores.npz"
    (tmp_path / "without.py").write_text(WITHOUT)
    status, output = run(tmp_path, "--cores", "2", scores, config=config, program="without")
    assert status == 0, output
    assert (tmp_path / scores).exists()
