"""GD-pAp@k: gradient descent on a surrogate of partial AUC + precision at k."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from attop.estimators.base import LinearRanker
from attop.solvers.base import Deadline
from attop.solvers.gradient_descent import gradient_descent
from attop.solvers.grid import GridSolution
from attop.top import Top

__all__ = ["GDPApK"]

Floats = NDArray[np.float64]


class GDPApK(LinearRanker):
    r"""Learn a linear ranker by gradient descent on a pAp@k surrogate.

    Minimises ``mean over groups of R_surr(X w) + lam/2 ||w||^2`` with steps ``eta / sqrt(t + 1)`` and
    keeps the iterate with the lowest objective; see
    `attop.solvers.gradient_descent.gradient_descent`. Groups (users, queries) without a positive, or
    with too few negatives for the top, are left out of the mean; without groups, the sample is one.

    Parameters
    ----------
    surrogate : {"avg", "max", "ts", "ramp"}
        "avg" and "max" are convex. "ts" is, as the paper's algorithm computes it, only for groups of at
        most k positives. "ramp" is not: its descent starts from the model of "avg".
    top : int, mapping or Top, optional
        The top of each group: k, for example ``10``, or a fraction of its items such as
        ``{"tau": 0.1}``, which None stands for.
    eta : float, positive
        Length of the first step.
    lam : float, at least 0
        Regularisation.
    max_iter : int, at least 1
        Steps at most.
    tol : float, at least 0
        Stop when the lowest objective went down by less, relative to its size, over 50 steps.
    init : {"normal", "zero"}
        ``w_0``: drawn from the standard normal distribution, or zero.
    random_state : int, RandomState or None
        Draws ``w_0`` for ``init="normal"``.
    time_limit : float, optional
        Seconds for a call of `fit`, or for settings trained together in `fit_many`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    objective_ : float
        At `coef_`.
    n_iter_ : int
    converged_ : bool
    status_ : str
        How the descent ended: "converged", "max_iter", "deadline" or "diverged".
    history_ : History
        Objective of the iterates; of the descent on the ramp itself for ``surrogate="ramp"``.
    n_groups_ : int
        Groups the objective is the mean of.
    n_groups_left_out_ : int
        Groups without a positive or with too few negatives.
    n_features_in_ : int

    See Also
    --------
    SGDAtK : Mini-batches on a surrogate of prec@k.

    Notes
    -----
    `fit_many` trains all settings that differ in `eta`, `lam`, `init` and `random_state` in one descent
    that shares its matrix products.

    Where every direction leaves the k highest negatives above the positives, ``w = 0`` minimises the
    convex surrogates. A descent that starts there never leaves; one that starts elsewhere ends near zero,
    in a direction that ranks. Hence the default of `init`. A model that comes out zero is warned of.

    Differences from the paper: the regulariser is ``lam/2 ||w||^2``, as in the experiments' code (the
    paper prints ``lambda ||w||^2``); that code starts at ``init="normal"``, as here by default, the
    paper's algorithm at zero; the ramp surrogate, for which the paper has no optimiser, starts from the
    avg model.

    References
    ----------
    Hiranandani, Vijitbenjaronk, Koyejo and Jain (2020), "Optimization and analysis of the pAp@k metric
    for recommender systems", algorithms 1 and 2, equations (10), (14) and (24).

    Examples
    --------
    >>> import numpy as np
    >>> from attop.estimators.gd_papk import GDPApK
    >>> X = np.array([[2.0, 0.1], [1.5, 0.9], [0.2, 0.8], [0.1, 0.3], [0.4, 0.5]])
    >>> model = GDPApK("avg", top=2).fit(X, [1, 1, 0, 0, 0])
    >>> model.decision_function(X).argsort()[-2:].tolist()
    [1, 0]
    """

    def __init__(
        self,
        surrogate: Literal["avg", "max", "ts", "ramp"] = "avg",
        top: Top | int | Mapping[str, float] | None = None,
        eta: float = 0.1,
        lam: float = 0.01,
        max_iter: int = 1000,
        tol: float = 1e-4,
        init: Literal["normal", "zero"] = "normal",
        random_state: int | np.random.RandomState | None = 0,
        time_limit: float | None = None,
    ):
        self.surrogate = surrogate
        self.top = top
        self.eta = eta
        self.lam = lam
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.random_state = random_state
        self.time_limit = time_limit

    def _solve_many(
        self, X: Any, y: NDArray[np.int64], groups: NDArray[np.int64] | None, models: Sequence[Any]
    ) -> None:
        together: dict[tuple[Any, ...], list[Any]] = {}
        for model in models:
            top = Top.of({"tau": 0.1} if model.top is None else model.top)
            shared = (model.surrogate, top, model.max_iter, model.tol, model.time_limit)
            together.setdefault(shared, []).append(model)
        for shared, family in together.items():
            _descend(X, y, groups, family, *shared)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _descend(
    X: Any,
    y: NDArray[np.int64],
    groups: NDArray[np.int64] | None,
    models: Sequence[Any],
    surrogate: str,
    top: Top,
    max_iter: int,
    tol: float,
    time_limit: float | None,
) -> None:
    """Fit models that share a surrogate and its limits."""
    deadline = Deadline(time_limit)
    surrogates = _surrogates()
    if surrogate not in surrogates:
        raise ValueError(f"surrogate must be one of {', '.join(surrogates)}, got {surrogate!r}")
    settings: dict[str, Any] = {
        "eta": [model.eta for model in models],
        "lam": [model.lam for model in models],
        "max_iter": max_iter,
        "tol": tol,
    }
    coef = np.column_stack([_start(model, X.shape[1]) for model in models])
    if surrogate == "ramp":
        convex = surrogates["avg"](top).bind(y, groups)
        coef = gradient_descent(X, convex, **settings, coef_init=coef, time_limit=time_limit).coef
        if time_limit is not None:
            time_limit = max(time_limit - deadline.elapsed, 1e-9)  # enough to evaluate the start
    loss = surrogates[surrogate](top).bind(y, groups)
    solution = gradient_descent(X, loss, **settings, coef_init=coef, time_limit=time_limit)
    flat = int(np.sum(~solution.coef.any(axis=0)))
    if flat and solution.status != "deadline":
        warnings.warn(
            f"no iterate of {flat} of {len(models)} models improved on w = 0, which ranks nothing: with much "
            f"overlap at the top zero minimises the {surrogate} surrogate; try surrogate='ramp', "
            "init='normal', a smaller eta or a larger top",
            stacklevel=5,
        )
    for j, model in enumerate(models):
        model.n_groups_, model.n_groups_left_out_ = loss.n_groups, loss.n_left_out
        _store(model, solution, j, X, y)


def _surrogates() -> dict[str, Any]:
    from attop.surrogates import PApKAvg, PApKMax, PApKRamp, PApKTS

    return {"avg": PApKAvg, "max": PApKMax, "ts": PApKTS, "ramp": PApKRamp}


def _start(model: Any, d: int) -> Floats:
    if model.init == "zero":
        return np.zeros(d)
    if model.init == "normal":
        return check_random_state(model.random_state).standard_normal(d)
    raise ValueError(f"init must be 'zero' or 'normal', got {model.init!r}")


def _store(model: Any, solution: GridSolution, j: int, X: Any, y: NDArray[np.int64]) -> None:
    alone = solution.model(j)
    model._set_linear(alone.coef[:, 0], X, y)
    model.objective_ = float(alone.objective[0])
    model.n_iter_ = alone.n_iter
    model.status_ = alone.status
    model.converged_ = alone.status == "converged"
    model.history_ = alone.history
