"""TopStack against tuned LightGBM on public sets with few positives.

    python -m studies.gains.top_stack run FOLDER results.csv [--splits 10] [--part 0/2]
    python -m studies.gains.top_stack table results.csv...

Protocol:

- The 14 sets of `rare_sets.SETS`: 937 to 11,183 rows, 41 to 368 positives. TopStack's members were chosen on
  them and on the 14 of `rare_sets.MORE`, by two splits of each with other folds; `fresh` has the sets that
  were not used.
- Stratified splits, 70% to train on, 30% to test; the seed of a split is its number.
- The top is a quarter, a half and all of the positives of whatever sample is ranked. Measured: precision@k
  on the test part, ties in expectation.
- Baseline: LightGBM, learning rate 0.1, leaves 7 or 31, at least 5 or 20 rows in a leaf, 25, 50, 100 or 200
  trees: 16 settings, the best for each top by the smoothed precision of 5-fold cross-fitted scores, refitted.
- TopStack() as it is: one order of the items for all three tops.
- A set's gain is the mean over its splits. Wilcoxon's signed-rank test, two-sided, is over sets. A set is
  won or lost where the gain is beyond 0.002.
"""

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.model_selection import train_test_split

from attop import TopStack
from attop.experiment._splits import cross_fitting_folds
from attop.metrics import precision_at_k
from attop.metrics._held_out import TopPrecision
from studies.gains.protocol import TOPS, gains_by_set, p_value, print_head, print_row, program, won_tied_lost
from studies.gains.rare_sets import MORE, SETS, load

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
    base, stack = tuned_lightgbm(X, y, test), TopStack().fit(X, y).decision_function(test)
    for label, top in TOPS.items():
        found = {"lightgbm": base[label], "TopStack": stack}
        yield {"top": label, **{what: round(precision_at_k(truth, s, top), 6) for what, s in found.items()}}


def table(rows):
    for label, here in rows.groupby("top", sort=False):
        print(f"\n{here['split'].nunique()} splits\n")
        print_head(label, "LightGBM", "TopStack")
        gains = gains_by_set(here, "TopStack", "lightgbm")
        for name, its in here.groupby("set"):
            print_row(name, f"{its['lightgbm'].mean():.3f}", f"{gains[name]:+.3f}")
        mean = here.groupby("set")["lightgbm"].mean().mean()
        print_row("mean", f"{mean:.3f}", f"**{gains.mean():+.3f}**")
        print_row("won-tied-lost", "", won_tied_lost(gains))
        print_row("Wilcoxon p", "", p_value(gains))


if __name__ == "__main__":
    program(__doc__, sorted(SETS) + sorted(MORE), run_one, table)
