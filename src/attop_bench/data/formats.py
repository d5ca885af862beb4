"""Files of tables: one reader a format, and numbers, text and names of what was read.

CSV, which has no types, is read as text; columns become numbers where numbers are asked for, so that names
(``007``, 20 digits) stay what they are, and one row is read as a thousand are.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field, StrictInt, StrictStr

from attop._core.files import StrPath
from attop._core.wording import did_you_mean
from attop_bench.data.base import DatasetError
from attop_bench.data.parameters import checked, complete
from attop_bench.data.source import BROKEN, check_digest, open_bytes, open_member

if TYPE_CHECKING:
    import pandas as pd

_Marks = Sequence[StrictStr | StrictInt | Annotated[float, Field(strict=True)]]
_MOST_CELLS = 1 << 29
#: Text that stands for a missing value in a file without types, as for pandas.
_MISSING = frozenset(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>"]
) | {"N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"}
_TRUTH = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}
#: First bytes of Excel's files: zip archives, and those of before 2007.
_EXCEL = (b"PK\3\4", b"\xd0\xcf\x11\xe0")


@dataclass(frozen=True)
class Table:
    """Rows as their file has them."""

    #: Columns named by text; of a file without types all values are text.
    frame: pd.DataFrame
    #: Name of the file in messages.
    where: str
    has_types: bool = True
    #: missing, decimal: See `read_delimited`.
    missing: Any = ()
    decimal: str = "."

    def values(self, name: str) -> pd.Series:
        """Return a column: numbers if all that are present are, else text without blanks around it.

        Missing values are NaN: blanks, or in a file without types one of its marks. Complex numbers, lists
        and mappings are refused.
        """
        import pandas as pd

        column, where = self.frame[name], f"{self.where}: column {name!r}"
        if pd.api.types.is_complex_dtype(column):
            raise DatasetError(f"{where} has complex numbers: drop it, or take real parts")
        if pd.api.types.is_numeric_dtype(column):  # plain ones, of types that have NA
            plain = np.float64 if column.hasnans else getattr(column.dtype, "numpy_dtype", column.dtype)
            return column.astype(plain)
        text = self._stripped(name)
        odd = next((v for v in text if not isinstance(v, Hashable)), None) if self.has_types else None
        if odd is not None:
            raise DatasetError(f"{where} holds lists or mappings, such as {odd!r}: drop it")
        numbers = None if self.has_types else _numbers(text, self.decimal)
        if numbers is None or numbers.dtype.kind == "b":
            return text.astype(object) if numbers is None else numbers
        alike = numbers.isin(pd.to_numeric(pd.Series(self._marks(name)), errors="coerce").dropna())
        return numbers.mask(alike, np.nan) if alike.any() else numbers  # -999 stands for -999.0 too

    def text(self, name: str) -> pd.Series:
        """Return a column as text without blanks around it, NaN where nothing is left."""
        if self.has_types:
            return self.values(name).map(_written, na_action="ignore")
        return self._stripped(name)

    def numbers(self, name: str) -> pd.Series:
        """Return a column as numbers; refuse one that is none, or cannot be a feature."""
        import pandas as pd

        values = self.values(name)
        if not pd.api.types.is_numeric_dtype(values):
            numbers = _numbers(values, self.decimal)
            if numbers is None:
                odd = values[pd.to_numeric(values, errors="coerce").isna() & values.notna()]
                example = f", got {odd.iloc[0]!r} in data row {odd.index[0] + 1}" if len(odd) else ""
                raise DatasetError(f"{self.where}: column {name!r} must hold numbers{example}: correct it")
            values = numbers
        check_numbers(values, self.where)
        return values

    def _marks(self, name: str) -> list[str]:
        """Return the marks of missing values of a column, besides the usual."""
        marks = self.missing
        if isinstance(marks, Mapping):
            marks = {str(key): given for key, given in marks.items()}.get(name, ())
        return [str(mark) for mark in marks]

    def _stripped(self, name: str) -> pd.Series:
        """Return a column of text without blanks around it; missing values are NaN."""
        column = self.frame[name]
        if self.has_types:
            column = column.astype(object).map(lambda v: v.strip() if isinstance(v, str) else v)
            return column.mask(column.isin([""]) | column.isna(), np.nan)
        column = column.str.strip()
        return column.mask(column.isin(_MISSING.union(self._marks(name))), np.nan)


def check_numbers(column: pd.Series, where: str) -> None:
    """Refuse numbers that features cannot hold."""
    values = column.to_numpy(np.float64)
    if np.isinf(values).any():
        raise DatasetError(f"{where}: column {column.name!r} has infinite values: remove these rows")
    if column.dtype.kind in "iu" and np.abs(values).max() >= 2**53:
        raise DatasetError(
            f"{where}: column {column.name!r} has integers of 2**53 or more, which features cannot hold: "
            "drop it if it names things, else divide it"
        )


def _numbers(text: pd.Series, decimal: str) -> pd.Series | None:
    """Return text as numbers, true as 1; None if it holds other text, or integers too long for a float."""
    import pandas as pd
    import pyarrow

    try:
        plain = text.str.translate(str.maketrans(",.", ".,")) if decimal == "," else text
        values = pyarrow.array(plain, from_pandas=True).cast("float64").to_numpy(zero_copy_only=False)
    except (pyarrow.ArrowException, AttributeError):
        truth = text.map(_TRUTH)
        return truth.astype(float if truth.hasnans else bool) if truth.isna().equals(text.isna()) else None
    if text[np.abs(values) >= 2**53].astype(str).str.fullmatch(r"[-+]?\d+").any():
        exact = pd.to_numeric(text, errors="coerce")  # a float would change them
        return exact if exact.dtype.kind in "iu" else None
    integers = (np.rint(values) == values).all() and np.abs(values).max(initial=0) < 2**53
    return pd.Series(values.astype(np.int64) if integers else values, text.index, name=text.name)


def _written(value: object) -> str:
    """Return a value as text; a whole number without decimals, as in a column without missing values."""
    return str(int(value) if isinstance(value, (float, np.floating)) and value.is_integer() else value)


def format_of(path: StrPath) -> str:
    """Return the format of a file by the end of its name, before ``.gz``, ``.bz2`` or ``.xz``."""
    name = PurePath(path)
    while name.suffix.lower() in (".gz", ".bz2", ".xz"):
        name = name.with_suffix("")
    try:
        return _SUFFIXES[name.suffix.lower()]
    except KeyError:
        if name.suffix.lower() in (".xlsx", ".xlsm", ".xls", ".ods"):
            raise DatasetError(f"dataset {path}: spreadsheets are not read: save it as CSV") from None
        raise DatasetError(
            f"dataset {path}: cannot tell the format from the name: set format to one of {', '.join(FORMATS)}"
        ) from None


def read_frame(
    path: StrPath, form: str | None = None, options: Mapping[str, Any] | None = None
) -> pd.DataFrame:
    """Read a table, each column by `Table.values`."""
    import pandas as pd

    table = read_table(path, form, options)
    return pd.DataFrame({name: table.values(name) for name in table.frame})


def read_table(path: StrPath, form: str | None = None, options: Mapping[str, Any] | None = None) -> Table:
    """Read a table from a file.

    `form` is a key of `FORMATS`, by default the one of the file's name; `options` are those of its reader.
    """
    name = format_of(path) if form is None else form
    where = f"dataset {path}"
    if not isinstance(name, str) or name not in FORMATS:
        raise DatasetError(f"{where}: unknown format {name!r}; {did_you_mean(name, FORMATS)}")
    reader = FORMATS[name]
    if not os.path.isfile(path):
        what = f"there is no such file in {os.getcwd()}: give the path from there"
        if os.path.isdir(path):
            what = "it is a folder: give a file in it"
        elif os.path.islink(path):
            what = "it is a link that leads to no file: give the file"
        raise DatasetError(f"{where}: {what}")
    filled = complete(reader, options or {}, f"{where}: format {name!r}", reserved=("path",))
    frame = reader(path, **filled)
    frame.columns = frame.columns.map(str)
    refuse_twice(frame.columns, where)
    if len(frame) == 0:
        raise DatasetError(f"{where}: the file has no rows")
    written = {option: filled[option] for option in ("missing", "decimal") if option in filled}
    return Table(frame, where, name != "csv", **written)


def separator_of(path: StrPath) -> str:
    """Return the mark that most often separates the first line of a text: comma, semicolon or tab."""
    with open_bytes(path) as file:
        first = file.readline().decode("utf-8", "replace")
    count = {name: first.count(mark) for name, mark in ((",", ","), (";", ";"), ("tab", "\t"))}
    return max(count, key=lambda name: count[name])


@checked("format csv")
def read_delimited(
    path: StrPath,
    *,
    separator: Annotated[str | None, Field(strict=True)] = None,
    header: Annotated[bool, Field(strict=True)] = True,
    names: Annotated[Sequence[StrictStr | StrictInt] | None, Field()] = None,
    comment: Annotated[StrictStr | None, Field(min_length=1, max_length=1)] = None,
    missing: Annotated[_Marks | Mapping[StrictStr | StrictInt, _Marks], Field()] = (),
    decimal: Annotated[Literal[".", ","], Field()] = ".",
) -> pd.DataFrame:
    """Read delimited text in UTF-8.

    Parameters
    ----------
    path : path
        Compressed or not.
    separator : str, optional
        One character, ``"tab"``, or ``"whitespace"`` for runs of blanks; by default the comma, or the tab
        if the name ends in ``.tsv``.
    header : bool
        The first line holds the names of the columns.
    names : sequence of str, optional
        Names of the columns of a file without header, by default their numbers from 1.
    comment : str, optional
        Character that begins a comment.
    missing : sequence of str, or mapping of column to such
        Marks of missing values besides nothing, NA, NaN, null and the like: such as ``?`` or -999.
    decimal : str
        ``.`` or ``,``, before the decimals of numbers.
    """
    import pandas as pd

    where = f"dataset {path}"
    if names is not None and header:
        raise DatasetError(f"{where}: names are for a file without header: set header to false")
    if separator is None:
        separator = "tab" if ".tsv" in os.path.basename(path).lower() else ","
    pattern = {"tab": "\t", "whitespace": r"\s+"}.get(separator, separator)
    if len(separator) != 1 and pattern == separator:
        raise DatasetError(f"{where}: separator must be one character, tab or whitespace, got {separator!r}")
    kind = {",": "comma", "\t": "tab", r"\s+": "blank"}.get(pattern, repr(pattern))
    try:
        with open_bytes(path) as file:
            if file.read(4) in _EXCEL:
                raise DatasetError(f"{where}: an Excel file or another archive, no text: save it as CSV")
        with open_bytes(path) as file:
            frame = pd.read_csv(file, sep=pattern, header=None, comment=comment, dtype=str, na_filter=False)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError, OSError, *BROKEN) as error:
        form, other = "with a header " if header else "", ""
        if isinstance(error, pd.errors.ParserError) and (guess := separator_of(path)) != separator:
            other = f". Its first line is separated by {guess!r}: set separator, or write the file so"
        raise DatasetError(f"{where}: not a {kind} separated file {form}in UTF-8: {error}{other}") from None
    if header:
        first = frame.iloc[0]
        frame = frame[1:].reset_index(drop=True)
        frame.columns = pd.Index([name or f"Unnamed: {i}" for i, name in enumerate(first)])
        return frame
    if names is not None and len(names) != frame.shape[1]:
        raise DatasetError(f"{where}: {frame.shape[1]} columns but {len(names)} names: give one a column")
    frame.columns = pd.Index(range(1, frame.shape[1] + 1) if names is None else names).map(str)
    return frame


def read_svmlight(path: StrPath, *, n_features: int | None = None, zero_based: bool = False) -> pd.DataFrame:
    """Read lines ``label [qid:q] index:value ... [# comment]``.

    Parameters
    ----------
    path : path
        Compressed or not.
    n_features : int, optional
        Number of features, by default the highest index.
    zero_based : bool
        The first feature has index 0 instead of 1.

    Returns
    -------
    frame : DataFrame
        Columns ``label``, ``qid`` if the file has it, and the features, named by their indices; 0 where a
        line leaves one out.
    """
    import pandas as pd
    from sklearn.datasets import load_svmlight_file

    where = f"dataset {path}"
    try:
        with open_bytes(path) as file:
            about = {"n_features": n_features, "zero_based": zero_based}
            X, label, query = load_svmlight_file(file, query_id=True, **about)
    except (ValueError, OverflowError, OSError, *BROKEN) as error:
        raise DatasetError(
            f"{where}: not in SVMlight format with {n_features or 'any number of'} features, indices from "
            f"{int(not zero_based)}: {error}; check format, n_features and zero_based"
        ) from None
    if len(query) not in (0, len(label)):
        raise DatasetError(f"{where}: {len(query)} of {len(label)} lines have a qid: give it to all, or none")
    cells = X.shape[0] * X.shape[1]
    if cells > _MOST_CELLS:
        raise DatasetError(
            f"{where}: {X.shape[0]} rows with indices up to {X.shape[1]} are {8 * cells / 1e9:.3g} GB, since "
            f"tables are held in full, at most {8 * _MOST_CELLS / 1e9:.3g} GB: check the indices, or keep "
            "fewer features"
        )
    first = int(not zero_based)
    frame = pd.DataFrame(X.toarray(), columns=[str(j + first) for j in range(X.shape[1])])
    frame.insert(0, "label", label)
    if len(query):
        frame.insert(1, "qid", np.asarray(query, dtype=np.int64))
    return frame


def read_npz(path: StrPath) -> pd.DataFrame:
    """Read ``.npz`` without unpickling: arrays (n,) are columns, ``X`` of (n, d) is ``X1`` to ``Xd``."""
    import pandas as pd

    where = f"dataset {path}"
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (OSError, ValueError, AttributeError, TypeError, *BROKEN) as error:
        # What NumPy says of a pickle is how to have it run.
        reason = "it is a pickle" if "pickle" in str(error) else str(error)
        reason = "it holds one array, as .npy files do" if isinstance(error, TypeError) else reason
        raise DatasetError(
            f"{where}: cannot be read as .npz: {reason}; save arrays of numbers or text by numpy.savez"
        ) from None
    for name, array in arrays.items():
        if array.dtype.kind not in "biufcSU":
            raise DatasetError(f"{where}: array {name!r} has dtype {array.dtype}: numbers or text are needed")
    arrays = {name: np.char.decode(a) if a.dtype.kind == "S" else a for name, a in arrays.items()}
    shapes = {name: array.shape for name, array in arrays.items()}
    lengths = {shape[:1] for shape in shapes.values()}
    if len(lengths) != 1 or any(len(shape) not in (1, 2) for shape in shapes.values()):
        raise DatasetError(
            f"{where}: arrays must be columns (n,) or tables (n, d) of one length n, got {shapes or 'none'}"
        )
    parts = []
    for name, array in arrays.items():
        columns = [name] if array.ndim == 1 else [f"{name}{j + 1}" for j in range(array.shape[1])]
        parts.append(pd.DataFrame(array[:, None] if array.ndim == 1 else array, columns=columns))
    return pd.concat(parts, axis=1)


def read_parquet(path: StrPath) -> pd.DataFrame:
    """Read a Parquet file."""
    import pandas as pd
    from pyarrow import parquet, types

    def with_missing(kind: Any) -> Any:  # integers and truth values stay what they are where some are missing
        if types.is_boolean(kind):
            return pd.BooleanDtype()
        name = str(kind).replace("u", "U").replace("int", "Int")
        return pd.api.types.pandas_dtype(name) if types.is_integer(kind) else None

    try:
        return parquet.read_table(path).to_pandas(types_mapper=with_missing).reset_index(drop=True)
    except Exception as error:  # what a damaged file raises depends on where it is damaged
        raise DatasetError(f"dataset {path}: not a Parquet file: {error}; check format and path") from error


def read_arff(path: StrPath) -> pd.DataFrame:
    """Read a dense ARFF file of numeric and nominal attributes; ``?`` is a missing value."""
    import pandas as pd
    from scipy.io import arff

    where = f"dataset {path}"
    try:
        with open_bytes(path) as file:
            text = file.read().decode("utf-8")
        rows, about = arff.loadarff(io.StringIO(text))
    except (arff.ArffError, ValueError, IndexError, StopIteration, OSError, *BROKEN) as error:
        raise DatasetError(
            f"{where}: not a dense ARFF file of numeric and nominal attributes: {str(error) or 'cut off'}; "
            "save it as CSV"
        ) from None
    width = len(about.names())
    data = re.split(r"^@data\b.*$", text, maxsplit=1, flags=re.MULTILINE | re.IGNORECASE)[-1].splitlines()
    for fields in csv.reader((line.replace('"', "'") for line in data if line[:1] != "%"), quotechar="'"):
        if len(fields) > width:  # SciPy's reader drops what is beyond
            raise DatasetError(f"{where}: a row has {len(fields)} fields for {width} attributes: {fields}")
    frame = pd.DataFrame(rows)
    for name, kind in zip(about.names(), about.types(), strict=True):
        if kind == "nominal":
            text = frame[name].str.decode("utf-8")
            text = text.mask(text == "?")
            declared = _numbers(pd.Series(about[name][1]), ".")
            frame[name] = text if declared is None else _numbers(text, ".")
    return frame


def read_pickle(path: StrPath, digest: str, member: str | None = None) -> pd.DataFrame:
    """Read a pickled DataFrame, or mapping of columns, if the file has the digest of its `Source`.

    Any other pickle may run anything. `member` names the pickle in an archive.
    """
    import pandas as pd

    if not digest:
        raise DatasetError(f"{path}: a pickle is read only with its digest: give it in the catalogue")
    check_digest(path, digest)
    try:
        with open_member(path, member) if member else open_bytes(path) as file:
            return pd.DataFrame(pd.read_pickle(file))
    except Exception as error:  # depends on the version of pandas that wrote the file
        raise DatasetError(
            f"dataset {path}: {member or 'it'} is not a pickled table ({type(error).__name__}: {error}): "
            "save it as Parquet or CSV and use the kind file"
        ) from None


def refuse_twice(names: Iterable[object], where: str) -> None:
    """Refuse names that are the same but for blanks around them: one may be the label."""
    for name, times in Counter(str(name).strip() for name in names).items():
        if times > 1:
            raise DatasetError(f"{where}: column {name!r} occurs twice: rename one")


#: Readers by the name of the format.
FORMATS: Mapping[str, Callable[..., pd.DataFrame]] = {
    "csv": read_delimited,
    "parquet": read_parquet,
    "svmlight": read_svmlight,
    "npz": read_npz,
    "arff": read_arff,
}
_SUFFIXES = {f".{name}": name for name in FORMATS}
_SUFFIXES |= {".tsv": "csv", ".pq": "parquet", ".svm": "svmlight", ".libsvm": "svmlight"}
