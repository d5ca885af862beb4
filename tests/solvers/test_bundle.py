"""The bundle solver, its quadratic program, and the estimators on it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from attop.estimators.bundle_ranker import BundleRanker
from attop.estimators.infinite_push import InfinitePush
from attop.estimators.roc_svm import ROCSVM
from attop.estimators.svm_pauc import SVMPAUC
from attop.estimators.svm_perf import SVMPerf
from attop.solvers.bundle.bundle import bundle
from attop.solvers.bundle.cutting_planes import Planes
from attop.solvers.bundle.simplex_qp import minimise_on_simplex
from attop.solvers.bundle.working_set import WorkingSet
from attop.surrogates import AUCStruct, PAUCStruct, PrecAtKStruct
from attop.surrogates.base import BoundSurrogate
from attop.surrogates.registry import SURROGATES
from oracles.bundle import ENUMERATED, PLAIN, optimum, sample, simplex_minimum


def surrogate(name, k):
    return BundleRanker(name, top=k)._surrogate()


# --- the quadratic program ---------------------------------------------------------------------------


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
            solution = minimise_on_simplex(H, b, start)
            alpha = solution.alpha
            assert (alpha >= 0).all()
            assert_allclose(alpha.sum(), 1, rtol=1e-14)
            gradient = H @ alpha - b
            gap = alpha @ gradient - gradient.min()
            size = max(alpha @ H @ alpha, abs(b @ alpha), 1e-4 * H.diagonal().max())
            assert gap <= 1e-10 * size
            assert abs(gap - solution.gap) <= 1e-13 * max(1, np.abs(H).max(), np.abs(b).max())


def test_simplex_program_against_cvxpy():
    pytest.importorskip("cvxpy")
    for H, b, _ in list(programs())[:20]:
        alpha = minimise_on_simplex(H, b).alpha
        expected = simplex_minimum(H, b)
        # CVXPY's default tolerance; the oracle's ridge.
        assert_allclose(0.5 * alpha @ H @ alpha - b @ alpha, expected, rtol=1e-6, atol=1e-7 * np.trace(H))


def test_simplex_program_edges():
    assert_array_equal(minimise_on_simplex(np.zeros((1, 1)), np.array([3.0])).alpha, [1])
    linear = minimise_on_simplex(np.zeros((3, 3)), np.array([1.0, 5.0, 2.0]), np.array([0.5, 0.0, 0.5]))
    assert_array_equal(linear.alpha, [0, 1, 0])
    equal = minimise_on_simplex(np.ones((4, 4)), np.ones(4))
    assert equal.gap == 0
    minimise_on_simplex(np.full((3, 3), np.nan), np.ones(3))  # ends


def test_simplex_program_warm_start_is_short():
    rng = np.random.default_rng(1)
    A = rng.standard_normal((30, 80))
    b = 0.1 * rng.standard_normal(80)
    cold = minimise_on_simplex(A.T @ A, b)
    assert cold.n_steps > 20
    assert minimise_on_simplex(A.T @ A, b, cold.alpha, tol=1e-12).n_steps == 0
    nearby = minimise_on_simplex(A.T @ A, b + 1e-6 * rng.standard_normal(80), cold.alpha, tol=1e-12)
    assert nearby.n_steps <= 3


# --- the bundle solver against CVXPY -----------------------------------------------------------------


def certified(name, X, y, k, lam, groups=None, tol=1e-6):
    """Solve both ways; compare the optimum, and the bounds of every iteration with it."""
    pytest.importorskip("cvxpy")
    expected, _ = optimum(name, X, y, k, lam, groups)
    solution = bundle(X, surrogate(name, k).bind(y, groups), lam=lam, tol=tol, max_iter=3000)
    objective, gap = solution.objective[0], solution.gap[0]
    slack = 1e-8 * max(1, abs(expected))  # CLARABEL's
    history = solution.history
    lower = np.ravel(history.objective) - np.ravel(history.gap)
    gain = history.objective[0][0] - lower[-1]
    assert solution.status == "converged"
    assert solution.relative_gap[0] <= tol * (1 + 1e-6)
    assert gap <= max(tol * gain * (1 + 1e-6), 1e-12 * history.objective[0][0])
    assert expected - slack <= objective <= expected + tol * gain + slack
    assert (lower <= expected + slack).all(), "a lower bound exceeds the optimum"
    assert (np.diff(np.ravel(history.objective)) <= 0).all()
    return solution


@pytest.mark.parametrize("lam", [1e-2, 0.3])
@pytest.mark.parametrize("name", PLAIN)
def test_certified_optimum(name, lam):
    X, y = sample(0)
    solution = certified(name, X, y, 5, lam)
    if lam == 1e-2:
        assert np.linalg.norm(solution.coef) > 0.1, "the problem should not be trivial"


@pytest.mark.parametrize("k", [12, 13, 20, 40])
def test_certified_optimum_of_the_mean_of_more_scores_than_there_are_positives(k):
    X, y = sample(0, shift=2.0)
    solution = certified("top-mean-k", X, y, k, 0.01)
    assert solution.coef.any() == (k > 12)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("name", ENUMERATED)
def test_certified_optimum_of_enumerated_losses(name, k):
    X, y = sample(1, n=8, d=3, n_pos=4, shift=1.5)
    solution = certified(name, X, y, k, 0.05)
    assert np.linalg.norm(solution.coef) > 0.1


@pytest.mark.parametrize("name", ["pauc", "prec@k-struct", "infinite-push"])
def test_certified_optimum_of_groups(name):
    X, y = sample(2, n=60)
    groups = np.random.default_rng(2).integers(0, 4, 60)
    groups[y == 0] = np.minimum(groups[y == 0], 3)
    y[groups == 2] = 0  # a group without positives is left out
    if name == "prec@k-struct":
        assert surrogate(name, 3).bind(y, groups).n_left_out == 1
    certified(name, X, y, 3, 0.05, groups)


NASTY = {
    "ties": lambda X, y: (np.round(X), y),
    "one positive": lambda X, y: (X, np.arange(len(y)) == 3),
    "one negative": lambda X, y: (X, np.arange(len(y)) != 3),
    "constant feature": lambda X, y: (np.column_stack([X, np.full(len(X), 7.0)]), y),
    "all features constant": lambda X, y: (np.ones_like(X), y),
    "duplicates": lambda X, y: (np.repeat(X, 3, axis=0), np.repeat(y, 3)),
    "labels contradict": lambda X, y: (np.vstack([X, X]), np.concatenate([y, 1 - y])),
    "separable": lambda X, y: (X + 9 * y[:, None], y),
    "collinear": lambda X, y: (np.column_stack([X, X, X @ np.ones(X.shape[1])]), y),
}


@pytest.mark.parametrize("case", NASTY)
@pytest.mark.parametrize("name", ["auc", "prec@k-struct", "infinite-push", "top-push"])
def test_nasty_input(name, case):
    X, y = NASTY[case](*sample(3, n=24, n_pos=8))
    certified(name, X, np.asarray(y, int), 1 if case.startswith("one") else 4, 0.1)


@pytest.mark.parametrize("name", ["auc", "prec@k-struct", "top-push"])
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_of_the_features_do_not_matter(name, scale):
    X, y = sample(4)
    loss = surrogate(name, 5).bind(y)
    plain = bundle(X, loss, lam=0.05, tol=1e-7)
    scaled = bundle(scale * X, loss, lam=0.05 * scale**2, tol=1e-7)
    assert scaled.status == "converged"
    assert_allclose(scaled.objective, plain.objective, rtol=2e-7)


@pytest.mark.parametrize("lam", [1e-8, 1e8])
def test_extreme_regularisation(lam):
    X, y = sample(5, n=200, n_pos=40)
    solution = bundle(X, AUCStruct().bind(y), lam=lam, tol=1e-6)
    assert solution.status == "converged"
    if lam > 1:
        assert_allclose(solution.objective, 1, rtol=1e-6)  # w = 0 up to 1 / lam


def test_sparse_is_dense():
    X, y = sample(6, n=80, n_pos=20)
    X[np.abs(X) < 0.7] = 0
    loss = PAUCStruct(10).bind(y)
    dense, sparse = (bundle(Z, loss, lam=0.01, tol=1e-8) for Z in (X, csr_matrix(X)))
    assert_allclose(sparse.objective, dense.objective, rtol=1e-8)
    assert_allclose(sparse.coef, dense.coef, atol=1e-3 * np.abs(dense.coef).max())


def test_objective_is_that_of_the_model():
    X, y = sample(7, n=300, n_pos=60, d=12)
    loss = PrecAtKStruct(60).bind(y)
    solution = bundle(X, loss, lam=0.5, tol=1e-5)
    w = solution.coef[:, 0]
    assert solution.objective[0] == loss(X @ w)[0] + 0.25 * (w @ w)
    assert_allclose(solution.history.objective[-1], solution.objective, rtol=1e-12)


def test_reads_the_sample_twice_an_iteration_and_rarely():
    X, y = sample(8, n=3000, d=20, n_pos=150, shift=0.5)

    class Counted:
        shape = X.shape

        def __init__(self):
            self.passes = 0

        def __matmul__(self, other):
            self.passes += 1
            return X @ other

        @property
        def T(self):
            self.passes += 1
            return X.T

    counted = Counted()
    solution = bundle(counted, AUCStruct().bind(y), lam=1e-3, tol=1e-3)
    assert solution.status == "converged"
    assert counted.passes == 2 * solution.n_iter
    assert counted.passes <= 40


class RowsCounted:
    """Counts the products with X, a product with some of its rows as their share of all."""

    def __init__(self, X, share=1.0, log=None):
        self.X, self.shape, self.share = X, X.shape, share
        self.log = [] if log is None else log

    def __matmul__(self, other):
        self.log.append(self.share)
        return self.X @ other

    def __getitem__(self, rows):
        return RowsCounted(self.X[rows], len(rows) / len(self.X), self.log)

    @property
    def T(self):
        return RowsCounted(self.X.T, self.share, self.log)


def test_a_loss_of_the_top_rarely_reads_all_rows(monkeypatch):
    X, y = sample(10, n=5000, d=30, n_pos=100, shift=0.4)
    loss = PrecAtKStruct(100).bind(y)
    counted = RowsCounted(X)
    solution = bundle(counted, loss, lam=1.0, tol=1e-3)
    assert solution.status == "converged"
    assert sum(share == 1 for share in counted.log) <= solution.n_iter + 1  # and the objective at the end
    read = sum(counted.log)
    monkeypatch.setattr("attop.solvers.bundle.working_set._FEW", 0.0)
    counted = RowsCounted(X)
    plain = bundle(counted, loss, lam=1.0, tol=1e-3)
    assert read < 0.6 * sum(counted.log)
    # Either objective is within its gap of the same optimum.
    assert abs(solution.objective[0] - plain.objective[0]) <= max(solution.gap[0], plain.gap[0])
    assert_array_equal(bundle(csr_matrix(X), loss, lam=1.0, tol=1e-3).status, "converged")


def test_planes_at_stale_scores_are_below_the_loss(monkeypatch):
    monkeypatch.setattr(
        "attop.solvers.bundle.working_set._SHARE", 0.0
    )  # go on while there is anything to gain
    rng = np.random.default_rng(11)
    X, y = sample(11, n=400, d=6, n_pos=30, shift=0.4)
    loss = PrecAtKStruct(30).bind(y)
    few, planes = WorkingSet(X), Planes(6)
    scores = X @ (best := 0.3 * rng.standard_normal(6))
    value, c = loss(scores)
    planes.add(few.slopes(c[:, np.newaxis]), np.array([value - c @ scores]))
    objective = value + 0.05 * best @ best
    lower = planes.minimise(0.1)[1]
    candidate, higher = few.refine(loss, planes, 0.1, best, scores, objective, lower)
    assert len(planes.offsets) > 5, "too few planes to be a test"
    assert higher > lower  # though the candidate itself may be worse than the best iterate
    for w in [best, candidate, *rng.standard_normal((50, 6))]:
        at_w = loss(X @ w)[0]
        assert (planes.slopes @ w + planes.offsets).max() <= at_w + 1e-9 * abs(at_w)


def test_planes_are_dropped_and_the_bound_survives(monkeypatch):
    monkeypatch.setattr("attop.solvers.bundle.cutting_planes._PATIENCE", 2)
    X, y = sample(9, n=400, d=15, n_pos=40, shift=0.4)
    loss = PrecAtKStruct(20).bind(y)
    solution = bundle(X, loss, lam=0.1, tol=1e-5, max_iter=3000)
    assert solution.status == "converged"
    monkeypatch.undo()
    assert_allclose(solution.objective, bundle(X, loss, lam=0.1, tol=1e-5).objective, rtol=2e-5)


@pytest.mark.parametrize(("seed", "lam"), [(11, 10), (18, 1), (19, 10), (22, 1)])
def test_the_objective_is_that_of_the_model(seed, lam):
    # Rare features and few positives: candidates so much alike that errors of combined scores would grow.
    rng = np.random.default_rng(seed)
    y = (rng.random(600) < 0.03).astype(int)
    y[:3] = 1
    rare = rng.random((600, 12)) < rng.uniform(0.005, 0.2, 12)
    X = np.column_stack([rare, rng.lognormal(0, 1, (600, 6)) + y[:, None] * rng.normal(0, 1.5, 6)])
    X = X[:, X.std(axis=0) > 0]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    loss = SURROGATES["top-push"]().bind(y)
    seen = []
    bundle(X, loss, lam=lam, tol=1e-6, callback=lambda t, coef, value: seen.append((coef[:, 0], value[0])))
    for w, value in seen:
        assert_allclose(value, loss(X @ w)[0] + lam / 2 * w @ w, rtol=1e-10)


def test_deadline_callback_and_max_iter():
    X, y = sample(10, n=100, n_pos=20)
    loss = AUCStruct().bind(y)
    late = bundle(X, loss, lam=1e-3, tol=1e-9, time_limit=1e-9)
    assert (late.status, late.n_iter) == ("deadline", 1)
    assert_allclose(late.objective, 1)
    seen = []

    def stop_at_three(t, coef, objective):
        seen.append((t, coef.shape, float(objective[0])))
        return t == 3

    stopped = bundle(X, loss, lam=1e-3, tol=1e-9, callback=stop_at_three)
    assert (stopped.status, stopped.n_iter) == ("stopped", 3)
    assert [s[:2] for s in seen] == [(1, (4, 1)), (2, (4, 1)), (3, (4, 1))]
    assert_allclose(seen[-1][2], stopped.objective, rtol=1e-12)
    short = bundle(X, loss, lam=1e-3, tol=1e-9, max_iter=4)
    assert (short.status, short.n_iter, len(short.history.gap)) == ("max_iter", 4, 4)
    assert len(short.history.seconds) == 4
    assert short.objective[0] - short.gap[0] <= bundle(X, loss, lam=1e-3, tol=1e-9).objective[0] + 1e-12


def test_overflow_is_contained():
    X, y = sample(11)
    solution = bundle(X * 1e200, AUCStruct().bind(y), lam=1.0)
    assert solution.status == "diverged"
    assert_array_equal(solution.coef, 0)
    assert_allclose(solution.objective, 1)


def test_loss_that_is_not_convex_is_refused():
    class Concave(BoundSurrogate):
        n, n_groups, n_left_out = 40, 1, 0

        def __call__(self, scores):
            return float(-np.abs(scores).sum()), -np.sign(scores) - (scores == 0)

    X, _ = sample(12)
    with pytest.raises(ValueError, match="not convex"):
        bundle(X, Concave(), lam=10.0, tol=1e-6)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"lam": 0.0}, "lam"), ({"lam": np.nan}, "lam"), ({"tol": 0.0}, "tol"), ({"max_iter": 0}, "max_iter")],
)
def test_parameters_out_of_range(wrong, message):
    X, y = sample(13)
    with pytest.raises(ValueError, match=message):
        bundle(X, AUCStruct().bind(y), **{"lam": 1.0, **wrong})


def test_rows_must_fit():
    X, y = sample(13)
    with pytest.raises(ValueError, match=r"shape \(40, d\), .* got \(39, "):
        bundle(X[1:], AUCStruct().bind(y), lam=1.0)


# --- estimators --------------------------------------------------------------------------------------

ESTIMATORS = {
    "prec@k-struct": lambda C, **more: SVMPerf(top=5, C=C, **more),
    "pauc": lambda C, **more: SVMPAUC(top=5, C=C, **more),
    "auc": lambda C, **more: ROCSVM(C=C, **more),
    "infinite-push": lambda C, **more: InfinitePush(lam=1 / C, **more),
}


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("C", [1.0, 30.0])
def test_estimator_solves_its_problem(name, C):
    pytest.importorskip("cvxpy")
    X, y = sample(20)
    expected, w = optimum(name, X, y, 5, 1 / C)
    model = ESTIMATORS[name](C, tol=1e-8).fit(X, np.where(y == 1, "yes", "no"))
    assert model.converged_
    assert 0 <= model.gap_ <= 1e-8
    assert_allclose(model.objective_, expected, rtol=3e-8, atol=1e-8)
    # Strong convexity: ||w - w*||^2 <= 2 C (J - J*).
    assert np.linalg.norm(model.coef_ - w) <= np.sqrt(2 * C * 6e-8 * max(1, abs(expected)))
    assert model.n_iter_ == len(model.history_.objective)
    assert (model.predict(X) == "yes").sum() == y.sum() or np.allclose(model.coef_, 0)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimator_uses_groups(name):
    pytest.importorskip("cvxpy")
    X, y = sample(21, n=60)
    groups = np.arange(60) % 3
    expected, _ = optimum(name, X, y, 5, 0.1, groups)
    model = ESTIMATORS[name](10.0, tol=1e-7).fit(X, y, groups=groups)
    assert_allclose(model.objective_, expected, rtol=3e-7, atol=1e-8)
    assert abs(model.objective_ - ESTIMATORS[name](10.0, tol=1e-7).fit(X, y).objective_) > 1e-3


@pytest.mark.parametrize("name", [name for name, kind in SURROGATES.items() if kind.convex])
def test_bundle_ranker_on_every_surrogate(name):
    X, y = sample(22, n=100, n_pos=20)
    model = BundleRanker(name, top=10, C=5.0, tol=1e-4).fit(X, y)
    assert model.converged_
    loss, _ = surrogate(name, 10).value_and_coef(X @ model.coef_, y)
    assert_allclose(model.objective_, loss + 0.1 * model.coef_ @ model.coef_, rtol=1e-12)
    assert surrogate(name, 10).convex


def test_settings_that_do_not_matter_share_a_fit():
    X, y = sample(23)
    settings = [{"top": 1}, {"top": 5}, {"top": {"k": 5}}, {"top": 5, "C": 2.0}]
    one, five, same, other = SVMPAUC(C=1.0).fit_many(X, y, settings=settings)
    assert five.history_ is same.history_
    assert len({id(m.history_) for m in (one, five, other)}) == 3
    assert_array_equal(five.coef_, SVMPAUC(top=5).fit(X, y).coef_)
    without = BundleRanker("auc").fit_many(X, y, settings=settings[:3])
    assert len({id(m.history_) for m in without}) == 1


def test_svm_perf_scaling_of_C():
    """The problem of Joachims (2005): labels -1 and 1, loss a percentage of k."""
    cp = pytest.importorskip("cvxpy")
    X, y = sample(24, shift=2.0)
    k, C = 8, 3.0
    u = cp.Variable(4)
    s = 2 * X @ u
    loss = cp.sum_largest(s + 100 / k * (1 - y), k) - cp.sum(s[np.flatnonzero(y)])
    cp.Problem(cp.Minimize(cp.sum_squares(u) / 2 + C * loss)).solve(solver=cp.CLARABEL)
    model = SVMPerf(top=k, C=k * C / 25, tol=1e-9).fit(X, y)
    assert_allclose(model.coef_ * 50 / k, u.value, atol=2e-3 * np.abs(u.value).max())


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (SVMPerf(C=0), "C must be"),
        (ROCSVM(C=np.inf), "C must be"),
        (InfinitePush(lam=-1), "lam must be"),
        (BundleRanker("pap@k-afg"), "unknown surrogate .*did you mean 'pap@k-avg'"),
        (BundleRanker("pap@k-ramp"), "bundle needs a surrogate that is convex, and PApKRamp is not"),
        (SVMPAUC(top=1000), "at least k negatives"),
    ],
)
def test_estimators_refuse(estimator, message):
    X, y = sample(25)
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, y)


@pytest.mark.parametrize("surrogate", ["pap@k-avg", "pauc", "infinite-push", "top-push"])
def test_huge_features_do_not_make_a_convex_loss_look_otherwise(surrogate):
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.3).astype(int)
    X = 1e6 * (rng.standard_normal((300, 6)) + 0.6 * y[:, None])
    model = BundleRanker(surrogate, top=10, max_iter=300).fit(X, y)
    assert model.converged_
    assert model.gap_ <= 1e-3


def test_an_unfinished_model_is_warned_of():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((100, 4)), np.arange(100) % 4 == 0
    with pytest.warns(ConvergenceWarning, match=r"stopped \(max_iter\) after 1 iterations .* raise max_iter"):
        model = BundleRanker("auc", C=1000.0, max_iter=1).fit(X, y)
    assert not model.converged_
