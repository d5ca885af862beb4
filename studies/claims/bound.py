"""False leads and power of the runner-up alone and of the judge's rule, and the most power any rule can have.

    python -m studies.claims.bound [--simulations 3000] [--seed 0]

"Runner-up alone" asks no one but the next (rank verification). It shows more, and is wrong too often: the
designs are those in which it and the judge's rule are boldest, with twenty times as many simulations.

The bound is of rules that name a best model falsely in at most 5 of 100 cases. Runs are made up as in
judge.py: the best leads eleven others alike, or fewer, by .10. A rule that treats all models alike and is
false in at most 5% names the first of two tied ones in at most 2.5%, whichever of the others is tied with it,
on average over these; also if one of the two has another spread, and they lie a little lower. Neyman and
Pearson's test of that mixture against the truth knows all means and spreads and has the most power at this
level. So its least power over spreads and shifts bounds that of every rule. Rules that have to estimate the
spreads have less.
"""

import numpy as np
from scipy.special import logsumexp

from studies.claims import options
from studies.claims.judge import COMPANY, NULLS, RISK, SPREAD, drawn, made_up, nearest_alone, show, vectorised

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


#: Designs in which rules are boldest, with runs and models.
BOLDEST = (
    ("two tied, one erratic, rest .17 below", 5, 3),
    ("two tied, one erratic, rest .17 below", 5, 8),
    ("two tied, one erratic, rest .17 below", 5, 12),
    ("two tied, one erratic, rest .17 below", 10, 8),
    ("half of fourfold spread", 5, 12),
    ("two tied, one erratic, rest .10 below", 5, 3),
    ("two tied, one erratic, rest .10 below", 5, 12),
    ("two tied, one erratic, rest .10 below", 10, 12),
)
CHUNKS = 20


def false_by_rule(simulations, seed, name, runs, models):
    """Return the shares with a false lead, by the runner-up alone and by the judge's rule."""
    means, spreads, step = NULLS[name](models)
    shares = np.zeros(2)
    for chunk in range(CHUNKS):
        rng = np.random.default_rng([seed, chunk])
        values = drawn(rng, simulations, runs, means, spreads, step)
        shares += [(ahead & false).any(axis=1).mean() for ahead, false in _by_rule(values, means)]
    return shares / CHUNKS


def power_by_rule(simulations, seed, name, runs, models):
    """Return the shares in which the best is shown to be better than all others, by both rules."""
    means, spreads = COMPANY[name](models)
    values = made_up(np.random.default_rng(seed), simulations, runs, means, spreads)
    return [(ahead & ~false).all(axis=1).mean() for ahead, false in _by_rule(values, means)]


def _by_rule(values, means):
    """Return for each rule of whom the best is shown to be ahead, and of whom that would be false."""
    best, others, p, _ = vectorised(values)
    means = np.asarray(means)
    false = means[best][:, None] <= means[others] + 1e-12
    alone = np.broadcast_to(nearest_alone(values) < RISK, false.shape)
    return (alone, false), (p < RISK, false)


def least_bound(simulations, seed, runs, models):
    """Return the least of the bounds over spreads and shifts of the tied ones."""
    return min(
        most_power(simulations, seed, runs, models, spread, shift) for spread in SPREADS for shift in SHIFTS
    )


def main():
    args = options(__doc__, simulations=3000, seed=0).parse_args()
    print(f"Any false lead, % of {CHUNKS * args.simulations}: runner-up alone, the rule")
    for cell in BOLDEST:
        shares = false_by_rule(args.simulations, args.seed, *cell)
        show("{}, {} runs, {} models".format(*cell), [f"{100 * share:.2f}" for share in shares])
    print(f"A lead of .10 shown, % of {args.simulations}: runner-up alone, the rule; of models alike at most")
    for name in COMPANY:
        for runs, models in ((5, 2), (5, 3), (5, 8), (5, 12), (10, 2), (10, 3), (10, 8), (10, 12)):
            shares = power_by_rule(args.simulations, args.seed, name, runs, models)
            if name == "alike":
                shares.append(least_bound(args.simulations, args.seed, runs, models))
            show(f"{name}, {runs} runs, {models} models", [f"{100 * share:.1f}" for share in shares])


if __name__ == "__main__":
    main()
