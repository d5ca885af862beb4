"""The bound of theorem 2."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from studies.theory.push_bound import log_covering_number, margin_risk, push_bound

from attop.surrogates.convex_push import HingePush, LogisticPush
from support.pushes import nasty_list


def test_margin_risk_is_its_definition():
    rng = np.random.default_rng(13)
    for _ in range(200):
        scores, y = nasty_list(rng)
        theta, p = rng.choice([0.0, 0.5, 1.0]), rng.choice([1.0, 2.5, 64.0])
        shares = [
            np.mean([positive <= negative + theta for positive in scores[y == 1]])
            for negative in scores[y == 0]
        ]
        assert_allclose(
            margin_risk(scores, y, theta=theta, p=p), np.mean(np.power(shares, p)) ** (1 / p), atol=1e-15
        )
    for push in (HingePush(p=3), LogisticPush(p=3)):
        assert push.value_and_coef(scores, y)[0] >= margin_risk(scores, y, theta=0, p=3)
    with pytest.raises(ValueError, match="a positive and a negative"):
        margin_risk([1.0, 2.0], [0, 0], theta=0, p=1)
    with pytest.raises(ValueError, match="shape"):
        margin_risk([1.0], [0, 1], theta=0, p=1)


def test_bound_by_hand():
    # epsilon = 2, theta = 1, p = 1: radius 1/4, so 9^3 balls; (2/4)^2 = 1/4; 2^2 / 8 = 1/2.
    bound = push_bound(2.0, 1.0, p=1, n_pos=40, n_neg=60, n_rankers=3)
    assert_allclose(np.exp(bound.log_covering), 9**3, rtol=1e-13)
    assert bound.log_negatives == -2 * 60 / 4
    assert bound.log_positives == -40 / 2
    assert_allclose(bound.failure, 2 * 729 * (np.exp(-30) + np.exp(-20)), rtol=1e-12)
    # p = 2: (1/2)^4 = 1/16, so exp(-7.5), and the bound says nothing.
    weak = push_bound(2.0, 1.0, p=2, n_pos=40, n_neg=60, n_rankers=3)
    assert weak.log_negatives == -7.5
    assert_allclose(weak.log_failure, np.log(2 * 729 * (np.exp(-7.5) + np.exp(-20))), rtol=1e-12)
    assert 0 < weak.failure < 1
    assert push_bound(0.5, 1.0, p=64, n_pos=40, n_neg=60, n_rankers=3).failure == 1
    assert log_covering_number(1.0, 5) == 0
    assert_allclose(log_covering_number(0.5, 2), np.log(25))


def test_bound_is_monotone():
    start = {"epsilon": 0.5, "theta": 0.8, "p": 2.0, "n_pos": 3000, "n_neg": 200_000, "n_rankers": 8}

    def failure(**change):
        return push_bound(**{**start, **change}).log_failure

    for name, smaller in [("n_pos", 6000), ("n_neg", 400_000), ("epsilon", 0.6), ("theta", 1.0)]:
        assert failure(**{name: smaller}) < failure()
    for name, larger in [("p", 2.5), ("n_rankers", 9)]:
        assert failure(**{name: larger}) > failure()
    # Section 3: a power more asks for (4 / epsilon)^2 times the negatives.
    more = push_bound(**{**start, "p": 3.0, "n_neg": 64 * start["n_neg"]})
    assert_allclose(more.log_negatives, push_bound(**start).log_negatives, rtol=1e-12)


@pytest.mark.parametrize(
    "change",
    [{"epsilon": 0}, {"theta": -1}, {"p": 0.5}, {"n_pos": 0}, {"n_neg": 2.5}, {"n_rankers": 0}],
)
def test_bound_refuses(change):
    start = {"epsilon": 0.5, "theta": 1.0, "p": 1, "n_pos": 10, "n_neg": 10, "n_rankers": 2}
    with pytest.raises(ValueError, match=next(iter(change))):
        push_bound(**{**start, **change})
