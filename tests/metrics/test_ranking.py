"""Lists laid out for metrics: blocks of ties, codes of groups."""

import numpy as np
import pytest

from attop.core.sample import check_groups
from attop.metrics.ranking import Ranking


def test_neighbours_of_one_class_are_one_block():
    rng = np.random.default_rng(11)
    for n_levels in (1, 3, 40, 10**6):
        for _ in range(30):
            y, scores = rng.integers(0, 2, 40), rng.integers(0, n_levels, 40).astype(float)
            full, merged = Ranking.of(y, scores), []
            for size, pos in zip(full.size.tolist(), full.pos.tolist(), strict=True):
                last = merged[-1] if merged else [1, 0.5]
                if last[1] / last[0] == pos / size in (0, 1):
                    merged[-1] = [last[0] + size, last[1] + pos]
                else:
                    merged.append([size, pos])
            size, pos = np.array(merged).T
            short = Ranking.of_list(y, scores)
            np.testing.assert_array_equal(short.size, size)
            np.testing.assert_array_equal(short.pos, pos)
            np.testing.assert_array_equal(short.before, np.cumsum(size) - size)
            np.testing.assert_array_equal(short.pos_before, np.cumsum(pos) - pos)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64])
def test_groups_counted_and_sorted_are_the_same_codes(dtype):
    rng = np.random.default_rng(12)
    few = rng.integers(3, 60, 50).astype(dtype)
    many = np.where(few == few.max(), np.iinfo(dtype).max, few)
    for groups in (few, many):
        expected = np.unique(groups, return_inverse=True)[1]
        codes = check_groups(groups, 50)
        assert codes.dtype == np.int64
        np.testing.assert_array_equal(codes, expected)
