"""GD-pAp@k: gradient descent on the surrogates of pAp@k."""

from __future__ import annotations

from typing import Literal

from attop.learners._base import ranker
from attop.learners._gd_ranker import GDRanker
from attop.surrogates._base import Surrogate
from attop.surrogates._registry import get_surrogate


@ranker
class GDPApK(GDRanker):
    r"""Learn a linear ranker by gradient descent on a pAp@k surrogate.

    Minimises ``mean over groups of R_surr(X w) + lam/2 ||w||^2`` with steps ``eta / sqrt(t + 1)`` and keeps
    the iterate with the lowest objective; see `attop.solvers.gradient_descent`. Groups (users, queries)
    without a positive, or with too few negatives for the top, are left out of the mean; without groups, the
    sample is one.

    Parameters
    ----------
    surrogate : {"avg", "max", "ts", "ramp"}
        "avg" and "max" are convex. "ts" is, as the paper's algorithm computes it, only for groups of at
        most k positives. "ramp" is not: its descent starts from the model of "avg".

    See Also
    --------
    GDRanker : The same descent on any surrogate.
    SGDAtK : Mini-batches on a surrogate of prec@k.

    Notes
    -----
    Of ``surrogate="ramp"``, `n_iter_`, `status_` and `history_` are those of the descent on the ramp itself.

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
    """

    surrogate: Literal["avg", "max", "ts", "ramp"] = "avg"

    def _stages(self) -> list[Surrogate]:
        kinds = ["avg", "ramp"] if self.surrogate == "ramp" else [self.surrogate]
        return [get_surrogate(f"pap@k-{kind}", self._top()) for kind in kinds]
