"""Whether there is anything to gain at the top of a table in a file."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any

import pandas as pd

from attop.core.top import Top
from attop.core.wording import counted, few
from attop.gap.gap import gap
from attop_bench.data.base import DatasetError
from attop_bench.data.kinds.raw_table import read_raw_table
from attop_bench.data.kinds.table_labels import positives
from attop_bench.data.look.label import candidate
from attop_bench.data.look.table import first_line_says
from attop_bench.run.config import ConfigError

__all__ = ["read", "show"]

#: A text column of more values than this is left out: a name, an identifier.
_CATEGORIES = 50


def show(options: argparse.Namespace) -> int:
    """Print what `attop.gap.gap` finds."""
    text = options.top if "=" in options.top else f"k={options.top}"
    try:
        top = Top.parse(text)
    except ValueError as error:
        raise ConfigError(f"--top: {error}") from None
    X, y, groups = read(options.table, options.label, options.positive, options.group, options.drop)
    try:
        print(gap(X, y, top, groups=groups, n_jobs=options.jobs))
    except ValueError as error:
        raise ConfigError(str(error)) from error
    return 0


def read(
    path: str, label: str, positive: str | None, group: str | None, drop: Sequence[str] = ()
) -> tuple[Any, Any, Any]:
    """Return features as numbers, whether each row is positive, and its group or None; say what they are.

    Text becomes a column for each value, and one for none; text of more than 50 values is left out.
    """
    aside = [int(c) if re.fullmatch(r"-?\d+", c) else c for c in drop]  # a name, or a number from 1
    try:
        table = read_raw_table(
            path, label, reader=first_line_says(path), roles={"group": group}, drop=aside, impute="median"
        )
        values = table.frame[table.label]
        kinds = list(map(str, values.unique()))
        if positive is None and len(kinds) != 2:
            raise ConfigError(
                f"--label {label} holds {counted(len(kinds), 'value')} ({few(sorted(kinds))}): say which is "
                "positive by --positive"
            )
        chosen = candidate(values, None, "").positive if positive is None else positive
        y = positives(values, chosen, f"dataset {path}")
    except DatasetError as error:
        raise ConfigError(str(error)) from error
    unused = [name for name in table.words if table.frame[name].nunique() > _CATEGORIES]
    if unused:
        print(f"Left out, text of more than {_CATEGORIES} values: {few(unused)}.")
    words = [name for name in table.words if name not in unused]
    numbers = table.frame[[name for name in table.features if name not in table.words]]
    columns = [numbers, *(pd.get_dummies(table.frame[name], dummy_na=True) for name in words)]
    X = pd.concat(columns, axis=1).to_numpy(float)
    print(
        f"{counted(len(y), 'row')}, {y.sum():,} of them positive ({table.label}: {chosen}), "
        f"{counted(X.shape[1], 'feature')}\n"
    )
    return X, y, table.frame[table.roles["group"]] if group is not None else None
