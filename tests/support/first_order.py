"""A surrogate simple enough to be right by inspection, and queries of many sizes."""

import numpy as np

from attop.extending import AveragedDescent, MistakeDriven, Top, batches_of, descend
from attop.surrogates import BoundSurrogate, Surrogate
from oracles.first_order import overlapping


class Hinge(Surrogate):
    """Mean hinge loss: a surrogate simple enough to be right by inspection."""

    convex, smooth, bounds = True, False, None

    def __init__(self, top=None):
        self.top = top

    def _bind(self, y, groups, weight):
        return BoundHinge(np.asarray(y))


class BoundHinge(BoundSurrogate):
    n_groups, n_left_out = 1, 0

    def __init__(self, y):
        self.n, self.sign = len(y), 2.0 * y - 1

    def __call__(self, scores):
        sign = self.sign if scores.ndim == 1 else self.sign[:, None]
        slack = 1 - sign * scores
        return np.maximum(slack, 0).mean(axis=0), -sign * (slack > 0) / self.n


def sgd(X, y, surrogate, top, *, eta, radius, rng, batch_size=500, groups=None, epochs=25, **more):
    """SGD@k on a sample in memory."""
    batches = batches_of(X, y, groups, top, batch_size, rng)
    return descend(
        batches, AveragedDescent(X.shape[1], surrogate, eta=eta, radius=radius), epochs=epochs, **more
    )


def perceptron(
    X, y, top, *, rng, surrogate="avg", average=False, batch_size=500, groups=None, epochs=25, **more
):
    """Perceptron@k on a sample in memory; returns its state too."""
    batches = batches_of(X, y, groups, top, batch_size, rng)
    state = MistakeDriven(X.shape[1], surrogate, average=average)
    return descend(batches, state, epochs=epochs, **more), state


def hinge_of_batch(scores, y, k):
    return BoundHinge(y)(scores)


RANKS = {
    "k": (Top(k=3), lambda n, n_pos: min(3, n_pos)),
    "k beyond most groups": (Top(k=30), lambda n, n_pos: min(30, n_pos)),
    "tau": (Top(tau=0.25), lambda n, n_pos: min(-(-n // 4), n_pos)),
    "kappa": (Top(kappa=1.0), lambda n, n_pos: n_pos),
}


def grouped():
    """Groups of many sizes, not in runs of rows; three of one class, two of two items."""
    X, y = overlapping(n=180, seed=9, share=0.4)
    groups = np.random.default_rng(9).permutation(np.repeat(np.arange(14), [2, 2, 3, *range(4, 14), 88]))
    y[groups == 5], y[groups == 6], y[groups == 2] = 0, 1, 0
    y[np.flatnonzero(groups == 0)] = [1, 0]
    y[np.flatnonzero(groups == 1)] = [0, 1]
    return np.round(4 * X) / 4, y, groups
