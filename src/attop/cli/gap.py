"""Whether there is anything to gain at the top of a table in a file."""

from __future__ import annotations

import argparse
from typing import Any

import pandas as pd

from attop.bench.config import ConfigError
from attop.cli.text import few
from attop.diagnostics.gap import gap
from attop.top import Top
from attop.wording import counted

__all__ = ["read", "show"]

#: A text column of more values than this is left out: a name, an identifier.
_CATEGORIES = 50


def show(options: argparse.Namespace) -> int:
    """Print what `attop.diagnostics.gap` finds."""
    text = options.top if "=" in options.top else f"k={options.top}"
    try:
        top = Top.parse(text)
    except ValueError as error:
        raise ConfigError(f"--top: {error}") from None
    X, y, groups = read(options.table, options.label, options.positive, options.group)
    print(f"{counted(len(y), 'row')}, {y.sum():,} of them positive, {counted(X.shape[1], 'feature')}\n")
    try:
        print(gap(X, y, top, groups=groups, n_jobs=options.jobs))
    except ValueError as error:
        raise ConfigError(str(error)) from error
    return 0


def read(path: str, label: str, positive: str | None, group: str | None) -> tuple[Any, Any, Any]:
    """Return features as numbers, whether each row is positive, and its group or None.

    Text becomes a column for each value, and one for none; text of more than 50 values is left out, and said.
    """
    try:
        table = pd.read_csv(path)
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read {path}: {error}") from None
    for option, name in (("label", label), ("group", group)):
        if name is not None and name not in table.columns:
            raise ConfigError(f"--{option} {name}: {path} has the columns {few(list(table.columns), 12)}")
    values = table.pop(label)
    groups = None if group is None else table.pop(group)
    y = values == _positive(values, label, positive)
    numbers = table.select_dtypes(["number", "bool"])
    words = table.drop(columns=numbers.columns)
    unused = [name for name in words if words[name].nunique() > _CATEGORIES]
    if unused:
        print(f"Left out, text of more than {_CATEGORIES} values: {few(unused)}.")
    words = pd.get_dummies(words.drop(columns=unused), dummy_na=True)
    return pd.concat([numbers, words], axis=1).to_numpy(float), y.to_numpy(), groups


def _positive(values: pd.Series, label: str, positive: str | None) -> Any:
    if lacking := int(values.isna().sum()):
        raise ConfigError(f"--label {label}: {counted(lacking, 'row')} without a label: drop them")
    kinds = sorted(values.unique(), key=lambda value: (str(type(value)), value))
    if positive is None:
        if len(kinds) != 2:
            raise ConfigError(
                f"--label {label} holds {counted(len(kinds), 'value')} ({few(list(map(str, kinds)))}): "
                "say which is positive by --positive"
            )
        return kinds[-1]
    found = [kind for kind in kinds if str(kind) == positive]
    if not found:
        raise ConfigError(f"--positive {positive}: {label} holds {few(list(map(str, kinds)))}")
    return found[0]
