"""Coverage: how often the next list's positives lie in their interval, and its whole path in the band.

    python -m studies.claims.next_list [--draws 500] [--seed 0] [--design 3] [--data FOLDER]

A sample of n rows, 5-fold cross-validation drawn twice, the model fitted on all rows, one new list of
`length` rows; that for each design and draw. Real sets: at most 3,000 rows drawn as the sample and 2,000 as
the list, k a tenth of it but at most 100. "8 equal": the best of eight models of the same quality, chosen by
the same folds (scores of the truth with noise of their own), with and without its optimism. "alike": each row
comes five times, as an entity of its own.
"""

import warnings
from functools import partial

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from attop.experiment import HeldOut, next_list
from attop.metrics import scores_of
from studies.claims import options
from studies.gains.rare_sets import load

TREES = HistGradientBoostingClassifier(max_iter=10, max_leaf_nodes=6, random_state=0)
TREE = DecisionTreeClassifier(min_samples_leaf=10, max_leaf_nodes=30, random_state=0)
LINE = LogisticRegression()
SCALED = make_pipeline(StandardScaler(), LogisticRegression())
REAL = {"coil2000": SCALED, "ijcnn1": SCALED, "magic04": SCALED,
        "a9a": TREE, "letter": TREE, "mammography": TREE}  # fmt: skip
#: Signal, share of positives, n, length, k, model, and rows of an entity where they are several.
DESIGNS = {
    "linear": ("linear", 0.05, 900, 900, 30, LINE),
    "linear, short list": ("linear", 0.05, 5000, 1000, 30, LINE),
    "linear, rare": ("linear", 0.02, 20000, 1000, 20, LINE),
    "linear, long top": ("linear", 0.10, 2000, 2000, 200, LINE),
    "misspecified": ("curved", 0.05, 2000, 1000, 50, LINE),
    "trees": ("steps", 0.05, 2000, 1000, 50, TREES),
    "ties": ("rounded", 0.10, 1500, 1000, 50, LINE),
    "linear, rarest": ("linear", 0.01, 8000, 4000, 40, LINE),
    "linear, alike": ("linear", 0.05, 10000, 1000, 50, LINE, 5),
}


def signal(kind, X):
    if kind == "curved":
        return 1.2 * np.abs(X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3]
    if kind == "steps":
        return 2.0 * (X[:, 0] > 0.5) * (X[:, 1] > 0) + X[:, 2]
    return X[:, :4] @ [1, -0.8, 0.6, 0.4]


def draw(kind, offset, n, rng):
    X = rng.normal(size=(n, 8))
    y = rng.random(n) < 1 / (1 + np.exp(-signal(kind, X) - offset))
    return np.round(X[:, :3]) if kind == "rounded" else X, y.astype(int)


def offset_of(kind, share):
    z = signal(kind, np.random.default_rng(0).normal(size=(200_000, 8)))
    grid = np.linspace(-12, 4, 400)
    return float(np.interp(share, [(1 / (1 + np.exp(-z[::20] - b))).mean() for b in grid], grid))


def hits_of(y, score, ks, rng):
    order = np.lexsort((rng.random(len(y)), -score))
    return np.cumsum(y[order])[ks - 1]


def made_up(design):
    """Return a function that draws a sample and a list, with k and the model."""
    kind, share, n, length, k, model, *each = design
    each, offset = each[0] if each else 1, offset_of(kind, share)

    def rows(rng):
        drawn = (part for size in (n, length) for part in draw(kind, offset, size // each, rng))
        return [np.repeat(part, each, axis=0) for part in drawn]

    return rows, k, model, each


def resplit(name, folder):
    X, y = load(name, folder)
    n = min(3000, len(y) // 2)
    length = min(2000, len(y) - n)

    def rows(rng):
        order = rng.permutation(len(y))
        sample, new = order[:n], order[n : n + length]
        return X[sample], y[sample], X[new], y[new]

    return rows, min(100, length // 10), REAL[name], 1


def coverage(rows, k, model, each, draws, seed):
    found, deal = [], StratifiedKFold if each == 1 else StratifiedGroupKFold
    for i in range(draws):
        rng = np.random.default_rng([seed, i])
        X, y, new, labels = rows(rng)
        parts, entity = [], np.arange(len(y)) // each
        for repeat in range(2):
            for train, test in deal(5, shuffle=True, random_state=repeat).split(X, y, entity):
                score = scores_of(model.fit(X[train], y[train]), X[test])
                parts.append(HeldOut(test, y[test], score, entity[test]))
        said = next_list(parts, k, len(labels))
        came = hits_of(labels, scores_of(model.fit(X, y), new), said.ks, rng)
        at = came[said.ks == k][0]
        found.append([said.low <= at <= said.high, np.all((said.band_low <= came) & (came <= said.band_high)),
                      said.high - said.low, said.expected - at])  # fmt: skip
    return np.mean(found, axis=0)


def chosen(draws, seed, models=8, n=2000, length=1000, k=50):
    found = []
    for i in range(draws):
        rng = np.random.default_rng([seed, 1, i])
        z = rng.normal(size=n + length)
        y = (rng.random(n + length) < 1 / (1 + np.exp(3.5 - 1.5 * z))).astype(int)
        scores = z[:, None] + rng.normal(size=(n + length, models))
        folds = np.array_split(rng.permutation(n), 5)
        all_parts = [[HeldOut(f, y[f], scores[f, m]) for f in folds] for m in range(models)]
        best = max(range(models), key=lambda m: sum(
            hits_of(p.y_true, p.y_score, np.array([len(p.rows) * k // length]), rng)[0] for p in all_parts[m]
        ))  # fmt: skip
        (came,) = hits_of(y[n:], scores[n:, best], np.array([k]), rng)
        others = [parts for m, parts in enumerate(all_parts) if m != best]
        row = []
        for rivals in ([], others):
            said = next_list(all_parts[best], k, length, rivals=rivals)
            row += [said.low <= came <= said.high, said.expected - came]
        found.append(row)
    return np.mean(found, axis=0)


def main():
    parser = options(__doc__, data=True, draws=500, seed=0)
    parser.add_argument("--design", type=int, action="append", help="number from 0; by default all")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    ways = {name: partial(made_up, design) for name, design in DESIGNS.items()}
    ways |= {name: partial(resplit, name, args.data) for name in REAL}
    print(f"{'design':20}{'interval':>10}{'band':>8}{'width':>8}{'too many':>10}")
    for number, (name, way) in enumerate(ways.items()):
        if args.design is None or number in args.design:
            inside, band, width, bias = coverage(*way(), args.draws, args.seed)
            print(f"{name:20}{inside:10.1%}{band:8.1%}{width:8.1f}{bias:10.2f}", flush=True)
    if args.design is None or len(ways) in args.design:
        plain, too_many, corrected, left = chosen(args.draws, args.seed)
        print(
            f"best of 8 equal: {plain:.1%} ({too_many:+.2f}), with its optimism {corrected:.1%} ({left:+.2f})"
        )


if __name__ == "__main__":
    main()
