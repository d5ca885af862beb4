"""Formats of tables: told by the name of a file or its first bytes, with a reader for each.

CSV, which has no types, is read as text; columns become numbers where numbers are asked for, so that names
(``007``, 20 digits) stay what they are, and one row is read as a thousand are.
"""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, StrictInt, StrictStr

from attop.extending import did_you_mean, join_first
from attop_bench.data.errors import DatasetError
from attop_bench.data.files.opening import BROKEN, hold, open_bytes
from attop_bench.data.ledger import Ledger
from attop_bench.data.parameters import check_values, checked, complete
from attop_bench.data.reading.arff import read_arff
from attop_bench.data.reading.delimited import read_delimited
from attop_bench.data.reading.excel import read_excel
from attop_bench.data.reading.lists import BESIDE
from attop_bench.data.reading.npz import read_npz
from attop_bench.data.reading.parquet import read_parquet
from attop_bench.data.reading.svmlight import read_svmlight
from attop_bench.data.reading.table import Table
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd

_Place = StrictStr | Mapping[StrictStr, StrictStr] | None
_Words = (
    Sequence[StrictStr | StrictInt | Annotated[float, Field(strict=True)]]
    | Literal[False]
)
#: What compresses a file, at the end of its name.
_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
#: Formats whose libraries open a file themselves.
BY_PATH = ("parquet", "npz")
#: Options of every reader.
_OF_ALL = ("missing", "decimal", *(source.option for source in BESIDE))

#: First bytes of formats that are read, and of others, with the reader of pandas that has them.
_READ = (
    ("parquet", rb"PAR1"),
    ("excel", rb"PK\x03\x04|\xd0\xcf\x11\xe0"),
    ("arff", rb"(?i)(\s*%[^\n]*\n)*\s*@(relation|attribute)\s"),
    ("svmlight", rb"[-+]?\d+(\.\d+)?( qid:\d+)? \d+:[-+\d.eE]+ \d+:"),
)
_FOREIGN = (
    ("a Feather file", rb"ARROW1|FEA1", "read_feather"),
    ("JSON lines", rb"\s*\{[^\n]*\}\s*\n\s*\{", "read_json(lines=True)"),
    ("JSON", rb"\s*(\{\s*[\"}]|\[\s*[\[{])", "read_json"),
    ("HTML", rb"(?i)\s*<(!doctype|html|table|head|body|div)", "read_html"),
    ("XML", rb"\s*<\?xml", "read_xml"),
    ("a pickle", rb"\x80[\x02-\x05]", "read_pickle"),
    ("a Stata file", rb"<stata_dta>|[\x6c-\x73][\x01\x02]\x01\x00", "read_stata"),
    ("an SPSS file", rb"\$FL[23]", "read_spss"),
    ("a SAS file", rb"\x00{12}\xc2\xea\x81\x60", "read_sas"),
    ("an HDF5 file", rb"\x89HDF", "read_hdf"),
    ("an SQLite database", rb"SQLite format 3", "read_sql"),
    ("an R file", rb"(RD[XA]\d\n)?[XA]\n(\x00\x00\x00|[23]\n)", ""),
    ("a PDF", rb"%PDF", ""),
    ("an image", rb"\x89PNG|\xff\xd8\xff|GIF8", ""),
    ("a NumPy array", rb"\x93NUMPY", ""),
    ("an archive", rb"7z\xbc\xaf|Rar!|.{257}ustar|PK\x05\x06", ""),
)
_LINE_OF_SVMLIGHT = re.compile(
    r"[-+]?[\d.]+([eE][-+]?\d+)?(\s+(qid|\d+):\S+)+\s*(#.*)?"
)


def format_of(path: StrPath, own: str | None = None) -> str:
    """Find the format of a file by the end of its name, before ``.gz`` and the like.

    Where that says nothing, as ``.txt``, the format is `own`, by default the one its first lines look like.
    """
    form = _format_by_name(path) or own
    if form is None:
        _require_file(path)
        form = _format_by_content(path)
    if form is None:
        refuse_foreign(path)
        raise DatasetError(
            f"dataset {path}: cannot tell the format from the name: set format to one of {', '.join(FORMATS)}"
        )
    return form


def identified(path: StrPath, form: str | None = None) -> tuple[StrPath, str]:
    """Identify a file and its format, by default the one of its name or content; see `format_of`.

    The file has its content with it, read once, where the reader of the format takes bytes.
    """
    if form is None:
        path = path if _format_by_name(path) else hold(path)
        form = format_of(path)
    return path if form in BY_PATH else hold(path), form


def _format_by_name(path: StrPath) -> str | None:
    """Read the format that the end of a name says, before ``.gz`` and the like."""
    name = PurePath(path)
    while name.suffix.lower() in _PACKED:
        name = name.with_suffix("")
    return _SUFFIXES.get(name.suffix.lower())


def refuse_foreign(path: StrPath, form: str = "csv") -> None:
    """Refuse a file of another format than `form` by its first bytes, and say what it is."""
    where = f"dataset {path}"
    try:
        with open_bytes(path) as file:
            start = file.read(1 << 12).removeprefix(b"\xef\xbb\xbf")
            names = (
                _names_in(start + file.read())
                if start.startswith(b"PK\3\4")
                else []
            )
    except (OSError, *BROKEN):
        return  # its reader says more
    if form == "npz":
        return
    if names and not {"[Content_Types].xml", "mimetype"} & {*names}:
        held = f"{len(names)} files, {join_first(names, 3)}"
        raise DatasetError(
            f"{where}: this is an archive of {held}: unpack it and give one of them"
        )
    for other, pattern in _READ:
        if other != form and re.match(pattern, start):
            raise DatasetError(
                f"{where}: this is of the format {other}: set format (--format) to {other}"
            )
    for what, pattern, reader in _FOREIGN:
        if re.match(pattern, start, re.DOTALL):
            how = (
                f", as by pandas.{reader} and to_csv(index=False)" if reader else ""
            )
            raise DatasetError(
                f"{where}: this is {what}, which is not read: save the table in it as CSV{how}"
            )


def _names_in(archive: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(archive)) as box:
        return box.namelist()


def _format_by_content(path: StrPath) -> str | None:
    """Recognise the format of a file by its start; None if it is no text."""
    try:
        with open_bytes(path) as file:
            start = file.read(1 << 14)
    except (OSError, *BROKEN):
        return "csv"  # whose reader says more
    if start.startswith(b"PAR1"):
        return "parquet"
    lines = [
        line
        for line in start.decode("latin-1").splitlines()
        if line.strip() and line[0] not in "%#"
    ]
    if any(line.lower().startswith("@attribute") for line in lines):
        return "arff"
    if lines and _LINE_OF_SVMLIGHT.fullmatch(lines[0].strip()):
        return "svmlight"
    is_text = b"\0" not in start or start[:2] in (b"\xff\xfe", b"\xfe\xff")
    return "csv" if is_text and lines and lines[0][0] not in "{[<" else None


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


@checked("reader")
def as_written(
    *,
    missing: Annotated[
        _Words | Mapping[StrictStr | StrictInt, _Words] | None, Field()
    ] = None,
    decimal: Annotated[Literal[".", ","], Field()] = ".",
    groups: _Place = None,
    weights: _Place = None,
) -> dict[str, Any]:
    """List the options of every reader.

    Parameters
    ----------
    missing : sequence of str, or mapping of column to such
        Words for a missing value besides nothing, such as ``?`` or -999; all others are values. By default
        NA, NaN, null and the like, and none in a format with types. With False no cell is missing, not
        even an empty one.
    decimal : str
        ``.`` or ``,``, before the decimals of numbers written as text.
    groups : str, or mapping with path
        File with the sizes of lists that follow each other, one a line, as LightGBM and XGBoost have it:
        ``{path: FILE}``; or ``.query`` or ``.group``, the end of the name of a file beside, for
        ``rank.train`` of ``rank.train.query``. Each row's list is the column ``qid``.
    weights : str, or mapping with path
        File with the weight of each row, one a line: ``{path: FILE}``; or ``.weight`` or ``.weights``, the
        end of the name of a file beside. They are the column ``weight``.
    """
    return {
        "missing": missing,
        "decimal": decimal,
        "groups": groups,
        "weights": weights,
    }


def read_frame(
    path: StrPath, form: str | None = None, options: Mapping[str, Any] | None = None
) -> pd.DataFrame:
    """Read a table, each column by `Table.values`."""
    import pandas as pd

    table = read_table(path, form, options)
    return pd.DataFrame({name: table.values(name) for name in table.frame})


def read_table(
    path: StrPath, form: str | None = None, options: Mapping[str, Any] | None = None
) -> Table:
    """Read a table from a file.

    `form` is a key of `FORMATS`, by default the one of the file's name; `options` are those of its reader,
    and of `as_written`.
    """
    path, name = identified(path, form)
    where = f"dataset {path}"
    if not isinstance(name, str) or name not in FORMATS:
        raise DatasetError(
            f"{where}: unknown format {name!r}; {did_you_mean(name, FORMATS)}"
        )
    reader = FORMATS[name]
    _require_file(path)
    refuse_foreign(path, name)
    rest = dict(options or {})
    written = as_written(
        **{name: rest.pop(name) for name in _OF_ALL if name in rest}
    )
    places = [written.pop(source.option) for source in BESIDE]
    frame = reader(
        path,
        **complete(reader, rest, f"{where}: format {name!r}", reserved=("path",)),
    )
    # Excel breaks them into lines.
    frame.columns = [" ".join(str(name).split()) for name in frame.columns]
    refuse_twice(frame.columns, where)
    if len(frame) == 0:
        raise DatasetError(f"{where}: the file has no rows")
    keys = ("ledger", "suspects", "lines", "remarks", "ordered")
    facts = {key: frame.attrs.pop(key) for key in keys if key in frame.attrs}
    facts.setdefault("ledger", Ledger(len(frame), len(frame)))
    facts["ledger"].require(len(frame), where)
    for source, place in zip(BESIDE, places, strict=True):
        if place is not None:
            frame = source.added(frame, path, place)
    return Table(frame, where, name not in ("csv", "excel"), **facts, **written)


def check_options(path: StrPath, form: str, options: Mapping[str, Any]) -> None:
    """Refuse options that `read_table` would refuse, before a file is looked at with them."""
    readers = {
        name: value for name, value in options.items() if name not in _OF_ALL
    }
    complete(
        FORMATS[form],
        readers,
        f"dataset {path}: format {form!r}",
        reserved=("path",),
    )
    check_values(FORMATS[form], readers)


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
_SUFFIXES |= {
    ".tsv": "csv",
    ".tab": "csv",
    ".pq": "parquet",
    ".svm": "svmlight",
    ".libsvm": "svmlight",
}
_SUFFIXES |= dict.fromkeys([".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"], "excel")
