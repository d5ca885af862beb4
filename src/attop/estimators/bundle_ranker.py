"""Linear rankers by the bundle solver, on any convex surrogate."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

from attop.core.typing import Floats, Ints, TopLike
from attop.estimators.weighted_ranker import WeightedRanker
from attop.solvers.bundle.bundle import bundle
from attop.surrogates.base import Surrogate
from attop.surrogates.registry import get_surrogate

__all__ = ["BundleEstimator", "BundleRanker", "PushEstimator", "SVMEstimator", "TopSVMEstimator"]


class BundleEstimator(WeightedRanker):
    """Base of the estimators that minimise ``lam/2 ||w||^2 + L(X w)`` by cutting planes.

    See `attop.solvers.bundle.bundle.bundle`.

    A subclass says which loss its parameters stand for, and which `lam`. Models that agree in these and in
    `tol`, `max_iter` and `time_limit` share a fit.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
        Places the cut of `predict`; see `LinearRanker`.
    objective_ : float
        ``lam/2 ||w||^2 + L(X w)`` at `coef_`.
    gap_ : float
        Certified: at most this share of what can be gained over ``w = 0`` is missing at `coef_`; see
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

    def __init__(self, tol: float, max_iter: int, time_limit: float | None):
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit

    def _surrogate(self) -> Surrogate:
        raise NotImplementedError

    def _lam(self) -> float:
        raise NotImplementedError

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
            model._store(solution, X, y, weight)

    def _store(self, solution: Any, X: Any, y: Ints, weight: Floats | None) -> None:
        """Set the fitted attributes from the one model of `solution`, which has a certified gap."""
        self._set_linear(solution.coef[:, 0], X, y, weight)
        self.objective_ = float(solution.objective[0])
        self.gap_ = float(solution.relative_gap[0])
        self._set_course(solution)
        self.converged_ = solution.status == "converged"

    def _why_constant(self) -> str:
        if self.gap_ > 0:
            return super()._why_constant()
        return (
            "w = 0 minimises its objective for any regularisation: no direction lifts the positives above "
            "the negatives that the loss looks at; try a loss that looks further down the list (a larger "
            "top, SVMPAUC, ROCSVM), or other features"
        )


class PushEstimator(BundleEstimator):
    """A bundle estimator regularised by `lam`."""

    def __init__(
        self, lam: float = 0.01, tol: float = 1e-3, max_iter: int = 1000, time_limit: float | None = None
    ):
        super().__init__(tol, max_iter, time_limit)
        self.lam = lam

    def _lam(self) -> float:
        return self.lam


class SVMEstimator(BundleEstimator):
    """A bundle estimator regularised by `C`, the weight of its loss."""

    def __init__(
        self, C: float = 1.0, tol: float = 1e-3, max_iter: int = 1000, time_limit: float | None = None
    ):
        super().__init__(tol, max_iter, time_limit)
        self.C = C

    def _lam(self) -> float:
        return 1.0 / float(self.C)


class TopSVMEstimator(SVMEstimator):
    """A bundle estimator regularised by `C` whose loss has a top."""

    def __init__(
        self,
        top: TopLike | None = None,
        C: float = 1.0,
        tol: float = 1e-3,
        max_iter: int = 1000,
        time_limit: float | None = None,
    ):
        super().__init__(C, tol, max_iter, time_limit)
        self.top = top


class BundleRanker(SVMEstimator):
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

    _default_top: ClassVar[TopLike] = 1

    def __init__(
        self,
        surrogate: str | Surrogate = "pap@k-avg",
        top: TopLike | None = None,
        C: float = 1.0,
        tol: float = 1e-3,
        max_iter: int = 1000,
        time_limit: float | None = None,
    ):
        super().__init__(C, tol, max_iter, time_limit)
        self.surrogate = surrogate
        self.top = top

    def _surrogate(self) -> Surrogate:
        return get_surrogate(self.surrogate, self._top())
