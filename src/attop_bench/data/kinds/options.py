"""Options of the kind ``file``: a file and the roles of its columns."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self

import pydantic
from pydantic import BaseModel, Field, StrictBool, StrictInt, StrictStr

from attop_bench.data.parameters import refusal
from attop_bench.data.reading.formats import format_of
from attop_bench.data.reading.labels_beside import JoinedLabels
from attop_bench.files import StrPath

_Column = StrictStr | StrictInt
_Numbers = Sequence[Annotated[float, Field(strict=True)]]
#: Options of a file that stays sparse.
_OF_SPARSE = {
    "path",
    "validation",
    "test",
    "format",
    "reader",
    "positive",
    "sparse",
    "copies_together",
    "weight",
}


class RawOptions(BaseModel):
    """Files of one form and the roles of their columns, each given by its name, or number from 1 or -1."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    path: StrPath
    #: Column of the labels; ``label`` if left out in the SVMlight format.
    label: _Column | None = None
    #: validation, test: Files of the same form with more rows. `path` is then part 0, and these are the next
    #: parts; see `Dataset.part`.
    validation: StrPath | None = None
    test: StrPath | None = None
    #: File of the labels alone, one a line, below a header or none, where `path` has none; or a table, see
    #: `JoinedLabels`.
    labels: JoinedLabels | StrPath | None = None
    #: See `read_table`.
    format: Any = None  # any but a name is refused beside the names
    #: Parameters of the format's reader, such as ``header`` and ``separator`` of `read_delimited`.
    reader: Mapping[str, Any] | None = None
    #: Column that names the user or query of each row, whose rows are a list of their own.
    group: _Column | None = None
    #: Column that names the customer, card or machine of each row, where all rows are one list; see
    #: `Dataset.entity`.
    entity: _Column | None = None
    #: Column of the date, or of a number of days, of each row; see `day_numbers` and `Dataset.day`.
    day: _Column | None = None
    #: Column of the weight of each row, 0 or more, for methods and metrics that take weights.
    weight: _Column | None = None
    #: Columns that are features; all but the columns named here and `drop` if left out.
    keep: Sequence[_Column] | None = None
    #: Columns to leave out.
    drop: Sequence[_Column] = ()
    #: Columns of features that are codes of categories, also where they are numbers.
    categories: Sequence[_Column] = ()
    #: Columns of text, read as TF-IDF weights of the words of training items.
    text: Sequence[_Column] = ()
    #: Leave out rows without a label.
    drop_unlabelled: StrictBool = False
    #: See `TableOptions`.
    positive: Any = None
    #: Values of the label column that are negative, or a comparison, where not every other value is: rows of
    #: neither class, such as deals that are still open, are left out, and counted.
    negative: Any = None
    #: ``"median"`` fills what is missing of the features: numbers by their median, text by its most frequent
    #: value, learnt from training items alone. Missing features are refused if left out.
    impute: Literal["median"] | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Check options; raise `DatasetError` for a value of another type or range."""
        try:
            return cls(**options)
        except pydantic.ValidationError as error:
            names, value = _place(options, error.errors()[0]["loc"])
            raise refusal(
                f"dataset {options.get('path')}", ": ".join(names), value, error
            ) from None

    @property
    def paths(self) -> list[StrPath]:
        """Files of rows, in the order of their parts."""
        files = (self.path, self.validation, self.test)
        return [path for path in files if path is not None]

    @property
    def name(self) -> str:
        """Name of the first file without its folder and ending."""
        return os.path.splitext(os.path.basename(self.path))[0]

    @property
    def where(self) -> str:
        """Name of the data in messages."""
        return f"dataset {self.path}"


def _place(
    options: object, location: Sequence[str | int]
) -> tuple[list[str], object]:
    """Walk to the innermost value of an error: ``thresholds: x`` and 0.5 of ``thresholds: {x: 0.5}``."""
    names = []
    for key in location:
        if not isinstance(options, Mapping) or key not in options:
            break
        names.append(str(key))
        options = options[key]
    return names, options if names else None


class TableOptions(RawOptions):
    """Options of the kind ``file``: those of `RawOptions`, and those that make features and labels."""

    #: Value of the label column that is the positive class, every other value is negative unless `negative`
    #: says which are; or a list of such values, or a comparison such as ``">= 1"``.
    positive: Any
    #: Value of a feature that is text -> the number that stands for it.
    codes: (
        Mapping[str | int | float | bool, Annotated[float, Field(strict=True)]]
        | None
    ) = None
    #: Replace each feature that is text by one 0/1 column per value, in sorted order. Refused for over 50
    #: values without `max_categories`, and for dates and names of single rows unless `categories` has them.
    one_hot: StrictBool = False
    #: With `one_hot`: most columns made of a feature; its rarest values share the last one. Which are rare is
    #: learnt from training items alone, as scaling is.
    max_categories: Annotated[int, Field(strict=True, ge=2)] | None = None
    #: Column -> numbers; each gives a feature that is 1 above the number, else 0, and only these are
    #: features.
    thresholds: Mapping[_Column, _Numbers] | None = None
    #: Column of the queries within which features are scaled; see `query_level_norm`.
    query_norm: _Column | None = None
    #: One column -> highest number of each part but the last; see `parts_by_bounds` and `Dataset.part`.
    parts: (
        Annotated[
            Mapping[_Column, Sequence[Any]], Field(min_length=1, max_length=1)
        ]
        | None
    ) = None
    #: Cut the rows in their order into so many blocks, each an entity, for the protocol whole-entities: rows
    #: that follow each other in time or place are alike.
    blocks: Annotated[int, Field(strict=True, ge=2)] | None = None
    #: Column of what a row is worth if it is positive, such as a sum of money, for the metrics `amount@k`,
    #: `amount-share@k` and `amount-lift@k`; it stays a feature unless it is dropped.
    amount: _Column | None = None
    #: Column whose values are parts of the rows, such as regions: a model's card says which share of the list
    #: each part has, and how good the list is in it. It stays a feature unless it is dropped.
    by: _Column | None = None
    #: Keep rows with the same features on one side of every split; otherwise memorising one copy is rewarded
    #: on the others. See `Dataset.duplicate_group`.
    copies_together: StrictBool = False
    #: Keep so many of the positives that they are this share of the rows kept, drawn at random, the same ones
    #: for every seed; all negatives stay. For a stand-in with as few positives as other data have.
    downsample_positives: (
        Annotated[float, Field(strict=True, gt=0, lt=1)] | None
    ) = None
    #: Keep a file of SVMlight sparse, to the learner: it may have millions of features. Its features are
    #: neither filled nor centred, and no column has a role but label, qid and the weights of a file beside.
    sparse: StrictBool = False

    @pydantic.model_validator(mode="after")
    def _combinations(self) -> Self:
        if self.max_categories is not None and not self.one_hot:
            raise ValueError(
                "max_categories is how many columns one_hot makes: set one_hot: true"
            )
        if (self.impute or self.text) and (
            self.thresholds is not None or self.query_norm is not None
        ):
            what = "impute" if self.impute else "text"
            raise ValueError(
                f"{what} cannot be combined with thresholds or query_norm: leave one out"
            )
        return self

    @pydantic.model_validator(mode="after")
    def _sparse_alone(self) -> Self:
        if not self.sparse:
            return self
        if (self.format or format_of(self.path)) != "svmlight":
            raise ValueError(
                "sparse is for files of the format svmlight: leave it out"
            )
        fields = type(self).model_fields
        other = [
            n
            for n in fields
            if n not in _OF_SPARSE and getattr(self, n) != fields[n].default
        ]
        if other:
            raise ValueError(
                f"sparse cannot be combined with {other[0]}: leave one out"
            )
        return self
