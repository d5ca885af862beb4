"""What holds for every rule, read from the files."""

import re
import subprocess
import sys

import pytest

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


def test_snakemakes_linter_finds_nothing_but_that_jobs_run_in_its_own_environment():
    command = [sys.executable, "-m", "snakemake", "--lint"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    found = set(re.findall(r"^ +\* (.*)$", done.stderr, re.MULTILINE))
    assert found == {"Specify a conda environment or container for each rule.:"}, done.stderr
