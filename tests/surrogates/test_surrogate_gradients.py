"""Gradients where there are any, subgradients of those that are convex."""

from contextlib import suppress
from functools import partial

import numpy as np
import pytest

from attop.surrogates import (
    AccuracyAtTop,
    AUCStruct,
    PApKRamp,
    PApKTS,
    PrecAtKRamp,
    SoftmaxLossAtK,
    TalosLossAtK,
)
from support.surrogate_cases import PUSHES, TOP, WITHOUT_TOP, draw


def auc(k):
    return AUCStruct()


EVERY = [*TOP, *WITHOUT_TOP, *PUSHES, partial(AccuracyAtTop, weights="pairs"), auc]
CONVEX = [c for c in EVERY if getattr(c, "convex", True)]


def with_and_without_weights(kinds):
    cases = [(c, w) for c in kinds for w in (False, True) if not (w and getattr(c, "no_weights", ""))]
    return pytest.mark.parametrize(("cls", "weighted"), cases)


def bound_and_scores(cls, rng, weighted):
    while True:
        bound, s, y = draw(cls, rng)
        if not weighted:
            return bound, s
        with suppress(ValueError):
            weight = rng.integers(0, 4, len(y)) * rng.uniform(0.5, 1.5, len(y))
            return bound.surrogate.bind(y, None, weight), s


# Of these it is the gradient about a k-th score held fixed: test_softmax.py.
@with_and_without_weights([c for c in EVERY if c not in (SoftmaxLossAtK, TalosLossAtK)])
def test_coef_is_the_gradient_where_there_is_one(cls, weighted):
    rng = np.random.default_rng(6)
    step = 1e-6
    smooth = 0
    for _ in range(60 if weighted else 100):
        bound, s = bound_and_scores(cls, rng, weighted)
        s = rng.normal(size=(len(s), 1)) * 2
        shift = step * np.eye(len(s))
        values, coefs = bound(np.hstack([s, s + shift, s - shift]))
        value, coef, (plus, minus) = values[0], coefs[:, 0], np.split(values[1:], 2)
        forward, backward = (plus - value) / step, (value - minus) / step
        # A kink within the step shows as a difference of the one-sided slopes; curvature is below 4.
        kink = np.abs(forward - backward) > 1e-4
        smooth += not kink.any()
        np.testing.assert_allclose(coef[~kink], ((plus - minus) / (2 * step))[~kink], atol=1e-7)
    assert smooth >= (54 if weighted else 90)


@with_and_without_weights(CONVEX)
def test_convex_surrogates_lie_above_their_tangents_even_at_ties(cls, weighted):
    rng = np.random.default_rng(7)
    for _ in range(60 if weighted else 100):
        bound, s = bound_and_scores(cls, rng, weighted)
        value, coef = bound(s)
        others = np.column_stack(
            [s + rng.normal(size=len(s)) * scale for scale in (1e-3, 0.1, 1, 5)]
            + [s + rng.integers(-2, 3, len(s)) for _ in range(4)]
        )
        assert (bound(others)[0] >= value + coef @ (others - s[:, None]) - 1e-10).all()


@pytest.mark.parametrize("cls", [PrecAtKRamp, PApKRamp, PApKTS])
def test_the_others_are_not_convex(cls):
    assert not cls.convex
    bound = cls(1).bind([1, 1, 0])
    ends, midpoint = bound(np.array([[1.0, 0], [0, 1], [0, 0]]))[0], bound(np.array([0.5, 0.5, 0]))[0]
    assert midpoint > ends.mean()
