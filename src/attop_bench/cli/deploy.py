"""A model to take away, its lists of new rows, and their precision."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from attop._core.files import csv_text, replacing_files, write_bytes, write_csv, write_json, write_text
from attop._core.wording import count_noun
from attop.statistics._watching import watch
from attop_bench.cli.configuration import list_entry, read_raw
from attop_bench.cli.options import add_configuration, add_jobs, add_pair, add_top, check_output
from attop_bench.deploy.card import CURVE, card, draw_curve, expectation_sentence
from attop_bench.deploy.deploy import deploy
from attop_bench.deploy.lists import changes, explore, lists_in
from attop_bench.deploy.new_rows import ledger_of_list
from attop_bench.deploy.package import MODEL, NOTES, SAFE_MODEL, read_notes, read_package, write_package
from attop_bench.deploy.promise import HELD_OUT, labels_of, promise_path, read_promise
from attop_bench.run.config import ConfigError, load_config

#: What a folder of a model has; the notes, which hold digests of the others, are put in place first.
FILES = (NOTES, MODEL, SAFE_MODEL, HELD_OUT, "ranked.csv", "card.md", CURVE)


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
    about = "share of positives of these rows, if it is not the data's: for what to expect"
    parser.add_argument("--prevalence", type=float, metavar="0.03", help=about)
    parser.add_argument("--output", metavar="FILE", help="write to this file, and the promise beside it")


def add_watch(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``attop watch``."""
    parser.add_argument("folder", metavar="FOLDER", help="of lists by attop score, with a column of labels")
    about = "folder of the model that made them: what each was to hold, and how labels are written"
    parser.add_argument("--model", metavar="FOLDER", help=about)
    about = "precision to keep, of lists that have no promise beside them"
    parser.add_argument("--promised", type=float, metavar="0.4", help=about)
    parser.add_argument("--label", help="the column of the labels (default: the model's, or label)")
    about = "of the labels, as for attop look (default: the model's, or 1)"
    parser.add_argument("--positive", metavar="VALUE", help=about)


def run_deploy(options: argparse.Namespace) -> int:
    """Choose a method, fit it on all rows, and write model, list and card.

    Reads the finished run of the configuration, or tunes and tests each method as the benchmark does,
    chooses the best, and fits the whole pipeline (missing values, categories, scale, model) on all rows.
    Writes model.joblib, model.skops where that loads without trust, ranked.csv (all rows, by models not
    trained on them) and card.md: all of them, or none if it is interrupted.
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
    titles = {m.id: m.title or m.id for m in config.methods}
    with replacing_files(folder, FILES) as new:
        untrusted = write_package(new, result.package)
        write_csv(new / "ranked.csv", result.ranked)
        write_text(new / "card.md", card(result, folder, untrusted, titles))
        if curve := draw_curve(result):
            write_bytes(new / CURVE, curve)
    print(f"\n{expectation_sentence(result)}")
    print(f"Written to {folder}: " + ", ".join(sorted(file.name for file in folder.iterdir())))
    print(f"Score new rows: attop score {folder} new.csv")
    return 0


def run_score(options: argparse.Namespace) -> int:
    """Print the rows at the top of a new file as CSV: rank, row, columns that are no features, score.

    The file is read as the model's own data were, text and missing values included. Says what to expect of
    them, which --output writes beside the list, for attop watch.
    """
    if options.output:
        files = [Path(options.model) / name for name in FILES]
        check_output(options.output, [options.table, *files, options.model])
    try:
        package = read_package(options.model)
        tell = partial(print, file=sys.stderr)
        ranked = package.rank(options.table, tell=tell)
        ledger = ranked.attrs["ledger"]
        previous, number = options.previous, options.explore
        marked = previous or number
        for name, requested in (("listed", marked), ("change", previous), ("stands_for", number)):
            if requested and name in ranked:
                raise ConfigError(f"the list adds a column {name!r}: rename that of {options.table}")
        head = ranked if options.all and not marked else package.head(ranked, options.top)
        promise = package.expect(ranked, head, options.prevalence, tell)
        shown = ranked.index.isin(ranked.index if options.all else head.index)
        if marked:
            ranked["listed"] = ranked.index.isin(head.index).astype(int)
        if previous:
            about = package.notes["group"], package.notes["beside"]
            ranked["change"] = changes(ranked, head, previous, options.id, *about, tell)
            shown |= ranked["change"] == "left"
        if number:
            ranked["stands_for"] = explore(ranked, head, number, options.seed)
            shown |= ranked["stands_for"] > 0
        ranked = ranked[shown]
    except ValueError as error:
        raise ConfigError(str(error)) from None
    if options.output:
        write_csv(options.output, ranked)
        if promise:
            write_json(promise_path(options.output), promise)
        print(f"Written: {options.output}, {count_noun(len(ranked), 'row')}.")
    else:
        sys.stdout.write(csv_text(ranked))
        sys.stdout.flush()
    for line in ledger_of_list(ledger, len(ranked)):
        tell(f"{options.table}: {line}")
    return 0


def run_watch(options: argparse.Namespace) -> int:
    """Say whether lists keep their promised precision: as promised, worse, or cannot tell.

    Reads the CSV files of a folder in the order of the numbers in their names, one a list, and the promise
    that attop score wrote beside each. A list counts when all its labels are there: those that come early are
    seldom like the others. Rows that left or were drawn from below are not of the list.
    """
    label = read_notes(options.model)["label"] if options.model else {"column": "label"}
    how = {name: label[name] for name in ("positive", "values") if label.get(name)}
    if options.positive is not None:
        how = {"positive": options.positive, "values": None}
    files = lists_in(options.folder, print)
    lists = {path: labels_of(path, options.label or label["column"], **how) for path in files}
    complete = {path: labels for path, labels in lists.items() if labels.notna().all()}
    if waiting := [path.name for path in lists if path not in complete]:
        print(f"Waiting for labels: {', '.join(waiting)}")
    if not complete:
        raise ConfigError(f"{options.folder} holds no list (*.csv) with all its labels")
    promised = [_promised(path, len(labels), options.promised) for path, labels in complete.items()]
    hits, rows = [int(labels.sum()) for labels in complete.values()], [len(v) for v in complete.values()]
    try:
        result = watch(hits, rows, promised)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    since = f" since {list(complete)[result.since - 1].name}" if result.since else ""
    due = sum(n * rate for n, rate in zip(rows, promised, strict=True))
    print(
        f"{result.verdict}{since}: {sum(hits):,} of {sum(rows):,} rows of {count_noun(len(hits), 'list')} "
        f"were positive, promised {due:,.0f}. Their mean precision is {result.precision:.4g} (at any time "
        f"{result.low:.4g} to {result.high:.4g} with 95%)"
    )
    return 0


def _promised(path: Path, rows: int, given: float | None) -> float:
    """Return the precision promised of a list: that given, or the least of the mean of lists like it."""
    if given is not None:
        return given
    promise = read_promise(path)
    if promise is None:
        raise ConfigError(
            f"{path} has no promise beside it ({promise_path(path).name}): attop score --output writes it, "
            "or give --promised"
        )
    if promise["k"] != rows:
        raise ConfigError(
            f"{path} has {rows:,} rows, its promise is of {promise['k']:,}: rows without a label stay, empty"
        )
    return promise["least"] / promise["k"]
