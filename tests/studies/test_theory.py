"""The papers' theory in numbers: margins against subsets, bounds by hand and on random streams."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.preprocessing import StandardScaler
from studies.bounds import aatp, perceptrons, push
from studies.theory import (
    aatp_bound,
    aatp_kernel_bound,
    log_covering_number,
    mistake_bound,
    pap_margins,
    prec_margins,
    push_bound,
    push_risk,
    rademacher,
    top_margin_loss,
)

import oracles.diagnostics as oracle
from attop.extending import Batches, Top
from attop.surrogates import (
    PApKAvg,
    PApKMax,
    PApKRamp,
    PApKTS,
    PApKTSConvex,
    PrecAtKAvg,
    PrecAtKMax,
    PrecAtKRamp,
)
from attop_bench.data.build import make
from support.first_order import perceptron


def cases(n, seed):
    """Small samples, many with ties, some huge or tiny."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        n_pos, n_neg = rng.integers(1, 7, 2)
        y = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
        scores = [rng.normal(size=len(y)), rng.integers(-3, 4, len(y)) * 1.0][i % 2]
        yield scores * [1, 1, 1e150, 1e-150][i % 4] + (y == 1) * (i % 5), y


@pytest.mark.parametrize(("margins", "label"), [(prec_margins, 1), (pap_margins, 0)])
def test_margins_are_those_of_all_subsets(margins, label):
    by_subsets = getattr(oracle, margins.__name__)
    for scores, y in cases(200, 1):
        rounding = 1e-15 * np.abs(scores).max()
        for k in range(1, (y == label).sum() + 1):
            found, expected = margins(scores, y, k), by_subsets(scores[y == 1], scores[y == 0], k)
            np.testing.assert_allclose(found, expected, rtol=1e-13, atol=rounding)
            if margins is prec_margins:
                assert found.strong - rounding <= found.k <= found.weak + rounding
            elif y.sum() >= 2 * min(y.sum(), k) - 1:  # what the paper says of all n+
                assert found.beta <= found.weak + rounding


def test_a_margin_of_one_makes_the_surrogate_zero():
    held = np.zeros(7)
    for scores, y in cases(400, 3):
        for k in range(1, (y == 0).sum() + 1):
            pap = pap_margins(scores, y, k)
            of_margin = [(PApKRamp,), (PApKAvg,), (PApKTS, PApKTSConvex), (PApKMax,)]
            margins = list(pap)
            if k <= y.sum():
                margins += prec_margins(scores, y, k)
                of_margin += [(PrecAtKRamp,), (PrecAtKAvg,), (PrecAtKMax,)]
            for i, (margin, surrogates) in enumerate(zip(margins, of_margin, strict=True)):
                if margin >= 1 + 1e-12:
                    held[i] += 1
                    assert [s(k).value_and_coef(scores, y)[0] for s in surrogates] == [0] * len(surrogates)
    assert held.min() > 50


def stream(X, y, top, batch_size, seed, passes):
    batches = Batches(X, y, top, batch_size, np.random.RandomState(seed))
    for _ in range(passes):
        yield from batches.one_pass()


@pytest.mark.parametrize("variant", ["avg", "max"])
def test_the_mistake_bound_holds_on_random_streams(variant):
    tightest = np.inf
    for seed in range(100):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(20, 80)), int(rng.integers(1, 6))
        X, y = rng.normal(size=(n, d)), (np.arange(n) < n // 3).astype(np.int64)
        truth = rng.normal(size=d)
        # From separable, with room to spare, to pure noise.
        X += np.outer(y, truth) * [6.0, 2.0, 0.5, 0.0][seed % 4]
        top, size = Top(kappa=float(rng.uniform(0.1, 1))), int(rng.integers(6, n))
        solution, state = perceptron(
            X, y, top, surrogate=variant, batch_size=size, epochs=4, rng=np.random.RandomState(seed)
        )
        seen = list(stream(X, y, top, size, seed, solution.n_iter))
        assert state.largest_k == max(batch.k for batch in seen)
        for u in (truth * 3, truth / 10, solution.coef[:, 0], np.zeros(d)):
            bound = mistake_bound(seen, u, variant=variant)
            # The bound is a rounded sum; the number of mistakes is exact.
            assert state.n_mistakes <= bound * (1 + 1e-9)
            tightest = min(tightest, bound / max(state.n_mistakes, 1))
    # At u = 0 on noise the losses are the k of the batches, about what is mistaken.
    assert tightest < 3


def test_the_terms_of_the_bound():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(30, 3)), (np.arange(30) < 12).astype(np.int64)
    u = rng.normal(size=3)
    batches = list(stream(X, y, Top(kappa=0.5), 10, 6, 2))
    assert len(batches) == 6
    losses = [
        PrecAtKAvg(b.k).value_and_coef(X[b.rows] @ u, np.arange(len(b.rows)) < b.n_pos)[0] for b in batches
    ]
    largest, k = np.linalg.norm(X, axis=1).max(), max(b.k for b in batches)
    expected = (2 * largest * np.sqrt(k) * np.linalg.norm(u) + np.sqrt(sum(losses))) ** 2
    for sample in (X, csr_matrix(X)):
        bound = mistake_bound(stream(sample, y, Top(kappa=0.5), 10, 6, 2), u)
        np.testing.assert_allclose(bound, expected, rtol=1e-12)


def test_margin_loss_is_the_mean_over_pairs():
    rng = np.random.default_rng(0)
    scores, y = rng.standard_normal(12), rng.permutation([1] * 4 + [0] * 8)
    for t, rho in product((-0.5, 0.0, 0.7), (0.1, 1.0, 5.0)):

        def phi(u, rho=rho):
            return 1.0 if u <= 0 else max(0.0, 1.0 - u / rho)

        pairs = [(a, b) for a in scores[y == 0] for b in scores[y == 1]]
        definition = sum(phi(t - a) + phi(b - t) for a, b in pairs) / (2 * len(pairs))
        assert top_margin_loss(scores, y, threshold=t, rho=rho) == pytest.approx(definition)
    # Tiny margin, no ties: the fraction of items on the wrong side.
    wrong = 0.5 * ((scores[y == 0] > 0).mean() + (scores[y == 1] < 0).mean())
    assert top_margin_loss(scores, y, threshold=0.0, rho=1e-12) == pytest.approx(wrong)


def test_corollary_2_by_hand():
    plain = aatp_kernel_bound(0.2, rho=0.5, norm=2.0, radius=3.0, m=400, delta=np.exp(-8))
    assert plain == pytest.approx(0.2 + 4 * 3 * 2 / 0.5 / 20 + 0.1)


def test_theorem_1_by_hand():
    bound = aatp_bound(0.2, rho=0.5, largest=6.0, complexities=(0.1, 0.3), m=400, delta=2 * np.exp(-8))
    assert bound == pytest.approx(0.2 + (0.4 + 2 * 6 / 20) / 0.5 + 0.3)


def test_bound_by_hand():
    # epsilon = 2, theta = 1, p = 1: radius 1/4, so 9^3 balls; (2/4)^2 = 1/4; 2^2 / 8 = 1/2.
    bound = push_bound(2.0, 1.0, p=1, n_pos=40, n_neg=60, n_rankers=3)
    assert_allclose(np.exp(bound), 2 * 729 * (np.exp(-30) + np.exp(-20)), rtol=1e-12)
    # p = 2: (1/2)^4 = 1/16, so exp(-7.5).
    weak = push_bound(2.0, 1.0, p=2, n_pos=40, n_neg=60, n_rankers=3)
    assert_allclose(weak, np.log(2 * 729 * (np.exp(-7.5) + np.exp(-20))), rtol=1e-12)
    assert push_bound(0.5, 1.0, p=64, n_pos=40, n_neg=60, n_rankers=3) > 0
    assert log_covering_number(1.0, 5) == 0
    assert_allclose(log_covering_number(0.5, 2), np.log(25))


WDBC = make("wdbc")


def test_no_model_of_the_class_means_has_a_smaller_bound():
    apart, every, _ = aatp(0, {"ionosphere": WDBC}).to_dict("records")
    assert (apart["n"], every["n"]) == (212, 212 * 357)
    assert every["bound"] < apart["bound"]
    X, y = StandardScaler().fit_transform(WDBC.X), WDBC.y
    w = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    given = {"norm": np.linalg.norm(w), "radius": np.linalg.norm(X, axis=1).max()}
    threshold = np.sort(X @ w)[-109]  # ceil(0.19 * 569)
    for rho in np.abs(X @ w - threshold).max() * np.logspace(-3, 3, 61):
        loss = top_margin_loss(X @ w, y, threshold=threshold, rho=rho)
        for row in (apart, every):
            bound = aatp_kernel_bound(loss, rho=rho, m=row["n"], delta=0.05 / (4 * 61), **given)
            assert row["bound"] <= bound + 1e-12


def test_the_error_beside_a_bound_is_of_rows_the_model_has_not_seen():
    rng = np.random.default_rng(0)
    y = (np.arange(80) < 16).astype(int)
    noise = replace(WDBC, X=rng.normal(size=(80, 40)), y=y)  # a training sample of 40 rows is separable
    rows = aatp(0, {"ionosphere": noise})
    assert (rows["measured"] > 0.35).all()


def test_mistakes_are_at_most_the_bound_and_what_can_be_made():
    rows = perceptrons(0, {"a9a": WDBC}, batch_size=100)
    assert list(rows["setting"]) == ["avg", "max"]
    assert (rows["counted"] > 0).all()
    assert (rows["counted"] <= rows[["bound", "limit"]].min(axis=1)).all()


@pytest.mark.parametrize("p", [1, 2, 4])
def test_from_the_negatives_needed_on_the_theorem_says_something(p):
    rows = push(0, {"wdbc": make("wdbc", n_features=6)}).set_index("setting")
    needed = 10 ** rows.loc[f"p = {p}", "needed"]
    for factor, vacuous in ((0.999, True), (1.001, False)):
        found = push_bound(0.5, 0.5, p=p, n_pos=10**9, n_neg=factor * needed, n_rankers=6)
        assert (found >= 0) == vacuous


@pytest.mark.parametrize("p", [1, 2, 5])
@pytest.mark.parametrize("theta", [0.0, 0.3])
def test_the_risk_with_a_price_is_that_of_the_paper(p, theta):
    rng = np.random.default_rng(p)
    y, scores = np.repeat([1, 0], [4, 5]), rng.normal(size=9).round(1)
    total = 0.0
    for k in range(4, 9):
        total += (sum(scores[i] - scores[k] <= theta for i in range(4)) / 4) ** p
    assert push_risk(scores, y, p=p, theta=theta) == pytest.approx((total / 5) ** (1 / p))


def test_rademacher_complexity_is_the_mean_over_all_signs():
    X = np.random.default_rng(0).normal(size=(8, 3))
    every = [np.linalg.norm(np.array(signs) @ X) for signs in product([-1, 1], repeat=8)]
    assert rademacher(X, 2.0, draws=20_000) == pytest.approx(2 * np.mean(every) / 8, rel=0.02)
