"""A data set in memory and on disk."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop.experiment import Parts
from attop.extending import Floats, Ints
from attop.statistics import likeness
from attop_bench.archives import opened
from attop_bench.data.columns.preparation import (
    column_transformer,
    columns_of,
    count_features,
    has_fixed_features,
    is_sparse,
    is_table,
    scaler,
)
from attop_bench.data.columns.stored import (
    TABLE,
    as_arrays,
    features_of,
    write_table,
)
from attop_bench.data.errors import DatasetError, Unavailable
from attop_bench.data.ledger import Ledger
from attop_bench.files import StrPath, replacing

if TYPE_CHECKING:
    import pandas as pd

#: Attributes with a value for each row, besides features and labels -> their names in messages.
_COLUMNS = {
    "groups": "groups",
    "part": "parts",
    "duplicate_group": "duplicate groups",
    "entity": "entities",
    "day": "days",
    "amount": "amounts",
    "weight": "weights",
    "by": "parts of the list",
}
#: Of these the values are kept as they are; of others only which are the same.
_KEPT = ("day", "by")

#: Name of the ledger of rows among the facts; see `Ledger.as_dict`.
LEDGER = "rows"


@dataclass(frozen=True)
class Origin:
    """Rows of a file beside their features: for lists of them, and to read more rows like them."""

    #: Columns that are no features, as they are written.
    beside: pd.DataFrame
    #: Number of each row in the file, from 1.
    numbers: Ints
    #: Column of the labels, and its first values.
    label: str = "label"
    values: tuple[str, ...] = ()
    #: The column within which rows are ranked.
    group: str | None = None
    #: The column of customers, cards or machines, where all rows are one list.
    entity: str | None = None
    #: Options of the file's reader.
    reader: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Dataset:
    """Features, binary labels and, where items come in lists of their own, groups.

    Attributes
    ----------
    name : str
    X : DataFrame, ndarray of shape (n, d) or sparse array of shape (n, d)
        A table has numbers (float64), categories (``category``) and texts; where all are numbers they are a
        matrix (float64), of a sparse file a sparse one. NaN is a missing value.
    y : ndarray of shape (n,), int64
        1 for the positive class, else 0.
    groups : ndarray of shape (n,), int64, or None
        User or query of each item.
    facts : mapping
        For the report, in JSON values: title, source, meaning of positive, counts of the preparation.
    part : ndarray of shape (n,), int64, or None
        Part of each row, from 0: training, validation and test, or sets to be rotated.
    duplicate_group : ndarray of shape (n,), int64, or None
        Rows of one, such as copies, are never on both sides of a split; they are ranked like all others.
    entity : ndarray of shape (n,), int64, or None
        Customer, card or machine of each row, where all rows are one list; some protocols keep an entity
        together, or leave out those already known.
    day : ndarray of shape (n,), int64, or None
        Date of each row: days since 1970 began, or since any other day.
    amount : ndarray of shape (n,), float64, or None
        What each row is worth if it is positive, for metrics of amounts.
    weight : ndarray of shape (n,), float64, or None
        Weight of each row, to methods and metrics that take weights.
    impute, max_categories : str or None, int or None
        How a matrix of numbers is made of `X` in each training part; see `column_transformer`. Without
        `impute` nothing may be missing.
    origin : Origin or None
        Of rows of a file that were just read; it is not saved.
    by : ndarray of shape (n,), int64, or None
        Part of each row, such as its region, by which the top is looked at: a position in the names of
        ``facts["by"]``.
    """

    name: str
    X: Any
    y: Ints
    groups: Ints | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    part: Ints | None = None
    duplicate_group: Ints | None = None
    entity: Ints | None = None
    day: Ints | None = None
    amount: Floats | None = None
    weight: Floats | None = None
    impute: str | None = None
    max_categories: int | None = None
    origin: Origin | None = None
    by: Ints | None = None

    def __post_init__(self) -> None:
        X, y, where = _typed(self.X), np.asarray(self.y), f"dataset {self.name}"
        if X.ndim != 2 or X.shape[0] == 0:
            raise DatasetError(
                f"{where}: features must be a table, got shape {X.shape}"
            )
        if y.shape != (X.shape[0],):
            raise DatasetError(
                f"{where}: {X.shape[0]} rows of features, labels of shape {y.shape}"
            )
        _refuse_unusable(X, where, may_miss=self.impute is not None)
        if not np.isin(y, (0, 1)).all():
            raise DatasetError(
                f"{where}: labels must be 0 or 1, got {np.unique(y)[:5].tolist()}"
            )
        if len(np.unique(y)) < 2:
            raise DatasetError(
                f"{where}: all {len(y)} labels are {int(y[0])}, both classes are needed: "
                "check which value of the label column counts as positive"
            )
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "y", y.astype(np.int64))
        for name, what in _COLUMNS.items():
            if (given := getattr(self, name)) is None:
                continue
            values = np.asarray(given)
            if values.shape != y.shape:
                raise DatasetError(
                    f"{where}: {len(y)} items but {what} of shape {values.shape}"
                )
            object.__setattr__(self, name, _usable(values, name, where))
        if self.ledger is not None:
            self.ledger.require(len(y), where, self.weight)

    @property
    def n_pos(self) -> int:
        """Number of positives."""
        return int(self.y.sum())

    @property
    def table(self) -> pd.DataFrame:
        """The features as a table: columns of a matrix have the names of its facts, else x1, x2 and so on."""
        import pandas as pd

        if is_table(self.X):
            return self.X
        if is_sparse(self.X):
            raise DatasetError(
                f"dataset {self.name}: a sparse matrix of {self.X.shape[1]:,} features has no columns with "
                "names: use methods with input: matrix; attop deploy takes data with named columns alone"
            )
        names = self.facts.get("features") or [
            f"x{i + 1}" for i in range(self.X.shape[1])
        ]
        return pd.DataFrame(self.X, columns=list(names))

    @property
    def matrix(self) -> Any:
        """The features as a matrix of numbers; a `DatasetError` where training rows say what these are."""
        if not is_table(self.X):
            return self.X
        if not has_fixed_features(self.X, self.max_categories) or self.X.isna().any(
            axis=None
        ):
            raise DatasetError(
                f"dataset {self.name}: gaps, rare categories and words are learnt from training rows: fit "
                "its transformer() to some"
            )
        return self.transformer().fit_transform(self.X)

    def transformer(self, scaling: str = "none") -> Any:
        """Make an unfitted transformer of `X` to a matrix of numbers; None if `X` is one already."""
        if is_sparse(self.X) or not (is_table(self.X) or self.impute):
            return scaler(scaling, is_sparse(self.X))
        return column_transformer(self.X, self.impute, self.max_categories, scaling)

    @property
    def ledger(self) -> Ledger | None:
        """The ledger of the file's rows, if the data are of one."""
        return (
            Ledger.from_dict(self.facts[LEDGER]) if LEDGER in self.facts else None
        )

    def summary(self) -> dict[str, Any]:
        """Counts for the report: items, features, positives and, with groups, their number and sizes."""
        counts: dict[str, Any] = {"name": self.name, "items": len(self.y)}
        counts["features"] = count_features(self.X, self.max_categories)
        counts["positives"] = self.n_pos
        if self.groups is not None:
            positives = np.bincount(self.groups, weights=self.y)
            counts["groups"] = len(positives)
            counts["positives_per_group"] = [
                int(f(positives)) for f in (np.min, np.median, np.max)
            ]
        if self.part is not None:
            counts["parts"] = np.bincount(self.part).tolist()
        for name, codes in (
            ("duplicate_groups", self.duplicate_group),
            ("entities", self.entity),
        ):
            if codes is not None:
                counts[name] = int(codes.max()) + 1
        if self.entity is not None:
            counts["design_effect"] = likeness(self.y, self.entity)
        if self.day is not None:
            counts["days"] = int(np.ptp(self.day)) + 1
        return counts

    @property
    def parts(self) -> Parts | None:
        """Parts by which the top is looked at, with their names."""
        if self.by is None:
            return None
        return Parts(self.facts["by"]["column"], self.facts["by"]["names"], self.by)

    def save(self, path: StrPath) -> None:
        """Write to an ``.npz`` file, whole or not at all."""
        arrays: dict[str, NDArray] = {**as_arrays(self.X), "y": self.y}
        arrays |= {
            c: getattr(self, c) for c in _COLUMNS if getattr(self, c) is not None
        }
        note: dict[str, object] = {"name": self.name, "facts": dict(self.facts)}
        note |= {"impute": self.impute, "max_categories": self.max_categories}
        save_arrays(path, arrays, note, self.X if is_table(self.X) else None)

    @classmethod
    def load(cls, path: StrPath) -> Dataset:
        """Read a file of `save`, without unpickling; raise `Unavailable` for one of `save_unavailable`."""
        arrays, meta = load_arrays(path)
        columns: dict[str, Any] = {
            name: arrays[name] for name in _COLUMNS if name in arrays
        }
        try:
            columns |= {n: meta[n] for n in ("impute", "max_categories", "facts")}
            parts = meta["name"], features_of(arrays), arrays["y"]
        except KeyError as error:
            raise DatasetError(
                f"{path} is a file without {error}, of another version of attop or no prepared data: delete "
                "it, and it is made again"
            ) from None
        return cls(*parts, **columns)


def _usable(values: NDArray, name: str, where: str) -> NDArray:
    """Check and convert a column beside the features: amounts, plain values, or codes of equal values."""
    if name in ("amount", "weight"):
        if not (np.isfinite(values) & (values >= 0)).all():
            raise DatasetError(
                f"{where}: {name}s must be finite and at least 0, got {values.min()} to {values.max()}: take "
                f"the column's absolute value, or leave {name} out"
            )
        return values.astype(np.float64)
    distinct, codes = np.unique(values, return_inverse=True)
    if name == "day" and values.dtype.kind not in "iu":
        raise DatasetError(
            f"{where}: days must be integers, got dtype {values.dtype}"
        )
    if name == "part" and distinct.tolist() != list(range(len(distinct))):
        raise DatasetError(
            f"{where}: parts must be numbered from 0 and have items, got {distinct.tolist()}"
        )
    return (values if name in _KEPT else codes).astype(np.int64)


def _typed(X: Any) -> Any:
    """Convert features to 64 bits a number: a table, a sparse matrix, or a matrix stored row after row."""
    if not is_table(X):
        if is_sparse(X):
            return X.tocsr().astype(np.float64, copy=False)
        return np.ascontiguousarray(X, dtype=np.float64)
    numbers = X.dtypes[columns_of(X).numbers]
    narrow = dict.fromkeys(numbers.index[numbers != np.float64], np.float64)
    return (X.astype(narrow) if narrow else X).reset_index(drop=True)


def _refuse_unusable(X: Any, where: str, *, may_miss: bool) -> None:
    """Refuse features that are infinite, and those that are missing where none may be."""
    if is_table(X):
        columns = (
            values.to_numpy() if values.dtype.kind == "f" else values
            for _, values in X.items()
        )
        if not any(
            _is_unusable(values, may_miss=may_miss).any() for values in columns
        ):
            return
        bad = X.apply(_is_unusable, may_miss=may_miss).to_numpy()
    # None may be missing: an imputer would take the zeros for values.
    elif is_sparse(X):
        of_data = _is_unusable(X.data, may_miss=False)
        if not of_data.any():
            return
        bad = X.astype(bool)
        bad.data = of_data
    else:
        bad = _is_unusable(X, may_miss=may_miss)
    count = int(bad.sum())
    if count:
        row, column = np.transpose(bad.nonzero())[0].tolist()
        name = repr(X.columns[column]) if is_table(X) else str(column)
        raise DatasetError(
            f"{where}: {count} features are NaN or infinite, the first in row {row}, column {name} (counted "
            "from 0): drop these rows or fill them in before training"
        )


def _is_unusable(values: Any, *, may_miss: bool) -> Any:
    """Mark the values that are infinite, or missing where none may be."""
    if values.dtype.kind != "f":
        return values.isna() & (not may_miss)
    return np.isinf(values) if may_miss else ~np.isfinite(values)


def save_arrays(
    path: StrPath,
    arrays: Mapping[str, ArrayLike],
    meta: Mapping[str, object] | None = None,
    table: pd.DataFrame | None = None,
) -> None:
    """Write arrays, a JSON note and a table of features to one ``.npz`` file, whole or not at all.

    Arrays of objects are refused.
    """
    for name, array in arrays.items():
        if np.asarray(array).dtype.hasobject:  # NumPy would pickle it
            raise TypeError(
                f"{name}: an array of objects cannot be stored, only of numbers and strings"
            )
    stored: dict[str, Any] = dict(
        **arrays, meta=np.array(json.dumps(dict(meta or {}), sort_keys=True))
    )
    with replacing(path) as file:
        np.savez(file, **stored)
        if table is not None:
            with (
                zipfile.ZipFile(file, "a") as box,
                box.open(TABLE, "w", force_zip64=True) as member,
            ):
                write_table(member, table)


def save_unavailable(path: StrPath, name: str, error: Unavailable) -> None:
    """Write the reason why the data `name` are not there, in place of their file."""
    save_arrays(
        path, {}, {"name": name, "unavailable": [error.reason, error.remedy]}
    )


def load_arrays(path: StrPath) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read the arrays and the note of `save_arrays`; raise `Unavailable` for a file of `save_unavailable`."""
    try:
        with opened(path) as content, np.load(content, allow_pickle=False) as file:
            arrays = {
                # A table's bytes are read without a copy.
                name: file.zip.read(name) if name == TABLE else file[name]
                for name in file.files
                if name != "meta"
            }
            meta = json.loads(str(file["meta"]))
    # What a damaged file raises depends on where it is damaged.
    except Exception as error:
        raise DatasetError(
            f"{path} cannot be read ({type(error).__name__}: {error}): delete it, and it is made again"
        ) from error
    if "unavailable" in meta:
        raise Unavailable(*meta["unavailable"])
    return arrays, meta


def load_available(path: StrPath) -> Dataset | Unavailable:
    """Read a prepared data set, or the error that it is not available."""
    try:
        return Dataset.load(path)
    except Unavailable as error:
        return error
