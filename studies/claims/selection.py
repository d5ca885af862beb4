"""Test lists with a guarantee: on resplits of real sets, the model's own probabilities beside.

    python -m studies.claims.selection [--resplits 200] [--recall-resplits 500] [--set letter] [--data FOLDER]

Of each set half (for a recall a quarter) trains a LightGBM of 100 trees, drawn again every 20 resplits; the
other rows are dealt into calibration rows and the list. "own": the longest list whose probabilities add up
to a share of at most q wrong. "path": how often a bound of the path (confidence 0.9) is crossed at any cut.
"""

import warnings

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.model_selection import train_test_split

from attop.selection import ConformalSelector
from studies.claims import options
from studies.gains.rare_sets import MORE, SETS, load

USED = ("a9a", "coil2000", "ijcnn1", "letter", "magic04", "mammography")
LEVELS = (0.1, 0.2, 0.5)


def resplits(X, y, number, rest_size):
    """Yield labels and probabilities of the calibration rows and of the list."""
    for i in range(number):
        if i % 20 == 0:
            train, rest = train_test_split(np.arange(len(y)), test_size=rest_size, stratify=y, random_state=i)
            model = LGBMClassifier(n_estimators=100, num_leaves=15, n_jobs=1, verbose=-1).fit(
                X[train], y[train]
            )
            p = model.predict_proba(X)[:, 1]
        old, new = train_test_split(rest, test_size=0.5, random_state=i)
        yield y[old], p[old], y[new], p[new]


def own_list(p, q):
    order = np.argsort(-p)
    sizes = np.flatnonzero(np.cumsum(1 - p[order]) <= q * np.arange(1, len(p) + 1)) + 1
    return order[: sizes.max(initial=0)]


def wrong_share(y, rows):
    return float(1 - y[rows].mean()) if len(rows) else 0.0


def main():
    parser = options(__doc__, data=True, resplits=200, recall_resplits=500)
    parser.add_argument("--set", action="append", choices=sorted(SETS | MORE))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    heads = "".join(f"{f'q={q}':>7}{'own':>6}{'size':>7}" for q in LEVELS)
    print(f"{'set':14}{heads}{'path':>8}{'recall .95':>12}{'of list':>9}{'refused':>9}")
    for name in args.set or USED:
        X, y = load(name, args.data)
        shares, crossed = [], []
        for y_old, p_old, y_new, p_new in resplits(X, y, args.resplits, 0.5):
            selector = ConformalSelector().fit(p_old, y_old)
            row = []
            for q in LEVELS:
                rows = np.flatnonzero(selector.select(p_new, q))
                row += [wrong_share(y_new, rows), wrong_share(y_new, own_list(p_new, q)), len(rows)]
            shares.append(row)
            path = selector.path(p_new)
            hits = np.cumsum(np.flip(y_new[np.argsort(p_new)]))[path.size - 1]
            crossed.append((path.size - hits > path.wrong).any())
        reached, lengths, refused = [], [], 0
        for y_old, p_old, y_new, p_new in resplits(X, y, args.recall_resplits, 0.75):
            try:
                k = ConformalSelector().fit(p_old, y_old).k_for(p_new, recall=0.95)
            except ValueError:
                refused += 1
                continue
            reached.append(y_new[np.argsort(-p_new, kind="stable")[:k]].sum() >= 0.95 * y_new.sum())
            lengths.append(k / len(y_new))
        line = "".join(f"{a:7.3f}{b:6.2f}{c:7.1f}" for a, b, c in np.mean(shares, axis=0).reshape(-1, 3))
        recall = f"{np.mean(reached):12.1%}{np.mean(lengths):9.1%}" if reached else f"{'-':>12}{'-':>9}"
        print(f"{name:14}{line}{np.mean(crossed):8.1%}{recall}{refused:9d}", flush=True)


if __name__ == "__main__":
    main()
