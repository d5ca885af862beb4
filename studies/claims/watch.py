"""False alarms of `watch` in years of 52 lists, and halved precisions that are seen in four.

    python -m studies.claims --only watch

The precision of a list varies about the promise, by a standard deviation of so many percent of it.
Independently by a normal law, a lognormal one, or "seldom": one list in ten is far below, the others a little
above. Or not independently: "successive" lists are correlated by 0.7, or the "season" is a sine of a year, of
that amplitude. "Answered": an alarm, and no sign by the lists up to it that they depend on each other.

Levels were chosen on these laws, by draws of seeds 100 to 600. Four further ones had no part in that:
"heavy" tails (Student's t with 3 degrees of freedom), one list in a "fifth" at half the promise, failures
that come in "pairs", one list in twelve, and "slow" lists, correlated by 0.9. That lists of a window have to
agree was tried on them (seed 3). Nothing was chosen on the last two: failures that come in "threes", three
lists in fifty, and a law that is "skew", the exponential one.
"""

import numpy as np
from scipy.stats import binom, norm

from attop.statistics import watch
from attop.statistics._watching import _alarm, _Lists
from studies.claims.shares import share

YEAR, RISK = 52, 0.05
#: Years without a fall: law, and how much lists vary.
KEPT = (
    ("normal", 0.0),
    ("normal", 0.1),
    ("normal", 0.2),
    ("normal", 0.3),
    ("lognormal", 0.3),
    ("seldom", 0.3),
    ("successive", 0.2),
    ("season", 0.3),
)
#: Laws that no level was chosen on.
OTHERS = (("heavy", 0.3), ("fifth", 0.25), ("pairs", 0.3), ("slow", 0.1), ("threes", 0.3), ("skew", 0.3))
#: Laws whose lists depend on each other.
DEPENDENT = ("successive", "season", "slow", "pairs", "threes")
VARIES = (0.0, 0.1, 0.2, 0.3)
CELLS = ((20, 0.1), (20, 0.6), (100, 0.05), (100, 0.1), (100, 0.2), (100, 0.3), (100, 0.6), (400, 0.3))


def variation(law, shape, rng):
    """Return by how many standard deviations lists are off; `shape` is years and lists."""
    normal = rng.normal(size=shape)
    if law == "normal":
        return normal
    if law == "heavy":
        return rng.standard_t(3, shape) / np.sqrt(3)
    if law == "seldom":
        return np.where(rng.random(shape) < 0.1, -3.0, 1 / 3)
    if law == "fifth":
        return np.where(rng.random(shape) < 0.2, -2.0, 1 / 2)
    if law == "skew":
        return rng.exponential(size=shape) - 1
    if law == "pairs":
        return failures(2, 0.04, shape, rng)
    if law == "threes":
        return failures(3, 0.02, shape, rng)
    if law == "season":
        return np.sin(2 * np.pi * (np.arange(shape[1]) / YEAR + rng.random((shape[0], 1))))
    fades = {"successive": 0.7, "slow": 0.9}[law]
    for i in range(1, shape[1]):
        normal[:, i] = fades * normal[:, i - 1] + np.sqrt(1 - fades**2) * normal[:, i]
    return normal


def failures(length, begins, shape, rng):
    """Return lists of which so many in a row are far below, and the others above so that the mean is kept."""
    first = rng.random((shape[0], shape[1] + length - 1)) < begins
    fails = np.any([first[:, i : i + shape[1]] for i in range(length)], axis=0)
    kept = (1 - begins) ** length
    return np.where(fails, -3.0, 3 * (1 - kept) / kept)


def lists(mean, law, varies, years, rows, rng):
    """Return the positives of lists, of shape (years, lists)."""
    shape = (years, len(mean))
    if law == "lognormal":
        spread = np.sqrt(np.log1p(varies**2))
        times = np.exp(spread * rng.normal(size=shape) - spread**2 / 2)
    else:
        times = 1 + varies * variation(law, shape, rng)
    return rng.binomial(rows, np.clip(mean * times, 0, 1)).astype(float)


def alarms(hits, rows, promised):
    """Return the list that raised an alarm in each year, 0 if none did."""
    count = hits.shape[1]
    raised, _ = _alarm(_Lists.of(hits, np.full(count, float(rows)), np.full(count, promised)), RISK)
    return raised


def answered(hits, rows, promised, raised):
    """Return in which years an alarm came without a sign that lists depend on each other."""
    found = []
    for year, at in zip(hits.astype(int), raised, strict=True):
        up_to = watch(year[:at], [rows] * at, promised) if at else None
        found.append(up_to is not None and up_to.assumption != "not met")
    return np.array(found)


def seen(promised, varies, good, years, rows, rng):
    """Return in which years, of those without an alarm before, a halved promise is seen in four lists."""
    mean = promised * np.r_[np.ones(good), np.full(4, 0.5)]
    raised = alarms(lists(mean, "normal", varies, years, rows, rng), rows, promised)
    quiet = (raised == 0) | (raised > good)
    return raised[quiet] > 0


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


def falls(cell, years, seed):
    """Count years without a fall in which there is an alarm, and halved promises that are seen."""
    (rows, promised), rng = cell, np.random.default_rng(seed)
    where, found, told = ("watch", f"{rows} rows, {promised}"), [], []
    for law, varies in (*KEPT, *OTHERS):
        name = f"{law} {varies:.0%}"
        hits = lists(np.full(YEAR, promised), law, varies, years, rows, rng)
        raised = alarms(hits, rows, promised)
        promise = "" if law in DEPENDENT else "at most 5"
        found.append(share(*where, name, raised > 0, promise))
        if law in DEPENDENT:
            without_sign = answered(hits, rows, promised, raised)
            told.append(share(*where, f"{law} answered", without_sign, "at most 5"))
    power = []
    for good, when in ((0, "at once"), (26, "after 26")):
        for varies in VARIES:
            at_once = seen(promised, varies, good, years, rows, rng)
            power.append(share(*where, f"halved {when} {varies:.0%}", at_once))
    return found + told + power
