"""The words and options of the command line. Imports nothing heavy: help and completion need no more."""

from __future__ import annotations

import argparse

from attop import __version__
from attop_bench.cli.configuration_options import add_configuration
from attop_bench.cli.table_options import add_deploy, add_look, add_rescore, add_score
from attop_bench.statuses import FAILED

__all__ = ["build_parser"]


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; the word is in ``command``."""
    parser = argparse.ArgumentParser(
        prog="attop",
        description="Look at your data, plan and repair runs of the benchmark, take the best model away. The "
        "run itself is `snakemake --cores N`.",
        epilog="Run it where you run snakemake: in the folder of the Snakefile, which attop init makes.",
    )
    parser.add_argument("--version", action="version", version=f"attop {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    add_look(commands)

    init = commands.add_parser(
        "init",
        help="make a folder to run the benchmark in",
        description="Write Snakefile, rules, scripts, configuration and profiles of this version to a "
        "folder. Nothing that is there is overwritten.",
    )
    init.add_argument("folder", metavar="FOLDER", help="made if need be")

    plan = commands.add_parser(
        "plan",
        help="what a run will do and take, before it starts",
        description="Say how many training jobs each method has on each data set, which are done, how long "
        "those to do will take, how much is to be downloaded and written, and how long one job may last. "
        "Times are those of jobs that are done; where there are none the time is unknown. Runs nothing.",
    )
    plan.add_argument(
        "--cores", type=int, metavar="N", help="cores of the run; by default those of this machine"
    )
    add_configuration(plan)

    status = commands.add_parser("status", help="what is done, what failed and why, what is left")
    add_configuration(status)

    retry = commands.add_parser(
        "retry",
        help="clear failed runs and downloads, so that they run again",
        description="Remove the outputs of training runs that failed (status error, timeout, memory or "
        "diverged) and the receipts of failed downloads. Nothing else is touched.",
    )
    add_configuration(retry)
    retry.add_argument("--dataset", help="only this data set")
    retry.add_argument("--method", help="only this method")
    retry.add_argument("--status", choices=FAILED, help="only this status")

    add_deploy(commands)
    add_score(commands)
    add_rescore(commands)

    gap = commands.add_parser(
        "gap",
        help="whether there is anything to gain at the top of a table of yours, and by what",
        description="Compare on held-out rows a tuned logistic regression with boosting, a forest and the "
        "same linear model refined for the top; say in a sentence whether there is anything to gain, by a "
        "richer model or by training for the top, and how many rows it takes to tell. Needs no "
        "configuration.",
    )
    gap.add_argument("table", metavar="FILE", help="one row an item: CSV, Parquet, SVMlight, NPZ or ARFF")
    gap.add_argument("--label", required=True, metavar="COLUMN", help="which holds two values")
    gap.add_argument(
        "--top", required=True, metavar="100", help="items at the top, or a share such as tau=0.01"
    )
    gap.add_argument(
        "--positive", metavar="VALUE", help="of the label, or a comparison such as '>= 3'; else the rarer one"
    )
    gap.add_argument("--group", metavar="COLUMN", help="user or query of a row: each has a top of its own")
    gap.add_argument(
        "--drop", metavar="COLUMN", nargs="+", default=[], help="no features: names, or numbers from 1"
    )
    gap.add_argument("--jobs", type=int, default=1, metavar="N", help="fits at the same time (default: 1)")

    fit = commands.add_parser(
        "fit",
        help="train one method on one data set here and now, to look at it or to debug it",
        description="Run one training job in this process: the same data, parts, settings and random numbers "
        "as the benchmark's own, but without a limit of time or memory and without a supervisor, so that "
        "breakpoint() works and errors come with their traceback. The benchmark's results are not touched.",
    )
    fit.add_argument("dataset", metavar="DATASET", help="its name; attop list datasets prints all")
    fit.add_argument("method", metavar="METHOD", help="its name; attop list methods prints all")
    fit.add_argument(
        "--repeat", type=int, default=0, metavar="N", help="repeat of the split, from 0 (default)"
    )
    fit.add_argument("--fold", type=int, default=0, metavar="N", help="fold of the split, from 0 (default)")
    fit.add_argument(
        "--top",
        action="append",
        default=[],
        metavar="k=10",
        help="train for this top alone, such as k=10, 'k=100 of 30000', tau=0.05 or kappa=0.25; "
        "may be given again",
    )
    fit.add_argument(
        "--pdb", action="store_true", help="when it fails, or at Ctrl-C, start Python's debugger where it was"
    )
    fit.add_argument("--save", metavar="FOLDER", help="write scores.npz and record.json to this folder")
    add_configuration(fit)

    names = commands.add_parser("list", help="the names there are: of data sets, methods or metrics")
    names.add_argument("what", choices=["datasets", "methods", "metrics"])
    add_configuration(names)

    doctor = commands.add_parser(
        "doctor",
        help="whether this machine is ready for a run, and what to do if not",
        description="Look at Python, its packages, cores and threads, graphics, the configuration, its "
        "folders, mirror and downloads, and SLURM. `ok`: fine; `warn`: a run goes on, but not with all; "
        "`FAIL`: no run is possible, and the exit status is 1. What to do follows after ->. Changes nothing.",
    )
    add_configuration(doctor)

    method = commands.add_parser(
        "check-method",
        help="whether a class of your own is a method the benchmark can work with",
        description="Run the checks that every method here passes on any class with scikit-learn's "
        "interface, each in a process of its own. The exit status is 1 if one fails.",
    )
    method.add_argument("path", metavar="PATH.TO.CLASS", help="dotted path; its folder must be on PYTHONPATH")
    method.add_argument(
        "--param", action="append", default=[], metavar="NAME=VALUE", help="argument of the constructor"
    )
    method.add_argument("--seconds", type=float, default=60, help="time for each check (default: 60)")
    return parser
