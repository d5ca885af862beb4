"""Small tables and ways of writing them: a situation takes one of each."""

import gzip
import zipfile
from functools import cache

import numpy as np
import pandas as pd
import pyarrow
import pytest


@cache
def base(n=160):
    """Return a table without anything odd: two numbers, a category and a label, 30% of it positive."""
    rng = np.random.default_rng(0)
    y = rng.random(n) < 0.3
    colour = np.where(y & (rng.random(n) < 0.5), "red", rng.choice(["green", "ochre", "dark blue", "red"], n))
    columns = {"amount": (rng.normal(40 * y, 30) + 900).round(2), "age": rng.integers(18, 90, n)}
    return pd.DataFrame({**columns, "colour": colour, "y": np.where(y, "yes", "no")})


def with_columns(**columns):
    """Return the base with more columns before the label, each a function of (generator, n, labels)."""
    frame = base()
    y = (frame["y"] == "yes").to_numpy()
    for i, (name, make) in enumerate(columns.items()):
        values = make(np.random.default_rng(100 + i), len(frame), y)
        if name in frame:
            frame = frame.assign(**{name: values})
        else:
            frame = frame.copy()
            frame.insert(frame.shape[1] - 1, name, values)
    return frame


def text(
    sep=",",
    *,
    header=True,
    before="",
    after="",
    end="\n",
    encoding="utf-8",
    name="t.csv",
    quote='"',
    around=False,
    **fields,
):
    """Write delimited text; `fields` are columns -> how a value is written.

    `around` puts quotes around all.
    """

    def write(frame, folder):
        cells = frame.astype(object)
        for column, form in fields.items():
            cells[column] = [form(value) for value in cells[column]]
        rows = [list(map(str, frame.columns))] * header + cells.values.tolist()

        def field(value):
            value = "" if pd.isna(value) else str(value)
            if around:
                return f"{quote}{value}{quote}"
            special = any(mark in value for mark in (sep, quote, "\n")) or (sep == " " and not value)
            return f"{quote}{value.replace(quote, 2 * quote)}{quote}" if special else value

        lines = [sep.join(map(field, row)) for row in rows]
        path = folder / name
        path.write_bytes((before + end.join(lines) + end + after).encode(encoding))
        return path

    return write


def aligned(header=True, name="t.txt"):
    """Write columns of equal width, as R or Fortran print them: runs of blanks between."""

    def write(frame, folder):
        cells = frame.astype(str).map(lambda value: value.replace(" ", "_"))
        rows = [list(frame.columns)] * header + cells.values.tolist()
        width = [max(len(row[j]) for row in rows) + 2 for j in range(frame.shape[1])]
        lines = ["".join(value.rjust(w) for value, w in zip(row, width, strict=True)) for row in rows]
        (folder / name).write_text("\n".join(lines) + "\n")
        return folder / name

    return write


def packed(write, how, ending):
    """Write by another way, then compress: gz, zst or zip."""

    def pack(frame, folder):
        path = write(frame, folder)
        target, content = folder / f"{path.name}{ending}", path.read_bytes()
        if how == "zip":
            with zipfile.ZipFile(target, "w") as box:
                box.writestr(path.name, content)
        elif how == "zst":
            with pyarrow.CompressedOutputStream(str(target), "zstd") as file:
                file.write(content)
        else:
            target.write_bytes(gzip.compress(content))
        return target

    return pack


def parquet(**types):
    """Write Parquet; `types` are columns -> types of Arrow."""

    def write(frame, folder):
        from pyarrow import parquet as pq

        table = pyarrow.Table.from_pandas(frame)
        for name, kind in types.items():
            kind = pyarrow.type_for_alias(kind) if isinstance(kind, str) else kind
            i = table.schema.get_field_index(name)
            values = frame[name].tolist()
            given = pyarrow.types.is_dictionary(kind) or pyarrow.types.is_time(kind)
            values = list(map(str, values)) if kind in ("string", pyarrow.binary()) else values
            column = pyarrow.array(values, kind) if given else pyarrow.array(values).cast(kind)
            table = table.set_column(i, name, column)
        pq.write_table(table, folder / "t.parquet")
        return folder / "t.parquet"

    return write


def template(text, name, line=lambda row: ",".join(map(str, row))):
    """Write lines of rows after a head, such as that of an ARFF file."""

    def write(frame, folder):
        rows = "\n".join(line(row) for row in frame.astype(object).values.tolist())
        (folder / name).write_text(f"{text}\n{rows}\n")
        return folder / name

    return write


def thousands(mark, point):
    """Write 1234.5 as 1,234.50."""
    return lambda value: f"{value:,.2f}".replace(",", "\0").replace(".", point).replace("\0", mark)


def svmlight(first=1, name="t.svm", graded=False, backwards=False):
    """Write the numbers of a table as SVMlight; a colour is one more feature, 0 for the first."""

    def write(frame, folder):
        lines = []
        for row in frame.itertuples():
            values = [row.amount, row.age, ["dark blue", "green", "ochre", "red"].index(row.colour)]
            label = int(row.y == "yes") * (1 + (graded and row.age > 50))
            pairs = [f"{j + first}:{value}" for j, value in enumerate(values) if value]
            lines.append(" ".join([str(label), *(pairs[::-1] if backwards else pairs)]))
        (folder / name).write_text("\n".join(lines) + "\n")
        return folder / name

    return write


def lines(change):
    """Write CSV, its lines, the header first, changed by a function."""

    def write(frame, folder):
        path = text()(frame, folder)
        path.write_text("\n".join(change(path.read_text().splitlines())) + "\n")
        return path

    return write


def sheet(change, name="t.xlsx"):
    """Write a sheet of a spreadsheet, its rows, the header first, changed by a function."""

    def write(frame, folder):
        book = pytest.importorskip("openpyxl").Workbook()
        for row in change([list(frame.columns), *frame.astype(object).values.tolist()]):
            book.active.append(row)
        book.save(folder / name)
        return folder / name

    return write


def raw(content, name="t.csv"):
    """Write bytes, whatever the table."""

    def write(frame, folder):
        (folder / name).write_bytes(content)
        return folder / name

    return write


def zipped(*names):
    """Write an archive of several files."""

    def write(frame, folder):
        content = text()(frame, folder).read_bytes()
        with zipfile.ZipFile(folder / "t.zip", "w") as box:
            for name in names:
                box.writestr(name, content)
        return folder / "t.zip"

    return write


def excel(above=0, notes=False):
    """Write a sheet of a spreadsheet, below some rows, or after a sheet of notes."""

    def write(frame, folder):
        pytest.importorskip("openpyxl")
        with pd.ExcelWriter(folder / "t.xlsx") as book:
            if notes:
                remarks = pd.DataFrame({"Notes": ["in May", "by hand"]})
                remarks.to_excel(book, index=False, sheet_name="Read me")
            frame.to_excel(book, index=False, sheet_name="Data" if notes else "Sheet1", startrow=above)
        return folder / "t.xlsx"

    return write
