"""Lines and files are at most those that pyproject.toml allows: growth is a decision somebody writes down."""

import subprocess
import tomllib

import pytest

from support import ROOT

BUDGET = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["attop"]["budget"]
CODE = ("*.py", "*.js", "*.smk", "Snakefile")

#: Patterns of git of the files each figure is about.
PARTS = {
    "src": ["src/*.py"],
    "src/attop": ["src/attop/*.py"],
    "tests": ["tests/*.py"],
    "js": ["*.js"],
    "outside tests": [*CODE, ":!tests/*"],
}


@pytest.mark.parametrize("part", PARTS)
def test_size_is_within_the_budget(part):
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *PARTS[part]], cwd=ROOT, capture_output=True, check=False
    )
    files = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    if listed.returncode or not files:
        pytest.skip("the files are listed by git, and this is no clone")
    size = {
        "files": len(files),
        "lines": sum(file.read_bytes().count(b"\n") for file in files if file.exists()),
    }
    for what, most in BUDGET[part].items():
        assert size[what] <= most, (
            f"{part} has {size[what]:,} {what}, the budget allows {most:,}: take something away, or raise "
            "the figure in pyproject.toml, [tool.attop.budget], with the reason beside it"
        )
    assert set(BUDGET) == set(PARTS)
