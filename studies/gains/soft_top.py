"""Gain of refining for the top over the better of tuned logistic regression and linear SVM, on 14 sets.

    python -m studies.gains.soft_top run FOLDER gains.csv [--splits 20] [--part 0/2]
    python -m studies.gains.soft_top table gains.csv [...]

The protocol (see `protocol`), fixed before the confirmation sets were run:

- Sets: the 14 of `rare_sets.SETS`. In alphabetical order every second one, from the second on, was there for
  development, with four other labels of the same files (letter G and X, thyroid class 1, wine low) and other
  splits; the others confirm.
- Splits: stratified, 70 % to train on; split s has seed s.
- Preparation: features standardised by the training part, then clipped to [-20, 20].
- Tops: kappa = 1/4, 1/2 and 1, which is k = n+/4, n+/2 and n+ of whatever part it is applied to.
- Baseline: `SoftTop.base_coef_`, the best by inner cross-validation of logistic regressions and
  squared-hinge SVMs, with classes as they are and balanced, for six C each, refitted on the training part.
- SoftTop with min_gain_se=0: base, bandwidth, l2_to_base and "or none" are chosen on 5 inner folds of the
  training part, and a refinement is taken where it gains at all.
- Measured: precision@k of the test part; the gain of a set is the mean over its splits.
- Tests: over sets Wilcoxon's signed-rank test, two-sided, of their mean gains, zeros split. Within a set
  the t-test corrected for overlapping training parts (Nadeau and Bengio 2003), at 5 %, not corrected for
  the number of sets.
"""

import time

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from attop import SoftTop
from attop.experiment import judge
from attop.metrics import precision_at_k
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


def run_one(name, split, folder):
    X, y = load(name, folder)
    train, test = next(StratifiedShuffleSplit(1, test_size=0.3, random_state=split).split(X, y))
    mean, spread = X[train].mean(axis=0), X[train].std(axis=0)
    Z = np.clip((X - mean) / np.where(spread > 0, spread, 1.0), -20, 20)
    start = time.process_time()
    model = SoftTop(min_gain_se=0.0)
    models = model.fit_many(Z[train], y[train], candidates=[{"top": top} for top in TOPS.values()])
    seconds = time.process_time() - start
    for (label, top), model in zip(TOPS.items(), models, strict=True):
        base, soft = (precision_at_k(y[test], Z[test] @ w, top) for w in (model.base_coef_, model.coef_))
        yield {
            "top": label,
            "base": base,
            "soft": soft,
            "refined": bool(model.refined_),
            "cv_gain": model.cv_gain_,
            "cv_gain_se": model.cv_gain_se_,
            "seconds": round(seconds, 2),
        }


def table(rows):
    for label, here in rows.groupby("top", sort=False):
        print(f"\nk = {label}\n")
        print_head("set", "base", "SoftTop", "gain", "refined", "p")
        for name, its in here.groupby("set"):
            # Parts of the splits overlap: 3/7 is test to train.
            (other,) = judge(its[["soft", "base"]], test_train_ratio=3 / 7, tolerance=np.nan).rivals
            base, soft = its["base"].mean(), its["soft"].mean()
            cells = f"{base:.3f}", f"{soft:.3f}", f"{soft - base:+.3f}"
            print_row(name, *cells, f"{its['refined'].sum()}/{len(its)}", f"{other.p:.2g}")
        gains = gains_by_set(here, "soft", "base")
        for title, part in (("all", gains), ("confirmation", gains.drop(DEVELOPMENT, errors="ignore"))):
            print(f"\n{title}: {part.mean():+.3f}, {won_tied_lost(part)}, Wilcoxon p {p_value(part)}")


if __name__ == "__main__":
    program(__doc__, sorted(SETS), run_one, table, splits=20)
