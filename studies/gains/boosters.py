"""Gain of training boosters for the top over log loss, on 14 public sets with few positives.

    python -m studies.gains.boosters run FOLDER results.csv [--splits 6] [--part 0/2]
    python -m studies.gains.boosters table results.csv...

Protocol, fixed before any of its results was seen:

- Sets: the 14 of `rare_sets.SETS`, at most 250 positives and 2,500 rows each. In alphabetical order every
  second one, from the second on, was there for development, whole and on other splits; the others confirm.
- Stratified splits, 70% to train on, 30% to test; the seed of a split is its number. Features as they are.
- Tops: kappa = 1/4, 1/2 and 1, which is k = n+/4, n+/2 and n+ of whatever part it is applied to.
- Measured: precision@k of the test part. The gain of a set is the mean over its splits and, for a number
  of all tops, over these.
- The interval of the mean is Student's over sets, 95%; Wilcoxon's signed-rank test is over sets, two-sided,
  zeros split. A set is won or lost where the gain is beyond 0.002.

Small models: `TopBooster`, nothing tuned but what it tunes itself (5 folds, margin 1), with 100 trees of 2
leaves and 20 of 4, learning rate 0.1; against `base_`, its log loss. Beside it `min_gain_se=0`, which weights
wherever that gains at all.

A surrogate as objective: LightGBM with 200 trees of 15 leaves, learning rate 0.05, at least 10 rows in a
leaf, trained on log loss, and continued for 10 or 40 trees by `LightGBMObjective(SoftPrecAtK(top,
bandwidth))`, bandwidth 0.3 or 1. The best of the four by the precision averaged over k/2 to 2k on 5 folds is
taken where it gains more than its standard error, otherwise none. Beside it: taken always; and, so that more
trees are no gain, log loss continued by itself for 10 or 40 trees, chosen in the same way. All against the
200 trees.
"""

import numpy as np
from lightgbm import Dataset, train
from sklearn.model_selection import StratifiedKFold, train_test_split

from attop import TopBooster
from attop.metrics import TopPrecision, precision_at_k
from attop.objectives import LightGBMObjective
from attop.statistics import effect_sizes
from attop.surrogates import SoftPrecAtK
from studies.gains.protocol import (
    DEVELOPMENT,
    TOPS,
    gains_by_set,
    p_value,
    print_head,
    print_row,
    program,
    won_tied_lost,
)
from studies.gains.rare_sets import SETS, load

SMALL = {"100 trees of 2 leaves": (100, 2), "20 trees of 4 leaves": (20, 4)}
TREES, BANDWIDTHS, MORE = 200, (0.3, 1.0), (10, 40)
LARGE = {"num_leaves": 15, "learning_rate": 0.05, "min_data_in_leaf": 10}
LARGE |= {"num_threads": 1, "verbosity": -1, "deterministic": True, "force_col_wise": True}


def small(train_part, test_part):
    """Yield gains of TopBooster over its log loss."""
    (X, y), (test, truth) = train_part, test_part
    for label, (trees, leaves) in SMALL.items():
        for at, top in TOPS.items():
            model = TopBooster(top, n_estimators=trees, num_leaves=leaves, min_gain_se=0.0).fit(X, y)
            base, weighted = (
                precision_at_k(truth, each.predict(test, raw_score=True), top)
                for each in (model.base_, model.booster_)
            )
            pays = bool(model.cv_gain_ > model.cv_gain_se_)
            for title, taken in (("TopBooster, margin 0", model.refined_), ("TopBooster", pays)):
                yield title, label, at, base, weighted if taken else base, taken


def continued(X, y, test, objective, start):
    """Return scores of `test` after each of `MORE` further trees."""
    data = Dataset(X, y, free_raw_data=False)
    model = train({**LARGE, "objective": objective}, data, max(MORE), init_model=start)
    return [model.predict(test, raw_score=True, num_iteration=TREES + more) for more in MORE]


def settings(X, y, test, top):
    """Return scores of `test` by log loss, by each setting of the objective, by log loss continued."""
    start = train({**LARGE, "objective": "binary"}, Dataset(X, y), TREES)
    base = start.predict(test, raw_score=True)
    ours = [
        scores
        for bandwidth in BANDWIDTHS
        for scores in continued(X, y, test, LightGBMObjective(SoftPrecAtK(top, bandwidth)), start)
    ]
    return base, ours, continued(X, y, test, "binary", start)


def large(train_part, test_part):
    """Yield gains of the objective over log loss."""
    (X, y), (test, truth) = train_part, test_part
    label = "200 trees of 15 leaves"
    for at, top in TOPS.items():
        gains = []
        for inner, held in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
            measure = TopPrecision(y[held], top)
            scores = settings(X[inner], y[inner], X[held], top)
            before = measure.smoothed(scores[0])
            gains.append([measure.smoothed(s) - before for s in [*scores[1], *scores[2]]])
        gains = np.array(gains)
        mean, error = gains.mean(axis=0), gains.std(axis=0, ddof=1) / np.sqrt(len(gains))
        scores = settings(X, y, test, top)
        base, *values = (precision_at_k(truth, given, top) for given in (scores[0], *scores[1], *scores[2]))
        n = len(scores[1])
        for title, among, margin in (
            ("objective", slice(0, n), 1.0),
            ("objective, always", slice(0, n), None),
            ("log loss continued", slice(n, None), 1.0),
        ):
            best = range(len(values))[among][int(np.argmax(mean[among]))]
            taken = margin is None or bool(mean[best] > margin * error[best])
            yield title, label, at, base, values[best] if taken else base, taken


def run_one(name, split, folder):
    X, y = load(name, folder, n_pos=250, n_rows=2500)
    X, test, y, truth = train_test_split(X, y, test_size=0.3, stratify=y, random_state=split)
    for rows in (small, large):
        for title, label, at, base, value, taken in rows((X, y), (test, truth)):
            yield {"what": title, "model": label, "top": at, "base": base, "value": value, "taken": taken}


def table(rows):
    print_head(
        "what", "model", "top", "log loss", "gain, 95% interval", "won-tied-lost", "p", "taken", "confirming"
    )
    for (what, model), alike in rows.groupby(["what", "model"], sort=False):
        for label in (*TOPS, "all"):
            here = alike if label == "all" else alike[alike["top"] == label]
            g = gains_by_set(here, "value", "base")
            effect = effect_sizes(g, 0 * g)
            gain = f"{effect.mean:+.4f} [{effect.low:+.4f}, {effect.high:+.4f}]"
            confirming = f"{g.drop(DEVELOPMENT, errors='ignore').mean():+.4f}"
            shown = f"{here['base'].mean():.3f}", gain, won_tied_lost(g), p_value(g)
            print_row(what, model, label, *shown, f"{here['taken'].mean():.0%}", confirming)


if __name__ == "__main__":
    program(__doc__, sorted(SETS), run_one, table, splits=6)
