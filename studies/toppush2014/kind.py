"""Spambase as the authors of TopPush publish it, with their training and test part."""

from __future__ import annotations

import os

import numpy as np
from scipy.io import loadmat
from scipy.io.matlab import MatReadError

from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.catalogue import Kind, Stage


def spambase_of_the_authors(file: str | os.PathLike[str]) -> Dataset:
    """Read the file of MATLAB that lies beside the authors' code; features are scaled to [0, 1] there."""
    try:
        arrays = loadmat(file)
        parts = [(arrays[f"X{part}"].toarray(), arrays[f"y{part}"].ravel()) for part in ("tr", "te")]
    except (OSError, ValueError, KeyError, AttributeError, MatReadError) as error:
        raise DatasetError(f"dataset spambase-mat: {file} is not the authors' file: {error}") from None
    X, y = (np.concatenate(its) for its in zip(*parts, strict=True))
    part = np.repeat([0, 1], [len(labels) for _, labels in parts])
    return Dataset("spambase-mat", X.astype(np.float64), (y > 0).astype(np.int64), part=part)


SPAMBASE = Kind("spambase-mat", (Stage("dataset", spambase_of_the_authors),), ("file",))
