"""False alarms of `watch` in years of 52 lists, and halved precisions that are seen in four.

    python -m studies.claims.watch [--years 1000] [--seed 0]

The precision of a list varies about its mean, by a standard deviation of so many percent of it: by a normal
law, or "seldom": one list in ten is far below, the others a little above.
"""

import numpy as np
from scipy.stats import binom, norm

from attop.statistics._watching import watch
from studies.claims import options

VARIES = (0.0, 0.1, 0.2, 0.3)


def lists(mean, varies, rng, law="normal", rows=100):
    """Return the positives of a list for each mean."""
    below = np.where(rng.random(len(mean)) < 0.1, -3.0, 1 / 3)
    off = below if law == "seldom" else rng.normal(size=len(mean))
    return rng.binomial(rows, np.clip(mean * (1 + varies * off), 0, 1))


def alarms(mean, promised, varies, years, seed, law="normal", after=0, rows=100):
    """Return the share of years with an alarm among those with none in the first lists."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(years):
        since = watch(lists(mean, varies, rng, law, rows), [rows] * len(mean), promised).since
        if since == 0 or since > after:
            found.append(since > 0)
    return float(np.mean(found))


def most_power(promised, varies, risk, rows=100, draws=1_000_000):
    """Return the power of the best test of four lists at half the promise, which knows all but that."""
    rng, at = np.random.default_rng(0), norm.ppf((np.arange(2001) + 0.5) / 2001)
    kept, fallen = (
        binom.pmf(np.arange(rows + 1)[:, None], rows, np.clip(mean * (1 + varies * at), 0, 1)).mean(axis=1)
        for mean in (promised, promised / 2)
    )
    ratio = np.log(fallen) - np.log(kept)
    null, other = (ratio[rng.choice(rows + 1, (draws, 4), p=p)].sum(axis=1) for p in (kept, fallen))
    return [float((other > np.quantile(null, 1 - level)).mean()) for level in risk]


def main():
    args = options(__doc__, years=1000, seed=0).parse_args()
    given = args.years, args.seed
    print("precision,lists vary by,false alarms,seldom,halved at once,after 26 lists")
    for promised in (0.05, 0.1, 0.2, 0.3, 0.5):
        for varies in VARIES:
            kept = np.full(52, promised)
            false = [alarms(kept, promised, varies, *given, law) for law in ("normal", "seldom")]
            halved = [
                alarms(promised * np.r_[np.ones(good), np.full(4, 0.5)], promised, varies, *given, after=good)
                for good in (0, 26)
            ]
            shares = ",".join(f"{100 * share:.1f}" for share in (*false, *halved))
            print(f"{promised},{varies:.0%},{shares}", flush=True)
    print("rows of a list at 0.3 and 30%,false alarms,halved at once,of the best test")
    for rows in (100, 200, 400):
        both = np.full(52, 0.3), np.full(4, 0.15)
        false, seen = (alarms(mean, 0.3, 0.3, *given, rows=rows) for mean in both)
        best = most_power(0.3, 0.3, [0.05 / 13], rows)[0]
        print(f"{rows},{100 * false:.1f},{100 * seen:.1f},{100 * best:.1f}", flush=True)
    levels = 0.05, 0.05 / 13, 0.008
    print("at most, 0.3 and 30%:", dict(zip(levels, most_power(0.3, 0.3, levels), strict=True)))


if __name__ == "__main__":
    main()
