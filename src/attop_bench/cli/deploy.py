"""A model to take away, and the list of new rows it makes."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from attop.core.files import csv_text, write_bytes, write_csv, write_text
from attop_bench.cli.configuration import list_entry, read_raw
from attop_bench.cli.options import add_configuration, add_jobs, add_pair, add_top, check_output
from attop_bench.deploy.card import CURVE, card, draw_curve, expectation_sentence
from attop_bench.deploy.deploy import deploy
from attop_bench.deploy.package import MODEL, NOTES, SAFE_MODEL, read_package, write_package
from attop_bench.run.config import ConfigError, load_config

__all__ = ["add_deploy", "add_score", "run_deploy", "run_score"]


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
    parser.add_argument("--output", metavar="FILE", help="write to this file")


def run_deploy(options: argparse.Namespace) -> int:
    """Choose a method, fit it on all rows, and write model, list and card.

    Tunes and tests each method as the benchmark does, chooses the best, and fits the whole pipeline
    (gaps, categories, scale, model) on all rows. Writes model.joblib, model.skops where that loads
    without trust, ranked.csv (all rows, by models not trained on them) and card.md.
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

    The file is read as the model's own data were, text and gaps included.
    """
    if options.output:
        made = [Path(options.model) / name for name in (MODEL, SAFE_MODEL, NOTES, "card.md", "ranked.csv")]
        check_output(options.output, [options.table, *made, options.model])
    try:
        package = read_package(options.model)
        ranked = package.rank(options.table, tell=lambda line: print(line, file=sys.stderr))
        ranked = ranked if options.all else package.head(ranked, options.top)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    if options.output:
        write_csv(options.output, ranked)
        print(f"Written: {options.output}, {len(ranked):,} rows.")
    else:
        sys.stdout.write(csv_text(ranked))
    return 0
