"""Solvers refuse a surrogate that lacks what they need before they start, naming both."""

import numpy as np
import pytest

from attop.core.top import Top
from attop.solvers.boosting.coordinate_descent import coordinate_descent
from attop.solvers.bundle.bundle import bundle
from attop.solvers.descent.gradient_descent import gradient_descent
from attop.solvers.descent.lbfgs import lbfgs
from attop.solvers.minibatch.perceptron import perceptron
from attop.surrogates.registry import SURROGATES, get_surrogate
from support.first_order import Hinge, sgd

NAN = np.nan
Y = np.repeat([1, 0], [4, 8])
X = np.random.default_rng(0).normal(size=(12, 2))


class Untouched:
    """Features that no one may read."""

    shape = X.shape


CASES = {
    "bundle": (lambda X, loss: bundle(X, loss, lam=1.0), lambda kind: kind.convex),
    "lbfgs": (lbfgs, lambda kind: kind.smooth),
    "coordinate_descent": (coordinate_descent, lambda kind: kind.name == "p-norm-push"),
    "gradient_descent": (
        lambda X, loss: gradient_descent(X, loss, eta=0.1, lam=0.1, max_iter=2),
        lambda kind: True,
    ),
}


@pytest.mark.parametrize("name", SURROGATES)
@pytest.mark.parametrize("solver", CASES)
def test_what_a_solver_needs_is_what_it_takes(solver, name):
    run, takes = CASES[solver]
    surrogate = get_surrogate(name, Top(k=2))
    loss = surrogate.bind(Y)
    if takes(type(surrogate)):
        run(X, loss)
    else:
        with pytest.raises(
            ValueError, match=f"{solver} needs a surrogate .*{type(surrogate).__name__} is not"
        ):
            run(Untouched(), loss)


def run_perceptron(X, y, **more):
    return perceptron(X, y, Top(k=1), rng=np.random.RandomState(0), **more)


def run_sgd(X, y, **more):
    return sgd(X, y, Hinge, Top(k=1), rng=np.random.RandomState(0), **{"eta": 1, "radius": 1, **more})


def bound(solver, **given):
    return lambda X, y, **more: solver(X, get_surrogate("p-norm-push", Top(k=2)).bind(y), **{**given, **more})


LIMITS = [("max_iter", 0), ("tol", -1), ("tol", NAN), ("time_limit", 0)]
REFUSED = {
    bound(bundle, lam=1.0): [("lam", 0.0), ("lam", NAN), *LIMITS[:2]],
    bound(lbfgs): LIMITS,
    bound(coordinate_descent): LIMITS,
    run_perceptron: [("variant", "mean"), ("epochs", 0)],
    run_sgd: [("eta", 0), ("radius", -1), ("epochs", 0)],
}


@pytest.mark.parametrize(
    ("run", "name", "value"), [(run, *wrong) for run, table in REFUSED.items() for wrong in table]
)
def test_parameters_out_of_range_and_rows_that_do_not_fit_are_refused(run, name, value):
    with pytest.raises(ValueError, match=name):
        run(X, Y, **{name: value})
    with pytest.raises(ValueError, match=r"shape \(\d+, d\)|rows"):
        run(X[1:], Y)
