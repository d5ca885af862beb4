"""AATP with kernels: the dual (4) by its definition, the linear kernel as the primal, the estimator."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

import oracles.aatp as oracle
from attop.estimators.aatp import AATP
from attop.estimators.kernel_aatp import KernelAATP
from attop.solvers.aatp.threshold_kernel_svm import KernelThresholdSVM
from attop.solvers.aatp.threshold_svm import ThresholdSVM
from attop.surrogates.accuracy_at_top import item_weights


def sample(n, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = (np.sum(X**2, axis=1) + rng.standard_normal(n) < d).astype(int)
    y[:2] = 0, 1
    return X, y


KERNELS = {
    "rbf": lambda X: rbf_kernel(X, gamma=0.3),
    "poly": lambda X: polynomial_kernel(X, degree=2, gamma=0.5, coef0=1.0),
    "linear": lambda X: X @ X.T,
    "shifted": lambda X: X @ X.T + 1e3,
}


@pytest.mark.parametrize("weights", ["items", "pairs"])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("kernel", KERNELS)
def test_dual_is_the_definition(kernel, C, weights):
    X, y = sample(30, 4, seed=0)
    K = KERNELS[kernel](X)
    upper = C * item_weights(y, weights).astype(float)
    found = KernelThresholdSVM(K, y, upper).solve(np.arange(30))
    assert (found.gap <= 1e-6).all()
    for b in (0, 1, 17):
        value, primal = oracle.kernel_values(K, y, b, upper, found.dual[:, b])
        # At an offset of 1e3 the definition itself cancels digits.
        # An h that gains by it has its weights from w, which sums over alpha only up to rounding.
        assert primal == pytest.approx(found.objective[b], rel=1e-7)
        assert primal >= found.objective[b] * (1 - 1e-9)
        assert primal - value <= 2e-6 * primal
        h = K @ found.coef[:, b]
        direct = sum(
            a * s * (K[i] - K[b]) for i, (a, s) in enumerate(zip(found.dual[:, b], 2 * y - 1, strict=True))
        )
        assert h == pytest.approx(direct, rel=1e-6, abs=1e-6)
        assert found.scores[:, b] - found.scores[b, b] == pytest.approx(h - h[b], rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("degree", [3, 5])
def test_large_kernel_values_leave_the_certificate(degree):
    # Kernel values up to 1e11: sums over alpha have lost the digits of the margins.
    X, y = sample(60, 6, seed=11)
    X[:5] *= 4
    K = polynomial_kernel(X, degree=degree, gamma=2.0, coef0=1.0)
    found = KernelThresholdSVM(K, y, np.ones(60)).solve(np.arange(60))
    assert (found.gap <= 1e-6).all()
    # The objective is that of the weights, by the kernel matrix.
    h = K @ found.coef
    margins = np.where(y == 1, 1.0, -1.0)[:, None] * (h - np.diag(h))
    loss = np.maximum(0.0, 1.0 - margins).sum(axis=0)
    # The eigendecomposition is exact to the largest kernel value's last digits.
    rounding = 60 * np.finfo(float).eps * K.max() * np.abs(found.coef).max()
    objective = 0.5 * np.einsum("nm,nm->m", found.coef, h) + loss
    np.testing.assert_allclose(objective, found.objective, rtol=1e-8, atol=rounding)


def test_dual_agrees_with_a_general_solver():
    pytest.importorskip("cvxpy")
    X, y = sample(20, 3, seed=1)
    K = KERNELS["rbf"](X)
    found = KernelThresholdSVM(K, y, np.full(20, 0.7)).solve([4, 11])
    for b, k in enumerate((4, 11)):
        assert found.objective[b] == pytest.approx(oracle.solve_kernel_dual(K, y, k, 0.7), rel=1e-6)


@pytest.mark.parametrize("shape", [(40, 5), (25, 60)])
def test_linear_kernel_is_the_primal(shape):
    X, y = sample(*shape, seed=2)
    linear = ThresholdSVM(X, y, np.ones(len(y))).solve(np.arange(len(y)))
    kernel = KernelThresholdSVM(X @ X.T, y, np.ones(len(y))).solve(np.arange(len(y)))
    assert kernel.objective == pytest.approx(linear.objective, rel=1e-6)
    assert X.T @ kernel.coef == pytest.approx(linear.coef, abs=1e-3)
    for top in (2, 8):
        primal = AATP(top, tol=1e-8).fit(X, y)
        dual = KernelAATP(top, kernel="linear", tol=1e-8).fit(X, y)
        assert dual.threshold_item_ == primal.threshold_item_
        assert dual.quantile_gap_ == pytest.approx(primal.quantile_gap_, abs=1e-4)
        assert X.T @ dual.dual_coef_ == pytest.approx(primal.coef_, abs=1e-4)
        assert dual.decision_function(X) == pytest.approx(primal.decision_function(X), abs=1e-3)


def test_precomputed_is_the_kernel():
    X, y = sample(50, 3, seed=3)
    new = np.random.default_rng(0).standard_normal((7, 3))
    named = KernelAATP(10, gamma=0.4).fit(X, y)
    given = KernelAATP(10, kernel="precomputed").fit(rbf_kernel(X, gamma=0.4), y)
    assert given.threshold_item_ == named.threshold_item_
    assert given.decision_function(rbf_kernel(new, X, gamma=0.4)) == pytest.approx(
        named.decision_function(new)
    )
    scores = cross_val_score(KernelAATP(10, kernel="precomputed"), rbf_kernel(X, gamma=0.4), y, cv=3)
    assert scores == pytest.approx(cross_val_score(KernelAATP(10, gamma=0.4), X, y, cv=3))


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.2])
def test_parameters_mean_what_they_mean_in_scikit_learn(gamma):
    X, y = sample(40, 4, seed=4)
    model = KernelAATP(5, kernel="poly", gamma=gamma, degree=2, coef0=0.5).fit(X, y)
    peer = SVC(kernel="poly", gamma=gamma, degree=2, coef0=0.5).fit(X, y)
    assert model.gamma_ == pytest.approx(peer._gamma)
    K = polynomial_kernel(X, gamma=peer._gamma, degree=2, coef0=0.5)
    assert model.decision_function(X) - model.intercept_ == pytest.approx(K @ model.dual_coef_)
    assert not hasattr(model, "coef_")


def test_kernel_ranks_what_no_line_can():
    X, y = sample(90, 2, seed=5)
    top = int(y.sum()) // 2
    for search in ("exhaustive", "fixed-point"):
        curved = KernelAATP(top, C=0.1, search=search).fit(X, y)
        straight = AATP(top, C=0.1, search=search).fit(X, y)
        best = [y[np.argsort(-m.decision_function(X))[:top]].mean() for m in (curved, straight)]
        assert best[0] >= 0.9 > best[1]


def test_searches_agree_on_distance_zero():
    exists = 0
    for seed in range(4):
        X, y = sample(50, 3, seed)
        for C in (0.05, 1.0):
            settings = [{"top": top} for top in (6, 20, 35)]
            every = KernelAATP(C=C).fit_many(X, y, candidates=settings)
            few = KernelAATP(C=C, search="fixed-point").fit_many(X, y, candidates=settings)
            for a, b in zip(every, few, strict=True):
                assert (a.quantile_gap_ == 0) == (b.quantile_gap_ == 0)
                exists += a.quantile_gap_ == 0
    assert exists >= 3


def test_items_all_equal():
    y = np.array([1, 0, 0, 1, 0, 0, 0, 1, 0])
    model = KernelAATP(2).fit(np.ones((9, 2)), y)
    assert model.quantile_gap_ == 0
    assert model.objective_ == pytest.approx(9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "cosine"}, "kernel must be 'linear' or"),
        ({"gamma": 0.0}, "gamma must be"),
        ({"gamma": "wide"}, "gamma must be"),
        ({"degree": 0}, "degree must be"),
        ({"coef0": -1.0}, "coef0 must be"),
        ({"kernel": "precomputed"}, "square"),
        ({"C": 0.0}, "C must be"),
    ],
)
def test_refuses(options, message):
    X, y = sample(20, 3, seed=6)
    with pytest.raises(ValueError, match=message):
        KernelAATP(3, **options).fit(X, y)


def test_refuses_what_is_no_kernel():
    X, y = sample(20, 3, seed=6)
    with pytest.raises(ValueError, match="symmetric"):
        KernelAATP(3, kernel="precomputed").fit(np.triu(X @ X.T), y)


def test_an_indefinite_kernel_is_reported():
    X, y = sample(20, 3, seed=6)
    K = X @ X.T - 0.5 * np.eye(20)
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        model = KernelAATP(3, kernel="precomputed").fit(K, y)
    assert model.gap_ <= 1e-6
