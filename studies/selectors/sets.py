"""Sets of the study and their folds; FOLDER holds the files as studies.gains names them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, train_test_split

from attop_bench.data.build import make
from studies.gains import fresh, rare_sets

DEVELOPMENT = [
    *rare_sets.SETS,
    *("ohsumed-relevant-2", "ann-thyroid-1", "steel-faults-4", "steel-faults-5", "letter-G", "wine-low"),
    *("magic04-h", "phoneme-0", "spambase-0", "abalone-young", "pima"),
]
OF_THE_BOARD = [
    *("nursery", "ada", "kc1", "optdigits-8", "shuttle", "wall-following", "cal-housing", "car"),
    *("segment", "german", "electrical-grid", "skillcraft"),
]
CONFIRMATION = [*fresh.FRESH, *OF_THE_BOARD]
#: Rows a model is trained on, at most.
MOST = 4_000
N_FOLDS, N_INNER = 5, 3

Rows = NDArray[np.int64]


class Table(NamedTuple):
    """Features, labels, and the entity of each row where rows depend on each other."""

    X: NDArray[np.float64]
    y: Rows
    entity: Rows | None


class Part(NamedTuple):
    """Rows to train on, pairs of rows to choose by, rows to test on."""

    train: Rows
    inner: list[tuple[Rows, Rows]]
    test: Rows


def load(name: str, folder: Path) -> Table:
    """Return a set by its name."""
    if name in fresh.FRESH:
        X, y = fresh.load(name, folder)
        return Table(X, y, None)
    entry_name = "mq2008-relevant-2" if name == "mq2008" else name
    if name in rare_sets.SETS | rare_sets.MORE and name != "mq2008":
        return Table(*rare_sets.load(name, folder), None)
    entry = rare_sets.CATALOGUE[entry_name]
    paths = {key: Path(folder, file.get("mirror", file["path"])) for key, file in entry["files"].items()}
    data = make(entry["kind"], **{**entry["params"], **paths})
    return Table(data.matrix, data.y, data.entity)


def folds(table: Table) -> list[Part]:
    """Return the folds of a set."""
    parts = []
    for number, (train, test) in enumerate(cut(table, np.arange(len(table.y)), N_FOLDS, 0)):
        if len(train) > MOST:
            train, _ = train_test_split(train, train_size=MOST, stratify=table.y[train], random_state=number)
        parts.append(Part(train, cut(table, train, N_INNER, number), test))
    return parts


def cut(table: Table, rows: Rows, n_folds: int, seed: int) -> list[tuple[Rows, Rows]]:
    """Cut rows into pairs of a larger and a smaller part, entities whole."""
    if table.entity is None:
        pairs = StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(rows, table.y[rows])
    else:
        splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
        pairs = splitter.split(rows, table.y[rows], table.entity[rows])
    return [(rows[larger], rows[smaller]) for larger, smaller in pairs]
