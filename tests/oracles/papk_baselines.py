"""Plain loops for the baselines of pAp@k."""

import numpy as np


def micro_pap(y, scores, k, groups):
    """Mean gain over eligible users, pair by pair; a tie counts one half of the pair it is in."""
    gains = []
    for g in np.unique(groups):
        pos = sorted(scores[(groups == g) & (y == 1)], reverse=True)[:k]
        neg = sorted(scores[(groups == g) & (y == 0)], reverse=True)[:k]
        if len(pos) == 0 or len(neg) < k:
            continue
        correct = sum((p > q) + 0.5 * (p == q) for p in pos for q in neg)
        gains.append(correct / (len(pos) * k))
    return np.mean(gains)


def greedy_loop(scores, y, k, groups, alphas):
    """Weights of the columns of `scores` in their own order, and the gain after each that entered."""
    n_models = scores.shape[1]
    rank = sorted(range(n_models), key=lambda j: -micro_pap(y, scores[:, j], k, groups))
    weights = np.zeros(n_models)
    weights[rank[0]] = 1
    gains = [micro_pap(y, scores @ weights, k, groups)]
    for j in rank[1:]:
        unit = np.eye(n_models)[j]
        best, best_gain = None, -1
        for candidate in [weights + a * unit for a in alphas] + [a * weights + unit for a in alphas]:
            gain = micro_pap(y, scores @ candidate, k, groups)
            if gain > best_gain:
                best, best_gain = candidate, gain
        weights = best
        gains.append(best_gain)
    return weights, gains


def select_rows(scores, y, k, groups):
    """Rows of the highest positives and negatives of each eligible user; ties in the order of rows."""
    chosen = []
    for g in np.unique(groups):
        pos = [i for i in range(len(y)) if groups[i] == g and y[i] == 1]
        neg = [i for i in range(len(y)) if groups[i] == g and y[i] == 0]
        if not pos or len(neg) < k:
            continue
        for members in (pos, neg):
            chosen += sorted(members, key=lambda i: (-scores[i], i))[:k]
    return sorted(chosen)


def select_loop(X, y, k, groups, train, n_steps):
    """Models w_1, w_2, ... and selections; `train` takes (X, y) and returns a model."""
    w, models, selections = train(X, y), [], []
    for _ in range(n_steps):
        rows = select_rows(X @ w, y, k, groups)
        w = train(X[rows], y[rows])
        models.append(w)
        selections.append(rows)
    return models, selections
