"""Learners of an experiment: an estimator and its grid, seeded, set to the top and fitted on some rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from inspect import Parameter, signature
from numbers import Integral
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from attop._core._sklearn import safe_indexing
from attop._core.seeds import derive_seed
from attop._core.top import Top
from attop._core.typing import Floats, Ints
from attop.experiment._interval import Units
from attop.experiment._routing import Estimator, Rows, fit, takes
from attop.experiment._search import draw_candidates, has_distributions
from attop.metrics._cards import CardMetric
from attop.metrics._metric import Metric, MetricValue
from attop.metrics._precision import AmountMetric
from attop.statistics._effective import effective_number, likeness_within

#: Values to choose from, by name of the parameter.
Grid = Mapping[str, Sequence[object]]
#: Values of parameters, by name.
Params = Mapping[str, object]
#: An estimator and its grid, and the steps of an ensemble if one is wanted.
Searched = (
    tuple[Estimator, Grid | Sequence[Grid]]
    | tuple[Estimator, Grid | Sequence[Grid], int]
)


class Transformer(Protocol):
    """A transformer of features."""

    def fit_transform(self, X: Rows) -> Rows:
        """Learn from rows and return their features."""

    def transform(self, X: Rows) -> Rows:
        """Compute the features of rows."""


@dataclass(frozen=True)
class Sample:
    """Rows of an experiment.

    Attributes
    ----------
    X : array, frame or sparse matrix of n rows
    y : ndarray of shape (n,)
        0 and 1.
    groups : ndarray of shape (n,) or None
        The list of each row, where there are several.
    weights : ndarray of shape (n,) or None
        What each row is worth, to models and metrics that take it.
    entity, day : ndarray of shape (n,) or None
        Customer and day of each row, for metrics of cards.
    amount : ndarray of shape (n,) or None
        What each positive is worth, to metrics of amounts; `weights` if left out.
    labels : ndarray of shape (n,) or None
        What models learn, where it is not `y`.
    """

    X: Rows
    y: Ints
    groups: NDArray[np.generic] | None = None
    weights: Floats | None = None
    entity: Ints | None = None
    day: Ints | None = None
    amount: Floats | None = None
    labels: NDArray[np.generic] | None = None

    @property
    def positive(self) -> object:
        """Label of the positives, as the models know it."""
        labels = self.y if self.labels is None else self.labels
        return labels.tolist()[self.y.argmax()]

    def rows(self, rows: Ints) -> Sample:
        """Select rows by their numbers."""
        columns = ("y", "groups", "weights", "entity", "day", "amount", "labels")
        columns_of_rows = {
            name: v[rows]
            for name in columns
            if (v := getattr(self, name)) is not None
        }
        return replace(self, X=safe_indexing(self.X, rows), **columns_of_rows)

    def units(
        self, metric: Metric, top: Top, ratio: float, tests: Sequence[Ints]
    ) -> Units:
        """Count the independent rows that the rows behind a value are worth, in test parts of these rows."""
        weights = self._worth(metric)
        positive = self.y == 1
        named = {"groups": self.groups, "entities": self.entity}
        counts = {
            name: len(np.unique(codes))
            for name, codes in named.items()
            if codes is not None
        }
        return Units.of(
            metric,
            top,
            ratio,
            items=len(self.y),
            positives=float(positive.sum())
            if weights is None
            else effective_number(weights[positive]),
            design_effect=likeness_within(tests, self.y, self.entity, weights),
            **counts,
        )

    def measure(
        self, metric: Metric, rows: Ints, scores: Floats, top: Top
    ) -> MetricValue:
        """Evaluate a metric on the scores of some rows, with their groups, weights, entities and days."""
        y = self.y[rows]
        groups = None if self.groups is None else self.groups[rows]
        if isinstance(metric, CardMetric):
            entities = None if self.entity is None else self.entity[rows]
            days = None if self.day is None else self.day[rows]
            return metric.evaluate(
                y, scores, top, groups, entities=entities, days=days
            )
        weights = self._worth(metric)
        return metric.evaluate(
            y, scores, top, groups, None if weights is None else weights[rows]
        )

    def _worth(self, metric: Metric) -> Floats | None:
        if isinstance(metric, AmountMetric) and self.amount is not None:
            return self.amount
        return self.weights if metric.weighted else None


@dataclass(frozen=True)
class Learner:
    """An estimator, and the candidates it is tuned over.

    Attributes
    ----------
    name : str
    estimator : Estimator
        Never fitted itself.
    grid : mapping, sequence of mappings or None
        As for ``GridSearchCV``.
    prepare : callable or None
        Makes an unfitted transformer of features; each fit has its own.
    fixed : collection of str or None
        Parameters that were written on purpose, as a configuration says; all others at their default are
        open. None: nobody knows, as of an instance that is handed over, and only what is None is open.
    whole : bool
        Whether entities are kept whole by models that split their rows, as the folds keep them.
    n_candidates : int
        How many candidates are drawn where the grid has distributions.
    seconds : float or None
        After how many seconds no further candidate is tried.
    ensemble : int
        Of how many steps an ensemble of the candidates is; with one it is the best candidate alone.
    """

    name: str
    estimator: Estimator
    grid: Grid | Sequence[Grid] | None = None
    prepare: Callable[[], Transformer | None] = lambda: None
    fixed: Iterable[str] | None = None
    whole: bool = False
    n_candidates: int = 10
    seconds: float | None = None
    ensemble: int = 1

    @classmethod
    def of(
        cls, name: str, entry: Estimator | Searched, whole: bool = False
    ) -> Learner:
        """Read an estimator, or one with its grid and the steps of an ensemble; a TypeError if it is neither.

        A ValueError without a name, or without a grid or steps for an ensemble.
        """
        estimator: Any = entry
        grid, steps = None, 1
        if isinstance(entry, tuple) and len(entry) == 2:
            estimator, grid = entry
        if isinstance(entry, tuple) and len(entry) == 3:
            estimator, grid, steps = entry
        if not all(
            hasattr(estimator, name) for name in ("fit", "get_params")
        ) or isinstance(estimator, type):
            raise TypeError(
                f"model {name!r} must be an estimator or a pair (estimator, grid), with the steps of an "
                f"ensemble third if there is one, got {entry!r}: write for example LogisticRegression() or "
                "(LogisticRegression(), {'C': [0.1, 1]}, 20)"
            )
        if not str(name).strip():
            raise ValueError(
                f"a model must have a name, got {name!r}: give it one, by which results call it"
            )
        learner = cls(str(name), estimator, grid, whole=whole, ensemble=steps)
        if steps != 1 and not (
            isinstance(steps, Integral) and steps > 1 and learner.is_tuned
        ):
            raise ValueError(
                f"model {name!r} cannot be an ensemble of {steps!r} steps by the grid {grid!r}: give at "
                "least 2 steps, such as 20, and several candidates, or leave the steps out"
            )
        return learner

    @property
    def candidates(self) -> list[dict[str, object]]:
        """Combinations of the grid, an empty one without: names in alphabetical order, values as listed.

        Of equally good candidates the first is chosen, so the order of names must not matter.
        """
        return list(ParameterGrid(self.grid or {}))

    @property
    def draws(self) -> bool:
        """True if the grid has distributions, of which candidates are drawn."""
        return isinstance(self.grid, Mapping) and has_distributions(self.grid)

    @property
    def is_tuned(self) -> bool:
        """True if there are candidates to choose from."""
        return self.draws or len(self.candidates) > 1

    def candidates_for(self, seed: int) -> list[dict[str, object]]:
        """List the candidates of a run: all of the grid, or those drawn by the seed of the run."""
        if not isinstance(self.grid, Mapping) or not self.draws:
            return self.candidates
        own_seed = derive_seed(seed, "candidates", bits=31)
        return draw_candidates(
            self.grid, self.n_candidates, own_seed, fewer=self.seconds is not None
        )

    def seeded(self, seed: int, top: Top | None = None) -> Estimator:
        """Clone the model, with a seed wherever `random_state` is left open, and `n_jobs` 1 where it is None.

        LightGBM, for one, starts as many threads as there are cores whatever `threadpool_limits` says. With
        `top`, every parameter of this name that is left open, nested ones included, is set too.
        """
        model = clone(self.estimator)
        states = {
            name: seed
            if name == "random_state"
            else derive_seed(seed, name, bits=31)
            for name in self._open(model, "random_state")
        }
        tops = {} if top is None else dict.fromkeys(self._tops, top)
        model.set_params(
            **states, **tops, **dict.fromkeys(open_parameters(model, "n_jobs"), 1)
        )
        return model  # a FrozenEstimator's `set_params` returns none

    @property
    def _tops(self) -> list[str]:
        return self._open(self.estimator, "top")

    def _open(self, model: Estimator, name: str) -> list[str]:
        if self.fixed is None:
            return open_parameters(model, name)
        return [
            path
            for path in open_parameters(model, name, default=True)
            if path not in self.fixed
        ]

    def fit(
        self,
        sample: Sample,
        rows: Ints,
        picks: Sequence[tuple[Top, Params]],
        seed: int,
    ) -> tuple[list[Estimator], Callable[[Ints], Rows]]:
        """Fit candidates on some of the rows, each for a top.

        Every parameter `top` that is left open, nested ones included, is set to the candidate's; any other
        stays. Groups and weights reach the models whose `fit` takes them.

        Returns the models, in the order of `picks`, and what makes the features they score of row numbers. A
        FloatingPointError where a linear model has weights that are not finite.
        """
        part = sample.rows(rows)
        prepare = self.prepare()
        if prepare is not None:
            # The rows are not held beside the matrix that is made of them.
            part = replace(part, X=prepare.fit_transform(part.X))
        estimator = self.seeded(seed)
        weights = (
            part.weights
            if part.weights is not None and takes(estimator, "sample_weight")
            else None
        )
        try:
            models = fit_many(
                estimator,
                part.X,
                part.y if part.labels is None else part.labels,
                part.groups,
                weights,
                part.entity if self.whole else None,
                candidates=[
                    {**dict.fromkeys(self._tops, top), **candidate}
                    for top, candidate in picks
                ],
            )
        except Exception as error:
            error.add_note(
                f"while model {self.name!r} was fitted on {len(rows)} items"
            )
            raise

        for model in models:
            coef = getattr(model, "coef_", None)
            if (
                isinstance(coef, np.ndarray)
                and coef.dtype.kind == "f"
                and not np.isfinite(coef).all()
            ):
                raise FloatingPointError(
                    f"{self.name} diverged: its weights are NaN or infinite"
                )

        def features(rows: Ints) -> Rows:
            X = safe_indexing(sample.X, rows)
            return X if prepare is None else prepare.transform(X)

        return models, features


def open_parameters(
    estimator: Estimator, name: str, *, default: bool = False
) -> list[str]:
    """Find parameters called `name`, nested ones too, that are None or, with `default`, at their default."""
    params = estimator.get_params()
    names = []
    for path, value in params.items():
        prefix, _, last = path.rpartition("__")
        if last == name and (
            value is None
            or (default and _at_default(params.get(prefix, estimator), name, value))
        ):
            names.append(path)
    return names


def _with(estimator: Estimator, params: Params) -> Estimator:
    model = clone(estimator)
    model.set_params(**params)
    return model


def _at_default(owner: object, name: str, value: object) -> bool:
    parameter = signature(type(owner)).parameters.get(name)
    if parameter is None or parameter.default is Parameter.empty:
        return False
    return type(value) is type(parameter.default) and bool(
        np.all(value == parameter.default)
    )


def fit_many(
    estimator: Estimator,
    X: Rows,
    y: ArrayLike,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    entity: ArrayLike | None = None,
    *,
    candidates: Sequence[Params],
) -> list[Estimator]:
    """Fit any scikit-learn estimator once per candidate, sharing work where the estimator knows how.

    An estimator with a method `fit_many` (all of attop's) trains the candidates together. Any other is
    cloned and fitted once per distinct candidate. `top` is left out for an estimator that has no such
    parameter; `groups` and `entity` reach those whose `fit` takes them.

    Parameters
    ----------
    estimator : estimator
        Never fitted itself.
    X, y, groups, sample_weight, entity : array-like
        As for ``estimator.fit``.
    candidates : sequence of mappings
        Parameters of each model.

    Returns
    -------
    models : list of fitted estimators, in the order of `candidates`; equal candidates share one.

    Raises
    ------
    TypeError
        If there are weights, and the estimator's `fit` takes none.
    """
    if sample_weight is not None and not takes(estimator, "sample_weight"):
        raise TypeError(
            f"{type(estimator).__name__} takes no sample_weight: leave the weights out, or use an estimator "
            "whose fit has that parameter"
        )
    takes_top = "top" in estimator.get_params()
    relevant = [
        {k: v for k, v in c.items() if k != "top" or takes_top} for c in candidates
    ]
    distinct: list[Params] = []
    for candidate in relevant:
        if candidate not in distinct:
            distinct.append(candidate)
    if hasattr(estimator, "fit_many"):
        columns = {"sample_weight": sample_weight, "entity": entity}
        row_columns = {
            name: value
            for name, value in columns.items()
            if value is not None and (name != "entity" or takes(estimator, name))
        }
        models = estimator.fit_many(
            X, y, groups, candidates=distinct, **row_columns
        )
    else:
        # Copies: an estimator from elsewhere may change what it is given.
        models = [
            fit(
                _with(estimator, c),
                *deepcopy((X, y)),
                groups=groups,
                sample_weight=sample_weight,
                entity=entity,
            )
            for c in distinct
        ]
    return [models[distinct.index(c)] for c in relevant]
