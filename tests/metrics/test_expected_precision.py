"""Expected precision over a law of k, against every order of tied items."""

from fractions import Fraction

import numpy as np
import pytest

from attop.metrics import expected_precision, precision_at_k
from oracles import metrics as oracle


def test_it_is_the_mean_over_k_and_over_all_orders():
    rng = np.random.default_rng(3)
    for _ in range(200):
        n = int(rng.integers(1, 8))
        y, scores = rng.integers(0, 2, n).tolist(), rng.integers(0, 3, n).tolist()
        parts = rng.integers(0, 5, n).tolist()
        parts[int(rng.integers(n))] += 1
        law = {k: Fraction(part, sum(parts)) for k, part in enumerate(parts, 1)}
        value = expected_precision(y, scores, {k: float(chance) for k, chance in law.items()})
        assert value == pytest.approx(float(oracle.expected_precision(y, scores, law)), abs=1e-12)


def test_a_certain_k_is_precision_at_k():
    y, scores = [0, 1, 1, 0, 1], [5.0, 5.0, 3.0, 2.0, 2.0]
    for k in range(1, 6):
        assert expected_precision(y, scores, {k: 1.0}) == precision_at_k(y, scores, k)


def test_labels_by_name_and_any_order_of_the_law():
    y, scores = np.array(["no", "yes", "yes"]), [3.0, 2.0, 1.0]
    one = expected_precision(y, scores, {1: 0.25, 3: 0.75}, pos_label="yes")
    assert one == expected_precision([0, 1, 1], scores, {3: 0.75, 1: 0.25}) == 0.5


@pytest.mark.parametrize(
    ("law", "said"),
    [
        ({}, "must sum to 1, got 0"),
        ({1: 0.5}, "must sum to 1, got 0.5"),
        ({0: 1.0}, "whole numbers of at least 1, got k = 0"),
        ({1.5: 1.0}, "whole numbers of at least 1, got k = 1.5"),
        ({True: 1.0}, "got k = True"),
        ({1: 1.5, 2: -0.5}, "from 0 to 1, got 1.5 for k = 1"),
        ({1: float("nan")}, "from 0 to 1, got nan"),
        ({2: 0.5, 4: 0.5}, "k = 4 a probability, and the list has 3 items"),
    ],
)
def test_a_law_that_is_none_is_refused(law, said):
    with pytest.raises(ValueError, match=said):
        expected_precision([1, 0, 1], [3.0, 2.0, 1.0], law)


def test_no_chance_is_no_k():
    assert expected_precision([1, 0], [2.0, 1.0], {1: 1.0, 9: 0.0}) == 1.0
