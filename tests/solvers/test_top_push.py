"""TopPush as its paper stops it: the projection, the first step, the stop, and what the optimum certifies."""

import numpy as np
import pytest
from scipy.optimize import brentq

from attop.from_papers import TopPush
from attop.from_papers.top_push._dual_descent import dual_descent, project
from oracles.bundle import optimum, sample


@pytest.mark.parametrize("n", [2, 3, 8, 50])
def test_the_projection_is_the_papers_proposition_1(n):
    rng = np.random.default_rng(n)
    for _ in range(50):
        positive = np.arange(n) < rng.integers(1, n)
        u = np.round(rng.normal(rng.normal(), 2, n), rng.integers(0, 3))  # with ties
        shifted = lambda r: np.maximum(u - np.where(positive, r, -r), 0)  # noqa: B023, E731
        difference = lambda r: shifted(r)[positive].sum() - shifted(r)[~positive].sum()  # noqa: B023, E731
        r = brentq(difference, -100, 100, xtol=1e-13)
        assert project(u, positive) == pytest.approx(shifted(r), abs=1e-10)


@pytest.mark.parametrize("lam", [0.01, 1.0, 100.0])
def test_the_first_iterate_points_from_mean_to_mean(lam):
    X, y = sample(0)
    first = dual_descent(X, y, lam=lam, max_iter=1).coef[:, 0]
    means = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    assert first / np.linalg.norm(first) == pytest.approx(means / np.linalg.norm(means))


@pytest.mark.parametrize("shift", [1.0, 4.0])
def test_without_an_early_stop_it_ends_at_the_optimum(shift):
    X, y = sample(1, shift=shift)
    value, w = optimum("top-push", X, y, 1, 0.5)
    solution = dual_descent(X, y, lam=0.5, tol=0)
    assert solution.coef[:, 0] == pytest.approx(w, abs=1e-4)
    assert solution.objective[0] == pytest.approx(value, abs=1e-6)
    # The dual values are lower bounds all the way.
    lower = np.concatenate(solution.history.objective) - np.concatenate(solution.history.gap)
    assert (lower <= value + 1e-9).all()


def test_it_stops_at_a_relative_change_of_a_ten_thousandth():
    X, y = sample(2, n=200, n_pos=60)
    solution = dual_descent(X, y, lam=0.1)
    dual = np.concatenate(solution.history.objective) - np.concatenate(solution.history.gap)
    change = np.abs(np.diff(dual) / dual[:-1])
    assert solution.status == "converged"
    assert change[-1] <= 1e-4
    assert (change[8:-1] > 1e-4).all()


def test_where_the_optimum_is_constant_the_papers_model_ranks():
    X, y = sample(2, n=200, n_pos=60)
    with pytest.warns(UserWarning, match="ranks nothing"):
        exact = TopPush(lam=0.1).fit(X, y)
    paper = TopPush(lam=0.1, stop="paper").fit(X, y)
    assert exact.constant_ and exact.gap_ == 0  # noqa: PT018
    assert not paper.constant_
    assert paper.converged_
    assert paper.gap_ == 1  # its objective is above that of w = 0
    assert paper.objective_ > 1


@pytest.mark.parametrize("what", ["groups", "sample_weight"])
def test_what_the_paper_has_not_is_refused(what):
    X, y = sample(2)
    with pytest.raises(ValueError, match=r"takes neither groups nor sample_weight.*stop=\"gap\""):
        TopPush(stop="paper").fit(X, y, **{what: np.arange(len(y)) % 3 + 1})
