"""Coverage of the interval of a mean over runs, where models are good, perfect, middling or useless.

    python -m studies.claims.intervals [--draws 1000] [--seed 0]

A draw is a sample of 300, 1,000 or 3,000 rows, a tenth positive, of five features; a ridge regression on them
is tested on 5 stratified folds drawn twice, by the precision of the first 5%. The truth is the mean over
all draws. "t alone" is Nadeau and Bengio's interval without the exact bound. "difference": of that model and
one that lacks two features.
"""

import numpy as np

from attop.experiment import Units, difference_interval, interval, stratified
from studies.claims import options

RATIO, SHARE, TOP, FEATURES = 0.25, 0.1, 0.05, 5
#: How far positives lie from the others in each of five features, for about the precision that the name says.
MODELS = {"useless": 0.0, "0.77": 0.88, "0.97": 1.3, "0.995": 1.56}
SIZES = (300, 1000, 3000)


def scores(X, y, train, test):
    """Return the scores of a ridge regression on test rows."""
    A = np.column_stack([X[train], np.ones(len(train))])
    w = np.linalg.solve(A.T @ A + 1e-3 * np.eye(A.shape[1]), A.T @ y[train])
    return X[test] @ w[:-1]


def runs(rng, n, distance):
    """Return the precision of a model, and of one that lacks two features, in each run."""
    y = np.zeros(n, int)
    y[: round(SHARE * n)] = 1
    X = rng.normal(size=(n, FEATURES)) + distance * y[:, None]
    values = []
    for _ in range(2):
        for fold in stratified(y, n_folds=5, inner_folds=None, seed=int(rng.integers(2**31))):
            first = [
                np.argsort(-scores(x, y, fold.train, fold.test))[: round(TOP * len(fold.test))]
                for x in (X, X[:, :-2])
            ]
            values.append([y[fold.test][rows].mean() for rows in first])
    return np.array(values).T


def main():
    args = options(__doc__, draws=1000, seed=0).parse_args()
    print(
        f"{'model, rows':>16}{'precision':>11}{'covers %':>10}{'t alone':>9}{'width':>8}{'t alone':>9}",
        end="",
    )
    print(f"{'difference':>12}{'covers %':>10}{'t alone':>9}")
    for name, distance in MODELS.items():
        for n in SIZES:
            rng = np.random.default_rng(args.seed)
            units = Units(round(TOP * n / 5), hits=True)
            drawn = [runs(rng, n, distance) for _ in range(args.draws)]
            of_mean, of_difference = [], []
            for one, other in drawn:
                ends = interval(one, RATIO, units=units, bounds=(0.0, 1.0))
                of_mean.append([one.mean(), *ends, *np.clip(interval(one, RATIO), 0, 1)])
                ends = difference_interval(one - other, RATIO, units=units, span=1.0)
                of_difference.append([(one - other).mean(), *ends, *interval(one - other, RATIO)])
            cells = [f"{name + f', {n}':>16}"]
            for found, widths in ((np.array(of_mean), True), (np.array(of_difference), False)):
                truth = found[:, 0].mean()
                covers = [
                    100 * np.mean((a <= truth + 1e-12) & (truth - 1e-12 <= b))
                    for a, b in found.T[1:].reshape(2, 2, -1)
                ]
                wide = [np.mean(b - a) for a, b in found.T[1:].reshape(2, 2, -1)]
                cells += [f"{truth:>{11 if widths else 12}.3f}{covers[0]:10.1f}{covers[1]:9.1f}"]
                cells += [f"{wide[0]:8.3f}{wide[1]:9.3f}"] * widths
            print("".join(cells), flush=True)


if __name__ == "__main__":
    main()
