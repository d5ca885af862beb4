"""The baselines of Hiranandani et al. (2020) as their public code trains them, not as it words it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit

from attop.extending import Floats, Ints, RankingSample, Top, eligible
from studies.papk2020.baselines import combine, hold_out, shards

Loss = Callable[[Floats], tuple[Floats, Floats]]


def descend(
    X: Floats, loss: Loss, W: Floats, *, eta: Floats, lam: Floats, steps: int, late: bool = False
) -> Floats:
    """Take steps ``eta / sqrt(t + 1)`` down ``loss(X w) + lam/2 ||w||^2``, for models in the columns of `W`.

    Of the iterates that of the lowest loss, without the regulariser, is returned; with `late` the one after
    it, since the code pairs the loss of an iterate with the next one.
    """
    best, kept = np.full(W.shape[1], np.inf), W.copy()
    for t in range(steps):
        value, C = loss(X @ W)
        ahead = W - eta / np.sqrt(t + 1) * (X.T @ C + lam * W)
        better = value < best
        best[better] = value[better]
        kept[:, better] = (ahead if late else W)[:, better]
        W = ahead
    return kept


def cross_entropy(y: Ints) -> Loss:
    """Return the mean log loss and its derivative in the scores."""
    z = (2.0 * y - 1.0)[:, np.newaxis]

    def loss(scores: Floats) -> tuple[Floats, Floats]:
        margin = z * scores
        return np.logaddexp(0.0, -margin).mean(axis=0), -z * expit(-margin) / len(y)

    return loss


class SharedCut:
    """The avg surrogate of prec@k, summed over users, at one k' for all of them.

    The surrogate of a user is a maximum over k', the positives that are right already. Right is the mean of
    the users' maxima; here, as in the code, it is the maximum of their mean. A user with fewer positives than
    the k' of all takes as many as it has. The value is divided by the user's min(n+, k + 1), the
    subgradient is not. Users with a positive and k negatives count.

    Parameters
    ----------
    y, groups : ndarray of shape (n,)
    k : int
    """

    def __init__(self, y: Ints, groups: Ints, k: int):
        sample = RankingSample.from_labels(y, groups)
        kept = eligible(sample, (sample.n_pos > 0) & (sample.n_neg >= k), f"a positive and {k} negatives")
        self._k, self._n = k, len(y)
        starts = kept.start[:-1]
        self._pos, self._n_pos = _padded(kept.order, starts, kept.n_pos), kept.n_pos
        self._neg = _padded(kept.order, starts + kept.n_pos, kept.n_neg)

    def __call__(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return value and coefficients of each column of scores of shape (n, m)."""
        pairs = [self._one(column) for column in scores.T]
        return np.array([value for value, _ in pairs]), np.column_stack([coef for _, coef in pairs])

    def _one(self, scores: Floats) -> tuple[float, Floats]:
        k, users = self._k, np.arange(len(self._n_pos))
        held = np.append(scores, 0.0)
        neg, pos = (_highest(scores, rows, k) for rows in (self._neg, self._pos))
        neg_sum = np.cumsum(np.pad(held[neg], ((0, 0), (1, 0))), axis=1)  # of the first j negatives
        pos_sum = np.cumsum(np.pad(held[pos], ((0, 0), (1, 0))), axis=1)
        most = np.minimum(self._n_pos, k)
        right = np.minimum(np.arange(k + 1)[:, np.newaxis], most)  # k' of each user, for each k' of all
        rate = (most - right) / np.maximum(self._n_pos - right, 1)
        later = held[self._pos].sum(axis=1) - pos_sum[users, right]
        values = (k - right) + neg_sum[users, k - right] - rate * later
        best = int(values.mean(axis=1).argmax())
        place = np.arange(k)
        coef = np.zeros(self._n + 1)
        coef[neg[place[: neg.shape[1]] < (k - right[best])[:, np.newaxis]]] = 1.0
        coef[self._pos] = -rate[best][:, np.newaxis]
        coef[pos[place[: pos.shape[1]] < right[best][:, np.newaxis]]] = 0.0
        value = float((values[best] / np.minimum(self._n_pos, k + 1)).mean())
        return value, coef[:-1] / len(users)


def one_number_for_all_weights(
    X: Floats, y: Ints, rng: np.random.RandomState, eta: float = 0.02, steps: int = 121
) -> Floats:
    """Train a classifier of Greedy-pAp@k as the code does; return its weights.

    From a random direction of length 1, the squared loss is descended by its gradient summed over features
    and rows alike: one number, by which all weights move. What comes out is the random start, shifted.
    """
    start = rng.standard_normal(X.shape[1])
    w: Floats = np.divide(start, np.linalg.norm(start))
    total = X.sum(axis=1)
    for t in range(steps):
        w = np.subtract(w, eta / np.sqrt(t + 1) * ((2 * (X @ w - y)) @ total) / len(y))
    return w


def greedy_of(
    X: Floats,
    y: Ints,
    groups: Ints,
    k: int,
    train: Callable[[Floats, Ints], Floats],
    rng: np.random.RandomState,
    n_classifiers: int = 5,
) -> Floats:
    """Combine classifiers as `attop.learners.GreedyPApK` does, trained by `train` on each fold."""
    held, held_groups, top = hold_out(y, groups, Top(k=k), rng)
    folds = shards(np.setdiff1d(np.arange(len(y)), held), y, n_classifiers, rng)
    W = np.column_stack([train(X[rows], y[rows]) for rows in folds])
    order, weights, _ = combine(X[held] @ W, y[held], held_groups, top, np.linspace(0, 1, 11))
    return W[:, order] @ weights


def _padded(order: Ints, start: Ints, size: Ints) -> Ints:
    """Return a row of positions per user, filled up with -1."""
    place = np.arange(int(size.max()))
    inside = place < size[:, np.newaxis]
    return np.where(inside, order[np.where(inside, start[:, np.newaxis] + place, 0)], -1)


def _highest(scores: Floats, rows: Ints, k: int) -> Ints:
    """Return the k positions of each row with the highest scores, highest first; -1 comes last."""
    falling = -np.append(scores, -np.inf)[rows]
    if rows.shape[1] > k:
        chosen = np.argpartition(falling, k - 1, axis=1)[:, :k]
        rows, falling = (np.take_along_axis(one, chosen, axis=1) for one in (rows, falling))
    return np.take_along_axis(rows, np.argsort(falling, axis=1), axis=1)
