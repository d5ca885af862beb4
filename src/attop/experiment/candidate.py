"""Learners of an experiment: an estimator and its grid, seeded, set to the top and fitted on some rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from inspect import Parameter, signature
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import has_fit_parameter

from attop.core.seeds import derive_seed
from attop.core.top import Top
from attop.core.typing import Floats, Ints
from attop.metrics.cards import CardMetric
from attop.metrics.metric import Metric, MetricValue

#: Rows that an estimator takes: an array, a sparse matrix, a frame, a list of texts.
Rows = Any
#: Values to choose from, by name of the parameter.
Grid = Mapping[str, Sequence[object]]
#: Values of parameters by name.
Candidate = Mapping[str, object]
E = TypeVar("E", bound="Estimator")


class Estimator(Protocol):
    """An estimator of scikit-learn's."""

    fit: Callable[..., Self]

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return the parameters, those of nested estimators as ``name__parameter``."""
        ...

    def set_params(self, **params: object) -> Self:
        """Set parameters."""
        ...


class Transformer(Protocol):
    """A transformer of features."""

    def fit_transform(self, X: Rows) -> Rows:
        """Learn from rows and return their features."""
        ...

    def transform(self, X: Rows) -> Rows:
        """Return the features of rows."""
        ...


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
    labels : ndarray of shape (n,) or None
        What models learn, where it is not `y`.
    """

    X: Rows
    y: Ints
    groups: NDArray[np.generic] | None = None
    weights: Floats | None = None
    entity: Ints | None = None
    day: Ints | None = None
    labels: NDArray[np.generic] | None = None

    def rows(self, rows: Ints) -> Sample:
        """Return some of the rows."""
        columns = ("y", "groups", "weights", "entity", "day", "labels")
        columns_of_rows = {name: v[rows] for name in columns if (v := getattr(self, name)) is not None}
        return replace(self, X=_safe_indexing(self.X, rows), **columns_of_rows)

    def measure(self, metric: Metric, rows: Ints, scores: Floats, top: Top) -> MetricValue:
        """Return a metric of the scores of some rows, with what it needs to know of each row."""
        y = self.y[rows]
        groups = None if self.groups is None else self.groups[rows]
        if isinstance(metric, CardMetric):
            entities = None if self.entity is None else self.entity[rows]
            days = None if self.day is None else self.day[rows]
            return metric.evaluate(y, scores, top, groups, entities=entities, days=days)
        weights = self.weights[rows] if metric.weighted and self.weights is not None else None
        return metric.evaluate(y, scores, top, groups, weights)


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
    fixed : collection of str
        Parameters that stay what they are, although that is their default.
    """

    name: str
    estimator: Estimator
    grid: Grid | Sequence[Grid] | None = None
    prepare: Callable[[], Transformer | None] = lambda: None
    fixed: Iterable[str] = ()

    @classmethod
    def of(cls, name: str, given: Estimator | tuple[Estimator, Grid | Sequence[Grid]]) -> Learner:
        """Read an estimator, or a pair of an estimator and a grid; a TypeError if it is neither."""
        estimator, grid = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
        if not hasattr(estimator, "fit") or isinstance(estimator, type):
            raise TypeError(
                f"model {name!r} must be an estimator or a pair (estimator, grid), got {given!r}: "
                "write for example LogisticRegression() or (LogisticRegression(), {'C': [0.1, 1]})"
            )
        return cls(str(name), estimator, grid)

    @property
    def candidates(self) -> list[dict[str, object]]:
        """The combinations of the grid, one empty one without: names in alphabetical order, values as listed.

        Of equally good candidates the first is chosen, so the order of names must not matter.
        """
        return list(ParameterGrid(self.grid or {}))

    def seeded(self, seed: int, top: Top | None = None) -> Estimator:
        """Return a clone with a seed wherever `random_state` is left open, and `n_jobs` 1 where it is None.

        LightGBM, for one, starts as many threads as there are cores whatever `threadpool_limits` says. With
        `top`, every parameter of this name that is left at its default, nested ones included, is set too.
        """
        model = clone(self.estimator)
        states = {
            name: seed if name == "random_state" else derive_seed(seed, name, bits=31)
            for name in open_parameters(model, "random_state", default=True)
            if name not in self.fixed
        }
        tops = {} if top is None else dict.fromkeys(self._tops, top)
        return model.set_params(**states, **tops, **dict.fromkeys(open_parameters(model, "n_jobs"), 1))

    @property
    def _tops(self) -> list[str]:
        names = open_parameters(self.estimator, "top", default=True)
        return [name for name in names if name not in self.fixed]

    def fit(
        self, sample: Sample, rows: Ints, picks: Sequence[tuple[Top, Candidate]], seed: int
    ) -> tuple[list[Estimator], Callable[[Ints], Rows]]:
        """Fit candidates on some of the rows, each for a top.

        Every parameter `top` that is left at its default, nested ones included, is set to the candidate's;
        one set by the user or the grid stays. Groups and weights reach the models whose `fit` takes them.

        Returns the models, in the order of `picks`, and what makes the features they score of row numbers. A
        FloatingPointError where a linear model has weights that are not finite.
        """
        part, prepare = sample.rows(rows), self.prepare()
        X = part.X if prepare is None else prepare.fit_transform(part.X)
        estimator = self.seeded(seed)
        weights = part.weights if part.weights is not None and takes(estimator, "sample_weight") else None
        try:
            models = fit_many(
                estimator,
                X,
                part.y if part.labels is None else part.labels,
                part.groups,
                weights,
                candidates=[{**dict.fromkeys(self._tops, top), **candidate} for top, candidate in picks],
            )
        except Exception as error:
            error.add_note(f"while model {self.name!r} was fitted on {len(rows)} items")
            raise

        for model in models:
            coef = getattr(model, "coef_", None)
            if isinstance(coef, np.ndarray) and coef.dtype.kind == "f" and not np.isfinite(coef).all():
                raise FloatingPointError(f"{self.name} diverged: its weights are NaN or infinite")

        def features(rows: Ints) -> Rows:
            X = _safe_indexing(sample.X, rows)
            return X if prepare is None else prepare.transform(X)

        return models, features


def open_parameters(estimator: Estimator, name: str, *, default: bool = False) -> list[str]:
    """Return the parameters called `name`, nested ones too, that are None or, if asked, at their default."""
    params = estimator.get_params()
    names = []
    for path, value in params.items():
        prefix, _, last = path.rpartition("__")
        if last == name and (
            value is None or (default and _at_default(params.get(prefix, estimator), name, value))
        ):
            names.append(path)
    return names


def _at_default(owner: object, name: str, value: object) -> bool:
    known = signature(type(owner)).parameters.get(name)
    if known is None or known.default is Parameter.empty:
        return False
    return type(value) is type(known.default) and bool(np.all(value == known.default))


def takes(estimator: Any, name: str) -> bool:
    """Whether `fit` takes a value for each row, itself, by its last step, or by an estimator inside it.

    A TypeError where an estimator inside it takes one, but is not handed any.
    """
    return name in _asking(estimator, [name])[1]


def _asking(estimator: E, names: Iterable[str]) -> tuple[E, dict[str, str], bool]:
    """Return a clone that asks for values of each row, the keyword of each, and whether by metadata routing.

    Routing is for estimators around others, such as searches, stacks and threshold tuners. Of a pipeline the
    last step is asked, of all others those that predict; what the user has set by ``set_fit_request`` stays.
    """
    model = clone(estimator)
    last, prefix = _last_step(model)
    inner = [v for v in getattr(last, "get_params", dict)().values() if _is_estimator(v)]
    routed = bool(inner) and _is_router(last)
    if routed:
        keywords = _route(model, names)
        unmet = _unmet_by_a_stack(last, keywords)
    else:
        keywords, unmet = {n: prefix + n for n in names if has_fit_parameter(last, n)}, []
    lost = [(n, v) for v in inner for n in names if n not in keywords and _wants(v, n)]
    for name, inside in (*lost, *unmet):
        raise TypeError(
            f"{type(last).__name__} cannot hand {name} to the {type(inside).__name__} inside it: leave it "
            "out, or use estimators that take it by scikit-learn's metadata routing"
        )
    return model, keywords, routed


def _last_step(model: Any) -> tuple[Any, str]:
    """Return what a pipeline ends in, or the model itself, and the prefix of its keywords."""
    prefix = ""
    while isinstance(model, Pipeline):
        step, model = model.steps[-1]
        prefix += f"{step}__"
    return model, prefix


def _is_estimator(value: object) -> bool:
    return hasattr(value, "fit") and not isinstance(value, type)


def _is_router(estimator: Any) -> bool:
    try:
        return isinstance(estimator.get_metadata_routing(), MetadataRouter)
    except (AttributeError, NotImplementedError):  # some of scikit-learn's own have none
        return False


def _wants(estimator: Any, name: str) -> bool:
    return has_fit_parameter(estimator, name) and _request(estimator, "fit", name) is not False


def _route(model: Any, names: Iterable[str]) -> dict[str, str]:
    """Have all estimators and scorers in a model ask; return the keywords of what it then takes."""
    with config_context(enable_metadata_routing=True):
        params = model.get_params()
        for owner in filter(_is_estimator, [model, *params.values()]):
            _ask(owner, names)
        for path, scoring in params.items():
            if path.rpartition("__")[2] == "scoring":
                model.set_params(**{path: _asking_scorers(scoring, names)})
        return {name: name for name in model.get_metadata_routing().consumes("fit", names)}


def _asking_scorers(scoring: Any, names: Iterable[str]) -> Any:
    """Return the scorer, or scorers by name, that a parameter `scoring` stands for; each asks."""
    if isinstance(scoring, (list, tuple, set)):
        scoring = {name: name for name in scoring}
    named = scoring if isinstance(scoring, dict) else {"": scoring}
    scorers = {n: get_scorer(s) if isinstance(s, str) else s for n, s in named.items()}
    for scorer in scorers.values():
        _ask(scorer, names)
    return scorers.get("", scorers)


def _unmet_by_a_stack(last: Any, keywords: Iterable[str]) -> list[tuple[str, Any]]:
    """Return what the last estimator of a stack does not take: a stack hands it all there is."""
    if not isinstance(last, StackingClassifier):
        return []
    final = LogisticRegression() if last.final_estimator is None else last.final_estimator
    return [(name, final) for name in keywords if not takes(final, name)]


def _request(owner: Any, method: str, name: str) -> object:
    """Return what an estimator or scorer asks for, None if that is open; empty if it cannot be asked."""
    request = getattr(owner, "_get_metadata_request", getattr(owner, "get_metadata_routing", None))
    return getattr(request(), method).requests.get(name, "") if request else ""


def _ask(owner: Any, names: Iterable[str]) -> None:
    """Have an estimator or a scorer ask for what it takes, where the user has not settled it."""
    for name in names:
        if _request(owner, "fit", name) is None:
            owner.set_fit_request(**{name: hasattr(owner, "predict") or not hasattr(owner, "transform")})
        accepts = getattr(owner, "_accept_sample_weight", None)
        if _request(owner, "score", name) is None:
            owner.set_score_request(**{name: name != "sample_weight" or accepts is None or accepts()})
        elif _request(owner, "score", name) == "" and name == "sample_weight" and accepts and accepts():
            owner.set_score_request(sample_weight=True)


def fit(estimator: E, X: Rows, y: ArrayLike, **values: ArrayLike | None) -> E:
    """Return a clone fitted with those `values`, such as groups and sample_weight, that its `fit` takes."""
    given = {name: value for name, value in values.items() if value is not None}
    model, keywords, routed = _asking(estimator, given)
    # Routing or not, whatever the caller's configuration: `_asking` settles who gets what.
    with warnings.catch_warnings(), config_context(enable_metadata_routing=routed):
        warnings.filterwarnings("ignore", "'n_jobs' has no effect", FutureWarning)  # see `Learner.seeded`
        return model.fit(X, y, **{keyword: given[name] for name, keyword in keywords.items()})


def fit_many(
    estimator: Estimator,
    X: Rows,
    y: ArrayLike,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    candidates: Sequence[Candidate],
) -> list[Estimator]:
    """Fit any scikit-learn estimator once per candidate, sharing work where the estimator knows how.

    An estimator with a method `fit_many` (all of attop's) trains the candidates together. Any other is
    cloned and fitted once per distinct candidate. `top` is left out for an estimator that has no such
    parameter; `groups` reach those whose `fit` takes them.

    Parameters
    ----------
    estimator : estimator
        Never fitted itself.
    X, y, groups, sample_weight : array-like
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
    relevant = [{k: v for k, v in c.items() if k != "top" or takes_top} for c in candidates]
    distinct: list[Candidate] = []
    position = []
    for candidate in relevant:
        if candidate not in distinct:
            distinct.append(candidate)
        position.append(distinct.index(candidate))
    if hasattr(estimator, "fit_many"):
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        models = estimator.fit_many(X, y, groups, candidates=distinct, **weights)
    else:
        # Copies: an estimator from elsewhere may change what it is given.
        models = [
            fit(
                clone(estimator).set_params(**c),
                *deepcopy((X, y)),
                groups=groups,
                sample_weight=sample_weight,
            )
            for c in distinct
        ]
    return [models[i] for i in position]
