"""Public sets with rare positives, read from a folder as their publishers name the files."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits, load_svmlight_file

__all__ = ["MORE", "SETS", "load"]

Floats = NDArray[np.float64]
Sample = tuple[Floats, NDArray[np.bool_]]

#: Draws the rows of the sets that are made rare.
_SEED = 20201121


def load(
    name: str, folder: Path, n_pos: int | None = None, n_rows: int | None = None
) -> tuple[Floats, NDArray[np.int64]]:
    """Return features and labels of a set of `SETS` or `MORE`, with at most so many positives and rows."""
    X, y = (SETS | MORE)[name](folder)
    if n_pos is not None or n_rows is not None:
        kept = int(y.sum()) if n_pos is None else min(n_pos, int(y.sum()))
        X, y = _rare((X, y), kept, None if n_rows is None else n_rows - kept)
    return np.asarray(X, np.float64), y.astype(np.int64)


def _rare(sample: Sample, n_pos: int, n_neg: int | None = None) -> Sample:
    """Draw positives, and negatives where a number is given."""
    X, y = sample
    rng = np.random.default_rng(_SEED)
    pos = rng.permutation(np.flatnonzero(y))[:n_pos]
    neg = rng.permutation(np.flatnonzero(~y))[:n_neg]
    rows = np.sort(np.concatenate([pos, neg]))
    return X[rows], y[rows]


def _table(path: Path, delimiter: str | None = ",", skip: int = 0) -> NDArray[np.str_]:
    lines = path.read_text(encoding="utf-8-sig").splitlines()[skip:]
    return np.array([line.split(delimiter) for line in lines if line.strip()])


def _one_hot(column: NDArray[np.str_]) -> Floats:
    return (column[:, None] == np.unique(column)[None, :]).astype(float)


def _a9a(folder: Path) -> Sample:
    X, y = load_svmlight_file(str(folder / "a9a/a9a"), n_features=123)
    return _rare((X.toarray(), y > 0), 300, 8000)


def _abalone(folder: Path, young: bool = False) -> Sample:
    table = _table(folder / "abalone/abalone.data")
    X, rings = np.hstack([_one_hot(table[:, 0]), table[:, 1:8].astype(float)]), table[:, 8].astype(int)
    return X, rings <= 5 if young else rings >= 17


def _ai4i2020(folder: Path) -> Sample:
    # The last five columns are the ways to fail: they would give the label away.
    table = _table(folder / "ai4i2020/ai4i2020.csv", skip=1)
    return np.hstack([_one_hot(table[:, 2]), table[:, 3:8].astype(float)]), table[:, 8] == "1"


def _thyroid(folder: Path, label: int) -> Sample:
    parts = [_table(folder / f"ann-thyroid/ann-{part}.data", None) for part in ("train", "test")]
    table = np.vstack(parts).astype(float)
    return table[:, :21], table[:, 21] == label


def _coil(folder: Path) -> Sample:
    table = _table(folder / "coil2000/ticdata2000.txt", "\t").astype(float)
    return table[:, :-1], table[:, -1] == 1


def _ijcnn1(folder: Path) -> Sample:
    with gzip.open(folder / "ijcnn1/ijcnn1.gz") as file:
        X, y = load_svmlight_file(file, n_features=22)
    return _rare((X.toarray(), y > 0), 300, 8000)


def _letter(folder: Path, letter: str) -> Sample:
    table = _table(folder / "letter/letter-recognition.data")
    return _rare((table[:, 1:].astype(float), table[:, 0] == letter), 320, 8000)


def _digit(digit: int) -> Sample:
    digits = load_digits()
    return _rare((digits.data, digits.target == digit), 80)


def _magic(folder: Path, label: str = "g", n_neg: int | None = None) -> Sample:
    table = _table(folder / "magic04/magic04.data")
    return _rare((table[:, :10].astype(float), table[:, 10] == label), 260, n_neg)


def _mammography(folder: Path) -> Sample:
    table = _table(folder / "mammography/mammography.csv")
    return table[:, :6].astype(float), table[:, 6] == "'1'"


def _mq2008(folder: Path) -> Sample:
    X, y = load_svmlight_file(str(folder / "letor4-mq2008/Fold1/test.txt"), n_features=46)
    return X.toarray(), y == 2


def _oil(folder: Path) -> Sample:
    table = _table(folder / "oil-spill/oil-spill.csv").astype(float)
    return table[:, 1:-1], table[:, -1] == 1


def _phoneme(folder: Path, label: int = 1, n_pos: int = 200) -> Sample:
    table = _table(folder / "phoneme/phoneme.csv").astype(float)
    return _rare((table[:, :5], table[:, 5] == label), n_pos)


def _pima(folder: Path) -> Sample:
    table = _table(folder / "pima/pima-indians-diabetes.data").astype(float)
    return _rare((table[:, :8], table[:, 8] == 1), 60)


def _spambase(folder: Path, label: int = 1, n_pos: int = 140) -> Sample:
    table = _table(folder / "spambase/spambase.data").astype(float)
    return _rare((table[:, :57], table[:, 57] == label), n_pos)


def _steel(folder: Path, fault: int) -> Sample:
    table = _table(folder / "steel-faults/Faults.NNA", "\t").astype(float)
    return table[:, :27], table[:, 27 + fault] == 1


def _tic_tac_toe(folder: Path) -> Sample:
    table = _table(folder / "tic-tac-toe/tic-tac-toe.data")
    return _rare((np.hstack([_one_hot(table[:, j]) for j in range(9)]), table[:, 9] == "negative"), 60)


def _wine(folder: Path, low: bool = False) -> Sample:
    table = _table(folder / "wine-quality/winequality-white.data", ";").astype(float)
    return table[:, :11], table[:, 11] <= 4 if low else table[:, 11] >= 8


SETS: dict[str, Callable[[Path], Sample]] = {
    "a9a": _a9a,
    "abalone": _abalone,
    "ai4i2020": _ai4i2020,
    "ann-thyroid": lambda folder: _thyroid(folder, 2),
    "ijcnn1": _ijcnn1,
    "letter": lambda folder: _letter(folder, "N"),
    "magic04": _magic,
    "mammography": _mammography,
    "mq2008": _mq2008,
    "oil-spill": _oil,
    "phoneme": _phoneme,
    "spambase": _spambase,
    "steel-faults": lambda folder: _steel(folder, 0),
    "wine-white": _wine,
}
#: Other labels in the same files, and four other sets: for development.
MORE: dict[str, Callable[[Path], Sample]] = {
    "ann-thyroid-1": lambda folder: _thyroid(folder, 1),
    "coil2000": _coil,
    "steel-faults-4": lambda folder: _steel(folder, 3),
    "steel-faults-5": lambda folder: _steel(folder, 4),
    "letter-G": lambda folder: _letter(folder, "G"),
    "letter-X": lambda folder: _letter(folder, "X"),
    "wine-low": lambda folder: _wine(folder, True),
    "magic04-h": lambda folder: _magic(folder, "h", 6500),
    "phoneme-0": lambda folder: _phoneme(folder, 0, 120),
    "spambase-0": lambda folder: _spambase(folder, 0, 130),
    "abalone-young": lambda folder: _abalone(folder, True),
    "digits-8": lambda folder: _digit(8),
    "pima": _pima,
    "tic-tac-toe": _tic_tac_toe,
}
