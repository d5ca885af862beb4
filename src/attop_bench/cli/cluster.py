"""Whether jobs can be submitted to SLURM from here.

Without it, a missing plugin is an invalid choice of an option of Snakemake's, and says nothing of the remedy.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from attop_bench.cli.finding import Finding

__all__ = ["check_slurm"]

_PLUGIN = "snakemake-executor-plugin-slurm"
_PATIENCE = 10.0  # seconds


def check_slurm() -> Iterator[Finding]:
    """Look for SLURM, for Snakemake's plugin, and whether the controller answers."""
    if shutil.which("sbatch") is None:
        yield Finding(
            "ok", "SLURM", "not on this machine (no sbatch): jobs run here, or start on a login node"
        )
        return
    try:
        yield Finding("ok", "SLURM", f"sbatch is there, {_PLUGIN} {version(_PLUGIN)}")
    except PackageNotFoundError:
        fix = 'python -m pip install -e ".[slurm]"'
        yield Finding("warn", "SLURM", f"sbatch is there, but not {_PLUGIN}", fix)
    try:
        asked = subprocess.run(
            ["sinfo", "--noheader", "--format=%R %a %D"],
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
        complaints = asked.stderr.strip().splitlines() or [f"it ended with status {asked.returncode}"]
        failed = complaints[-1] if asked.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        failed = str(error)
    if failed:
        fix = "ask whoever runs the cluster; docs/cluster.md says what is needed"
        yield Finding("warn", "SLURM", f"sinfo does not answer: {failed}", fix)
        return
    partitions = [line.split() for line in asked.stdout.splitlines() if line.strip()]
    told = ", ".join(f"{name} ({state}, {nodes} nodes)" for name, state, nodes in partitions)
    yield Finding("ok", "SLURM", f"partitions {told}: snakemake --profile slurm")
