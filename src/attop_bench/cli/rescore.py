"""The report of stored test scores, without training."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from attop.extending import Top, count_noun
from attop.metrics import get_metric
from attop_bench.cli.options import add_jobs, add_top, check_output
from attop_bench.files import write_json
from attop_bench.report.page.report import write_analysis
from attop_bench.run.config import ConfigError
from attop_bench.run.job import JOB
from attop_bench.run.rescore import files_of, rescore
from attop_bench.run.tables import write_tables

#: Tops, where none is asked for: a quarter, half and all of the positives, and 1% of the items.
_TOPS = (Top(kappa=0.25), Top(kappa=0.5), Top(kappa=1), Top(tau=0.01))
_METRICS = ("precision@k", "recall@k", "ndcg@k", "ap", "auc")


def add_rescore(parser: ArgumentParser) -> None:
    """Add the options of ``attop rescore``."""
    parser.add_argument(
        "predictions",
        metavar="PREDICTIONS",
        help="a folder of CSV or Parquet files, or one",
    )
    add_top(
        parser,
        "may be given again (default: a quarter, half and all of the positives, and 1%% of the items)",
        action="append",
    )
    parser.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="NAME",
        help="methods are compared by the first; may be given again (default: precision@k)",
    )
    parser.add_argument(
        "--rename",
        type=_pair,
        action="append",
        default=[],
        metavar="COLUMN=NAME",
        help="what a column of the files stands for, such as framework=method; may be given again",
    )
    parser.add_argument(
        "--nearest",
        action="store_true",
        help="where scores have a top, those of the nearest k serve a top that has none of its own",
    )
    parser.add_argument("--title", default="Stored scores", help="of the report")
    parser.add_argument(
        "--output", default="rescored", metavar="FOLDER", help="by default rescored"
    )
    add_jobs(parser, "files")


def run_rescore(options: Namespace) -> int:
    """Write the report that a run of the benchmark ends with, of stored scores.

    Reads tables of the columns dataset, method, fold, row, label, score, perhaps repeat, group, weight
    and top, one row for each item a run scored, all runs of a data set in one file.
    """
    tops = list(dict.fromkeys(options.top or _TOPS))
    folder = Path(options.output)
    check_output(folder, [options.predictions], "tables/evaluation.parquet")
    try:
        metrics = [
            get_metric(name) for name in dict.fromkeys([*options.metric, *_METRICS])
        ]
        result = rescore(
            files_of(options.predictions),
            tops,
            metrics,
            metrics[0],
            rename=dict(options.rename),
            title=options.title,
            nearest=options.nearest,
            n_jobs=options.jobs,
        )
    except ValueError as error:
        raise ConfigError(str(error)) from None
    print("writing tables, figures and the report", file=sys.stderr, flush=True)
    write_tables(result.tables, folder / "tables", csv=True)
    report, tables, figures = (
        folder / name for name in ("report.html", "tables", "figures")
    )
    headline = write_analysis(
        result.tables,
        result.manifest,
        report=report,
        tables=tables,
        figures=figures,
    )
    write_json(folder / "manifest.json", {**result.manifest, "headline": headline})
    runs = result.tables["runs"].drop_duplicates(JOB)
    datasets, methods = (runs[name].nunique() for name in ("dataset", "method"))
    print(
        f"{count_noun(len(runs), 'run')} of {count_noun(methods, 'method')} on "
        f"{count_noun(datasets, 'data set')} at {', '.join(map(str, tops))}\n"
        f"Written: {report}, with tables and figures in the same folder."
    )
    return 0


def _pair(entry: str) -> tuple[str, str]:
    before, equals, after = entry.partition("=")
    if not equals:
        raise ArgumentTypeError(f"COLUMN=NAME is needed, got {entry!r}")
    return before, after
