"""Public sets with rare positives: tables of config/datasets.yaml, some with other labels, some thinned."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from attop_bench.data import make

__all__ = ["MORE", "SETS", "load"]

#: Draws the rows of the sets that are made rare.
_SEED = 20201121

_Set = tuple[str, dict[str, Any], int | None, int | None]

#: Set of the catalogue, what is read otherwise of it, and at most so many positives and negatives.
SETS: dict[str, _Set] = {
    "a9a": ("a9a", {"test": None}, 300, 8000),
    "abalone": ("abalone", {}, None, None),
    "ai4i2020": ("ai4i2020", {"one_hot": True, "codes": None}, None, None),
    "ann-thyroid": ("ann-thyroid-2", {}, None, None),
    "ijcnn1": ("ijcnn1", {"path": "ijcnn1/ijcnn1.gz"}, 300, 8000),
    "letter": ("letter", {"positive": "N"}, 320, 8000),
    "magic04": ("magic04-rare", {"positive": "g"}, 260, None),
    "mammography": ("mammography", {}, None, None),
    "mq2008": ("mq2008-relevant-2", {}, None, None),
    "oil-spill": ("oil-spill", {}, None, None),
    "phoneme": ("phoneme-rare", {}, 200, None),
    "spambase": ("spambase-rare", {}, 140, None),
    "steel-faults": ("steel-pastry", {}, None, None),
    "wine-white": ("wine-white", {}, None, None),
}
#: Other labels in the same files, and four other sets: for development.
MORE: dict[str, _Set] = {
    "ann-thyroid-1": ("ann-thyroid-1", {}, None, None),
    "coil2000": ("steel-stains", {"path": "coil2000/ticdata2000.txt", "label": -1, "drop": []}, None, None),
    "steel-faults-4": ("steel-stains", {}, None, None),
    "steel-faults-5": ("steel-dirtiness", {}, None, None),
    "letter-G": ("letter", {"positive": "G"}, 320, 8000),
    "letter-X": ("letter", {"positive": "X"}, 320, 8000),
    "wine-low": ("wine-white", {"positive": "<= 4"}, None, None),
    "magic04-h": ("magic04-rare", {"positive": "h"}, 260, 6500),
    "phoneme-0": ("phoneme-rare", {"positive": 0}, 120, None),
    "spambase-0": ("spambase-rare", {"positive": 0}, 130, None),
    "abalone-young": ("abalone", {"positive": "<= 5"}, None, None),
    "digits-8": ("", {}, 80, None),
    "pima": ("pima", {}, 60, None),
    "tic-tac-toe": ("tic-tac-toe-one-hot", {"positive": "negative"}, 60, None),
}


def load(
    name: str, folder: Path, n_pos: int | None = None, n_rows: int | None = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return features and labels of a set of `SETS` or `MORE`, with at most so many positives and rows."""
    id, changes, most_pos, most_neg = (SETS | MORE)[name]
    X, y = _read(id, changes, folder)
    X, y = _thinned(X, y, most_pos, most_neg)
    kept = int(y.sum()) if n_pos is None else min(n_pos, int(y.sum()))
    return _thinned(X, y, n_pos, None if n_rows is None else n_rows - kept)


@cache
def _catalogue() -> dict[str, Any]:
    text = (Path(__file__).parents[2] / "config/datasets.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)


def _read(id: str, changes: dict[str, Any], folder: Path) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    if not id:
        digits = load_digits()
        return digits.data, (digits.target == 8).astype(np.int64)
    entry = _catalogue()[id]
    files = {name: file["path"] for name, file in entry["files"].items()}
    params = files | entry["params"] | {"downsample_positives": None} | changes
    data = make("file", **params | {name: folder / params[name] for name in files if params[name]})
    # Each 0/1 column of a category, such as "1=F", comes before all numbers.
    order = np.argsort(["=" not in str(name) for name in data.facts["features"]], kind="stable")
    return np.take(data.X, order, axis=1), data.y


def _thinned(
    X: NDArray[np.float64], y: NDArray[np.int64], n_pos: int | None, n_neg: int | None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw positives and negatives, where a number of either is given."""
    if n_pos is None and n_neg is None:
        return X, y
    rng = np.random.default_rng(_SEED)
    pos = rng.permutation(np.flatnonzero(y == 1))[:n_pos]
    neg = rng.permutation(np.flatnonzero(y == 0))[:n_neg]
    rows = np.sort(np.concatenate([pos, neg]))
    return X[rows], y[rows]
