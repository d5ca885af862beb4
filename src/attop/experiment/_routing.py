"""Metadata routing: hand groups, entities and weights to every estimator and splitter that takes them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import has_fit_parameter

from attop.experiment._own_splits import WHOLE, keep_whole, last_step

#: Rows that an estimator takes: an array, a sparse matrix, a frame, a list of texts.
Rows = Any
E = TypeVar("E", bound="Estimator")


class Estimator(Protocol):
    """Interface of scikit-learn's estimators."""

    fit: Callable[..., Self]

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Collect the parameters, those of nested estimators as ``name__parameter``."""

    def set_params(self, **params: object) -> Self:
        """Set parameters."""


def takes(estimator: Any, name: str) -> bool:
    """True if `fit` takes a value for each row, itself, by its last step, or by an estimator inside it.

    A TypeError where an estimator inside it takes one, but is not handed any.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `fit` warns
        return name in _asking(estimator, [name], 0)[1].values()


def _asking(
    estimator: E, names: Iterable[str], n: int
) -> tuple[E, dict[str, str], bool]:
    """Clone a model and request row values for it; return also their keywords, and whether routing is needed.

    Routing is for estimators around others, such as searches, stacks and threshold tuners. Of a pipeline the
    last step is asked, of all others those that predict; what the user has set by ``set_fit_request`` stays.
    Splitters inside are asked to keep groups, or entities, whole.
    """
    model = clone(estimator)
    last, prefix = last_step(model)
    params: dict[str, Any] = getattr(last, "get_params", dict)()
    inner = [v for v in params.values() if _is_estimator(v)]
    routed = bool(inner) and _is_router(last) and _is_router(model)
    if whole := next((name for name in names if name in WHOLE), None):
        routed |= keep_whole(model, whole, n)
    if routed:
        keywords = _route(model, names)
        unmet = _unmet_by_a_stack(last, keywords.values())
    else:
        keywords = {prefix + n: n for n in names if has_fit_parameter(last, n)}
        unmet = []
    lost = [
        (n, v)
        for v in inner
        for n in names
        if n not in keywords.values() and _wants(v, n)
    ]
    for name, inside in (*lost, *unmet):
        raise TypeError(
            f"{type(last).__name__} cannot hand {name} to the {type(inside).__name__} inside it: leave it "
            "out, or use estimators that take it by scikit-learn's metadata routing"
        )
    return model, keywords, routed


def _is_estimator(value: object) -> bool:
    return hasattr(value, "fit") and not isinstance(value, type)


def _is_router(estimator: Any) -> bool:
    try:
        return isinstance(estimator.get_metadata_routing(), MetadataRouter)
    # Some estimators of scikit-learn have no routing.
    except (AttributeError, NotImplementedError):
        return False


def _wants(estimator: Any, name: str) -> bool:
    return (
        has_fit_parameter(estimator, name)
        and _request(estimator, "fit", name) is not False
    )


def _route(model: Any, names: Iterable[str]) -> dict[str, str]:
    """Set the requests of all estimators and scorers in a model; return what it then takes, by keyword."""
    asked = dict.fromkeys(names, True)
    if "entity" in asked:
        # Of models and scorers; of splitters they are the entities.
        asked["groups"] = False
    with config_context(enable_metadata_routing=True):
        params = model.get_params()
        for owner in filter(_is_estimator, [model, *params.values()]):
            _ask(owner, asked)
        for path, scoring in params.items():
            if path.rpartition("__")[2] == "scoring":
                model.set_params(**{path: _asking_scorers(scoring, asked)})
        taken = model.get_metadata_routing().consumes("fit", asked)
        return {name: name if asked[name] else "entity" for name in taken}


def _asking_scorers(scoring: Any, asked: Mapping[str, bool]) -> Any:
    """Look up the scorer, or scorers by name, of a parameter `scoring`, and set their requests."""
    if isinstance(scoring, (list, tuple, set)):
        scoring = {name: name for name in scoring}
    named = scoring if isinstance(scoring, dict) else {"": scoring}
    # "warn", a default of scikit-learn's, does not name a scorer.
    scorer_names = get_scorer_names()
    scorers = {
        n: get_scorer(s) if isinstance(s, str) and s in scorer_names else s
        for n, s in named.items()
    }
    for scorer in scorers.values():
        _ask(scorer, asked)
    return scorers.get("", scorers)


def _unmet_by_a_stack(last: Any, keywords: Iterable[str]) -> list[tuple[str, Any]]:
    """Find values that the final estimator of a stack refuses, though the stack hands it all there are."""
    if not isinstance(last, StackingClassifier):
        return []
    final = (
        LogisticRegression()
        if last.final_estimator is None
        else last.final_estimator
    )
    return [(name, final) for name in keywords if not takes(final, name)]


def _request(owner: Any, method: str, name: str) -> object:
    """Read the request of an estimator or scorer, None if that is open; empty if it cannot be asked."""
    request = getattr(
        owner, "_get_metadata_request", getattr(owner, "get_metadata_routing", None)
    )
    if request is None:
        return ""
    try:
        return getattr(request(), method).requests.get(name, "")
    # RFECV of scikit-learn declares that it ignores a value which it never took.
    except ValueError:
        return ""


def _ask(owner: Any, asked: Mapping[str, bool]) -> None:
    """Set the requests of an estimator or scorer that the user has left open."""
    predicts = hasattr(owner, "predict") or not hasattr(owner, "transform")
    for name, wanted in asked.items():
        if _request(owner, "fit", name) is None:
            owner.set_fit_request(**{name: wanted and predicts})
        accepts = getattr(owner, "_accept_sample_weight", None)
        if _request(owner, "score", name) is None:
            takes_it = name != "sample_weight" or accepts is None or accepts()
            owner.set_score_request(**{name: wanted and takes_it})
        elif (
            _request(owner, "score", name) == ""
            and name == "sample_weight"
            and accepts
            and accepts()
        ):
            owner.set_score_request(sample_weight=True)


def fit(estimator: E, X: Rows, y: ArrayLike, **values: ArrayLike | None) -> E:
    """Fit a clone with those `values` of rows that its `fit` takes, and return the clone.

    They are groups, entity and sample_weight.
    """
    arguments = {name: value for name, value in values.items() if value is not None}
    model, keywords, routed = _asking(estimator, arguments, np.shape(y)[0])
    # Routing or not, whatever the caller's configuration: `_asking` settles who gets what.
    with warnings.catch_warnings(), config_context(enable_metadata_routing=routed):
        # See `Learner.seeded`.
        warnings.filterwarnings("ignore", "'n_jobs' has no effect", FutureWarning)
        model.fit(
            X, y, **{keyword: arguments[name] for keyword, name in keywords.items()}
        )
    return model
