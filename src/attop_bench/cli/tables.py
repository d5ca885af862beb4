"""A table in a file, without a configuration: `attop look` and `attop headroom`."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from attop.extending import (
    Floats,
    Ints,
    Top,
    columns,
    count_noun,
    join_first,
    pitfall,
)
from attop_bench.cli.configuration import read_catalogues, read_raw
from attop_bench.cli.options import add_top, check_output, read_number, read_top
from attop_bench.data.build import make
from attop_bench.data.columns.labels import comparison_of
from attop_bench.data.columns.preparation import column_transformer, is_table
from attop_bench.data.parameters import with_on
from attop_bench.data.profile.findings import Look
from attop_bench.data.profile.look import look
from attop_bench.data.profile.proposal import Rate, identifier, parameters, propose
from attop_bench.files import write_text
from attop_bench.run.config import ConfigError

#: Columns a screen has room for.
_SCREEN = 30


def add_look(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``attop look``."""
    _add_table(parser, help="the labels; by default the likeliest column")
    help_text = "top of the configuration: '100 a month' (day, week, year), or of a list as long as it"
    add_top(parser, help_text, type=_read_top_or_rate)
    help_text = "the kind of a column where it is known better, such as ward=entity; may be given again"
    parser.add_argument(
        "--role", metavar="COLUMN=KIND", action="append", default=[], help=help_text
    )
    help_text = "of another file, as in a configuration: a file, or '{path: FILE, on: COLUMN}'"
    parser.add_argument(
        "--labels", metavar="FILE", type=_read_labels, help=help_text
    )
    parser.add_argument(
        "--output", metavar="FILE", help="write the configuration to this file"
    )
    _add_reading(parser)


def add_headroom(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``attop headroom``."""
    _add_table(
        parser, required=True, help="column of the labels, which holds two values"
    )
    add_top(parser, "items at the top", required=True)
    parser.add_argument(
        "--group",
        metavar="COLUMN",
        help="user or query of a row: each has a top of its own",
    )
    help_text = "columns that are no features: names, or numbers from 1"
    parser.add_argument(
        "--drop", metavar="COLUMN", nargs="+", default=[], help=help_text
    )
    parser.add_argument(
        "--jobs",
        type=read_number,
        default=1,
        metavar="N",
        help="fits at the same time (default: 1)",
    )
    _add_reading(parser)


def _add_table(parser: argparse.ArgumentParser, **label: Any) -> None:
    """Add the table, the column of the labels with its options, and the positive label."""
    parser.add_argument(
        "table",
        metavar="FILE",
        help="one row an item: CSV, Excel, Parquet, SVMlight, NPZ or ARFF, compressed or not",
    )
    parser.add_argument("--label", metavar="COLUMN", **label)
    parser.add_argument(
        "--positive",
        metavar="VALUE",
        action="append",
        help="label of the positives, or a comparison such as '>= 3' (default: the rarer one); "
        "may be given again",
    )
    help_text = "label of the negatives (default: all others), may be given again: other rows are left out"
    parser.add_argument(
        "--negative", metavar="VALUE", action="append", help=help_text
    )


def _add_reading(parser: argparse.ArgumentParser) -> None:
    """Add how a table is written, where that is not found."""
    parser.add_argument(
        "--format",
        metavar="NAME",
        help="csv, excel, parquet, svmlight, npz or arff, where the name does not say",
    )
    help_text = "how it is written, as reader in a configuration: separator=; header=false decimal=, ..."
    parser.add_argument(
        "--reader", metavar="NAME=VALUE", nargs="+", default=[], help=help_text
    )


def _read_options(texts: Sequence[str]) -> dict[str, object]:
    """Parse options of a reader, each value as YAML has it; one sign, such as ``;``, is text."""
    values: dict[str, object] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise ConfigError(
                f"--reader {text}: expected NAME=VALUE, such as separator=; or header=false"
            )
        is_sign = len(value) == 1 and not value.isdecimal()
        try:
            values[name] = value if is_sign else yaml.safe_load(value)
        except yaml.YAMLError:
            values[name] = value
    return values


def run_look(options: argparse.Namespace) -> int:
    """Describe the columns, the likely label and all that is wrong, and propose a configuration.

    Columns are numbers, categories, dates, identifiers, ..., with the share that is missing and the
    number of values. The configuration runs as it stands. Trains nothing.
    """
    if options.output:
        check_output(options.output, [options.table])
    roles = dict(_read_role(role) for role in options.role)
    source = options.table, options.label, _one_or_several(options.positive)
    reading = {
        "form": options.format,
        "given": _read_options(options.reader),
        "negative": options.negative,
        "labels": options.labels,
    }
    table = look(*source, roles, **reading)
    if sys.stdin.isatty() and sys.stdout.isatty():
        asked, lines = dict(_ask(table)), _ask_of_lines(table)
        if asked or lines:
            reading["given"] = {**_read_options(options.reader), **lines}
            table = look(*source, roles | asked, **reading)
    print("\n".join(_screen(table)))
    rate = options.top if isinstance(options.top, Rate) else None
    catalogue = read_catalogues(
        read_raw(argparse.Namespace(configfile=[], config=[]))
    )["datasets"]
    name = identifier(options.table, catalogue)
    if name != identifier(options.table):
        print(
            f"- the data set is called {name}, since attop has one called {identifier(options.table)}"
        )
    proposal = propose(table, None if rate else options.top, rate, taken=catalogue)
    if table.sample == table.rows:
        make("file", **parameters(table))
    if options.output:
        write_text(options.output, proposal)
        print(f"\nWritten: {options.output}. Next:")
    else:
        print(
            f"\nA configuration, which --output FILE writes:\n\n{proposal}\nNext:"
        )
    file = options.output or "FILE"
    print(
        f"  attop run {file}    compares the methods, and draws what they find; edit the file as you like"
    )
    print(
        f"  attop deploy {name} --configfile {file}    chooses one and fits it on all rows"
    )
    return 0


def _read_labels(text: str) -> object:
    """Parse labels of another file as YAML has them; the name of a file is one."""
    try:
        return with_on(yaml.safe_load(text) if text.startswith("{") else text)
    except yaml.YAMLError:
        return text


def _one_or_several(values: Sequence[str] | None) -> object:
    """Unwrap the one value that was given, a list of several, or None."""
    return values[0] if values and len(values) == 1 else values


def _read_top_or_rate(text: str) -> Top | Rate:
    """Parse the rate of "100 a month", or a top."""
    return Rate.parse(text) or read_top(text)


def _read_role(text: str) -> tuple[str, str]:
    """Split "COLUMN=KIND" into column and kind."""
    column, equals, kind = text.rpartition("=")
    if not equals:
        raise ConfigError(
            f"--role wants COLUMN=KIND, such as ward=entity, got {text!r}"
        )
    return column, kind


def _ask(table: Look) -> Iterator[tuple[str, str]]:
    """Ask for the kinds of the columns that are not sure; an empty answer takes what seems likelier."""
    for column in table.questions:
        why = f" ({column.why})" if column.why else ""
        question = f"{column.name}{why}: {column.kind} or {column.otherwise}? [{column.kind}] "
        yield column.name, input(question).strip() or column.kind


def _ask_of_lines(table: Look) -> dict[str, object]:
    """Ask whether lines that may be none are rows; an empty answer keeps them."""
    if not table.ledger.doubtful:
        return {}
    what = "; ".join(map(str, table.ledger.doubtful))
    answer = input(f"{what}: rows, yes or no? [yes] ").strip().lower()
    return {"pass_over": table.doubtful} if answer in ("n", "no") else {}


def _screen(table: Look) -> Iterator[str]:
    kinds = Counter(column.kind for column in table.columns)
    numbers = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    size = f"{count_noun(table.rows, 'row')}, {count_noun(len(table.columns), 'column')}"
    if table.sample < table.rows:
        size += f", by a sample of {table.sample:,} rows"
    yield f"{table.path}: {size}: {numbers}"
    if table.ledger.passed:
        yield f"rows: {table.ledger}"
    others = [
        c
        for c in table.candidates
        if table.label is None or c.column != table.label.column
    ]
    for candidate in [*filter(None, [table.label]), *others[:3]]:
        mark = "label" if candidate is table.label else "      or"
        compared = (
            comparison_of(candidate.positive)
            and not table.column(candidate.column).text
        )
        value = f"{'' if compared else '= '}{candidate.positive}"
        yield f"{mark}: {candidate.column} {value}, {candidate.share:.2%} of the rows"
    yield ""
    plain = [c.name for c in table.columns if c.kind == "number" and not c.missing]
    shown = [c for c in table.columns if c.name not in plain]
    rows = [["column", "is", "missing", "values", "such as"]]
    for c in shown[:_SCREEN]:
        missing = f"{c.missing:.1%}" if c.missing else ""
        rows.append([c.name[:32], c.kind, missing, f"{c.distinct:,}", c.example])
    yield columns(rows, right={2, 3})
    if len(shown) > _SCREEN:
        yield f"and {len(shown) - _SCREEN} more"
    if plain:
        yield f"and {count_noun(len(plain), 'number')}, complete: {join_first(plain, 12)}"
    yield ""
    yield from (f"- {complaint}" for complaint in table.complaints)
    if table.leaks:
        yield f"- on columns that tell the label: {pitfall('leak')}"


def run_headroom(options: argparse.Namespace) -> int:
    """Estimate the gain at the top by a richer model or by training for the top.

    Compares on held-out rows a tuned logistic regression with boosting, a forest and the same linear
    model refined for the top; says how many rows it takes to tell. Reads the table as attop look
    proposes, and needs no configuration.
    """
    from attop.headroom import headroom

    positive = _one_or_several(options.positive)
    source = options.table, options.label, positive, options.group, options.drop
    how = options.format, _read_options(options.reader), options.negative
    X, y, groups, entity = read(*source, *how)
    try:
        print(
            headroom(
                X, y, options.top, groups=groups, entity=entity, n_jobs=options.jobs
            )
        )
    except ValueError as error:
        raise ConfigError(str(error)) from error
    return 0


def read(
    path: str,
    label: str,
    positive: object,
    group: str | None,
    drop: Sequence[str] = (),
    form: str | None = None,
    reader: Mapping[str, object] | None = None,
    negative: Sequence[str] | None = None,
) -> tuple[Floats, Ints, Ints | None, Ints | None]:
    """Read features, labels, groups and entities of a table, and print a summary.

    It is read as `attop look` proposes. A missing number stays NaN; a missing category is one of its own.
    Rows that are alike are one entity.
    """
    table = look(path, label, positive, form=form, given=reader, negative=negative)
    if positive is None and (n := table.column(label).distinct) != 2:
        held = count_noun(n, "value")
        raise ConfigError(
            f"--label {label} holds {held}: say which is positive by --positive"
        )
    params = parameters(table)
    entity = params.get("entity") if group is None else None
    roles = ("group", "entity", "day")
    aside = [
        *params.pop("drop", []),
        *(params.pop(role) for role in roles if role in params),
    ]
    if aside := [name for name in aside if name != group]:
        print(f"Left out, as attop look proposes: {join_first(aside)}.")
    for name, how in table.leaks.items():
        print(
            f"{name} tells the label nearly alone ({how}): is it known beforehand?"
        )
    # A name, or a number from 1.
    aside += [int(c) if re.fullmatch(r"-?\d+", c) else c for c in drop]
    dataset = make("file", **params, group=group, entity=entity, drop=aside)
    X = dataset.X
    if is_table(X):
        X = column_transformer(
            X, max_categories=dataset.max_categories
        ).fit_transform(X)
    if dataset.ledger is not None:
        for name, rows in dataset.ledger.lines():
            print(f"Rows {name}: {rows}")
    print(
        f"{count_noun(X.shape[0], 'row')}, {dataset.n_pos:,} of them positive ({dataset.facts['positive']}), "
        f"{count_noun(X.shape[1], 'feature')}\n"
    )
    alike = dataset.duplicate_group if dataset.entity is None else dataset.entity
    return X, dataset.y, dataset.groups, None if group is not None else alike
