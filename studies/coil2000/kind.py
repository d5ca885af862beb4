"""CoIL 2000: who of an insurer's customers has a caravan policy; 800 of 4,000 are to be mailed."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from attop.extending import Floats, Ints
from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.catalogue import Kind, Stage
from attop_bench.data.reading.formats import read_frame
from studies.coil2000.customers import COLUMNS, FEATURES, customer_features

_FACTS = {
    "title": "CoIL 2000, caravan policies",
    "licence": "CC BY 4.0 (UCI)",
    "positive": "customer with a caravan policy",
    "features": list(FEATURES),
}


def coil2000(path: str | os.PathLike[str], evaluation: str | os.PathLike[str]) -> Dataset:
    """Read the customers to train on: 85 columns and the label.

    Of those to choose from only the form of the file is looked at. Another form is a `DatasetError`.
    """
    evaluation_features(evaluation)
    X, y = _training(path)
    return Dataset("coil2000", X, y, None, _FACTS)


def coil2000_evaluation(
    path: str | os.PathLike[str], evaluation: str | os.PathLike[str], labels: str | os.PathLike[str]
) -> Dataset:
    """Read the customers to train on, part 0, and those to choose from with their labels, part 1."""
    X, y = _training(path)
    others, found = evaluation_features(evaluation), _numbers(labels, 1)[:, 0]
    if len(found) != len(others):
        raise DatasetError(
            f"dataset {labels}: {len(found)} labels for {len(others)} customers of {evaluation}"
        )
    part = np.repeat([0, 1], [len(y), len(found)])
    return Dataset("coil2000", np.vstack([X, others]), np.concatenate([y, found]), None, _FACTS, part)


def evaluation_features(path: str | os.PathLike[str]) -> Floats:
    """Return the features of the customers to choose from, in the order of the file."""
    return customer_features(_numbers(path, len(COLUMNS)))


def _training(path: str | os.PathLike[str]) -> tuple[Floats, Ints]:
    table = _numbers(path, len(COLUMNS) + 1)
    return customer_features(table[:, :-1]), table[:, -1].astype(np.int64)


def _numbers(path: str | os.PathLike[str], columns: int) -> NDArray[np.number]:
    frame = read_frame(path, "csv", {"header": False, "separator": "tab"})
    if frame.shape[1] != columns or any(kind.kind not in "iu" for kind in frame.dtypes):
        raise DatasetError(
            f"dataset {path}: {columns} columns of whole numbers are needed, got {frame.shape[1]} columns: "
            "get the file again"
        )
    return frame.to_numpy()


COIL2000 = Kind("coil2000", (Stage("dataset", coil2000),), ("path", "evaluation"))
COIL2000_EVALUATION = Kind(
    "coil2000-evaluation", (Stage("dataset", coil2000_evaluation),), ("path", "evaluation", "labels")
)
