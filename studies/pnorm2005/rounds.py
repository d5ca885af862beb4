"""The push for 200 rounds, as Rudin (2005) ran it, and for 5,000: many partitions, training and test part."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from attop.from_papers.push._pnorm_push import PNormPush
from attop.metrics._registry import get_metric
from attop_bench.data.base import Dataset
from attop_bench.data.preparation import scaler
from attop_bench.data.splits.protocols import make_folds

#: Rounds -> partitions: those of 5,000 rounds are half as many, for they take 25 times as long.
PARTITIONS: Mapping[int, int] = {200: 20, 5000: 10}
_POWERS = (1, 2, 4, 8, 16, 64)
#: Items that train, as printed; the first ten partitions are those of the configuration.
_TRAIN = {"pima": 300, "pima-thresholds": 300, "wdbc": 369, "tic-tac-toe": 500, "housing": 300, "pima-50": 50}


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
    for name, one in data.items():
        for repeat in range(max(partitions.values())):
            [fold] = make_folds("holdout", one, repeat, seed, train=_TRAIN[name], inner_folds=2)
            scale = scaler("none" if name == "pima-thresholds" else "range")
            X = one.X if scale is None else scale.fit(one.X[fold.train]).transform(one.X)
            for p in _POWERS:
                for many in (r for r, count in partitions.items() if repeat < count):
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore", ConvergenceWarning)
                        model = PNormPush(p=p, max_iter=many).fit(X[fold.train], one.y[fold.train])
                    norm = float(np.linalg.norm(model.coef_))
                    for part, part_rows in (("training", fold.train), ("test", fold.test)):
                        y, scores = one.y[part_rows], model.decision_function(X[part_rows])
                        values = (r_max.value(y, scores), auc.value(y, scores), norm)
                        rows.append((name, repeat, p, many, part, *values))
    columns = ["dataset", "repeat", "p", "rounds", "part", "r_max", "auc", "norm"]
    return pd.DataFrame(rows, columns=columns)
