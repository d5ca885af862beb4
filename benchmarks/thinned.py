"""What TopStack loses by fitting its members on 200,000 rows: precision against that by all rows.

    python -m benchmarks.thinned [--rows 1_000_000] [--draws 10]

Each draw is a set of its own, made as `benchmarks.soft_top` makes it, of 20 features. TopStack is fitted as
it comes and with its members on all rows, and ranks 400,000 rows more. A line for each draw, then the mean
loss at each top with its standard error over draws, and the ratio of processor times.
"""

import argparse
import os
import time

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
from sklearn.base import clone

from attop import TopStack
from attop.metrics import precision_at_k, scores_of
from benchmarks.soft_top import sample

TOPS = {"n+/4": {"kappa": 0.25}, "n+/2": {"kappa": 0.5}, "n+": {"kappa": 1.0}}
#: Rows beyond which the trees of the forest are no longer grown on all.
FEW = 30_000
N_TEST, D = 400_000, 20


def default_members(X, y):
    """Return the members of TopStack as it comes, which are the same for these rows as for more."""
    return [(name, clone(models[0])) for name, models in TopStack().fit(X, y).members_]


def outcome(members, X, y, n):
    """Fit on the first `n` rows; return the processor time, and the precisions on the others."""
    start = time.process_time()
    model = TopStack(members, random_state=0).fit(X[:n], y[:n])
    seconds = time.process_time() - start
    scores = scores_of(model, X[n:])
    return seconds, np.array([precision_at_k(y[n:], scores, top) for top in TOPS.values()])


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.thinned")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--draws", type=int, default=10)
    options = parser.parse_args()
    n, losses, times = options.rows, [], []
    print(f"| draw | {' | '.join(TOPS)} | times as long |\n|---:|{'---:|' * (len(TOPS) + 1)}")
    for draw in range(options.draws):
        X, y = sample(n + N_TEST, D, seed=draw)
        usual, thin = outcome("auto", X, y, n)
        longer, whole = outcome(default_members(X[:FEW], y[:FEW]), X, y, n)
        losses.append(whole - thin)
        times.append(longer / usual)
        cells = " | ".join(f"{loss:+.4f}" for loss in losses[-1])
        print(f"| {draw} | {cells} | {times[-1]:.1f} |", flush=True)
    for top, of_top in zip(TOPS, np.array(losses).T, strict=True):
        error = of_top.std(ddof=1) / np.sqrt(len(of_top)) if len(of_top) > 1 else np.nan
        print(f"{top}: {of_top.mean():+.4f} lost, standard error {error:.4f}")
    print(f"all rows take {np.exp(np.log(times).mean()):.1f} times as long")


if __name__ == "__main__":
    main()
