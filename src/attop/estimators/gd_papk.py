"""GD-pAp@k: gradient descent on a surrogate of partial AUC + precision at k."""

from __future__ import annotations

from typing import Literal

import numpy as np

from attop.core.typing import TopLike
from attop.estimators.gd_ranker import GDRanker
from attop.surrogates.base import Surrogate
from attop.surrogates.registry import get_surrogate

__all__ = ["GDPApK"]

#: Kinds of surrogate, named ``pap@k-`` and the kind in `attop.surrogates.registry`.
_KINDS = ("avg", "max", "ts", "ramp")


class GDPApK(GDRanker):
    r"""Learn a linear ranker by gradient descent on a pAp@k surrogate.

    Minimises ``mean over groups of R_surr(X w) + lam/2 ||w||^2`` with steps ``eta / sqrt(t + 1)`` and
    keeps the iterate with the lowest objective; see
    `attop.solvers.descent.gradient_descent.gradient_descent`. Groups (users, queries) without a positive, or
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
        Stop when the lowest objective falls by less than this, relative to its size, over 50 steps.
    init : {"normal", "zero"}
        ``w_0``: drawn from the standard normal distribution, or zero.
    random_state : int, RandomState or None
        Draws ``w_0`` for ``init="normal"``, and mini-batches.
    time_limit : float, optional
        Seconds for a call of `fit`, or for settings trained together in `fit_many`.
    batch_groups : int, at least 1, optional
        Mini-batches: groups that a step looks at, all by default. `max_iter` and `tol` then count passes
        over all groups, and the iterate with the lowest objective at the end of a pass is kept.

    Attributes
    ----------
    See `GDRanker`. For ``surrogate="ramp"``, `n_iter_`, `status_` and `history_` are those of the descent
    on the ramp itself.

    See Also
    --------
    GDRanker : The same descent on any surrogate.
    SGDAtK : Mini-batches on a surrogate of prec@k.

    Notes
    -----
    `fit_many` trains all settings that differ in `eta`, `lam`, `init` and `random_state` in one descent
    that shares its matrix products.

    Where every direction leaves the k highest negatives above the positives, ``w = 0`` minimises the
    convex surrogates. A descent that starts there never leaves; one that starts elsewhere ends near zero,
    in a direction that ranks. Hence the default of `init`. A model that comes out zero is warned of.

    With `batch_groups` the descent is stochastic, on mini-batches of users, which section 5 of the paper
    announces and does not spell out.

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

    surrogate: Literal["avg", "max", "ts", "ramp"]

    def __init__(
        self,
        surrogate: Literal["avg", "max", "ts", "ramp"] = "avg",
        top: TopLike | None = None,
        eta: float = 0.1,
        lam: float = 0.01,
        max_iter: int = 1000,
        tol: float = 1e-4,
        init: Literal["normal", "zero"] = "normal",
        random_state: int | np.random.RandomState | None = 0,
        time_limit: float | None = None,
        batch_groups: int | None = None,
    ):
        super().__init__(
            surrogate, top, eta, lam, max_iter, tol, init, random_state, time_limit, batch_groups
        )

    def _stages(self) -> list[Surrogate]:
        if self.surrogate not in _KINDS:
            raise ValueError(f"surrogate must be one of {', '.join(_KINDS)}, got {self.surrogate!r}")
        kinds = ["avg", "ramp"] if self.surrogate == "ramp" else [self.surrogate]
        return [get_surrogate(f"pap@k-{kind}", self._top()) for kind in kinds]
