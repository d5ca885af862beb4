"""The tidy tables of results: their columns, and reading and writing them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["KEY", "TABLES", "read_tables", "write_tables"]

#: The columns that name a result, in every table.
KEY = ("dataset", "method", "repeat", "fold", "target")

#: The tables by name, and the columns each has besides `KEY`.
TABLES: dict[str, tuple[str, ...]] = {
    "evaluation": ("metric", "value", "reason", "n_groups", "n_left_out"),
    "runs": (
        "status",
        "chosen",
        "n_settings",
        "select_by",
        "selection",
        "validation",
        "at_edge",
        "seconds_selection",
        "seconds_training",
        "seconds_scoring",
        "peak_memory_mb",
        "host",
        "seed",
        "error",
    ),
    "selection": ("setting", "inner_fold", "value", "part"),
    "roc": ("fp", "tp", "n_neg", "n_pos"),
}


def write_tables(tables: Mapping[str, pd.DataFrame], folder: str | os.PathLike[str]) -> None:
    """Write each table to ``<folder>/<name>.parquet``, each whole or not at all."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=f".{name}.")
        os.close(descriptor)
        try:
            table.to_parquet(temporary, index=False)
            os.chmod(temporary, 0o644)
            os.replace(temporary, folder / f"{name}.parquet")
        except BaseException:
            os.unlink(temporary)
            raise


def read_tables(folders: Sequence[str | os.PathLike[str]]) -> dict[str, pd.DataFrame]:
    """Read the tables of several folders and put them together, in the order given."""
    import pandas as pd

    return {
        name: pd.concat([pd.read_parquet(Path(f) / f"{name}.parquet") for f in folders], ignore_index=True)
        for name in TABLES
    }
