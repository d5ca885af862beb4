"""The words and options about tables of one's own: look, deploy, score, rescore."""

from __future__ import annotations

from typing import Any

from attop_bench.cli.configuration_options import add_configuration

__all__ = ["add_deploy", "add_look", "add_rescore", "add_score"]


def add_look(commands: Any) -> None:
    """Add ``look``."""
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


def add_deploy(commands: Any) -> None:
    """Add ``deploy``."""
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
        "data set's first top",
    )
    deploy.add_argument("--output", metavar="FOLDER", help="by default deployed-DATASET")
    deploy.add_argument(
        "--jobs", type=int, default=-1, metavar="N", help="fits at the same time (default: all cores)"
    )
    add_configuration(deploy)


def add_score(commands: Any) -> None:
    """Add ``score``."""
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


def add_rescore(commands: Any) -> None:
    """Add ``rescore``."""
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
