"""Share of the list that stays when the model is trained again, and with a mean of both models.

    python -m studies.claims.steady [--splits 10] [--set letter] [--data FOLDER]

Half of a set trains, half is the list; k is the number of its positives. LightGBM of 100 trees of 15 leaves,
rows and columns sampled. Changes: "fifth": a fifth of the training rows is exchanged; "seed": the same rows,
another seed; "week": on the fraud handbook, trained on the week after, listing the third week, of half of the
customers. Overlap is that of the last list and the new one, at k.
"""

import warnings
from functools import partial

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.model_selection import train_test_split

from attop.metrics import overlap_at_k, precision_at_k, scores_of
from attop.selection import SteadyTop
from studies.claims import options
from studies.fraud_handbook.kind import FILES, fraud_handbook
from studies.gains.rare_sets import MORE, SETS, load

USED = ("a9a", "ai4i2020", "coil2000", "ijcnn1", "letter", "magic04", "mammography", "wine-white")


def model(seed):
    return LGBMClassifier(
        n_estimators=100, num_leaves=15, subsample=0.8, subsample_freq=1, colsample_bytree=0.8, n_jobs=1,
        verbose=-1, random_state=seed,
    )  # fmt: skip


def parts_of(y, change, split):
    """Return the rows of the last model, of the new one, and of the list."""
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=split)
    if change == "seed":
        return train, train, test
    # Each of the two trains on five sixths, so that a fifth of its rows differ.
    parts = np.array_split(np.random.default_rng(split).permutation(train), 6)
    return np.concatenate(parts[1:]), np.concatenate(parts[:-1]), test


def weeks(folder):
    """Return the handbook's rows, and a function that deals them."""
    data = fraud_handbook(
        **{name: folder / f"fraud-handbook/{name[4:].replace('_', '-')}.pkl" for name in FILES}
    )
    week = (data.day - data.day.min()) // 7

    def deal(split):
        customers = np.unique(data.entity)
        half = np.random.default_rng(split).permutation(customers)[: len(customers) // 2]
        mine = np.isin(data.entity, half)
        return [np.flatnonzero(mine & (week == number)) for number in range(3)]

    return data.X, data.y, deal


def one(X, y, old, new, test, seed):
    """Return overlap and precision of the new model, then of the mean."""
    last = model(0).fit(X[old], y[old])
    before, k, row = scores_of(last, X[test]), int(y[test].sum()), []
    for weight in (0.0, 0.5):
        steady = SteadyTop(model(seed), last, weight).fit(X[new], y[new])
        scores = steady.decision_function(X[test])
        row += [overlap_at_k(before, scores, k), precision_at_k(y[test], scores, k)]
    return row


def main():
    parser = options(__doc__, data=True, splits=10)
    parser.add_argument("--set", action="append", choices=sorted(SETS | MORE))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for name in args.set or USED:
        X, y = load(name, args.data)
        rows += [(name, X, y, change, partial(parts_of, y, change)) for change in ("fifth", "seed")]
    if not args.set:
        X, y, deal = weeks(args.data)
        rows.append(("handbook", X, y, "week", deal))
    gains = []
    print(f"{'set':14}{'change':>8}{'stays':>8}{'steady':>8}{'precision':>11}{'steady':>8}")
    for name, X, y, change, deal in rows:
        seed = int(change == "seed")
        a, p, b, q = np.mean([one(X, y, *deal(s), seed) for s in range(args.splits)], axis=0)
        gains.append([b - a, q - p])
        print(f"{name:14}{change:>8}{a:8.3f}{b:8.3f}{p:11.3f}{q:8.3f}", flush=True)
    overlap, precision = np.mean(gains, axis=0)
    print(f"mean gain: overlap {overlap:+.3f}, precision {precision:+.4f}")


if __name__ == "__main__":
    main()
