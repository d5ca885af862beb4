"""The most power that any rule can have which names a best model falsely in at most 5 of 100 cases.

    python -m studies.claims.bound [--simulations 3000] [--seed 0]

Runs are made up as in judge.py: the best leads eleven others alike, or fewer, by .10. A rule that treats all
models alike and is false in at most 5% names the first of two tied ones in at most 2.5%, whichever of the
others is tied with it, on average over these; also if one of the two has another spread, and they lie a
little lower. Neyman and Pearson's test of that mixture against the truth knows all means and spreads and has
the most power at this level. So its least power over spreads and shifts bounds that of every rule. Rules that
have to estimate the spreads have less.
"""

import numpy as np
from scipy.special import logsumexp

from studies.claims import options
from studies.claims.judge import SPREAD, made_up

LEAD, LEVEL, OF_RUNS = 0.1, 0.025, 0.05
SPREADS, SHIFTS = (1.0, 1.3, 1.6, 2.0), (-0.07, -0.05, -0.03)


def log_density(values, means, spreads):
    """Return the log density, but for a constant, of values of shape (simulations, runs, models)."""
    runs = values.shape[1]
    mean = values.mean(axis=1)
    within = values - mean[:, None]
    squares = np.square(SPREAD * np.asarray(spreads))
    of_means = np.diag(squares * (0.8 / runs + 0.2)) + OF_RUNS**2 / runs
    of_runs = np.diag(0.8 * squares) + OF_RUNS**2
    off = mean - 0.5 - means
    first = np.einsum("si,ij,sj->s", off, np.linalg.inv(of_means), off)
    second = np.einsum("sri,ij,srj->s", within, np.linalg.inv(of_runs), within)
    size = np.linalg.slogdet(of_means)[1] + (runs - 1) * np.linalg.slogdet(of_runs)[1]
    return -(first + second + size) / 2


def tied(models, spread, shift):
    """Return means and spreads in which the first is tied with another one; either may have the spread."""
    found = []
    for j in range(1, models):
        means = np.full(models, -LEAD)
        means[[0, j]] = shift
        for erratic in {0, j} if spread != 1 else {j}:
            spreads = np.ones(models)
            spreads[erratic] = spread
            found.append((means, spreads))
    return found


def most_power(simulations, seed, runs, models, spread, shift):
    """Return the power of the best test of a mixture of ties against a lead."""
    rng = np.random.default_rng(seed)
    ties = tied(models, spread, shift)
    truth = np.r_[0, np.full(models - 1, -LEAD)], np.ones(models)
    each = -(-simulations // len(ties))
    null = np.concatenate([made_up(rng, each, runs, *tie) for tie in ties])
    other = made_up(rng, simulations, runs, *truth)
    ratios = [
        log_density(values, *truth) - logsumexp([log_density(values, *tie) for tie in ties], axis=0)
        for values in (null, other)
    ]
    return float((ratios[1] > np.quantile(ratios[0], 1 - LEVEL)).mean())


def main():
    args = options(__doc__, simulations=3000, seed=0).parse_args()
    print(f"Most power for a lead of .10, % of {args.simulations}, and at which spread and shift")
    for runs in (5, 10):
        for models in (2, 3, 8, 12):
            least = min(
                (most_power(args.simulations, args.seed, runs, models, spread, shift), spread, shift)
                for spread in SPREADS
                for shift in SHIFTS
            )
            print(f"{runs} runs, {models} models: {100 * least[0]:.1f} {least[1:]}", flush=True)


if __name__ == "__main__":
    main()
