"""Public data sets with few positives, read from a folder of their original files.

Whatever has more than 250 positives or 2,500 rows is cut down to them, with a fixed seed: positives first,
then negatives up to the number of rows.
"""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd

POSITIVES, ROWS = 250, 2500


def _csv(path, **options):
    return pd.read_csv(path, header=None, **options)


def _last(frame, positive):
    return frame.iloc[:, :-1], frame.iloc[:, -1].map(positive)


def _svmlight(path, n_features):
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(path, n_features=n_features)
    return pd.DataFrame(X.toarray()), pd.Series(y > 0)


def _ai4i(folder):
    frame = pd.read_csv(folder / "ai4i2020/ai4i2020.csv", encoding="utf-8-sig")
    leaks = ["UDI", "Product ID", "TWF", "HDF", "PWF", "OSF", "RNF"]
    return frame.drop(columns=[*leaks, "Machine failure"]), frame["Machine failure"] == 1


def _thyroid(folder, label):
    parts = [_csv(folder / f"ann-thyroid/ann-{part}.data", sep=r"\s+") for part in ("train", "test")]
    return _last(pd.concat(parts, ignore_index=True), lambda v: v == label)


def _wine(folder, positive):
    return _last(_csv(folder / "wine-quality/winequality-white.data", sep=";"), positive)


def _steel(folder, label):
    frame = _csv(folder / "steel-faults/Faults.NNA", sep="\t")
    return frame.iloc[:, :27], frame.iloc[:, 26 + label] == 1


def _ijcnn1(folder):
    with gzip.open(folder / "ijcnn1/ijcnn1.gz") as file:
        return _svmlight(file, 22)


def _letter(folder):
    frame = _csv(folder / "letter/letter-recognition.data")
    return frame.iloc[:, 1:], frame[0] == "N"


def _few(X, y, positives):
    """Draw that many positives; all negatives stay."""
    drawn = np.random.default_rng(0).permutation(np.flatnonzero(y))[:positives]
    rows = np.sort(np.r_[drawn, np.flatnonzero(~y)])
    return X.iloc[rows], y.iloc[rows]


SETS = {
    "mammography": lambda f: _last(
        _csv(f / "mammography/mammography.csv"), lambda v: str(v).strip("'") == "1"
    ),
    "oil-spill": lambda f: _last(_csv(f / "oil-spill/oil-spill.csv").iloc[:, 1:], lambda v: v == 1),
    "phoneme": lambda f: _few(*_last(_csv(f / "phoneme/phoneme.csv"), lambda v: v == 1), 200),
    "ai4i2020": _ai4i,
    "thyroid, class 1": lambda f: _thyroid(f, 1),
    "thyroid, class 2": lambda f: _thyroid(f, 2),
    "abalone": lambda f: _last(_csv(f / "abalone/abalone.data"), lambda v: v >= 17),
    "wine, 8 and more": lambda f: _wine(f, lambda v: v >= 8),
    "wine, 4 and less": lambda f: _wine(f, lambda v: v <= 4),
    "magic04": lambda f: _few(*_last(_csv(f / "magic04/magic04.data"), lambda v: v == "g"), 260),
    "steel, fault 4": lambda f: _steel(f, 4),
    "steel, fault 5": lambda f: _steel(f, 5),
    "letter N": _letter,
    "spambase": lambda f: _few(*_last(_csv(f / "spambase/spambase.data"), lambda v: v == 1), 140),
    "a9a": lambda f: _svmlight(str(f / "a9a/a9a"), 123),
    "ijcnn1": _ijcnn1,
    "coil2000": lambda f: _last(_csv(f / "coil2000/ticdata2000.txt", sep="\t"), lambda v: v == 1),
}


def load(name, folder):
    """Return features, text as one column a category, and labels 0 and 1."""
    X, y = SETS[name](Path(folder))
    y = y.astype(bool)
    X, y = _few(X, y, POSITIVES)
    rng = np.random.default_rng(1)
    negatives = rng.permutation(np.flatnonzero(~y))[: ROWS - int(y.sum())]
    rows = np.sort(np.r_[np.flatnonzero(y), negatives])
    features = pd.get_dummies(X, dtype=float).to_numpy(float)[rows]
    return features[:, np.ptp(features, axis=0) > 0], y.to_numpy(int)[rows]
