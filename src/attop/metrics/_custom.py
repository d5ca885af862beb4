"""Custom metrics: functions and objects from outside attop, made known by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attop._core.dotted import object_at
from attop._core.sample import lists_of
from attop._core.typing import Floats, Ints
from attop.metrics._metric import Metric, Need
from attop.metrics._registry import get_metric, is_known

#: What a list may be said to need, in the order in which the lack is reported.
NEEDS = {"k": Need.K_ITEMS, "positive": Need.POSITIVE, "negative": Need.NEGATIVE}
#: Needs of a metric that declares none: both classes, as most metrics of scikit-learn have it.
USUAL = ("positive", "negative")


@dataclass(frozen=True, repr=False)
class FunctionMetric(Metric):
    """A metric whose `kernel` is a plain function of one list.

    It is called as ``kernel(y_true, y_score)``, or ``kernel(y_true, y_score, k)`` if `needs_top`, with labels
    0 and 1 and scores of shape (n,), once for each group that has what is needed, and returns a number. It is
    an error (ValueError) that it raises, or returns anything but a finite number within `bounds`.
    """

    def _per_group(
        self,
        labels: Ints,
        scores: Floats,
        codes: Ints | None,
        k: Ints,
        weights: Floats | None,
        **options: object,
    ) -> Floats:
        lists = [np.arange(len(labels))] if codes is None else lists_of(codes)
        return np.array(
            [
                self._one(labels[p], scores[p], int(top))
                for p, top in zip(lists, k, strict=True)
            ]
        )

    def _one(self, labels: Ints, scores: Floats, k: int) -> float:
        where = (
            f"metric {self.name!r} on {len(labels)} items, {labels.sum()} positive"
        )
        try:
            result = (
                self.kernel(labels, scores, k)
                if self.needs_top
                else self.kernel(labels, scores)
            )
        except Exception as error:
            raise ValueError(
                f"{where}, raised {type(error).__name__}: {error}"
            ) from error
        try:
            value = float(result)
        except (TypeError, ValueError):
            raise ValueError(
                f"{where}, returned {result!r}: a number is needed"
            ) from None
        low, high = self.bounds
        if not np.isfinite(value):
            raise ValueError(
                f"{where}, returned {value}: a finite number is needed; if it is undefined without a class "
                f"or with too few items, say so by needs (any of {', '.join(NEEDS)})"
            )
        if not low <= value <= high:
            raise ValueError(
                f"{where}, returned {value!r}, outside its bounds [{low}, {high}]"
            )
        return value


def custom_metric(
    name: str,
    path: str | Callable[..., float],
    *,
    title: str = "",
    higher_is_better: bool | None = None,
    bounds: Sequence[float | None] | None = None,
    needs: Sequence[str] | None = None,
) -> Metric:
    """Make a metric of a function, or find the one at a dotted path.

    Parameters
    ----------
    name : str
        What it is to be called.
    path : str or callable
        A function ``f(y_true, y_score)`` that returns a number, or the dotted path of one, or of a `Metric`.
    title : str
        Name in tables and figures; that of the `Metric`, or `name`.
    higher_is_better : bool, optional
        Of a function: by default true.
    bounds : (float or None, float or None), optional
        Least and greatest value of a function; None where there is none.
    needs : sequence of {"k", "positive", "negative"}, optional
        What a list must have for a function to be called; by default a positive and a negative. With
        ``"k"`` it is called as ``f(y_true, y_score, k)``, for k of at most as many items as there are.

    Raises
    ------
    ValueError
        If there is no such object, it is neither of the two, what is said of it does not fit, or its name is
        that of one of attop's.

    Examples
    --------
    >>> brier = custom_metric("brier", "sklearn.metrics.brier_score_loss", higher_is_better=False)
    >>> brier.evaluate([1, 0], [0.75, 0.5]).value
    0.15625
    """
    if is_known(name):
        raise ValueError(
            f"{name!r} is already the name of one of attop's metrics: choose another"
        )
    function: Any
    function, path = (
        (object_at(path), path) if isinstance(path, str) else (path, name)
    )
    declared = {
        "higher_is_better": higher_is_better,
        "bounds": bounds,
        "needs": needs,
    }
    if isinstance(function, Metric):
        repeated_keys = [
            key for key, value in declared.items() if value is not None
        ]
        if repeated_keys:
            raise ValueError(
                f"{path} is a Metric, which defines {', '.join(repeated_keys)} itself: leave that out"
            )
        return replace(function, name=name, title=title or function.title)
    if not callable(function) or isinstance(function, type):
        raise ValueError(
            f"{path} is {function!r}: a Metric or a function f(y_true, y_score) is needed"
        )
    needed = USUAL if needs is None else tuple(needs)
    unknown = [need for need in needed if need not in NEEDS]
    if unknown:
        raise ValueError(f"unknown need {unknown[0]!r}; known: {', '.join(NEEDS)}")
    _check_signature(path, function, "k" in needed)
    low, high = (None, None) if bounds is None else bounds
    limits = (
        -np.inf if low is None else float(low),
        np.inf if high is None else float(high),
    )
    if not limits[0] < limits[1]:
        raise ValueError(
            f"bounds must be the least and the greatest value, got {list(limits)}"
        )
    return FunctionMetric(
        name=name,
        title=title or name,
        definition=_first_line(function) or f"The function {path}.",
        bounds=limits,
        ties=f"as {path} has it",
        edge_cases="Undefined without "
        + " and ".join(_LACKS[n] for n in NEEDS if n in needed)
        + "."
        if needed
        else "Always defined.",
        needs=tuple(need for word, need in NEEDS.items() if word in needed),
        kernel=function,
        needs_top="k" in needed,
        higher_is_better=higher_is_better is not False,
    )


#: How scikit-learn ends the names of functions that are better the lower they are.
_LOWER = ("_loss", "_error", "_deviance")


def as_metric(metric: str | Metric | Callable[..., float]) -> Metric:
    """Convert to a metric: a name, a dotted path, a function, or a `Metric`, which is returned as it is.

    A function whose third parameter is called k is called with it.

    Raises
    ------
    ValueError
        If there is none, or by its name a function is better the lower it is.
    TypeError
        If it is none of these.
    """
    if isinstance(metric, Metric):
        return metric
    if isinstance(metric, str) and (is_known(metric) or "." not in metric):
        return get_metric(metric)
    function = object_at(metric) if isinstance(metric, str) else metric
    declared = getattr(function, "metric", function)
    if isinstance(declared, Metric):
        return declared
    if not callable(function) or isinstance(function, type):
        raise TypeError(
            f"metric must be a name, a Metric or a function f(y_true, y_score), got {metric!r}"
        )
    name = getattr(function, "__name__", type(function).__name__)
    if name.endswith(_LOWER):
        raise ValueError(
            f"{name} is better the lower it is, by its name: say so by\n"
            f"    metric=custom_metric({name!r}, {name}, higher_is_better=False)"
        )
    return custom_metric(
        name, function, needs=("k", *USUAL) if _takes_k(function) else None
    )


def _takes_k(function: Callable[..., Any]) -> bool:
    try:
        return list(inspect.signature(function).parameters)[2:3] == ["k"]
    except (TypeError, ValueError):  # some compiled functions have no signature
        return False


def find_metric(name: str, declarations: Mapping[str, Mapping[str, Any]]) -> Metric:
    """Find the metric called `name`; if it is among the `declarations`, make it by `custom_metric`."""
    return (
        custom_metric(name, **declarations[name])
        if name in declarations
        else get_metric(name)
    )


_LACKS = {"k": "k items", "positive": "a positive", "negative": "a negative"}


def _check_signature(path: str, function: Callable[..., Any], with_k: bool) -> None:
    arguments = ("y_true", "y_score", "k")[: 3 if with_k else 2]
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some compiled functions have no signature
        return
    try:
        signature.bind(*arguments)
    except TypeError as error:
        remedy = "" if with_k else "; one that takes k needs `needs: [k]`"
        raise ValueError(
            f"{path}{signature} cannot be called as f({', '.join(arguments)}): {error}{remedy}"
        ) from None


def _first_line(function: Any) -> str:
    text = inspect.getdoc(function) if inspect.isroutine(function) else ""
    return text.strip().split("\n")[0] if text else ""
