"""One training job: which run of the benchmark it is, and all it computes, as a value that JSON takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from attop.core.top import Top

if TYPE_CHECKING:
    from attop.metrics.metric import Metric

__all__ = ["Job", "Run"]


@dataclass(frozen=True)
class Run:
    """The place of a training job in the benchmark: all tops of one data set, method, repeat and fold."""

    dataset: str
    method: str
    repeat: int
    fold: int


@dataclass(frozen=True)
class Job:
    """What a training job computes, besides the data.

    Attributes
    ----------
    repeat, fold : int
    seed : int
        Seed of the whole benchmark run.
    protocol : mapping
        ``kind`` and ``options`` of the split.
    scaling : str
        ``"standard"``, ``"range"``, ``"log1p"`` or ``"none"``.
    tops : sequence of Top
        Tops to train for.
    scoring : str
        Metric that selects, evaluated at each top.
    estimator : str
        Dotted path of a class.
    params, param_grid : mapping
        Fixed parameters, and lists of values to choose from.
    selection : str
        ``"nested"`` or ``"optimistic"``.
    custom_metrics : mapping
        Name to definition of `scoring`, if it is from outside attop; see `attop.metrics.custom`.
    """

    repeat: int
    fold: int
    seed: int
    protocol: Mapping[str, Any]
    scaling: str
    tops: Sequence[Top]
    scoring: str
    estimator: str
    params: Mapping[str, object] = field(default_factory=dict)
    param_grid: Mapping[str, Sequence[object]] = field(default_factory=dict)
    selection: str = "nested"
    custom_metrics: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tops", [Top.of(top) for top in self.tops])

    @property
    def split(self) -> dict[str, object]:
        """How the data are cut into folds: what the file of the folds is to have been made by."""
        kind, options = self.protocol["kind"], self.protocol.get("options", {})
        return {"kind": kind, "options": dict(options), "repeat": self.repeat, "seed": self.seed}

    @property
    def metric(self) -> Metric:
        """The metric that selects."""
        from attop.metrics.custom import find_metric

        return find_metric(self.scoring, self.custom_metrics)

    def as_dict(self) -> dict[str, object]:
        """Return it as a JSON value."""
        return {**asdict(self), "tops": [top.as_dict() for top in self.tops]}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Job:
        """Return the job that `as_dict` gave.

        Raises
        ------
        ValueError
            If an entry is unknown or missing.
        """
        known = {f.name for f in fields(cls)}
        if unknown := set(given) - known:
            raise ValueError(f"a training run has no {', '.join(sorted(unknown))}; it has {', '.join(known)}")
        try:
            return cls(**given)
        except TypeError as error:
            raise ValueError(f"a training run is not complete: {error}") from None
