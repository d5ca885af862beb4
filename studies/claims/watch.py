"""False alarms of `watch` in years of 52 lists of 100, and how soon a halved precision is seen.

    python -m studies.claims.watch [--years 500] [--seed 0]

Rows of a list differ: their chances are drawn by a Beta law about the precision, highest at the top. "limit":
what no rule exceeds, where the fall may begin anywhere and false alarms are raised in 5% of years.
"""

import argparse

import numpy as np
from scipy.stats import binom

from attop.statistics._watching import watch


def lists(precision, rng, number, k=100):
    chances = rng.beta(4 * precision, 4 * (1 - precision), (number, k))
    chances *= precision / chances.mean(axis=1, keepdims=True)
    return (rng.random((number, k)) < chances).sum(axis=1)


def limit(precision, rows=400, blocks=13, risk=0.05):
    """Return the power of the best test of four lists at a block's share of the false alarms.

    Of the blocks of a year one has at most that share; a fall may begin there.
    """
    level = risk / blocks / (1 - risk)  # where no alarm was raised before
    most = binom.ppf(level, rows, precision)
    part = (level - binom.cdf(most - 1, rows, precision)) / binom.pmf(most, rows, precision)
    return binom.cdf(most - 1, rows, precision / 2) + part * binom.pmf(most, rows, precision / 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--years", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(
        f"{'precision':10}{'alarms':>8}{'as promised':>13}{'halved: seen within 4':>23}{'after 26 lists':>16}"
        f"{'limit':>8}"
    )
    for precision in (0.1, 0.2, 0.3, 0.5, 0.8):
        rng, found = np.random.default_rng(options.seed), []
        for _ in range(options.years):
            good = lists(precision, rng, 52)
            year = watch(good, [100] * 52, precision)
            bad = lists(precision / 2, rng, 4)
            at_once = watch(bad, [100] * 4, precision).since > 0
            later = watch([*good[:26], *bad], [100] * 30, precision).since > 0
            found.append([year.since > 0, year.verdict == "as promised", at_once, later])
        a, b, c, d = np.mean(found, axis=0)
        print(f"{precision:<10}{a:8.1%}{b:13.1%}{c:23.1%}{d:16.1%}{limit(precision):8.1%}", flush=True)


if __name__ == "__main__":
    main()
