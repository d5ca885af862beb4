"""The surrogates, and small random cases each is defined on."""

from functools import partial

import numpy as np

from attop.extending import SURROGATES
from attop.surrogates import ExpPushExp, HingePush, LogisticPush, PNormPushExp


def named(*names):
    return [SURROGATES[name] for name in names]


PREC = {kind: SURROGATES[f"prec@k-{kind}"] for kind in ("struct", "ramp", "max", "avg")}
PAP = {kind: SURROGATES[f"pap@k-{kind}"] for kind in ("ramp", "avg", "max", "ts", "ts-convex")}
THRESHOLD = named("top-push-k", "pat-mat", "pat-mat-np")
TOP = [*PREC.values(), *PAP.values(), *named("pauc", "prec@k-soft", "softmax@k", "talos@k"), *THRESHOLD]
OF_LISTS = named("softmax", "bpr", "psl")
WITHOUT_TOP = [*named("infinite-push", "top-push", "hinge", "logistic"), *OF_LISTS]
#: Of prices and losses: by sums over pairs in test_push_surrogates.py.
PUSHES = [PNormPushExp, ExpPushExp, LogisticPush, HingePush]
PUSHES += [partial(push, "exp") for push in (LogisticPush, HingePush)]

# Sums of a dozen numbers below 10: rounding stays far below this.
EXACT = {"rtol": 1e-12, "atol": 1e-12}


def value_of(surrogate, scores, y):
    return surrogate.value_and_coef(np.asarray(scores, float), y)[0]


def case(rng, n_pos, n_neg):
    """Labels, and scores with ties (small integers or halves) two times out of three."""
    y = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
    kind = rng.integers(3)
    s = rng.normal(size=len(y)) * 2 if kind == 0 else rng.integers(-2, 3, len(y)) / kind
    return s.astype(float), y


def small_cases(n_cases, seed, most_pos, most_neg, fewest_neg=0):
    """Random cases, every fourth with one positive."""
    rng = np.random.default_rng(seed)
    for i in range(n_cases):
        n_pos = 1 if i % 4 == 0 else int(rng.integers(1, most_pos + 1))
        yield rng, *case(rng, n_pos, int(rng.integers(fewest_neg, most_neg + 1)))


def bound(surrogate, y):
    """The surrogate bound to labels, or None where it is not defined on them."""
    try:
        return surrogate.bind(y)
    except ValueError:
        return None


def draw(cls, rng):
    """A surrogate of class `cls` bound to a random case it is defined on, and that case."""
    while True:
        s, y = case(rng, int(rng.integers(1, 7)), int(rng.integers(1, 7)))
        surrogate = cls() if cls in (*WITHOUT_TOP, *PUSHES) else cls(int(rng.integers(1, len(y) + 1)))
        if loss := bound(surrogate, y):
            return loss, s, y
