"""Entities of one size and of many: verdicts, intervals, forecasts and selections that count them.

    python -m studies.claims.entities [--draws 1000] [--seed 0] [--only verdicts]

Sizes: "fives", all of 5 rows; "tenth of 41", a tenth of 41 rows and the rest of one; "1 to 41", as likely
each; "heavy", a lognormal law of spread 1.2. The rows of an entity are wholly alike, or share half of the
variance of their scores ("half"). "large good" and "large bad": those of 41 are positives, or negatives, as a
rule.
"""

import numpy as np

from attop.experiment import HeldOut, Units, interval, judge, next_list
from attop.extending import Top
from attop.metrics import get_metric
from attop.selection import ConformalSelector
from attop.statistics import design_effect
from studies.claims import options

RATIO, RUNS = 0.25, 10
ENTITIES = 1000
SIZES = ("fives", "tenth of 41", "1 to 41", "heavy")


def sizes(kind, number, rng):
    """Return the rows of each entity."""
    if kind == "fives":
        return np.full(number, 5)
    if kind == "tenth of 41":
        return np.where(rng.random(number) < 0.1, 41, 1)
    if kind == "1 to 41":
        return rng.integers(1, 42, number)
    return np.ceil(rng.lognormal(0.5, 1.2, number)).astype(int)


def runs(rows, hits, rng):
    """Return the precision of ten runs, of five folds drawn twice; `hits` are of shape (models, entities)."""
    values = []
    for _ in range(RUNS // 5):
        fold = rng.permutation(len(rows)) % 5
        total = np.bincount(fold, rows, 5)
        values.append([np.bincount(fold, rows * hit, 5) / total for hit in hits])
    return np.concatenate(values, axis=1)


def units_of(rows):
    """Return the units of a test part, where all these rows are at the top of a list of ten times as many."""
    total = int(rows.sum())
    effect = design_effect(np.ones(total), np.repeat(np.arange(len(rows)), rows))
    counts = {"items": 10 * total, "positives": total, "entities": 10 * len(rows), "design_effect": effect}
    return Units.of(get_metric("precision@k"), Top(k=total, out_of=10 * total), RATIO, **counts)


def verdicts(draws, seed):
    """Print how often two models are called equal, and how often the interval holds."""
    print("300 entities at the top: % equal, apart by 0.02 | 0.05; % of intervals that hold, by precision")
    print(f"{'':14}{'at 0.9':>12}{'at 0.999':>12}{'0.5':>9}{'0.9':>7}{'0.97':>7}{'0.995':>7}")
    for kind in SIZES:
        rng = np.random.default_rng(seed)
        equal = {(p, apart): 0 for p in (0.9, 0.999) for apart in (0.02, 0.05)}
        holds = dict.fromkeys((0.5, 0.9, 0.97, 0.995), 0)
        for _ in range(draws):
            rows = sizes(kind, 300, rng)
            units = units_of(rows)
            for p, apart in equal:
                better = rng.random(300) < p
                both = runs(rows, [better, better & (rng.random(300) > apart / p)], rng)
                judged = judge(
                    {"a": both[0], "b": both[1]},
                    test_train_ratio=RATIO,
                    tolerance=0.01,
                    units=units,
                    bounds=(0, 1),
                )
                equal[p, apart] += judged.verdict == "equal"
            for p in holds:
                (values,) = runs(rows, [rng.random(300) < p], rng)
                low, high = interval(values, RATIO, units=units, bounds=(0.0, 1.0))
                holds[p] += low <= p <= high
        words = [
            f"{100 * equal[p, 0.02] / draws:.1f} | {100 * equal[p, 0.05] / draws:.1f}" for p in (0.9, 0.999)
        ]
        shares = "".join(f"{100 * n / draws:7.1f}" for n in holds.values())
        print(f"{kind:14}{words[0]:>12}{words[1]:>12}  {shares}", flush=True)


def sample(kind, number, share, rng):
    """Return labels, scores and entities of rows; some kinds say more than the sizes."""
    half = kind.endswith("half")
    law = "tenth of 41" if kind.startswith("large") else kind.removesuffix(", half")
    size = sizes(law, number, rng)
    chance = np.full(number, share)
    if kind == "large good":
        chance = np.where(size > 1, 5 * share, share / 2)
    if kind == "large bad":
        chance = np.where(size > 1, 0.0, share)
    positive = rng.random(number) < chance
    entity = np.repeat(np.arange(number), size)
    own = rng.normal(size=number)[entity]
    noise = np.sqrt(0.5) * (own + rng.normal(size=len(entity))) if half else own
    return positive[entity].astype(int), noise + 2 * positive[entity], entity


KINDS = (*SIZES, "fives, half", "1 to 41, half", "large good", "large bad")


def selection(draws, seed):
    """Print how often a path is crossed and a recall reached, and the mean FDR, told of entities or not."""
    print(f"{ENTITIES} entities each, told of them | and not: % paths crossed (10), recall .8 held (95),")
    print("refused, false discovery rate at .1, empty")
    for kind in KINDS:
        rng = np.random.default_rng(seed)
        lines = []
        told = [[], []]
        for i in range(draws):
            old, new = (sample(kind, ENTITIES, 0.15, rng) for _ in range(2))
            for column, known in zip(told, (True, False), strict=True):
                column.append(promises(old, new, known, i))
        for column in told:
            found = np.array(column, float)
            crossed, held, refused, wrong, empty = found.T
            reached = np.nanmean(held) if np.isfinite(held).any() else np.nan
            cells = (crossed.mean(), reached, refused.mean(), wrong.mean(), empty.mean())
            lines.append(" ".join(f"{100 * cell:6.1f}" for cell in cells))
        print(f"{kind:14} {lines[0]}   | {lines[1]}", flush=True)


def promises(old, new, known, seed):
    """Return whether the path is crossed, the recall reached (NaN if refused), refused, wrong, and empty."""
    (y, s, entity), (y_new, s_new, entity_new) = old, new
    given = {"entity": entity_new} if known else {}
    selector = ConformalSelector().fit(s, y, entity=entity if known else None)
    path = selector.path(s_new, random_state=seed, **given)
    wrong = np.cumsum(1 - y_new[np.argsort(-s_new, kind="stable")])[path.size - 1]
    chosen = selector.select(s_new, 0.1, **given)
    share = (1 - y_new[chosen]).mean() if chosen.any() else 0.0
    try:
        k = selector.k_for(s_new, 0.8, **given)
        held = float(y_new[s_new >= np.sort(s_new)[-k]].sum() >= 0.8 * y_new.sum())
    except ValueError:
        held = np.nan
    return (wrong > path.wrong).any(), held, np.isnan(held), share, not chosen.any()


def forecast(draws, seed):
    """Print how often the hits of a list of other entities lie in the interval, and in the band."""
    print("Next list of other entities, k a tenth of the rows: % in the interval, in the band; no promise")
    for kind in KINDS:
        rng, found, refused = np.random.default_rng(seed), [], 0
        for i in range(draws):
            y, s, entity = sample(kind, ENTITIES, 0.15, rng)
            y_new, s_new, _ = sample(kind, ENTITIES, 0.15, rng)
            fold = rng.permutation(entity.max() + 1)[entity] % 5
            parts = [
                HeldOut(rows := np.flatnonzero(fold == f), y[rows], s[rows], entity[rows]) for f in range(5)
            ]
            k = len(y_new) // 10
            coming = next_list(parts, k, len(y_new), random_state=i)
            if coming.reason:
                refused += 1
                continue
            path = np.cumsum(y_new[np.argsort(-s_new, kind="stable")])
            inside = (coming.band_low <= path[coming.ks - 1]) & (path[coming.ks - 1] <= coming.band_high)
            found.append([coming.low <= path[k - 1] <= coming.high, inside.all()])
        shares = 100 * np.mean(found, axis=0) if found else [np.nan] * 2
        print(f"{kind:14} {shares[0]:6.1f} {shares[1]:6.1f} {100 * refused / draws:6.1f}", flush=True)


def main():
    parser = options(__doc__, draws=1000, seed=0)
    measures = (verdicts, selection, forecast)
    parser.add_argument("--only", choices=[measure.__name__ for measure in measures])
    args = parser.parse_args()
    for measure in measures:
        if args.only in (None, measure.__name__):
            measure(args.draws, args.seed)


if __name__ == "__main__":
    main()
