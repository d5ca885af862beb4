"""TopStack against tuned LightGBM on public sets with few positives.

    python -m studies.gains.top_stack run FOLDER results.csv [--splits 10] [--part 0/2]
    python -m studies.gains.top_stack table results.csv...

Protocol:

- The 14 sets of `rare_sets.SETS` confirm: 937 to 11,183 rows, 41 to 368 positives. Members, transform and the
  regression were chosen on the 14 of `rare_sets.MORE`, on the first split of all of them and the second of
  four, before any result of the present TopStack on the others. The one before it, with
  other members and the choice among three combinations, had been run on draws of 2,500 rows of most of them.
- Stratified splits, 70% to train on, 30% to test; the seed of a split is its number.
- The top is a quarter, a half and all of the positives of whatever sample is ranked. Measured: precision@k
  on the test part, ties in expectation.
- Baseline: LightGBM, learning rate 0.1, leaves 7 or 31, at least 5 or 20 rows in a leaf, 25, 50, 100 or 200
  trees: 16 settings, the best for each top by the smoothed precision of 5-fold cross-fitted scores, refitted.
- TopStack(estimators="auto", cv=5, random_state=0), nothing tuned: one order of the items for all three tops.
- A set's gain is the mean over its splits. Wilcoxon's signed-rank test, two-sided, is over sets. A set is
  won or lost where the gain is beyond 0.002.
- Beside it, by the same members: the best of them by cross-validation; the mean of their scores; and a
  logistic regression of the 16 k rows with the highest mean alone, which re-ranks those: what aiming adds.
- Time: processor time of one fit for one top over that of its members' fits (cross-fitted and on all rows).
"""

import time

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

import attop.learners.top_stack._top_stack as stacking
from attop import TopStack
from attop.experiment._splits import cross_fitting_folds
from attop.metrics import precision_at_k
from attop.metrics._held_out import TopPrecision
from studies.gains.protocol import TOPS, gains_by_set, p_value, print_head, print_row, program, won_tied_lost
from studies.gains.rare_sets import MORE, SETS, load

TREES = (25, 50, 100, 200)
GRID = [(leaves, least) for leaves in (7, 31) for least in (5, 20)]
MODELS = ("TopStack", "best member", "mean", "candidates")
SECONDS = ("LightGBM", "members", "combining")


class Stopwatch:
    """Adds up the processor time of the calls of a function, and keeps what it last returned."""

    def __init__(self, function):
        self.function, self.seconds, self.result = function, 0.0, None

    def __call__(self, *args):
        start = time.process_time()
        self.result = self.function(*args)
        self.seconds += time.process_time() - start
        return self.result


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


def candidates(Z, y, new, n_candidates):
    """Scores of `new` by a regression on the rows with the highest mean; the others follow, by the mean."""
    mean, cut = Z.mean(axis=1), -np.inf
    if n_candidates < len(y):
        cut = np.sort(mean)[-n_candidates]
    rows = mean >= cut
    scores = LogisticRegression(max_iter=1000).fit(Z[rows], y[rows]).decision_function(new)
    return np.where(new.mean(axis=1) >= cut, scores - scores.min() + 1, np.arctan(new.mean(axis=1) - cut))


def run_one(name, split, folder):
    X, y = load(name, folder)
    X, test, y, truth = train_test_split(X, y, test_size=0.3, stratify=y, random_state=split)
    start = time.process_time()
    base = tuned_lightgbm(X, y, test)
    seconds = [time.process_time() - start]
    watches = stacking.cross_fit, stacking.refit = Stopwatch(stacking.cross_fit), Stopwatch(stacking.refit)
    start = time.process_time()
    stack = TopStack(top=TOPS["n+"], cv=5, random_state=0).fit(X, y)
    total = time.process_time() - start
    stacking.cross_fit, stacking.refit = (watch.function for watch in watches)
    seconds += [members := sum(watch.seconds for watch in watches), total - members]
    raw = watches[0].result
    Z, new = (raw - raw.mean(axis=0)) / raw.std(axis=0), stack.member_scores(test)
    for label, top in TOPS.items():
        measure = TopPrecision(y, top)
        best = max(range(len(stack.members_)), key=lambda j: measure.smoothed(Z[:, j]))
        scores = (
            base[label],
            stack.decision_function(test),
            new[:, best],
            new.mean(axis=1),
            candidates(Z, y, new, 16 * int(measure.k.sum())),
        )
        values = {
            what: round(precision_at_k(truth, s, top), 6)
            for what, s in zip(("lightgbm", *MODELS), scores, strict=True)
        }
        spent = {f"seconds {what}": round(s, 2) for what, s in zip(SECONDS, seconds, strict=True)}
        yield {"top": label, **values, "member": stack.members_[best][0], **spent}


def table(rows):
    for label, here in rows.groupby("top", sort=False):
        print(f"\n{here['split'].nunique()} splits\n")
        print_head(label, "LightGBM", *MODELS)
        gains = {model: gains_by_set(here, model, "lightgbm") for model in MODELS}
        for name, its in here.groupby("set"):
            print_row(name, f"{its['lightgbm'].mean():.3f}", *(f"{g[name]:+.3f}" for g in gains.values()))
        mean = here.groupby("set")["lightgbm"].mean().mean()
        print_row("mean", f"{mean:.3f}", *(f"**{g.mean():+.3f}**" for g in gains.values()))
        print_row("won-tied-lost", "", *map(won_tied_lost, gains.values()))
        print_row("Wilcoxon p", "", *map(p_value, gains.values()))
    total = {what: rows.loc[rows["top"] == "n+", f"seconds {what}"].sum() for what in SECONDS}
    print(f"\none fit over its members' fits: {1 + total['combining'] / total['members']:.3f}")


if __name__ == "__main__":
    program(__doc__, sorted(SETS) + sorted(MORE), run_one, table)
