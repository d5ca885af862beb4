"""AATP's loss for one threshold item."""

import numpy as np
import pytest

import oracles.aatp as oracle
from attop.surrogates.accuracy_at_top import AccuracyAtTop, item_weights


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


@pytest.mark.parametrize("weights", ["items", "pairs"])
def test_surrogate_coef_is_a_subgradient(weights):
    rng = np.random.default_rng(1)
    y = np.array([1, 0, 0, 1, 0, 1, 0, 0])
    for k in range(8):
        loss = AccuracyAtTop(k, weights).bind(y)
        # Integers put terms exactly on their kinks.
        for s in (rng.integers(-2, 3, 8).astype(float), 5 * rng.standard_normal(8)):
            value, coef = loss(s)
            others = s[:, None] + rng.standard_normal((8, 50)) * rng.choice([1e-3, 1, 10], 50)
            for other in others.T:
                assert loss(other)[0] >= value + coef @ (other - s) - 1e-9
        step = 1e-6
        numeric = [(loss(s + step * e)[0] - loss(s - step * e)[0]) / (2 * step) for e in np.eye(8)]
        assert coef == pytest.approx(numeric, abs=1e-6)


def test_surrogate_pair_weights_count_pairs():
    y = [1, 0, 0, 1, 0]
    assert item_weights(y, "pairs").tolist() == oracle.weights_of(y, "pairs") == [3, 2, 2, 3, 2]


@pytest.mark.parametrize(
    ("threshold_item", "weights", "message"),
    [(5, "items", "0 .. 2"), (-1, "items", "0 .. 2"), (0.5, "items", "position"), (0, "both", "weights")],
)
def test_surrogate_refuses(threshold_item, weights, message):
    with pytest.raises(ValueError, match=message):
        AccuracyAtTop(threshold_item, weights).bind([0, 1, 1])
