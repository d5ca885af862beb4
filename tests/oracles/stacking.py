"""Cross-fitting, smoothed precision and stacking, written out."""

import itertools
import math

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression


def expected_precision(y, scores, k):
    """Mean of precision@k over all orders of tied items, one order after the other."""
    values = []
    for order in itertools.permutations(range(len(y))):
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order)):
            values.append(sum(y[i] for i in order[:k]) / k)
    return sum(values) / len(values)


def smoothed(y, scores, k):
    """Mean of the precisions at nine cuts from k/2 to 2k."""
    cuts = [min(len(y), max(1, math.floor(k * 2 ** (step / 4) + 0.5))) for step in range(-4, 5)]
    return sum(expected_precision(y, scores, cut) for cut in cuts) / 9


def held_out_log_odds(members, X, y, folds):
    """Standardised, clipped log-odds of each row by a member fitted on the other folds."""
    columns = []
    for member in members:
        column = np.full(len(y), np.nan)
        for train, test in folds:
            model = clone(member).fit(X[train], y[train])
            for i in test:
                p = model.predict_proba(X[i : i + 1])[0, 1]
                p = min(max(p, 0.001), 0.999)
                column[i] = math.log(p / (1 - p))
        columns.append((column - column.mean()) / column.std())
    return np.column_stack(columns)


def rerank(Z, y, new, n_candidates):
    """Order of rows `new`: candidates by a logistic regression on candidates, then the rest by the mean."""
    means = [sum(row) / len(row) for row in Z]
    cut = sorted(means, reverse=True)[n_candidates - 1]
    rows = [i for i, mean in enumerate(means) if mean >= cut]
    model = LogisticRegression(max_iter=1000).fit(Z[rows], y[rows])
    keys = []
    for row in new:
        mean = sum(row) / len(row)
        inside = mean >= cut
        keys.append((inside, float(model.decision_function(row[None])[0]) if inside else mean))
    return keys
