"""Many models at once, groups, labels and tops in any form; threads change nothing."""

from contextlib import suppress

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

from attop._core.compiled import allowed_threads
from attop.solvers import _blocks as blocks
from attop.surrogates import (
    AccuracyAtTop,
    AUCStruct,
    HingeLoss,
    InfinitePushHinge,
    LogisticLoss,
    PApKAvg,
    PApKMax,
    PApKTS,
    PatMatLoss,
    PatMatNPLoss,
    PrecAtKAvg,
    PrecAtKMax,
    PrecAtKRamp,
    PrecAtKStruct,
    TopPushLoss,
)
from attop.surrogates import _grouped as grouped
from support.surrogate_cases import EXACT, OF_LISTS, PUSHES, TOP, WITHOUT_TOP, draw


@pytest.mark.parametrize("cls", TOP + WITHOUT_TOP + PUSHES)
@pytest.mark.parametrize("m", [1, 3, 8, 21, 130])
def test_many_models_at_once_are_each_alone(cls, m):
    rng = np.random.default_rng(11)
    for _ in range(5):
        bound, _, y = draw(cls, rng)
        scores = rng.integers(-3, 4, (len(y), m)) / 2
        value, coef = bound(scores)
        assert value.shape == (m,)
        assert coef.shape == scores.shape
        np.testing.assert_allclose(bound(np.asfortranarray(scores))[0], value, **EXACT)
        for r in range(min(m, 25)):
            alone, coef_alone = bound(scores[:, r])
            assert isinstance(alone, float)
            np.testing.assert_allclose(value[r], alone, **EXACT)
            np.testing.assert_allclose(coef[:, r], coef_alone, **EXACT)


def grouped_case(rng, n_groups=9):
    """Shuffled groups of 1 to 8 items, many of them without a positive or a negative."""
    groups = rng.permutation(np.repeat(rng.permutation(100)[:n_groups], rng.integers(1, 9, n_groups)))
    y = rng.integers(0, 2, len(groups))
    y[:2], groups[:2] = [0, 1], groups[0]
    return y, groups


GROUPED = [*TOP, InfinitePushHinge, TopPushLoss, *OF_LISTS, AUCStruct, *PUSHES]


@pytest.mark.parametrize("top", [1, 2, {"tau": 0.4}, {"kappa": 0.5}])
@pytest.mark.parametrize(
    ("cls", "weighted"),
    [(c, w) for c in GROUPED for w in (False, True) if not (w and getattr(c, "no_weights", ""))],
)
def test_grouped_value_is_the_mean_over_eligible_groups_whatever_they_weigh(cls, weighted, top):
    rng = np.random.default_rng(12)
    surrogate = cls() if cls in (*WITHOUT_TOP, AUCStruct, *PUSHES) else cls(top)
    left_out = 0
    for _ in range(6):
        y, groups = grouped_case(rng)
        scores = rng.normal(size=(len(y), 3))
        weight = rng.uniform(0, 3, len(y)) * (1 + groups % 4) if weighted else None
        single = {}
        for g in np.unique(groups):
            of = groups == g
            with suppress(ValueError):
                single[g] = surrogate.value_and_coef(
                    scores[of], y[of], None, weight[of] if weighted else None
                )
        if not single:
            with pytest.raises(ValueError, match=r"no group has"):
                surrogate.bind(y, groups, weight)
            continue
        bound = surrogate.bind(y, groups, weight)
        value, coef = bound(scores)
        assert bound.n == len(y)
        assert bound.n_groups == len(single)
        assert bound.n_left_out == len(np.unique(groups)) - len(single)
        left_out += bound.n_left_out
        np.testing.assert_allclose(value, np.mean([v for v, _ in single.values()], axis=0), **EXACT)
        want = np.zeros_like(scores)
        for g, (_, c) in single.items():
            want[groups == g] = c / len(single)
        np.testing.assert_allclose(coef, want, **EXACT)
        total, filled = added(bound.blocks(10), scores)
        np.testing.assert_allclose(total, value, rtol=1e-12)
        np.testing.assert_allclose(filled, coef, rtol=1e-12)
    assert left_out > 0


def added(blocks, scores):
    """The values of blocks, added up, and their coefficients, each in its rows."""
    total, filled = np.zeros(scores.shape[1]), np.zeros_like(scores)
    for rows, part in blocks:
        value, coef = part(scores[rows])
        total += value
        filled[rows] += coef
    return total, filled


def test_pointwise_losses_pool_groups():
    rng = np.random.default_rng(13)
    y, groups = grouped_case(rng)
    s = np.linspace(-1, 1, len(y))
    for loss in (HingeLoss(), LogisticLoss(), AccuracyAtTop(2)):
        for weight in (None, rng.uniform(0, 3, len(y))):
            assert loss.value_and_coef(s, y, groups, weight)[0] == loss.value_and_coef(s, y, None, weight)[0]


@pytest.mark.parametrize(
    ("surrogate", "y", "message"),
    [
        (PApKAvg(3), [1, 0, 0], r"at least k negatives \(k=3\), got 1 positives and 2 negatives"),
        (PApKMax(1), [0, 0, 0], "a positive and at least k negatives"),
        (PrecAtKRamp(2), [1, 0, 0], r"at least k positives \(k=2\), got 1"),
        (PrecAtKMax(4), [1, 0, 0], "at least k items"),
        (PrecAtKAvg(3), [1, 0, 0], "more than k items"),
        (PrecAtKStruct(1), [0, 0, 0], "a positive"),
        (AUCStruct(), [1, 1], "a positive and a negative"),
        (InfinitePushHinge(), [1, 1], "a positive and a negative"),
        (
            PatMatNPLoss(3),
            [1, 0, 0],
            r"at least k negatives \(k=3 of the negatives\), got 1 positives and 2 neg",
        ),
        (PatMatNPLoss({"tau": 0.5}), [1, 1], "at least k negatives"),
        (PatMatLoss(4), [1, 0, 0], "at least k items"),
    ],
)
def test_undefined_samples_are_refused(surrogate, y, message):
    with pytest.raises(ValueError, match=message):
        surrogate.bind(y)


@pytest.mark.parametrize("cls", TOP + WITHOUT_TOP)
def test_scores_of_the_wrong_shape_are_refused(cls):
    bound = draw(cls, np.random.default_rng(14))[0].surrogate.bind([1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
    for shape in [(11,), (13, 2), (12, 1, 1)]:
        with pytest.raises(ValueError, match=r"scores must have shape \(12,\) or \(12, m\)"):
            bound(np.zeros(shape))


@pytest.fixture
def sample(monkeypatch):
    """Labels, groups and scores of small groups in many parts, every evaluation worth its threads."""
    monkeypatch.setattr(grouped, "_WORTH_THREADS", 1)
    monkeypatch.setattr(grouped, "_LEAST_ITEMS", 40)
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 40, 1200)
    return (rng.random(1200) < 0.3).astype(int), groups, rng.standard_normal((1200, 11))


@pytest.mark.parametrize("cls", [PApKTS, PrecAtKAvg])
def test_results_depend_neither_on_threads_nor_on_parts(cls, sample, monkeypatch):
    y, groups, scores = sample
    loss = cls(4).bind(y, groups)
    assert len(loss._parts) > 4
    monkeypatch.setattr(grouped, "_LEAST_ITEMS", 10**9)
    whole = cls(4).bind(y, groups)
    assert len(whole._parts) == 1
    results = []
    for threads in (1, 2, 7):
        loss._threads = threads
        results.append(loss(scores))
    for value, coef in results:
        np.testing.assert_array_equal(value, results[0][0])
        np.testing.assert_allclose(value, whole(scores)[0], rtol=1e-13)
        np.testing.assert_array_equal(coef, whole(scores)[1])


def test_one_huge_group_among_small_ones(monkeypatch):
    monkeypatch.setattr(grouped, "_LEAST_ITEMS", 10)
    groups = np.r_[np.arange(50), np.full(900, 25), np.arange(50)]
    y = np.r_[np.ones(50), np.tile([1, 0], 450), np.zeros(50)]
    loss = PApKAvg(1).bind(y, groups)
    assert sum(last - first for first, last in loss._parts) == loss.n_groups == 50
    assert max(last - first for first, last in loss._parts) < 50


@pytest.mark.parametrize("cls", [PApKAvg, PApKTS])
def test_blocks_of_groups_in_runs_of_rows_are_slices_and_add_up(cls):
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(30), rng.integers(1, 40, 30))
    y = (rng.random(len(groups)) < 0.3).astype(int)
    scores = rng.integers(0, 6, (len(y), 9)).astype(float)
    loss = cls(3).bind(y, groups)
    assert loss.n_left_out > 0, "groups without a loss should be among them"
    blocks = loss.blocks(70)
    assert len(blocks) > 4
    assert all(isinstance(rows, slice) for rows, _ in blocks)
    value, coef = loss(scores)
    total, filled = added(blocks, scores)
    np.testing.assert_allclose(total, value, rtol=1e-13)
    np.testing.assert_array_equal(filled, coef)


@pytest.mark.parametrize("sparse", [False, True])
def test_a_blocked_loss_is_the_loss(sample, sparse, monkeypatch):
    y, groups, _ = sample
    monkeypatch.setattr(blocks, "_SCORES", 400)
    X = np.random.default_rng(4).standard_normal((len(y), 5))
    W = np.random.default_rng(5).standard_normal((5, 3))
    W[0, 2] = np.inf
    loss = PApKMax(4).bind(y, groups)
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
    loss = PApKAvg(2).bind(y, groups)
    value, coef = loss(X @ W)
    its_value, its_gradient = blocks.BlockedLoss(csr_matrix(X) if sparse else X, loss, m=2)(W)
    np.testing.assert_allclose(its_value, value, rtol=1e-12)
    np.testing.assert_allclose(its_gradient, X.T @ coef, rtol=1e-12)


def test_as_many_threads_as_the_blas_may_use():
    for threads in (2, 1):
        with threadpool_limits(threads, "blas"):
            assert allowed_threads() == threads
