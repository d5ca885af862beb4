"""Parts of the rows among the first k, by every order of tied rows."""

from fractions import Fraction
from itertools import pairwise, permutations


def orders(scores):
    """Yield every order of the rows, best first, in which no lower score stands above a higher one."""
    for order in permutations(range(len(scores))):
        if all(scores[a] >= scores[b] for a, b in pairwise(order)):
            yield order


def counts(y, scores, codes, k, n_parts):
    """Return mean rows, and mean positives, of each part among the first k."""
    every = list(orders(scores))
    rows = [Fraction(0)] * n_parts
    hits = [Fraction(0)] * n_parts
    for order in every:
        for i in order[:k]:
            rows[codes[i]] += Fraction(1, len(every))
            hits[codes[i]] += Fraction(int(y[i]), len(every))
    return rows, hits
