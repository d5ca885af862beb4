"""Linear rankers by the bundle solver, on any convex surrogate."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

import numpy as np

from attop.estimators.weighted_ranker import WeightedRanker
from attop.solvers.base import Solution
from attop.solvers.bundle.bundle import bundle
from attop.surrogates.base import Surrogate
from attop.surrogates.registry import get_surrogate
from attop.top import Top
from attop.typing import Floats, Ints, TopLike

__all__ = ["BundleEstimator", "BundleRanker"]


class BundleEstimator(WeightedRanker):
    """Base of the estimators that minimise ``lam/2 ||w||^2 + L(X w)`` by cutting planes.

    See `attop.solvers.bundle.bundle.bundle`.

    A subclass has the parameters `tol`, `max_iter` and `time_limit`, and says which loss its other
    parameters stand for, and, unless it has the parameter `C`, which `lam`. Models that agree in all of
    these share a fit.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
        Places the cut of `predict`; see `LinearRanker`.
    objective_ : float
        ``lam/2 ||w||^2 + L(X w)`` at `coef_`.
    gap_ : float
        Certified: of what can be gained over ``w = 0``, at most this share is missing at `coef_`; see
        `attop.solvers.bundle.certificate.relative_gap`. 0 also where ``w = 0`` is the optimum.
    n_iter_ : int
    converged_ : bool
        Whether the gap reached `tol`.
    status_ : str
        "converged", "max_iter", "deadline" or "diverged".
    history_ : attop.solvers.base.History
        Seconds, objective and absolute gap of each iteration.
    n_features_in_ : int
    """

    _takes_sparse: ClassVar[bool] = True

    tol: float
    max_iter: int
    time_limit: float | None
    gap_: float

    def _surrogate(self) -> Surrogate:
        raise NotImplementedError

    def _lam(self) -> float:
        C: Any = getattr(self, "C", None)
        if not (np.isreal(C) and 0 < C < math.inf):
            raise ValueError(f"C must be a positive number, got {C!r}")
        return 1.0 / float(C)

    def _shared(self) -> Hashable:
        return repr(self._surrogate()), self._lam(), self.tol, self.max_iter, self.time_limit

    def _solve(
        self, X: Any, y: Ints, groups: Ints | None, weight: Floats | None, models: Sequence[Any]
    ) -> None:
        solution = bundle(
            X,
            self._surrogate().bind(y, groups, weight),
            lam=self._lam(),
            tol=self.tol,
            max_iter=self.max_iter,
            time_limit=self.time_limit,
        )
        for model in models:
            store_solution(model, solution, X, y, weight)

    def _why_constant(self) -> str:
        if self.gap_ > 0:
            return super()._why_constant()
        return (
            "w = 0 minimises its objective, whatever the regularisation, since no direction lifts the "
            "positives above those negatives that its loss looks at; try a loss that looks further down the "
            "list (a larger top, SVMPAUC, ROCSVM), or other features"
        )


class BundleRanker(BundleEstimator):
    r"""Minimise a convex surrogate of the top of the list to a certified gap.

    .. math:: \min_w \tfrac12 \|w\|^2 + C \, L(X w)

    Parameters
    ----------
    surrogate : str or Surrogate, default="pap@k-avg"
        L, convex: a name of `attop.surrogates.registry`, such as ``"prec@k-avg"``, ``"pap@k-max"``,
        ``"pap@k-ts-convex"``, ``"pauc"``, ``"auc"``, ``"infinite-push"`` or ``"top-push"``, or an object from
        `attop.surrogates`, which brings its own top. Those of prec@k count items, the others named here lie
        around 1 at w = 0.
    top : int, mapping or Top, optional
        Size of the top, resolved in each group. None stands for k = 1. Not used by surrogates without a top,
        nor with an object.
    C : float, positive, default=1.0
        Weight of the loss; ``lam = 1 / C``.
    tol : float, positive, default=1e-3
        Share of the gain over ``w = 0`` that may be missing: the gap to certify.
    max_iter : int, at least 1, default=1000
    time_limit : float, optional
        Seconds per model.

    Attributes
    ----------
    See `BundleEstimator`. `objective_` is ``||w||^2 / (2 C) + L``.

    See Also
    --------
    GDPApK : Gradient descent on the surrogates of pAp@k.
    attop.solvers.bundle.bundle.bundle : The algorithm.

    Notes
    -----
    With `groups`, L is the mean over the groups it is defined on. Surrogates that are not convex cannot
    be certified, and are refused: use `GDRanker`.

    Examples
    --------
    >>> import numpy as np
    >>> from attop.estimators.bundle_ranker import BundleRanker
    >>> X = np.array([[2.0, 0.1], [1.5, 0.9], [0.2, 0.8], [0.1, 0.3], [0.4, 0.5]])
    >>> model = BundleRanker("pap@k-max", top=2).fit(X, [1, 1, 0, 0, 0])
    >>> model.converged_, sorted(model.decision_function(X).argsort()[-2:].tolist())
    (True, [0, 1])
    """

    def __init__(
        self,
        surrogate: str | Surrogate = "pap@k-avg",
        top: TopLike | None = None,
        C: float = 1.0,
        tol: float = 1e-3,
        max_iter: int = 1000,
        time_limit: float | None = None,
    ):
        self.surrogate = surrogate
        self.top = top
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit

    def _surrogate(self) -> Surrogate:
        return get_surrogate(self.surrogate, Top.of(1 if self.top is None else self.top))


def store_solution(model: Any, solution: Solution, X: Any, y: Ints, weight: Floats | None) -> None:
    """Set the fitted attributes of a model from the one model of `solution`."""
    model._set_linear(solution.coef[:, 0], X, y, weight)
    if solution.relative_gap is None:
        raise TypeError("store_solution needs a solution with a certified gap")
    model.objective_ = float(solution.objective[0])
    model.gap_ = float(solution.relative_gap[0])
    model.n_iter_ = solution.n_iter
    model.converged_, model.status_ = solution.status == "converged", solution.status
    model.history_ = solution.history
