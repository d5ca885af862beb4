"""AATP's quadratic programs against CVXPY with SCS.

    OMP_NUM_THREADS=2 python -m benchmarks.aatp

For each size and C: the exhaustive sweep of `AATP`, choice of the model included, to a certified relative
duality gap of 1e-6, per problem; and CVXPY with SCS at its default accuracy, one problem after the other,

- written each time: each problem written down and solved, as the paper's section 5.1 did with CVX. The
  goal, a fiftieth of its time, is of this ratio;
- compiled once: the problem built once, the threshold item a parameter. For information.

Last, without ``--quick``: one fixed-point search at 49,000 x 44, where no peer can be waited for.

``gap`` is the largest relative gap of ours, ``excess`` the largest relative distance of SCS's objectives
above our certified lower bound.
"""

from functools import partial

import cvxpy
import numpy as np

from attop.extending import Deadline, Search, ThresholdSVM
from benchmarks.measure import by_quick, clocked, duration, header, interleave, row, show

SIZES, CS = ((105, 34), (230, 57)), (0.01, 0.1, 1.0, 10.0)
GOAL = 1 / 50


def sample(n, d):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.4).astype(int)
    X = rng.standard_normal((n, d))
    X[y == 1] += 0.4
    return X, y


class Peer:
    def __init__(self, X, y, C, compiled):
        self.X = X
        self.sign = np.where(y == 1, 1.0, -1.0)
        self.C = C
        self.compiled = compiled
        self.k = 0
        if compiled:
            self.w = cvxpy.Variable(X.shape[1])
            self.threshold_item = cvxpy.Parameter(X.shape[1])
            self.problem = self.build(X @ self.w - self.threshold_item @ self.w)

    def build(self, differences):
        loss = cvxpy.sum(cvxpy.pos(1 - cvxpy.multiply(self.sign, differences)))
        return cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(self.w) / 2 + self.C * loss))

    def solve_next(self):
        self.k = (self.k + 1) % len(self.X)
        if self.compiled:
            self.threshold_item.value = self.X[self.k]
        else:
            self.w = cvxpy.Variable(self.X.shape[1])
            self.problem = self.build((self.X - self.X[self.k]) @ self.w)
        self.problem.solve(solver="SCS")

    def objective(self):
        w = self.w.value
        margins = self.sign * ((self.X - self.X[self.k]) @ w)
        return w @ w / 2 + self.C * np.maximum(0.0, 1.0 - margins).sum()


def excess(peer, problem):
    worst = 0.0
    for _ in range(5):
        peer.solve_next()
        ours = problem.solve([peer.k])
        bound = ours.objective[0] * (1.0 - ours.gap[0])
        worst = max(worst, (peer.objective() - bound) / bound)
    return worst


def searched(search, X, y, C, top, kept):
    """Search to a gap of 1e-6, and keep what is chosen."""
    n = len(y)
    problem = ThresholdSVM(X, y, np.full(n, C))
    ones = np.ones(n, np.int64)
    kept += search(Search(problem, ones, [top], tol=1e-6, deadline=Deadline()))


def large(n=49_000, d=44, C=0.01, goal=120):
    """Print the seconds of one fixed-point search at the size of a learning-to-rank fold."""
    X, y = sample(n, d)
    kept = []
    wall = clocked(lambda: searched(Search.fixed_point, X, y, C, n // 100, kept))[1]
    what = f"{n:,} x {d}, {kept[0].n_solved} problems, gap {kept[0].worst_gap:.1e}"
    row(what, duration(wall), duration(goal), wall / goal, goal=1)


def main():
    times = by_quick(__doc__, 3, 15)
    header()
    for n, d in SIZES:
        X, y = sample(n, d)
        for C in CS:
            kept = []
            for compiled in (False, True):
                peer = Peer(X, y, C, compiled)
                sweep = partial(searched, Search.exhaustive, X, y, C, n // 20, kept)
                found = interleave(sweep, peer.solve_next, times)
                far = excess(peer, ThresholdSVM(X, y, np.full(n, C)))
                gap = max(one.worst_gap for one in kept)
                what = f"{n} x {d}, C={C:g}, {'compiled' if compiled else 'written'}"
                what += f", excess {far:.0e}, gap {gap:.0e}"
                seconds = found[..., ::-1] / [[n], [1]]  # wall time first
                show(what, seconds, None if compiled else GOAL)
    if times > 3:
        large()


if __name__ == "__main__":
    main()
