"""SGD@k: mini-batch subgradient descent on a surrogate of prec@k."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from attop.core.typing import TopLike
from attop.estimators.minibatch_ranker import AveragedRanker

__all__ = ["SGDAtK"]


class SGDAtK(AveragedRanker):
    r"""Learn a linear ranker by mini-batch subgradient descent on a prec@k surrogate.

    Minimises the surrogate over the ball ``||w|| <= radius`` with steps ``eta / sqrt(t)`` and returns
    the average iterate; see `attop.solvers.minibatch.sgd_at_k.minibatch_sgd`.

    Parameters
    ----------
    surrogate : {"avg", "max"}
    top : int, mapping or Top, optional
        The top of a batch: a fraction of its positives such as ``{"kappa": 0.25}``, a fraction of its
        items (``tau``), or a number ``k`` of the whole sample, shrunk in proportion to the batch, or
        of each group; never more than the positives of the batch. None stands for ``{"kappa": 0.25}``, the
        paper's.
    eta : float, positive
        Length of the first step.
    radius : float, positive
        R; infinity for no projection.
    batch_size : int, at least 2
    epochs : int, at least 1
        Passes over the sample.
    random_state : int, RandomState or None
        Orders the items.
    time_limit : float, optional
        Seconds for a call of `fit`, or for settings trained together in `fit_many`.

    Attributes
    ----------
    See `AveragedRanker`.

    See Also
    --------
    PerceptronAtK : No step length to choose.
    OnePMB : One pass on the structural surrogate.
    GDPApK : A loss per group.

    Notes
    -----
    With `groups`, the paper's setting of ranking, each group is a batch with a top of its own, whatever
    `batch_size`; groups of one class are skipped. `fit_many` shares the batches and the products between
    settings that differ in `eta` and `radius`; with ``random_state=None`` these see the same order.
    `partial_fit` learns from a stream, batch by batch.

    `fit` takes no sample_weight: the batches hold items, and a row given twice may be in two; `GDRanker`
    takes weights, on the whole sample.

    Differences from the paper: batches of one class are skipped, and their sizes differ by at most one.

    References
    ----------
    Kar, Narasimhan and Jain (2015), "Surrogate functions for maximizing precision at the top",
    algorithm 3.

    Examples
    --------
    >>> import numpy as np
    >>> from attop.estimators.sgd_at_k import SGDAtK
    >>> X = np.array([[2.0, 0.1], [1.5, 0.9], [0.2, 0.8], [0.1, 0.3], [0.4, 0.5]])
    >>> model = SGDAtK(top=2).fit(X, [1, 1, 0, 0, 0])
    >>> model.decision_function(X).argsort()[-2:].tolist()
    [1, 0]
    """

    def __init__(
        self,
        surrogate: Literal["avg", "max"] = "avg",
        top: TopLike | None = None,
        eta: float = 0.1,
        radius: float = 10.0,
        batch_size: int = 500,
        epochs: int = 25,
        random_state: int | np.random.RandomState | None = 0,
        time_limit: float | None = None,
    ):
        self.surrogate = surrogate
        self.top = top
        self.eta = eta
        self.radius = radius
        self.batch_size = batch_size
        self.epochs = epochs
        self.random_state = random_state
        self.time_limit = time_limit

    def _surrogate(self) -> Any:
        from attop.surrogates.prec_at_k import PrecAtKAvg, PrecAtKMax

        kinds = {"avg": PrecAtKAvg, "max": PrecAtKMax}
        if self.surrogate not in kinds:
            raise ValueError(f"surrogate must be one of {', '.join(kinds)}, got {self.surrogate!r}")
        return kinds[self.surrogate]

    def _epochs(self) -> int:
        return self.epochs
