"""The way a file of text is written: encoding, separator, header, decimals, found in its first rows."""

from __future__ import annotations

import codecs
import csv
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import pandas as pd

from attop.extending import count_noun, join_first
from attop_bench.data.base import DatasetError
from attop_bench.data.beside import with_lists_beside
from attop_bench.data.cells import GAPS, is_date, is_number, mostly_numbers, numbers_of
from attop_bench.data.delimited import default_separator, opened, rows_of, sheet_of, told_separator
from attop_bench.data.formats import FORMATS, Table, check_options, identified, read_table
from attop_bench.data.lines import ABOVE, Suspect
from attop_bench.data.quotes import mended
from attop_bench.data.source import BROKEN, open_bytes, refuse_foreign
from attop_bench.files import StrPath

#: Separators, the likeliest first where two fit alike.
_SEPARATORS = (",", ";", "tab", "|", "whitespace", "^", "~", "\x01", ":", *"¦§&")
#: A column of no more values may be one of codes, as 1,5 is; fewer do where commas do not separate.
_FEW, _FEWEST = 20, 2
#: Rows that are looked at, and those a separator must fit.
_ROWS, _FIT = 1000, 0.9
#: A field that another separator would cut, which is no number or date.
_CUT = re.compile(r".*[,;\t|].*")
#: What nothing cuts.
_QUOTED = r'(?:^|(?<=[,;\t| ]))"(?:[^"]|"")*"(?=[,;\t|\s]|$)'


def read_as_found(
    path: StrPath, form: str | None, given: Mapping[str, Any], label: str | None = None
) -> tuple[Table, dict[str, Any], list[str]]:
    """Read a table; return all options that its reader needs, and what is to be said."""
    path, form = identified(path, form)
    options: dict[str, Any] = {}
    remarks: list[str] = []
    if form in FORMATS:
        check_options(path, form, given)
    if form in ("csv", "excel") and os.path.isfile(path):
        refuse_foreign(path, form)
        try:
            if form == "csv":
                options, remarks = dialect(path, given, label)
            else:
                sheet = sheet_of(path, given.get("sheet"))[1]
                options, remarks = _header(sheet.iloc[:_ROWS].to_numpy().tolist(), given, label)
        except (UnicodeError, OSError, csv.Error, *BROKEN) as error:
            remedy = "it is damaged or no text: save it as CSV"
            raise DatasetError(f"dataset {path}: cannot be read as {form}: {error}; {remedy}") from None
    if form == "svmlight" and "zero_based" not in given and _zero_based(path):
        options["zero_based"] = True
        remarks.append("the first feature has index 0: read with zero_based: true")
    reader = {**options, **given}
    table = read_table(path, form, reader)
    if "groups" not in given:
        table, end, more = with_lists_beside(path, table)
        reader |= {"groups": end} if end else {}
        remarks += more
    few = _FEW if reader.get("separator", ",") == "," else _FEWEST
    columns = table.frame if form == "csv" and "decimal" not in given else table.frame.iloc[:, :0]
    marked = [name for name, raw in columns.items() if raw.str.contains(",", regex=False).any()]
    if any(_has_comma(table.text(name), few) for name in marked) or _has_points(map(table.text, columns)):
        reader["decimal"] = ","
        table = replace(table, decimal=",")
    return table, reader, [*remarks, *about_lines(table)]


def about_lines(table: Table) -> list[str]:
    """Return questions and remarks on lines that are, or may be, no rows."""
    guessed = {suspect.rule for suspect in table.suspects}
    remarks = []
    for entry in table.ledger.passed:
        back = "; as rows: --reader 'pass_over=[]'" if entry.rule in guessed else ""
        if entry.rule != ABOVE:
            remarks.append(f"{entry}: passed over{back}")
    for entry in table.ledger.doubtful:
        one = "it is none" if entry.rows == 1 else "they are none"
        remarks.append(f"{entry}: kept as rows; if {one}: --reader 'pass_over={lines_of(table.suspects)}'")
    return [*remarks, *table.remarks]


def lines_of(suspects: Sequence[Suspect]) -> list[int]:
    """Return the numbers of lines, as the option `pass_over` has them."""
    return [suspect.line for suspect in suspects]


def written_oddly(table: Table, values: pd.DataFrame) -> list[str]:
    """Return a line on columns of numbers that only a person reads as such, with a number of each."""
    usual = re.compile(rf"[-+0-9{re.escape(table.decimal)}eE]*|(?i:[-+]?(nan|inf(inity)?)|true|false)")
    examples = []
    for name in values if not table.has_types else ():
        if not pd.api.types.is_numeric_dtype(values[name]):
            continue
        raw = [value for value in table.text(name).dropna().unique() if not usual.fullmatch(value)]
        numbers = numbers_of(pd.Series(raw, dtype=object), table.decimal) if raw else None
        if numbers is not None and numbers.dtype.kind != "b":
            examples.append(f"{name} ({raw[0]} is {float(numbers.iloc[0]):g})")
    if not examples:
        return []
    return [f"numbers written with signs or units of their own are read: {join_first(examples)}"]


def _has_comma(text: pd.Series, few: int) -> bool:
    """Return whether a column holds numbers that are some only with a comma before the decimals."""
    values = pd.Series(text.dropna().unique(), dtype=object)
    if not values.str.contains(",", regex=False).any():
        return False
    numbers = values[values.str.contains(r"\d")] if len(values) > few else values[:0]
    if len(numbers) < _FIT * len(values) or len(numbers) == 0:
        return False
    return numbers_of(numbers, ",") is not None and numbers_of(numbers, ".") is None


def _has_points(columns: Iterable[pd.Series]) -> bool:
    """Return whether points part thousands of whole numbers, 950 and 1.234, and no decimals, 1.5."""
    has_thousands = False
    for text in columns:
        if not (points := text.str.count("[.]").max()) > 0:
            continue
        small, grouped = map(text.dropna().str.fullmatch, (r"-?\d{1,3}", r"-?[1-9]\d{0,2}(\.\d{3})+"))
        if (small | grouped).all():
            has_thousands |= bool(grouped.sum() > _FEW and (small.any() or points > 1))
        elif numbers_of(text, ".") is not None:
            return False
    return has_thousands


def _zero_based(path: StrPath) -> bool:
    with opened(path) as file:
        return any(re.search(r"\s0:", line) for line in islice(file, _ROWS))


def dialect(
    path: StrPath, given: Mapping[str, Any], label: str | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Return options of `read_delimited`, beside those `given`, and what is to be said.

    A column with the name of one before is renamed, unless it is the `label`'s: which it is must be asked.
    """
    options: dict[str, Any] = {}
    remarks = []
    if "encoding" not in given and (encoding := _encoding(path)):
        options["encoding"], example = encoding
        remarks.append(
            f"no UTF-8: read as {options['encoding']}, such as {example!r}; if that is wrong, name another: "
            "--reader encoding=cp1250"
        )
    with opened(path, {**options, **given}.get("encoding")) as file:
        lines = list(islice(file, 2 * _ROWS))
    told = told_separator(lines[0]) if lines else None
    lines = lines[told is not None :]
    comment = given.get("comment") or _comment(lines)
    if comment and "comment" not in given:
        with opened(path, {**options, **given}.get("encoding")) as file:
            comment = None if _is_in_rows(comment, file) else comment
    usual = told or default_separator(path)
    quote = given.get("quote") or _quote(lines)
    separator = given.get("separator") or told or _separator(lines, usual, comment, quote)
    marks = (("separator", separator, usual), ("comment", comment, None), ("quote", quote, '"'))
    options |= {name: mark for name, mark, default in marks if mark != default and name not in given}
    rows = list(islice(rows_of(_with_quotes(lines, separator, quote), separator, comment, quote), _ROWS))
    header, more = _header(rows, given, label)
    return options | header, remarks + more


def _with_quotes(lines: Sequence[str], separator: str, quote: str) -> Sequence[str]:
    """Return lines with quotes within fields written twice, as far as they can be read so."""
    mark = "\t" if separator == "tab" else separator
    text = mended(lines, mark, quote, 0) if len(mark) == 1 else None
    return lines if text is None else text.lines


def found_again(
    path: StrPath, form: str, reader: Mapping[str, Any], names: Sequence[str]
) -> tuple[dict[str, Any], list[str]]:
    """Return the options of a reader for another file of its form, and what is to be said.

    The header is the first line with these `names`, however many come before it. UTF-8 is read as such, and
    another encoding is guessed where the reader names none.
    """
    new = dict(reader)
    remarks = []
    if form == "csv":
        encoding = _encoding(path)
        if encoding is None:
            new.pop("encoding", None)
        elif "encoding" not in new:
            new["encoding"], example = encoding
            remarks.append(f"no UTF-8: read as {new['encoding']}, such as {example!r}")
    if not new.get("header", True) or (form == "excel" and not new.get("skip")):
        return new, remarks
    renamed = new.get("names") or {}
    wanted = {name for name in names if not isinstance(renamed, Mapping) or name not in renamed.values()}
    rows = _first_rows(path, form, new)
    named = (i for i, row in enumerate(rows) if wanted <= {" ".join(name.split()) for name in row})
    filled = (i for i, row in enumerate(rows) if i >= new.get("skip", 0) and any(map(str.strip, row)))
    place = next(named, None)
    if place is None or not wanted or place == next(filled, None):
        return new, remarks
    new["skip"] = place
    remarks.append(f"the header is line {place + 1:,}: {count_noun(place, 'line')} above it passed over")
    return new, remarks


def _first_rows(path: StrPath, form: str, reader: Mapping[str, Any]) -> list[list[str]]:
    """Return the first rows of a file, below what names the separator."""
    if form == "excel":
        return sheet_of(path, reader.get("sheet"))[1].iloc[:_ROWS].to_numpy().tolist()
    with opened(path, reader.get("encoding")) as file:
        lines = list(islice(file, _ROWS))
    told = told_separator(lines[0]) if lines else None
    separator = reader.get("separator") or told or default_separator(path)
    how = (reader.get("comment"), reader.get("quote", '"'))
    return list(rows_of(lines[told is not None :], separator, *how))


def _header(
    rows: list[list[str]], given: Mapping[str, Any], label: str | None
) -> tuple[dict[str, Any], list[str]]:
    """Return options that say where the header is, if there is one, and what is to be said."""
    options: dict[str, Any] = {}
    remarks = []
    if "skip" not in given and (skip := _before(rows)):
        options["skip"] = skip
        remarks.append(f"{count_noun(skip, 'line')} before the header: passed over")
    rows = [row for row in rows[{**options, **given}.get("skip", 0) :] if any(field.strip() for field in row)]
    if "header" not in given and "names" not in given and len(rows) > 1 and not _is_header(rows[0], rows[1:]):
        options |= {"header": False, "names": "c"}
        remarks.append(
            f"no header: the first line ({', '.join(rows[0])[:40]}) is read as a row, and columns are "
            f"called c1 to c{len(rows[0])}; if it is the header: --reader header=true"
        )
    elif "names" not in given and given.get("header", True) and rows and (names := _renamed(rows[0], label)):
        options["names"] = names
        new = ", ".join(f"column {place} is called {name}" for place, name in names.items())
        remarks.append(f"names that occur twice: {new}")
    return options, remarks


def _encoding(path: StrPath) -> tuple[str, str] | None:
    """Return the likely encoding of a file that is not UTF-8, and a word that shows it."""
    with open_bytes(path) as file:
        start = file.read(1 << 16)
        if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or start[:4] == codecs.BOM_UTF32_BE:
            return None
        if start.count(0) > len(start) / 5:
            wide = "utf-32-" if start.count(0) > len(start) / 2 else "utf-16-"
            wide += "le" if start[1::2].count(0) > start[::2].count(0) or start[:1] != b"\0" else "be"
            return wide, start.decode(wide, "replace")[:20]
        decoder, data = codecs.getincrementaldecoder("utf-8")(), start
        while data:
            try:
                decoder.decode(data)
            except UnicodeDecodeError:
                break
            data = file.read(1 << 20)
        else:
            return None
    # Bytes 80 to 9f are letters and quotes of Windows' code page, but for five that it has not.
    name = "latin-1" if re.search(rb"[\x81\x8d\x8f\x90\x9d]", data) else "cp1252"
    word = re.search(rb"[^\s,;\t|\"]*[\x80-\xff][^\s,;\t|\"]*", data)
    return name, word[0].decode(name)[:30] if word else ""


def _comment(lines: Sequence[str]) -> str | None:
    """Return the mark of lines at the start that hold no row."""
    start = [line for line in lines[:20] if line.strip()]
    marked = [line for line in start if line[0] in "#%"]
    # A header such as #id,age is none.
    named = bool(marked) and any(marked[-1].count(mark) == start[-1].count(mark) > 0 for mark in ",;\t|")
    return marked[0][0] if 0 < len(marked) < len(start) and start[0] == marked[0] and not named else None


def _is_in_rows(mark: str, lines: Iterable[str]) -> bool:
    """Return whether a mark of comments is in a row too: in a line, or before one of as many fields."""
    fields: dict[str, int] = {}
    for line in lines:
        if not line.startswith(mark):
            if mark in line:
                return True
            fields = fields or {sign: line.count(sign) for sign in ",;\t|" if sign in line}
        elif any(line.count(sign) == times for sign, times in fields.items()):
            return True
    return False


def _quote(lines: Sequence[str]) -> str:
    """Return the quotes of fields: single ones where no field has double ones, and most lines have them."""
    text = "".join(lines)
    single, double = (
        re.findall(rf"(?:^|[,;\t|] ?){q}(?:[^{q}\n]|{q}{q})*{q}(?=[,;\t|\r\n]|$)", text, re.MULTILINE)
        for q in "'\""
    )
    return "'" if not double and len(single) > len(lines) / 2 else '"'


def _separator(lines: Sequence[str], usual: str, comment: str | None, quote: str) -> str:
    """Return the separator that gives most rows as many fields, and cuts none that another would."""
    best, score = usual, 0.0
    text = re.sub(_QUOTED.replace('"', quote), "text", "".join(lines), flags=re.MULTILINE)
    lines = text.splitlines(keepends=True)
    for separator in sorted(_SEPARATORS, key=lambda mark: mark != usual):
        try:
            rows = list(islice(filter(any, rows_of(lines, separator, comment)), _ROWS))
        except csv.Error:
            continue
        width, times = Counter(map(len, rows)).most_common(1)[0] if rows else (1, 0)
        if width == 1 or times < _FIT * len(rows):
            continue
        fields = [field for row in rows[:200] for field in row]
        whole = sum(not _CUT.fullmatch(field) or is_number(field.strip()) for field in fields)
        fit = times / len(rows) * whole / len(fields)
        if fit > score + 1e-9:
            best, score = separator, fit
    return best


def _before(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows come before the header: titles, of fewer fields than most rows, and groups."""
    filled = [len("\0".join(map(str.strip, row)).rstrip("\0").split("\0")) * any(row) for row in rows]
    if not any(filled):
        return 0
    width = Counter(n for n in filled if n).most_common(1)[0][0]
    first = next((i for i, n in enumerate(filled) if n >= width - 1), 0)
    first = first if width > 2 and any(filled[:first]) else 0
    below = rows[first + 1 : first + 50]
    if len(below) > 2 and len(below[0]) == len(rows[first]) and _names_groups(rows[first], below):
        return first + 1
    return first


def _names_groups(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether a row names groups of columns that the next row names: fewer, and no values."""
    names, groups = ([name.strip() for name in names] for names in (below[0], row))
    if not all(names) or len(set(names)) < len(names) or len(set(groups) - {""}) == len(names):
        return False
    return (
        _is_header(names, below[1:])
        and mostly_numbers([name for name in groups if name] or ["0"], _FIT) is None
    )


def _is_header(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a row names columns rather than being one of them.

    A name is no number or date where all others of its column are. Without such a column, a row is one of
    many by numbers within the range of the others, and by text that comes back.
    """
    alike = other = 0
    names = [name.strip() for name in first]
    columns = zip(*(row for row in rows if len(row) == len(first) and row != first), strict=True)
    for name, column in zip(names, columns, strict=False):
        values = [value.strip() for value in column if value.strip() not in {*GAPS, "?"}]
        if name in {*GAPS, "?"} or not values:
            continue
        if (numbers := mostly_numbers(values, _FIT)) is not None:
            number = mostly_numbers([name], _FIT)
            if number is None:
                return True
            within = numbers.min() <= number[0] <= numbers.max()
        elif all(map(is_date, values)):
            if not is_date(name):
                return True
            within = True
        elif len(set(values)) > len(values) / 2:
            continue
        else:
            within = name in values
        alike, other = alike + within, other + (not within)
    return other >= alike or names in ([str(i + j) for i in range(len(names))] for j in (0, 1))


def _renamed(header: Sequence[str], label: str | None) -> dict[int, str]:
    """Return new names for columns whose name came before, by their place."""
    names = [" ".join(name.split()) for name in header]
    new: dict[int, str] = {}
    for place, name in enumerate(names, 1):
        if name and name in names[: place - 1] and name != label:
            number = next(i for i in range(2, len(names) + 2) if f"{name}_{i}" not in {*names, *new.values()})
            new[place] = f"{name}_{number}"
    return new
