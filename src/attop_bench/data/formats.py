"""Files of tables: one reader a format, and numbers, text and names of what was read.

CSV, which has no types, is read as text; columns become numbers where numbers are asked for, so that names
(``007``, 20 digits) stay what they are, and one row is read as a thousand are.
"""

from __future__ import annotations

import io
import os
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field, StrictInt, StrictStr

from attop.extending import Ints, did_you_mean
from attop_bench.data.arff import read_arff
from attop_bench.data.base import DatasetError
from attop_bench.data.cells import GAPS, as_floats, numbers_of
from attop_bench.data.delimited import read_delimited, read_excel
from attop_bench.data.ledger import Aside, Ledger
from attop_bench.data.lines import BLANK, COMMENT, Suspect
from attop_bench.data.parameters import check_values, checked, complete
from attop_bench.data.source import BROKEN, check_digest, hold, open_bytes, open_member, refuse_foreign
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd

_Words = Sequence[StrictStr | StrictInt | Annotated[float, Field(strict=True)]] | Literal[False]
_MOST_CELLS = 1 << 29
#: Columns of a table have names, which no one reads beyond so many.
_MOST_COLUMNS = 1 << 20
#: What compresses a file, at the end of its name.
_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
#: Name of a column without one in pandas; to_csv writes row numbers as such a column.
UNNAMED = re.compile(r"Unnamed: \d+|")
#: The name that pandas gives to an index without one.
_NO_NAME = re.compile(r"__index_level_\d+__")
#: Formats whose libraries open a file themselves.
_BY_PATH = ("parquet", "npz")
#: Options of every reader, and ends of the names of files with the sizes of lists.
_OF_ALL = ("missing", "decimal", "groups")
GROUPS = (".query", ".group")
#: First byte of a line of SVMlight without a row.
_NO_ROW = {BLANK: b"", COMMENT: b"#"}
_LINE_OF_SVMLIGHT = re.compile(r"[-+]?[\d.]+([eE][-+]?\d+)?(\s+(qid|\d+):\S+)+\s*(#.*)?")


@dataclass(frozen=True)
class Table:
    """Rows as their file has them."""

    #: Columns named by text; of a file without types all values are text.
    frame: pd.DataFrame
    #: Name of the file in messages.
    where: str
    has_types: bool = True
    #: missing, decimal: See `as_written`.
    missing: Any = None
    decimal: str = "."
    #: What the reader passed over; the lines that are, or may be, no rows; the line each row begins with.
    ledger: Ledger = field(default_factory=lambda: Ledger(0, 0))
    suspects: Sequence[Suspect] = ()
    lines: Ints | None = None
    #: What is not used of the file, in words.
    remarks: Sequence[str] = ()

    def values(self, name: str) -> pd.Series:
        """Return a column: numbers if all that are present are, else text without blanks around it.

        Missing values are NaN: blanks, or in a file without types one of its marks. Complex numbers, lists
        and mappings are refused.
        """
        import pandas as pd

        column, where = self.frame[name], f"{self.where}: column {name!r}"
        if pd.api.types.is_complex_dtype(column):
            raise DatasetError(f"{where} has complex numbers: drop it, or take real parts")
        long = column.dtype.kind in "iu" and column.hasnans and column.dropna().abs().max() >= 2**53
        if pd.api.types.is_numeric_dtype(column) and not long:  # plain ones, of types that have NA
            plain = np.float64 if column.hasnans else getattr(column.dtype, "numpy_dtype", column.dtype)
            return self._without_gaps(column.astype(plain))
        text = self._stripped(name)
        nested = next((v for v in text if not isinstance(v, Hashable)), None) if self.has_types else None
        if nested is not None:
            raise DatasetError(f"{where} holds lists or mappings, such as {nested!r}: drop it")
        is_text = not self.has_types or all(isinstance(value, str) for value in text.dropna())
        numbers = numbers_of(text, self.decimal) if is_text and len(text) else None
        if numbers is None or numbers.dtype.kind == "b":
            return text.astype(object) if numbers is None else numbers
        return self._without_gaps(numbers)

    def text(self, name: str) -> pd.Series:
        """Return a column as text without blanks around it, NaN where nothing is left."""
        import pandas as pd

        text = self._stripped(name)
        if not self.has_types:
            return text
        values = self.values(name) if pd.api.types.is_numeric_dtype(self.frame[name]) else text
        return values.map(_written, na_action="ignore")

    def numbers(self, name: str) -> pd.Series:
        """Return a column as numbers; refuse one that is none, or cannot be a feature."""
        import pandas as pd

        values = self.values(name)
        numeric = pd.api.types.is_numeric_dtype(values)
        if (numbers := values if numeric else numbers_of(values, self.decimal)) is None:
            plain = values.astype(str).str.replace(self.decimal, ".", regex=False)
            unreadable = values[np.isnan(as_floats(plain)) & values.notna()]
            example = ""
            if len(unreadable):
                example = f", got {unreadable.iloc[0]!r} in data row {unreadable.index[0] + 1}"
            raise DatasetError(f"{self.where}: column {name!r} must hold numbers{example}: correct it")
        check_numbers(numbers, self.where)
        return numbers

    def words(self, name: str) -> frozenset[str]:
        """Return the words that stand for a missing value in a column."""
        marks = self.missing
        if isinstance(marks, Mapping):
            marks = {str(key): words for key, words in marks.items()}.get(name)
        if marks is None:
            return frozenset([""]) if self.has_types else GAPS
        return frozenset() if marks is False else frozenset(["", *map(str, marks)])

    def _without_gaps(self, numbers: pd.Series) -> pd.Series:
        """Return numbers without those that stand for a missing value: -999 stands for -999.0 too."""
        import pandas as pd

        words = pd.to_numeric(pd.Series(sorted(self.words(str(numbers.name)))), errors="coerce").dropna()
        is_missing = numbers.isin(words)
        return numbers.mask(is_missing, np.nan) if is_missing.any() else numbers

    def _stripped(self, name: str) -> pd.Series:
        """Return a column of text without blanks around it; missing values are NaN."""
        column, words = self.frame[name], self.words(name)
        if self.has_types:
            column = column.astype(object).map(lambda v: v.strip() if isinstance(v, str) else v)
            return column.mask(
                column.isna() | column.map(lambda v: isinstance(v, str) and v in words), np.nan
            )
        column = column.str.strip()
        gaps = column.isin(words)
        return column.mask(gaps, np.nan) if gaps.any() else column


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


def _written(value: object) -> str:
    """Return a value as text; a whole number without decimals, as in a column without missing values."""
    return str(int(value) if isinstance(value, (float, np.floating)) and value.is_integer() else value)


def format_of(path: StrPath, own: str | None = None) -> str:
    """Return the format of a file by the end of its name, before ``.gz`` and the like.

    Where that says nothing, as ``.txt``, the format is `own`, by default the one its first lines look like.
    """
    form = _format_by_name(path) or own
    if form is None:
        _require_file(path)
        form = _by_content(path)
    if form is None:
        refuse_foreign(path)
        raise DatasetError(
            f"dataset {path}: cannot tell the format from the name: set format to one of {', '.join(FORMATS)}"
        )
    return form


def identified(path: StrPath, form: str | None = None) -> tuple[StrPath, str]:
    """Return a file and its format, by default the one of its name or content; see `format_of`.

    The file has its content with it, read once, where the reader of the format takes bytes.
    """
    if form is None:
        path = path if _format_by_name(path) else hold(path)
        form = format_of(path)
    return path if form in _BY_PATH else hold(path), form


def _format_by_name(path: StrPath) -> str | None:
    """Return the format that the end of a name says, before ``.gz`` and the like."""
    name = PurePath(path)
    while name.suffix.lower() in _PACKED:
        name = name.with_suffix("")
    return _SUFFIXES.get(name.suffix.lower())


def _require_file(path: StrPath) -> None:
    """Refuse a path that leads to no file."""
    if os.path.isfile(path):
        return
    what = f"there is no such file in {os.getcwd()}: give the path from there"
    if os.path.exists(path) and not os.path.isdir(path):
        what = "it is a pipe or a device, which can be read but once: save what it gives as a file, as by "
        what += "zcat X > FILE.csv; compressed files are read as they are"
    elif os.path.isdir(path):
        what = "it is a folder: give a file in it, of several their rows in one"
    elif os.path.islink(path):
        what = "it is a link that leads to no file: give the file"
    elif "://" in os.fspath(path):
        what = "it is an address: download the file and give that"
    raise DatasetError(f"dataset {path}: {what}")


def _by_content(path: StrPath) -> str | None:
    """Return the format that the start of a file looks like; None if it is no text."""
    try:
        with open_bytes(path) as file:
            start = file.read(1 << 14)
    except (OSError, *BROKEN):
        return "csv"  # whose reader says more
    if start.startswith(b"PAR1"):
        return "parquet"
    lines = [line for line in start.decode("latin-1").splitlines() if line.strip() and line[0] not in "%#"]
    if any(line.lower().startswith("@attribute") for line in lines):
        return "arff"
    if lines and _LINE_OF_SVMLIGHT.fullmatch(lines[0].strip()):
        return "svmlight"
    is_text = b"\0" not in start or start[:2] in (b"\xff\xfe", b"\xfe\xff")
    return "csv" if is_text and lines and lines[0][0] not in "{[<" else None


@checked("reader")
def as_written(
    *,
    missing: Annotated[_Words | Mapping[StrictStr | StrictInt, _Words] | None, Field()] = None,
    decimal: Annotated[Literal[".", ","], Field()] = ".",
    groups: Annotated[StrictStr | None, Field()] = None,
) -> dict[str, Any]:
    """Return the options of every reader.

    Parameters
    ----------
    missing : sequence of str, or mapping of column to such
        Words for a missing value besides nothing, such as ``?`` or -999; all others are values. By default
        NA, NaN, null and the like, and none in a format with types. False keeps even nothing as a value.
    decimal : str
        ``.`` or ``,``, before the decimals of numbers written as text.
    groups : str
        ``.query`` or ``.group``: the end of the name of a file beside, for ``rank.train`` of
        ``rank.train.query``, with the sizes of lists that follow each other, one a line, as LightGBM and
        XGBoost have it. Each row's list is the column ``qid``.
    """
    return {"missing": missing, "decimal": decimal, "groups": groups}


def read_frame(
    path: StrPath, form: str | None = None, options: Mapping[str, Any] | None = None
) -> pd.DataFrame:
    """Read a table, each column by `Table.values`."""
    import pandas as pd

    table = read_table(path, form, options)
    return pd.DataFrame({name: table.values(name) for name in table.frame})


def read_table(path: StrPath, form: str | None = None, options: Mapping[str, Any] | None = None) -> Table:
    """Read a table from a file.

    `form` is a key of `FORMATS`, by default the one of the file's name; `options` are those of its reader,
    and of `as_written`.
    """
    path, name = identified(path, form)
    where = f"dataset {path}"
    if not isinstance(name, str) or name not in FORMATS:
        raise DatasetError(f"{where}: unknown format {name!r}; {did_you_mean(name, FORMATS)}")
    reader = FORMATS[name]
    _require_file(path)
    refuse_foreign(path, name)
    rest = dict(options or {})
    written = as_written(**{name: rest.pop(name) for name in _OF_ALL if name in rest})
    groups = written.pop("groups")
    frame = reader(path, **complete(reader, rest, f"{where}: format {name!r}", reserved=("path",)))
    frame.columns = [" ".join(str(name).split()) for name in frame.columns]  # Excel breaks them into lines
    refuse_twice(frame.columns, where)
    if len(frame) == 0:
        raise DatasetError(f"{where}: the file has no rows")
    keys = ("ledger", "suspects", "lines", "remarks")
    facts = {key: frame.attrs.pop(key) for key in keys if key in frame.attrs}
    facts.setdefault("ledger", Ledger(len(frame), len(frame)))
    facts["ledger"].require(len(frame), where)
    if groups:
        frame = with_lists(frame, sizes_of_lists(path, groups), where)
    return Table(frame, where, name not in ("csv", "excel"), **facts, **written)


def sizes_of_lists(path: StrPath, end: str) -> Ints:
    """Return the sizes of the lists of a file, from the file beside it whose name ends so."""
    file_of_sizes = f"{os.fspath(path)}{end}"
    where = f"dataset {path}: groups: {end}"
    if end not in GROUPS:
        raise DatasetError(f"{where}: {did_you_mean(end, GROUPS)}")
    if not os.path.isfile(file_of_sizes):
        raise DatasetError(f"{where}: there is no file {file_of_sizes} with the sizes of the lists: write it")
    with open_bytes(file_of_sizes) as file:
        words = file.read().decode("latin-1").split()
    if not words or not all(word.isdecimal() and int(word) > 0 for word in words):
        wrong = next((word for word in words if not word.isdecimal() or int(word) == 0), "nothing")
        raise DatasetError(
            f"{where}: {file_of_sizes} must hold sizes of lists, one a line, got {wrong[:40]!r}"
        )
    return np.array([int(word) for word in words])


def with_lists(frame: pd.DataFrame, sizes: Ints, where: str) -> pd.DataFrame:
    """Return a table with the column ``qid``, the number of each row's list, from 1."""
    if "qid" in frame:
        raise DatasetError(f"{where}: groups: there is a column 'qid' already: leave groups out")
    if sizes.sum() != len(frame):
        raise DatasetError(
            f"{where}: groups: the lists have {sizes.sum():,} rows in all, the table {len(frame):,}: correct "
            "their sizes"
        )
    return frame.assign(qid=np.repeat(np.arange(1, len(sizes) + 1), sizes).astype(str))


def check_options(path: StrPath, form: str, options: Mapping[str, Any]) -> None:
    """Refuse options that `read_table` would refuse, before a file is looked at with them."""
    readers = {name: value for name, value in options.items() if name not in _OF_ALL}
    complete(FORMATS[form], readers, f"dataset {path}: format {form!r}", reserved=("path",))
    check_values(FORMATS[form], readers)


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
            content = io.BytesIO(file.read())
        options = {"n_features": n_features, "zero_based": zero_based, "query_id": True}
        try:
            X, label, query = load_svmlight_file(content, **options)
        except ValueError as error:
            if "sorted" not in str(error):
                raise
            content.seek(0)
            X, label, query = load_svmlight_file(
                io.BytesIO(b"".join(map(sorted_by_index, content))), **options
            )
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
            f"tables are held in full, at most {8 * _MOST_CELLS / 1e9:.3g} GB: set sparse: true, check the "
            "indices, or keep fewer features"
        )
    if X.shape[1] > _MOST_COLUMNS:
        raise DatasetError(
            f"{where}: indices up to {X.shape[1]:,} are as many columns, at most {_MOST_COLUMNS:,} are read: "
            "set sparse: true, check the indices, or number the features that occur from 1"
        )
    first = int(not zero_based)
    frame = pd.DataFrame(X.toarray(), columns=[str(j + first) for j in range(X.shape[1])])
    frame.insert(0, "label", label)
    if len(query):
        frame.insert(1, "qid", np.asarray(query, dtype=np.int64))
    read, aside = _aside_of_svmlight(content.getvalue())
    frame.attrs["ledger"] = Ledger(read, len(frame), tuple(aside))
    return frame


def _aside_of_svmlight(content: bytes) -> tuple[int, list[Aside]]:
    """Return the number of lines of SVMlight, and those without a row."""
    lines = content.splitlines()
    starts = [line.lstrip()[:1] for line in lines]
    empty = {rule: [i for i, start in enumerate(starts) if start == mark] for rule, mark in _NO_ROW.items()}
    entries = [
        Aside(rule, len(places), places[0] + 1, lines[places[0]].decode("latin-1").strip()[:60])
        for rule, places in empty.items()
        if places
    ]
    return len(lines), entries


def sorted_by_index(line: bytes) -> bytes:
    """Return a line of SVMlight with its indices in order."""
    label, *fields = line.partition(b"#")[0].split() or [b""]
    place = {field: int(field.partition(b":")[0]) for field in fields if not field.startswith(b"qid")}
    fields.sort(key=lambda field: place.get(field, -1))
    return b" ".join([label, *fields]) + b"\n"


def read_npz(path: StrPath) -> pd.DataFrame:
    """Read ``.npz`` without unpickling: arrays (n,) are columns, ``X`` of (n, d) is ``X1`` to ``Xd``."""
    import pandas as pd

    where = f"dataset {path}"
    try:
        with np.load(os.fspath(path), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except MemoryError as error:
        raise DatasetError(
            f"{where}: its arrays are larger than the memory: {error}; save fewer rows, or check the file"
        ) from None
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
    """Read a Parquet file; decimals, durations (in seconds) and times of the day (in hours) are numbers."""
    import pandas as pd
    import pyarrow
    from pyarrow import compute, parquet, types

    def plain(column: Any) -> Any:
        kind = column.type
        if types.is_dictionary(kind):
            return plain(column.cast(kind.value_type))
        if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
            values = column.to_pylist()
            return pyarrow.array([v if v is None else v.decode(errors="backslashreplace") for v in values])
        if str(kind) == "extension<arrow.uuid>":
            return pyarrow.array([v if v is None else str(v) for v in column.to_pylist()])
        if types.is_decimal(kind):
            return column.cast("float64")
        if types.is_duration(kind):
            seconds = column.cast(pyarrow.duration("ns")).cast("int64").cast("float64", safe=False)
            return compute.divide(seconds, 1e9)
        if types.is_time(kind):
            return compute.divide(column.cast("time64[ns]").cast("int64").cast("float64", safe=False), 3.6e12)
        return column

    def with_missing(kind: Any) -> Any:  # integers and truth values stay what they are where some are missing
        if types.is_boolean(kind):
            return pd.BooleanDtype()
        name = str(kind).replace("u", "U").replace("int", "Int")
        return pd.api.types.pandas_dtype(name) if types.is_integer(kind) else None

    try:
        table = parquet.read_table(path)
        # An index may have such a name.
        columns = [name for name in table.column_names if not _NO_NAME.fullmatch(name)]
        table = pyarrow.table([plain(table[name]) for name in columns], names=columns)
        return table.to_pandas(types_mapper=with_missing)
    except Exception as error:  # what a damaged file raises depends on where it is damaged
        raise DatasetError(
            f"dataset {path}: not a Parquet file: {error}; if it is text, set format to csv"
        ) from error


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
    """Refuse names that are the same but for blanks: one may be the label."""
    for name, times in Counter(str(name).strip() for name in names).items():
        if times > 1:
            raise DatasetError(
                f"{where}: column {name!r} occurs twice: rename one, in the file or by its place, such as "
                "reader: {names: {2: other}}"
            )


#: Readers by the name of the format.
FORMATS: Mapping[str, Callable[..., pd.DataFrame]] = {
    "csv": read_delimited,
    "excel": read_excel,
    "parquet": read_parquet,
    "svmlight": read_svmlight,
    "npz": read_npz,
    "arff": read_arff,
}
_SUFFIXES = {f".{name}": name for name in FORMATS}
_SUFFIXES |= {".tsv": "csv", ".tab": "csv", ".pq": "parquet", ".svm": "svmlight", ".libsvm": "svmlight"}
_SUFFIXES |= dict.fromkeys([".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"], "excel")
