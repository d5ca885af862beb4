"""What holds for every rule; what is said of the package in more than one place is the same in all."""

import os
import re
import shutil
import tomllib
from importlib.util import find_spec

import pytest
import yaml

import attop
from support import ROOT, forked
from support.small_run import jobs

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


def test_snakemakes_linter_finds_nothing():
    status, output = forked.run("snakemake", ["--lint", "--configfile", "config/config.yaml"], ROOT)
    assert status == 0, output
    assert "your workflow is in a good condition" in output


@pytest.mark.workflow
@pytest.mark.skipif(not find_spec("snakemake_executor_plugin_slurm_jobstep"), reason="needs the extra slurm")
def test_a_job_of_a_cluster_starts_no_step_for_what_it_was_submitted_with(tmp_path):
    config = {"datasets": ["many-users"], "methods": ["logistic-regression"], "trace": False}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
    options = ["--directory", tmp_path, "--configfile", tmp_path / "config.yaml"]
    # as the plugin of SLURM submits a group
    options += ["--mode", "remote", "--executor", "slurm-jobstep", "--jobs", "1", "--force", "--nolock"]
    options += ["--allowed-rules", "prepare", "split", "--target-jobs"]
    options += ["prepare:dataset=many-users,stage=dataset", "split:dataset=many-users,repeat=0"]
    no_slurm = {**os.environ, "SLURM_CONF": str(tmp_path / "none"), "SLURM_JOB_ID": "1", "ATTOP_WARM": "0"}
    status, output = forked.run("snakemake", options, ROOT, no_slurm)
    assert status == 0, output
    assert (tmp_path / "results/data/many-users/folds/repeat0.npz").exists()


def test_all_that_is_submitted_runs_within_its_job():
    local = {name: re.findall(r"^ *localrule: (\w+)$", text, re.MULTILINE) for name, text in RULES.items()}
    assert local == {name: ["True" if name in ("fetch", "report") else "CLUSTER_JOB"] for name in RULES}


@pytest.mark.workflow
def test_the_entry_of_catalogues_plans_the_whole_run(tmp_path):
    for name in ("Snakefile", "rules", "workflow", "config", "profiles", ".test"):
        source = ROOT / name
        shutil.copytree(source, tmp_path / name) if source.is_dir() else shutil.copy(source, tmp_path)
    options = ["-s", "workflow/Snakefile", "--configfile", ".test/config/config.yaml", "--cores", "2", "-n"]
    status, output = forked.run("snakemake", options, tmp_path)
    assert status == 0, output
    assert "report" in jobs(output)


def test_the_entry_of_catalogues_reads_the_profile_wherever_it_is_called(tmp_path):
    """Without it Snakemake refuses to go on after a kill."""
    options = ["-s", ROOT / "workflow/Snakefile", "--directory", tmp_path, "--list-rules"]
    status, output = forked.run("snakemake", options, tmp_path)
    assert status == 0, output
    assert f"profile {ROOT}/workflow/profiles/default" in output
    assert (ROOT / "workflow/profiles").resolve() == ROOT / "profiles"


@pytest.mark.skipif(not find_spec("snakemake_executor_plugin_slurm"), reason="needs the extra slurm")
def test_the_dry_run_of_the_cluster_page_shows_what_would_be_submitted(tmp_path):
    page = (ROOT / "docs/cluster.md").read_text()
    (command,) = re.findall(r"^snakemake (.*--dry-run.*)$", page, re.MULTILINE)
    options = ["--directory", tmp_path, "--configfile", ROOT / ".test/config/config.yaml"]
    status, output = forked.run("snakemake", [*command.split(), *options], ROOT)
    assert status == 0, output
    assert jobs(output)["train"] == 20
    assert "Group job train" in output


def test_profiles_of_clusters_differ_in_how_jobs_are_submitted_alone():
    slurm, other = (
        yaml.safe_load((ROOT / p / "profile.yaml").read_text()) for p in ("slurm", "profiles/cluster")
    )
    assert "groups" in slurm
    assert {key for key in slurm.keys() & other.keys() if slurm[key] != other[key]} == {"executor"}


PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
PYTHON = f"python{PROJECT['requires-python']}"
RECIPE = (ROOT / "packaging/recipe.yaml").read_text()
#: Packages that conda-forge also has without what draws windows, and without the plugins.
LEAN = re.compile(r"(matplotlib|seaborn)-base|(snakemake)-minimal")


def bounds(requirements):
    """Return the requirements without blanks, under PyPI's names."""
    return {LEAN.sub(r"\1\2", re.sub(r"\s", "", r)) for r in requirements}


def test_one_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    recipe = yaml.safe_load(RECIPE)["context"]["version"]
    bibliography = (ROOT / "src/attop_bench/references.bib").read_text()
    assert {str(citation["version"]), str(recipe)} == {attop.__version__}
    assert f"version = {{{attop.__version__}}}" in bibliography.partition("\n\n")[0]


def test_the_recipe_asks_for_what_the_package_asks_for():
    asked = yaml.safe_load(RECIPE)["requirements"]
    assert bounds(asked["host"]) == bounds(PYPROJECT["build-system"]["requires"]) | {PYTHON, "pip"}
    environment = yaml.safe_load((ROOT / "packaging/environment.yaml").read_text())
    assert bounds(environment["dependencies"]) == {PYTHON, "pip"}
    assert bounds(asked["run"]) == bounds(PROJECT["dependencies"]) | {PYTHON}
    assert bounds(asked["run_constraints"]) <= bounds(PROJECT["optional-dependencies"]["workflow"])


@pytest.mark.parametrize("name", ["data", "train", "report"])
def test_environments_of_rules_ask_for_what_the_package_asks_for(name):
    asked = bounds(yaml.safe_load((ROOT / f"envs/{name}.yaml").read_text())["dependencies"])
    extras = PROJECT["optional-dependencies"]
    known = bounds(PROJECT["dependencies"] + extras["workflow"] + extras["cvxpy"] + extras["boosters"])
    assert bounds(PROJECT["dependencies"]) | {PYTHON} <= asked <= known | {PYTHON}


def test_the_oldest_versions_that_are_tested_are_the_oldest_allowed():
    lines = (ROOT / "packaging/oldest.txt").read_text().splitlines()
    tested = {line.replace("==", ">=").removesuffix(".*") for line in lines if not line.startswith("#")}
    allowed = bounds(PROJECT["dependencies"] + PROJECT["optional-dependencies"]["workflow"])
    assert tested <= {bound.partition(",")[0] for bound in allowed}
    (least,) = re.findall(r'min_version\("(.*)"\)', (ROOT / "workflow/Snakefile").read_text())
    assert f"snakemake>={least}" in tested
