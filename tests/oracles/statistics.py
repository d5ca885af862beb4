"""Statistics by their definitions: all signs, all pairs, all subsets."""

import itertools

import numpy as np
from scipy import stats


def rank(scores):
    """1 + how many are better + half of how many others are equal."""
    return [1 + sum(o > s for o in scores) + (sum(o == s for o in scores) - 1) / 2 for s in scores]


def wilcoxon(d):
    """T and its two-sided p over all assignments of signs to the differences that are not zero."""
    d = sorted(d, key=abs)
    if sum(x == 0 for x in d) % 2:
        d = d[1:]
    ranks = [len(d) + 1 - r for r in rank([abs(x) for x in d])]
    half = sum(r / 2 for r, x in zip(ranks, d, strict=True) if x == 0)
    ranks, d = zip(*[(r, x) for r, x in zip(ranks, d, strict=True) if x != 0], strict=True)

    def statistic(signs):
        plus = half + sum(r for r, s in zip(ranks, signs, strict=True) if s > 0)
        minus = half + sum(r for r, s in zip(ranks, signs, strict=True) if s < 0)
        return min(plus, minus)

    t = statistic(d)
    outcomes = [statistic(signs) <= t for signs in itertools.product((-1, 1), repeat=len(d))]
    return t, float(np.mean(outcomes))


def corrected_t(a, b, ratio):
    """Mean difference, its 95% interval and the two-sided p of Nadeau and Bengio's t-test."""
    d = np.subtract(a, b)
    t = stats.t(len(d) - 1, loc=d.mean(), scale=np.sqrt((1 / len(d) + ratio) * d.var(ddof=1)))
    return d.mean(), *t.interval(0.95), 2 * min(t.cdf(0), t.sf(0))


def holm(p):
    """The least level at which each hypothesis is rejected going down from the least p."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    adjusted = [0.0] * len(p)
    for step, i in enumerate(order):
        adjusted[i] = min(1.0, max((len(p) - s) * p[order[s]] for s in range(step + 1)))
    return adjusted


def cliques(order, different):
    """All runs without a difference, then those in no longer one."""
    runs = [order[i:j] for i in range(len(order)) for j in range(i + 2, len(order) + 1)]
    free = [r for r in runs if not any(frozenset(p) in different for p in itertools.combinations(r, 2))]
    return {tuple(r) for r in free if not any(set(r) < set(other) for other in free)}


def signed_rank_shares(z, weights, rope):
    """Weight of the pairs whose Walsh average is below, within and above the rope."""
    shares = [0.0, 0.0, 0.0]
    for x, v in zip(z, weights, strict=True):
        for y, w in zip(z, weights, strict=True):
            mean = (x + y) / 2
            shares[0 if mean < -rope else 2 if mean > rope else 1] += v * w
    return shares


def bootstrap(table, higher_is_better):
    """The means of all n^n draws of n rows, and how often each column is best, equals sharing."""
    n, m = len(table), len(table[0])
    means, wins = [], [0.0] * m
    for rows in itertools.product(range(n), repeat=n):
        mean = [sum(table[i][j] for i in rows) / n for j in range(m)]
        best = max(mean) if higher_is_better else min(mean)
        leaders = [j for j in range(m) if abs(mean[j] - best) < 1e-9]
        for j in leaders:
            wins[j] += 1 / len(leaders)
        means.append(mean)
    return np.array(means), np.array(wins) / n**n


def chance_of_lists_so_unlike(rows, promised, x, window, alone):
    """How likely lists about one mean are so unlike each other: their squares over what they usually are."""
    due = {i: rows[i] * promised[i] for i in window}
    if len(window) == 1:
        return 1.0
    mean = sum(due[i] * x[i] for i in window) / sum(due.values())
    squares = sum(due[i] * (x[i] - mean) ** 2 for i in window)
    mean = min(max(mean, 1 / sum(due.values())), 1)
    usual = [mean * (1 - mean * promised[i]) + alone * mean**2 * due[i] for i in window]
    return stats.chi2.sf(squares / (sum(usual) / len(window)), len(window) - 1)


def chance_of_a_window(hits, rows, promised, start):
    """How likely lists from `start` on have so few positives, by the lists before, term by term."""
    lists = range(len(hits))
    chance = [(1 - promised[i]) / (rows[i] * promised[i]) for i in lists]
    x = [hits[i] / (rows[i] * promised[i]) for i in lists]
    x = [min(x[i], 1 + max(1.5, 4 * chance[i] ** 0.5)) for i in lists]
    alone, carried = 0.25**2, 0.19**2
    if start >= 2:
        worth = [(0.25**2 / (0.25**2 + chance[i])) ** 2 for i in range(start)]
        total = sum(worth)
        mean = sum(worth[i] * x[i] for i in range(start)) / total
        squares = sum(worth[i] * ((x[i] - mean) ** 2 - (1 - 1 / start) * chance[i]) for i in range(start))
        alone = max((5 * alone + squares) / (5 + total * (1 - 1 / start)), 0)
        pairs = [(worth[i] * worth[i - 1]) ** 0.5 for i in range(1, start)]
        products = [w * (x[i + 1] - mean) * (x[i] - mean) for i, w in enumerate(pairs)]
        usual = alone + sum(worth[i] * chance[i] for i in range(start)) / total
        carried = max(5 * carried + sum(products) + sum(pairs) * usual / start, 0) / (5 + sum(pairs))
    window = lists[start:]
    length, due = len(window), {i: rows[i] * promised[i] for i in window}
    least = dict.fromkeys(window, 0.45)
    if start < 4:
        least = {i: min(0.4, 1 - 2 * (chance[i] + alone + carried) ** 0.5) for i in window}
    whole = sum(due.values())
    mean = sum(due[i] * max(x[i], least[i]) for i in window) / whole
    if mean >= 1 or chance_of_lists_so_unlike(rows, promised, x, window, alone) <= 0.05:
        return 1.0
    variance = sum(due[i] ** 2 * (chance[i] + alone) for i in window) / whole**2
    for i in window:
        for j in window:
            if i != j:
                variance += carried * 0.7 ** (abs(i - j) - 1) / length**2
    rate = whole / sum(rows[i] for i in window)
    n = (1 - rate) / rate / variance
    share = min(max(mean * rate, 0), 1)
    if share * n >= n:
        return 1.0
    return stats.beta.cdf(1 - rate, n * (1 - share), n * share + 1)


def spreads_about_the_mean_of_models(values):
    """Variance of each column about the mean over columns in each row, once each column's mean is 0."""
    centred = values - np.nanmean(values, axis=0)
    about = [row - np.nanmean(row) for row in centred]
    return [np.nanvar(column, ddof=1) for column in np.transpose(about)]
