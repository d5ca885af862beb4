"""Surrogates of items with weights: an item of weight 2 is two items."""

import numpy as np
import pytest

from attop.surrogates import (
    AccuracyAtTop,
    AUCStruct,
    HingePush,
    LogisticPush,
    PairwiseSoftmaxLoss,
    PNormPushExp,
    SoftmaxLossAtK,
    SoftPrecAtK,
    TalosLossAtK,
    TopPushK,
)
from attop.surrogates._grouped import GroupedSurrogate
from attop.surrogates._registry import SURROGATES

TAKE = [kind for kind in [*SURROGATES.values(), AccuracyAtTop] if not kind.no_weights]
#: Sums of hinges, exact to rounding at any scale.
NOT_OF_HINGES = (TopPushK, SoftmaxLossAtK, TalosLossAtK)
OF_HINGES = [k for k in TAKE if issubclass(k, GroupedSurrogate) and not k.smooth and k not in NOT_OF_HINGES]
#: In units of the items: twice the weights, with twice the k, give twice the value.
IN_ITEMS = ("prec@k-struct", "prec@k-ramp", "prec@k-max")


def made(kind, rng, n):
    """One surrogate of the class for samples of `n` items."""
    if kind is AccuracyAtTop:
        return kind(int(rng.integers(n)), rng.choice(["items", "pairs"]))
    if kind in (HingePush, LogisticPush):
        return kind(rng.choice(["power", "exp"]), rng.choice([1.0, 2.0, 16.0]))
    if kind is PNormPushExp:
        return kind(rng.choice([1.0, 2.0, 16.0]))
    if not hasattr(kind, "_group_k") or kind.__init__ is object.__init__ or kind is PairwiseSoftmaxLoss:
        return kind()
    top = [{"k": int(rng.integers(1, 6))}, {"tau": 0.3}, {"kappa": 0.7}][rng.integers(3)]
    return kind(top, 0.5) if kind is SoftPrecAtK else kind(top)


def cases(kind, seed, n_cases, ties=False):
    """Surrogates with scores, labels and whole weights of 0 to 3 they are defined on."""
    rng, n = np.random.default_rng(seed), 12
    found = 0
    while found < n_cases:
        scores = rng.integers(-2, 3, n) / 2.0 if ties else rng.normal(size=n) * rng.choice([0.3, 1.0, 3.0])
        y, weight = (rng.random(n) < 0.4).astype(int), rng.integers(0, 4, n)
        surrogate = made(kind, rng, n)
        if kind is AccuracyAtTop:
            weight[surrogate.threshold_item] = 1
        try:
            bound = surrogate.bind(y, None, weight)
        except ValueError:  # too few for k
            continue
        found += 1
        yield surrogate, bound, scores, y, weight


@pytest.mark.parametrize("kind", TAKE, ids=lambda kind: kind.__name__)
def test_an_item_of_weight_two_is_two_items(kind):
    plain, tied = list(cases(kind, 0, 100)), list(cases(kind, 1, 60, ties=True))
    for i, (surrogate, bound, scores, y, weight) in enumerate(plain + tied):
        rows = np.repeat(np.arange(len(y)), weight)
        same = surrogate
        if kind is AccuracyAtTop:
            same = kind(int(np.searchsorted(rows, surrogate.threshold_item)), surrogate.weights)
        value, coef = bound(scores)
        repeated, spread = same.bind(y[rows])(scores[rows])
        assert value == pytest.approx(repeated, rel=1e-11, abs=1e-11)
        if i < len(plain):  # at ties there are several subgradients
            np.testing.assert_allclose(coef, np.bincount(rows, spread, len(y)), rtol=1e-9, atol=1e-11)
        assert not coef[weight == 0].any()
        for scale in [1e-150, 1e-8, 1e8, 1e100] if kind in OF_HINGES and i < 10 else []:
            value, coef = bound(scores * scale)
            repeated, spread = same.bind(y[rows])(scores[rows] * scale)
            assert value == pytest.approx(repeated, rel=1e-9, abs=1e-9)
            np.testing.assert_allclose(coef, np.bincount(rows, spread, len(y)), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", OF_HINGES, ids=lambda kind: kind.__name__)
def test_quarters_are_four_times_as_many_items_four_times_finer(kind):
    rng = np.random.default_rng(2)
    found = 0
    while found < 100:
        n, k = 10, int(rng.integers(1, 4))
        scores, y = rng.normal(size=n), (rng.random(n) < 0.4).astype(int)
        times = rng.integers(0, 9, n)
        rows = np.repeat(np.arange(n), times)
        with_top = kind.__init__ is not object.__init__
        one, fine = (kind(k), kind(4 * k)) if with_top else (kind(), kind())
        try:
            value, coef = one.bind(y, None, times / 4)(scores)
        except ValueError:
            continue
        found += 1
        repeated, spread = fine.bind(y[rows])(scores[rows])
        scale = 4 if kind.name in IN_ITEMS else 1
        assert value == pytest.approx(repeated / scale, rel=1e-11, abs=1e-11)
        np.testing.assert_allclose(coef, np.bincount(rows, spread, n) / scale, rtol=1e-9, atol=1e-11)


def test_negative_weights_are_refused():
    with pytest.raises(ValueError, match="sample_weight must be finite and at least 0"):
        AUCStruct().bind([1, 0, 0], None, [1, -1, 1])
