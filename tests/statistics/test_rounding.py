"""Equal but for rounding: the one rule."""

import math

import numpy as np
import pytest

from attop.statistics._rounding import difference, levels


@pytest.mark.parametrize(
    ("a", "b", "apart"),
    [
        (0.1 + 0.2, 0.3, 0.0),
        (math.fsum([0.1, 0.7, 0.2]) / 3, (0.1 + 0.7 + 0.2) / 3, 0.0),
        (1e-13, -1e-13, 0.0),
        (0.5 + 2e-12, 0.5, 2e-12),
        (1e6 + 1e-7, 1e6, 0.0),
        (1e6 + 1e-5, 1e6, 1e-5),
        (math.nan, 1.0, math.nan),
    ],
)
def test_a_difference_that_is_rounding_alone_is_zero(a, b, apart):
    assert difference(a, b) == pytest.approx(apart, rel=1e-3, abs=0, nan_ok=True)
    assert difference(b, a) == pytest.approx(-apart, rel=1e-3, abs=0, nan_ok=True)


def test_levels_are_dense_ranks_with_rounding_set_aside():
    values = np.array([[3.0, 0.1 + 0.2, 0.3, -1.0], [1e6, 1e6 + 1e-7, 1e6 + 1e-5, 0.0]])
    assert levels(values).tolist() == [[2, 1, 1, 0], [1, 1, 2, 0]]
    assert levels(np.zeros((2, 0))).shape == (2, 0)
