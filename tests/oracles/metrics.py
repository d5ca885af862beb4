"""Brute-force definitions of the metrics: the specification, in exact fractions.

A list is a tuple of labels, best first. Ties: `expected` averages a definition over every order of the tied
items. Positives are interchangeable, and so are negatives, so that every distinct sequence of labels of a
tie block stands for the same number of orders and is equally likely.
"""

from fractions import Fraction
from itertools import combinations, product
from math import log2


def precision(labels, k):
    return Fraction(sum(labels[:k]), k)


def recall(labels, k):
    return Fraction(sum(labels[:k]), sum(labels))


def hit(labels, k):
    return Fraction(int(any(labels[:k])))


def average_precision(labels, k=None):
    at = [precision(labels, i + 1) for i, label in enumerate(labels) if label]
    return sum(at, Fraction()) / len(at)


def dcg(labels, k=None):
    return sum((Fraction(label / log2(i + 1)) for i, label in enumerate(labels[:k], 1)), Fraction())


def ndcg(labels, k=None):
    return dcg(labels, k) / dcg(sorted(labels, reverse=True), k)


def ndcg_aatp(labels, k):
    return dcg(labels, k) / dcg([1] * len(labels), k)


def reciprocal_rank(labels, k=None):
    return Fraction(1, labels.index(1) + 1)


def auc(labels, k=None):
    return _correct(labels, sum(labels), len(labels) - sum(labels))


def partial_auc(labels, k):
    return _correct(labels, sum(labels), k)


def pap(labels, k):
    return _correct(labels, min(sum(labels), k), k)


def _correct(labels, n_top_pos, n_top_neg):
    """Share of correctly ranked pairs of the first positives and the first negatives."""
    pos = [i for i, label in enumerate(labels) if label][:n_top_pos]
    neg = [j for j, label in enumerate(labels) if not label][:n_top_neg]
    assert len(pos) == n_top_pos
    assert len(neg) == n_top_neg
    return Fraction(sum(i < j for i in pos for j in neg), len(pos) * len(neg))


def orders(y, scores):
    """Return every equally likely list of labels, best first."""
    blocks = []
    for score in sorted(set(scores), reverse=True):
        tied = [label for label, s in zip(y, scores, strict=True) if s == score]
        places = combinations(range(len(tied)), sum(tied))
        blocks.append([tuple(int(i in chosen) for i in range(len(tied))) for chosen in places])
    return [sum(parts, ()) for parts in product(*blocks)]


def expected(definition, y, scores, k=None):
    """Average a definition over the orders of tied items."""
    values = [definition(labels, k) for labels in orders(y, scores)]
    return sum(values, Fraction()) / len(values)


def positives_at_top(y, scores):
    highest = max(s for label, s in zip(y, scores, strict=True) if not label)
    return Fraction(sum(label and s > highest for label, s in zip(y, scores, strict=True)))


def pairs_by_score(y, scores, n_top_pos, n_top_neg, tied):
    """Share of pairs ranked correctly, a tied pair counting `tied`: 0 under "error", 1/2 under "half"."""
    pos = sorted((s for label, s in zip(y, scores, strict=True) if label), reverse=True)[:n_top_pos]
    neg = sorted((s for label, s in zip(y, scores, strict=True) if not label), reverse=True)[:n_top_neg]
    correct = sum(Fraction(a > b) + tied * (a == b) for a in pos for b in neg)
    return correct / (n_top_pos * n_top_neg)


#: Definition of every metric that averages over orders, by the name of the registry.
DEFINITIONS = {
    "precision@k": precision,
    "recall@k": recall,
    "hit@k": hit,
    "ap": average_precision,
    "dcg@k": dcg,
    "dcg": dcg,
    "ndcg@k": ndcg,
    "ndcg": ndcg,
    "ndcg-aatp@k": ndcg_aatp,
    "reciprocal-rank": reciprocal_rank,
    "auc": auc,
    "pauc@k": partial_auc,
    "pap@k": pap,
    "micro-pap@k": pap,
}


def defined(name, y, k):
    """Whether the definition has a value for labels `y`."""
    n, n_pos = len(y), sum(y)
    if name in ("precision@k", "hit@k", "dcg@k", "ndcg-aatp@k"):
        return k <= n
    if name in ("recall@k", "ndcg@k"):
        return k <= n and n_pos > 0
    if name in ("ap", "ndcg", "reciprocal-rank"):
        return n_pos > 0
    if name == "positives@top":
        return n_pos < n
    if name == "auc":
        return 0 < n_pos < n
    if name in ("pauc@k", "pap@k", "micro-pap@k"):
        return n_pos > 0 and k <= n - n_pos
    assert name == "dcg"
    return True


def metric(name, y, scores, k):
    """Value of a metric of the registry on one list."""
    if name == "positives@top":
        return positives_at_top(y, scores)
    whole_list = name in ("dcg", "ndcg")
    return expected(DEFINITIONS[name], y, scores, None if whole_list else k)
