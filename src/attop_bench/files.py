"""Files written whole or not at all; no other module replaces a file."""

from __future__ import annotations

import csv
import errno
import json
import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

StrPath = str | os.PathLike[str]
#: An object of JSON or YAML.
JsonObject = dict[str, Any]
#: An object of JSON or YAML that is only read, such as an entry of a configuration or of a manifest.
Entry = Mapping[str, Any]

#: Begins the name of a folder with files that are not in place yet.
UNFINISHED = ".attop-unfinished-"
#: A name that files can be called after: it leads to no other folder, and every system takes it.
FILE_STEM = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$"
#: The beginning of a formula in a spreadsheet, apostrophes before it or not; a number with a sign is none.
_FORMULA = re.compile(
    r"'*([=@\t\r]|[+-](?![\d.,]*\d[.,]?(e[+-]?\d+)?\Z))", re.IGNORECASE
)


def check_stem(name: str, what: str) -> None:
    """Refuse a name that cannot be part of a file's name, or is that of all, with a `ValueError`."""
    if not re.fullmatch(FILE_STEM, name) or name == "all":
        raise ValueError(
            f"{what}: files are called after it, so at most 60 letters, digits, '.', '_', '-' are needed, "
            f"a letter or digit first, but not 'all', got {name[:80]!r}: rename it"
        )


def plain_cell(value: Any) -> Any:
    """Guard a cell from being taken for a formula: text that begins one gets an apostrophe."""
    return (
        f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
    )


def original_cell(text: str) -> str:
    """Undo `plain_cell`."""
    return text[1:] if text[:1] == "'" and _FORMULA.match(text) else text


def csv_text(frame: pd.DataFrame) -> str:
    """Write a table as CSV, cells and heads by `plain_cell`. An undefined number is an empty field."""
    plain = frame.rename(columns=plain_cell)
    for i, dtype in enumerate(frame.dtypes):
        if dtype.kind not in "biufcmM":
            plain.isetitem(i, frame.iloc[:, i].astype(object).map(plain_cell))
    text = plain.to_csv(index=False, lineterminator="\n")
    if "\r" in text:  # Python before 3.13 quotes no cell for it
        text = plain.to_csv(
            index=False, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC
        )
    return text


@contextmanager
def replacing(path: StrPath) -> Iterator[IO[bytes]]:
    """Give a file to write; it becomes `path` when the block ends, and is removed if the block raises.

    Until then it lies next to `path` under a name of its own, so a reader sees the old file or the whole new
    one, also when this process is killed. Missing folders are made. The mode is that of any new file: what
    the umask leaves of 0666.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f".{path.name[:100]}.{os.urandom(6).hex()}"
    descriptor = os.open(
        temporary,
        os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0),
        0o666,
    )
    try:
        with os.fdopen(descriptor, "w+b") as file:
            yield file
        _put(temporary, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


@contextmanager
def replacing_files(folder: StrPath, names: Sequence[str]) -> Iterator[Path]:
    """Give a new folder; when the block ends its files become those of `folder`, and old `names` go.

    The new folder lies in `folder`, which may be a mount point, or below a folder that is closed. All files
    are whole before the first is replaced; they are put in place in the order of `names`. If the block
    raises, or a file cannot be put in place, `folder` is as it was, other files in it included. A process
    that is killed while files are put in place leaves files of two writers: the first of `names` must tell
    a reader.

    Raises
    ------
    OSError
        With the file or folder that cannot be written as its `filename`; see `check_folder`.
    """
    folder = Path(os.path.realpath(folder))
    folder.mkdir(parents=True, exist_ok=True)
    _refuse_obstacles(folder, names)
    temporary = _new_folder_in(folder)
    try:
        yield temporary
        _put_all_in_place(temporary, folder, names)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def check_folder(folder: StrPath, names: Sequence[str] = ()) -> None:
    """Raise the `OSError` that `replacing_files` would raise, before there is anything to write.

    The folder, or the nearest one above it that exists, must take new files, and nothing may stand where
    `names` go that a file cannot replace. Nothing is left behind.
    """
    place = Path(os.path.realpath(folder))
    _refuse_obstacles(place, names)
    nearest = next(
        path for path in (place, *place.parents) if os.path.lexists(path)
    )
    try:
        _new_folder_in(nearest).rmdir()
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from None


def _new_folder_in(folder: Path) -> Path:
    """Make a folder for files that are not in place yet; an error names `folder`."""
    new = folder / f"{UNFINISHED}{os.urandom(6).hex()}"
    try:
        new.mkdir()
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from None
    return new


def _refuse_obstacles(folder: Path, names: Sequence[str]) -> None:
    """Refuse a folder, or a mount of its own, where a file is to go."""
    for name in names:
        path = folder / name
        try:
            status = path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(
                errno.EISDIR, "it is a folder where a file is to be", str(path)
            )
        if os.path.ismount(path) or status.st_dev != folder.stat().st_dev:
            raise OSError(
                errno.EXDEV,
                "it is mounted by itself, and cannot be replaced",
                str(path),
            )


def _put_all_in_place(new: Path, folder: Path, names: Sequence[str]) -> None:
    """Move the files of one folder into another, and remove the other `names`; undo all if one cannot be."""
    former = new / "former"
    former.mkdir()
    for name in names:
        if os.path.lexists(folder / name):
            _keep(folder / name, former / name)
    try:
        for name in names:
            if (new / name).exists():
                _put(new / name, folder / name)
            else:
                (folder / name).unlink(missing_ok=True)
    except BaseException:
        _put_back(former, folder, names)
        raise


def _put_back(former: Path, folder: Path, names: Sequence[str]) -> None:
    """Give a folder the files it had; one that cannot be put back does not keep the others."""
    for name in names:
        with suppress(OSError):
            if os.path.lexists(former / name):
                os.replace(former / name, folder / name)
            else:
                (folder / name).unlink(missing_ok=True)


def _keep(file: Path, copy: Path) -> None:
    """Give a file a second name, or where the file system has none, copy it."""
    try:
        os.link(file, copy, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(file, copy, follow_symlinks=False)


def _put(file: Path, path: Path) -> None:
    """Make a file `path`; an error names `path`, and no file that is temporary."""
    try:
        os.replace(file, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def put_in_place(file: StrPath, path: StrPath) -> None:
    """Make a finished file, on the same file system, `path`. Missing folders are made."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    os.replace(file, path)


def write_bytes(path: StrPath, content: bytes) -> None:
    """Write a file; see `replacing`."""
    with replacing(path) as file:
        file.write(content)


def write_text(path: StrPath, text: str) -> None:
    """Write text as UTF-8; see `replacing`."""
    write_bytes(path, text.encode())


def write_json(path: StrPath, content: Entry) -> None:
    """Write JSON; see `replacing`.

    NumPy's scalars become Python's, NaN and infinities null, half a pair of surrogates its escape sequence.
    """
    write_text(path, json.dumps(_plain(content), indent=1, allow_nan=False) + "\n")


def read_json(path: StrPath) -> JsonObject:
    """Read what `write_json` wrote; raise `ValueError` for anything else."""
    return parse_json(Path(path).read_bytes())


def parse_json(text: bytes) -> JsonObject:
    """Parse what `write_json` wrote; raise `ValueError` for anything else."""
    try:
        content = json.loads(text.decode("utf-8"))
        # Refuses half a pair of surrogates.
        json.dumps(content, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return content


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_plain(str(k)): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and value - value != 0:
        return None
    return (
        value.encode("utf-8", "backslashreplace").decode()
        if isinstance(value, str)
        else value
    )


def write_csv(path: StrPath, frame: pd.DataFrame) -> None:
    """Write a table as CSV; see `replacing` and `csv_text`."""
    write_text(path, csv_text(frame))


def write_parquet(
    path: StrPath, frame: pd.DataFrame, metadata: Mapping[str, str] | None = None
) -> None:
    """Write a table as Parquet, with `metadata` in addition to that of the schema; see `replacing`."""
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    if metadata:
        table = table.replace_schema_metadata(
            {**(table.schema.metadata or {}), **metadata}
        )
    with replacing(path) as file:
        parquet.write_table(table, file)
