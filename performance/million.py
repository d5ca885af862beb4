"""Seconds of every metric on a million scores: one list, a constant scorer, a thousand groups.

    python performance/million.py

Wanted: below 0.1 s for a list and 0.3 s with groups, in processor time of one core.
"""

import time

import numpy as np

from attop.metrics import METRICS

N, GROUPS, READINGS = 10**6, 1000, 5


def seconds(metric, sample):
    """Return the least processor time of a few evaluations."""
    readings = []
    for _ in range(READINGS):
        begun = time.process_time()
        metric.evaluate(*sample)
        readings.append(time.process_time() - begun)
    return min(readings)


def main():
    rng = np.random.default_rng(0)
    y = (rng.random(N) < 0.02).astype(np.int64)
    scores, half = rng.standard_normal(N) + y, rng.integers(0, 2, N)
    groups = rng.integers(0, GROUPS, N)
    print(f"{'metric':24}{'2% positive':>12}{'50% positive':>14}{'constant':>10}{'groups':>8}")
    for name, metric in METRICS.items():
        samples = (y, scores, 100, None), (half, scores, 100, None), (y, np.zeros(N), 100, None)
        samples = (*samples, (y, scores, 10, groups))
        times = [seconds(metric, sample) for sample in samples]
        print(f"{name:24}{times[0]:12.3f}{times[1]:14.3f}{times[2]:10.3f}{times[3]:8.3f}", flush=True)


if __name__ == "__main__":
    main()
