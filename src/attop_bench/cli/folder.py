"""The folder of a run: making it, running in it, and the names of its catalogues."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tomllib
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import attop
from attop_bench.cli.options import OutputError, add_configuration, command, source
from attop_bench.files import write_text

#: Snakemake, which imports for a second: Ctrl-C ends it without a traceback from the beginning.
_SNAKEMAKE = """
import sys
from attop_bench.run.interrupt import heed_interrupt, importing
with importing():
    from snakemake.cli import main
heed_interrupt()
sys.argv[0] = "snakemake"
main()
"""


def benchmark() -> list[str]:
    """List the files and folders of the benchmark: all that are installed, of a clone those of a wheel."""
    project = source() / "pyproject.toml"
    if not project.exists():
        return sorted(path.name for path in source().iterdir())
    wheel = tomllib.loads(project.read_text(encoding="utf-8"))["tool"]["hatch"][
        "build"
    ]["targets"]["wheel"]
    return sorted(
        name for name, to in wheel["force-include"].items() if "/benchmark/" in to
    )


def add_init(parser: ArgumentParser) -> None:
    """Add the options of ``attop init``."""
    parser.add_argument("folder", metavar="FOLDER", help="made if need be")


def run_init(options: Namespace) -> int:
    """Write Snakefile, rules, scripts, configuration, environments and profiles of this version to a folder.

    Nothing that is there is overwritten.
    """
    folder = Path(options.folder)
    names = benchmark()
    obstacles = [name for name in names if (folder / name).exists()]
    if obstacles or (folder.exists() and not folder.is_dir()):
        what = f"has {', '.join(obstacles)}" if obstacles else "is a file"
        raise OutputError(
            f"{folder} {what}, and nothing is overwritten: give a new folder, or remove them"
        )
    if (folder / "report.html").exists():
        raise OutputError(
            f"{folder} has the report of a run: give a new folder, in which runs have folders of their own"
        )
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        copy = shutil.copytree if (source() / name).is_dir() else shutil.copyfile
        copy(source() / name, folder / name)
    profiles = folder / "workflow/profiles"
    # Snakemake looks for profiles in the folder of the Snakefile that it is given.
    if not profiles.exists():
        profiles.symlink_to("../profiles")
    print(
        f"{folder} has the benchmark of attop {attop.__version__}: {', '.join(names)}.\nconfig/README.md "
        f"explains the configuration.\n\nNow: cd {shlex.quote(str(folder))} && snakemake --cores 16"
    )
    return 0


def add_new_method(parser: ArgumentParser) -> None:
    """Add the options of ``attop new-method``."""
    parser.add_argument(
        "name",
        metavar="NAME",
        help="lower-case words joined by -, such as my-ranker",
    )


def run_new_method(options: Namespace) -> int:
    """Write a method of your own to begin with, and a configuration that runs it.

    mymethods.py has a small class that passes attop check-method; NAME.yaml compares it with logistic
    regression. Nothing that is there is overwritten.
    """
    name = options.name
    files = {"mymethods.py": "mymethods.py", f"{options.name}.yaml": "method.yaml"}
    if not re.fullmatch("[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise OutputError(
            f"a name is lower-case words joined by -, such as my-ranker, got {name!r}"
        )
    if obstacles := [file for file in files if Path(file).exists()]:
        raise OutputError(
            f"nothing is overwritten: remove {' and '.join(obstacles)}, or go to another folder"
        )
    kind = "".join(word.capitalize() for word in name.split("-"))
    for file, template in files.items():
        text = (Path(__file__).parent / "templates" / f"{template}.txt").read_text(
            encoding="utf-8"
        )
        write_text(
            file, text.replace("NewMethod", kind).replace("new-method", name)
        )
    print(
        f"Written: {', '.join(files)}. Edit them as you like. Next:\n"
        f"  PYTHONPATH=. attop check-method mymethods.{kind}\n  attop run {name}.yaml"
    )
    return 0


def add_run(parser: ArgumentParser) -> None:
    """Add the options of ``attop run``."""
    add_configuration(parser, by_position=True)
    parser.add_argument(
        "--cores", default="all", metavar="N", help="by default all of this machine"
    )
    parser.add_argument(
        "-n", "--dry-run", action="store_true", help="only say what would be done"
    )


def run_run(options: Namespace) -> int:
    """Run the benchmark of a configuration, in any folder: snakemake, with the workflow of this version.

    The Snakefile of this folder is used where there is one. For other options call snakemake itself.
    """
    if missing := [file for file in options.configfile if not Path(file).is_file()]:
        raise OutputError(
            f"there is no file {missing[0]} in {os.getcwd()}: give the path of a configuration"
        )
    # It would be a sentence of Python's in the place of this process.
    if find_spec("snakemake") is None:
        raise ModuleNotFoundError("No module named 'snakemake'", name="snakemake")
    _, *words = command(options, options.cores)
    words += ["--dry-run"] * options.dry_run
    os.execv(sys.executable, [sys.executable, "-c", _SNAKEMAKE, *words])


def add_list(parser: ArgumentParser) -> None:
    """Add the options of ``attop list``."""
    parser.add_argument("what", choices=["datasets", "methods", "metrics"])
    add_configuration(parser)


def run_list(options: Namespace) -> int:
    """Print data sets or methods of the catalogue, those that are run marked, or metrics, one a line."""
    from attop_bench.cli.configuration import identifier, read_catalogues, read_raw
    from attop_bench.run.config import ConfigError

    if options.what == "metrics":
        from attop.metrics import METRICS

        for name, metric in METRICS.items():
            print(f"{name:18} {metric.definition}")
        custom = (
            read_raw(options).get("custom_metrics") if options.configfile else None
        ) or {}
        if not isinstance(custom, Mapping):
            raise ConfigError(
                f"custom_metrics must map names to entries with a path, got {custom!r}"
            )
        for name, entry in custom.items():
            path = entry.get("path", "") if isinstance(entry, Mapping) else entry
            print(f"{name:18} {path}")
        return 0
    raw = read_raw(options)
    catalogues = read_catalogues(raw)
    if options.what not in catalogues:
        raise ConfigError(f"catalogues: no file is named for {options.what}")
    chosen = {identifier(entry) for entry in raw.get(options.what) or ()}
    by = (
        f"by {', '.join(options.configfile)}"
        if options.configfile
        else "by default"
    )
    print(f"* is run {by}\n")
    for name, entry in catalogues[options.what].items():
        facts = entry if isinstance(entry, Mapping) else {}
        words = filter(None, (facts.get("title"), facts.get("summary")))
        mark = "*" if name in chosen else " "
        print(f"{mark} {name:26} {': '.join(words)}")
    return 0
