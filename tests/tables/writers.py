"""Small tables and ways of writing them: a situation takes one of each."""

import gzip
import zipfile
from functools import cache

import numpy as np
import pandas as pd


@cache
def base(n=160, seed=0):
    """Return a table without anything odd: two numbers, a category and a label, 30% of it positive."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    colour = np.where(y & (rng.random(n) < 0.5), "red", rng.choice(["green", "ochre", "dark blue"], n))
    columns = {"amount": (rng.normal(40 * y, 30) + 900).round(2), "age": rng.integers(18, 90, n)}
    return pd.DataFrame({**columns, "colour": colour, "y": np.where(y, "yes", "no")})


def with_columns(**columns):
    """Return the base with more columns before the label, each a function of (generator, n, labels)."""
    frame = base()
    y = (frame["y"] == "yes").to_numpy()
    for i, (name, make) in enumerate(columns.items()):
        values = make(np.random.default_rng(i), len(frame), y)
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
    **fields,
):
    """Write delimited text; `fields` are columns -> how a value is written."""

    def write(frame, folder):
        cells = frame.astype(object)
        for column, form in fields.items():
            cells[column] = [form(value) for value in cells[column]]
        rows = [list(map(str, frame.columns))] * header + cells.values.tolist()

        def field(value):
            value = "" if value is None or value != value else str(value)
            special = any(mark in value for mark in (sep, quote, "\n")) or (sep == " " and not value)
            return f"{quote}{value.replace(quote, 2 * quote)}{quote}" if special else value

        lines = [sep.join(map(field, row)) for row in rows]
        path = folder / name
        path.write_bytes((before + end.join(lines) + end + after).encode(encoding))
        return path

    return write


def aligned(**options):
    """Write columns of equal width, as R or Fortran print them: runs of blanks between."""

    def write(frame, folder):
        cells = frame.astype(str).map(lambda value: value.replace(" ", "_"))
        options_ = {"header": True, "name": "t.txt", **options}
        rows = [list(frame.columns)] * options_["header"] + cells.values.tolist()
        width = [max(len(row[j]) for row in rows) + 2 for j in range(frame.shape[1])]
        lines = ["".join(value.rjust(w) for value, w in zip(row, width, strict=True)) for row in rows]
        (folder / options_["name"]).write_text("\n".join(lines) + "\n")
        return folder / options_["name"]

    return write


def packed(write, how, ending):
    """Write by another way, then compress: gz, zst or zip."""

    def pack(frame, folder):
        path = write(frame, folder)
        target = folder / f"{path.name}{ending}"
        if how == "zip":
            with zipfile.ZipFile(target, "w") as box:
                box.write(path, path.name)
        elif how == "zst":
            import pyarrow

            with pyarrow.CompressedOutputStream(str(target), "zstd") as file:
                file.write(path.read_bytes())
        else:
            target.write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
        return target

    return pack


def parquet(**types):
    """Write Parquet; `types` are columns -> types of Arrow."""

    def write(frame, folder):
        import pyarrow
        from pyarrow import parquet as pq

        table = pyarrow.Table.from_pandas(frame)
        for name, kind in types.items():
            i = table.schema.get_field_index(name)
            column = pyarrow.array(frame[name].tolist(), from_pandas=True)
            table = table.set_column(i, name, column.cast(kind))
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
