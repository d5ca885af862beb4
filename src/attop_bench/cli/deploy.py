"""A model to take away, its lists of new rows, and their precision."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd

from attop._core.files import csv_text, write_bytes, write_csv, write_text
from attop.statistics._watching import watch
from attop_bench.cli.configuration import list_entry, read_raw
from attop_bench.cli.options import add_configuration, add_jobs, add_pair, add_top, check_output
from attop_bench.data.formats import read_table
from attop_bench.data.kinds.columns import is_positive
from attop_bench.deploy.card import CURVE, card, draw_curve, expectation_sentence
from attop_bench.deploy.deploy import deploy
from attop_bench.deploy.package import MODEL, NOTES, SAFE_MODEL, read_package, write_package
from attop_bench.run.config import ConfigError, load_config


def add_deploy(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``attop deploy``."""
    add_pair(parser, nargs="?", help="by default the best of the configuration's")
    add_top(parser, "rows to look at, of a list as long as the data (default: the data set's first top)")
    parser.add_argument("--output", metavar="FOLDER", help="by default deployed-DATASET")
    add_jobs(parser, "fits")
    add_configuration(parser)


def add_score(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``attop score``."""
    parser.add_argument("model", metavar="MODEL", help="its folder, or model.skops in it")
    parser.add_argument("table", metavar="FILE.csv", help="with the columns the model reads")
    add_top(parser, "rows to print (default: as the model was chosen for)")
    parser.add_argument("--all", action="store_true", help="print all rows")
    about = "the last list: each row entered, stayed or left"
    parser.add_argument("--previous", metavar="FILE.csv", help=about)
    parser.add_argument("--id", default="id", help="with --previous: column that names rows (default: id)")
    about = "rows drawn from below the top as well; stands_for: of how many rows each is one"
    parser.add_argument("--explore", type=int, default=0, metavar="N", help=about)
    parser.add_argument("--seed", type=int, default=0, help="of the drawn rows: another for each list")
    parser.add_argument("--output", metavar="FILE", help="write to this file")


def add_watch(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``attop watch``."""
    parser.add_argument("folder", metavar="FOLDER", help="of lists by attop score, with a column of labels")
    about = "precision to keep: positives the card expects over k; the low end of its range is safer"
    parser.add_argument("--promised", type=float, required=True, metavar="0.4", help=about)
    parser.add_argument("--label", default="label", help="the column: 1, 0 or empty (default: label)")
    about = "of the labels, as for attop look, where they are not 1 and 0"
    parser.add_argument("--positive", metavar="VALUE", help=about)


def run_deploy(options: argparse.Namespace) -> int:
    """Choose a method, fit it on all rows, and write model, list and card.

    Tunes and tests each method as the benchmark does, chooses the best, and fits the whole pipeline
    (missing values, categories, scale, model) on all rows. Writes model.joblib, model.skops where that
    loads without trust, ranked.csv (all rows, by models not trained on them) and card.md.
    """
    raw = read_raw(options)
    list_entry(raw, "datasets", options.dataset)
    if options.method is not None:
        list_entry(raw, "methods", options.method)
    config = load_config(raw)
    skip = config.dataset(options.dataset).skip
    methods = [options.method] if options.method else [m.id for m in config.methods if m.id not in skip]
    folder = Path(options.output or f"deployed-{options.dataset}")
    check_output(folder, [p for p in [config.dataset(options.dataset).params.get("path")] if p], NOTES)
    result = deploy(config, options.dataset, methods, options.top, n_jobs=options.jobs, tell=print)
    untrusted = write_package(folder, result.package)
    write_csv(folder / "ranked.csv", result.ranked)
    titles = {m.id: m.title or m.id for m in config.methods}
    write_text(folder / "card.md", card(result, folder, untrusted, titles))
    if curve := draw_curve(result):
        write_bytes(folder / CURVE, curve)
    print(f"\n{expectation_sentence(result)}")
    print(f"Written to {folder}: " + ", ".join(sorted(file.name for file in folder.iterdir())))
    print(f"Score new rows: attop score {folder} new.csv")
    return 0


def run_score(options: argparse.Namespace) -> int:
    """Print the rows at the top of a new file as CSV: rank, row, columns that are no features, score.

    The file is read as the model's own data were, text and missing values included.
    """
    if options.output:
        own = (MODEL, SAFE_MODEL, NOTES, "card.md", "ranked.csv")
        files = [Path(options.model) / name for name in own]
        check_output(options.output, [options.table, *files, options.model])
    try:
        package = read_package(options.model)
        tell = partial(print, file=sys.stderr)
        ranked = package.rank(options.table, tell=tell)
        previous, number = options.previous, options.explore
        marked = previous or number
        for name, requested in (("listed", marked), ("change", previous), ("stands_for", number)):
            if requested and name in ranked:
                raise ConfigError(f"the list adds a column {name!r}: rename that of {options.table}")
        head = ranked if options.all and not marked else package.head(ranked, options.top)
        shown = ranked.index.isin(ranked.index if options.all else head.index)
        if marked:
            ranked["listed"] = ranked.index.isin(head.index).astype(int)
        if previous:
            ranked["change"] = package.changes(ranked, head, previous, options.id, tell)
            shown |= ranked["change"] == "left"
        if number:
            ranked["stands_for"] = package.explore(ranked, head, number, options.seed)
            shown |= ranked["stands_for"] > 0
        ranked = ranked[shown]
    except ValueError as error:
        raise ConfigError(str(error)) from None
    if options.output:
        write_csv(options.output, ranked)
        print(f"Written: {options.output}, {len(ranked):,} rows.")
    else:
        sys.stdout.write(csv_text(ranked))
    return 0


def run_watch(options: argparse.Namespace) -> int:
    """Say whether lists keep a promised precision: as promised, worse, or cannot tell.

    Reads the CSV files of a folder by name, one a list. A list counts when all its labels are there: those
    that come early are seldom like the others. Rows that left or were drawn from below are not of the list.
    """
    lists = {
        path: _labels(path, options.label, options.positive)
        for path in sorted(Path(options.folder).glob("*.csv"))
    }
    complete = [labels for labels in lists.values() if labels.notna().all()]
    if waiting := [path.name for path, labels in lists.items() if labels.isna().any()]:
        print(f"Waiting for labels: {', '.join(waiting)}")
    if not complete:
        raise ConfigError(f"{options.folder} holds no list (*.csv) with all its labels")
    hits, rows = [int(labels.sum()) for labels in complete], [len(labels) for labels in complete]
    try:
        result = watch(hits, rows, options.promised)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    since = f" since list {result.since}" if result.since else ""
    print(
        f"{result.verdict}{since}: {sum(hits):,} of {sum(rows):,} rows of {len(hits)} lists were positive, "
        f"{result.precision:.3f} (at any time {result.low:.3f} to {result.high:.3f} with 95%), promised "
        f"{options.promised}"
    )
    return 0


def _labels(path: Path, column: str, positive: str | None) -> pd.Series:
    """Return the labels of a list's own rows: 1, 0, or NaN where there is none yet."""
    table = read_table(path, "csv")
    if column not in table.frame:
        raise ConfigError(f"{path} has no column {column!r}: write 1, 0 or nothing into it, or give --label")
    if "listed" in table.frame:
        own = table.values("listed").eq(1).to_numpy()
        table = replace(table, frame=table.frame[own].reset_index(drop=True))
    labels = table.values(column)
    if positive is not None:
        return pd.Series(is_positive(table, column, positive), dtype=float).where(labels.notna())
    if not labels.dropna().isin([0, 1]).all():
        raise ConfigError(f"{path}: column {column!r} must hold 1, 0 or nothing: else give --positive VALUE")
    return labels
