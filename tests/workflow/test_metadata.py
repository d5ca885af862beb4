"""What is said of the package in more than one place is the same in all."""

import re
import tomllib

import pytest
import yaml

import attop
from support import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RECIPE = (ROOT / "envs/conda/recipe.yaml").read_text()
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
    python = f"python{PROJECT['requires-python']}"
    assert bounds(asked["run"]) == bounds(PROJECT["dependencies"]) | {python}
    assert bounds(asked["run_constraints"]) <= bounds(PROJECT["optional-dependencies"]["workflow"])


@pytest.mark.parametrize("name", ["data", "train", "report"])
def test_environments_of_rules_ask_for_what_the_package_asks_for(name):
    *asked, pip = yaml.safe_load((ROOT / f"envs/{name}.yaml").read_text())["dependencies"]
    extras = PROJECT["optional-dependencies"]
    known = bounds(PROJECT["dependencies"] + extras["workflow"] + extras["cvxpy"] + extras["boosters"])
    assert bounds(PROJECT["dependencies"]) <= bounds(asked)
    assert bounds(asked) <= known | {"pip", f"python{PROJECT['requires-python']}"}
    assert bounds(pip["pip"]) == {f"attop=={attop.__version__}"}


def test_the_oldest_versions_that_are_tested_are_the_oldest_allowed():
    lines = (ROOT / "constraints/oldest.txt").read_text().splitlines()
    tested = {line.replace("==", ">=").removesuffix(".*") for line in lines if not line.startswith("#")}
    assert tested <= bounds(PROJECT["dependencies"] + PROJECT["optional-dependencies"]["workflow"])
    (least,) = re.findall(r'min_version\("(.*)"\)', (ROOT / "workflow/Snakefile").read_text())
    assert f"snakemake>={least}" in tested


def test_conda_reads_the_recipe():
    rattler = pytest.importorskip("rattler_build", reason="py-rattler-build reads recipes")
    (rendered,) = rattler.Stage0Recipe.from_yaml(RECIPE).render(rattler.VariantConfig())
    assert rendered.recipe.to_dict()["package"] == {"name": "attop", "version": attop.__version__}
