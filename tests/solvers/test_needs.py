"""Solvers refuse a surrogate that lacks what they need before they start, naming both."""

import numpy as np
import pytest

from attop.core.top import Top
from attop.solvers.boosting.coordinate_descent import coordinate_descent
from attop.solvers.bundle.bundle import bundle
from attop.solvers.descent.gradient_descent import gradient_descent
from attop.solvers.descent.lbfgs import lbfgs
from attop.surrogates.registry import SURROGATES, get_surrogate

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
