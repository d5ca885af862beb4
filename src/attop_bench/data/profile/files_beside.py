"""Files beside a table that belong to it, and are not read: labels, further rows."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import pandas as pd

from attop.extending import join_first
from attop_bench.data.errors import DatasetError
from attop_bench.data.profile.names import meanings_of, word_set, words_of
from attop_bench.data.reading.formats import format_of, read_table
from attop_bench.data.reading.table import Table
from attop_bench.files import StrPath

#: Largest file that is looked into, and share of its keys that must be the table's.
_LARGEST, _SHARED = 20_000_000, 0.5
#: Share of the values of a key of another name that must be those of a column, and fewest of them.
_ALIKE, _FEW = 0.95, 50


#: A file beside a table, its rows, and who speaks of it.
FileBeside = tuple[Path, pd.DataFrame, Callable[..., Iterator[str]]]


def files_beside(path: StrPath, options: Iterable[object] = ()) -> list[FileBeside]:
    """List the files in the folder of a table that may belong to it by their names.

    Those that one of the `options` takes are left out.
    """
    named = (o.get("path") if isinstance(o, Mapping) else o for o in options)
    paths = [path, *(o for o in named if isinstance(o, (str, os.PathLike)))]
    taken = set(map(os.path.realpath, paths))
    found = []
    for other in _files_of(Path(path).parent):
        words = set(words_of(other.stem.split(".")[0]))
        held = (remark for what, remark in _ABOUT.items() if words & word_set(what))
        remark = next(held, None)
        if os.path.realpath(other) in taken or remark is None:
            continue
        rows = _read(other)
        if rows is not None:
            found.append((other, rows, remark))
    return found


def remarks_on_files(
    files: Iterable[FileBeside], table: Table, label: str | None
) -> Iterator[str]:
    """Yield a line for the files that belong to a table, each with what takes it."""
    lines: dict[str, list[str]] = {}
    for other, rows, remark in files:
        for text in remark(other, table, rows, label):
            lines.setdefault(text, []).append(other.name)
    for text, names in lines.items():
        several = "each of " if len(names) > 1 else ""
        yield f"{several}{join_first(names, 3)} beside it {text}"


def _files_of(folder: Path) -> list[Path]:
    """List the files of a folder that are small enough to be read; none if it cannot be listed."""
    try:
        return sorted(
            p
            for p in folder.iterdir()
            if p.is_file() and p.stat().st_size <= _LARGEST
        )
    except OSError:
        return []


def _read(path: Path) -> pd.DataFrame | None:
    """Read the rows of a file; None where it is no table."""
    try:
        return read_table(path, format_of(path)).frame
    except (DatasetError, OSError):
        return None


def _about_labels(
    other: Path, table: Table, labels: pd.DataFrame, label: str | None
) -> Iterator[str]:
    """Say how labels of another file come to a table's rows: by a column of both, or in their order."""
    rows, shared = table.frame, [name for name in labels if name in table.frame]
    lacking = [name for name in labels if name not in table.frame]
    # A first line that is no header is one of the labels.
    is_in_order = len(labels) in (len(rows) - 1, len(rows))
    if labels.shape[1] == 1 and is_in_order and not shared:
        option = f"--labels {shlex.quote(str(other))}"
        yield f"has one value a row: if they are labels, {option}"
        return
    for key in shared:
        keys = labels[key].astype(str)
        share = keys.isin(rows[key].astype(str)).mean()
        if lacking and keys.is_unique and share >= _SHARED:
            yield (
                f"has {join_first(lacking, 3)} for {share:.0%} of its {len(keys):,} {key}: if one is the "
                f"label, {_joining(other, key)} joins it"
            )
            return
    for key in lacking[:-1]:
        if name := _name_in(rows, labels[key].astype(str)):
            yield (
                f"has the values of {name} as {key}: if it has the label, give both columns one name, then "
                f"{_joining(other, 'NAME')} joins it"
            )
            return


def _joining(labels: Path, key: str) -> str:
    """Write the option that joins labels of another file by a column."""
    return f"--labels {shlex.quote(_fields(path=str(labels), on=key))}"


def _fields(**fields: str) -> str:
    """Write fields as YAML and JSON have them."""
    return json.dumps(fields, ensure_ascii=False)


def _name_in(rows: pd.DataFrame, keys: pd.Series) -> str | None:
    """Find the column of a table, but for measures, that has nearly all of some keys, under another name."""
    if len(keys) < _FEW or not keys.is_unique:
        return None
    names = (n for n in rows if "measure" not in meanings_of(n))
    keyed = (n for n in names if keys.isin(rows[n].astype(str)).mean() >= _ALIKE)
    return next(keyed, None)


def _about_rows(
    other: Path, table: Table, further: pd.DataFrame, label: str | None
) -> Iterator[str]:
    """Say what another file of the same columns is for: a test part, or rows to score."""
    names, others = list(table.frame), list(further)
    if names == others:
        yield (
            f"has the same columns: to test on its rows, test: {other} in params, and protocol: "
            "{kind: given}"
        )
    elif label is not None and [name for name in names if name != label] == others:
        yield f"lacks {label} alone: rows to rank later, by attop score"


def _about_weights(
    other: Path, table: Table, weights: pd.DataFrame, label: str | None
) -> Iterator[str]:
    """Say how weights of another file come to a table's rows: in their order, below a name or none."""
    rows = len(table.frame)
    if weights.shape[1] == 1 and len(weights) in (rows - 1, rows):
        option = shlex.quote(f"weights={_fields(path=str(other))}")
        yield f"has one value a row: if they are weights: --reader {option}"


#: What a file beside a table may hold, by words of its name, and who speaks of it.
_ABOUT = {
    "file of labels": _about_labels,
    "file of weights": _about_weights,
    "file of further rows": _about_rows,
}
