"""Methods and questions that the papers announce: they are those the papers mean."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import oracles.aatp as oracle
from attop.from_papers import PNormPush
from studies import announced


def test_p_changes_the_whole_curve_of_the_sample_with_outliers():
    X, y = announced.outliers(np.random.default_rng(0))
    ends = {}
    for p in (1, 64):
        scores = PNormPush(p=p, max_iter=200).fit(X, y).decision_function(X)
        ends[p] = roc_auc_score(y, scores), (scores[y == 1] > scores[y == 0].max()).sum()
    assert ends[1][0] > 0.97
    assert ends[64][0] < 0.88
    assert ends[64][1] > ends[1][1] + 30


def test_stumps_are_all_thresholds_of_the_training_part():
    X = np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 6.0]])
    assert announced.stumps(X, X).tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 1]]


def test_adaboost_ends_at_the_minimum_of_its_loss_and_ranks_as_rankboost():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (300, 4)).astype(float)
    y = (X @ [1.0, 0.5, -1.0, 0.2] + rng.normal(size=300) > 0.2).astype(int)
    coef = announced.adaboost(X, y, 3000)
    f, sign = X @ coef, np.where(y == 1, 1.0, -1.0)
    pos, neg = np.exp(-f[y == 1]).sum(), np.exp(f[y == 0]).sum()
    weight = np.exp(-sign * (f + 0.5 * np.log(pos / neg)))  # the constant ranker is at its best
    np.testing.assert_allclose(X.T @ (weight * sign), 0, atol=1e-4 * len(y))
    push = PNormPush(p=1, max_iter=3000).fit(X, y)
    assert roc_auc_score(y, f) == pytest.approx(roc_auc_score(y, push.decision_function(X)), abs=1e-3)


def test_admm_nears_the_minimum_of_problem_2():
    pytest.importorskip("cvxpy")
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 3)) + 0.5 * y[:, None]
    _, lowest = oracle.solve(X, y, 7, 0.5)
    found = announced.admm(X, y, 7, 0.5, 2000)
    assert found[0] > lowest * 1.01
    assert found[-1] == pytest.approx(lowest, rel=1e-4)


@pytest.mark.parametrize(("tau", "rank"), [(0.25, 3), (0.3, 3), (0.5, 5)])
def test_the_largest_minimum_of_the_quantile_loss_is_the_quantile(tau, rank):
    values = np.random.default_rng(3).normal(size=8)
    loss = announced.quantile_loss(values, tau, np.sort(values))
    largest = np.sort(values)[np.flatnonzero(loss <= loss.min() + 1e-12)[-1]]
    if (tau * 8).is_integer():  # an interval of minima: its upper end is one item higher
        assert largest == np.sort(values)[-rank + 1]
    else:
        assert largest == np.sort(values)[-rank]
