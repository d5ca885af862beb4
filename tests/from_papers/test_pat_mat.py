"""Pat&Mat: the certified optimum against CVXPY, and the estimator."""

import numpy as np
import pytest

from attop.from_papers import PatMat
from oracles.bundle import pat_mat_optimum, sample

X, Y = sample(3, n=24, n_pos=8)
SAMPLES = {
    "usual": sample(0),
    "ties": (np.round(X), Y),
    "one positive": (X, np.eye(24, dtype=int)[3]),
    "one negative": (X, 1 - np.eye(24, dtype=int)[3]),
    "labels contradict": (np.vstack([X, X]), np.concatenate([Y, 1 - Y])),
    "separable": (X + 9 * Y[:, None], Y),
}
SETTINGS = [
    ("usual", 5, 1.0, 0.01),
    ("usual", 1, 0.1, 0.3),
    ("usual", 20, 5.0, 0.01),
    ("usual", 12, 0.01, 1.0),
]
SETTINGS += [(name, 1, 1.0, 0.1) for name in SAMPLES if name != "usual"]


@pytest.mark.parametrize("quantile_of", ["all", "negatives"])
@pytest.mark.parametrize(("name", "k", "beta", "lam"), SETTINGS)
def test_optimum_is_that_of_cvxpy(quantile_of, name, k, beta, lam):
    """Within the gap that is certified, a share of what is gained over w = 0, of CVXPY's optimum."""
    pytest.importorskip("cvxpy")
    X, y = SAMPLES[name]
    expected, w = pat_mat_optimum(X, y, k, lam, beta, quantile_of == "negatives")
    model = PatMat(k, beta, quantile_of, lam=lam, tol=1e-6).fit(X, y)
    assert model.converged_
    slack = 1e-7 * max(expected, 0.1)  # CLARABEL's
    gain = model.history_.objective[0][0] - expected
    assert expected - slack <= model.objective_ <= expected + 1.1e-6 * gain + slack
    lower = np.ravel(model.history_.objective) - np.ravel(model.history_.gap)
    assert (lower <= expected + slack).all()
    assert np.linalg.norm(w) > 0.01 or name != "usual"


def test_parameters_reach_the_loss():
    X, y = sample(4)
    model = PatMat(5, 0.5, "negatives")
    assert repr(model._loss()) == "PatMatNPLoss(top=Top(k=5), beta=0.5)"
    assert repr(PatMat()._loss()) == "PatMatLoss(top=Top(kappa=1.0), beta=1.0)"
    settings = [{"beta": 0.5}, {"beta": 2.0}, {"beta": 0.5}]
    one, other, same = model.fit_many(X, y, candidates=settings)
    assert one.history_ is same.history_
    assert abs(one.objective_ - other.objective_) > 1e-3
    with pytest.raises(ValueError, match="quantile_of must be 'all' or 'negatives', got 'none'"):
        PatMat(quantile_of="none").fit(X, y)
