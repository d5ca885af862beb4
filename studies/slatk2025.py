"""Tables 2 and 18 of SL@K again: losses of users' lists in one matrix factorisation, printed beside ours.

    python studies/slatk2025.py FOLDER OUT [DATASET ...]

reads ``FOLDER/<data set>/proc.zip`` (from the repository Tiny-Snow/IR-Benchmark-Dataset, folder data_iid) and
writes ``OUT/results.csv``, row by row.
"""

from __future__ import annotations

import io
import sys
import time
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.model_selection import ParameterGrid

from attop.estimators.factor_ranker import FactorRanker
from attop.metrics.registry import get_metric
from attop.surrogates.softmax import SoftmaxLossAtK

__all__ = ["PRINTED", "compare", "evaluate", "read_pairs"]

K = 20
SEEDS = (0, 1, 2)
METRICS = {"ndcg": "ndcg@k", "recall": "recall@k"}
#: Users scored at once.
_USERS = 500

#: (data set, loss) -> Recall@20 and NDCG@20 of the matrix factorisation in tables 2 and 18.
PRINTED: Mapping[tuple[str, str], tuple[float, float]] = {
    ("amazon2014-health", "BPR"): (0.1627, 0.1234),
    ("amazon2014-health", "softmax"): (0.1719, 0.1261),
    ("amazon2014-health", "PSL"): (0.1718, 0.1268),
    ("amazon2014-health", "softmax@20"): (0.1823, 0.1390),
    ("amazon2014-electronic", "BPR"): (0.0816, 0.0527),
    ("amazon2014-electronic", "softmax"): (0.0821, 0.0529),
    ("amazon2014-electronic", "PSL"): (0.0838, 0.0541),
    ("amazon2014-electronic", "softmax@20"): (0.0901, 0.0590),
    ("movielens-100k", "LambdaLoss@20"): (0.3418, 0.3466),
    ("movielens-100k", "softmax@20"): (0.3580, 0.3677),
    ("food", "LambdaLoss@20"): (0.0530, 0.0382),
    ("food", "softmax@20"): (0.0635, 0.0465),
}
#: Loss -> candidates. The scale is one divided by the temperature; the paper's best for softmax losses is 5.
LOSSES: Mapping[str, Mapping[str, list[Any]]] = {
    "softmax": {"surrogate": ["softmax"], "scale": [2.0, 5.0]},
    "softmax@20": {"surrogate": [SoftmaxLossAtK(K)], "scale": [2.0, 5.0]},
    "pap@20-avg": {"surrogate": ["pap@k-avg"], "scale": [2.0, 5.0]},
    "prec@20-avg": {"surrogate": ["prec@k-avg"], "scale": [2.0, 5.0]},
    "pap@20-ts": {"surrogate": ["pap@k-ts"], "scale": [2.0, 5.0]},
    "pap@20-ramp": {"surrogate": ["pap@k-ramp"], "scale": [2.0, 5.0]},
}
#: Users of a step, where there are many.
BATCH = {"amazon2014-electronic": 1000, "food": 1000}
PASSES = {"amazon2014-electronic": 15, "food": 20}


def read_pairs(file: Path) -> tuple[csr_matrix, csr_matrix]:
    """Return the training and the test pairs of one ``proc.zip``, users by items."""
    with zipfile.ZipFile(file) as archive:
        parts = [
            pd.read_csv(io.BytesIO(archive.read(f"{part}.tsv")), sep="\t").to_numpy()
            for part in ("train", "test")
        ]
    shape = tuple(np.vstack(parts).max(axis=0) + 1)
    train, test = (csr_matrix((np.ones(len(p), np.int8), tuple(p.T)), shape=shape) for p in parts)
    return train, test


def tenth(train: csr_matrix, seed: int) -> tuple[csr_matrix, csr_matrix]:
    """Hold out a tenth of the training pairs; a user's or an item's last pair may be among them."""
    rows, columns = train.nonzero()
    held = np.random.default_rng(seed).permutation(len(rows)) < len(rows) / 10
    kept, out = (
        csr_matrix((np.ones(m.sum(), np.int8), (rows[m], columns[m])), shape=train.shape)
        for m in (~held, held)
    )
    return kept, out


def evaluate(scores: Any, seen: csr_matrix, test: csr_matrix) -> dict[str, float]:
    """Return NDCG@20 and Recall@20 over the items not seen, averaged over the users with a pair of `test`.

    ``scores(users)`` are those of all items.
    """
    users = np.flatnonzero(test.getnnz(axis=1))
    total = np.zeros(2)
    for block in np.array_split(users, max(1, len(users) // _USERS)):
        lists = ~seen[block].toarray().astype(bool)
        groups, _ = np.nonzero(lists)
        y = test[block].toarray()[lists]
        s = np.asarray(scores(block), dtype=np.float64)[lists]
        total += len(block) * np.array(
            [get_metric(name).evaluate(y, s, K, groups).value for name in METRICS.values()]
        )
    return dict(zip(METRICS, total / len(users), strict=True))


def popularity(train: csr_matrix) -> Any:
    """Return scores by the number of an item's pairs; equal ones tie."""
    count: NDArray[Any] = np.asarray(train.sum(axis=0)).ravel()
    return lambda users: np.tile(count, (len(users), 1))


def compare(dataset: str, train: csr_matrix, test: csr_matrix) -> Iterator[dict[str, Any]]:
    """Yield a row for each loss: settings by a tenth of the training pairs, then all of them, three seeds."""
    yield {"dataset": dataset, "loss": "popularity", **evaluate(popularity(train), train, test)}
    fit: dict[str, Any] = {
        "batch_users": BATCH.get(dataset),
        "max_iter": PASSES.get(dataset, 50),
        "learning_rate": 0.1,
    }
    kept, held = tenth(train, seed=0)
    for loss, grid in LOSSES.items():
        candidates = list(ParameterGrid(grid))
        values = [
            evaluate(FactorRanker(**candidate, top=K, **fit).fit(kept).decision_function, kept, held)["ndcg"]
            for candidate in candidates
        ]
        best = candidates[int(np.argmax(values))]
        begin = time.process_time()
        models = [FactorRanker(**best, top=K, random_state=seed, **fit).fit(train) for seed in SEEDS]
        seconds = (time.process_time() - begin) / len(SEEDS)
        results = pd.DataFrame([evaluate(model.decision_function, train, test) for model in models])
        printed = dict(
            zip(("printed_recall", "printed_ndcg"), PRINTED.get((dataset, loss), ()), strict=False)
        )
        yield {
            "dataset": dataset,
            "loss": loss,
            **results.mean(),
            **results.std().add_suffix("_spread"),
            **printed,
            "scale": best["scale"],
            "seconds": seconds,
        }


def main(folder: str, out: str, *datasets: str) -> None:
    """Write the table, a row at a time."""
    warnings.simplefilter("error", RuntimeWarning)
    rows: list[dict[str, Any]] = []
    for dataset in datasets or ("movielens-100k", "amazon2014-health", "food", "amazon2014-electronic"):
        train, test = read_pairs(Path(folder) / dataset / "proc.zip")
        for row in compare(dataset, train, test):
            rows.append(row)
            Path(out).mkdir(parents=True, exist_ok=True)
            pd.DataFrame(rows).round(4).to_csv(Path(out) / "results.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
