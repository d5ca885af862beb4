"""A model to take away, its lists of new rows, and their precision."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from attop.extending import count_noun
from attop_bench.cli.configuration import add_pair, list_entry, read_raw
from attop_bench.cli.options import (
    add_configuration,
    add_jobs,
    add_top,
    check_output,
    read_count,
    read_names,
)
from attop_bench.data.base import DatasetError
from attop_bench.deploy.card import (
    card,
    draw_curve,
    expectation_sentence,
    mean_sentence,
    warning_if_perfect,
)
from attop_bench.deploy.deploy import deploy
from attop_bench.deploy.lists import changes, explore, write_list
from attop_bench.deploy.new_rows import ledger_of_list
from attop_bench.deploy.notes import NOTES
from attop_bench.deploy.package import (
    CARD,
    CURVE,
    FILES,
    LIST,
    Package,
    read_package,
    write_model,
    write_notes,
)
from attop_bench.deploy.picture import FORMATS, draw_expectation
from attop_bench.deploy.promise import promise_path
from attop_bench.deploy.spreadsheet import check_spreadsheet
from attop_bench.files import (
    csv_text,
    replacing_files,
    write_bytes,
    write_csv,
    write_json,
    write_text,
)
from attop_bench.run.config import ConfigError, load_config

if TYPE_CHECKING:
    import pandas as pd


def add_deploy(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``attop deploy``."""
    add_pair(parser, nargs="?", help="by default the best of the configuration's")
    add_top(
        parser,
        "rows to look at, of a list as long as the data (default: the data set's first top)",
    )
    parser.add_argument(
        "--output", metavar="FOLDER", help="by default deployed-DATASET"
    )
    help_text = "fit on all rows, where each tested model had a window of days (default: the last such days)"
    parser.add_argument("--all-rows", action="store_true", help=help_text)
    add_jobs(parser, "fits")
    add_configuration(parser)


def add_score(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``attop score``."""
    parser.add_argument(
        "model", metavar="MODEL", help="its folder, or model.skops in it"
    )
    parser.add_argument(
        "table", metavar="FILE.csv", help="with the columns the model reads"
    )
    add_top(parser, "rows to print (default: as the model was chosen for)")
    parser.add_argument("--all", action="store_true", help="print all rows")
    help_text = "the last list: each row entered, stayed or left"
    parser.add_argument("--previous", metavar="FILE.csv", help=help_text)
    parser.add_argument(
        "--id",
        default="id",
        help="with --previous: column that names rows (default: id)",
    )
    help_text = "rows drawn from below the top as well; stands_for: of how many rows each is one"
    parser.add_argument(
        "--explore", type=read_count, default=0, metavar="N", help=help_text
    )
    help_text = "of the drawn rows: another for each list"
    parser.add_argument(
        "--seed", type=read_count, default=0, metavar="N", help=help_text
    )
    help_text = "share of positives of these rows, if it is not the data's: for what to expect"
    parser.add_argument("--prevalence", type=float, metavar="0.03", help=help_text)
    help_text = "columns of the file to show as well, or all (default: the reasons have their values)"
    parser.add_argument("--columns", type=read_names, metavar="A,B", help=help_text)
    help_text = "write to this file, .csv or .xlsx, and the promise beside it"
    parser.add_argument("--output", metavar="FILE", help=help_text)
    help_text = "draw what to expect of this list, to .png, .svg or .pdf"
    parser.add_argument("--picture", metavar="FILE.png", help=help_text)


def run_deploy(options: argparse.Namespace) -> int:
    """Choose a method, fit it as it was tested, and write model, list and card.

    Reads the finished run of the configuration, or tunes and tests each method as the benchmark does,
    chooses the best, and fits the whole pipeline (missing values, categories, scale, model) on all rows, or
    where each test part was of a training window of some days, on the last such days.
    Writes model.joblib, model.skops where that loads without trust, ranked.csv (all rows, by models not
    trained on them) and card.md: all of them, or none if it is interrupted.
    """
    raw = read_raw(options)
    list_entry(raw, "datasets", options.dataset)
    if options.method is not None:
        list_entry(raw, "methods", options.method)
    config = load_config(raw)
    skip = config.dataset(options.dataset).skip
    methods = (
        [options.method]
        if options.method
        else [m.id for m in config.methods if m.id not in skip]
    )
    folder = Path(options.output or f"deployed-{options.dataset}")
    check_output(
        folder,
        [p for p in [config.dataset(options.dataset).params.get("path")] if p],
        NOTES,
        FILES,
    )
    result = deploy(
        config,
        options.dataset,
        methods,
        options.top,
        all_rows=options.all_rows,
        n_jobs=options.jobs,
        tell=print,
    )
    titles = {m.id: m.title or m.id for m in config.methods}
    with replacing_files(folder, FILES) as new:
        untrusted = write_model(new, result.package)
        write_csv(new / LIST, result.ranked)
        write_text(new / CARD, card(result, folder, untrusted, titles))
        if curve := draw_curve(result):
            write_bytes(new / CURVE, curve)
        write_notes(new, result.package)
        written = sorted(file.name for file in new.iterdir())
    print(f"\n{expectation_sentence(result)}\n{mean_sentence(result)}")
    if warning := warning_if_perfect(result):
        print(warning)
    print(f"Written to {folder}: {', '.join(written)}")
    print(f"Score new rows: attop score {folder} new.csv")
    return 0


def run_score(options: argparse.Namespace) -> int:
    """Print the top of a new file as CSV: rank, row, columns that are no features, score, reasons.

    The file is read as the model's own data were, text and missing values included. Says what to expect of
    them, which --output writes beside the list, for attop watch.
    """
    tell = partial(print, file=sys.stderr)
    _check_files(options)
    try:
        package = read_package(options.model, tell)
        ranked = package.rank(options.table, tell, options.columns)
        ledger = ranked.attrs["ledger"]
        _refuse_names(options, ranked)
        is_whole = options.all and not (options.previous or options.explore)
        head = ranked if is_whole else package.head(ranked, options.top)
        promise = package.expect(ranked, head, options.prevalence, tell)
        if options.picture:
            _draw(package, ranked, head, options)
        ranked = _rows_of_list(package, ranked, head, options, tell)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    if options.output:
        file = Path(options.output)
        promise_name = promise_path(file).name
        try:
            with replacing_files(file.parent, [promise_name, file.name]) as new:
                write_json(new / promise_name, promise.model_dump())
                write_list(new / file.name, ranked, package.numeric)
        except DatasetError as error:
            raise ConfigError(str(error)) from None
        print(f"Written: {options.output}, {count_noun(len(ranked), 'row')}.")
    else:
        sys.stdout.write(csv_text(ranked))
        sys.stdout.flush()
    for line in ledger_of_list(ledger, len(ranked)):
        tell(f"{options.table}: {line}")
    return 0


def _check_files(options: argparse.Namespace) -> None:
    """Refuse files that cannot be written, before the model is read."""
    inputs = [
        options.table,
        options.model,
        *(Path(options.model) / name for name in FILES),
    ]
    if options.output:
        check_output(options.output, inputs)
        check_output(promise_path(options.output), [])
        check_spreadsheet(options.output)
    if options.picture:
        if (form := Path(options.picture).suffix[1:].lower()) not in FORMATS:
            endings = ", ".join(f".{name}" for name in FORMATS)
            raise ConfigError(
                f"--picture {options.picture} ends in {form!r}: give a name that ends in {endings}"
            )
        check_output(
            options.picture,
            [*inputs, *filter(None, [options.output])],
            flag="--picture",
        )


def _refuse_names(options: argparse.Namespace, ranked: pd.DataFrame) -> None:
    """Refuse columns of the file that the list adds itself."""
    marked = options.previous or options.explore
    added = {
        "listed": marked,
        "change": options.previous,
        "stands_for": options.explore,
    }
    for name, is_added in added.items():
        if is_added and name in ranked:
            raise ConfigError(
                f"the list adds a column {name!r}: rename that of {options.table}"
            )


def _draw(
    package: Package,
    ranked: pd.DataFrame,
    head: pd.DataFrame,
    options: argparse.Namespace,
) -> None:
    """Write the picture of what to expect of a list."""
    forecast = package.forecast(ranked, head, options.prevalence)
    reason = (
        "each group has a list of its own" if forecast is None else forecast.reason
    )
    if forecast is None or reason:
        raise ConfigError(
            f"--picture: there is no expectation to draw, for {reason}: leave it out"
        )
    share = options.prevalence or package.notes["positives"] / package.notes["rows"]
    form = Path(options.picture).suffix[1:].lower()
    write_bytes(
        options.picture,
        draw_expectation(forecast, Path(options.table).name, share, form),
    )


def _rows_of_list(
    package: Package,
    ranked: pd.DataFrame,
    head: pd.DataFrame,
    options: argparse.Namespace,
    tell: Callable[[str], None],
) -> pd.DataFrame:
    """Select the rows of a list: its top, those that left, and those drawn from below."""
    shown = ranked.index.isin(ranked.index if options.all else head.index)
    if options.previous or options.explore:
        ranked["listed"] = ranked.index.isin(head.index).astype(int)
    if options.previous:
        identifiers = package.notes["group"], package.notes["beside"]
        ranked["change"] = changes(
            ranked, head, options.previous, options.id, *identifiers, tell
        )
        shown |= ranked["change"] == "left"
    if options.explore:
        ranked["stands_for"] = explore(ranked, head, options.explore, options.seed)
        shown |= ranked["stands_for"] > 0
    return ranked[shown]
