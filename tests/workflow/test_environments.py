"""Jobs find attop, and what lies beside the Snakefile, also in an environment of their own."""

import os
import subprocess
import sys

import pytest

from support.small_run import snakemake

BOOSTERS = ("lightgbm", "xgboost")
CONDA = f"""#!{sys.executable}
import json, sys, venv
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
import yaml
from packaging.requirements import Requirement

if sys.argv[1] == "--version":
    print("conda 24.9.2")
elif sys.argv[1] != "env":
    about = {{"platform": "linux-64", "get": {{"channel_priority": "strict"}}}}
    print(json.dumps({{"conda_prefix": str(Path(__file__).parents[1]), **about}}))
else:
    options = dict(zip(sys.argv, sys.argv[1:]))
    for line in yaml.safe_load(Path(options["--file"]).read_text())["dependencies"]:
        if isinstance(line, dict):
            sys.exit(f"pip has no {{line}}")
        asked = Requirement(line.replace("-base", ""))
        try:
            found = sys.version.split()[0] if asked.name == "python" else version(asked.name)
        except PackageNotFoundError:
            if asked.name in {BOOSTERS}:  # of an extra, and no job here needs them
                continue
            sys.exit(f"conda has no {{asked}}")
        if found not in asked.specifier:
            sys.exit(f"conda has {{found}} of {{asked}}")
    home = Path(options["--prefix"])
    venv.create(home, symlinks=True)
    (packages,) = home.glob("lib/*/site-packages")
    # the machine's, but for editable ones, such as attop, whose own .pth counts where it lies alone
    (packages / "machine.pth").write_text("\\n".join(p for p in sys.path if p.endswith("-packages")))
"""
ACTIVATE = 'echo "$1" >> "$(dirname "${BASH_SOURCE[0]}")/../activated"; . "$1/bin/activate"\n'


@pytest.fixture
def conda(tmp_path, monkeypatch):
    """A stand-in for conda, which makes virtual environments; return its folder."""
    folder = tmp_path / "conda"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/conda").write_text(CONDA)
    (folder / "bin/conda").chmod(0o755)
    (folder / "bin/activate").write_text(ACTIVATE)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}:{os.environ['PATH']}")
    return folder


SPLIT = {"kind": "holdout", "options": {"train": 0.7, "inner_folds": 2}}
OF_STUDIES = {"id": "of-studies", "estimator": "studies.board.models.AATPOnSample"}


def test_each_rule_runs_in_its_environment(conda, tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)  # nothing of the clone is found but by the Snakefile
    config = {
        "datasets": [{"id": "wdbc", "protocol": SPLIT, "tops": [{"k": 10}]}],
        "methods": [OF_STUDIES],
        "metrics": ["precision@k"],
        "trace": False,
    }
    status, output = snakemake(tmp_path, "--cores", "2", "--sdm", "conda", config=config)
    assert status == 0, output
    assert (tmp_path / "results/report.html").exists()
    homes = set((conda / "activated").read_text().split())
    assert len(homes) == 3
    for home in homes:
        alone = subprocess.run([f"{home}/bin/python", "-P", "-c", "import attop"], capture_output=True)
        assert b"No module named 'attop'" in alone.stderr
