"""Gradient descent on any surrogate."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, Literal, Self

import numpy as np

from attop._core.typing import Floats, TopLike
from attop.learners._base import Training, WeightedRanker, ranker, sharing
from attop.learners._validation import repeatable
from attop.solvers._base import Deadline
from attop.solvers._gradient_descent import gradient_descent
from attop.surrogates._base import Surrogate
from attop.surrogates._registry import get_surrogate


@ranker
class GDRanker(WeightedRanker):
    r"""Learn a linear ranker by gradient descent on a surrogate of the top of the list.

    Minimises ``mean over groups of L(X w) + lam/2 ||w||^2`` with steps ``eta / sqrt(t + 1)`` and keeps
    the iterate with the lowest objective; see `attop.solvers.gradient_descent`.
    Groups (users, queries) on which the surrogate is undefined are left out of the mean; without groups, the
    sample is one.

    Parameters
    ----------
    surrogate : str or Surrogate
        L: a name of `attop.get_surrogate`, such as ``"pauc"`` or ``"pap@k-ramp"``, or any object
        from `attop.surrogates`, which brings its own top.
    top : int, mapping or Top, optional
        The top of each group: k, for example ``10``, or a fraction of its items such as
        ``{"tau": 0.1}``, which None stands for. Not used by surrogates without a top, nor with an
        object.
    eta : float, positive
        Length of the first step.
    lam : float, at least 0
        Regularisation.
    max_iter : int, at least 1
        Steps at most.
    tol : float, at least 0
        Stop when the lowest objective falls by less than this, relative to its size, over 50 steps.
    init : {"normal", "zero"}
        ``w_0``: drawn from the standard normal distribution, or zero.
    random_state : int or RandomState, optional
        Draws ``w_0`` for ``init="normal"``, and mini-batches.
        None is 0, so that a fit repeats; `compare_at_top` and the benchmark seed it by the run.
    time_limit : float, optional
        Seconds for a call of `fit`, or for settings trained together in `fit_many`.
    batch_groups : int, at least 1, optional
        Mini-batches: groups that a step looks at, all by default. `max_iter` and `tol` then count passes
        over all groups, and the iterate with the lowest objective at the end of a pass is kept.

    Attributes
    ----------
    objective_ : float
        At `coef_`.
    n_iter_ : int
    converged_ : bool
        Whether the objective had stopped falling, as `tol` says. It does not certify an optimum.
    status_ : str
        How the descent ended: "converged", "max_iter", "deadline" or "diverged".
    history_ : History
        Objective of the iterates; of the last descent where there are two.
    n_groups_ : int
        Groups the objective is the mean of.
    n_groups_left_out_ : int
        Groups the surrogate is undefined on.

    See Also
    --------
    GDPApK : The same with the defaults of the pAp@k surrogates, and with algorithm 2 of their paper.
    BundleRanker : A certified optimum, for convex surrogates.

    Notes
    -----
    `fit_many` trains all settings that differ in `eta`, `lam`, `init` and `random_state` in one descent
    that shares its matrix products.

    With ``"pauc"`` this is SVM-pAUC trained by gradient descent, with ``"prec@k-avg"`` prec@k per user:
    baselines of Hiranandani et al. (2020). Surrogates of prec@k count items; their slopes are about k
    times those of the others. With them take ``eta=1/k`` where k is large: on 100,000 rows, of which 1% are
    positive, ``"prec@k-avg"`` found 0.02 of the positives among the first n+ with the default, 0.71 with 1/k.
    Not with ``"pap@k-ramp"``: a step divided by k lost 0.03 of precision at n+/4 on two of two data sets.

    References
    ----------
    Hiranandani, Vijitbenjaronk, Koyejo and Jain (2020), "Optimization and analysis of the pAp@k metric
    for recommender systems", algorithm 1 and section 7.3.2.
    """

    _takes_sparse = True
    _default_top: ClassVar[TopLike] = {"tau": 0.1}

    surrogate: str | Surrogate = "pauc"
    top: TopLike | None = None
    eta: float = 0.1
    lam: float = 0.01
    max_iter: int = 1000
    tol: float = 1e-4
    init: Literal["normal", "zero"] = "normal"
    random_state: int | np.random.RandomState | None = None
    time_limit: float | None = None
    batch_groups: int | None = None

    def _stages(self) -> list[Surrogate]:
        """Surrogates descended one after the other, each from the model of the one before."""
        return [get_surrogate(self.surrogate, self._top())]

    def _solve(self, data: Training, models: Sequence[Self]) -> None:
        for alike in sharing(models, _descent):
            alike[0]._descend(data, alike)

    def _descend(self, data: Training, models: Sequence[Self]) -> None:
        deadline = Deadline(self.time_limit)
        coef = np.column_stack([_start(model, data.X.shape[1]) for model in models])
        for surrogate in self._stages():
            loss = surrogate.bind(data.y, data.groups, data.weight)
            solution = gradient_descent(
                data.X,
                loss,
                eta=[model.eta for model in models],
                lam=[model.lam for model in models],
                max_iter=self.max_iter,
                tol=self.tol,
                coef_init=coef,
                batch_groups=self.batch_groups,
                rng=None if self.batch_groups is None else _order(self),
                # The time that is left; if none is, just enough to evaluate the start.
                time_limit=deadline.seconds
                and max(deadline.seconds - deadline.elapsed, 1e-9),
            )
            coef = solution.coef
        for j, model in enumerate(models):
            alone = solution.model(j)
            model._store_linear(alone, data)
            model.n_groups_, model.n_groups_left_out_ = (
                loss.n_groups,
                loss.n_left_out,
            )
            model.converged_ = alone.status == "converged"

    def _why_constant(self) -> str:
        return (
            f"no iterate improved on w = 0, which minimises the {self.surrogate} surrogate where the classes "
            "overlap much at the top; try a ramp surrogate, init='normal', a smaller eta or a larger top"
        )


def _descent(model: GDRanker) -> Hashable:
    """Collect the parameters shared by models descended together."""
    order = None if model.batch_groups is None else model.random_state
    return (
        repr(model._stages()),
        model.max_iter,
        model.tol,
        model.time_limit,
        model.batch_groups,
        order,
    )


def _order(model: GDRanker) -> np.random.Generator:
    """Make the generator that assigns groups to mini-batches; its stream is not the one of `w_0`."""
    return np.random.default_rng(repeatable(model.random_state).randint(2**31))


def _start(model: GDRanker, d: int) -> Floats:
    return (
        np.zeros(d)
        if model.init == "zero"
        else repeatable(model.random_state).standard_normal(d)
    )
