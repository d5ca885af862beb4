"""The format of a file by its first bytes."""

from __future__ import annotations

import io
import re
import zipfile

from attop.extending import join_first
from attop_bench.data.errors import DatasetError
from attop_bench.data.files.opening import BROKEN, open_bytes
from attop_bench.files import StrPath

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


_LINE_OF_SVMLIGHT = re.compile(
    r"[-+]?[\d.]+([eE][-+]?\d+)?(\s+(qid|\d+):\S+)+\s*(#.*)?"
)


def format_by_content(path: StrPath) -> str | None:
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
