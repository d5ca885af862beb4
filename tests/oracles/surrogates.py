"""Definitions of the surrogates by enumeration: the specification their closed forms are held to."""

from functools import cache, partial
from itertools import combinations, permutations

import numpy as np
from scipy.optimize import brentq


def split(scores, y):
    """Scores of positives and of negatives, each in descending order."""
    scores, y = np.asarray(scores, float), np.asarray(y)
    return -np.sort(-scores[y == 1]), -np.sort(-scores[y == 0])


@cache
def label_vectors(n, k):
    out = np.zeros((len(list(combinations(range(n), k))), n))
    for row, chosen in enumerate(combinations(range(n), k)):
        out[row, list(chosen)] = 1
    return out


def prec_risk(scores, y, k):
    """Negatives among the k highest, ties broken in favour of negatives (the largest value)."""
    order = np.lexsort((np.asarray(y), -np.asarray(scores, float)))
    return int((1 - np.asarray(y))[order[:k]].sum())


def prec_struct(scores, y, k):
    s, y = np.asarray(scores, float), np.asarray(y)
    yhat = label_vectors(len(y), k)
    return (yhat @ (1 - y) + (yhat - y) @ s).max()


def prec_ramp(scores, y, k):
    s, y = np.asarray(scores, float), np.asarray(y)
    yhat = label_vectors(len(y), k)
    true = yhat[yhat @ y == k]
    return (yhat @ (1 - y) + yhat @ s).max() - (true @ s).max()


def prec_max(scores, y, k):
    """Eq. (6); for k > n+ the sum over matched pairs stops at n+."""
    s, y = np.asarray(scores, float), np.asarray(y)
    if k > y.sum():
        pos, neg = split(s, y)
        return sum(max(0.0, 1 + n - p) for p, n in zip(pos[::-1], neg, strict=False))
    best = -np.inf
    for yhat in label_vectors(len(y), k):
        outside = s[(yhat == 0) & (y == 1)]
        left = max(outside[list(c)].sum() for c in combinations(range(len(outside)), int(y.sum()) - k))
        best = max(best, yhat @ (1 - y) + (yhat - y) @ s + left)
    return best


def prec_avg(scores, y, k):
    """For k > n+: D = (min(k, n+) - K) / (n+ - K) = 1, over yhat that miss a positive."""
    s, y = np.asarray(scores, float), np.asarray(y)
    n_pos = int(y.sum())
    best = -np.inf
    for yhat in label_vectors(len(y), k):
        called = int(yhat @ y)
        if k > n_pos and called == n_pos:
            continue
        missed = (1 - yhat) * y
        # No factor when nothing is missed: the sum it multiplies is empty.
        kept = 0.0 if called == n_pos else (n_pos - min(k, n_pos)) / (n_pos - called)
        best = max(best, yhat @ (1 - y) + (yhat - y) @ s + kept * (missed @ s))
    return best


@cache
def orderings(b, k):
    """All valid truncated ordering matrices, shape (count, b, k): pi_ij = 1 if i ranks below j."""
    found = set()
    for ranking in permutations(range(b + k)):
        place = np.argsort(ranking)
        found.add(tuple((place[:b, None] > place[None, b:]).astype(int).ravel().tolist()))
    return np.array(sorted(found), float).reshape(-1, b, k)


def pap_risk(scores, y, k):
    """Eq. (1)."""
    pos, neg = split(scores, y)
    beta = min(len(pos), k)
    return (pos[:beta, None] <= neg[None, :k]).mean()


def subsets(values, size):
    return [np.array(c) for c in combinations(values, size)]


def auc_struct(pos, neg):
    """Eq. (4): structural surrogate of the AUC on the sets `pos` and `neg`."""
    pi = orderings(len(pos), len(neg))
    return (pi * (1 + neg[None, None, :] - pos[None, :, None])).sum(axis=(1, 2)).max() / pi[0].size


def pap_ramp(scores, y, k, of_positives=min):
    """Eq. (6)."""
    pos, neg = split(scores, y)
    beta = min(len(pos), k)
    return max(of_positives(auc_struct(p, n) for p in subsets(pos, beta)) for n in subsets(neg, k))


#: Eq. (24): the inner minimum over positives becomes a maximum.
pap_max = partial(pap_ramp, of_positives=max)


def pap_avg(scores, y, k):
    """Eq. (10)."""
    pos, neg = split(scores, y)
    beta = min(len(pos), k)
    pi = orderings(beta, k)
    best = max((pi * (1 + n[None, None, :] - pos.mean())).sum(axis=(1, 2)).max() for n in subsets(neg, k))
    return best / (beta * k)


def pap_ts_orderings(scores, y, k):
    """Eq. (14): only the beta positives ranked highest by pi itself count in the loss."""
    pos, neg = split(scores, y)
    beta = min(len(pos), k)
    pi = orderings(len(pos), k)
    # The rank of a positive by pi is the order of its row sums; equal rows count alike.
    loss = np.sort(pi.sum(axis=2), axis=1)[:, :beta].sum(axis=1)
    best = max(
        (loss + (pi * (n[None, None, :] - pos[None, :, None])).sum(axis=(1, 2))).max()
        for n in subsets(neg, k)
    )
    return best / (beta * k)


def pauc_struct(scores, y, k):
    pos, neg = split(scores, y)
    return max(auc_struct(pos, n) for n in subsets(neg, k))


def hinge(x):
    return np.maximum(x, 0.0)


def pap_ts_pairs(scores, y, k):
    """What algorithm 2 descends: margin 1 for the beta highest positives, 0 for the others."""
    pos, neg = split(scores, y)
    beta = min(len(pos), k)
    margin = (np.arange(len(pos)) < beta)[:, None]
    return hinge(margin + (neg[None, :k] - pos[:, None])).sum() / (beta * k)


def pap_pairs(name, scores, y, k):
    pos, neg = split(scores, y)
    beta = min(len(pos), k)
    if name == "avg":
        return hinge(1 + (neg[:k] - pos.mean())).mean()
    chosen = {"ramp": pos[:beta], "max": pos[-beta:], "pauc": pos}[name]
    return hinge(1 + (neg[None, :k] - chosen[:, None])).mean()


def prec_by_called(name, scores, y, k):
    """prec@k surrogates with the number k' of positives called as the only choice left."""
    pos, neg = split(scores, y)
    n_pos = len(pos)
    if name == "max":
        m = min(k, n_pos, len(neg))
        return hinge(1 + (neg[:m] - pos[::-1][:m])).sum()
    last = k if k <= n_pos else n_pos - 1 if name == "avg" else n_pos
    values = []
    for called in range(max(0, k - len(neg)), last + 1):
        gain = (k - called) + neg[: k - called].sum()
        if name == "struct":
            values.append(gain - pos[called:].sum())
        elif name == "ramp":
            values.append(gain - pos[called:k].sum())
        else:
            share = (min(k, n_pos) - called) / (n_pos - called) if called < n_pos else 0.0
            values.append(gain - share * pos[called:].sum())
    return max(values)


def mean_of_highest(scores, k):
    """The largest mean of k scores."""
    return max(np.mean(chosen) for chosen in combinations(scores, k))


def about_threshold(scores, y, t):
    """Mean squared hinge of the positives about t."""
    pos, _ = split(scores, y)
    return np.mean([max(0.0, 1 + t - s) ** 2 for s in pos])


def top_push_k(scores, y, k):
    return about_threshold(scores, y, mean_of_highest(split(scores, y)[1], k))


def pat_mat_threshold(scores, k, beta):
    """The t at which the squared hinges of the scores above ``t - 1 / beta`` add up to k."""
    s = np.asarray(scores, float)

    def excess(t):
        return np.sum(hinge(1 + beta * (s - t)) ** 2) - k

    # All scores at the lowest make up k at the lower end, all at the highest at the upper end.
    reach = (1 - np.sqrt(k / len(s))) / beta
    return brentq(excess, s.min() + reach - 1e-9, s.max() + reach + 1e-9, xtol=1e-15, rtol=1e-15)


def pat_mat(scores, y, k, beta=1.0):
    return about_threshold(scores, y, pat_mat_threshold(scores, k, beta))


def pat_mat_np(scores, y, k, beta=1.0):
    return about_threshold(scores, y, pat_mat_threshold(split(scores, y)[1], k, beta))


def softmax(scores, y):
    """Eq. (2.2) of W. Yang et al. (2025), each positive against itself and the negatives."""
    pos, neg = split(scores, y)
    return sum(np.log(1 + np.exp(neg - s).sum()) for s in pos)


def softmax_at_k(scores, y, quantile, bandwidth):
    """Eq. (3.5) of W. Yang et al. (2025), with the same inner sum; the quantile is the k-th highest score."""
    pos, neg = split(scores, y)
    return sum(np.log(1 + np.exp(neg - s).sum()) / (1 + np.exp(-(s - quantile) / bandwidth)) for s in pos)


def talos(scores, y, threshold, temperature):
    """Eq. (3.7) of S. Zhang et al. (2026), each positive against itself and the negatives."""
    pos, neg = split(1 / (1 + np.exp(threshold - np.asarray(scores, float))), y)
    return sum(np.log(1 + ((neg / s) ** (1 / temperature)).sum()) for s in pos)


def psl(scores, y, power):
    """Eq. (4.1) of W. Yang et al. (2024) with relu, its d divided by 1 / power, and the same inner sum."""
    pos, neg = split(scores, y)
    return sum(np.log(1 + sum(max(0.0, 1 + (s - p) / power) ** power for s in neg)) for p in pos)


def bpr(scores, y):
    """Mean over negatives, sum over positives, of the logistic loss of Rendle et al. (2009)."""
    pos, neg = split(scores, y)
    return sum(np.mean([np.log(1 + np.exp(s - p)) for s in neg]) for p in pos)
