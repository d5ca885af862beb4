"""Definition of selectors, by enumeration: the candidate that each chooses from scores of inner folds."""

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


def _precision(labels, scores, k):
    order = sorted(range(len(labels)), key=lambda i: -scores[i])
    return sum(labels[i] for i in order[:k]) / k
