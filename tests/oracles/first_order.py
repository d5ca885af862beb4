"""Plain loops for the first-order solvers, and prec@k's surrogates by enumeration."""

import numpy as np


def gradient_descent_loop(X, value_and_coef, eta, lam, n_steps, start):
    """Best iterate and its objective: one model, subgradient descent as printed."""
    w, best_w, best = np.array(start, float), None, np.inf
    for t in range(n_steps + 1):
        value, c = value_and_coef(X @ w)
        objective = value + lam / 2 * (w @ w)
        if objective < best:
            best_w, best = w.copy(), objective
        w = w - eta / np.sqrt(t + 1) * (X.T @ c + lam * w)
    return best_w, best


def sgd_loop(batches, value_and_coef, eta, radius, d):
    """Average iterate, and the loss before each step; `value_and_coef` takes (scores, y, k) of a batch."""
    w, iterates, values = np.zeros(d), [], []
    for t, (X, y, k) in enumerate(batches, start=1):
        value, c = value_and_coef(X @ w, y, k)
        values.append(value)
        w = w - eta / np.sqrt(t) * (X.T @ c)
        if np.linalg.norm(w) > radius:
            w = radius * w / np.linalg.norm(w)
        iterates.append(w)
    return np.mean(iterates, axis=0), values


def perceptron_iterates(batches, variant, d):
    """The iterate after each batch, and the Delta of each."""
    w, iterates, deltas = np.zeros(d), [], []
    for X, y, k in batches:
        s = X @ w
        # Ties: negatives first, and within a class the earlier row first.
        ranking = sorted(range(len(y)), key=lambda i: (-s[i], y[i], i))
        yhat = np.zeros(len(y), int)
        yhat[ranking[:k]] = 1
        delta = int(np.sum((1 - y) * yhat))
        true_positives = int(np.sum(y * yhat))
        deltas.append(delta)
        if delta == 0:
            iterates.append(w)
            continue
        false_negatives = [i for i in ranking if y[i] == 1 and yhat[i] == 0]
        w = w - X[(y == 0) & (yhat == 1)].sum(axis=0)
        if variant == "avg":
            w = w + delta / (y.sum() - true_positives) * X[false_negatives].sum(axis=0)
        else:
            w = w + X[false_negatives[:delta]].sum(axis=0)
        iterates.append(w)
    return iterates, deltas


def queries(X, y, groups, k_of):
    """(X, y, k) of each group with both classes; `k_of` takes the sizes of a group and of its positives."""
    found = []
    for g in np.unique(groups):
        rows = groups == g
        n, n_pos = int(rows.sum()), int(y[rows].sum())
        if 0 < n_pos < n:
            found.append((X[rows], y[rows], k_of(n, n_pos)))
    return found


def overlapping(n=120, d=6, seed=0, shift=1.0, share=0.3):
    """Two overlapping clouds: features (n, d) and labels."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    y[:2] = [0, 1]
    X = rng.standard_normal((n, d))
    X[:, 0] += shift * y
    return X, y


def plain(batch):
    """Features, labels and k of a solver's batch, as the loops here take them."""
    X = batch.X.toarray() if hasattr(batch.X, "toarray") else batch.X
    return X, (np.arange(len(X)) < batch.n_pos).astype(int), batch.k
