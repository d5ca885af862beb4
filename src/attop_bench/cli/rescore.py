"""The report of anybody's stored test scores, without training."""

from __future__ import annotations

import argparse
from pathlib import Path

from attop.core.top import Top
from attop.core.wording import counted
from attop.metrics.registry import get_metric
from attop_bench.data import DatasetError
from attop_bench.report import write_analysis
from attop_bench.run.config import ConfigError
from attop_bench.run.predictions import files_of
from attop_bench.run.rescore import rescore
from attop_bench.run.tables import write_tables

__all__ = ["show"]

#: Tops, where none is asked for: a quarter, half and all of the positives, and 1% of the items.
_TOPS = ("kappa=0.25", "kappa=0.5", "kappa=1", "tau=0.01")
_METRICS = ("precision@k", "recall@k", "ndcg@k", "ap", "auc")


def show(options: argparse.Namespace) -> int:
    """Evaluate, and write tables, figures and the page."""
    try:
        tops = [Top.parse(text if "=" in text else f"k={text}") for text in options.top or _TOPS]
        metrics = [get_metric(name) for name in dict.fromkeys([*options.metric, *_METRICS])]
        rename = dict(_pair(entry) for entry in options.rename)
        found = rescore(
            files_of(options.predictions),
            tops,
            metrics,
            metrics[0],
            rename=rename,
            title=options.title,
            n_jobs=options.jobs,
        )
    except (DatasetError, ValueError) as error:
        raise ConfigError(str(error)) from None
    folder = Path(options.output)
    write_tables(found.tables, folder / "tables", csv=True)
    report = folder / "report.html"
    write_analysis(
        found.tables, found.manifest, report=report, tables=folder / "tables", figures=folder / "figures"
    )
    runs = found.tables["runs"].drop_duplicates(["dataset", "method", "repeat", "fold"])
    datasets, methods = (runs[name].nunique() for name in ("dataset", "method"))
    print(
        f"{counted(len(runs), 'run')} of {counted(methods, 'method')} on {counted(datasets, 'data set')} at "
        f"{', '.join(map(str, tops))}\nWritten: {report}, and tables and figures beside it."
    )
    return 0


def _pair(entry: str) -> tuple[str, str]:
    before, equals, after = entry.partition("=")
    if not equals:
        raise ConfigError(f"--rename wants COLUMN=NAME, got {entry!r}")
    return before, after
