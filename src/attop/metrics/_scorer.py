"""Metrics as scorers of scikit-learn's model selection."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logit

from attop._core.sample import (
    Label,
    as_floats,
    positive_last,
    refuse_masked,
    warn_of_words,
)
from attop._core.top import Top
from attop._core.typing import Floats, TopLike
from attop.metrics._metric import Metric
from attop.metrics._registry import get_metric

#: What a scorer may be handed besides features and labels.
_METADATA = ("groups", "sample_weight")


@dataclass
class TopScorer:
    """Scorer ``scorer(estimator, X, y, groups=None, sample_weight=None)``; made by `make_top_scorer`."""

    metric: Metric
    top: Top | None
    pos_label: Label | None = None
    _requests: dict[str, bool | str | None] = field(
        default_factory=dict, repr=False
    )

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Score a fitted binary classifier on `X` with labels `y` of shape (n,), taken from `classes_`.

        Positive is `pos_label`, by default the last of `classes_`; of words a warning says which that is,
        unless the estimator has a `pos_label` of its own.

        With `groups` of shape (n,) it is the mean over the groups the metric is defined on; `sample_weight`
        of shape (n,) says what each item is worth, for the metrics that take it. Where lower is better, it is
        the negative of the metric, as scikit-learn's model selection takes the greatest.
        """
        classes = getattr(estimator, "classes_", None)
        if classes is None or len(classes) != 2:
            classes_text = (
                "no classes_"
                if classes is None
                else f"classes_ {np.asarray(classes).tolist()}"
            )
            raise ValueError(
                f"{self.metric.name} needs a classifier fitted on two classes, "
                f"got {type(estimator).__name__} with {classes_text}"
            )
        labels = np.asarray(y)
        unknown = np.setdiff1d(labels, classes)
        if len(unknown):
            raise ValueError(
                f"y holds {unknown[:5].tolist()}, but the classifier knows only {classes.tolist()}"
            )
        positive = self._positive(estimator, np.asarray(classes))
        if groups is None and self.metric.grouped:
            raise ValueError(
                f"{self.metric.name} is a mean over groups, but the scorer got no groups: call "
                "sklearn.set_config(enable_metadata_routing=True) and scorer.set_score_request(groups=True), "
                "and pass groups to the search (fit(X, y, groups=groups), or params={'groups': groups})"
            )
        scores = scores_of_label(estimator, X, positive)
        value = self.metric.group_mean(
            labels == positive, scores, self.top, groups, sample_weight
        )
        return value.value if self.metric.higher_is_better else -value.value

    def _positive(self, estimator: Any, classes: NDArray[Any]) -> Any:
        if self.pos_label is not None:
            return positive_last(classes, self.pos_label)[1]
        if not names_positive(estimator):
            warn_of_words(classes, stacklevel=3)
        return classes[1]

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Request groups or weights by scikit-learn's metadata routing.

        Parameters
        ----------
        groups, sample_weight : bool, str or None
            True to be handed what is given to the search by this name, False to be handed none, a string to
            be handed what is given under that name; None makes it an error to give it.

        Raises
        ------
        TypeError
            If something else is asked for.
        RuntimeError
            If metadata routing is not enabled, so that the request would be ignored.
        """
        from sklearn import get_config

        unknown = sorted(set(requests) - set(_METADATA))
        if unknown:
            raise TypeError(
                f"a scorer can ask for {' and '.join(_METADATA)}, got {', '.join(unknown)}"
            )
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "metadata routing is off, so the scorer would never get what it asks for: "
                "call sklearn.set_config(enable_metadata_routing=True) first"
            )
        self._requests = {**self._requests, **requests}
        return self

    def get_metadata_routing(self) -> Any:
        """Collect the requests made by `set_score_request`, for scikit-learn."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        for name in _METADATA:
            request.score.add_request(param=name, alias=self._requests.get(name))
        return request

    def _accept_sample_weight(self) -> bool:
        """Tell scikit-learn whether it may hand on the weights of `fit` where routing is not enabled."""
        return self.metric.weighted


def names_positive(estimator: Any) -> bool:
    """Test whether an estimator, or one inside it, has a parameter that names the positive label."""
    parameters = estimator.get_params() if hasattr(estimator, "get_params") else {}
    return any(
        path.rpartition("__")[2] == "pos_label" and value is not None
        for path, value in parameters.items()
    )


def scores_of(
    estimator: Any, X: Any, *, protect: bool = False, name: str = ""
) -> Floats:
    """Score rows by a fitted binary classifier: `decision_function`, or the positive's probability.

    Parameters
    ----------
    estimator : fitted classifier
    X : array, frame or sparse matrix of n rows
    protect : bool
        Hand a copy of `X` to an estimator from elsewhere, which may change what it is given.
    name : str
        What errors call the estimator; by default its class.

    Returns
    -------
    scores : ndarray of shape (n,)
        Finite.

    Raises
    ------
    TypeError
        If it has neither method, or its scores are not real numbers.
    ValueError
        If there is not one score per row, or scores would be tied as floats.
    FloatingPointError
        If scores are NaN or infinite.
    """
    refuse_masked(X, "X")
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    if protect and not hasattr(estimator, "fit_many"):
        X = deepcopy(X)
    who = name or type(estimator).__name__
    if hasattr(estimator, "decision_function"):
        return check_scores_of(estimator.decision_function(X), n, who)
    if hasattr(estimator, "predict_proba"):
        return check_scores_of(np.asarray(estimator.predict_proba(X))[:, 1], n, who)
    raise TypeError(
        f"{who} gives no scores: a ranking needs decision_function or predict_proba"
    )


def scores_of_label(estimator: Any, X: Any, pos_label: Label | None) -> Floats:
    """Score rows by a fitted binary classifier, the higher the more likely `pos_label`.

    By default that is the last of its ``classes_``. A ValueError where it is neither of them.
    """
    scores = scores_of(estimator, X)
    classes = getattr(estimator, "classes_", None)
    if pos_label is None or classes is None:
        return scores
    _, positive = positive_last(np.asarray(classes), pos_label)
    return -scores if positive == classes[0] else scores


def check_scores_of(scores: ArrayLike, n: int, who: str) -> Floats:
    """Convert the scores of a model to floats; parameters and errors are those of `scores_of`."""
    values = np.asarray(scores)
    if values.dtype.kind not in "biuf":
        raise TypeError(
            f"{who} returned scores of dtype {values.dtype}, such as {values.ravel()[:1]}: "
            "real numbers are needed"
        )
    if values.shape != (n,):
        raise ValueError(
            f"{who} returned scores of shape {values.shape} for {n} items: one number per item is needed"
        )
    try:
        values = as_floats(values)
    except ValueError as error:
        raise ValueError(f"{who}: {error}") from None
    if not np.isfinite(values).all():
        raise FloatingPointError(
            f"{who} returned {int((~np.isfinite(values)).sum())} scores that are NaN or infinite: scale its "
            "features, or leave it out"
        )
    return values


def log_odds(p: Floats, least: float, most: float) -> Floats:
    """Convert probabilities of both classes, of shape (n, 2), to clipped log-odds of the same order.

    Beyond the log-odds of `least` and `most` they go on by less than a thousandth: samples are too small to
    tell how much surer such rows are, but clipped rows would be tied, and the top would be drawn among them.
    """
    with np.errstate(divide="ignore"):
        # Not 1 - p, which rounds.
        z = np.subtract(*np.log(np.maximum(p, 0.0)).T[::-1])
    inside = np.clip(z, logit(least), logit(most))
    beyond = np.abs(z - inside)
    return inside + np.sign(z) * 1e-3 * (1 - 1 / (1 + beyond))


def make_top_scorer(
    metric: str | Metric,
    top: TopLike | None = None,
    *,
    pos_label: Label | None = None,
) -> TopScorer:
    """Make a scorer for ``GridSearchCV``, ``cross_val_score`` and the like.

    It ranks by ``decision_function``, or else by the probability of ``classes_[1]``, in reverse if the other
    class is the positive one. Where the metric is undefined, the scorer raises `UndefinedMetricError`, which
    scikit-learn turns into its `error_score`.

    All test items form one list, unless the scorer is handed groups (users, queries) by scikit-learn's
    metadata routing; then the value is the mean over the groups. A metric that is by definition a mean over
    groups, such as ``"micro-pap@k"``, is an error without them.

    Parameters
    ----------
    metric : str or Metric
        Such as ``"precision@k"``, see `METRICS`.
    top : Top, int or mapping, optional
        How much of the top, for metrics that need it. It is resolved on each test fold (in each group): of
        the k you will look at in production give the length of that list too, ``{"k": 100, "of": 30000}``,
        and the fold is cut at the same share.
    pos_label : str, int, float or bool, optional
        The label of the positive class; by default the last of the classifier's ``classes_``.

    Returns
    -------
    TopScorer
        Where lower is better, such as for ranks, its value is the metric's negative.

    Raises
    ------
    ValueError
        If the metric is unknown, or `top` malformed.
    TypeError
        If the metric needs a top and there is none.

    Examples
    --------
    >>> make_top_scorer("precision@k", {"k": 100, "of": 30000}, pos_label="fraud")
    TopScorer(metric=Metric(precision@k), top=Top(k=100, out_of=30000), pos_label='fraud')

    With groups, by metadata routing:

    >>> import numpy as np, sklearn
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV, GroupKFold
    >>> rng = np.random.default_rng(0)
    >>> X, users = rng.normal(size=(400, 3)), np.repeat(np.arange(20), 20)
    >>> y = X[:, 0] + rng.normal(size=400) > 1
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     scorer = make_top_scorer("micro-pap@k", 3).set_score_request(groups=True)
    ...     search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, scoring=scorer, cv=GroupKFold(4))
    ...     search = search.fit(X, y, groups=users)
    >>> search.best_params_
    {'C': 1}
    """
    definition = get_metric(metric)
    if definition.needs_top and top is None:
        raise TypeError(
            f"{definition.name} is a metric of the top: give top, for example {{'tau': 0.05}}"
        )
    return TopScorer(definition, None if top is None else Top.of(top), pos_label)
