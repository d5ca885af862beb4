"""What a method asks for, on its way to Snakemake and to a cluster."""

import json
import subprocess
import sys

import pytest
import yaml

from support import ROOT
from support.small_run import SMALL

pytestmark = pytest.mark.workflow

#: Plans a run, as a dry run does, and prints what each method's training gets.
PLAN = """
import contextlib, json, sys
from pathlib import Path
from snakemake.api import ConfigSettings, OutputSettings, ResourceSettings, SnakemakeApi
from snakemake.settings.types import Quietness

snakefile, folder, cores = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
    workflow = api.workflow(
        resource_settings=ResourceSettings(cores=cores),
        config_settings=ConfigSettings(configfiles=[folder / "config.yaml"]),
        snakefile=snakefile,
        workdir=folder,
    )
    with contextlib.redirect_stdout(sys.stderr):
        workflow.dag().summary()
    train = [job for job in workflow._workflow.dag.jobs if job.rule.name == "train"]
    names = "cpus_per_task", "gpu"
    print(json.dumps({j.wildcards.method: [j.threads, *map(j.resources.get, names)] for j in train}))
"""


def planned(folder, cores, **resources):
    """Return threads, cpus_per_task and gpu of the training jobs of each method."""
    methods = [{"id": "sgd-avg", "resources": resources}, "logistic-regression"]
    (folder / "config.yaml").write_text(yaml.safe_dump({**SMALL, "methods": methods}))
    command = [sys.executable, "-c", PLAN, str(ROOT / "Snakefile"), str(folder), str(cores)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=600)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_method_gets_the_threads_and_gpus_it_asks_for(tmp_path):
    asked = {"threads": 4, "gpus": 1}
    assert planned(tmp_path, 8, **asked) == {"sgd-avg": [4, 4, 1], "logistic-regression": [1, 1, 0]}
    # The SLURM profile counts one core, and asks for processors by cpus_per_task.
    assert planned(tmp_path, 1, **asked) == {"sgd-avg": [1, 4, 1], "logistic-regression": [1, 1, 0]}


def test_without_a_wish_nothing_is_asked_for(tmp_path):
    assert planned(tmp_path, 8) == {"sgd-avg": [1, None, None], "logistic-regression": [1, None, None]}
