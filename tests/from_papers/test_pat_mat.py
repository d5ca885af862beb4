"""Pat&Mat: the certified optimum against CVXPY, and the estimator."""

import numpy as np
import pytest

from attop.from_papers import PatMat
from oracles.bundle import pat_mat_optimum, sample

QUANTILES = {"all": "pat-mat", "negatives": "pat-mat-np"}


def assert_optimal(model, expected):
    """Within the gap that is certified, a share of what is gained over w = 0, of CVXPY's optimum."""
    assert model.converged_
    slack = 1e-7 * max(expected, 0.1)  # CLARABEL's
    gain = model.history_.objective[0][0] - expected
    assert expected - slack <= model.objective_ <= expected + 1.1e-6 * gain + slack
    lower = np.ravel(model.history_.objective) - np.ravel(model.history_.gap)
    assert (lower <= expected + slack).all()


SETTINGS = [(5, 1.0, 0.01), (1, 0.1, 0.3), (20, 5.0, 0.01), (12, 0.01, 1.0)]


@pytest.mark.parametrize("quantile_of", QUANTILES)
@pytest.mark.parametrize(("k", "beta", "lam"), SETTINGS)
def test_optimum_is_that_of_cvxpy(quantile_of, k, beta, lam):
    pytest.importorskip("cvxpy")
    X, y = sample(0)
    expected, w = pat_mat_optimum(X, y, k, lam, beta, quantile_of == "negatives")
    assert_optimal(PatMat(k, beta, quantile_of, lam=lam, tol=1e-6).fit(X, y), expected)
    assert np.linalg.norm(w) > 0.01


@pytest.mark.parametrize(
    "nasty",
    [
        lambda X, y: (np.round(X), y),
        lambda X, y: (X, (np.arange(len(y)) == 3).astype(int)),
        lambda X, y: (X, (np.arange(len(y)) != 3).astype(int)),
        lambda X, y: (np.vstack([X, X]), np.concatenate([y, 1 - y])),
        lambda X, y: (X + 9 * y[:, None], y),
    ],
    ids=["ties", "one positive", "one negative", "labels contradict", "separable"],
)
@pytest.mark.parametrize("quantile_of", QUANTILES)
def test_nasty_input(nasty, quantile_of):
    pytest.importorskip("cvxpy")
    X, y = nasty(*sample(3, n=24, n_pos=8))
    expected, _ = pat_mat_optimum(X, y, 1, 0.1, 1.0, quantile_of == "negatives")
    assert_optimal(PatMat(1, quantile_of=quantile_of, lam=0.1, tol=1e-6).fit(X, y), expected)


def test_parameters_reach_the_loss():
    X, y = sample(4)
    model = PatMat(5, 0.5, "negatives")
    assert repr(model._loss()) == "PatMatNP(top=Top(k=5), beta=0.5)"
    assert repr(PatMat()._loss()) == "PatMat(top=Top(kappa=1.0), beta=1.0)"
    settings = [{"beta": 0.5}, {"beta": 2.0}, {"beta": 0.5}]
    one, other, same = model.fit_many(X, y, candidates=settings)
    assert one.history_ is same.history_
    assert abs(one.objective_ - other.objective_) > 1e-3
    with pytest.raises(ValueError, match="quantile_of must be 'all' or 'negatives', got 'none'"):
        PatMat(quantile_of="none").fit(X, y)
