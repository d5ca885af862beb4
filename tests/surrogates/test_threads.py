"""Surrogates of many groups use threads; their results do not show it."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

import attop.surrogates
from attop.core.compiled import allowed_threads
from attop.solvers import blocks
from attop.surrogates import grouped


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
    assert sum(last - first for first, last in loss._parts) == loss.n_groups == 50
    assert max(last - first for first, last in loss._parts) < 50


@pytest.mark.parametrize("scattered", [False, True])
@pytest.mark.parametrize("name", ["PApKAvg", "PApKTS", "PApKTSConvex", "PAUCStruct"])
def test_blocks_are_the_whole(name, scattered):
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(30), rng.integers(1, 40, 30))
    if scattered:
        rng.shuffle(groups)
    y = (rng.random(len(groups)) < 0.3).astype(int)
    scores = rng.integers(0, 6, (len(y), 9)).astype(float)
    loss = getattr(attop.surrogates, name)(3).bind(y, groups)
    assert loss.n_left_out > 0, "groups without a loss should be among them"
    blocks = loss.blocks(70)
    assert len(blocks) > 4
    assert all(isinstance(rows, slice) for rows, _ in blocks) != scattered

    value, coef = loss(scores)
    total, filled = np.zeros(9), np.zeros_like(coef)
    for rows, part in blocks:
        its_value, its_coef = part(scores[rows])
        total += its_value
        filled[rows] += its_coef
    np.testing.assert_allclose(total, value, rtol=1e-13)
    np.testing.assert_array_equal(filled, coef)


@pytest.mark.parametrize("sparse", [False, True])
def test_a_blocked_loss_is_the_loss(sample, sparse, monkeypatch):
    y, groups, _ = sample
    monkeypatch.setattr(blocks, "_SCORES", 400)
    X = np.random.default_rng(4).standard_normal((len(y), 5))
    W = np.random.default_rng(5).standard_normal((5, 3))
    W[0, 2] = np.inf
    loss = attop.surrogates.PApKMax(4).bind(y, groups)
    value, coef = loss(X @ W[:, :2])
    results = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(blocks, "allowed_threads", lambda n=threads: n)
        blocked = blocks.BlockedLoss(csr_matrix(X) if sparse else X, loss, m=3)
        with blocked.threads():
            results.append(blocked(W))
    for its_value, its_gradient in results:
        assert np.isnan(its_value[2])
        np.testing.assert_allclose(its_value[:2], value, rtol=1e-12)
        np.testing.assert_allclose(its_gradient[:, :2], X.T @ coef, rtol=1e-10, atol=1e-13)
        np.testing.assert_array_equal(its_value, results[0][0])
        np.testing.assert_array_equal(its_gradient, results[0][1])


@pytest.mark.parametrize("sparse", [False, True])
def test_one_block_without_the_rows_of_groups_left_out(sparse):
    y = np.array([0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1])
    groups = np.array([0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2])
    X = np.random.default_rng(6).standard_normal((len(y), 3))
    W = np.random.default_rng(7).standard_normal((3, 2))
    loss = attop.surrogates.PApKAvg(2).bind(y, groups)
    value, coef = loss(X @ W)
    its_value, its_gradient = blocks.BlockedLoss(csr_matrix(X) if sparse else X, loss, m=2)(W)
    np.testing.assert_allclose(its_value, value, rtol=1e-12)
    np.testing.assert_allclose(its_gradient, X.T @ coef, rtol=1e-12)


def test_as_many_threads_as_the_blas_may_use():
    for threads in (2, 1):
        with threadpool_limits(threads, "blas"):
            assert allowed_threads() == threads
