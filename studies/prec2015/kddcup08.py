"""KDD Cup 2008: candidates of breast cancer."""

from __future__ import annotations

import os

import numpy as np

from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.catalogue import Kind, Stage
from attop_bench.data.reading.formats import read_frame


def kdd_cup(info: str | os.PathLike[str], features: str | os.PathLike[str]) -> Dataset:
    """Read the training data of KDD Cup 2008: candidates for lesions in mammograms.

    Parameters
    ----------
    info : path
        ``Info.txt``: the label (1 malignant, -1 not) is the first of the numbers in each line; those of
        patient, image and place are not features.
    features : path
        ``Features.txt``: 117 numbers in each line, for the candidate in the same line of `info`.
    """
    options = {"header": False, "separator": "whitespace"}
    label = read_frame(info, "csv", options).iloc[:, 0].to_numpy()
    table = read_frame(features, "csv", options)
    if len(label) != len(table):
        raise DatasetError(
            f"dataset kddcup08: {len(label)} lines in {info} but {len(table)} in {features}: "
            "take both from one archive"
        )
    if not np.isin(label, (-1, 1)).all():
        raise DatasetError(
            f"dataset kddcup08: labels in {info} must be 1 or -1, got {np.unique(label)[:5].tolist()}: "
            "take the training data, those of the test have no labels"
        )
    if text := [c for c in table if table[c].dtype.kind not in "if"]:
        raise DatasetError(
            f"dataset kddcup08: column {text[0]} of {features} is not numeric, for example "
            f"{table[text[0]].iloc[0]!r}: download the file again"
        )
    facts = {
        "title": "KDD Cup 2008",
        "source": "KDD Cup 2008, training data",
        "licence": "terms of the challenge",
        "positive": "malignant candidate",
    }
    y = (label == 1).astype(np.int64)
    return Dataset("kddcup08", table.to_numpy(np.float64), y, None, facts)


KDDCUP08 = Kind("kddcup08", (Stage("dataset", kdd_cup),), ("info", "features"))
