"""A folder to run the benchmark in: the workflow of the installed version, outside a clone."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from pathlib import Path

import attop

__all__ = ["BENCHMARK", "init", "source"]

#: What a folder needs for `snakemake` and ``snakemake --profile slurm``.
BENCHMARK = ("Snakefile", "rules", "workflow", "config", "profiles", "slurm")


def init(options: argparse.Namespace) -> int:
    """Write the workflow to a folder; nothing that is there is touched."""
    folder = Path(options.folder)
    there = [name for name in BENCHMARK if (folder / name).exists()]
    if there or (folder.exists() and not folder.is_dir()):
        what = f"has {', '.join(there)}" if there else "is a file"
        print(
            f"attop init: {folder} {what}, and nothing is overwritten: give a new folder, or remove them",
            file=sys.stderr,
        )
        return 1
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in BENCHMARK:
            copy = shutil.copytree if (source() / name).is_dir() else shutil.copyfile
            copy(source() / name, folder / name)
    except OSError as error:
        print(f"attop init: {folder} cannot be written: {error}", file=sys.stderr)
        return 1
    print(
        f"{folder} has the benchmark of attop {attop.__version__}: {', '.join(BENCHMARK)}.\n"
        f"config/README.md explains the configuration.\n\n"
        f"Now: cd {shlex.quote(str(folder))} && snakemake --cores 16"
    )
    return 0


def source() -> Path:
    """Return the folder of the workflow: the clone, or what lies beside the installed package."""
    beside = Path(attop.__file__).parents[1]
    clone = beside.parent
    return clone if (clone / "Snakefile").is_file() else beside / "attop_benchmark"
