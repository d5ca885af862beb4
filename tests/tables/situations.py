"""The list of situations: what is odd about a table, how it is written, and what is right.

A report of a table that was read wrong becomes a line here first. `write` is made by a function of
`tables.writers`, by default plain CSV, the table is by default `base()`. Unless `same=False`, features and
labels must be those of the table written plainly.
"""

import gzip
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pyarrow

from tables.writers import (
    aligned,
    base,
    excel,
    lines,
    packed,
    parquet,
    raw,
    sheet,
    svmlight,
    template,
    text,
    thousands,
    with_columns,
    zipped,
)


@dataclass(frozen=True)
class S:
    """A situation."""

    what: str
    write: Callable[..., Any] = field(default_factory=text)
    frame: pd.DataFrame | None = None
    #: The same table, plainly written, must give these data, if any; by default `frame`.
    as_if: pd.DataFrame | None = None
    same: bool = True
    #: Arguments of `look`: label, positive, ...
    given: Mapping[str, Any] = field(default_factory=lambda: {"label": "y"})
    #: Column -> kind.
    kinds: Mapping[str, str] = field(default_factory=dict)
    #: The label and its positive value.
    label: tuple[str, object] | None = None
    #: Options of the reader that are proposed.
    reader: Mapping[str, object] | None = None
    #: Other parameters that are proposed, such as drop and entity.
    params: Mapping[str, object] = field(default_factory=dict)
    #: Patterns among what is said; and one of the refusal, if it is to be refused.
    says: tuple[str, ...] = ()
    refused: str = ""
    #: Lines beside the first seven rows that a list of new rows ranks, since they may be rows.
    also_ranked: int = 0


def _line(row):
    return ",".join(map(str, row))


def arff(rest="", head="@relation t", amount="numeric", levels="{green,ochre,'dark blue',red}", end=""):
    """Write ARFF; `rest` follows the attributes."""
    attributes = [f"@attribute amount {amount}", "@attribute age integer", f"@attribute colour {levels}"]
    text = "\n".join([head, *attributes, "@attribute y {yes,no}", *([rest] if rest else []), "@data"])

    def line(row):
        return ",".join(f"'{value}'" if " " in str(value) else str(value) for value in row) + end

    return template(text, "t.arff", line)


def gaps(word, among=("Denmark", "France", "Italy")):
    """Return the base with a column of countries, or of what is `among`, with a word for gaps."""

    def make(rng, n, y):
        values = rng.choice(among, n).astype(object)
        return np.where(rng.random(n) < 0.15, word, values)

    return with_columns(x=make)


def level(word, among=("DE", "FR", "IT")):
    """Return the base with a column in which a word, where there is one, goes with the label."""
    return with_columns(x=_level(word, among))


def _level(word, among):
    return lambda rng, n, y: np.where(
        y & (rng.random(n) < 0.7), word, rng.choice(list(among), n).astype(object)
    )


def drawn_from(values):
    """Return a function that makes a column of some values."""
    return lambda rng, n, y: rng.choice(values, n).astype(object)


def numbers(word):
    """Return the base with a column of numbers with a word for gaps."""
    return with_columns(x=_numbers(word))


def _numbers(word):
    return lambda rng, n, y: np.where(
        rng.random(n) < 0.1, word, rng.integers(10, 900, n).astype(str).astype(object)
    )


def grades(code):
    """Return a function that makes grades from 1 to 5, and a code for none."""
    return lambda rng, n, y: np.where(rng.random(n) < 0.15, code, rng.integers(1, 6, n).astype(str))


def molecules():
    """Return the base with molecules, each measured twice."""
    frame = base().copy()
    names = ["C" * (i % 7 + 1) + "NOF"[i % 3] + "N" * (i // 7) for i in range(len(frame) // 2 + 1)]
    mass = np.random.default_rng(6).normal(300, 60, len(names)).round(1)
    which = np.arange(len(frame)) // 2
    frame.insert(0, "mass", mass[which])
    frame.insert(0, "smiles", np.array(names)[which])
    return frame


def drawn(start, between, end, rule):
    """Return a way of writing lines of fields, with a line below the header."""

    def line(row):
        return start + between.join(map(str, row)) + end

    return template(f"{line(base())}\n{rule}", "t.txt", line)


def relabelled(no, yes):
    return base().assign(y=np.where(base()["y"] == "yes", yes, no))


def few(yes, no, share):
    return base().assign(y=np.where(np.arange(160) % 10 < 10 * share, yes, no))


def coloured(form, **others):
    """Return the base with colours, some called otherwise, in a text."""
    return base().assign(colour=base()["colour"].replace(others).map(form.format))


def named(*names):
    return base().set_axis(names, axis=1)


def times(factor):
    return base().assign(amount=(factor * base()["amount"]).round(2))


def unlabelled(mark):
    """Return the base with some labels exchanged for a mark."""
    return base().assign(y=np.where(np.arange(160) % 14 == 9, mark, base()["y"]))


def nullable(kind, missing, values):
    return pd.array(np.where(missing, None, values), kind)


def comma(value):
    return f"{value:.2f}".replace(".", ",")


def days(form):
    """Return a function that makes a column of dates."""
    start = pd.Timestamp("2024-01-01")
    return lambda rng, n, y: (start + pd.to_timedelta(rng.integers(0, 500, n), "D")).strftime(form)


def others_of_one_choice():
    """Return columns of 0 and 1 of which one is 1 where the label is not."""
    no, odd = base()["y"] == "no", base()["age"] % 2
    return {"u": no * odd, "v": no * (1 - odd)}


NO_HEADER = {"header": False, "names": "c"}
LAST = {"label": "c4", "positive": "yes"}
OF_SVMLIGHT = {"label": "label", "positive": 1}
COMMAS = {"separator": ";", "decimal": ","}
NONE_MISSING = {"missing": {"x": []}}
CODES = ["DE", "FR", "IT"]
TENFOLD = times(10)
SIGNED = base().assign(amount=(base()["amount"] - 900).round(2))
ARFF = (
    "@relation t\n@attribute amount real\n@attribute age real\n@attribute colour string\n"
    "@attribute y {no,yes}\n@data"
)


def _without_a_label(row: int) -> pd.DataFrame:
    frame = base().astype({"y": object})
    frame.loc[row, "y"] = None
    return frame


def signs(no, yes):
    """Return a table of two marks alone, in all columns, as panels of tests are."""
    rng = np.random.default_rng(5)
    marks = rng.random((160, 5)) < 0.6
    marks[:, 4] = marks[:, :4].sum(axis=1) + rng.normal(0, 0.7, 160) > 3.2
    return pd.DataFrame(np.where(marks, yes, no), columns=list("abcdy"))


def sums(rows):
    """Return the sums of numbers below rows, as a last row."""
    return [*rows, [round(sum(row[0] for row in rows[1:]), 2), sum(row[1] for row in rows[1:]), "Summe"]]


def last(colour):
    """Return the base with a last row of a colour of its own."""
    return base().assign(colour=[*base()["colour"][:-1], colour])


def amid(line, place=20):
    """Return a way of writing with a line in the middle."""
    return lines(lambda rows: [*rows[:place], line, *rows[place:]])


def sums_of_groups(rows, form):
    """Return lines with the sums of two halves, each with the name of its group."""
    head, *rest = rows
    written = [head]
    for name, part in (("G1", rest[:80]), ("G2", rest[80:])):
        amount, age = (sum(float(row.split(",")[j]) for row in part) for j in (0, 1))
        written += [*part, f"{amount:.2f},{age:.0f},{form.format(name)},no"] if len(part) == 80 else part
    return written


def subtotals(rows):
    """Return lines with the sums of each ten rows below them."""
    head, *rest = rows
    written = [head]
    for start in range(0, len(rest), 10):
        part = rest[start : start + 10]
        amount, age = (sum(float(row.split(",")[j]) for row in part) for j in (0, 1))
        written += [*part, f"{amount:.2f},{age:.0f},Subtotal,"] if len(part) == 10 else part
    return written


SITUATIONS = [
    # --- rows
    S(
        "a row without a label",
        frame=_without_a_label(2),
        as_if=base().drop(index=2),
        says=("1 row.* label",),
    ),
    # --- separators
    S("commas"),
    S("semicolons", text(";"), reader={"separator": ";"}),
    S("tabs", text("\t"), reader={"separator": "tab"}),
    S("tabs in .tsv", text("\t", name="t.tsv"), reader={}),
    *(
        S(
            f"tabs beside words such as {words[0]!r}",
            text("\t", name="t.tsv"),
            with_columns(x=drawn_from(words)).drop(columns="colour"),
            reader={},
        )
        for words in (
            ["Doe, Jane", "Roe, Sam", "Poe, Ann"],
            ["a; b", "c; d", "e; f"],
            ["Rue 1, Paris | F", "Via 2, Rome | I"],
        )
    ),
    S("commas in .tsv", text(name="t.tsv"), reader={"separator": ","}),
    S("pipes", text("|"), reader={"separator": "|"}),
    S("carets", text("^"), reader={"separator": "^"}),
    S("control-A of Hive", text("\x01"), reader={"separator": "\x01"}),
    S("single blanks", text(" "), reader={"separator": "whitespace"}),
    S("runs of blanks", aligned(), reader={"separator": "whitespace"}),
    S("blanks after commas", text(", "), reader={}),
    S("semicolons and decimal commas", text(";", amount=comma), reader=COMMAS),
    S("tabs and decimal commas", text("\t", amount=comma), reader={"separator": "tab", "decimal": ","}),
    S("quoted decimal commas", text(amount=comma), reader={"decimal": ","}),
    S("commas in text between semicolons", text(";"), coloured("{}, light"), reader={"separator": ";"}),
    S("semicolons in quoted text", frame=coloured("{}; light"), reader={}),
    S(
        "as many words in each row, and quoted commas",
        frame=coloured("{0} of the same length, as {0} is", **{"dark blue": "blue"}),
        reader={},
    ),
    S("a comma in a quoted name", frame=base().rename(columns={"amount": "amount, EUR"}), reader={}),
    S("one feature", text(";"), base()[["amount", "y"]], reader={"separator": ";"}),
    S("sep=; first", text(";", before="sep=;\n"), reader={}),
    S("sep=, first", text(before="sep=,\r\n", end="\r\n"), reader={}),
    S("sep=| first, quoted", text("|", before='"sep=|"\n'), reader={}),
    # --- lines
    S("CRLF", text(end="\r\n")),
    S("CR alone", text(end="\r")),
    S("blank lines between", text(end="\n\n")),
    S("blank lines first", text(before="\n\n")),
    S("no end of the last line", text(after="", end="\n")),
    S("rows of commas at the end", text(after=",,,\n,,,\n"), says=("2 rows without any value",)),
    S("rows of semicolons at the end", text(";", after=";;;\n"), says=("1 row without any value",)),
    S("rows of blanks and commas", text(after=" , , , \n"), says=("1 row without any value",)),
    S("a comma after every row", frame=base().assign(**{"": ""}), as_if=base()),
    S(
        "a comma after every row but the header",
        template("amount,age,colour,y", "t.csv", lambda row: f"{_line(row)},"),
    ),
    S(
        "R's names of rows",
        template(
            "amount,age,colour,y", "t.csv", lambda row: f'"{zlib.crc32(repr(row).encode())}",{_line(row)}'
        ),
    ),
    S("row numbers by pandas", frame=base().reset_index(names=""), as_if=base()),
    S("the header again", text(after="amount,age,colour,y\n"), says=("1 row with the header again",)),
    S(
        "titles first",
        text(before="Report of May\nAll regions\n"),
        reader={"skip": 2},
        says=("2 lines before",),
    ),
    S("comments first", text(before="# by hand\n# in May\n"), reader={"comment": "#"}),
    S("percent comments first", text(before="% by hand\n"), reader={"comment": "%"}),
    S("a header that begins with #", frame=base().rename(columns={"amount": "#amount"})),
    S("lines within quotes", frame=coloured("{}\nlight")),
    S("quotes within quotes", frame=coloured('"{}" hue')),
    # --- headers
    S("no header", text(header=False), given=LAST, reader=NO_HEADER, says=("no header.*c1 to c4",)),
    S(
        "no header, numbers alone",
        text(header=False),
        base().assign(colour=base()["age"] % 7, y=base()["y"] == "yes"),
        as_if=base().assign(colour=base()["age"] % 7),
        given={"label": "c4", "positive": "True"},
        reader=NO_HEADER,
    ),
    S(
        "no header, runs of blanks",
        aligned(header=False, name="t.dat"),
        given=LAST,
        reader={"separator": "whitespace", **NO_HEADER},
    ),
    S(
        "no header, semicolons, decimal commas",
        text(";", header=False, amount=comma),
        given=LAST,
        reader={**COMMAS, **NO_HEADER},
    ),
    S(
        "names of numbers",
        frame=base()[["amount", "age", "y"]].set_axis(["0", "1", "2"], axis=1),
        given={"label": "2"},
        as_if=base()[["amount", "age", "y"]],
        reader={},
    ),
    S("years as names", frame=base().rename(columns={"amount": "2019", "age": "2020"}), reader={}),
    S(
        "a name twice",
        frame=named("amount", "age", "age", "y"),
        reader={"names": {3: "age_2"}},
        says=("column 3 is called age_2",),
    ),
    S(
        "a name twice but for blanks",
        frame=named("amount", "age", " age", "y"),
        reader={"names": {3: "age_2"}},
    ),
    S(
        "a double column, dropped",
        frame=with_columns(x=lambda rng, n, y: base()["age"]).set_axis(
            ["amount", "age", "colour", "age", "y"], axis=1
        ),
        as_if=base(),
    ),
    S("blanks around names", frame=base().rename(columns={"amount": " amount"})),
    S("a name of two lines", frame=base().rename(columns={"y": "\ny"}), params={"label": "y"}),
    S(
        "a name twice, behind an empty column",
        frame=base().assign(**{"": "", "z": 1}).rename(columns={"z": "age"}),
        as_if=base(),
        reader={"names": {6: "age_2"}},
    ),
    S("names in capitals and umlauts", frame=base().rename(columns={"amount": "BETRÄGE", "age": "Größe"})),
    S(
        "header: named by hand",
        text(header=False),
        given={"label": "d", "positive": "yes", "given": {"header": False, "names": list("abcd")}},
        reader={"header": False, "names": list("abcd")},
    ),
    # --- encodings
    S("UTF-8 with mark", text(encoding="utf-8-sig")),
    S("UTF-8 with mark, semicolons", text(";", encoding="utf-8-sig"), reader={"separator": ";"}),
    S("UTF-16 with mark", text(encoding="utf-16"), coloured("{}é"), reader={}),
    S("UTF-16 big-endian with mark", text(before="\ufeff", encoding="utf-16-be"), reader={}),
    S(
        "UTF-16 without mark",
        text(encoding="utf-16-le"),
        reader={"encoding": "utf-16-le"},
        says=("utf-16-le",),
    ),
    S(
        "UTF-16 with tabs, as Excel's Unicode text",
        text("\t", encoding="utf-16", name="t.txt"),
        reader={"separator": "tab"},
    ),
    S(
        "latin-1",
        text(encoding="latin-1"),
        coloured("{} ö"),
        reader={"encoding": "cp1252"},
        says=("no UTF-8: read as cp1252",),
    ),
    S("cp1252 with a euro sign", text(encoding="cp1252"), coloured("{} €"), reader={"encoding": "cp1252"}),
    S(
        "cp1252 in a name",
        text(encoding="cp1252"),
        base().rename(columns={"age": "größe"}),
        reader={"encoding": "cp1252"},
    ),
    S(
        "cp1250, named",
        text(encoding="cp1250"),
        coloured("{} ł"),
        given={"label": "y", "given": {"encoding": "cp1250"}},
        reader={"encoding": "cp1250"},
    ),
    S("cp1251, said", text(encoding="cp1251"), coloured("цвет {}"), same=False, says=("no UTF-8",)),
    S(
        "shift_jis, named",
        text(encoding="shift_jis"),
        coloured("色{}"),
        same=False,
        given={"label": "y", "given": {"encoding": "shift_jis"}},
    ),
    # --- numbers as people write them
    S(
        "minus U+2212",
        text(amount=lambda v: f"{v:.2f}".replace("-", "\u2212")),
        SIGNED,
        says=("numbers written with signs",),
    ),
    S(
        "parentheses for less than 0",
        text(amount=lambda v: f"({-v:.2f})" if v < 0 else f"{v:.2f}"),
        SIGNED,
        says=("numbers written with signs",),
    ),
    S("a minus after the number", text(amount=lambda v: f"{-v:.2f}-" if v < 0 else f"{v:.2f}"), SIGNED),
    S("percent", text(amount="{:.2f}%".format), says=(r"numbers written .*%",)),
    S("percent after a blank", text(amount="{:.2f} %".format)),
    S("dollars before", text(amount="${:.2f}".format), says=(r"numbers written .*\$",)),
    S("dollars and thousands", text(amount="${:,.2f}".format), TENFOLD),
    S(
        "euros after, thousands with points",
        text(";", amount=lambda v: thousands(".", ",")(v) + " €"),
        TENFOLD,
        reader=COMMAS,
    ),
    S("EUR after", text(amount="{:.2f} EUR".format)),
    S("thousands", text(amount="{:,.2f}".format), TENFOLD, says=("numbers written",)),
    S("thousands of whole numbers", text(amount="{:,.0f}".format), times(100).round({"amount": 0})),
    S("thousands with blanks", text(amount=thousands(" ", ".")), TENFOLD),
    S(
        "thousands with narrow blanks, decimal commas",
        text(";", amount=thousands("\u202f", ",")),
        TENFOLD,
        reader=COMMAS,
    ),
    S("Swiss thousands", text(amount=thousands("'", ".")), TENFOLD),
    S("plus signs", text(amount="+{}".format)),
    S(
        "a dash for no cents",
        text(amount=lambda v: f"{v // 1:.0f}.–" if v > 900 else f"{v:.2f}"),
        as_if=base().assign(amount=lambda f: f["amount"].where(f["amount"] <= 900, f["amount"] // 1)),
    ),
    S(
        "thousands with points, no decimals",
        text(";", age=lambda v: f"{37 * v:,}".replace(",", ".")),
        base()[["age", "colour", "y"]],
        as_if=base()[["age", "colour", "y"]].assign(age=37 * base()["age"]),
        reader=COMMAS,
    ),
    S(
        "minutes, and hours with minutes",
        text(age=lambda v: f"{v}:00" if v < 60 else f"1:{v - 60:02d}:00"),
        same=False,
        says=(r"age \(in :, ::\): numbers written as text",),
    ),
    S("parentheses behind a sign", text(amount=lambda v: f"$({-v:.2f})" if v < 0 else f"${v:.2f}"), SIGNED),
    S("no digit before or after the point", text(age="{}.".format)),
    S("powers of ten", text(amount="{:.6E}".format)),
    S("blanks around numbers", text(amount="  {} ".format)),
    S(
        "two currencies are no number",
        text(amount=lambda v: f"${v}" if v > 900 else f"€{v}"),
        same=False,
        says=("amount",),
    ),
    # --- what is missing
    *(
        S(f"{word or 'nothing'} among numbers", frame=numbers(word), as_if=numbers(""))
        for word in ("", "NA", "N/A", "None", "null", "NaN", "?", "-", "n.a.", "missing", ".")
    ),
    *(
        S(f"{word or 'nothing'} among text", frame=gaps(word), as_if=gaps(""))
        for word in ("", "NA", "None", "null", "n/a", r"\N", "(null)", "#REF!")
    ),
    S(
        "NG among numbers alone",
        frame=with_columns(x=_numbers("NG"), land=drawn_from(("DE", "NG", "FR"))),
        as_if=with_columns(x=_numbers(""), land=drawn_from(("DE", "NG", "FR"))),
        reader={"missing": {"x": ["NG"]}},
        says=("x: numbers but for 'NG', taken as missing",),
    ),
    S(
        "NA and ? among numbers",
        frame=with_columns(x=lambda rng, n, y: np.where(rng.random(n) < 0.1, "?", _numbers("NA")(rng, n, y))),
    ),
    S(
        "NA a country by its form",
        frame=gaps("NA", CODES),
        as_if=gaps("NQ", CODES),
        reader=NONE_MISSING,
        says=("x: NA in .* written as the other values",),
    ),
    S(
        "None goes with the label",
        frame=level("None", ("Brick", "Stone", "Wood")),
        as_if=level("Nine", ("Brick", "Stone", "Wood")),
        reader=NONE_MISSING,
        says=("x: None in .* its rows go otherwise with the label",),
    ),
    S("n/a goes with the label", frame=level("n/a", "abc"), as_if=level("0/a", "abc"), reader=NONE_MISSING),
    S(
        "nothing goes with the label",
        frame=level("", "abc"),
        as_if=level("0", "abc"),
        reader={"missing": {"x": False}},
    ),
    S(
        "NA a level, nothing a gap",
        frame=with_columns(
            x=lambda rng, n, y: np.where(
                rng.random(n) < 0.1, "", _level("NA", ("Denmark", "Peru", "Chad"))(rng, n, y)
            )
        ),
        reader=NONE_MISSING,
    ),
    S(
        "NA kept by the option",
        frame=gaps("NA"),
        same=False,
        given={"label": "y", "given": NONE_MISSING},
        reader=NONE_MISSING,
        kinds={"x": "category"},
    ),
    S(
        "NA dropped by the option",
        frame=level("NA"),
        same=False,
        given={"label": "y", "given": {"missing": {"x": ["NA"]}}},
        reader={"missing": {"x": ["NA"]}},
    ),
    S(
        "-999 by the option",
        frame=numbers("-999"),
        as_if=numbers(""),
        given={"label": "y", "given": {"missing": {"x": [-999]}}},
    ),
    # --- ends of names, archives
    *(
        S(f"{ending} with commas", text(name=f"t{ending}"), reader={})
        for ending in (".txt", ".dat", ".NNA", "")
    ),
    *(
        S(f".csv{e}", packed(text(), how, e), reader={})
        for how, e in (("gz", ".gz"), ("zst", ".zst"), ("zip", ".zip"))
    ),
    S(".zip alone", packed(text(name="t"), "zip", ".zip")),
    S("a zip called .csv", packed(text(name="t.csv"), "zip", "")),
    S(".txt.zst with tabs", packed(text("\t", name="t.txt"), "zst", ".zst"), reader={"separator": "tab"}),
    S("SVMlight in .txt", svmlight(name="t.txt"), same=False, given=OF_SVMLIGHT),
    S("ARFF in .txt", template(ARFF, "t.txt")),
    S("Excel", excel()),
    S("Excel, rows above the header", excel(above=2)),
    *(
        S(f"Excel, {what}", sheet(change), given=given, reader=reader, says=says)
        for what, change, given, reader, says in (
            ("a title", lambda rows: [["In May"], *rows], {"label": "y"}, {"skip": 1}, ("1 line before",)),
            ("titles and a gap", lambda rows: [["In"], ["May"], [], *rows], {"label": "y"}, {"skip": 3}, ()),
            ("no header", lambda rows: rows[1:], LAST, NO_HEADER, ("no header.*c1 to c4",)),
            ("a sum", lambda rows: [*rows, ["Total", 8000]], {"label": "y"}, {}, ("1 row at the end",)),
            ("remarks", lambda rows: [*rows, [], ["By us"], ["May"]], {"label": "y"}, {}, ("2 rows at the",)),
            (
                "units",
                lambda rows: [rows[0], ["EUR", "years"], *rows[1:]],
                {"label": "y"},
                {},
                ("1 row below",),
            ),
        )
    ),
    *(
        S(f"{what} below the header", lines(change), says=says)
        for what, change, says in (
            ("units", lambda rows: [rows[0], "[EUR],[a],,-", *rows[1:]], ("1 row below",)),
            ("types", lambda rows: [rows[0], "float,int,string,string", *rows[1:]], ("1 row below",)),
            (
                "questions",
                lambda rows: [rows[0], '"How\nmuch?",Age?,,?', "Q1,Q2,Q3,Q4", *rows[1:]],
                ("2 rows",),
            ),
        )
    ),
    S("groups above the header", lines(lambda rows: ["Unit 1,Unit 1,,", *rows]), reader={"skip": 1}),
    S("a title with commas", lines(lambda rows: ["In May,,,", *rows]), reader={"skip": 1}),
    *(
        S(what, frame=with_columns(x=make), same=False, kinds={"x": kind}, says=says)
        for what, make, kind, says in (
            (
                "codes with zeros in front",
                lambda rng, n, y: rng.choice(["01067", "10115", "80331", "90402"], n),
                "category",
                (r"not sure of x \(category, or number\)",),
            ),
            (
                "many codes with zeros in front",
                lambda rng, n, y: [f"{v:05}" for v in rng.integers(0, 300, n)],
                "identifier",
                (r"not sure of x \(identifier, or number\)",),
            ),
            (
                "codes such as 1E5",
                lambda rng, n, y: [f"{a}E{b}" for a, b in rng.integers(1, 7, (n, 2))],
                "category",
                (r"not sure of x \(category, or number\)",),
            ),
            (
                "one's own split",
                lambda rng, n, y: np.where(rng.random(n) < 0.2, "Test", "Train"),
                "identifier",
                (r"not sure of x \(identifier, or category\)",),
            ),
            (
                "pairs in a field",
                lambda rng, n, y: [f"{a}/{b}" for a, b in rng.integers(50, 180, (n, 2))],
                "text of numbers",
                (r"x \(in pairs\): numbers written as text",),
            ),
            (
                "footnotes",
                lambda rng, n, y: [f"{value}*" if value % 9 == 0 else value for value in rng.permutation(n)],
                "text of numbers",
                (r"x \(in plain numbers and such as '\d+\*'\): numbers written as text",),
            ),
        )
    ),
    *(
        S(f"words {', '.join(values)}", write, with_columns(x=drawn_from(values)), same=False)
        for values in (
            *(("7", "07", "7.0", "A1"), ("1e3", "1000", "x"), ("True", "TRUE", "false", "maybe")),
            *(("True", "False"), ("2024-01-01", "2024-01-02", "never"), ("7,5", "7.5", "none")),
            *(("12345678901234567890", "12345678901234567891", "short"), ("ü", 'q"', "", "NA")),
        )
        for write in (text(), parquet())
    ),
    # --- rows of other lengths than the header, quotes
    S("a comma too much", lines(lambda rows: [*rows[:5], rows[5] + ",", *rows[6:]])),
    *(
        S(f"a field too much, {what}", lines(change), refused=f"4 names .* first in line {line}")
        for what, line, change in (
            ("first", 2, lambda rows: [rows[0], rows[1] + ",7", *rows[2:]]),
            ("later", 10, lambda rows: [*rows[:9], rows[9] + ",7", *rows[10:]]),
            ("throughout", 2, lambda rows: [rows[0], *(row + ",7" for row in rows[1:])]),
            ("thousands", 2, lambda rows: [rows[0], *("1," + row for row in rows[1:])]),
        )
    ),
    S(
        "quotes that are none",
        lines(lambda rows: ['"' * (i % 40 == 9) + row for i, row in enumerate(rows)]),
        refused="closes amid a field of a later row",
    ),
    S("a line in quotes", lines(lambda rows: [f'"{row}"' for row in rows]), refused="one column, 'amount,"),
    S("all in quotes", text(around=True), reader={}),
    *(
        S(f"all in single quotes, {mark}", text(mark, quote="'", around=True), reader=reader)
        for mark, reader in ((",", {"quote": "'"}), (";", {"separator": ";", "quote": "'"}))
    ),
    S("commas in single quotes", text(quote="'", around=True), coloured("{}, light"), reader={"quote": "'"}),
    *(S(f"{mark} between", text(mark), reader={"separator": mark}) for mark in "~¦§&"),
    S("a mark of UTF-8 twice", text(before="\ufeff", encoding="utf-8-sig"), reader={}),
    S("UTF-32 with mark", text(encoding="utf-32"), reader={}),
    S("UTF-32 without mark", text(encoding="utf-32-le"), reader={"encoding": "utf-32-le"}),
    # --- other formats
    *(
        S(f"{says} in {name}", raw(content, name), refused=says)
        for says, content, name in (
            ("this is JSON, .*read_json", b'[{"a": 1, "y": 0}, {"a": 2, "y": 1}]', "t.csv"),
            ("this is JSON lines", b'{"a": 1, "y": 0}\n{"a": 2, "y": 1}\n', "t.jsonl"),
            ("this is HTML", b"<!DOCTYPE html>\n<html><body>Log in</body></html>", "t.csv"),
            ("this is HTML", b"<table><tr><td>1</td></tr></table>", "t.xls"),
            ("this is XML", b'<?xml version="1.0"?><r><a>1</a></r>', "t.xml"),
            ("this is a Feather file", b"ARROW1\0\0" + bytes(90), "t.csv"),
            ("this is a pickle", b"\x80\x04\x95" + bytes(90), "t.csv"),
            ("this is a Stata file", b"<stata_dta><header>", "t.dta"),
            ("this is an SQLite database", b"SQLite format 3\0", "t.db"),
            ("this is a PDF", b"%PDF-1.4\n1 0 obj", "t.csv"),
            ("format parquet: set format", b"PAR1" + bytes(90), "t.csv"),
            ("format excel: set format", b"\xd0\xcf\x11\xe0" + bytes(90), "t.csv"),
            ("format arff: set format", b"% by hand\n@relation t\n@attribute y real\n@data\n1\n", "t.csv"),
            ("if it is text, set format to csv", b"a,y\n1,2\n", "t.xlsx"),
            ("if it is text, set format to csv", b"a,y\n1,2\n", "t.parquet"),
            ("ended before the end-of-stream", gzip.compress(b"a,y\n1,2\n" * 99)[:-20], "t.csv.gz"),
            ("ended before the end-of-stream", gzip.compress(b"a,y\n1,2\n" * 99)[:-20], "t.txt.gz"),
        )
    ),
    S("two members in an archive", zipped("train.csv", "test.csv"), refused="archive of 2 files, train.csv,"),
    S("OpenDocument is named", template("PK", "t.ods"), refused="no spreadsheet"),
    S("an unknown format is named", template("{", "t.json"), refused="cannot tell the format"),
    # --- Parquet
    S("Parquet", parquet()),
    S("decimals", parquet(amount=pyarrow.decimal128(12, 2))),
    S("dictionaries", parquet(colour=pyarrow.dictionary(pyarrow.int32(), pyarrow.string()))),
    S("dictionaries of numbers", parquet(age=pyarrow.dictionary(pyarrow.int32(), pyarrow.int64()))),
    S("large strings", parquet(colour="large_string")),
    S("small integers", parquet(age="uint8")),
    S("halves", parquet(age="float")),
    S("digits as text", parquet(age="string")),
    S("bytes", parquet(age=pyarrow.binary(), colour=pyarrow.binary(), y=pyarrow.binary())),
    S("durations", parquet(age="duration[s]")),
    S("times of the day", parquet(age=pyarrow.time32("s")), as_if=base().assign(age=base()["age"] / 3600)),
    S(
        "nullable integers",
        parquet(),
        with_columns(x=lambda rng, n, y: nullable("Int64", rng.random(n) < 0.1, rng.integers(0, 90, n))),
    ),
    S(
        "nullable truth",
        parquet(),
        with_columns(x=lambda rng, n, y: nullable("boolean", rng.random(n) < 0.1, rng.random(n) < 0.5)),
    ),
    S("an index with a name", parquet(), base().set_index("age"), base()[["amount", "colour", "y", "age"]]),
    S("an index without a name", parquet(), base().set_axis(range(7, 167)), as_if=base()),
    S(
        "lists are left out and said",
        parquet(),
        with_columns(x=lambda rng, n, y: [[1, 2]] * n),
        as_if=base(),
        says=("x:",),
    ),
    S("NA in Parquet is a value", parquet(), gaps("NA"), same=False, kinds={"x": "category"}),
    # --- ARFF
    S("ARFF", arff()),
    S(
        "ARFF: {false,true}",
        template(re.sub("@attribute colour.*\n", "", ARFF).replace("{no,yes}", "{false,true}"), "t.arff"),
        base()[["amount", "age"]].assign(y=np.where(base()["y"] == "yes", "true", "false")),
        as_if=base()[["amount", "age", "y"]],
        label=("y", True),
    ),
    *(
        S(f"ARFF, {what}", arff(end=end), says=(r"rows with a weight",))
        for what, end in (("weights", ",{2}"), ("weights after a blank", ", {0.5}"))
    ),
    S("ARFF of KEEL", arff("@inputs amount, age, colour\n@outputs y", amount="real [700.0, 1200.0]")),
    S(
        "ARFF with CRLF and comments",
        template(
            "% one\n@RELATION t\n\n@ATTRIBUTE amount REAL\n@ATTRIBUTE age real\n"
            "@ATTRIBUTE colour STRING\n% two\n@ATTRIBUTE y {no, yes}\n@DATA\n% three",
            "t.arff",
        ),
    ),
    S(
        "ARFF with quoted names",
        template(
            "@relation t\n@attribute 'amount in EUR' real\n@attribute \"the age\" real\n"
            "@attribute 'it\\'s colour' string\n@attribute y {no,yes}\n@data",
            "t.arff",
        ),
    ),
    S("ARFF with tabs", template(ARFF, "t.arff", lambda row: "\t".join(map(str, row)))),
    S(
        "sparse ARFF",
        template(
            ARFF.replace("string", "{'dark blue',green,ochre,red}"),
            "t.arff",
            lambda row: (
                f"{{{', '.join(f'{j} {v}' for j, v in enumerate(row) if v not in ('dark blue', 'no'))}}}"
            ),
        ),
    ),
    S(
        "ARFF: NA is a value, ? is missing",
        template(ARFF.replace("@attribute y", "@attribute x {DE,FR,IT,NA}\n@attribute y"), "t.arff"),
        gaps("NA", CODES),
        as_if=gaps("NQ", CODES),
    ),
    # --- rows that are none, units, bytes
    S("a unit throughout", text(amount="{:.2f} kg".format), says=(r"numbers written .* kg",)),
    *(
        S(f"{unit} at once", text(amount=f"{{:.2f}}{unit}".format), says=("numbers written",))
        for unit in ("kg", "°C", " mg/dL", " m²", "zł", "円", " sq ft")
    ),
    *(
        S(
            f"{unit}, which is some number of ones",
            text(amount=lambda v, unit=unit: f"€{v / 1000:.5f}{unit}" if v > 900 else f"€{v:.2f}"),
            as_if=times(factor),
            says=("numbers written",),
        )
        for unit, factor in (("k", 1), ("M", np.where(base()["amount"] > 900, 1000, 1)))
    ),
    S(
        "two units",
        text(amount=lambda v: f"{v:.0f} kg" if v > 900 else f"{v:.0f} g"),
        same=False,
        says=(r"amount \(in g, kg\): numbers written as text",),
    ),
    *(
        S(
            f"digits from {zero}",
            text(age=lambda v, zero=zero: "".join(chr(ord(zero) + int(digit)) for digit in str(v))),
            says=("numbers written",),
        )
        for zero in "٠०０"
    ),
    *(
        S(
            f"a clock's {example}",
            text(age=clock),
            as_if=base().assign(age=base()["age"] * step),
            says=(r"numbers written .*age",),
        )
        for example, clock, step in (
            ("1:21", lambda v: f"{v // 60}:{v % 60:02d}", 1 / 60),
            ("0:01:21", lambda v: f"0:{v // 60:02d}:{v % 60:02d}", 1 / 3600),
            ("1:21 a.m.", lambda v: f"{v // 60 or 12}:{v % 60:02d} a.m.", 1 / 60),
        )
    ),
    S(
        "rupees in lakhs",
        text(amount=lambda v: f"₹ 1,23,{v % 900 + 100:.2f}"),
        same=False,
        says=("numbers written",),
    ),
    S("a zero byte in text", frame=coloured("{}\0"), same=False, reader={}),
    # --- lines that databases and people draw
    S("a Markdown table", drawn("| ", " | ", " |", "|---|---:|---|---|"), reader={"separator": "|"}),
    S("psql", drawn(" ", " | ", "", "-----+----+----+----"), reader={"separator": "|"}),
    S(
        "dashes below the header",
        drawn("", ",", "", "------,---,------,-"),
        says=("1 row without any value",),
    ),
    S("two pipes between", text("||"), reader={"separator": "|"}),
    S(
        "runs of blanks, decimal commas",
        aligned(),
        base().assign(amount=base()["amount"].map(comma)),
        as_if=base(),
        reader={"separator": "whitespace", "decimal": ","},
    ),
    S("a sum at the end", text(after="Total,,,\n"), says=("1 row at the end",)),
    S("how many rows, at the end", text(after="(160 rows)\n"), says=("1 row at the end",)),
    # --- lines that may be rows, and those that cannot
    S(
        "signs alone",
        frame=signs("-", "+"),
        as_if=signs("z", "a"),
        given={"label": "y", "positive": "+"},
    ),
    S(
        "two kinds of strokes",
        frame=signs("--", "=="),
        as_if=signs("a", "z"),
        given={"label": "y", "positive": "=="},
    ),
    *(
        S(f"a last category {word}", frame=last(word), as_if=last(other))
        for word, other in (("average", "avenue"), ("Total", "Tall"), ("media", "medium"), ("sum", "sun"))
    ),
    S(
        "Total amid categories",
        frame=coloured("{}", red="Total"),
        as_if=coloured("{}", red="Tall"),
    ),
    S("two rows that are the same, last", frame=base().assign(x=1).iloc[[*range(160), 159]]),
    S(
        "a drawn line of =",
        drawn("", ",", "", "======,===,======,="),
        says=("1 row without any value but a drawn line .*line 2, '======,.*pass_over=",),
    ),
    S(
        "a drawn line in the middle",
        amid("------,---,------,-"),
        says=(r"a drawn line \(line 21, .*kept as rows; if it is none: --reader 'pass_over=\[21\]'",),
        also_ranked=1,
    ),
    S(
        "a line of asterisks in the middle",
        amid("***,***,***,*"),
        same=False,
        says=("numbers but for '\\*\\*\\*'",),
        also_ranked=1,
    ),
    S(
        "the header again in the middle",
        amid("amount,age,colour,y"),
        says=("1 row with the header again .*line 21",),
    ),
    S("blanks in the middle", amid(" , ,, "), says=(r"1 row without any value \(line 21\)",)),
    S(
        "a comment in the middle, and first",
        lines(lambda rows: ["# by hand", *rows[:5], "# in May", *rows[5:]]),
        reader={"comment": "#"},
        says=(r"1 row of comments \(line 7, '# in May'\)",),
    ),
    S(
        "comments first, and # in values",
        lines(lambda rows: ["# by hand", *rows]),
        coloured("#{}"),
        reader={"skip": 1},
    ),
    S(
        "lines that are no rows, by the option",
        lines(lambda rows: [*rows, "Anything,,,yes"]),
        given={"label": "y", "given": {"pass_over": [162]}},
        same=False,
    ),
    S(
        "sums of each ten rows, asked",
        lines(subtotals),
        says=(r"15 rows whose numbers are the sum .*first line 12, .*kept as rows",),
    ),
    *(
        S(
            f"sums of groups called {form.format('G1')}, asked",
            lines(lambda rows, form=form: sums_of_groups(rows, form)),
            says=(r"2 rows whose numbers are the sum .*first line 82, .*kept as rows",),
            same=False,
        )
        for form in ("{} Total", "Summe {}", "{} Ergebnis")
    ),
    S(
        "another table below with other names, asked",
        lines(lambda rows: [*rows, "branch,manager,town,y", *["B,Roe,Rome,yes"] * 8, "C,12,Rome,no"]),
        says=(
            r"10 rows with words in columns of numbers.*first line 162, .*kept as rows; "
            r"if they are none: --reader 'pass_over=\[162, 163",
        ),
        same=False,
        also_ranked=10,
    ),
    S(
        "another table below with other names, left out",
        lines(
            lambda rows: [
                *rows[:161],
                *["branch,manager,town,y", "B,Roe,Rome,yes", "C,12,Rome,no"] * (len(rows) > 9),
            ]
        ),
        given={"label": "y", "given": {"pass_over": [162, 163, 164]}},
    ),
    S("sums below text", sheet(sums), says=("1 row at the end.*passed over",), also_ranked=1),
    S(
        "other numbers beside the word for a sum",
        sheet(lambda rows: [*rows, [9, 9, "Summe"]]),
        says=(r"1 row at the end.*kept as rows; if it is none: --reader 'pass_over=\[162\]'",),
        also_ranked=1,
    ),
    S(
        "a remark below names",
        text(after="Source: our own,,,,\n"),
        base().assign(n=[f"K{i}" for i in range(160)])[["n", "amount", "age", "colour", "y"]],
        same=False,
        says=("1 row at the end.*passed over",),
    ),
    S(
        "a sheet of notes first",
        excel(notes=True),
        says=("3 rows on other sheets than 'Data': 'Read me'", "sheet=NAME"),
    ),
    # --- labels
    *(
        S(f"labels {no} and {yes}", frame=relabelled(no, yes), as_if=base(), given={}, label=("y", yes))
        for no, yes in (("f", "t"), ("ok", "fraud"), ("N", "Y"))
    ),
    *(
        S(
            f"rarer {no}, asked",
            frame=relabelled(yes, no),
            as_if=base(),
            given={},
            label=("y", no),
            says=(f"y: 2 values; '{no}' is positive, no other is; or --positive {yes}",),
        )
        for no, yes in (("benign", "malignant"), ("no", "yes"), ("B", "M"))
    ),
    S("labels 01 and 1, two names", frame=relabelled("1", "01"), as_if=base(), label=("y", "01")),
    *(
        S(
            f"a label or {no or 'nothing'}",
            frame=relabelled(no, "paid"),
            as_if=base(),
            label=("y", "paid"),
            says=("y: paid or nothing, which is read as the other label",),
        )
        for no in ("", "null")
    ),
    S("a label of two lines", frame=relabelled("a", "b\nc"), as_if=base(), given={}, label=("y", "b\nc")),
    S("labels in percent", frame=relabelled("0%", "100%"), as_if=base(), label=("y", 100)),
    S("labels 1 and 2", frame=relabelled("2", "1"), as_if=base(), label=("y", 1)),
    S("labels -1 and +1", frame=relabelled("-1", "+1"), as_if=base(), label=("y", 1)),
    *(
        S(
            f"labels {mark}, which is none",
            frame=unlabelled(mark),
            as_if=unlabelled(""),
            label=("y", "yes"),
            says=(f"y: {re.escape(mark)} is read as no label",),
        )
        for mark in ("?", "-", ".", "unknown")
    ),
    S(
        "a label or ?",
        frame=relabelled("?", "paid"),
        same=False,
        label=("y", "paid"),
        says=("y: 2 values; 'paid' is positive.*--positive ?",),
    ),
    S(
        "labels with and without capitals",
        frame=base().assign(y=[(v, v.title(), v.upper())[i % 3] for i, v in enumerate(base()["y"])]),
        as_if=base(),
        given={},
        label=("y", ["YES", "Yes", "yes"]),
    ),
    S(
        "labels that alternate",
        frame=base().assign(y=np.where(np.arange(160) % 2, "yes", "no")),
        given={},
        params={"drop": None},
    ),
    *(
        S(
            f"{yes} is {share:.0%}",
            frame=few(yes, no, share),
            as_if=few("yes", "no", share),
            given={},
            **asked,
        )
        for yes, no in (("ja", "nein"), ("sí", "no"), ("да", "нет"), ("是", "否"), ("tak", "nie"))
        for share, asked in (
            (0.1, {"label": ("y", yes)}),
            (0.9, {"label": ("y", no), "says": (f"or --positive {yes}",)}),
        )
    ),
    S(
        "a positive value without its column",
        frame=base().assign(sex=np.where(base()["age"] % 2, "f", "m")),
        same=False,
        given={"positive": "m"},
        label=("sex", "m"),
    ),
    S("a positive value that is nowhere", given={"positive": "maybe"}, refused="no column .* 'maybe'"),
    # --- dates, ids and gaps
    *(
        S(f"dates as {form}", frame=with_columns(x=days(form)), as_if=base(), kinds={"x": "date"})
        for form in (
            *("%d.%m.%Y", "%b %d, %Y", "%Y%m%d", "%m/%d/%y", "%Y-%m-%dT%H:%M:%SZ", "%d-%b-%Y", "%d%b%Y"),
            *("%d. März %Y", "%A, %d %B %Y", "%b-%y", "%Y-%m", "%G-W%V", "%d. %m. %Y", "%d/%m/%Y à %H:%M"),
            *(
                "%d-%b-%y %I.%M.%S.000000 %p",
                "%a %b %d %H:%M:%S CET %Y",
                "%m/%Y",
                "%Y年%m月%d日",
                "%Y년 %m월",
            ),
        )
    ),
    S(
        "one feature of few values",
        frame=base()[["colour", "y"]],
        params={"copies_together": None},
        says=("only 4 differ",),
    ),
    S(
        "names of few rows",
        frame=with_columns(
            x=lambda rng, n, y: [f"Ann{chr(97 + i % 7)}{chr(97 + i // 7)}" for i in range(n)]
        ).head(48),
        as_if=base().head(48),
        kinds={"x": "identifier"},
    ),
    S(
        "text of few rows",
        frame=with_columns(
            x=lambda rng, n, y: [
                f"{a} box {i} was late" for i, a in enumerate(rng.choice(["red", "blue"], n))
            ]
        ).head(48),
        same=False,
        kinds={"x": "text"},
    ),
    S(
        "numbers that come back, without a name",
        frame=with_columns(x=lambda rng, n, y: [f"K-{i:04}" for i in rng.integers(0, 20, n)]),
        kinds={"x": "category"},
        says=(r"not sure of x \(category, or entity\)",),
    ),
    S(
        "numbers of customers in German",
        frame=with_columns(Kundennummer=lambda rng, n, y: rng.integers(100, 130, n)),
        as_if=base(),
        kinds={"Kundennummer": "entity"},
    ),
    S(
        "mail addresses that come back",
        frame=with_columns(email=lambda rng, n, y: [f"p{i}@mail.org" for i in rng.integers(0, 40, n)]),
        as_if=base(),
        kinds={"email": "entity"},
        says=("not sure of email",),
    ),
    S(
        "numbers of patients without a name",
        text(header=False),
        with_columns(x=lambda rng, n, y: rng.choice(np.arange(900, 900_000), n, replace=False)),
        same=False,
        given={"label": "c5", "positive": "yes"},
        says=(r"not sure of c4 \(number, or identifier\)",),
    ),
    *(
        S(f"{mark} among numbers, said", frame=numbers(mark), says=(f"x: {mark} in .* missing",))
        for mark in ("-999", "9999", "-1")
    ),
    *(
        S(
            f"{code} beyond grades of 1 to 5, said",
            frame=with_columns(x=grades(code)),
            says=(f"x: {code} in .* missing",),
        )
        for code in ("9", "-9", "98")
    ),
    *(
        S(
            f"{word} among words, kept and said",
            frame=gaps(word),
            says=(rf"kept as values: x: {re.escape(word)}",),
        )
        for word in (".", "(missing)", "unknown")
    ),
    S(
        "names of any length that come back in rows which are alike",
        frame=molecules(),
        as_if=base().assign(mass=molecules()["mass"])[["mass", *base().columns]],
        kinds={"smiles": "entity"},
        says=(r"not sure of smiles \(entity, or",),
    ),
    *(
        S(
            f"{mark} or nothing",
            frame=with_columns(
                x=lambda rng, n, y, mark=mark: np.where(rng.random(n) < 0.2 + 0.5 * y, mark, "")
            ),
            as_if=with_columns(x=lambda rng, n, y: np.where(rng.random(n) < 0.2 + 0.5 * y, "x", "o")),
            reader={"missing": {"x": False}},
        )
        for mark in ("x", "1", "1.0")
    ),
    S(
        "labels of several classes, a column each",
        frame=base().assign(y=(base()["y"] == "yes") * 1, **others_of_one_choice()),
        as_if=base(),
        says=("u: tells the label .*one choice of 3.*v",),
    ),
    # --- SVMlight
    S("SVMlight", svmlight(), same=False, given=OF_SVMLIGHT),
    S("SVMlight from 0", svmlight(first=0), same=False, given=OF_SVMLIGHT, reader={"zero_based": True}),
    S("SVMlight, indices in another order", svmlight(backwards=True), same=False, given=OF_SVMLIGHT),
    S("SVMlight, grades", svmlight(graded=True), same=False, given=OF_SVMLIGHT | {"positive": ">= 1"}),
]
