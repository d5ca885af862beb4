"""Brute-force definitions of the metrics: the specification, in exact fractions.

A list is a tuple of labels, best first. Ties: `expected` averages a definition over every order of the tied
items. Positives are interchangeable, and so are negatives, so that every distinct sequence of labels of a
tie block stands for the same number of orders and is equally likely.
"""

from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from math import exp, floor, log2


def precision(labels, k):
    return Fraction(sum(labels[:k]), k)


def expected_precision(y, scores, law):
    """Mean of precision over a law of k, as fractions, and over the orders of tied items."""
    return sum((chance * expected(precision, y, scores, k) for k, chance in law.items()), Fraction())


def recall(labels, k):
    return Fraction(sum(labels[:k]), sum(labels))


def smoothed(labels, k):
    """Mean over nine cuts of the positives above each, an item that is cut counting by its part above."""
    values = []
    for step in range(-4, 5):
        cut = min(max(Fraction(k * 2.0 ** (step / 4)), Fraction(1)), Fraction(len(labels)))
        whole = floor(cut)
        above = sum(labels[:whole]) + (cut - whole) * sum(labels[whole : whole + 1])
        values.append(above / cut)
    return sum(values, Fraction()) / len(values)


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


def lift(labels, k):
    return precision(labels, k) / Fraction(sum(labels), len(labels))


def f_beta(labels, k, beta=1):
    """Weighted harmonic mean, from precision and recall themselves."""
    p, r, b = precision(labels, k), recall(labels, k), Fraction(str(beta))
    return (1 + b**2) * p * r / (b**2 * p + r) if p else Fraction(0)


def rie(labels, k=None, alpha=20):
    """Mean weight of the positives, divided by the mean weight of all places."""
    weights = [Fraction(exp(-alpha * rank / len(labels))) for rank in range(1, len(labels) + 1)]
    its = [w for w, label in zip(weights, labels, strict=True) if label]
    return sum(its) / len(its) / (sum(weights) / len(weights))


def bedroc(labels, k=None, alpha=20):
    last, first = rie(sorted(labels), alpha=alpha), rie(sorted(labels, reverse=True), alpha=alpha)
    return (rie(labels, alpha=alpha) - last) / (first - last)


def tpr_at_fpr(labels, k=None, fpr="0.01"):
    """Share of the positives above the first negative that is one too many."""
    allowed = floor(Fraction(str(fpr)) * (len(labels) - sum(labels)))
    negatives = [i for i, label in enumerate(labels) if not label]
    return Fraction(sum(labels[: negatives[allowed]]), sum(labels))


def thresholds(y, scores):
    """Positives and items at or above each score: what a threshold can take."""
    for t in set(scores):
        taken = [label for label, s in zip(y, scores, strict=True) if s >= t]
        yield sum(taken), len(taken)


def recall_at_precision(y, scores, least):
    found = [tp for tp, size in thresholds(y, scores) if Fraction(tp, size) >= Fraction(str(least))]
    return Fraction(max(found, default=0), sum(y))


def precision_at_recall(y, scores, least):
    return max(
        Fraction(tp, size)
        for tp, size in thresholds(y, scores)
        if Fraction(tp, sum(y)) >= Fraction(str(least))
    )


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


@cache
def orders(y, scores):
    """Return every equally likely list of labels, best first, for tuples of labels and scores."""
    blocks = []
    for score in sorted(set(scores), reverse=True):
        tied = [label for label, s in zip(y, scores, strict=True) if s == score]
        places = combinations(range(len(tied)), sum(tied))
        blocks.append([tuple(int(i in chosen) for i in range(len(tied))) for chosen in places])
    return [sum(parts, ()) for parts in product(*blocks)]


def expected(definition, y, scores, k=None):
    """Average a definition over the orders of tied items."""
    values = [_value(definition, labels, k) for labels in orders(tuple(y), tuple(scores))]
    return sum(values, Fraction()) / len(values)


@cache  # short lists come again and again
def _value(definition, labels, k):
    return definition(labels, k)


def smoothed_precision(y, scores, k):
    """Mean over nine cuts from k/2 to 2k, at least 1 and at most n; between items a straight line."""
    found = [Fraction(0), *(i * expected(precision, y, scores, i) for i in range(1, len(y) + 1))]
    values = []
    for step in range(-4, 5):
        cut = min(max(k * 2 ** (step / 4), 1), len(y))
        low = min(int(cut), len(y) - 1)
        values.append((found[low] + (cut - low) * (found[low + 1] - found[low])) / cut)
    return float(sum(values) / 9)


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
    "lift@k": lift,
    "smoothed-precision@k": smoothed,
    "f1@k": f_beta,
    "bedroc-20": bedroc,
    "tpr@fpr-0.01": tpr_at_fpr,
}

#: Metrics of thresholds, functions of labels and scores.
OF_THRESHOLDS = {
    "recall@precision-0.9": lambda y, scores: recall_at_precision(y, scores, "0.9"),
    "precision@recall-0.5": lambda y, scores: precision_at_recall(y, scores, "0.5"),
}


def defined(name, y, k):
    """Whether the definition has a value for labels `y`."""
    n, n_pos = len(y), sum(y)
    if name in ("precision@k", "smoothed-precision@k", "hit@k", "dcg@k", "ndcg-aatp@k"):
        return k <= n
    if name in ("recall@k", "ndcg@k", "lift@k", "f1@k"):
        return k <= n and n_pos > 0
    if name in ("ap", "ndcg", "reciprocal-rank", *OF_THRESHOLDS):
        return n_pos > 0
    if name == "positives@top":
        return n_pos < n
    if name in ("auc", "bedroc-20", "tpr@fpr-0.01"):
        return 0 < n_pos < n
    if name in ("pauc@k", "pap@k", "micro-pap@k"):
        return n_pos > 0 and k <= n - n_pos
    assert name == "dcg"
    return True


def metric(name, y, scores, k):
    """Value of a metric of the registry on one list."""
    if name == "positives@top":
        return positives_at_top(y, scores)
    if name in OF_THRESHOLDS:
        return OF_THRESHOLDS[name](y, scores)
    whole_list = name in ("dcg", "ndcg")
    return expected(DEFINITIONS[name], y, scores, None if whole_list else k)


def card_precisions(y, scores, k, entities, days):
    """Mean over the days of the share of positive cards among k, for every order of tied cards."""
    values = set()

    def go(remaining, found, so_far):
        if not remaining:
            values.add(sum(so_far, Fraction()) / len(so_far))
            return
        today = [i for i, day in enumerate(days) if day == remaining[0] and entities[i] not in found]
        cards = {}
        for i in today:
            score, positive = cards.get(entities[i], (scores[i], 0))
            cards[entities[i]] = (max(score, scores[i]), max(positive, y[i]))
        for checked in combinations(sorted(cards), min(k, len(cards))):
            others = [cards[c][0] for c in cards if c not in checked]
            if others and checked and min(cards[c][0] for c in checked) < max(others):
                continue
            new = {c for c in checked if cards[c][1]}
            go(remaining[1:], found | new, [*so_far, Fraction(len(new), k)])

    go(sorted(set(days)), frozenset(), [])
    return values


def item_orders(scores):
    """Return every order of the items, positions best first, that their scores allow."""
    blocks = [[i for i, s in enumerate(scores) if s == t] for t in sorted(set(scores), reverse=True)]
    return [sum(parts, ()) for parts in product(*(list(permutations(block)) for block in blocks))]


def captured(y, weights, order, k):
    """Share of the weight of all positives that the first k items hold."""
    worth = [Fraction(w) * label for label, w in zip(y, weights, strict=True)]
    return sum((worth[i] for i in order[:k]), Fraction()) / sum(worth)


def amount(y, weights, order, k):
    """Mean weight of the positives among the first k items, all k counted."""
    return sum((Fraction(weights[i]) * y[i] for i in order[:k]), Fraction()) / k


def weighted_lift(y, weights, order, k):
    return captured(y, weights, order, k) / Fraction(k, len(y))


def weighted_dcg(y, weights, order, k=None):
    gains = [Fraction(weights[i] * y[i]) / Fraction(log2(place + 1)) for place, i in enumerate(order[:k], 1)]
    return sum(gains, Fraction())


def weighted_auc(y, weights, order, k=None):
    w = [Fraction(weights[i]) for i in order]
    its = [y[i] for i in order]
    pairs = [(i, j) for i in range(len(its)) for j in range(len(its)) if its[i] and not its[j]]
    return sum(w[i] * w[j] for i, j in pairs if i < j) / sum(w[i] * w[j] for i, j in pairs)


#: Definition of every metric that takes weights, or amounts in their place, by labels, weights, order and k.
WEIGHTED = {
    "amount@k": amount,
    "amount-share@k": captured,
    "amount-lift@k": weighted_lift,
    "recall@k": captured,
    "lift@k": weighted_lift,
    "dcg@k": weighted_dcg,
    "dcg": lambda y, weights, order, k: weighted_dcg(y, weights, order),
    "auc": weighted_auc,
}


def weighted(name, y, scores, weights, k):
    """Average a weighted definition over the orders of tied items."""
    values = [WEIGHTED[name](y, weights, order, k) for order in item_orders(scores)]
    return sum(values, Fraction()) / len(values)
