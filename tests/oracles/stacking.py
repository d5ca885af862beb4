"""Cross-fitting, written out."""

import math

import numpy as np
from sklearn.base import clone


def log_odds(p, prior):
    """Log-odds of a probability up to 0.999, a tenth as steep below an eighth of the share of positives."""
    p = min(max(p, 1e-6), 0.999)
    z = math.log(p / (1 - p))
    knee = math.log(prior / 8 / (1 - prior / 8))
    return z if z > knee else knee - (knee - z) / 10


def held_out_log_odds(members, X, y, folds):
    """Log-odds of each row by members fitted on the other folds, shape (n, m), not standardised."""
    columns = []
    for member in members:
        column = np.full(len(y), np.nan)
        for train, test in folds:
            model = clone(member).fit(X[train], y[train])
            for i in test:
                column[i] = log_odds(model.predict_proba(X[i : i + 1])[0, 1], y.mean())
        columns.append(column)
    return np.column_stack(columns)
