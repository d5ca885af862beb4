"""Surrogates of many groups use threads; their results do not show it."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import attop.surrogates
from attop.surrogates import grouped
from attop.threads import allowed_threads


@pytest.fixture
def sample(monkeypatch):
    """Labels, groups and scores of small groups in many parts, every evaluation worth its threads."""
    monkeypatch.setattr(grouped, "_WORTH_THREADS", 1)
    monkeypatch.setattr(grouped, "_LEAST_ITEMS", 40)
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 40, 1200)
    return (rng.random(1200) < 0.3).astype(int), groups, rng.standard_normal((1200, 11))


@pytest.mark.parametrize("name", ["PApKAvg", "PApKMax", "PApKTS", "PAUCStruct", "PrecAtKAvg"])
def test_results_do_not_depend_on_the_number_of_threads(name, sample):
    y, groups, scores = sample
    loss = getattr(attop.surrogates, name)(4).bind(y, groups)
    assert len(loss._parts) > 4
    results = []
    for threads in (1, 2, 7):
        loss._threads = threads
        results.append(loss(scores))
    for value, coef in results[1:]:
        np.testing.assert_array_equal(value, results[0][0])
        np.testing.assert_array_equal(coef, results[0][1])


def test_parts_add_up_to_the_groups(sample, monkeypatch):
    y, groups, scores = sample
    value, coef = attop.surrogates.PApKTS(4).bind(y, groups)(scores)
    monkeypatch.setattr(grouped, "_LEAST_ITEMS", 10**9)
    whole = attop.surrogates.PApKTS(4).bind(y, groups)
    assert len(whole._parts) == 1
    np.testing.assert_allclose(value, whole(scores)[0], rtol=1e-13)
    np.testing.assert_array_equal(coef, whole(scores)[1])


def test_one_huge_group_among_small_ones(monkeypatch):
    monkeypatch.setattr(grouped, "_LEAST_ITEMS", 10)
    groups = np.r_[np.arange(50), np.full(900, 25), np.arange(50)]
    y = np.r_[np.ones(50), np.tile([1, 0], 450), np.zeros(50)]
    loss = attop.surrogates.PApKAvg(1).bind(y, groups)
    assert sum(len(n_pos) for _, n_pos, _ in loss._parts) == loss.n_groups == 50
    assert max(len(n_pos) for _, n_pos, _ in loss._parts) < 50


def test_as_many_threads_as_the_blas_may_use():
    assert allowed_threads() >= 1
    with threadpool_limits(1, "blas"):
        assert allowed_threads() == 1
