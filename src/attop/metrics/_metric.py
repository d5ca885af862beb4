"""Metrics of ranked lists: declaration, requirements, values over groups."""

from __future__ import annotations

import functools
import inspect
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Literal, NamedTuple, Protocol, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from attop._core.sample import (
    Label,
    check_groups,
    check_labels,
    check_scores,
    check_weights,
    resolve_each,
)
from attop._core.top import Top
from attop._core.typing import Bools, Floats, Ints, TopLike
from attop.metrics._ranking import Ranking

Kernel = Callable[..., Floats]
Ties = Literal["expected", "error", "half"]

#: How most metrics treat equal scores.
EXPECTED = "exact expectation over a uniformly random order of tied items"


class UndefinedMetricError(ValueError):
    """Error of a metric that has no value on a sample.

    Attributes
    ----------
    reason : str
        ``"no positive"``, ``"no negative"``, ``"k > n"`` or ``"fewer than k negatives"``; of grouped data
        ``"no eligible group"`` with the reasons of the groups counted.
    n_groups : int
        Groups of the sample; an ungrouped one is one.
    """

    def __init__(self, reason: str, message: str, n_groups: int = 1):
        super().__init__(message)
        self.reason = reason
        self.n_groups = n_groups

    def __reduce__(self) -> tuple[type[UndefinedMetricError], tuple[str, str, int]]:
        return type(self), (self.reason, str(self), self.n_groups)


class Need(Enum):
    """Requirement of a metric on a list; the value is the reason where it is not met."""

    K_ITEMS = "k > n"
    POSITIVE = "no positive"
    NEGATIVE = "no negative"
    K_NEGATIVES = "fewer than k negatives"

    def met(self, n: Ints, n_pos: Ints, k: Ints) -> Bools:
        """Tell for each list whether it meets the need."""
        if self is Need.K_ITEMS:
            return k <= n
        if self is Need.POSITIVE:
            return n_pos > 0
        if self is Need.NEGATIVE:
            return n_pos < n
        return k <= n - n_pos


_REMEDY = {
    Need.K_ITEMS: "lower k or give a fraction of the items (tau)",
    Need.POSITIVE: "evaluate on a sample with a positive, for example by stratified splits",
    Need.NEGATIVE: "evaluate on a sample with a negative, for example by stratified splits",
    Need.K_NEGATIVES: "lower k or add negatives",
}


class MetricValue(NamedTuple):
    """Value of a metric on a sample.

    Attributes
    ----------
    value : float
        Mean over the eligible groups (an ungrouped sample is one group); NaN when there is none.
    n_groups : int
        Groups the value is the mean of.
    n_left_out : int
        Groups left out because the metric is undefined on them.
    reason : str or None
        Why the value is NaN; None when it is not.
    """

    value: float
    n_groups: int
    n_left_out: int
    reason: str | None = None


@dataclass(frozen=True, repr=False)
class Metric:
    """A metric of a ranked list; `metric` declares one.

    Attributes
    ----------
    name : str
        Name in configurations, such as ``"precision@k"``.
    title : str
        Name in tables and figures.
    definition : str
        One sentence.
    kernel : callable
        ``kernel(ranking, k, **options)`` gives the value of each group, shape (n_groups,), for groups that
        have what is needed; `k` has shape (n_groups,) and is the group's size for a metric without a top.
    edge_cases : str
        Where it is undefined, and values that may surprise.
    needs : tuple of Need
        What a list must have, in the order in which the lack is reported.
    bounds : (float, float)
        Least and greatest value; infinity where it grows with the list.
    ties : str
        How equal scores count.
    needs_top : bool
        Whether it is a metric of the top `k`.
    grouped : bool
        Whether it is by definition a mean over groups. The others become one on grouped data.
    higher_is_better : bool
    weighted : bool
        Whether items may have weights, and `kernel` uses `Ranking.gain` and `Ranking.loss`.
    parameter : (str, float), optional
        A number that is part of the definition, by the name under which `kernel` takes it; see `Family`.
    """

    name: str
    title: str
    definition: str
    kernel: Kernel
    edge_cases: str
    needs: tuple[Need, ...] = ()
    bounds: tuple[float, float] = (0.0, 1.0)
    ties: str = EXPECTED
    needs_top: bool = False
    grouped: bool = False
    higher_is_better: bool = True
    weighted: bool = False
    parameter: tuple[str, float] | None = None

    def __repr__(self) -> str:
        return f"Metric({self.name})"

    def __getstate__(self) -> dict[str, object]:
        # Pickled by the public function, whose name its kernel has too.
        return {
            **self.__dict__,
            "kernel": getattr(self.kernel, "public", self.kernel),
        }

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(
            state, kernel=getattr(state["kernel"], "kernel", state["kernel"])
        )

    def evaluate(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        top: TopLike | None = None,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
    ) -> MetricValue:
        """Value on a sample, or NaN and the reason where it is undefined.

        On grouped data the value is the mean over the eligible groups of the group's value, with `top`
        resolved in each group; this holds for every metric.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Booleans, 0/1 or -1/+1, of which the larger is positive; with `pos_label` any two labels.
        y_score : array-like of shape (n,)
            The higher, the nearer the top.
        top : Top, int or mapping, optional
            How much of the top counts; needed by metrics with `needs_top`, not used by the others.
        groups : array-like of shape (n,), optional
            Group (user, query) of each item.
        sample_weight : array-like of shape (n,), optional
            What each item is worth, at least 0, for metrics that are `weighted`.
        pos_label : str, int, float or bool, optional
            The label of the positive class.

        Raises
        ------
        ValueError
            If labels, scores, groups or weights are malformed (wrong length, NaN or infinite scores, no
            item), or there are weights and the metric is not `weighted`.
        TypeError
            If the metric needs a top and there is none.
        """
        try:
            return self.group_mean(
                y_true, y_score, top, groups, sample_weight, pos_label
            )
        except UndefinedMetricError as error:
            return MetricValue(float("nan"), 0, error.n_groups, error.reason)

    def value(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        top: TopLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
        **options: object,
    ) -> float:
        """Compute the value on one list, see `group_mean`; `options` are the kernel's, such as `ties`."""
        return self.group_mean(
            y_true, y_score, top, None, sample_weight, pos_label, **options
        ).value

    def group_mean(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        top: TopLike | None,
        groups: ArrayLike | None,
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
        **options: object,
    ) -> MetricValue:
        """Compute the value as `evaluate` does, but raise `UndefinedMetricError` where it is undefined."""
        labels = check_labels(y_true, pos_label)
        values = check_scores(y_score, len(labels))
        codes = None if groups is None else check_groups(groups, len(labels))
        weights = self._check_weights(sample_weight, len(labels))
        if codes is None:
            n = np.array([len(labels)])
            n_pos = np.array([labels.sum()])
        else:
            n = np.bincount(codes)
            n_pos = np.bincount(codes[labels == 1], minlength=len(n))
        k = self._resolve(top, n, n_pos)
        met = [need.met(n, n_pos, k) for need in self.needs]
        if weights is not None:
            met = [
                has & self._weigh(need, labels, weights, codes, len(n))
                for has, need in zip(met, self.needs, strict=True)
            ]
        eligible = (
            np.logical_and.reduce(met) if met else np.ones(len(n), dtype=bool)
        )
        n_eligible = int(eligible.sum())
        if n_eligible == 0:
            raise self._undefined(met, n, n_pos, top, groups is not None)
        if codes is not None and n_eligible < len(n):
            keep = eligible[codes]
            codes = (np.cumsum(eligible) - 1)[codes[keep]]
            labels = labels[keep]
            values = values[keep]
            k = k[eligible]
            weights = None if weights is None else weights[keep]
        per_group = self._per_group(labels, values, codes, k, weights, **options)
        return MetricValue(float(per_group.mean()), n_eligible, len(n) - n_eligible)

    def _per_group(
        self,
        labels: Ints,
        scores: Floats,
        codes: Ints | None,
        k: Ints,
        weights: Floats | None,
        **options: object,
    ) -> Floats:
        """Value of each group, shape (n_groups,), of groups that have what is needed."""
        if options.get("ties", "expected") not in ("expected", "error", "half"):
            raise ValueError(
                f"ties must be 'expected', 'error' or 'half', got {options['ties']!r}"
            )
        if self.parameter is not None:
            options = {**options, self.parameter[0]: self.parameter[1]}
        one = codes is None and weights is None
        ranking = (
            Ranking.of_list(labels, scores)
            if one
            else Ranking.of(labels, scores, codes, weights)
        )
        return self.kernel(ranking, k, **options)

    def _check_weights(
        self, sample_weight: ArrayLike | None, n: int
    ) -> Floats | None:
        if sample_weight is None:
            return None
        if not self.weighted:
            raise ValueError(
                f"{self.name} takes no sample_weight: it counts items, and its mean over the orders of tied "
                "items has no closed form with weights. For the value captured by the top use recall@k, "
                "lift@k or dcg@k, which take weights, as does auc"
            )
        return check_weights(sample_weight, n)

    @staticmethod
    def _weigh(
        need: Need, labels: Ints, weights: Floats, codes: Ints | None, n_groups: int
    ) -> Bools:
        """Tell for each list whether the items of the class that is needed have any weight."""
        if need not in (Need.POSITIVE, Need.NEGATIVE):
            return np.ones(n_groups, dtype=bool)
        selected = weights * (labels == (need is Need.POSITIVE))
        return (
            np.bincount(
                np.zeros_like(labels) if codes is None else codes,
                selected,
                n_groups,
            )
            > 0
        )

    def _resolve(self, top: TopLike | None, n: Ints, n_pos: Ints) -> Ints:
        """Items at the top of each group; one more than the group has where the top asks for too many."""
        if not self.needs_top:
            return n
        if top is None:
            raise TypeError(
                f"{self.name} is a metric of the top: give top, for example 10 or Top(tau=0.05)"
            )
        top = Top.of(top)
        if not top.depends_on_sample:
            return np.full(len(n), top.k)
        k = resolve_each(top, n_pos, n - n_pos)
        return np.where(k > 0, k, n + 1)

    def _undefined(
        self,
        met: list[Bools],
        n: Ints,
        n_pos: Ints,
        top: TopLike | None,
        grouped: bool,
    ) -> UndefinedMetricError:
        lacking = [self.needs[i] for i in np.argmin(met, axis=0)]
        where = f"{Top.of(top)}, " if self.needs_top and top is not None else ""
        if grouped:
            counts = Counter(lacking).most_common()
            reason = "no eligible group: " + ", ".join(
                f"{need.value} ({count})" for need, count in counts
            )
            message = (
                f"{self.name} is undefined on each of the {len(n)} groups, with {where}{reason}: "
                f"{_REMEDY[counts[0][0]]}"
            )
        else:
            reason = lacking[0].value
            message = (
                f"{self.name} is undefined: {reason}, with {where}"
                f"{n[0]} items, {n_pos[0]} positive and {n[0] - n_pos[0]} negative: {_REMEDY[lacking[0]]}"
            )
        return UndefinedMetricError(reason, message, len(n))


@dataclass(frozen=True)
class Family:
    """Metrics that differ in one number, part of their name, such as ``"bedroc-20"``.

    Attributes
    ----------
    template : Metric
        With ``{}`` in place of the number in `name`, `title` and `definition`.
    parameter : str
        Name of the number, in `kernel` too.
    range : str
        The numbers there may be, in words.
    allowed : callable
        Whether a number is one of them.
    """

    template: Metric
    parameter: str
    range: str
    allowed: Callable[[float], bool]

    def at(self, number: float) -> Metric:
        """Make the metric of a number; refuse one out of range."""
        number = float(number)
        it = self.template
        if not self.allowed(number):
            raise ValueError(
                f"{self.parameter} must be {self.range}, got {number!r}, in {it.name.format(number)!r}"
            )
        name, title, definition = (
            text.format(f"{number:.12g}")
            for text in (it.name, it.title, it.definition)
        )
        return replace(
            it,
            name=name,
            title=title,
            definition=definition,
            parameter=(self.parameter, number),
        )

    def read(self, name: str) -> Metric | None:
        """Read the metric of this name; None if it does not belong to the family."""
        before, after = map(re.escape, self.template.name.split("{}"))
        match = re.fullmatch(rf"{before}(\d+(?:\.\d+)?){after}", name)
        return None if match is None else self.at(float(match[1]))


class MetricFunction(Protocol):
    """Public function of a metric, and the metric of the whole list where that is another."""

    metric: Metric
    whole: Metric

    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        top: TopLike | None = None,
        *,
        ties: Ties = "expected",
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
    ) -> float:
        """Value on one list."""


class FamilyFunction(Protocol):
    """Public function of a `family` of metrics."""

    family: Family

    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *arguments: TopLike,
        **number: float,
    ) -> float:
        """Value on one list."""


class _Fields(TypedDict, total=False):
    bounds: tuple[float, float]
    ties: str
    needs_top: bool
    higher_is_better: bool
    weighted: bool


def metric(
    name: str,
    title: str,
    edge_cases: str,
    needs: tuple[Need, ...] = (),
    whole: tuple[str, str] | None = None,
    **fields: Unpack[_Fields],
) -> Callable[[Kernel], MetricFunction]:
    """Declare a metric by its kernel, which becomes the public function.

    The first paragraph of the kernel's docstring is the definition. The function takes ``y_true, y_score``
    and those of ``top, ties, sample_weight`` that the metric has; they are documented here, once for all.

    Parameters
    ----------
    name, title, edge_cases, needs, **fields
        See `Metric`.
    whole : (str, str), optional
        Definition and edge cases of the metric of the whole list, which is computed where no top is given.
    """

    def declare(kernel: Kernel) -> MetricFunction:
        of_top = of_list = Metric(
            name=name,
            title=title,
            definition=_definition(kernel),
            kernel=kernel,
            edge_cases=edge_cases,
            needs=needs,
            **fields,
        )
        if whole is not None:
            of_list = replace(
                of_top,
                name=name.removesuffix("@k"),
                title=title.removesuffix("@k"),
                definition=whole[0],
                edge_cases=whole[1],
                needs=tuple(need for need in needs if need is not Need.K_ITEMS),
                needs_top=False,
            )
        function = _public(
            of_top,
            lambda top: of_list if top is None else of_top,
            optional=whole is not None,
        )
        function.metric, function.whole = of_top, of_list
        return function

    return declare


def family(
    name: str,
    title: str,
    edge_cases: str,
    needs: tuple[Need, ...],
    numbers: tuple[str, Callable[[float], bool]],
    **fields: Unpack[_Fields],
) -> Callable[[Kernel], FamilyFunction]:
    """Declare a `Family` by its kernel, whose third argument is the number; else as `metric`.

    `numbers` are those allowed, in words and as a condition.
    """

    def declare(kernel: Kernel) -> FamilyFunction:
        template = Metric(
            name=name,
            title=title,
            definition=_definition(kernel),
            kernel=kernel,
            edge_cases=edge_cases,
            needs=needs,
            **fields,
        )
        number = list(inspect.signature(kernel).parameters.values())[2]
        declared = Family(template, number.name, *numbers)
        function = _public(template, lambda top, value: declared.at(value), number)
        function.family = declared
        return function

    return declare


#: What a docstring says of the arguments that metrics share, those of a `MetricFunction`.
_ARGUMENTS = {
    "y_true": """array-like of shape (n,)
    Booleans, 0/1 or -1/+1, of which the larger is positive; with `pos_label` any two labels.""",
    "y_score": "array-like of shape (n,)\n    Finite; the higher, the nearer the top.",
    "top": """Top, int or mapping
    How much of the top: ``10`` and ``{"k": 10}`` are items, ``{"tau": 0.05}`` a share of the items,
    ``{"kappa": 0.25}`` one of the positives.""",
    "ties": """{"expected", "error", "half"}
    ``"expected"``: exact expectation over a uniformly random order of tied items, which also decides
    which of them are selected. ``"error"``: a tied pair is misranked, as in the papers. ``"half"``: it
    counts one half.""",
    "sample_weight": """array-like of shape (n,), optional
    What each item is worth, at least 0, such as an amount.""",
    "pos_label": """str, int, float or bool, optional
    The label of the positive class.""",
}


def _definition(kernel: Kernel) -> str:
    return " ".join((inspect.getdoc(kernel) or "").split("\n\n")[0].split())


def _public(
    declared: Metric,
    choose: Callable[..., Metric],
    number: inspect.Parameter | None = None,
    optional: bool = False,
) -> Any:
    """Make the public function of a metric, which `choose` returns for a top and a number."""
    kernel = declared.kernel
    has = {
        "top": declared.needs_top,
        "ties": "ties" in inspect.signature(kernel).parameters,
        "sample_weight": declared.weighted,
    }
    shared = [name for name in _ARGUMENTS if has.get(name, True)]
    of_all = inspect.signature(MetricFunction.__call__).parameters
    parameters = [of_all[name] for name in shared]
    if declared.needs_top and not optional:
        parameters[2] = of_all["top"].replace(
            default=inspect.Parameter.empty, annotation="TopLike"
        )
    if number is not None:
        parameters.insert(2 + declared.needs_top, number)
    signature = inspect.Signature(parameters, return_annotation="float")

    def function(*args: Any, **named: Any) -> float:
        # Weights that the metric has no use for are refused in words, by `Metric.value`.
        refused = (
            {}
            if declared.weighted
            else {"sample_weight": named.pop("sample_weight", None)}
        )
        arguments = signature.bind(*args, **named).arguments
        top = arguments.get("top")
        value = (
            [] if number is None else [arguments.pop(number.name, number.default)]
        )
        return choose(top, *value).value(**arguments, **refused)

    functools.update_wrapper(
        function, kernel, ("__module__", "__name__", "__qualname__"), ()
    )
    del function.__wrapped__  # type: ignore[attr-defined]
    document = _document(declared, shared)
    function.__doc__ = (
        document if number is None else document.replace("{}", number.name)
    )
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.kernel, kernel.public = kernel, function  # type: ignore[attr-defined]
    return function


def _document(declared: Metric, shared: list[str]) -> str:
    """Complete the kernel's docstring by the sections that all metrics share."""
    text, *sections = re.split(
        r"\n\n(?=\w[\w ]*\n-{3,}\n)", inspect.getdoc(declared.kernel) or ""
    )
    parameters = [
        section for section in sections if section.startswith("Parameters\n")
    ]
    arguments = [f"{name} : {_ARGUMENTS[name]}" for name in shared]
    last = [section.split("\n", 2)[2] for section in parameters]
    low, high = declared.bounds
    reasons = " or ".join(need.value for need in declared.needs)
    ties = declared.ties[0].upper() + declared.ties[1:]
    parts = [
        text,
        declared.edge_cases,
        "\n".join(["Parameters\n----------", *arguments, *last]),
        f"Returns\n-------\nvalue : float, {low:g} to {high:g}\n    {ties}.",
        "Raises\n------"
        + (
            f"\nUndefinedMetricError\n    With the reason {reasons}."
            if reasons
            else ""
        )
        + "\nValueError\n    If an argument is malformed.",
        *(section for section in sections if section not in parameters),
    ]
    return "\n\n".join(parts)
