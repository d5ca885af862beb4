"""What the estimators that learn from mini-batches share: one after the other, from memory or a stream."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from attop.core.typing import Floats, Ints, TopLike
from attop.estimators.base import LinearRanker
from attop.estimators.features import check_features

__all__ = ["AveragedRanker", "MiniBatchRanker"]


class MiniBatchRanker(LinearRanker):
    """Base of the estimators that learn from mini-batches.

    Features of type float32 are used as they are, a batch at a time, so that they may be mapped from a
    file. (`fit` reads rows in random order, which is slow where they do not fit into memory; then use
    `partial_fit`, or `attop.solvers.minibatch.sgd_at_k.descend`.)
    """

    _dtypes: ClassVar[Any] = (np.float64, np.float32)
    _takes_sparse: ClassVar[bool] = True

    top: TopLike | None
    batch_size: int
    _default_top: ClassVar[TopLike] = {"kappa": 0.25}

    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Learn from some more items, which may be the first.

        The rows are dealt to batches of at most `batch_size` in the order they come in, one step each;
        a call with `batch_size` rows or less is one batch. After `fit`, learning goes on where it ended.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, d)
        y : array-like of shape (n,)
        classes : array-like of shape (2,)
            The two labels, the positive one last in sorted order. Needed in the first call only.

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
        from attop.solvers.minibatch.batches import StreamedBatches

        first = not hasattr(self, "_state")
        features, labels = check_features(self, X, y, sparse=True, dtype=self._dtypes, reset=first)
        if first:
            if classes is None:
                raise ValueError(
                    "the first call of partial_fit needs classes, that is all labels that will ever occur: "
                    "pass for example classes=[0, 1]"
                )
            self.classes_ = np.unique(classes)
            if len(self.classes_) != 2:
                raise ValueError(
                    "Only binary classification is supported. The type of the target is multiclass: "
                    f"classes must be two labels, got {self.classes_.tolist()}"
                )
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
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
        batches = StreamedBatches(lambda: [(features, positive)], d, self._top(), self.batch_size)
        if first:
            self._state, self.n_skipped_, self.intercept_ = self._new_state(d), 0, 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            self._learn(batches)
        self.n_skipped_ += batches.n_skipped
        self.coef_ = self._state.coef[:, 0].copy()
        if 0 < positive.sum() < len(positive) and not np.any(self._state.lost):
            self._place_cut(self._score(features), positive)
        return self

    def _new_state(self, n_features: int) -> Any:
        """Return what learning starts from."""
        raise NotImplementedError

    def _learn(self, batches: Any) -> None:
        """Move `_state` on by a pass over `batches`."""
        raise NotImplementedError


class AveragedRanker(MiniBatchRanker):
    """Base of the estimators by projected mini-batch descent with averaging on a surrogate of prec@k.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (n_features,)
        Average of the iterates.
    intercept_ : float
        Places the cut of `predict`; see `LinearRanker`.
    objective_ : float
        Mean of the surrogate over the batches of the last pass, each just before its step. After
        `partial_fit`, of those of the last call.
    n_iter_ : int
        Passes begun by `fit`.
    status_ : str
        "max_iter" after all passes, "deadline" or "diverged".
    history_ : History
        `objective_` of each pass.
    n_skipped_ : int
        Batches of one class only.
    n_features_in_ : int
    """

    eta: float
    radius: float
    random_state: int | np.random.RandomState | None
    time_limit: float | None

    def _surrogate(self) -> Any:
        """Class of the surrogate, to be made of a top."""
        raise NotImplementedError

    def _epochs(self) -> int:
        raise NotImplementedError

    def _new_state(self, n_features: int) -> Any:
        from attop.solvers.minibatch.sgd_at_k import AveragedDescent

        return AveragedDescent(n_features, self._surrogate(), eta=self.eta, radius=self.radius)

    def _learn(self, batches: Any) -> None:
        values = [self._state.step(batch) for batch in batches.one_pass()]
        if values:
            self._state.update(sum(values))
            self.objective_ = float(np.mean(values))

    def _shared(self) -> Hashable:
        # A RandomState equals itself only: models that hold their own are trained apart.
        return (
            self._surrogate(),
            self._top(),
            self.batch_size,
            self._epochs(),
            self.random_state,
            self.time_limit,
        )

    def _solve(
        self, X: Any, y: Ints, groups: Ints | None, weight: Floats | None, models: Sequence[Any]
    ) -> None:
        from attop.solvers.minibatch.queries import batches_of
        from attop.solvers.minibatch.sgd_at_k import AveragedDescent, descend

        eta, radius = [model.eta for model in models], [model.radius for model in models]
        state = AveragedDescent(X.shape[1], self._surrogate(), eta=eta, radius=radius)
        batches = batches_of(
            X, y, groups, self._top(), self.batch_size, check_random_state(self.random_state)
        )
        solution = descend(batches, state, epochs=self._epochs(), time_limit=self.time_limit)
        for j, model in enumerate(models):
            alone = solution.model(j)
            model._state = state.alone(j)
            model._set_linear(alone.coef[:, 0], X, y)
            model.objective_ = float(alone.objective[0])
            model._set_course(alone)
            model.n_skipped_ = solution.n_skipped
