"""Cross-fitting, written out."""

import math

import numpy as np
from sklearn.base import clone


def log_odds(p, prior):
    """Log-odds of a probability, a tenth as steep below an eighth of the share of positives.

    From 1e-6 to 0.999; beyond, by the d log-odds that lie beyond, d / (1 + d) thousandths more.
    """
    inside = min(max(p, 1e-6), 0.999)
    z = end = math.log(inside / (1 - inside))
    if p != inside:
        d = math.inf if p in (0, 1) else abs(math.log(p / (1 - p)) - end)
        z += math.copysign(1e-3 * (1 - 1 / (1 + d)), p - inside)
    knee = math.log(prior / 8 / (1 - prior / 8))
    return z if z > knee else knee - (knee - z) / 10


def held_out_log_odds(members, X, y, folds, weight=None):
    """Log-odds of each row by members fitted on the other folds, shape (n, m), not standardised."""
    weight = np.ones(len(y)) if weight is None else weight
    columns = []
    for member in members:
        column = np.full(len(y), np.nan)
        for train, test in folds:
            model = clone(member).fit(X[train], y[train], weight[train])
            for i in test:
                column[i] = log_odds(model.predict_proba(X[i : i + 1])[0, 1], np.average(y, weights=weight))
        columns.append(column)
    return np.column_stack(columns)
