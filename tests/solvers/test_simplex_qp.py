"""The quadratic program over a simplex."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from attop.solvers._bundle.cutting_planes import minimise_on_simplex


def programs():
    rng = np.random.default_rng(0)
    for t in range(60):
        d, m = int(rng.integers(1, 20)), int(rng.integers(1, 50))
        A = rng.standard_normal((d, m))
        if t % 3 == 1:
            A *= 10 ** rng.uniform(-2, 2, m)
        if t % 4 == 1:
            A[:, m // 2 :] = A[:, : m - m // 2]  # every plane twice, with other offsets
        if t % 5 == 1:
            A[:, 0] = 0
        yield A.T @ A, rng.standard_normal(m) * 10 ** rng.uniform(-3, 3), rng


def test_simplex_program_is_solved_to_rounding():
    for H, b, rng in programs():
        for start in (None, rng.dirichlet(np.ones(len(b)))):
            alpha, certified, _ = minimise_on_simplex(H, b, start)
            assert (alpha >= 0).all()
            assert_allclose(alpha.sum(), 1, rtol=1e-14)
            gradient = H @ alpha - b
            gap = alpha @ gradient - gradient.min()
            size = max(alpha @ H @ alpha, abs(b @ alpha), 1e-4 * H.diagonal().max())
            assert gap <= 1e-10 * size
            assert abs(gap - certified) <= 1e-13 * max(1, np.abs(H).max(), np.abs(b).max())


def test_simplex_program_edges():
    assert_array_equal(minimise_on_simplex(np.zeros((1, 1)), np.array([3.0]))[0], [1])
    linear, *_ = minimise_on_simplex(np.zeros((3, 3)), np.array([1.0, 5.0, 2.0]), np.array([0.5, 0.0, 0.5]))
    assert_array_equal(linear, [0, 1, 0])
    assert minimise_on_simplex(np.ones((4, 4)), np.ones(4))[1] == 0
    minimise_on_simplex(np.full((3, 3), np.nan), np.ones(3))  # ends


def test_simplex_program_warm_start_is_short():
    rng = np.random.default_rng(1)
    A = rng.standard_normal((30, 80))
    b = 0.1 * rng.standard_normal(80)
    cold, _, n_steps = minimise_on_simplex(A.T @ A, b)
    assert n_steps > 20
    assert minimise_on_simplex(A.T @ A, b, cold, tol=1e-12)[2] == 0
    assert minimise_on_simplex(A.T @ A, b + 1e-6 * rng.standard_normal(80), cold, tol=1e-12)[2] <= 3
