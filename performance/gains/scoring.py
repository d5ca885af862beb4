"""What to select hyper-parameters by where precision@k is what counts.

    python performance/gains/scoring.py run FOLDER results.csv [--splits 10] [--part 0/2]
    python performance/gains/scoring.py table results.csv...

Protocol, fixed before any result was seen:

- Sets of `rare_sets`, at most 250 positives and 2,500 rows each: 8 for development, 12 for confirmation.
- Stratified splits, 70% to train on, 30% to test; the seed of a split is its number.
- The top is a quarter, a half and all of the positives of whatever sample is ranked. What counts is
  precision@k on the test part, ties in expectation.
- Grids: logistic regression on standardised features, C in 0.001, 0.01, ..., 100, classes as they are and
  balanced (12 settings); LightGBM, learning rate 0.1, leaves 7 or 31, at least 5 or 20 rows in a leaf, 25,
  50, 100 or 200 trees (16 settings); and both together (28).
- A setting is chosen by the mean of a criterion over 5 stratified folds of the training part, the first
  of equals, and refitted. Criteria: precision@k; its mean over nine k from k/2 to 2k; soft precision@k
  (`SoftPrecAtK`, its bandwidth the standard deviation of the 4k highest scores); average precision; AUC; log
  loss of the probabilities. Scores are log-odds.
- A set's gain is the mean over splits and tops of the precision with a criterion minus that with precision@k.
- Development: the criterion of the highest mean gain over the sets, averaged over the three grids, is the one
  that is tried. Confirmation: that one alone, with both grids together, Wilcoxon's signed-rank test over the
  sets, two-sided. It picks better if its mean gain is above 0 with p < 0.05.
"""

import numpy as np
from lightgbm import LGBMClassifier
from protocol import TOPS, gains_by_set, p_value, print_head, print_row, program
from rare_sets import load
from scipy.special import logit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from attop.core.top import Top
from attop.metrics import auc, average_precision, precision_at_k
from attop.metrics.held_out import TopPrecision
from attop.surrogates import SoftPrecAtK

SETS = {
    "development": [
        "mammography", "oil-spill", "phoneme", "ann-thyroid-1", "wine-white", "steel-faults-4", "letter",
        "a9a",
    ],
    "confirmation": [
        "ai4i2020", "ann-thyroid", "abalone", "wine-low", "magic04", "steel-faults-5", "letter-G", "letter-X",
        "spambase", "ijcnn1", "coil2000", "mq2008",
    ],
}  # fmt: skip
TREES = (25, 50, 100, 200)
GRIDS = {"logistic regression": ("linear",), "LightGBM": ("trees",), "both": ("linear", "trees")}


def soft_precision(y, scores, top):
    k = Top.of(top).resolve(len(y), int(y.sum()))
    bandwidth = np.std(np.sort(scores)[-4 * k :])
    return 1 - SoftPrecAtK(k, bandwidth if bandwidth > 0 else 1.0).value_and_coef(scores, y)[0]


CRITERIA = {
    "precision@k": lambda y, p, top: precision_at_k(y, p, top),
    "k/2 to 2k": lambda y, p, top: TopPrecision(y, top).smoothed(p),
    "soft precision@k": lambda y, p, top: soft_precision(y, logit(np.clip(p, 1e-12, 1 - 1e-12)), top),
    "average precision": lambda y, p, top: average_precision(y, p),
    "AUC": lambda y, p, top: auc(y, p),
    "log loss": lambda y, p, top: -log_loss(y, np.clip(p, 1e-12, 1 - 1e-12)),
}


def probabilities(X, y, test):
    """Return the probabilities of the test rows by every setting."""
    found = {}
    for C in 10.0 ** np.arange(-3, 3):
        for balance in (None, "balanced"):
            linear = LogisticRegression(C=C, class_weight=balance, max_iter=2000)
            model = make_pipeline(StandardScaler(), linear).fit(X, y)
            found["linear", C, balance] = model.predict_proba(test)[:, 1]
    for leaves in (7, 31):
        for least in (5, 20):
            model = LGBMClassifier(
                n_estimators=TREES[-1], learning_rate=0.1, num_leaves=leaves, min_child_samples=least,
                n_jobs=1, verbosity=-1, random_state=0,
            ).fit(X, y)  # fmt: skip
            for trees in TREES:
                found["trees", leaves, least, trees] = model.predict_proba(test, num_iteration=trees)[:, 1]
    return found


def run_one(name, split, folder):
    X, y = load(name, folder, n_pos=250, n_rows=2500)
    X, test, y, truth = train_test_split(X, y, test_size=0.3, stratify=y, random_state=split)
    folds = StratifiedKFold(5, shuffle=True, random_state=split).split(X, y)
    inner = [(y[rest], probabilities(X[train], y[train], X[rest])) for train, rest in folds]
    final = probabilities(X, y, test)
    for label, top in TOPS.items():
        means = {
            what: {s: np.mean([criterion(labels, p[s], top) for labels, p in inner]) for s in final}
            for what, criterion in CRITERIA.items()
        }
        on_test = {s: precision_at_k(truth, p, top) for s, p in final.items()}
        for grid, kinds in GRIDS.items():
            candidates = [s for s in final if s[0] in kinds]
            chosen = {what: max(candidates, key=mean.__getitem__) for what, mean in means.items()}
            values = {what: on_test[s] for what, s in chosen.items()}
            yield {"top": label, "grid": grid, "best": max(on_test[s] for s in candidates), **values}


def table(rows):
    others = ["best", *(what for what in CRITERIA if what != "precision@k")]
    for sets, names in SETS.items():
        for grid, here in rows[rows["set"].isin(names)].groupby("grid", sort=False):
            print(f"\n{sets}, {here['split'].nunique()} splits\n")
            print_head(grid, "precision@k", *others)
            gains = {what: gains_by_set(here, what, "precision@k") for what in others}
            for name, its in here.groupby("set"):
                print_row(
                    name, f"{its['precision@k'].mean():.3f}", *(f"{g[name]:+.3f}" for g in gains.values())
                )
            print_row("mean", "", *(f"{g.mean():+.4f}" for g in gains.values()))
            for label, its in here.groupby("top", sort=False):
                cells = (f"{(its[what] - its['precision@k']).mean():+.4f}" for what in others)
                print_row(f"mean at {label}", "", *cells)
            print_row("Wilcoxon p", "", *map(p_value, gains.values()))


if __name__ == "__main__":
    program(__doc__, [name for names in SETS.values() for name in names], run_one, table)
