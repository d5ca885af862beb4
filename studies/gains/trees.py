"""Tuned LightGBM on the public sets of `soft_top`: what trees find there.

    python -m studies.gains.trees run FOLDER results.csv [--splits 10] [--part 0/2]
    python -m studies.gains.trees table results.csv...

Protocol:

- Stratified splits, 70% to train on, 30% to test; the seed of a split is its number.
- The top is a quarter, a half and all of the positives of whatever sample is ranked. Measured: precision@k
  on the test part, ties in expectation.
- LightGBM, learning rate 0.1, leaves 7 or 31, at least 5 or 20 rows in a leaf, 25, 50, 100 or 200
  trees: 16 settings, the best for each top by the smoothed precision of 5-fold cross-fitted scores, refitted.
"""

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.model_selection import train_test_split

from attop.experiment import cross_fitting_folds
from attop.metrics import TopPrecision, precision_at_k
from studies.gains.protocol import TOPS, program
from studies.gains.rare_sets import SETS, load

TREES = (25, 50, 100, 200)
GRID = [(leaves, least) for leaves in (7, 31) for least in (5, 20)]


def booster(leaves, least):
    return LGBMClassifier(
        n_estimators=TREES[-1],
        learning_rate=0.1,
        num_leaves=leaves,
        min_child_samples=least,
        n_jobs=1,
        verbosity=-1,
        random_state=0,
    )


def tuned_lightgbm(X, y, test):
    """Scores of the test part, one setting chosen for each top."""
    folds = cross_fitting_folds(5, y, None, np.random.RandomState(0))
    held_out = {}
    for setting in GRID:
        for trees in TREES:
            held_out[*setting, trees] = np.empty(len(y))
        for train, rest in folds:
            model = booster(*setting).fit(X[train], y[train])
            for trees in TREES:
                held_out[*setting, trees][rest] = model.predict(X[rest], raw_score=True, num_iteration=trees)
    whole, found = {}, {}
    for name, top in TOPS.items():
        measure = TopPrecision(y, top)
        *setting, trees = max(held_out, key=lambda s: measure.smoothed(held_out[s]))
        if tuple(setting) not in whole:
            whole[tuple(setting)] = booster(*setting).fit(X, y)
        found[name] = whole[tuple(setting)].predict(test, raw_score=True, num_iteration=trees)
    return found


def run_one(name, split, folder):
    X, y = load(name, folder)
    X, test, y, truth = train_test_split(X, y, test_size=0.3, stratify=y, random_state=split)
    for label, scores in tuned_lightgbm(X, y, test).items():
        yield {"top": label, "lightgbm": round(precision_at_k(truth, scores, TOPS[label]), 6)}


def table(rows):
    print(rows.groupby(["set", "top"], sort=False)["lightgbm"].mean().unstack().round(3).to_string())


if __name__ == "__main__":
    program(__doc__, sorted(SETS), run_one, table)
