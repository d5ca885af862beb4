"""Entities of one size and of many: verdicts, intervals, forecasts and selections that count them.

    python -m studies.claims --only entities selection forecast

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
from studies.claims.shares import share

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


def verdicts(kind, draws, seed):
    """Count how often two models are called equal that are not, and how often the interval holds."""
    rng = np.random.default_rng(seed)
    equal = {(p, apart): [] for p in (0.9, 0.999) for apart in (0.02, 0.05)}
    holds = {p: [] for p in (0.5, 0.9, 0.97, 0.995)}
    for _ in range(draws):
        rows = sizes(kind, 300, rng)
        units = units_of(rows)
        for p, apart in equal:
            better = rng.random(300) < p
            a, b = runs(rows, [better, better & (rng.random(300) > apart / p)], rng)
            judged = judge(
                {"a": a, "b": b}, test_train_ratio=RATIO, tolerance=0.01, units=units, bounds=(0, 1)
            )
            equal[p, apart].append(judged.verdict == "equal")
        for p, held in holds.items():
            (values,) = runs(rows, [rng.random(300) < p], rng)
            low, high = interval(values, RATIO, units=units, bounds=(0.0, 1.0))
            held.append(low <= p <= high)
    where = "entities", kind
    wrong = [
        share(*where, f"equal, apart by {apart} at {p}", said, "at most 5")
        for (p, apart), said in equal.items()
    ]
    return wrong + [share(*where, f"interval holds at {p}", held, "at least 93") for p, held in holds.items()]


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
#: Those of which forecasts are counted.
FORECASTS = (*SIZES, "fives, half")


def selection(kind, draws, seed):
    """Count how often a path is crossed and a recall reached, and the mean FDR, told of the entities."""
    rng, found = np.random.default_rng(seed), []
    for i in range(draws):
        old, new = (sample(kind, ENTITIES, 0.15, rng) for _ in range(2))
        found.append(promises(old, new, True, i))
    crossed, held, refused, wrong, empty = np.array(found, float).T
    where = "selection", kind
    return [
        share(*where, "path crossed", crossed, "at most 10"),
        share(*where, "recall of 0.8 held", held, "at least 95"),
        share(*where, "recall refused", refused),
        share(*where, "false discovery rate", wrong, "at most 10"),
        share(*where, "empty list", empty),
    ]


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


def forecast(kind, draws, seed):
    """Count how often the hits of a list of other entities lie in the interval, and in the band."""
    rng, inside, in_band = np.random.default_rng(seed), [], []
    for i in range(draws):
        y, s, entity = sample(kind, ENTITIES, 0.15, rng)
        y_new, s_new, _ = sample(kind, ENTITIES, 0.15, rng)
        fold = rng.permutation(entity.max() + 1)[entity] % 5
        parts = [HeldOut(rows := np.flatnonzero(fold == f), y[rows], s[rows], entity[rows]) for f in range(5)]
        k = len(y_new) // 10
        coming = next_list(parts, k, len(y_new), random_state=i)
        path = np.cumsum(y_new[np.argsort(-s_new, kind="stable")])
        at = path[coming.ks - 1]
        untold = bool(coming.reason)
        inside.append(np.nan if untold else coming.low <= path[k - 1] <= coming.high)
        in_band.append(np.nan if untold else ((coming.band_low <= at) & (at <= coming.band_high)).all())
    where = "forecast", kind
    return [
        share(*where, "in the interval", inside, "at least 93"),
        share(*where, "in the band", in_band, "at least 93"),
        share(*where, "no promise", np.isnan(inside)),
    ]
