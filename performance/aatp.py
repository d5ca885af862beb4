"""AATP's quadratic programs against CVXPY with SCS.

    OMP_NUM_THREADS=2 python performance/aatp.py

For each size and C: the exhaustive sweep of `AATP`, choice of the model included, to a certified relative
duality gap of 1e-6, per problem; and CVXPY with SCS at its default accuracy, one problem after the other,

- written each time: each problem written down and solved, as the paper's section 5.1 did with CVX. The
  goal, at least 50 times as fast, is of this ratio;
- compiled once: the problem built once, the threshold item a parameter. For information.

Last, without an argument: one fixed-point search at 49,000 x 44, where no peer can be waited for.

Times are wall time, ratios peer over ours with quartiles over repeats in turn; ``cpu`` is the ratio of
processor time, which does not count the second core in our favour. ``excess`` is the largest relative
distance of SCS's objectives above our certified lower bound.
"""

import sys
import time

import cvxpy
import numpy as np
from measure import interleave

from attop.solvers.aatp.search import exhaustive_search, fixed_point_search
from attop.solvers.aatp.threshold_svm import ThresholdSVM
from attop.solvers.base import Deadline

SIZES, CS = ((105, 34), (230, 57)), (0.01, 0.1, 1.0, 10.0)
GOAL = 50


def sample(n, d):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.4).astype(int)
    X = rng.standard_normal((n, d))
    X[y == 1] += 0.4
    return X, y


class Peer:
    def __init__(self, X, y, C, compiled):
        self.X, self.sign, self.C, self.compiled = X, np.where(y == 1, 1.0, -1.0), C, compiled
        self.k = 0
        if compiled:
            self.w, self.threshold_item = cvxpy.Variable(X.shape[1]), cvxpy.Parameter(X.shape[1])
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


def excess(peer, problem, solves=5):
    worst = 0.0
    for _ in range(solves):
        peer.solve_next()
        ours = problem.solve([peer.k])
        bound = ours.objective[0] * (1.0 - ours.gap[0])
        worst = max(worst, (peer.objective() - bound) / bound)
    return worst


def large(n=49_000, d=44, C=0.01, goal=120):
    """Print the seconds of one fixed-point search at the size of a learning-to-rank fold."""
    X, y = sample(n, d)
    wall, cpu = time.perf_counter(), time.process_time()
    problem, ones = ThresholdSVM(X, y, np.full(n, C)), np.ones(n, np.int64)
    choice = fixed_point_search(problem, ones, [n // 100], tol=1e-6, deadline=Deadline())[0]
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(
        f"fixed-point search at {n:,} x {d}, C={C:g}: {wall:.0f} s ({cpu:.0f} s of processors) for "
        f"{choice.n_solved} problems, gap {choice.worst_gap:.1e}"
        f"  <= {goal} s {'yes' if wall <= goal else 'NO'}"
    )


def main(repeats):
    print(f"{'size':>9} {'C':>5} {'CVXPY + SCS':>17} {'ours ms':>8} {'peer ms':>8}", end="")
    print(f" {'ratio (quartiles)':>22} {'cpu':>6} {'excess':>8} {'gap':>8}  {'goal':>5} met")
    for n, d in SIZES:
        X, y = sample(n, d)
        for C in CS:
            gaps = []

            def sweep(X=X, y=y, C=C, n=n, gaps=gaps):
                problem = ThresholdSVM(X, y, np.full(n, C))
                ones = np.ones(n, np.int64)
                choice = exhaustive_search(problem, ones, [n // 20], tol=1e-6, deadline=Deadline())[0]
                gaps.append(choice.worst_gap)

            for compiled in (False, True):
                peer = Peer(X, y, C, compiled)
                times = interleave(sweep, peer.solve_next, repeats)
                ratio = n * times.peer_wall / times.wall
                low, middle, high = np.quantile(ratio, [0.25, 0.5, 0.75])
                cpu = np.median(n * times.peer_cpu / times.cpu)
                met = "yes" if middle >= GOAL else "NO"
                print(
                    f"{f'{n} x {d}':>9} {C:5g} {'compiled once' if compiled else 'written each time':>17}"
                    f" {1e3 * np.median(times.wall) / n:8.3f} {1e3 * np.median(times.peer_wall):8.2f}"
                    f" {f'{middle:.0f} ({low:.0f} .. {high:.0f})':>22} {cpu:6.0f}"
                    f" {excess(peer, ThresholdSVM(X, y, np.full(n, C))):8.1e} {max(gaps):8.1e}"
                    f"  {'for information' if compiled else f'>= {GOAL} {met}'}",
                    flush=True,
                )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
    if len(sys.argv) == 1:
        large()
