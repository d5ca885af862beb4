"""Linear rankers by the bundle solver, on any convex surrogate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from attop._core.typing import TopLike
from attop.learners._base import Training, WeightedRanker, ranker, sharing
from attop.solvers._base import Solution
from attop.solvers._bundle.bundle import bundle
from attop.surrogates._base import Surrogate
from attop.surrogates._registry import get_surrogate


@dataclass(repr=False, eq=False, kw_only=True)
class BundleEstimator(WeightedRanker):
    """Base of the estimators that minimise ``lam/2 ||w||^2 + L(X w)`` by cutting planes.

    A subclass says which loss its parameters stand for. Models that agree in it and in the parameters below
    share a fit.

    Parameters
    ----------
    lam : float, positive, default=1.0
        Regularisation. In the form ``1/2 ||w||^2 + C L(X w)`` it is 1 / C.
    tol : float, at least 0, default=1e-3
        Share of the gain over ``w = 0`` that may be missing: the gap to certify.
    max_iter : int, at least 1, default=1000
    time_limit : float, optional
        Seconds per model.

    Attributes
    ----------
    objective_ : float
        ``lam/2 ||w||^2 + L(X w)`` at `coef_`.
    gap_ : float
        Certified: at most this share of what can be gained over ``w = 0`` is missing at `coef_`; see
        `attop.solvers.relative_gap`. 0 also where ``w = 0`` is the optimum.
    n_iter_ : int
    converged_ : bool
        Whether the gap reached `tol`.
    status_ : str
        "converged", "max_iter", "deadline" or "diverged".
    history_ : attop.solvers.History
        Seconds, objective and absolute gap of each iteration.
    """

    _takes_sparse = True

    lam: float = 1.0
    tol: float = 1e-3
    max_iter: int = 1000
    time_limit: float | None = None

    def _loss(self) -> Surrogate:
        """Make the loss L that is minimised."""
        raise NotImplementedError

    def _solve(self, data: Training, models: Sequence[Self]) -> None:
        for alike in sharing(
            models,
            lambda m: (repr(m._loss()), m.lam, m.tol, m.max_iter, m.time_limit),
        ):
            model = alike[0]
            solution = bundle(
                data.X,
                model._loss().bind(data.y, data.groups, data.weight),
                lam=model.lam,
                tol=model.tol,
                max_iter=model.max_iter,
                time_limit=model.time_limit,
            )
            for model in alike:
                model._finish(solution, data)

    def _finish(self, solution: Solution, data: Training) -> None:
        """Store the model of a solution, and how far from the optimum it is."""
        assert solution.relative_gap is not None
        self._store_linear(solution, data)
        self.gap_ = float(solution.relative_gap[0])
        self.converged_ = solution.status == "converged"

    def _why_constant(self) -> str:
        if self.gap_ > 0:
            return super()._why_constant()
        return (
            "w = 0 minimises its objective for any regularisation: no direction lifts the positives above "
            "the negatives that the loss looks at; try a loss that looks further down the list (a larger "
            "top, SVMPAUC, ROCSVM), or other features"
        )


@ranker
class BundleRanker(BundleEstimator):
    r"""Minimise a convex surrogate of the top of the list to a certified gap.

    .. math:: \min_w \tfrac\lambda2 \|w\|^2 + L(X w)

    Parameters
    ----------
    surrogate : str or Surrogate, default="pap@k-avg"
        L, convex: a name of `attop.get_surrogate`, such as ``"prec@k-avg"``, ``"pap@k-max"``,
        ``"pap@k-ts-convex"``, ``"pauc"``, ``"auc"``, ``"infinite-push"`` or ``"top-push"``, or an object from
        `attop.surrogates`, which brings its own top. Those of prec@k count items, the others named here lie
        around 1 at w = 0.
    top : int, mapping or Top, optional
        Size of the top, resolved in each group. None stands for k = 1. Not used by surrogates without a top,
        nor with an object.

    See Also
    --------
    GDPApK : Gradient descent on the surrogates of pAp@k.
    attop.solvers.bundle : The algorithm.

    Notes
    -----
    With `groups`, L is the mean over the groups it is defined on. Surrogates that are not convex cannot
    be certified, and are refused: use `GDRanker`.

    Examples
    --------
    >>> import numpy as np
    >>> from attop import BundleRanker
    >>> X = np.array([[2.0, 0.1], [1.5, 0.9], [0.2, 0.8], [0.1, 0.3], [0.4, 0.5]])
    >>> model = BundleRanker("pap@k-max", top=2).fit(X, [1, 1, 0, 0, 0])
    >>> model.converged_, sorted(model.decision_function(X).argsort()[-2:].tolist())
    (True, [0, 1])
    """

    _default_top = 1

    surrogate: str | Surrogate = "pap@k-avg"
    top: TopLike | None = None

    def _loss(self) -> Surrogate:
        return get_surrogate(self.surrogate, self._top())
