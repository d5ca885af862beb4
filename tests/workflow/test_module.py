"""The workflow as a module of another one, in a folder far from the clone."""

import shutil
import subprocess

import pytest
import yaml

from attop_bench.cli.folder import benchmark
from support import ROOT, forked
from support.small_run import ONE, jobs

MODULE = """
configfile: "config/config.yaml"


module attop:
    snakefile:
        {snakefile}
    config:
        config


use rule * from attop{names}
"""
FOLDER = repr(str(ROOT / "Snakefile"))


@pytest.fixture
def deploy(tmp_path):
    """Return a function that writes a workflow that uses attop's, with a configuration of its own."""

    def deploy(snakefile=FOLDER, names="", **changes):
        (tmp_path / "Snakefile").write_text(MODULE.format(snakefile=snakefile, names=names))
        shutil.copytree(ROOT / "config", tmp_path / "config")
        config = {**ONE, "metrics": ["precision@k"], **changes}
        (tmp_path / "config/config.yaml").write_text(yaml.safe_dump(config))
        return tmp_path

    return deploy


def snakemake(folder, *arguments):
    return forked.run("snakemake", ["--cores", "2", *arguments], folder)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """The module's address in a repository, which git finds on this machine."""
    place = tmp_path / "hub/OWNER/attop"
    for name in benchmark():
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place / name)
    git = ["git", "-C", place, "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "all"]):
        subprocess.run([*git, *command], check=True)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.file://{tmp_path}/hub/.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return 'github("OWNER/attop", path="workflow/Snakefile", branch="main")'


def test_it_runs_from_a_repository(deploy, repository):
    folder = deploy(repository)
    for catalogue in ("datasets.yaml", "methods.yaml"):
        (folder / "config" / catalogue).unlink()
    status, output = snakemake(folder)
    assert status == 0, output
    assert (folder / "results/report.html").stat().st_size > 10_000
    status, output = snakemake(folder)
    assert status == 0, output
    assert "Nothing to be done" in output


def test_rules_may_have_other_names(deploy):
    status, output = snakemake(deploy(names=" as attop_*"), "--dry-run", "attop_all")
    assert status == 0, output
    assert jobs(output)["attop_train"] == 2


def test_the_catalogues_are_those_of_the_copied_configuration(deploy):
    folder = deploy(methods=["mine"])
    file = folder / "config/methods.yaml"
    file.write_text("mine: {estimator: sklearn.linear_model.LogisticRegression}\n")
    status, output = snakemake(folder, "--dry-run")
    assert status == 0, output
    assert "train mine on wdbc" in output


@pytest.mark.parametrize("here", [True, False])
def test_a_configuration_without_catalogues_has_those_beside_it_else_those_of_the_repository(deploy, here):
    folder = deploy()
    config = {key: value for key, value in ONE.items() if key != "catalogues"}
    (folder / "config/config.yaml").write_text(yaml.safe_dump(config))
    if not here:
        for catalogue in ("datasets.yaml", "methods.yaml"):
            (folder / "config" / catalogue).unlink()
    status, output = snakemake(folder, "--dry-run")
    assert status == 0, output
    assert jobs(output)["train"] == 2


def test_it_runs_from_a_folder_beside_other_rules(deploy):
    folder = deploy()
    (folder / "own.py").write_text("open(snakemake.output[0], 'w').close()\n")
    with (folder / "Snakefile").open("a") as file:
        file.write("\nrule own:\n    output: 'own.txt'\n    script: 'own.py'\n")
    shutil.copytree(ROOT / "profiles", folder / "profiles")
    evaluated = "results/evaluation/wdbc/runs.parquet"
    status, output = snakemake(folder, "own.txt", evaluated)
    assert status == 0, output
    status, output = snakemake(folder, evaluated)
    assert "Nothing to be done" in output
