"""Fit what the rule names, set by set, and keep its scores.

python -m studies.searched.train FOLDER SCORES [--beside]
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from attop import SoftTop, TopStack
from attop.experiment import draw_candidates, fit_many, read_distribution
from attop.extending import Top, derive_seed
from attop.metrics import precision_at_k, scores_of
from attop_bench.files import replacing
from attop_bench.run.config import read_yaml
from studies.selectors.sets import CONFIRMATION, DEVELOPMENT, N_FOLDS, Part, Rows, Table, folds, load

Floats = NDArray[np.float64]
#: Fits a method on some rows, and returns the scores of others: of shape (1, rows), or (tops, rows).
Scored = Callable[[Table, Rows, Rows], Floats]

TOPS = {
    "n+/4": Top(kappa=0.25),
    "n+/2": Top(kappa=0.5),
    "n+": Top(kappa=1.0),
    "2n+": Top(kappa=2.0),
    "1%": Top(tau=0.01),
}
#: How many candidates of the search there are after each stage.
STAGES = (10, 25, 50)
SEARCHED, LINEAR = "LightGBM, searched", "Logistic regression"
_ENTRY = read_yaml(Path(__file__).parents[2] / "config/methods.yaml")["lightgbm-search"]
#: Parameters that all candidates of the search share.
PARAMS = _ENTRY["params"]
_STEPS = (0.001, 0.01, 0.1, 1, 10, 100)
_COLUMNS = ["set", "fold", "method", "candidate", "seconds", *TOPS]


class Fit(NamedTuple):
    """A method, or a candidate of one, to be fitted on a fold."""

    method: str
    candidate: int
    scored: Scored
    #: Whether the inner folds are fitted too: there is something to choose.
    is_candidate: bool


def _forest(kind: Any, trees: int) -> Any:
    return kind(trees, n_jobs=1, random_state=0)


def _booster(leaves: int, extra: bool, seed: int) -> Any:
    return LGBMClassifier(
        num_leaves=leaves,
        extra_trees=extra,
        n_estimators=150,
        learning_rate=0.05,
        subsample=0.7,
        subsample_freq=1,
        colsample_bytree=0.6,
        n_jobs=1,
        verbosity=-1,
        random_state=seed,
    )


def mixture() -> Any:
    """Return extra trees and four boosters: the forest's probability and their mean one, added."""
    boosters = [_booster(7, False, 0), _booster(31, False, 1), _booster(15, False, 2), _booster(31, True, 3)]
    members = [("extra trees", _forest(ExtraTreesClassifier, 120))]
    members += [(f"booster {number}", model) for number, model in enumerate(boosters)]
    return VotingClassifier(members, voting="soft", weights=[4, 1, 1, 1, 1])


AS_THEY_COME: Mapping[str, Callable[[], Any]] = {
    "TopStack": lambda: TopStack(random_state=0),
    "Extra trees": lambda: _forest(ExtraTreesClassifier, 300),
    "Random forest": lambda: _forest(RandomForestClassifier, 300),
    "LightGBM": lambda: LGBMClassifier(n_jobs=1, verbosity=-1, random_state=0),
    "Mixture": mixture,
}


def _cat_boost() -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(thread_count=1, verbose=False, allow_writing_files=False, random_seed=0)


def _xgboost() -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, random_state=0)


#: Further rivals as they come, which want packages that a plain installation has not.
BESIDE: Mapping[str, Callable[[], Any]] = {"CatBoost": _cat_boost, "XGBoost": _xgboost}


def _of(model: Any) -> Scored:
    """Return a function that fits the model on some rows and scores others."""

    def scored(table: Table, train: Rows, rows: Rows) -> Floats:
        return scores_of(model.fit(table.X[train], table.y[train]), table.X[rows])[None]

    return scored


def _soft_top(table: Table, train: Rows, rows: Rows) -> Floats:
    """Return the scores of one model for each top."""
    scaler = StandardScaler().fit(table.X[train])
    tops = [{"top": top} for top in TOPS.values()]
    models = fit_many(
        SoftTop(random_state=0), scaler.transform(table.X[train]), table.y[train], candidates=tops
    )
    X = scaler.transform(table.X[rows])
    return np.array([scores_of(model, X) for model in models])


def candidates(name: str, fold: int) -> list[dict[str, Any]]:
    """Return the settings of the search on a fold of a set."""
    space = {key: read_distribution(entry) for key, entry in _ENTRY["param_distributions"].items()}
    return draw_candidates(space, max(STAGES), derive_seed(0, "searched", name, fold, bits=31))


def fits(name: str, fold: int, stage: int) -> Iterator[Fit]:
    """Yield what a stage adds on a fold of a set."""
    if stage == 0:
        for method, make in AS_THEY_COME.items():
            yield Fit(method, 0, _of(make()), False)
        yield Fit("SoftTop", 0, _soft_top, False)
        for number, C in enumerate(_STEPS):
            model = make_pipeline(StandardScaler(), LogisticRegression(C=C, max_iter=1000))
            yield Fit(LINEAR, number, _of(model), True)
    before = 0 if stage == 0 else STAGES[stage - 1]
    settings = candidates(name, fold)
    for number in range(before, STAGES[stage]):
        yield Fit(SEARCHED, number, _of(LGBMClassifier(**PARAMS, **settings[number])), True)


def stages(name: str, fold: int) -> list[Iterator[Fit]]:
    """List what each stage adds on a fold of a set."""
    return [fits(name, fold, stage) for stage in range(len(STAGES))]


def fits_beside() -> Iterator[Fit]:
    """Yield the further rivals."""
    for method, make in BESIDE.items():
        yield Fit(method, 0, _of(make()), False)


def path_of(scores: Path, name: str, fold: int, method: str, candidate: int) -> Path:
    """Return the file of the scores of a method on a fold."""
    return scores / f"{name}-fold{fold}" / f"{method}-{candidate:02}.npz"


def keep(fit: Fit, table: Table, part: Part, path: Path) -> tuple[float, Floats]:
    """Fit a method or candidate and write its scores; return the processor time and the precisions.

    `inner{number}` are the scores of an inner fold, `test` those of the test part, `averaged` the mean over
    the models of the inner folds.
    """
    arrays, start = {}, time.process_time()
    if fit.is_candidate:
        of_folds = []
        for number, (train, rows) in enumerate(part.inner):
            both = fit.scored(table, train, np.concatenate([rows, part.test]))[0]
            arrays[f"inner{number}"] = both[: len(rows)]
            of_folds.append(both[len(rows) :])
        arrays["averaged"] = np.mean(of_folds, axis=0)
    arrays["test"] = fit.scored(table, part.train, part.test)
    seconds = time.process_time() - start
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        np.savez_compressed(file, allow_pickle=False, seconds=seconds, **arrays)
    y, tests = table.y[part.test], np.broadcast_to(arrays["test"], (len(TOPS), len(part.test)))
    return seconds, np.array([precision_at_k(y, *pair) for pair in zip(tests, TOPS.values(), strict=True)])


def run(name: str, fold: int, to_fit: Iterable[Fit], table: Table, part: Part, scores: Path) -> None:
    """Fit what is not there yet of a fold; a line of `values.csv` for each."""
    for fit in to_fit:
        path = path_of(scores, name, fold, fit.method, fit.candidate)
        if path.exists():
            continue
        seconds, values = keep(fit, table, part, path)
        started = (scores / "values.csv").exists()
        with (scores / "values.csv").open("a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if not started:
                writer.writerow(_COLUMNS)
            writer.writerow([name, fold, fit.method, fit.candidate, round(seconds, 4), *values.round(8)])


def main() -> None:
    """Run what is not there yet, the sets that took the least time on their first fold first."""
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("scores", type=Path)
    parser.add_argument("--sets", nargs="+", default=[*DEVELOPMENT, *CONFIRMATION])
    parser.add_argument("--folds", type=int, nargs="+", default=range(N_FOLDS), help="from 0 on")
    parser.add_argument("--beside", action="store_true", help="the further rivals, and nothing else")
    args = parser.parse_args()
    args.scores.mkdir(parents=True, exist_ok=True)
    first = pd.read_csv(Path(__file__).parent / "first-seconds.csv", index_col="set").sum(axis=1)
    for name in sorted(args.sets, key=lambda name: (first[name], name)):
        table = load(name, args.folder)
        parts = folds(table)
        for fold in args.folds:
            with threadpool_limits(1):
                for to_fit in [fits_beside()] if args.beside else stages(name, fold):
                    run(name, fold, to_fit, table, parts[fold], args.scores)
            print(f"{name}: fold {fold + 1}", flush=True)


if __name__ == "__main__":
    main()
