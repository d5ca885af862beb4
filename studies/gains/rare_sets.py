"""Public sets with rare positives: entries of config/datasets.yaml, read from a folder like a mirror."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attop_bench.data.build import make
from attop_bench.data.columns.preparation import columns_of
from attop_bench.run.config import read_yaml

__all__ = ["MORE", "SETS", "load"]

CATALOGUE = read_yaml(Path(__file__).parents[2] / "config/datasets.yaml")
#: The customers to train on alone; the catalogue has them with those of the evaluation.
CATALOGUE["coil2000"] = {
    "kind": "file",
    "files": {"path": {"path": "coil2000/ticdata2000.txt"}},
    "params": {"format": "csv", "reader": {"header": False, "separator": "tab"}, "label": -1, "positive": 1},
}
#: Draws the rows of the sets that are made rare.
_SEED = 20201121


class Rare(NamedTuple):
    """An entry of the catalogue, so many positives and negatives of it, and parameters other than its own."""

    entry: str
    n_pos: int | None = None
    n_neg: int | None = None
    other: Mapping[str, Any] = {}


_ALL: dict[str, Any] = {"downsample_positives": None}
SETS = {
    "a9a": Rare("a9a", 300, 8000, {"test": None}),
    "abalone": Rare("abalone"),
    "ai4i2020": Rare("ai4i2020", other={"codes": None, "one_hot": True}),
    "ann-thyroid": Rare("ann-thyroid-2"),
    "ijcnn1": Rare("ijcnn1", 300, 8000),
    "letter": Rare("letter", 320, 8000),
    "magic04": Rare("magic04-rare", 260, other=_ALL),
    "mammography": Rare("mammography"),
    "mq2008": Rare("mq2008-relevant-2"),
    "oil-spill": Rare("oil-spill"),
    "phoneme": Rare("phoneme-rare", 200, other=_ALL),
    "spambase": Rare("spambase", 140),
    "steel-faults": Rare("steel-pastry"),
    "wine-white": Rare("wine-white"),
}
#: Other labels in the same files, and four other sets: for development.
MORE = {
    "ann-thyroid-1": Rare("ann-thyroid-1"),
    "coil2000": Rare("coil2000"),
    "steel-faults-4": Rare("steel-stains"),
    "steel-faults-5": Rare("steel-dirtiness"),
    "letter-G": Rare("letter", 320, 8000, {"positive": "G"}),
    "letter-X": Rare("letter", 320, 8000, {"positive": "X"}),
    "wine-low": Rare("wine-white", other={"positive": "<= 4"}),
    "magic04-h": Rare("magic04-rare", 260, 6500, _ALL | {"positive": "h"}),
    "phoneme-0": Rare("phoneme-rare", 120, other=_ALL | {"positive": 0}),
    "spambase-0": Rare("spambase", 130, other={"positive": 0}),
    "abalone-young": Rare("abalone", other={"positive": "<= 5"}),
    "digits-8": Rare("digit-8", 80, other={"pool": 1}),
    "pima": Rare("pima", 60),
    "tic-tac-toe": Rare("tic-tac-toe-one-hot", 60, other={"positive": "negative"}),
}


def load(
    name: str, folder: Path, n_pos: int | None = None, n_rows: int | None = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return features and labels of a set of `SETS` or `MORE`, with at most so many positives and rows."""
    rare = (SETS | MORE)[name]
    entry = CATALOGUE[rare.entry]
    files = {name: Path(folder, f.get("mirror", f["path"])) for name, f in entry.get("files", {}).items()}
    data = make(entry["kind"], **{**entry["params"], **files, **rare.other})
    # The results published were found with the columns of 0 and 1 before the others.
    n_numbers, features = len(columns_of(data.X).numbers), data.matrix
    order = [*range(n_numbers, features.shape[1]), *range(n_numbers)]
    X, y = _drawn(features[:, order], data.y, rare.n_pos, rare.n_neg)
    if n_pos is not None or n_rows is not None:
        kept = int(y.sum()) if n_pos is None else min(n_pos, int(y.sum()))
        X, y = _drawn(X, y, kept, None if n_rows is None else n_rows - kept)
    return X, y


def _drawn(X: NDArray, y: NDArray, n_pos: int | None, n_neg: int | None) -> tuple[NDArray, NDArray]:
    """Draw positives and negatives, all of them where no number is given."""
    rng = np.random.default_rng(_SEED)
    pos = rng.permutation(np.flatnonzero(y == 1))[:n_pos]
    neg = rng.permutation(np.flatnonzero(y == 0))[:n_neg]
    rows = np.sort(np.concatenate([pos, neg]))
    return X[rows], y[rows]
