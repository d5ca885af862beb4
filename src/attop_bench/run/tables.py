"""The tidy tables of results: their columns, and reading and writing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attop_bench.files import StrPath, write_csv, write_parquet

if TYPE_CHECKING:
    import pandas as pd

#: Of `TABLES`, in the Parquet files and the manifest; raised when a column changes its name or meaning.
SCHEMA_VERSION = 1

#: The first columns of every table, which name a result.
KEY = ("dataset", "method", "repeat", "fold", "top")

# fmt: off
#: The tables by name, and the columns that each has after `KEY`.
TABLES: dict[str, tuple[str, ...]] = {
    "evaluation": ("metric", "value", "reason", "n_groups", "n_left_out"),
    # Scores trained for `top`, evaluated at the top `at`.
    "cross": ("at", "metric", "value"),
    "runs": (
        "status", "chosen", "n_candidates", "averaged", "scoring", "selection", "validation", "at_edge",
        "constant", "torn", "n_train", "n_test", "seconds_selection", "seconds_training", "seconds_scoring",
        "seconds_cpu", "started", "ended", "peak_memory_mb", "host", "environment", "seed", "error",
    ),
    "selection": ("candidate", "inner_fold", "value", "part", "times"),
    "roc": ("fp", "tp", "n_neg", "n_pos", "amounts"),
    # Items among the first k of a run, at the main top of one list: their row from 1, label, and the share of
    # the orders of tied items in which it is there; and the positives of the test part.
    "listed": ("row", "label", "listed", "n_pos"),
    # Of each part of a test part's rows, such as a region, where the data set names such a column: its rows
    # and positives, and those expected among the first k.
    "parts": ("column", "part", "rows", "positives", "among", "found"),
    # Of the first repeat and fold, at one top, by `attop_bench.run.trace`; not of the other runs.
    "trace": ("iterations", "objective", "train", "test"),
}
# fmt: on

#: Those whose cells are curves or lists, for which CSV has no form.
CELLS = ("roc", "listed")
#: Tables of the evaluation of a data set.
EVALUATED = tuple(name for name in TABLES if name != "trace")


def write_tables(
    tables: Mapping[str, pd.DataFrame], folder: StrPath, *, csv: bool = False
) -> None:
    """Write each table to ``<folder>/<name>.parquet``, and to CSV if asked for, whole or not at all."""
    folder = Path(folder)
    metadata = {"attop_schema_version": str(SCHEMA_VERSION)}
    for name, table in tables.items():
        write_parquet(folder / f"{name}.parquet", table, metadata)
        if csv and name not in CELLS:
            write_csv(folder / f"{name}.csv", table)


def read_tables(folders: Sequence[StrPath]) -> dict[str, pd.DataFrame]:
    """Read the tables of several folders, joined in this order."""
    import pandas as pd

    def read(path: Path) -> pd.DataFrame:
        try:
            return pd.read_parquet(path)
        except (OSError, ValueError) as error:
            raise ValueError(
                f"{path} cannot be read ({error}): delete it, and it is made again"
            ) from error

    return {
        name: pd.concat(
            [read(Path(f) / f"{name}.parquet") for f in folders], ignore_index=True
        )
        for name in TABLES
    }
