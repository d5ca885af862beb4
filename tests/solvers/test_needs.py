"""What all solvers have in common: needs, parameters out of range, and what ends a run."""

from functools import partial

import numpy as np
import pytest

from attop._core.top import Top
from attop.from_papers.push._coordinate_descent import coordinate_descent
from attop.solvers._bundle.bundle import bundle
from attop.solvers._gradient_descent import gradient_descent
from attop.solvers._lbfgs import lbfgs
from attop.surrogates._registry import SURROGATES, get_surrogate
from oracles.first_order import overlapping
from support.first_order import Hinge, perceptron, sgd

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
    return perceptron(X, y, Top(k=1), rng=np.random.RandomState(0), **more)[0]


def run_sgd(X, y, **more):
    return sgd(X, y, Hinge, Top(k=1), rng=np.random.RandomState(0), **{"eta": 1, "radius": 1, **more})


def bound(solver, **given):
    return lambda X, y, **more: solver(X, get_surrogate("p-norm-push", Top(k=2)).bind(y), **{**given, **more})


LIMITS = [("max_iter", 0), ("tol", -1), ("tol", NAN), ("time_limit", 0)]
REFUSED = {
    bound(bundle, lam=1.0): [("lam", 0.0), ("lam", NAN), *LIMITS[:2]],
    bound(lbfgs): LIMITS,
    bound(coordinate_descent): LIMITS,
    bound(gradient_descent, eta=[0.1, 0.2], lam=0.1): [
        *LIMITS, ("eta", 0.0), ("eta", [0.1, NAN]), ("lam", -1.0), ("lam", [1, 2, 3]),
        ("coef_init", np.zeros(5)), ("coef_init", np.full(2, NAN)),
    ],
    run_perceptron: [("surrogate", "mean"), ("epochs", 0)],
    run_sgd: [("eta", 0), ("radius", -1), ("epochs", 0)],
}  # fmt: skip


@pytest.mark.parametrize(
    ("run", "name", "value"), [(run, *wrong) for run, table in REFUSED.items() for wrong in table]
)
def test_parameters_out_of_range_and_rows_that_do_not_fit_are_refused(run, name, value):
    with pytest.raises(ValueError, match=name):
        run(X, Y, **{name: value})
    with pytest.raises(ValueError, match=r"shape \(\d+, d\)|rows"):
        run(X[1:], Y)


LIMITED = {
    "bundle": (bound(bundle, lam=1e-3, tol=1e-9), 1),
    "gradient_descent": (bound(gradient_descent, eta=[0.1, 0.2], lam=0.1), 0),
    "lbfgs": (bound(lbfgs, tol=1e-12), 0),
    "coordinate_descent": (bound(coordinate_descent), 0),
    "perceptron": (partial(run_perceptron, batch_size=20), 1),
    "sgd": (partial(run_sgd, batch_size=20, eta=[0.1, 0.2]), 1),
}


@pytest.mark.parametrize("name", LIMITED)
def test_clock_and_number_of_iterations_end_a_run(name):
    run, first = LIMITED[name]
    X, y = overlapping(shift=0.5)
    late = run(X, y, time_limit=1e-9)
    assert (late.status, late.n_iter <= 1) == ("deadline", True)
    assert np.isfinite(late.coef).all()
    short = run(X, y, **{"epochs" if name in ("perceptron", "sgd") else "max_iter": 3})
    assert (short.status, short.n_iter) == ("max_iter", 3)
    assert short.coef.shape == (X.shape[1], len(short.objective))
    assert [values.shape for values in short.history.objective] == [short.objective.shape] * (4 - first)
    assert short.history.iteration == list(range(first, 4))
    assert short.history.seconds == sorted(short.history.seconds)
