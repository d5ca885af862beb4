"""Gradients where there are any, subgradients of those that are convex."""

import numpy as np
import pytest

from attop.surrogates import PApKRamp, PApKTS, PrecAtKRamp, SoftmaxLossAtK
from support.surrogate_cases import PUSHES, TOP, WITHOUT_TOP, draw


# Of SoftmaxLossAtK it is the gradient about a quantile held fixed: test_softmax.py.
@pytest.mark.parametrize("cls", [c for c in TOP + WITHOUT_TOP + PUSHES if c is not SoftmaxLossAtK])
def test_coef_is_the_gradient_where_there_is_one(cls):
    rng = np.random.default_rng(6)
    step = 1e-6
    smooth = 0
    for _ in range(200):
        surrogate, s, y = draw(cls, rng)
        s = rng.normal(size=len(y)) * 2
        bound = surrogate.bind(y)
        value, coef = bound(s)
        shift = step * np.eye(len(y))
        plus, minus = bound(s[:, None] + shift)[0], bound(s[:, None] - shift)[0]
        forward, backward = (plus - value) / step, (value - minus) / step
        # A kink within the step shows as a difference of the one-sided slopes; curvature is below 4.
        kink = np.abs(forward - backward) > 1e-4
        smooth += not kink.any()
        np.testing.assert_allclose(coef[~kink], ((plus - minus) / (2 * step))[~kink], atol=1e-7)
    assert smooth >= 180


@pytest.mark.parametrize("cls", [*(c for c in TOP + WITHOUT_TOP if c.convex), *PUSHES])
def test_convex_surrogates_lie_above_their_tangents_even_at_ties(cls):
    rng = np.random.default_rng(7)
    for _ in range(200):
        surrogate, s, y = draw(cls, rng)
        bound = surrogate.bind(y)
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
