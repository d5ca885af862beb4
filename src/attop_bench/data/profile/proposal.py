"""The configuration that `attop look` proposes for a table: it runs as it stands."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from attop.experiment import MIN_RUNS
from attop.extending import Top, count_noun, join_first
from attop_bench.data.columns.categories import is_identifier
from attop_bench.data.errors import DatasetError
from attop_bench.data.profile.findings import Look
from attop_bench.data.profile.readers import Column

#: Most columns a category becomes, and the number of rows from which 100 are a top.
_CEILING = 20
_LONG = 1000
#: Parts that test, and parts of the others that choose the hyper-parameters, at most.
_FOLDS, _INNER_FOLDS = 5, 3
#: Bytes that a fit takes for each number of the prepared rows: 22 to 24 at 5,000,000 rows of 102 columns.
_BYTES_A_NUMBER = 30
#: Megabytes that a job may have unless `limits` say more.
_USUAL_MB = 4000
#: Days, and positives, from which on a split in time is offered, and its test windows.
_DAYS = 50
_WINDOWS = MIN_RUNS

_METHODS = """methods:
  - logistic-regression
  - soft-top
"""
_BOOSTING = """  - id: boosting
    title: Gradient boosting
    estimator: sklearn.ensemble.HistGradientBoostingClassifier
    params: {early_stopping: false}
    param_grid: {learning_rate: [0.03, 0.1], max_leaf_nodes: [7, 31]}
"""
#: Scikit-learn's takes no sparse weights of words.
_OF_WORDS = "  - lightgbm\n"
#: What is said beside an option.
_COMMENTS = {
    "day": "for splits in time",
    "labels": "of another file; rows without one are left out",
    "reader": "how the file is written",
    "negative": "rows of another outcome are left out",
    "drop_unlabelled": "rows without a label are left out",
    "group": "each is a list of its own",
    "entity": "comes back in many rows",
    "weight": "of each row, for methods and metrics that take weights",
    "drop": "names, dates, constants, copies of columns",
    "text": "TF-IDF weights of words, learnt from the training items",
    "categories": "codes, also where they are numbers",
    "one_hot": "a 0/1 column for each category",
    "max_categories": "rare categories share one column",
    "impute": "missing values: the median, or the most frequent category, of the training items",
    "copies_together": "rows with the same features are on one side of a split",
}


#: Period -> its days, on average over the years.
PERIODS = {"day": 1.0, "week": 7.0, "month": 365.2425 / 12, "year": 365.2425}


class Rate(NamedTuple):
    """A top of so many rows a period, one of `PERIODS`."""

    k: int
    period: str

    def __str__(self) -> str:
        return f"{self.k} a {self.period}"

    @classmethod
    def parse(cls, text: str) -> Rate | None:
        """Read the rate that a text such as "100 a month" states; None if it states none."""
        match = re.fullmatch(
            rf"([1-9]\d*) ?(?:a|per|/) ?({'|'.join(PERIODS)})", text.strip()
        )
        return cls(int(match[1]), match[2]) if match else None


def parameters(table: Look) -> dict[str, Any]:
    """Propose the parameters of the kind ``file`` for a table."""
    label = table.label
    if label is None:
        raise _without_label(table)
    roles = _roles(table, {*table.twins, label.column})
    rest = [
        c for c in table.columns if c.name not in {label.column, *roles.values()}
    ]
    aside = {*table.twins, *table.leaks_left_out}
    features = [c for c in rest if c.is_feature and c.name not in aside]
    if not features:
        raise DatasetError(
            f"dataset {table.path}: no column is left that could be a feature"
        )
    kept = {c.name for c in features}
    lists_or_entities = {"group", "entity"} & roles.keys()
    optional = {
        "negative": list(label.negative),
        "labels": table.labels,
        "format": table.format,
        "reader": dict(table.reader),
        "drop_unlabelled": table.unlabelled > 0,
        **roles,
        "drop": [c.name for c in rest if c.name not in kept],
        **_of_features(features, table.sample - table.unlabelled - table.undecided),
        "copies_together": table.parts_copies and not lists_or_entities,
    }
    named = {"path": table.path, "label": label.column, "positive": label.positive}
    if isinstance(table.labels, str):
        del named["label"]  # they have no name
    return named | {name: value for name, value in optional.items() if value}


def _without_label(table: Look) -> DatasetError:
    """Make the error of a table without a column of two values; one of a value or none may be the label."""
    halves = [c.name for c in table.columns if c.kind == "constant" and c.missing]
    of_one = (
        f"; such as {join_first(halves)}, with one value or none" if halves else ""
    )
    return DatasetError(
        f"dataset {table.path}: no column has two values: name the label, --label COLUMN --positive "
        f"VALUE, or '>= 3', say{of_one}"
    )


def _roles(table: Look, aside: Container[str]) -> dict[str, str]:
    """Choose the columns of groups, or else of entities, of days and of weights, as far as there are any.

    Of several complete ones it is the column with the fewest values, and of dates that of the fewest days:
    dates of birth span more.
    """
    roles: dict[str, str] = {}
    for kind in ("group", "entity", "weight"):
        complete = [
            c
            for c in table.columns
            if c.kind == kind and not c.missing and c.name not in aside
        ]
        if complete and (kind == "weight" or not roles):
            roles[kind] = min(complete, key=lambda c: c.distinct).name
    if table.days:
        roles["day"] = min(table.days, key=lambda name: table.days[name])
    return roles


def _of_features(features: Sequence[Column], labelled: int) -> dict[str, object]:
    """Choose the options of features by their kinds: text, categories, and how gaps are filled.

    A category is named as one, too, whose values would seem names in the rows with a label alone.
    """
    categorical = [
        c
        for c in features
        if c.kind == "category" or (c.text and c.kind == "yes/no")
    ]
    many = max((c.distinct for c in categorical), default=0) > _CEILING
    gaps = any(c.missing or c.marks for c in features if c.kind != "text")
    return {
        "text": [c.name for c in features if c.kind == "text"],
        "categories": [
            c.name
            for c in categorical
            if c.own
            or not c.text
            or is_identifier(c.distinct, int(labelled * (1 - c.missing)))
        ],
        "one_hot": bool(categorical),
        "max_categories": _CEILING if many else None,
        "impute": "median" if gaps else None,
    }


def in_time(table: Look) -> dict[str, object] | None:
    """Propose a protocol that trains on earlier days than it tests; None if the days are too few."""
    given = parameters(table)
    span = table.days.get(given.get("day", ""), 0)
    n_pos = (
        0
        if table.label is None
        else table.label.share * (table.rows - table.undecided)
    )
    if span < _DAYS or n_pos < _DAYS or {"copies_together", "group"} & {*given}:
        return None
    test, delay = span // 10, 7 if span >= 3 * _DAYS else 0
    train = min(span // 2, span - _WINDOWS * test - delay)
    options = {
        "n_folds": _WINDOWS,
        "train": train,
        "delay": delay,
        "test": test,
        "inner_folds": 2,
    }
    options["inner_train"] = train - delay - 2 * test
    return {"kind": "prequential", "options": options}


def propose(
    table: Look,
    top: Top | None = None,
    rate: Rate | None = None,
    *,
    taken: Container[str] = (),
) -> str:
    """Write a configuration in YAML, with comments; by default for the top 100 of the table.

    `rate` is a top of so many a day, a month, ...: of the rows of an average one between the first and the
    last date. `taken` are names of other data sets.
    """
    options = parameters(table)
    name = identifier(table.path, taken)
    days = table.days.get(options.get("day", ""), 0)
    if rate:
        top = _top_of_rate(rate, table, days)
    top = top or _usual_top(table, options.get("group"))
    written = top.as_dict()
    if top.k is not None and top.k < table.rows and "group" not in options:
        written.setdefault("of", table.rows)
    lines = [
        f"title: {_flow(name)}",
        f"output: {_flow(f'results-{name}')}",
        "datasets:",
        f"  - id: {_flow(name)}",
        "    kind: file",
        "    params:",
        *_lines_of_options(options),
        *_lines_on_leaks(table),
        *(f"      # ? {question}" for question in _questions(table)),
        *_lines_of_protocol(table, options),
        f"    # {_length_of_list(table, rate, days, is_grouped='group' in options)}",
        f"    tops: [{_flow(written)}]",
        "    scoring: precision@k",
        _METHODS + (_OF_WORDS if "text" in options else _BOOSTING),
    ]
    return "\n".join(lines) + _limits(table, options)


def _usual_top(table: Look, group: str | None) -> Top:
    """Choose the top that nobody has named: 100 rows, or a tenth of few; of groups a quarter of each."""
    if group is None:
        return Top(k=100 if table.rows >= _LONG else max(table.rows // 10, 1))
    quarter = table.rows / table.column(group).distinct // 4
    return Top(k=int(np.clip(quarter, 1, 10)))


def _lines_of_options(options: Mapping[str, object]) -> list[str]:
    """Write a line of YAML for each option, and beside it what the option does."""
    lines = {
        name: f"      {name}: {_flow(value)}" for name, value in options.items()
    }
    width = min(max(map(len, lines.values())), 60)
    return [
        f"{line.ljust(width)}  # {_COMMENTS[name]}" if name in _COMMENTS else line
        for name, line in lines.items()
    ]


def _lines_on_leaks(table: Look) -> Iterator[str]:
    """Yield comments on the columns that tell the label, dropped or kept."""
    for what, then, leaks in (
        ("of drop, these tell", "keep those known", table.leaks_left_out),
        ("these tell", "drop those not known", table.leaks_kept),
    ):
        if leaks:
            yield f"      # {what} the label nearly alone; {then} beforehand:"
        for name, how in leaks.items():
            yield f"      # - {name}: {how}"


def _lines_of_protocol(table: Look, options: Mapping[str, object]) -> Iterator[str]:
    """Yield the protocol that fits groups or entities, with its reason, and one in time if there is one."""
    protocol, why = "stratified", "each row tests once"
    if "group" in options:
        protocol = "whole-groups"
        why = f"each {options['group']} is a list; for new rows of known ones: within-groups"
    elif "entity" in options:
        protocol = "whole-entities"
        why = f"no {options['entity']} is on both sides; for new rows of known ones: stratified, no entity"
    yield f"    # {why}"
    yield f"    protocol: {{kind: {protocol}, options: {_flow(_folds(table))}}}"
    if later := in_time(table):
        yield f"    # nearer to use, earlier days train and later ones test: {_flow(later)}"


def _folds(table: Look) -> dict[str, int]:
    """Choose numbers of folds, at most 5 and 3, of which each can have a row of both classes."""
    labelled = table.sample - table.unlabelled - table.undecided
    share = 0.5 if table.label is None else table.label.share
    rarer = round(min(share, 1 - share) * labelled)
    n_folds = min(_FOLDS, rarer)
    inner_folds = min(_INNER_FOLDS, rarer - 1)
    if inner_folds < 2:
        raise DatasetError(
            f"dataset {table.path}: {count_noun(rarer, 'row')} of the rarer class, and no split has fewer "
            "than 3: collect more, or name other values by --positive"
        )
    return {"n_folds": n_folds, "inner_folds": inner_folds}


def _limits(table: Look, options: Mapping[str, Any]) -> str:
    """Write the memory of a job where the fits of so large a table take more than is usual."""
    aside = {*options.get("drop", ()), *options.get("text", ())}
    most = options.get("max_categories") or np.inf
    numbers = sum(
        min(c.distinct, most) if c.kind == "category" else 1
        for c in table.columns
        if c.name not in aside
    )
    megabytes = _BYTES_A_NUMBER * table.rows * numbers / 1e6
    if megabytes <= _USUAL_MB:
        return ""
    thousands = int(np.ceil(megabytes / 1000))
    return (
        f"# a fit of so many rows takes more memory than the usual {_USUAL_MB}\n"
        f"limits: {{memory_mb: {thousands * 1000}}}\n"
    )


def _length_of_list(
    table: Look, rate: Rate | None, days: int, *, is_grouped: bool
) -> str:
    """Write the comment of a top: which list it is the top of."""
    if rate:
        return f"{rate}: of a {rate.period}'s rows, on average over {days} days"
    if is_grouped:
        return "of each list"
    length = (
        "of a list as long as this table; say what you will look at, of how many"
    )
    of_day = round(table.rows / days) if days else 0
    if of_day > 100:
        length += f"; 100 a day: {{k: 100, of: {of_day}}}"
    return length


def _top_of_rate(rate: Rate, table: Look, days: int) -> Top:
    """Convert a rate to the top of an average period's rows; refuse a period that has no more rows."""
    rows = round(table.rows / days * PERIODS[rate.period]) if days else 0
    if rate.k < rows:
        return Top(k=rate.k, out_of=rows)
    remark = "no column holds dates, written as 2026-12-31 or 2026-12"
    if days:
        remark = f"a {rate.period} has {rows:,} rows"
    raise DatasetError(
        f"dataset {table.path}: {rate} is no top: {remark}; give another --top"
    )


def identifier(path: str, taken: Container[str] = ()) -> str:
    """Make a name for a data set from that of its file: one that is valid and not `taken`."""
    stem = PurePath(path).name.split(".")[0]
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._")[:60] or "mine"
    return f"{name}-mine" if name in taken else name


def _questions(table: Look) -> Iterator[str]:
    """Yield what is not sure, with what to write instead."""
    if (label := table.label) is not None and label.otherwise:
        yield re.sub(
            r"[\0\s]+",
            " ",
            f"positive: {_flow(label.positive)} is a guess; or {label.otherwise}",
        )
    if label is not None and label.left_out:
        rest = _flow(list(label.left_out))
        yield f"rows of {rest} are left out, as no outcome yet; or add them to positive or negative"
    for entry in table.ledger.doubtful:
        text = re.sub(r"[\0\s]+", " ", str(entry))
        yield f"{text}: kept as rows; or none of these lines, in reader: pass_over: {_flow(table.doubtful)}"
    for c in table.questions:
        why = f" ({c.why})" if c.why else ""
        yield f"{c.name} is taken as {c.kind}{why}; or {c.otherwise}: attop look with --role"
        yield f"  {_flow(f'{c.name}={c.otherwise}')}"


def _flow(value: object) -> str:
    import yaml

    text = yaml.safe_dump(
        value,
        default_flow_style=True,
        width=10**9,
        allow_unicode=True,
        sort_keys=False,
    )
    return text.removesuffix("\n").removesuffix("\n...")
