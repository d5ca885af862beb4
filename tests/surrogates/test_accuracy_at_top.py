"""AATP's loss for one threshold item."""

import numpy as np
import pytest

import oracles.aatp as oracle
from attop.surrogates._accuracy_at_top import AccuracyAtTop


@pytest.mark.parametrize("weights", ["items", "pairs"])
def test_surrogate_is_the_definition(weights):
    rng = np.random.default_rng(0)
    y = np.array([1, 0, 0, 1, 0, 1, 0])
    scores = np.round(rng.standard_normal((7, 7)), 1)
    values, _ = AccuracyAtTop(np.arange(7), weights).value_and_coef(scores, y)
    assert values == pytest.approx([oracle.threshold_loss(scores[:, k], y, k, weights) for k in range(7)])
    for k in range(7):
        value, coef = AccuracyAtTop(k, weights).value_and_coef(scores[:, k], y)
        assert isinstance(value, float)
        assert value == pytest.approx(values[k])
        assert coef.shape == (7,)


@pytest.mark.parametrize(
    ("threshold_item", "weights", "message"),
    [(5, "items", "0 .. 2"), (-1, "items", "0 .. 2"), (0.5, "items", "position"), (0, "both", "weights")],
)
def test_surrogate_refuses(threshold_item, weights, message):
    with pytest.raises(ValueError, match=message):
        AccuracyAtTop(threshold_item, weights).bind([0, 1, 1])
