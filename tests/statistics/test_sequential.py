"""Signed ranks looked at after each difference: the error of all looks together, and their power."""

from itertools import product

import numpy as np
import pytest

from attop.statistics._sequential import signed_ranks_in_turn


def test_all_signs_in_turn_show_one_in_at_most_a_twentieth():
    """Of all 256 assignments of signs to eight sizes, each as likely as another; half of them are enough."""
    sizes = np.array([3.0, 1, 4, 0, 5, 9, 2, 6])
    assigned = [sizes * (1, *signs) for signs in product([-1, 1], repeat=7)]
    found = [signed_ranks_in_turn(d, 8, draws=4000).sign for d in assigned]
    assert 0.02 < np.mean(np.abs(found)) <= 0.05
    assert found[-1] == 1


def test_what_was_shown_stays_shown_at_its_look():
    d = np.array([2.0, 3, 5, 4, 6, 8, 7, 9, 11, 10])
    look, sign = signed_ranks_in_turn(d, 20)
    assert (look, sign) == (7, 1)  # in 2 of 128 cases: 1.6%, of the 2.4% allowed by then; of six, 3.1%
    for n in range(look, len(d) + 1):
        assert signed_ranks_in_turn(d[:n], 20) == (look, sign)
        assert signed_ranks_in_turn(-d[:n], 20) == (look, -sign)
    assert signed_ranks_in_turn(d[: look - 1], 20) == (look - 1, 0)


def test_few_or_equal_values_show_nothing():
    assert signed_ranks_in_turn([], 20) == (0, 0)
    assert signed_ranks_in_turn([1.0, 2, 3, 4, 5], 5) == (5, 0)
    assert signed_ranks_in_turn(np.zeros(20), 20) == (20, 0)
    with pytest.raises(ValueError, match="at most 2 finite numbers"):
        signed_ranks_in_turn([1.0, 2.0, np.nan], 2)
