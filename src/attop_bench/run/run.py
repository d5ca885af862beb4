"""The unit of the benchmark."""

from dataclasses import dataclass

__all__ = ["Run"]


@dataclass(frozen=True)
class Run:
    """One training job: all tops of one data set, method, repeat and fold."""

    dataset: str
    method: str
    repeat: int
    fold: int
