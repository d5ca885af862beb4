"""The words and options of the command line. Imports nothing heavy: help and completion need no more."""

from __future__ import annotations

import argparse

from attop import __version__
from attop.statuses import FAILED

__all__ = ["build_parser"]

_SHELLS = """where the script goes, to be there in every new shell:
  bash   attop completion bash > ~/.local/share/bash-completion/completions/attop
         (with the package bash-completion; else add to ~/.bashrc: source <(attop completion bash))
  zsh    attop completion zsh > ~/.zfunc/_attop
         (with these lines in ~/.zshrc: fpath+=~/.zfunc; autoload -U compinit; compinit)
  fish   attop completion fish > ~/.config/fish/completions/attop.fish"""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; the word is in ``command``."""
    parser = argparse.ArgumentParser(
        prog="attop",
        description="Plan, check and repair runs of the benchmark. The run itself is `snakemake --cores N`.",
        epilog="Run it where you run snakemake: in the folder of the Snakefile.",
    )
    parser.add_argument("--version", action="version", version=f"attop {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    look = commands.add_parser(
        "look",
        help="what is in a table of yours, what is wrong with it, and a configuration to begin with",
        description="Say of each column what it is (number, category, date, identifier, ...), how much is "
        "missing and how many values there are; what could be the label, what occurs twice, and all that is "
        "wrong, at once. Propose a configuration that runs as it stands. Trains nothing.",
    )
    look.add_argument("table", metavar="FILE.csv", help="CSV, Parquet, or another format, compressed or not")
    look.add_argument("--label", metavar="COLUMN", help="the labels; by default the likeliest column")
    look.add_argument("--positive", metavar="VALUE", help="of the label; by default the rarest")
    look.add_argument("--output", metavar="FILE", help="write the configuration to this file")

    plan = commands.add_parser(
        "plan",
        help="what a run will do and take, before it starts",
        description="Say how many training jobs each method has on each data set, which are done, how long "
        "those to do will take, how much is to be downloaded and written, and how long one job may last. "
        "Times are those of jobs that are done; where there are none the time is unknown. Runs nothing.",
    )
    _add_configuration(plan)

    doctor = commands.add_parser(
        "doctor",
        help="whether this machine is ready for a run, and what to do if not",
        description="Look at Python, its packages, cores and threads, graphics, the configuration, its "
        "folders, mirror and downloads, and SLURM. `ok`: fine; `warn`: a run goes on, but not with all; "
        "`FAIL`: no run is possible, and the exit status is 1. What to do follows after ->. Changes nothing.",
    )
    _add_configuration(doctor)

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
        "--target",
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
    _add_configuration(fit)

    gap = commands.add_parser(
        "gap",
        help="whether there is anything to gain at the top of a table of yours, and by what",
        description="Compare on held-out rows a tuned logistic regression with boosting, a forest and the "
        "same linear model refined for the top; say in a sentence whether there is anything to gain, by a "
        "richer model or by training for the top, and how many rows it takes to tell. Needs no "
        "configuration.",
    )
    gap.add_argument("table", metavar="FILE.csv", help="one row an item, with a line of names")
    gap.add_argument("--label", required=True, metavar="COLUMN", help="which holds two values")
    gap.add_argument(
        "--top", required=True, metavar="100", help="items at the top, or a share such as tau=0.01"
    )
    gap.add_argument(
        "--positive", metavar="VALUE", help="of the label; by default the last in order, such as 1 or yes"
    )
    gap.add_argument("--group", metavar="COLUMN", help="user or query of a row: each has a top of its own")
    gap.add_argument("--jobs", type=int, default=1, metavar="N", help="fits at the same time (default: 1)")

    deploy = commands.add_parser(
        "deploy",
        help="choose a method, fit it on all rows, and write a model to take away, its list and its card",
        description="Tune and test each method as the benchmark does, choose the best, and fit the whole "
        "pipeline (gaps, categories, scale, model) on all rows. Write model.joblib, model.skops where that "
        "loads without trust, ranked.csv (all rows, by models not trained on them) and card.md.",
    )
    deploy.add_argument("dataset", metavar="DATASET", help="its name; attop list datasets prints all")
    deploy.add_argument(
        "method", metavar="METHOD", nargs="?", help="by default the best of the configuration's"
    )
    deploy.add_argument(
        "--top",
        metavar="100",
        help="rows to look at, of a list as long as the data; or 'k=100 of 30000', tau=0.01; by default the "
        "data set's first target",
    )
    deploy.add_argument("--output", metavar="FOLDER", help="by default deployed-DATASET")
    deploy.add_argument(
        "--jobs", type=int, default=-1, metavar="N", help="fits at the same time (default: all cores)"
    )
    _add_configuration(deploy)

    score = commands.add_parser(
        "score",
        help="rank the rows of a new file by a model that attop deploy wrote",
        description="Read a file as the model's own data were read, text and gaps included, and print those "
        "at the top as CSV: rank, row, the columns that are no features, score.",
    )
    score.add_argument("model", metavar="MODEL", help="its folder, or model.skops in it")
    score.add_argument("table", metavar="FILE.csv", help="with the columns the model reads")
    score.add_argument("--top", metavar="100", help="rows to print; by default as the model was chosen for")
    score.add_argument("--all", action="store_true", help="print all rows")
    score.add_argument("--output", metavar="FILE", help="write to this file")

    rescore = commands.add_parser(
        "rescore",
        help="the report of stored test scores, whoever made them, without training",
        description="Read tables of the columns dataset, method, fold, row, label, score, perhaps repeat, "
        "group and weight, one row for each item a run scored, all runs of a data set in one file. Write the "
        "report that a run of the benchmark ends with.",
    )
    rescore.add_argument(
        "predictions", metavar="PREDICTIONS", help="a folder of CSV or Parquet files, or one"
    )
    rescore.add_argument(
        "--top",
        action="append",
        metavar="k=10",
        help="k=10, 'k=100 of 30000', tau=0.01 or kappa=0.5; may be repeated (default: a quarter, half and "
        "all of the positives, and 1%% of the items)",
    )
    rescore.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="NAME",
        help="methods are compared by the first; may be given again (default: precision@k)",
    )
    rescore.add_argument(
        "--rename",
        action="append",
        default=[],
        metavar="COLUMN=NAME",
        help="what a column of the files stands for, such as framework=method; may be given again",
    )
    rescore.add_argument("--title", default="Stored scores", help="of the report")
    rescore.add_argument("--output", default="rescored", metavar="FOLDER", help="by default rescored")
    rescore.add_argument(
        "--jobs", type=int, default=-1, metavar="N", help="files at a time (default: all cores)"
    )

    status = commands.add_parser("status", help="what is done, what failed and why, what is left")
    _add_configuration(status)

    retry = commands.add_parser(
        "retry",
        help="clear failed runs and downloads, so that they run again",
        description="Remove the outputs of training runs that failed (status error, timeout, memory or "
        "diverged) and the receipts of files that could not be had. Nothing else is touched.",
    )
    _add_configuration(retry)
    retry.add_argument("--dataset", help="only this data set")
    retry.add_argument("--method", help="only this method")
    retry.add_argument("--status", choices=FAILED, help="only this status")

    names = commands.add_parser("list", help="the names there are: of data sets, methods or metrics")
    names.add_argument("what", choices=["datasets", "methods", "metrics"])
    _add_configuration(names)

    completion = commands.add_parser(
        "completion",
        help="teach your shell to complete attop's words at the Tab key",
        description="Print a script that completes commands, options and, if printed in the folder of the\n"
        "Snakefile, the names of data sets and methods.",
        epilog=_SHELLS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    completion.add_argument("shell", choices=["bash", "zsh", "fish"])
    _add_configuration(completion)

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


def _add_configuration(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--configfile",
        action="append",
        default=[],
        metavar="FILE",
        help="as for snakemake: its keys replace those of config/config.yaml; may be given again",
    )
    parser.add_argument(
        "--config",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        help="as for snakemake: single keys of the configuration, such as output=results-mine",
    )
