"""workflow/Snakefile, which catalogues look for, runs the root's with the configuration of .test."""

import os
import shutil
import subprocess
import sys

import pytest

from support import ROOT


@pytest.mark.workflow
def test_the_entry_of_catalogues_plans_the_whole_run(tmp_path):
    for name in ("Snakefile", "rules", "workflow", "config", "profiles", ".test"):
        source = ROOT / name
        shutil.copytree(source, tmp_path / name) if source.is_dir() else shutil.copy(source, tmp_path)
    options = ["-s", "workflow/Snakefile", "--configfile", ".test/config/config.yaml", "--cores", "2", "-n"]
    found = subprocess.run(
        [sys.executable, "-c", "from snakemake.cli import main; main()", *options],
        cwd=tmp_path, env=os.environ, capture_output=True, text=True,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert "report" in found.stdout + found.stderr
    assert "Nothing to be done" not in found.stdout + found.stderr
