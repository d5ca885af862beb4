"""The push for 200 rounds, as Rudin (2005) ran it, and for 5,000: many partitions, training and test part."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from attop.extending import Floats, Ints
from attop.from_papers import PNormPush
from attop.metrics import get_metric
from attop_bench.data.base import Dataset
from attop_bench.data.columns.preparation import scaler
from attop_bench.data.splits.protocols import make_folds

#: Rounds -> partitions: those of 5,000 rounds are half as many, for they take 25 times as long.
PARTITIONS: Mapping[int, int] = {200: 20, 5000: 10}
_POWERS = (1, 2, 4, 8, 16, 64)
#: Items that train, as printed; the first ten partitions are those of the configuration.
TRAIN = {"pima": 300, "pima-thresholds": 300, "wdbc": 369, "tic-tac-toe": 500, "housing": 300, "pima-50": 50}
TRAIN["wdbc-benign"] = TRAIN["wdbc"]


def both_classes(data: Mapping[str, Dataset]) -> dict[str, Dataset]:
    """Return the data sets, and wdbc with its benign class as the positive one: the paper names none."""
    benign = {"wdbc-benign": replace(data["wdbc"], y=1 - data["wdbc"].y)} if "wdbc" in data else {}
    return {**data, **benign}


def rounds(
    seed: int, data: Mapping[str, Dataset], partitions: Mapping[int, int] = PARTITIONS
) -> pd.DataFrame:
    """Train the push for every p and number of rounds, on data sets by id of the configuration.

    Thresholds are as they are, others scaled to their range in training. A row per dataset, partition, p,
    rounds and part (``"training"``, ``"test"``): ``r_max`` (positives above the highest negative), ``auc``,
    and the ``norm`` of the model.
    """
    rows = []
    r_max, auc = get_metric("positives@top"), get_metric("auc")
    for name, one in both_classes(data).items():
        for repeat in range(max(partitions.values())):
            for p in _POWERS:
                for many in (r for r, count in partitions.items() if repeat < count):
                    norm, parts = _train(name, one, repeat, seed, p, many)
                    for part, (y, scores) in parts.items():
                        values = (r_max.value(y, scores), auc.value(y, scores), norm)
                        rows.append((name, repeat, p, many, part, *values))
    columns = ["dataset", "repeat", "p", "rounds", "part", "r_max", "auc", "norm"]
    return pd.DataFrame(rows, columns=columns)


def ranks(seed: int, data: Mapping[str, Dataset], partitions: int = PARTITIONS[200]) -> pd.DataFrame:
    """Count the positives above each of the first ten negatives after 200 rounds, as figure 4 shows them.

    A row per dataset, partition, p, part and rank of the negative, with how many are ``above`` it.
    """
    rows = []
    for name, one in both_classes(data).items():
        for repeat in range(partitions):
            for p in (1, 16, 64):
                for part, (y, scores) in _train(name, one, repeat, seed, p, 200)[1].items():
                    counts = _above(y, scores)
                    rows += [(name, repeat, p, part, rank, n) for rank, n in enumerate(counts, 1)]
    return pd.DataFrame(rows, columns=["dataset", "repeat", "p", "part", "rank", "above"])


def _above(y: Ints, scores: Floats, negatives: int = 10) -> Iterator[int]:
    """Yield the positives strictly above each of the highest negatives."""
    for negative in -np.sort(-scores[y == 0])[:negatives]:
        yield int((scores[y == 1] > negative).sum())


def train_push(p: float, X: Floats, y: Ints, rounds: int = 200) -> PNormPush:
    """Train for so many rounds, near the optimum or not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return PNormPush(p=p, max_iter=rounds).fit(X, y)


def _train(
    name: str, one: Dataset, repeat: int, seed: int, p: float, rounds: int
) -> tuple[float, dict[str, tuple[Ints, Floats]]]:
    """Return the norm of a model, and by part the labels and its scores."""
    [fold] = make_folds("holdout", one, repeat, seed, train=TRAIN[name], inner_folds=2)
    scale = scaler("none" if name == "pima-thresholds" else "range")
    X = one.matrix if scale is None else scale.fit(one.matrix[fold.train]).transform(one.matrix)
    model = train_push(p, X[fold.train], one.y[fold.train], rounds)
    parts = {
        part: (one.y[rows], model.decision_function(X[rows]))
        for part, rows in (("training", fold.train), ("test", fold.test))
    }
    return float(np.linalg.norm(model.coef_)), parts
