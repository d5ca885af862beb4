"""Definition of selectors and ensembles, by enumeration: candidates chosen from scores of inner folds."""

from fractions import Fraction
from statistics import fmean, stdev


def choose(name, metric, folds, scores, k):
    """Return the candidate chosen; `metric(labels, scores, k)` is a number, the higher the better.

    `folds` has the labels of each inner fold, `scores[candidate][fold]` those of a candidate.
    """
    precision = [[_precision(y, s, k) for y, s in zip(folds, one, strict=True)] for one in scores]
    if name.startswith("pooled-"):
        labels = [label for fold in folds for label in fold]
        values = [metric(labels, [s for fold in one for s in fold], k * len(folds)) for one in scores]
    else:
        values = [fmean(metric(y, s, k) for y, s in zip(folds, one, strict=True)) for one in scores]
    allowed = range(len(scores))
    if name.endswith("-within-1se"):
        best = max(allowed, key=lambda c: fmean(precision[c]))
        error = stdev(precision[best]) / len(folds) ** 0.5
        allowed = [c for c in allowed if fmean(precision[c]) >= fmean(precision[best]) - error - 1e-12]
    return max(allowed, key=lambda c: (values[c], -c))


def ensemble(value, folds, scores, steps):
    """Return how often each candidate is in the greedy ensemble.

    Of all lists of one candidate more the one with the best mean of `value(labels, scores)` over the folds is
    taken, the first of equals. Scores are whole numbers, so that means are exact.
    """
    members = []
    for _ in range(steps):
        lists = [[*members, candidate] for candidate in range(len(scores))]
        means = [fmean(value(y, _mean(scores, one, f)) for f, y in enumerate(folds)) for one in lists]
        members = lists[means.index(max(means))]
    return [members.count(candidate) for candidate in range(len(scores))]


def _mean(scores, members, fold):
    return [
        Fraction(sum(column), len(members))
        for column in zip(*(scores[c][fold] for c in members), strict=True)
    ]


def _precision(labels, scores, k):
    order = sorted(range(len(labels)), key=lambda i: -scores[i])
    return sum(labels[i] for i in order[:k]) / k
