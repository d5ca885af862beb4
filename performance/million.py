"""Seconds of every metric on a million scores: one list, a constant scorer, a thousand groups.

    python performance/million.py

Wanted: below 0.1 s for a list and 0.3 s with groups, in processor time of one core. On a machine with other
work seconds mean little: in brackets is the ratio to `np.argsort` of the same scores, read in turn.
"""

import time

import numpy as np

from attop.metrics import METRICS

N, GROUPS, READINGS = 10**6, 1000, 5


def clocked(call):
    begun = time.process_time()
    call()
    return time.process_time() - begun


def seconds(metric, sample):
    """Return the least processor time of a few evaluations, and of sorting as often."""
    readings = [
        (clocked(lambda: metric.evaluate(*sample)), clocked(lambda: np.argsort(sample[1])))
        for _ in range(READINGS)
    ]
    return min(ours for ours, _ in readings), min(sort for _, sort in readings)


def main():
    rng = np.random.default_rng(0)
    y = (rng.random(N) < 0.02).astype(np.int64)
    scores, half = rng.standard_normal(N) + y, rng.integers(0, 2, N)
    groups = rng.integers(0, GROUPS, N)
    print(f"{'metric':24}{'2% positive':>16}{'50% positive':>16}{'constant':>16}{'groups':>16}")
    for name, metric in METRICS.items():
        samples = (y, scores, 100, None), (half, scores, 100, None), (y, np.zeros(N), 100, None)
        samples = (*samples, (y, scores, 10, groups))
        times = [seconds(metric, sample) for sample in samples]
        cells = (f"{f'{ours:.3f} ({ours / sort:.2f})':>16}" for ours, sort in times)
        print(f"{name:24}{''.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
