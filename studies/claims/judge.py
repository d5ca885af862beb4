"""The judge's rule in company: false leads, power, and whether interval and verdict agree; see judge_rule.md.

    python -m studies.claims.judge [--simulations 4000] [--seed 0] [--only power]

"values" are made up: an effect of each run, and noise of each model of which a fifth is the same in all runs,
the correlation Nadeau and Bengio's correction assumes; a spread of 1 is a standard deviation of 0.04. "folds"
are of fixed scorers on the test parts of one sample, through `judge`. `vectorised` is the rule
of `attop.experiment._pairs` for many simulations at once, without rows; tests/experiment/test_leads.py holds
it against `judge`. "Before" is the rule until November 2026: the larger of a pair's own error and that of all
pairs, Holm, times the number of models.
"""

from functools import partial

import numpy as np
from scipy.stats import t as student

from attop.experiment import Units, judge
from studies.claims import options
from studies.claims.simulated_runs import separation

RATIO, SPREAD, RISK = 0.25, 0.04, 0.05
#: As in `attop.experiment._pairs`.
LIKE, STEADY = 5.0, 4.5


def made_up(rng, simulations, runs, means, spreads, step=0.0):
    """Return values of shape (simulations, runs, models)."""
    shape = (simulations, runs, len(means))
    own = np.sqrt(0.8) * rng.normal(size=shape) + np.sqrt(0.2) * rng.normal(size=(simulations, 1, len(means)))
    values = 0.5 + 0.05 * rng.normal(size=(simulations, runs, 1)) + np.asarray(means)
    values = values + SPREAD * np.asarray(spreads) * own
    return step * np.round(values / step) if step else values


def _pairs(values, ratio=RATIO):
    """Return the best, the others, their leads, the squared errors of the pairs, and the others' variances.

    These are of an other's runs about the mean of all models.
    """
    simulations, runs, models = values.shape
    best = values.mean(axis=1).argmax(axis=1)
    others = np.nonzero(np.arange(models) != best[:, None])[1].reshape(simulations, models - 1)
    of_best = np.take_along_axis(values, best[:, None, None], axis=2)
    d = of_best - np.take_along_axis(values, others[:, None, :], axis=2)
    d[np.abs(d) < 1e-12] = 0.0
    variance = d.var(axis=1, ddof=1)
    for j in range(models - 1):
        own = np.take_along_axis(values, others[:, j][:, None, None], axis=2)[:, :, 0]
        both = np.sort(np.concatenate([of_best[:, :, 0], own], axis=1), axis=1)
        gaps = np.diff(both, axis=1)
        step = np.where(gaps > 1e-12, gaps, np.inf).min(axis=1)
        variance[:, j] = np.maximum(variance[:, j], np.where(np.isfinite(step), step, 0.0) ** 2 / 6)
    variance[~d.any(axis=1)] = 0.0
    spread = (values - values.mean(axis=2, keepdims=True)).var(axis=1, ddof=1)
    spread = np.take_along_axis(spread, others, axis=1)
    return best, others, d.mean(axis=1), (1 / runs + ratio) * variance, spread


def _p(lead, square, df):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(square > 0, student.sf(lead / np.sqrt(square), df), 0.5)


def _holm(p):
    order = np.argsort(p, axis=1, kind="stable")
    steps = np.take_along_axis(p, order, axis=1) * np.arange(p.shape[1], 0, -1)
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.maximum.accumulate(steps, axis=1), axis=1)
    return np.minimum(adjusted, 1.0)


def _pooled(square, kept, df):
    """Return the mean of the squares that are kept, and its degrees of freedom."""
    total, squared = (np.where(kept, square**power, 0.0).sum(axis=1, keepdims=True) for power in (1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean, of_mean = total / kept.sum(axis=1, keepdims=True), df * total**2 / squared
    return np.nan_to_num(mean), np.nan_to_num(of_mean, nan=1.0)


def vectorised(values, ratio=RATIO):
    """Return the best, the others, and p of "not ahead" by the rule, the one before, and the next alone."""
    pairs = _pairs(values, ratio)
    best, others, lead, square, _ = pairs
    df, models = values.shape[1] - 1, values.shape[2]
    is_best, behind, alone = questions(pairs, df)
    after = np.minimum(np.minimum(is_best, behind), 1.0)

    all_, of_all = _pooled(square, square > 0, df)
    wider = square > all_
    before = _p(lead, np.maximum(square, all_), np.where(wider, df, np.maximum(of_all, df)))
    alone = np.broadcast_to(alone, lead.shape)
    return best, others, after, np.minimum(models * _holm(before), 1.0), alone


def questions(pairs, df):
    """Return p of "not the best", of "not behind" of each other, and of "not the best" by the next alone."""
    _, others, lead, square, spread = pairs
    models = others.shape[1] + 1
    own = _p(lead, square, df)
    known = square > 0
    middle = np.maximum((known.sum(axis=1, keepdims=True) - 1) // 2, 0)
    median = np.take_along_axis(np.sort(np.where(known, square, np.inf), axis=1), middle, axis=1)
    kept = known & (square <= LIKE * median)
    pool, of_pool = _pooled(square, kept, df)
    of_others = np.where(kept, spread, 0.0)
    count = kept.sum(axis=1, keepdims=True) - kept
    limit = STEADY * (of_others.sum(axis=1, keepdims=True) - of_others) / np.maximum(count, 1)
    alike = kept & ((spread <= limit) | (count == 0))
    pooled = _p(lead, np.maximum(square, pool), np.maximum(of_pool, df))
    shared = np.minimum(own, np.where(alike, pooled, own))
    nearest = lead - lead.min(axis=1, keepdims=True) <= 1e-12
    is_best = 2 * np.where(nearest, own, shared).max(axis=1, keepdims=True)
    cost = models * (2 if models > 2 else 1)
    alone = 2 * np.where(nearest, own, 0.0).max(axis=1, keepdims=True)
    return is_best, _holm(np.minimum(cost * shared, 1.0)), alone


def claims(values, means):
    """Return shares by the rule, the one before, and the runner-up alone.

    They are: any false lead, the best shown, and ahead of the next.
    """
    best, others, *p = vectorised(values)
    means = np.asarray(means)
    false = means[best][:, None] <= means[others] + 1e-12
    right = ~false.any(axis=1)
    next_ = values.mean(axis=1)[np.arange(len(values))[:, None], others].argmax(axis=1)
    shares = []
    for its in p:
        of_next = np.take_along_axis(its, next_[:, None], axis=1)[:, 0] < RISK
        claimed = ((its < RISK) & false).any(axis=1), (its < RISK).all(axis=1) & right, of_next & right
        shares.append([share.mean() for share in claimed])
    return shares


#: Designs by the number of models: (means, spreads, step). No model is better than the first two.
NULLS = {
    "alike": lambda m: ([0] * m, [1] * m, 0),
    "one of fourfold spread": lambda m: ([0] * m, [4] + [1] * (m - 1), 0),
    "half of fourfold spread": lambda m: ([0] * m, [4] * (m // 2) + [1] * (m - m // 2), 0),
    "one of twice the spread": lambda m: ([0] * m, [2] + [1] * (m - 1), 0),
    "one of a quarter of it": lambda m: ([0] * m, [0.25] + [1] * (m - 1), 0),
    "steps of .05": lambda m: ([0] * m, [1] * m, 0.05),
    "steps of .1": lambda m: ([0] * m, [1] * m, 0.1),
    "all but one the same model": lambda m: ([0] * m, "copies", 0),
    "two tied, rest .10 below": lambda m: ([0, 0] + [-0.1] * (m - 2), [1] * m, 0),
    "two tied, erratic ones .05 below": lambda m: ([0, 0] + [-0.05] * (m - 2), [1, 1] + [4] * (m - 2), 0),
    "two tied, one erratic, rest .10 below": lambda m: ([0, 0] + [-0.1] * (m - 2), [1, 4] + [1] * (m - 2), 0),
    "two tied, one erratic, rest .17 below": lambda m: (
        [0, 0] + [-0.17] * (m - 2),
        [1, 4] + [1] * (m - 2),
        0,
    ),
    "half tied, rest .15 below": lambda m: ([0] * (m // 2 + 1) + [-0.15] * (m - m // 2 - 1), [1] * m, 0),
}


def drawn(rng, simulations, runs, means, spreads, step):
    if spreads == "copies":
        two = made_up(rng, simulations, runs, [0, 0], [1, 1])
        return two[:, :, [0] + [1] * (len(means) - 1)]
    return made_up(rng, simulations, runs, means, spreads, step)


def show(what, cells):
    print(f"| {what} | {' | '.join(cells)} |", flush=True)


def false_leads(simulations, seed):
    print(f"\nAny false lead, % of {simulations}, now (before); wanted: at most 5")
    show("values", [f"{runs} runs, {m} models" for runs in (5, 10) for m in (2, 3, 8, 12)])
    for name, design in NULLS.items():
        cells = []
        for runs in (5, 10):
            for m in (2, 3, 8, 12):
                rng = np.random.default_rng(seed)
                values = drawn(rng, simulations, runs, *design(m))
                (now, *_), (before, *_), _ = claims(values, design(m)[0])
                cells.append(f"{100 * now:.1f} ({100 * before:.1f})")
        show(name, cells)


#: Where rules are boldest: design, runs, models.
BOLDEST = (
    ("two tied, one erratic, rest .17 below", 5, 3),
    ("two tied, one erratic, rest .17 below", 5, 8),
    ("two tied, one erratic, rest .17 below", 5, 12),
    ("two tied, one erratic, rest .17 below", 10, 8),
    ("half of fourfold spread", 5, 12),
    ("two tied, one erratic, rest .10 below", 5, 3),
    ("two tied, one erratic, rest .10 below", 10, 12),
)


def boldest(simulations, seed):
    """Print false leads by the rule, the one before, and the runner-up alone."""
    print(f"\nAny false lead, % of {20 * simulations}: now, before, runner-up alone")
    for name, runs, m in BOLDEST:
        means, *design = NULLS[name](m)
        rngs = [np.random.default_rng([seed, chunk]) for chunk in range(20)]
        shares = [claims(drawn(rng, simulations, runs, means, *design), means) for rng in rngs]
        of_rules = np.mean(shares, axis=0)[:, 0]
        show(f"{name}, {runs} runs, {m} models", [f"{100 * share:.2f}" for share in of_rules])


COMPANY = {
    "alike": lambda m: ([0.1] + [0] * (m - 1), [1] * m),
    "one alike, the rest erratic, .40 below it": lambda m: (
        [0.1, 0] + [-0.4] * (m - 2),
        [1, 1] + [4] * (m - 2),
    ),
    "one alike, the rest erratic, .20 below it": lambda m: (
        [0.1, 0] + [-0.2] * (m - 2),
        [1, 1] + [4] * (m - 2),
    ),
}


def power(simulations, seed):
    print(f"\nA lead of .10, % of {simulations}: shown over all|over the next; now, before, alone")
    show("others", [f"{runs} runs, {m} models" for runs in (5, 10) for m in (2, 3, 4, 8, 12)])
    for name, design in COMPANY.items():
        cells = []
        for runs in (5, 10):
            for m in (2, 3, 4, 8, 12):
                values = made_up(np.random.default_rng(seed), simulations, runs, *design(m))
                shares = [f"{100 * a:.0f}|{100 * b:.0f}" for _, a, b in claims(values, design(m)[0])]
                cells.append(" ".join(shares))
        show(name, cells)


def behind(simulations, seed):
    print(
        f"\nTwo tied, the rest behind: % of those shown to be behind, now (before), {simulations} simulations"
    )
    show("rest", [f"{runs} runs, {m} models" for runs in (5, 10) for m in (3, 8, 12)])
    for below in (0.1, 0.15, 0.2):
        cells = []
        for runs in (5, 10):
            for m in (3, 8, 12):
                means = np.array([0, 0] + [-below] * (m - 2))
                values = made_up(np.random.default_rng(seed), simulations, runs, means, [1] * m)
                best, others, *both = vectorised(values)
                real = means[best][:, None] > means[others] + 1e-12
                cells.append(" ".join(f"{100 * ((p < RISK) & real).sum() / real.sum():.0f}" for p in both))
        show(f".{100 * below:02.0f} below", cells)


def _folds(rng, n, repeats, folds=5, size=1):
    """Return the test parts; rows come in entities of a size."""
    entities = [np.array_split(rng.permutation(n // size), folds) for _ in range(repeats)]
    return [(part[:, None] * size + np.arange(size)).ravel() for parts in entities for part in parts]


def scored(rng, m, repeats, *, n=2000, k=100, precision=0.5, lead=0.0, digits=None, size=1):
    """Return labels, scores of m models that share half of their noise, and test parts."""
    y = (np.arange(n // size) < n // size // 10).repeat(size)
    noise = [rng.normal(size=n // size).repeat(size) for _ in range(m + 1)]
    precisions = [precision + lead] + [precision] * (m - 1)
    scores = [
        separation(p, k / n, 0.1) * y + np.sqrt(0.5) * (noise[0] + own)
        for p, own in zip(precisions, noise[1:], strict=True)
    ]
    if digits is not None:
        scores = [np.round(s, digits) + 1e-6 * rng.normal(size=n) for s in scores]
    return y, scores, _folds(rng, n, repeats, size=size)


def hits(y, scores, parts, k):
    return np.array([[y[part][np.argsort(-s[part])[:k]].mean() for s in scores] for part in parts])


def plain(rng, m, repeats, k=100, size=1, **more):
    values = hits(*scored(rng, m, repeats, k=k, size=size, **more), k // 5)
    return values, Units(k / 5, True) if size == 1 else Units(k / 5 / size), RATIO


def users(rng, m, repeats, lead=0.0):
    """Sixty users with 25 items each, the first five of each: the parts are of users."""
    y, scores, _ = scored(rng, m, 1, n=1500, k=300, precision=0.3, lead=lead)
    order = rng.permutation(1500)
    of_user = np.array([hits(y, scores, order.reshape(60, 25), 5)])[0]
    parts = [part for _ in range(repeats) for part in np.array_split(rng.permutation(60), 5)]
    return np.array([of_user[part].mean(axis=0) for part in parts]), Units(12), RATIO


def amounts(rng, m, repeats, lead=0.0):
    """Share of the amounts of the positives that the top holds."""
    y, scores, parts = scored(rng, m, repeats, lead=lead)
    worth = y * rng.lognormal(size=len(y))
    found = [[worth[p][np.argsort(-s[p])[:20]].sum() / worth[p].sum() for s in scores] for p in parts]
    return np.array(found), Units(40), RATIO


def lacking(rng, m, repeats, lead=0.0):
    """A fifth of the runs have no value."""
    values, units, ratio = plain(rng, m, repeats, lead=lead)
    values[rng.random(values.shape) < 0.2] = np.nan
    return values, units, ratio


def erratic(rng, m, repeats, lead=0.0):
    """The last model has four times the spread."""
    values, units, ratio = plain(rng, m, repeats, lead=lead)
    values[:, -1] = np.clip(values[:, -1] + 0.45 * rng.normal(size=len(values)), 0, 1)
    return values, units, ratio


def large(rng, m, repeats, lead=0.0):
    """Ten thousand rows and a hundred at the top of a part, so that a run's spread is 0.05."""
    return plain(rng, m, repeats, k=500, n=10_000, lead=lead)


def bad_and_erratic(rng, m, repeats, lead=0.0):
    """All but the first two are .4 below, with four times the spread."""
    values, units, ratio = large(rng, m, repeats, lead=lead)
    further = values[:, 2:]
    values[:, 2:] = np.clip(further - 0.4 + 0.2 * rng.normal(size=further.shape), 0, 1)
    return values, units, ratio


def copies(rng, m, repeats, lead=0.0):
    """All but the first are one model."""
    values, units, ratio = plain(rng, 2, repeats, lead=lead)
    return values[:, [0] + [1] * (m - 1)], units, ratio


def in_time(rng, m, repeats, lead=0.0):
    """Windows that follow each other, five or ten."""
    y, scores, _ = scored(rng, m, 1, lead=lead)
    parts = np.array_split(rng.permutation(2000), 5 * repeats)
    return hits(y, scores, parts, 20 // repeats), Units(20 / repeats, True), RATIO


DESIGNS = {
    "2,000 rows, top 100": plain,
    "one row a part": partial(plain, k=5),
    "three rows a part": partial(plain, k=15),
    "scores rounded, ties": partial(plain, digits=0),
    "good models, 0.97": partial(plain, precision=0.97),
    "groups, 60 users of 25": users,
    "entities of 5": partial(plain, size=5),
    "a fifth of the runs missing": lacking,
    "amounts": amounts,
    "one of fourfold spread": erratic,
    "all but one the same model": copies,
    "forward in time": in_time,
}


def _judged(values, units, ratio):
    found = {f"m{j}": column for j, column in enumerate(values.T)}
    return judge(found, test_train_ratio=ratio, tolerance=0.01, units=units, bounds=(0, 1))


def disagreements(found):
    """Return in how many rivals interval and verdict contradict each other, or a lead is out of range."""
    wrong = 0
    for r in (rival for rival in found.rivals if rival.verdict != "untested"):
        inside = -found.tolerance < r.low and r.high < found.tolerance
        said = {"equal": inside, "ahead": r.low > 0 and not inside, "open": r.low <= 0 and not inside}
        p = {"equal": r.p_equal < RISK, "ahead": r.p < RISK, "open": not (r.p < RISK or r.p_equal < RISK)}
        ranges = all(not lead >= 1 for lead in (r.least, r.needs))
        wrong += not (said[r.verdict] and p[r.verdict] and ranges)
    return wrong


def folds(simulations, seed):
    """Folds of fixed scorers: false leads, and contradictions of interval and verdict."""
    print(f"\nFolds of fixed scorers, any false lead, % of {simulations}; contradictions")
    sizes = [(2, 2), (2, 3), (2, 8), (1, 2), (1, 3), (1, 8)]
    show("design", [f"{5 * repeats} runs, {m} models" for repeats, m in sizes] + ["contradictions"])
    for name, design in DESIGNS.items():
        wrong, compared, cells = 0, 0, []
        for repeats, m in sizes:
            rng, false = np.random.default_rng(seed), 0
            for _ in range(simulations):
                found = _judged(*design(rng, m, repeats))
                false += any(rival.verdict == "ahead" and rival.ranked for rival in found.rivals)
                wrong, compared = wrong + disagreements(found), compared + m - 1
            cells.append(f"{100 * false / simulations:.1f}")
        show(name, [*cells, f"{wrong} of {compared:,}"])


#: Of folds with a lead: name, design, and the lead.
LEADS = (
    ("alike", plain, 0.1),
    ("alike", plain, 0.2),
    ("one of fourfold spread", erratic, 0.1),
    ("one of fourfold spread", erratic, 0.2),
    ("alike, 10,000 rows, top 500", large, 0.1),
    ("one alike, the rest bad and erratic, 10,000 rows, top 500", bad_and_erratic, 0.1),
)


def leads(simulations, seed):
    """Folds of fixed scorers, one of them better: how often that is shown, beside the rule before."""
    print(f"\nFolds, a lead over all others, % of {simulations}: shown over all|over the next, now, before")
    sizes = [(2, m) for m in (2, 3, 8, 12)] + [(1, m) for m in (2, 3, 8, 12)]
    show("lead", [f"{5 * repeats} runs, {m} models" for repeats, m in sizes])
    for name, design, lead in LEADS:
        cells = [_leads(simulations, seed, design, lead, repeats, m) for repeats, m in sizes]
        show(f"{name}, .{100 * lead:02.0f}", cells)


def _leads(simulations, seed, design, lead, repeats, m):
    rng, drawn_values, all_, next_ = np.random.default_rng(seed), [], 0, 0
    for _ in range(simulations):
        values, *about = design(rng, m, repeats, lead=lead)
        found = _judged(values, *about)
        drawn_values.append(values)
        right = found.best == "m0"
        all_ += right and found.is_shown
        next_ += right and found.rivals[0].low > 0
    _, (_, *before), _ = claims(np.array(drawn_values), [lead] + [0.0] * (m - 1))
    now = all_ / simulations, next_ / simulations
    return " ".join(f"{100 * a:.0f}|{100 * b:.0f}" for a, b in (now, before))


def main():
    parser = options(__doc__, simulations=4000, seed=0)
    measures = (false_leads, boldest, power, behind, folds, leads)
    parser.add_argument("--only", choices=[measure.__name__ for measure in measures])
    args = parser.parse_args()
    for measure in measures:
        if args.only in (None, measure.__name__):
            each = args.simulations // 10 if measure in (folds, leads) else args.simulations
            measure(each, args.seed)


if __name__ == "__main__":
    main()
