"""1PMB: one pass of mini-batch descent on the structural surrogate of prec@k."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from attop.core.typing import TopLike
from attop.estimators.minibatch_ranker import AveragedRanker

__all__ = ["OnePMB"]


class OnePMB(AveragedRanker):
    r"""Learn a linear ranker in one pass of mini-batch descent on prec@k's structural surrogate.

    For the t-th batch, ``w_t = P(w_{t-1} - eta / sqrt(t) g_t)``, with ``g_t`` a subgradient of

    .. math:: \max_{\hat y \in \{0,1\}^b, \|\hat y\|_1 = k}
              \Delta(\hat y) + \sum_i (\hat y_i - y_i) w \cdot x_i

    on the batch, and P the projection on the ball ``||w|| <= radius``. The model is the average iterate;
    see `attop.solvers.minibatch.sgd_at_k.minibatch_sgd`.

    Parameters
    ----------
    top : int, mapping or Top, optional
        The top of a batch: a fraction of its positives (``kappa``), a fraction of its items (``tau``), or
        a number ``k`` of the whole sample, shrunk in proportion to the batch, or of each group; never more
        than the positives of the batch. None stands for as many as these, ``{"kappa": 1.0}``.
    eta : float, positive
        Length of the first step.
    radius : float, positive
        R; infinity for no projection.
    batch_size : int, at least 2
    random_state : int, RandomState or None
        Orders the items.
    time_limit : float, optional
        Seconds for a call of `fit`, or for settings trained together in `fit_many`.

    Attributes
    ----------
    See `AveragedRanker`.

    See Also
    --------
    SGDAtK : Several passes on the surrogates of Kar et al. (2015).
    SVMPerf : The same surrogate on the whole sample, to a certified gap.

    Notes
    -----
    With `groups`, each group is a batch, whatever `batch_size`; groups of one class are skipped. For k below
    the number of positives the surrogate decreases without bound as w grows: `radius` then matters.
    `partial_fit` learns from a stream, batch by batch.

    `fit` takes no sample_weight: the batches hold items, and a row given twice may be in two; `SVMPerf` takes
    weights, with the same loss on the whole sample.

    Differences from the paper: batches of one class are skipped, and their sizes differ by at most one.
    The paper's ball has a radius but no rule for it.

    References
    ----------
    Kar, Narasimhan and Jain (2014), "Online and stochastic gradient methods for non-decomposable loss
    functions", section 4. Kar, Narasimhan and Jain (2015), "Surrogate functions for maximizing precision
    at the top", compare with it.

    Examples
    --------
    >>> import numpy as np
    >>> from attop.estimators.one_pmb import OnePMB
    >>> X = np.array([[2.0, 0.1], [1.5, 0.9], [0.2, 0.8], [0.1, 0.3], [0.4, 0.5]])
    >>> model = OnePMB().fit(X, [1, 1, 0, 0, 0])
    >>> model.decision_function(X).argsort()[-2:].tolist()
    [1, 0]
    """

    _default_top: ClassVar[TopLike] = {"kappa": 1.0}

    def __init__(
        self,
        top: TopLike | None = None,
        eta: float = 0.1,
        radius: float = 10.0,
        batch_size: int = 500,
        random_state: int | np.random.RandomState | None = 0,
        time_limit: float | None = None,
    ):
        self.top = top
        self.eta = eta
        self.radius = radius
        self.batch_size = batch_size
        self.random_state = random_state
        self.time_limit = time_limit

    def _surrogate(self) -> Any:
        from attop.surrogates.prec_at_k import PrecAtKStruct

        return PrecAtKStruct

    def _epochs(self) -> int:
        return 1
