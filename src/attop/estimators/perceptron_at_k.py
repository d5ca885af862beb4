"""Perceptron@k: mistake-driven learning of the top of a ranked list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from attop.core.typing import Floats, Ints, TopLike
from attop.estimators.minibatch_ranker import MiniBatchRanker

__all__ = ["PerceptronAtK"]


class PerceptronAtK(MiniBatchRanker):
    r"""Learn a linear ranker from its mistakes at the top of mini-batches.

    See `attop.solvers.minibatch.perceptron.perceptron` for the updates and the mistake bound they satisfy.

    Parameters
    ----------
    variant : {"avg", "max"}
        Whether an update raises all false negatives, or only as many of the highest as there are false
        positives.
    top : int, mapping or Top, optional
        The top of a batch: a fraction of its positives such as ``{"kappa": 0.25}``, a fraction of its
        items (``tau``), or a number ``k`` of the whole sample, shrunk in proportion to the batch, or
        of each group; never more than the positives of the batch. None stands for ``{"kappa": 0.25}``, the
        paper's.
    batch_size : int, at least 2
    epochs : int, at least 1
        Passes over the sample at most; they end early after a pass without mistakes.
    average : bool, default=False
        The model is the last iterate, as in the paper, or, if true, the average of the iterates after each
        batch. Where the classes overlap, the last iterate reflects the latest mistakes, and the average is
        often far better.
    random_state : int, RandomState or None
        Orders the items.
    time_limit : float, optional
        Seconds for a call of `fit`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (n_features,)
        The last iterate or, with `average`, their average.
    intercept_ : float
    n_mistakes_ : int
        Negatives in the tops of all batches seen: the left side of the mistake bound.
    largest_k_ : int
        Largest k of a batch: the k of the mistake bound.
    n_skipped_ : int
        Batches of one class only.
    n_iter_ : int
        Passes begun.
    status_ : str
        "converged" after a pass whose iterates make no mistake, which there is on separable data only;
        "max_iter" after all passes; "deadline" or "diverged".
    history_ : History
        Its objective is the number of mistakes in each pass.
    n_features_in_ : int

    See Also
    --------
    SGDAtK : Minimises the surrogates that bound these mistakes.

    Notes
    -----
    With `groups`, the paper's setting of ranking, each group is a batch with a top of its own, whatever
    `batch_size`; groups of one class are skipped. `partial_fit` learns from a stream, batch by batch.

    `fit` takes no sample_weight: an update counts the mistakes among the items of a batch, and a row given
    twice may be in two batches.

    Differences from the paper: batches of one class are skipped, and their sizes differ by at most one;
    the paper gives 25 passes at most and no rule to stop earlier. `average` is an addition.

    References
    ----------
    Kar, Narasimhan and Jain (2015), "Surrogate functions for maximizing precision at the top",
    algorithms 1 and 2.

    Examples
    --------
    >>> import numpy as np
    >>> from attop.estimators.perceptron_at_k import PerceptronAtK
    >>> X = np.array([[2.0, 0.1], [1.5, 0.9], [0.2, 0.8], [0.1, 0.3], [0.4, 0.5]])
    >>> model = PerceptronAtK(top=2).fit(X, [1, 1, 0, 0, 0])
    >>> model.decision_function(X).argsort()[-2:].tolist()
    [1, 0]
    """

    def __init__(
        self,
        variant: Literal["avg", "max"] = "avg",
        top: TopLike | None = None,
        batch_size: int = 500,
        epochs: int = 25,
        average: bool = False,
        random_state: int | np.random.RandomState | None = 0,
        time_limit: float | None = None,
    ):
        self.variant = variant
        self.top = top
        self.batch_size = batch_size
        self.epochs = epochs
        self.average = average
        self.random_state = random_state
        self.time_limit = time_limit

    def _new_state(self, n_features: int) -> Any:
        from attop.solvers.minibatch.perceptron import MistakeDriven

        return MistakeDriven(n_features, self.variant, average=self.average)

    def _learn(self, batches: Any) -> None:
        for batch in batches.one_pass():
            self._state.step(batch)
        self._state.update()
        self.n_mistakes_, self.largest_k_ = self._state.n_mistakes, self._state.largest_k

    def _solve(
        self, X: Any, y: Ints, groups: Ints | None, weight: Floats | None, models: Sequence[Any]
    ) -> None:
        from attop.solvers.minibatch.perceptron import perceptron

        solution = perceptron(
            X,
            y,
            self._top(),
            groups=groups,
            variant=self.variant,
            average=self.average,
            batch_size=self.batch_size,
            epochs=self.epochs,
            rng=check_random_state(self.random_state),
            time_limit=self.time_limit,
        )
        self._state = solution.state
        self._set_linear(solution.coef[:, 0], X, y)
        self.n_mistakes_, self.largest_k_ = solution.n_mistakes, solution.largest_k
        self.n_skipped_ = solution.n_skipped
        self._set_course(solution)
