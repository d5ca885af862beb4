"""Notes of a package on its model: columns, files, top, labels and digests, checked when they are read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from attop.extending import Top
from attop_bench.data.base import DatasetError
from attop_bench.files import read_json

NOTES = "model.json"


def _is_top(value: dict[str, Any]) -> dict[str, Any]:
    try:
        Top.of(value)
    except TypeError as error:
        raise ValueError(str(error)) from None
    return value


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True)


class _Label(_Strict):
    column: str
    positive: Any
    values: list[str]


class _Precision(_Strict):
    mean: float
    low: float | None
    high: float | None


class _Notes(_Strict):
    """Types of the notes; see `Package.notes`."""

    input: Literal["matrix", "table"]
    features: list[str]
    categories: dict[str, list[str]]
    texts: list[str]
    fills_gaps: bool
    takes_unseen: bool
    unused: list[str]
    beside: list[str]
    distinct: list[str] = []
    format: str
    reader: dict[str, Any]
    group: str | None
    unit: str | None
    top: Annotated[dict[str, Any], AfterValidator(_is_top)]
    middle: list[float] | None
    rows: int = Field(ge=1)
    positives: int = Field(ge=0)
    label: _Label
    precision: _Precision | None = None
    versions: dict[str, str]
    digests: dict[str, str]

    @model_validator(mode="after")
    def _middle_has_a_base(self) -> _Notes:
        if self.middle is not None and len(self.middle) != (
            n := len(self.features) + 1
        ):
            raise ValueError(
                f"middle has {len(self.middle)} numbers instead of {n}"
            )
        return self


def folder_of(place: str | Path) -> Path:
    """Find the folder of a package, from itself or a file in it."""
    return Path(place) if Path(place).is_dir() else Path(place).parent


def read_notes(place: str | Path) -> dict[str, Any]:
    """Read the notes of a package, from its folder or a file in it, without loading the model."""
    folder = folder_of(place)
    if not (folder / NOTES).is_file():
        raise DatasetError(
            f"{place} does not hold a model of attop deploy: there is no {folder / NOTES}"
        )
    try:
        notes = read_json(folder / NOTES)
        _Notes.model_validate(notes)
    except ValueError as error:
        raise DatasetError(
            f"{folder / NOTES} is not by attop deploy ({in_words(error)}): deploy again"
        ) from None
    return notes


def in_words(error: ValueError) -> str:
    """Say in a line why a file is refused: of many faults the first, with its place."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    what = first["msg"].removeprefix("Value error, ")
    return f"{where}: {what}" if where else what
