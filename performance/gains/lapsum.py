"""SoftTop with the soft top-k of LapSum (Struski et al. 2025) in the place of the logistic one.

    python performance/gains/lapsum.py run FOLDER lapsum.csv [--splits 5] [--part 0/2]
    python performance/gains/lapsum.py table lapsum.csv [...]

On the development sets of `soft_top` only, by its protocol. At equal width: both steps have the same slope at
the cut, a Laplace distribution of scale 2h beside the logistic one of scale h. Both choose among the same h.

No difference is shown, so the logistic step stays. Over the 7 sets, 5 splits each, the Laplace step finds
0.014 more at n+/4 (won-tied-lost 4-1-2, p 0.31), 0.005 more at n+/2 (4-1-2, p 0.69), 0.010 less at n+ (2-1-4,
p 0.30).
"""

import numpy as np
import soft_top
from protocol import DEVELOPMENT, gains_by_set, p_value, print_head, print_row, program, won_tied_lost

from attop.core.top import Top
from attop.solvers.descent import soft_top as refinement

SCALE = 2.0


class LapSum:
    """`SoftPrecAtK` of one list without weights, by a Laplace distribution."""

    def __init__(self, top):
        self.top = Top.of(top)

    def bind(self, y, groups, weight):
        if groups is not None or weight is not None:
            raise ValueError("one list without weights, got groups or weights")
        k = self.top.resolve(len(y), int(np.sum(y)))
        return lambda scores: loss(scores, np.asarray(y, bool), k)


def loss(scores, y, k):
    """Return value and gradient for each column of scores."""
    s = scores.reshape(len(y), -1) / SCALE
    z = np.clip(s - np.partition(s, -k, axis=0)[-k], -300, 300)
    z = z - cut(z, k)
    tail = 0.5 * np.exp(-np.abs(z))
    kept = np.where(z > 0, 1 - tail, tail)
    density = tail / SCALE
    share = density[y].sum(axis=0) / np.maximum(density.sum(axis=0), 1e-300)
    coef = density * (share - y[:, None]) / k
    return (1 - kept[y].sum(axis=0) / k).reshape(scores.shape[1:]), coef.reshape(scores.shape)


def cut(z, k):
    """Return t with sum_i F(z_i - t) = k for each column, in closed form between two neighbouring scores."""
    ordered = -np.sort(-z, axis=0)
    above = np.cumsum(np.exp(-ordered), axis=0)  # of the items down to each
    below = np.cumsum(np.exp(ordered[::-1]), axis=0)[::-1]  # of the items from each on
    counted = np.arange(1, len(z) + 1)[:, None]
    after = np.vstack([below[1:], np.zeros((1, z.shape[1]))])
    at_score = counted - 0.5 * np.exp(ordered) * above + 0.5 * np.exp(-ordered) * after
    j = np.argmax(at_score >= k, axis=0)  # as t falls to score j, k is reached: the items before j are above
    every = at_score[-1] < k
    j = np.where(every, len(z), j)
    columns = np.arange(z.shape[1])
    up = np.where(j > 0, above[np.maximum(j - 1, 0), columns], 0.0)
    down = np.where(every, 0.0, below[np.minimum(j, len(z) - 1), columns])
    root = np.sqrt((j - k) ** 2 + up * down)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(np.where(j < k, down / (root - (j - k)), (j - k + root) / up))


def run_one(name, split, folder):
    logistic = soft_top.run_one(name, split, folder)
    theirs, refinement.SoftPrecAtK = refinement.SoftPrecAtK, LapSum
    try:
        laplace = list(soft_top.run_one(name, split, folder))
    finally:
        refinement.SoftPrecAtK = theirs
    for ours, other in zip(logistic, laplace, strict=True):
        yield {"top": ours["top"], "base": ours["base"], "logistic": ours["soft"], "laplace": other["soft"]}


def table(rows):
    print_head("k", "logistic over base", "Laplace over base", "Laplace over logistic", "p over sets")
    for label, here in rows.groupby("top", sort=False):
        gains = gains_by_set(here, "laplace", "logistic")
        over = (f"{gains_by_set(here, name, 'base').mean():+.3f}" for name in ("logistic", "laplace"))
        print_row(label, *over, f"{gains.mean():+.4f} ({won_tied_lost(gains)})", p_value(gains))


if __name__ == "__main__":
    program(__doc__, DEVELOPMENT, run_one, table, splits=5)
