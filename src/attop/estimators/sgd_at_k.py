"""SGD@k: mini-batch subgradient descent on a surrogate of prec@k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from attop.estimators.base import LinearRanker
from attop.top import Top

__all__ = ["SGDAtK"]


class SGDAtK(LinearRanker):
    r"""Learn a linear ranker by mini-batch subgradient descent on a prec@k surrogate.

    Minimises the surrogate over the ball ``||w|| <= radius`` with steps ``eta / sqrt(t)`` and returns
    the average iterate; see `attop.solvers.minibatch_sgd.minibatch_sgd`.

    Parameters
    ----------
    surrogate : {"avg", "max"}
    top : int, mapping or Top, optional
        The top of a batch: a fraction of its positives such as ``{"kappa": 0.25}``, a fraction of its
        items (``tau``), or a number ``k`` of the whole sample, shrunk in proportion to the batch; never
        more than the positives of the batch. None stands for ``{"kappa": 0.25}``, the paper's.
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
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    objective_ : float
        The surrogate on the whole sample at `coef_`.
    n_iter_ : int
        Passes begun.
    status_ : str
        "max_iter" after all passes, "deadline" or "diverged".
    history_ : History
        The surrogate on the whole sample at the average after each pass.
    n_skipped_ : int
        Batches of one class only.
    n_features_in_ : int

    See Also
    --------
    PerceptronAtK : No step length to choose.
    GDPApK : A loss per group.

    Notes
    -----
    `groups` are accepted and not used: the sample is ranked as one list, as in the paper. `fit_many`
    shares the batches and the products between settings that differ in `eta` and `radius`; with
    ``random_state=None`` these see the same order.

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
        top: Top | int | Mapping[str, float] | None = None,
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

    def _solve_many(
        self, X: Any, y: NDArray[np.int64], groups: NDArray[np.int64] | None, models: Sequence[Any]
    ) -> None:
        from attop.solvers.minibatch_sgd import minibatch_sgd
        from attop.surrogates import PrecAtKAvg, PrecAtKMax

        surrogates: dict[str, Any] = {"avg": PrecAtKAvg, "max": PrecAtKMax}
        together: dict[tuple[Any, ...], list[Any]] = {}
        for model in models:
            if model.surrogate not in surrogates:
                raise ValueError(f"surrogate must be one of {', '.join(surrogates)}, got {model.surrogate!r}")
            top = Top.of({"kappa": 0.25} if model.top is None else model.top)
            # A RandomState equals itself only: models that hold their own are trained apart.
            shared = (
                model.surrogate,
                top,
                model.batch_size,
                model.epochs,
                model.random_state,
                model.time_limit,
            )
            together.setdefault(shared, []).append(model)
        for (surrogate, top, batch_size, epochs, random_state, time_limit), family in together.items():
            solution = minibatch_sgd(
                X,
                y,
                surrogates[surrogate],
                top,
                eta=[model.eta for model in family],
                radius=[model.radius for model in family],
                batch_size=batch_size,
                epochs=epochs,
                rng=check_random_state(random_state),
                time_limit=time_limit,
            )
            for j, model in enumerate(family):
                alone = solution.model(j)
                model._set_linear(alone.coef[:, 0], X, y)
                model.objective_ = float(alone.objective[0])
                model.n_iter_, model.status_, model.history_ = alone.n_iter, alone.status, alone.history
                model.n_skipped_ = solution.n_skipped

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
