"""Definitions of the margin conditions, over all subsets of positives."""

from itertools import combinations

import numpy as np


def some_subset(pos, neg, size):
    """Largest delta such that some `size` positives score at least delta above every negative."""
    return max(min(chosen) for chosen in combinations(pos, size)) - max(neg)


def every_subset(pos, neg, size):
    """Largest delta such that every `size` positives have a mean at least delta above every negative."""
    return min(np.mean(chosen) for chosen in combinations(pos, size)) - max(neg)


def prec_margins(pos, neg, k):
    """Kar et al. (2015): weak, k-margin, strong."""
    return some_subset(pos, neg, k), every_subset(pos, neg, len(pos) - k + 1), every_subset(pos, neg, 1)


def pap_margins(pos, neg, k):
    """Hiranandani et al. (2020), definitions 2 to 5: weak, beta, moderate, strong."""
    beta = min(len(pos), k)
    weak, strong = some_subset(pos, neg, beta), min(pos) - max(neg)
    return weak, every_subset(pos, neg, beta), weak if strong >= 0 else -np.inf, strong
