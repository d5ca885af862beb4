"""Fit each setting once a fold, and keep its scores: python -m studies.selectors.train FOLDER SCORES."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from attop.metrics import scores_of
from attop_bench.data.base import DatasetError
from studies.selectors.sets import CONFIRMATION, DEVELOPMENT, N_FOLDS, Part, Rows, Table, folds, load

Floats = NDArray[np.float64]


def _logistic(C: float) -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(C=C, max_iter=1000))


def _extra_trees(least: int, columns: float | str) -> Any:
    return ExtraTreesClassifier(50, min_samples_leaf=least, max_features=columns, n_jobs=1, random_state=0)


LINEAR = [_logistic(C) for C in (0.001, 0.01, 0.1, 1, 10, 100)]
FOREST = [_extra_trees(least, columns) for least in (1, 3, 10) for columns in ("sqrt", 0.5)]
LEAVES, TREES = (4, 8, 32), (50, 150)
FAMILIES = ("LightGBM", "Logistic regression", "Extra trees")


def boosted_scores(table: Table, train: Rows, rows: Rows) -> Floats:
    """Return the scores of LightGBM's settings; the first 50 trees of 150 are those of a model of 50."""
    scores = []
    for leaves in LEAVES:
        model = LGBMClassifier(
            num_leaves=leaves,
            n_estimators=max(TREES),
            learning_rate=0.05,
            n_jobs=1,
            verbosity=-1,
            random_state=0,
        ).fit(table.X[train], table.y[train])
        for trees in TREES:
            probability = np.asarray(model.predict_proba(table.X[rows], num_iteration=trees))
            scores.append(probability[:, 1])
    return np.array(scores)


def scores_on(family: str, table: Table, train: Rows, rows: Rows) -> Floats:
    """Return the scores of each setting, fitted on some rows, for others: of shape (settings, rows)."""
    if family == "LightGBM":
        return boosted_scores(table, train, rows)
    settings = LINEAR if family == "Logistic regression" else FOREST
    models = [model.fit(table.X[train], table.y[train]) for model in settings]
    return np.array([scores_of(model, table.X[rows]) for model in models])


def keep(family: str, table: Table, part: Part, path: Path) -> None:
    """Write labels and scores of the inner folds and of the test part."""
    arrays: dict[str, Any] = {
        "test_y": table.y[part.test],
        "test_scores": scores_on(family, table, part.train, part.test),
    }
    for number, (train, rows) in enumerate(part.inner):
        arrays[f"inner{number}_y"] = table.y[rows]
        arrays[f"inner{number}_scores"] = scores_on(family, table, train, rows)
    unfinished = path.with_suffix(".part.npz")
    np.savez_compressed(unfinished, allow_pickle=False, **arrays)
    unfinished.rename(path)


def main() -> None:
    """Run what is not there yet, the sets of the fewest rows first."""
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("scores", type=Path)
    parser.add_argument("--family", choices=FAMILIES, nargs="+", default=FAMILIES)
    parser.add_argument("--sets", choices=["development", "confirmation"], default="development")
    parser.add_argument("--folds", type=int, default=N_FOLDS, help="the first so many of each set")
    args = parser.parse_args()
    names = DEVELOPMENT if args.sets == "development" else CONFIRMATION
    tables = {}
    for name in names:
        try:
            tables[name] = load(name, args.folder)
        except (DatasetError, OSError) as error:
            print(f"{name}: left out: {error}", flush=True)
    by_rows = sorted(tables, key=lambda name: len(tables[name].y))
    for family in args.family:
        for name in by_rows:
            for number, part in enumerate(folds(tables[name])[: args.folds]):
                path = args.scores / family / f"{name}-fold{number}.npz"
                path.parent.mkdir(parents=True, exist_ok=True)
                if not path.exists():
                    keep(family, tables[name], part, path)
            print(family, name, args.folds, flush=True)


if __name__ == "__main__":
    main()
