"""The folder of a run: making it, running in it, and the names of its catalogues."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import attop
from attop_bench.cli.options import add_configuration, command, source


def benchmark() -> list[str]:
    """Return the files and folders of the benchmark: all that are installed, of a clone those of a wheel."""
    project = source() / "pyproject.toml"
    if not project.exists():
        return sorted(path.name for path in source().iterdir())
    wheel = tomllib.loads(project.read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    return sorted(wheel["force-include"])


def add_init(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``attop init``."""
    parser.add_argument("folder", metavar="FOLDER", help="made if need be")


def run_init(options: argparse.Namespace) -> int:
    """Write Snakefile, rules, scripts, configuration, environments and profiles of this version to a folder.

    Nothing that is there is overwritten.
    """
    folder = Path(options.folder)
    names = benchmark()
    there = [name for name in names if (folder / name).exists()]
    if there or (folder.exists() and not folder.is_dir()):
        what = f"has {', '.join(there)}" if there else "is a file"
        remedy = "give a new folder, or remove them"
        print(f"attop init: {folder} {what}, and nothing is overwritten: {remedy}", file=sys.stderr)
        return 1
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            copy = shutil.copytree if (source() / name).is_dir() else shutil.copyfile
            copy(source() / name, folder / name)
    except OSError as error:
        print(f"attop init: {folder} cannot be written: {error}", file=sys.stderr)
        return 1
    print(
        f"{folder} has the benchmark of attop {attop.__version__}: {', '.join(names)}.\nconfig/README.md "
        f"explains the configuration.\n\nNow: cd {shlex.quote(str(folder))} && snakemake --cores 16"
    )
    return 0


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``attop run``."""
    parser.add_argument(
        "configfile", nargs="*", metavar="FILE.yaml", help="its keys replace those of the default benchmark"
    )
    parser.add_argument("--config", nargs="+", default=[], metavar="KEY=VALUE", help="single keys of it")
    parser.add_argument("--cores", default="all", metavar="N", help="by default all of this machine")


def run_run(options: argparse.Namespace) -> int:
    """Run the benchmark of a configuration, in any folder: snakemake, with the workflow of this version.

    The Snakefile of this folder is used where there is one. Other options are snakemake's own.
    """
    os.execv(sys.executable, [sys.executable, "-m", *command(options, options.cores)])


def add_list(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``attop list``."""
    parser.add_argument("what", choices=["datasets", "methods", "metrics"])
    add_configuration(parser)


def run_list(options: argparse.Namespace) -> int:
    """Print data sets or methods of the catalogue, those that are run marked, or metrics, one a line."""
    from attop_bench.cli.configuration import identifier, read_catalogues, read_raw
    from attop_bench.run.config import ConfigError

    if options.what == "metrics":
        from attop.metrics._registry import METRICS

        for name, metric in METRICS.items():
            print(f"{name:18} {metric.definition}")
        custom = (read_raw(options).get("custom_metrics") if options.configfile else None) or {}
        if not isinstance(custom, Mapping):
            raise ConfigError(f"custom_metrics must map names to entries with a path, got {custom!r}")
        for name, entry in custom.items():
            print(f"{name:18} {entry.get('path', '') if isinstance(entry, Mapping) else entry}")
        return 0
    raw = read_raw(options)
    catalogues = read_catalogues(raw)
    if options.what not in catalogues:
        raise ConfigError(f"catalogues: no file is named for {options.what}")
    chosen = {identifier(entry) for entry in raw.get(options.what) or ()}
    print(f"* is run{' by ' + ', '.join(options.configfile) if options.configfile else ' by default'}\n")
    for name, entry in catalogues[options.what].items():
        about = entry if isinstance(entry, Mapping) else {}
        words = filter(None, (about.get("title"), about.get("summary")))
        print(f"{'*' if name in chosen else ' '} {name:26} {': '.join(words)}")
    return 0
