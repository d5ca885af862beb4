"""What holds for every rule, read from the files."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest
import yaml

from support import ROOT

RULES = {
    match[1]: match[0]
    for file in sorted((ROOT / "rules").glob("*.smk"))
    for match in re.finditer(r"^ *rule (\w+):\n(?:(?!^ *rule ).*\n?)*", file.read_text(), re.MULTILINE)
}


@pytest.mark.parametrize("name", RULES)
def test_what_results_depend_on_beside_files_has_been_thought_of(name):
    assert f"**INPUTS.{name}()" in RULES[name]
    assert re.search(rf'script:\s+"../workflow/scripts/{name}.py"', RULES[name])
    assert re.search(r'conda:\s+"../envs/\w+.yaml"', RULES[name])


CONDA = """#!/bin/sh
[ "$1" = --version ] && echo "conda 24.9.2" ||
echo '{"conda_prefix": "/none", "platform": "linux-64", "get": {"channel_priority": "strict"}}'
"""


@pytest.mark.workflow
def test_conda_would_make_the_environments(tmp_path, monkeypatch):
    (tmp_path / "conda").write_text(CONDA)
    (tmp_path / "conda").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--cores", "1", "--sdm", "conda"]
    command += ["-s", ROOT / "Snakefile", "--configfile", ROOT / ".test/config/config.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    made = re.findall(r"Conda environment \S*envs/(\w+)\.yaml will be created", done.stdout + done.stderr)
    assert sorted(made) == ["data", "report", "train"]


def test_snakemakes_linter_finds_nothing():
    command = [sys.executable, "-m", "snakemake", "--lint", "--configfile", "config/config.yaml"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.workflow
@pytest.mark.skipif(not find_spec("snakemake_executor_plugin_slurm_jobstep"), reason="needs the extra slurm")
def test_a_job_of_a_cluster_starts_no_step_for_what_it_was_submitted_with(tmp_path):
    config = {"datasets": ["wdbc"], "methods": ["logistic-regression"], "trace": False}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
    command = [sys.executable, "-m", "snakemake", "--directory", tmp_path]
    command += ["--configfile", tmp_path / "config.yaml"]
    # as the plugin of SLURM submits a group
    command += ["--mode", "remote", "--executor", "slurm-jobstep", "--jobs", "1", "--force", "--nolock"]
    command += ["--allowed-rules", "prepare", "split", "--target-jobs"]
    command += ["prepare:dataset=wdbc,stage=dataset", "split:dataset=wdbc,repeat=0"]
    no_slurm = {**os.environ, "SLURM_CONF": str(tmp_path / "none"), "SLURM_JOB_ID": "1"}
    done = subprocess.run(command, cwd=ROOT, env=no_slurm, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "results/data/wdbc/folds/repeat0.npz").exists()


def test_all_that_is_submitted_runs_within_its_job():
    files = [ROOT / "workflow/Snakefile", *(ROOT / "rules").glob("*.smk")]
    local = [
        name
        for file in files
        for names in re.findall(r"localrules:\n((?: +\w+,\n)+)", file.read_text())
        for name in re.findall(r"\w+", names)
    ]
    assert sorted(local) == sorted([*RULES, "all"])
