"""Rankers that learn from mini-batches, of a sample in memory or of a stream."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop._core.sample import positive_last, warn_of_words
from attop._core.top import Top
from attop._core.typing import TopLike
from attop.learners._base import Ranker, Training, ranker, sharing
from attop.learners._validation import repeatable
from attop.surrogates._base import Surrogate
from attop.surrogates._prec_at_k import PrecAtKAvg, PrecAtKMax, PrecAtKStruct

if TYPE_CHECKING:  # the solvers compile their kernels when they are imported
    from attop.from_papers.minibatch._batches import BatchSource
    from attop.from_papers.minibatch._perceptron import MistakeDriven
    from attop.from_papers.minibatch._sgd_at_k import AveragedDescent
    from attop.solvers._base import GridSolution


@dataclass(repr=False, eq=False, kw_only=True)
class MiniBatchRanker(Ranker):
    """Base of the estimators that learn from mini-batches.

    Features of type float32 are used as they are, a batch at a time, so that they may be mapped from a file.
    `fit` reads rows in random order, which is slow where they do not fit into memory: use `partial_fit`.

    Parameters
    ----------
    batch_size : int, at least 2
    random_state : int or RandomState, optional
        Orders the items.
        None is 0, so that a fit repeats; `compare_at_top` and the benchmark seed it by the run.
    time_limit : float, optional
        Seconds for a call of `fit`, or for settings trained together in `fit_many`.

    Attributes
    ----------
    n_skipped_ : int
        Batches of one class only.
    """

    _dtypes = (np.float64, np.float32)
    _takes_sparse = True

    _default_top: ClassVar[TopLike] = {"kappa": 0.25}

    batch_size: int = 500
    random_state: int | np.random.RandomState | None = None
    time_limit: float | None = None
    n_skipped_: int = field(init=False)
    _state: Any = field(init=False)

    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None
    ) -> Self:
        """Learn from more items; the first call starts the model.

        The rows are dealt to batches of at most `batch_size` in the order they come in, one step each;
        a call with `batch_size` rows or less is one batch. After `fit`, learning goes on where it ended.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, d)
        y : array-like of shape (n,)
        classes : array-like of shape (2,)
            The two labels; `pos_label` says which is positive. Needed in the first call only.

        Returns
        -------
        self
            `intercept_` places the cut of `predict` for the items of this call, if it holds both
            classes. Where scores overflow, the model stays what it was.

        Raises
        ------
        ValueError
            If `classes` are missing, are not two or do not have the labels of `y`, the input is not
            finite or a parameter is out of range, or `top` is a number of items: the sample's size is
            not known.
        """
        from attop.from_papers.minibatch._batches import StreamedBatches

        first = not hasattr(self, "_state")
        features, labels = self._validate(X, y, reset=first)
        if first:
            if classes is None:
                raise ValueError(
                    "the first call of partial_fit needs classes, that is all labels that will ever occur: "
                    "pass for example classes=[0, 1]"
                )
            self.classes_ = self._known(classes)
        elif classes is not None and set(np.unique(classes)) != set(self.classes_):
            raise ValueError(
                f"classes must stay the same from call to call, got {np.unique(classes).tolist()} after "
                f"{self.classes_.tolist()}: pass the same again, or leave them out"
            )
        unknown = np.setdiff1d(labels, self.classes_)
        if len(unknown):
            raise ValueError(
                f"y holds {unknown.tolist()}, not among the classes {self.classes_.tolist()}: "
                "give the first call of partial_fit all labels as classes"
            )
        positive = (labels == self.classes_[1]).astype(np.int64)
        d = features.shape[1]
        batches = StreamedBatches(
            lambda: [(features, positive)], d, self._top(), self.batch_size
        )
        if first:
            self._state = self._start(d)
            self.n_skipped_ = 0
            self.intercept_ = 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            self._learn(batches)
        self.n_skipped_ += batches.n_skipped
        self.coef_ = self._state.coef[:, 0].copy()
        if 0 < positive.sum() < len(positive) and not np.any(
            self._state.overflowed
        ):
            self._set_threshold(self._score(features), positive)
        return self

    def _known(self, classes: ArrayLike) -> NDArray[Any]:
        """Order the two classes of a stream, the positive one last; refuse another number of them."""
        labels = np.unique(classes)
        if len(labels) != 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"classes must be two labels, got {labels.tolist()}"
            )
        ordered = positive_last(labels, self.pos_label)
        if self.pos_label is None:
            warn_of_words(ordered, stacklevel=3)
        return ordered

    def _start(self, n_features: int) -> AveragedDescent | MistakeDriven:
        """Make the state at the start of learning."""
        raise NotImplementedError

    def _learn(self, batches: BatchSource) -> None:
        """Move `_state` on by a pass over `batches`."""
        raise NotImplementedError

    def _epochs(self) -> int:
        """Passes over the sample: one, unless the learner has the parameter `epochs`."""
        return getattr(self, "epochs", 1)

    def _passes_over(
        self, data: Training, state: AveragedDescent | MistakeDriven
    ) -> GridSolution:
        from attop.from_papers.minibatch._batches import batches_of
        from attop.from_papers.minibatch._sgd_at_k import descend

        order = repeatable(self.random_state)
        batches = batches_of(
            data.X, data.y, data.groups, self._top(), self.batch_size, order
        )
        return descend(
            batches, state, epochs=self._epochs(), time_limit=self.time_limit
        )


@dataclass(repr=False, eq=False, kw_only=True)
class AveragedRanker(MiniBatchRanker):
    """Base of the estimators by projected mini-batch descent with averaging on a surrogate of prec@k.

    Parameters
    ----------
    eta : float, positive
        Length of the first step.
    radius : float, positive
        R; infinity for no projection.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Average of the iterates.
    objective_ : float
        Mean of the surrogate over the batches of the last pass, each just before its step. After
        `partial_fit`, of those of the last call.
    n_iter_ : int
        Passes begun by `fit`.
    status_ : str
        "max_iter" after all passes, "deadline" or "diverged".
    history_ : History
        `objective_` of each pass.
    """

    eta: float = 0.1
    radius: float = 10.0

    def _kind(self) -> Callable[[Top], Surrogate]:
        """Class of the surrogate that is minimised."""
        raise NotImplementedError

    def _start(
        self, n_features: int, models: Sequence[Self] = ()
    ) -> AveragedDescent:
        from attop.from_papers.minibatch._sgd_at_k import AveragedDescent

        eta, radius = zip(
            *((model.eta, model.radius) for model in models or [self]), strict=True
        )
        return AveragedDescent(n_features, self._kind(), eta=eta, radius=radius)

    def _learn(self, batches: BatchSource) -> None:
        values = [self._state.step(batch) for batch in batches.one_pass()]
        if values:
            self._state.update(np.sum(values, axis=0))
            self.objective_ = float(np.mean(values))

    def _solve(self, data: Training, models: Sequence[Self]) -> None:
        for alike in sharing(models, _passes):
            alike[0]._descend(data, alike)

    def _descend(self, data: Training, models: Sequence[Self]) -> None:
        state = self._start(data.X.shape[1], models)
        solution = self._passes_over(data, state)
        for j, model in enumerate(models):
            alone = solution.model(j)
            model._state = state.alone(j)
            model._store_linear(alone, data)
            model.n_skipped_ = solution.n_skipped


def _passes(model: AveragedRanker) -> Hashable:
    """Collect the parameters shared by models trained together: all but `eta` and `radius`."""
    # A RandomState equals itself only: models that hold their own are trained apart.
    order = model.random_state
    return (
        model._kind(),
        model._top(),
        model.batch_size,
        model._epochs(),
        order,
        model.time_limit,
    )


@ranker
class SGDAtK(AveragedRanker):
    r"""Learn a linear ranker by mini-batch subgradient descent on a prec@k surrogate.

    Minimises the surrogate over the ball ``||w|| <= radius`` with a step ``eta / sqrt(t)`` for the t-th
    batch; the model is the average iterate.

    Parameters
    ----------
    surrogate : {"avg", "max"}
    top : int, mapping or Top, optional
        The top of a batch: a fraction of its positives such as ``{"kappa": 0.25}``, a fraction of its
        items (``tau``), or a number ``k`` of the whole sample, shrunk in proportion to the batch, or
        of each group; never more than the positives of the batch. None stands for ``{"kappa": 0.25}``, the
        paper's.
    epochs : int, at least 1
        Passes over the sample.

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
    """

    surrogate: Literal["avg", "max"] = "avg"
    top: TopLike | None = None
    epochs: int = 25

    def _kind(self) -> Callable[[Top], Surrogate]:
        return PrecAtKAvg if self.surrogate == "avg" else PrecAtKMax


@ranker
class OnePMB(AveragedRanker):
    r"""Learn a linear ranker in one pass of mini-batch descent on prec@k's structural surrogate.

    For the t-th batch, ``w_t = P(w_{t-1} - eta / sqrt(t) g_t)``, with ``g_t`` a subgradient of

    .. math:: \max_{\hat y \in \{0,1\}^b, \|\hat y\|_1 = k}
              \Delta(\hat y) + \sum_i (\hat y_i - y_i) w \cdot x_i

    on the batch, and P the projection on the ball ``||w|| <= radius``. The model is the average iterate.

    Parameters
    ----------
    top : int, mapping or Top, optional
        See `SGDAtK`; None stands for as many as the positives of the batch, ``{"kappa": 1.0}``.

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
    """

    _default_top: ClassVar[TopLike] = {"kappa": 1.0}

    top: TopLike | None = None

    def _kind(self) -> Callable[[Top], Surrogate]:
        return PrecAtKStruct


@ranker
class PerceptronAtK(MiniBatchRanker):
    r"""Learn a linear ranker from its mistakes at the top of mini-batches.

    From ``w_0 = 0``, for each batch let ``yhat`` mark its k highest scores, ``Delta`` the negatives and
    ``K`` the positives among them. If ``Delta > 0``::

        w <- w - sum_{false positives} x + D sum_{false negatives} x,   D = Delta / (n+ - K)      avg
        w <- w - sum_{false positives} x + sum_{Delta highest false negatives} x                  max

    For ``||x|| <= R`` and any ``u``, the mistakes are bounded by ``sum_t Delta_t <= (2 R sqrt(k) ||u||
    + sqrt(sum_t loss_t(u)))^2``, where loss is prec@k's avg or max surrogate on the batch.

    Parameters
    ----------
    surrogate : {"avg", "max"}
        The surrogate of prec@k that bounds the mistakes. An update raises all false negatives ("avg"), or as
        many of the highest as there are false positives ("max").
    top : int, mapping or Top, optional
        See `SGDAtK`.
    epochs : int, at least 1
        Passes over the sample at most; they end early after a pass without mistakes.
    average : bool, default=False
        The model is the last iterate, as in the paper, or, if true, the average of the iterates after each
        batch. Where the classes overlap, the last iterate reflects the latest mistakes, and the average is
        often far better.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The last iterate or, with `average`, their average.
    n_mistakes_ : int
        Negatives in the tops of all batches seen: the left side of the mistake bound.
    largest_k_ : int
        Largest k of a batch: the k of the mistake bound.
    n_iter_ : int
        Passes begun.
    status_ : str
        "converged" after a pass whose iterates make no mistake, which there is on separable data only;
        "max_iter" after all passes; "deadline" or "diverged".
    history_ : History
        Its objective is the number of mistakes in each pass.

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
    """

    surrogate: Literal["avg", "max"] = "avg"
    top: TopLike | None = None
    epochs: int = 25
    average: bool = False

    def _start(self, n_features: int) -> MistakeDriven:
        from attop.from_papers.minibatch._perceptron import MistakeDriven

        return MistakeDriven(n_features, self.surrogate, average=self.average)

    def _learn(self, batches: BatchSource) -> None:
        self._state.update(
            np.array([self._state.step(batch) for batch in batches.one_pass()])
        )
        self.n_mistakes_ = self._state.n_mistakes
        self.largest_k_ = self._state.largest_k

    def _solve(self, data: Training, models: Sequence[Self]) -> None:
        for model in models:
            state = model._state = model._start(data.X.shape[1])
            solution = model._passes_over(data, state)
            model._set_linear(solution.coef[:, 0], data)
            model._store_progress(solution)
            model.n_mistakes_, model.largest_k_ = state.n_mistakes, state.largest_k
            model.n_skipped_ = solution.n_skipped
