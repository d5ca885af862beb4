"""Metadata routing: hand groups and weights to every estimator, pipeline, search or stack that takes them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any, Protocol, Self, TypeVar

from numpy.typing import ArrayLike
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import has_fit_parameter

#: Rows that an estimator takes: an array, a sparse matrix, a frame, a list of texts.
Rows = Any
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


def takes(estimator: Any, name: str) -> bool:
    """True if `fit` takes a value for each row, itself, by its last step, or by an estimator inside it.

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
    """Return the last step of a pipeline, or the model itself, and the prefix of its keywords."""
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
    """Return values that the last estimator of a stack refuses: a stack hands it all there are."""
    if not isinstance(last, StackingClassifier):
        return []
    final = LogisticRegression() if last.final_estimator is None else last.final_estimator
    return [(name, final) for name in keywords if not takes(final, name)]


def _request(owner: Any, method: str, name: str) -> object:
    """Return the request of an estimator or scorer, None if that is open; empty if it cannot be asked."""
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
