"""Findings of a look at a table, and their words: the most harmful first, each with what to do."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from attop.extending import count_noun, join_first
from attop_bench.data.columns.categories import MANY_VALUES
from attop_bench.data.ledger import Ledger
from attop_bench.data.profile.profile import LabelColumn
from attop_bench.data.profile.readers import KINDS, Column

#: Lines that are said, and positives below which no difference between models shows.
_MOST, _FEW_POSITIVES = 8, 50

#: What is said of the columns of a kind.
_FIRST = (
    (
        "group",
        "names lists: each is ranked by itself, and is on one side of a split",
    ),
    (
        "entity",
        "an entity, such as a customer: no feature; its rows stay on one side of a split",
    ),
)
_TEXT = (
    "text",
    "text, read as the weights of its words (TF-IDF): drop it if it is none",
)
_UNUSED = (
    (
        "unusable",
        "infinite numbers, or no single values: dropped; correct them to use them",
    ),
    ("date", "dates: no feature; to use them make numbers, such as an age in days"),
)


@dataclass(frozen=True)
class Look:
    """Findings of `look`."""

    path: str
    rows: int
    #: Rows that were looked at.
    sample: int
    columns: list[Column]
    #: The one that was named, or the likeliest.
    label: LabelColumn | None
    #: True if it was named.
    named: bool
    #: All that could be it, likeliest first.
    candidates: list[LabelColumn]
    #: Rows looked at without a label.
    unlabelled: int
    #: Rows looked at whose outcome is neither positive nor negative.
    undecided: int
    #: Rows with the features of an earlier row.
    copies: int
    #: Column -> an earlier one with the same values.
    twins: Mapping[str, str]
    #: Feature that tells the label nearly alone -> how.
    leaks: Mapping[str, str]
    #: Complete column of dates such as 2026-12-31 -> days from the first to the last.
    days: Mapping[str, int]
    #: The file's format, where its name does not say; options for its reader.
    format: str | None
    reader: Mapping[str, object]
    #: Labels of another file, as in a configuration.
    labels: object
    #: How the file is written, as far as it is not usual.
    said: list[str]
    ledger: Ledger
    #: Lines that are or may be no rows, if it is not sure which are.
    doubtful: list[int]

    def column(self, name: str) -> Column:
        """Find the column of a name."""
        return next(c for c in self.columns if c.name == name)

    @property
    def leaks_left_out(self) -> Mapping[str, str]:
        """Columns that tell the label, but those a person has named features; none if no feature is left."""
        named = {c.name for c in self.columns if c.own and c.is_feature}
        told = {name: how for name, how in self.leaks.items() if name not in named}
        aside = {self.label and self.label.column, *self.twins, *told}
        others = (c for c in self.columns if c.is_feature and c.name not in aside)
        return told if any(others) else {}

    @property
    def leaks_kept(self) -> Mapping[str, str]:
        """Columns that tell the label and stay."""
        out = self.leaks_left_out
        return {name: how for name, how in self.leaks.items() if name not in out}

    @property
    def parts_copies(self) -> bool:
        """True if there are copies of rows, and enough different rows to keep each on one side of a split."""
        return self.copies > 0 and self.sample - self.copies > MANY_VALUES

    @property
    def complaints(self) -> list[str]:
        """All that is wrong, most harmful first, each with what to do; in one line what is too much."""
        lines = list(_complaints(self))
        more = len(lines) - _MOST + 1
        return (
            lines
            if more < 2
            else [
                *lines[: _MOST - 1],
                f"{more} more: " + "; ".join(lines[_MOST - 1 :]),
            ]
        )

    @property
    def questions(self) -> list[Column]:
        """Columns that could be of another kind, as far as it is known."""
        label = self.label and self.label.column
        return [
            c
            for c in self.columns
            if c.otherwise and c.name not in {label, *self.twins, *self.leaks}
        ]


def _complaints(table: Look) -> Iterator[str]:
    aside = {*table.twins, *table.leaks_left_out}
    if table.label is not None:
        aside.add(table.label.column)
        yield from _about_label(table, table.label)
    yield from table.said
    yield from _about_leaks(table)
    columns = [c for c in table.columns if c.name not in aside]
    yield from _about_kinds(columns, _FIRST)
    yield from _about_questions(table)
    yield from _about_kinds(columns, [_TEXT])
    yield from _about_numbers(columns)
    yield from _about_kinds(columns, _UNUSED)
    yield from _about_rows(table, columns)
    yield from _about_dropped(table, columns)


def _names_of(columns: Iterable[Column], kind: str) -> list[str]:
    return [column.name for column in columns if column.kind == kind]


def _about_leaks(table: Look) -> Iterator[str]:
    """Yield a line on columns that tell the label and are left out, and one on those that are kept."""
    for leaks in filter(None, (table.leaks_left_out, table.leaks_kept)):
        (name, how), *others = leaks.items()
        rest = join_first([f"{other} ({evidence})" for other, evidence in others])
        also = f"; so do {rest}" if others else ""
        what = _fate_of(table, table.column(name))
        yield f"{name}: tells the label nearly alone ({how}), {what}{also}"


def _fate_of(table: Look, column: Column) -> str:
    """Say whether a column that tells the label is kept, and why, or how it would be."""
    asked = "is it known beforehand?"
    if column.name in table.leaks_kept:
        why = "its role is named" if column.own else "no other feature is left"
        return f"kept, as {why}: {asked}"
    if not column.is_feature:
        return f"left out: {asked}"
    plain = "category" if column.text and not column.marks else "number"
    kind = column.kind if column.kind in KINDS else plain
    return f"left out: {asked} If so, --role {shlex.quote(f'{column.name}={kind}')}"


def _about_kinds(
    columns: Sequence[Column], remarks: Iterable[tuple[str, str]]
) -> Iterator[str]:
    """Yield a line for each kind of column that there is, with its remark."""
    for kind, remark in remarks:
        if names := _names_of(columns, kind):
            yield f"{join_first(names)}: {remark}"


def _about_questions(table: Look) -> Iterator[str]:
    if asked := table.questions:
        each = join_first([f"{c.name} ({c.kind}, or {c.otherwise})" for c in asked])
        yield f"not sure of {each}: if wrong, look again with --role COLUMN=KIND"


def _about_numbers(columns: Sequence[Column]) -> Iterator[str]:
    """Yield a line for each column of numbers with marks, and one for those that are written as text."""
    for column in columns:
        if column.marks:
            yield f"{column.name}: numbers but for {', '.join(map(repr, column.marks))}, taken as missing"
    written = [c for c in columns if c.kind == "text of numbers" and not c.marks]
    if not written:
        return
    several = join_first(
        [f"{c.name} (in {c.why})" if c.why else c.name for c in written]
    )
    example = f"such as {written[0].example!r}"
    yield f"{several}: numbers written as text, {example}: dropped; write plain ones, of one unit"


def _about_dropped(table: Look, columns: Sequence[Column]) -> Iterator[str]:
    named = (
        (kind, _names_of(columns, kind))
        for kind in ("identifier", "constant", "empty")
    )
    aside = [f"{join_first(names)} ({kind})" for kind, names in named if names]
    if table.twins:
        first = "; ".join(
            f"{a}: the same values as {b}" for a, b in list(table.twins.items())[:3]
        )
        aside.append(f"{count_noun(len(table.twins), 'column')} twice ({first})")
    if aside:
        yield f"dropped: {'; '.join(aside)}"


def _about_label(table: Look, label: LabelColumn) -> Iterator[str]:
    labelled = table.sample - table.unlabelled - table.undecided
    if not table.named:
        others = [c.column for c in table.candidates if c.column != label.column]
        instead = f", such as {join_first(others, 3)}" if others else ""
        yield f"the label is guessed: {label.column}; name it by --label if it is another{instead}"
    distinct = table.column(label.column).distinct
    several = (
        ""
        if distinct == 2
        else "; several: again; --negative X leaves the rest out"
    )
    if label.otherwise:
        values = f"{distinct:,} values; {label.positive!r}"
        yield f"{label.column}: {values} is positive, no other is; or --positive {label.otherwise}{several}"
    if label.negative:
        yield _about_outcomes(table, label)
    if table.unlabelled:
        yield f"{label.column}: {count_noun(table.unlabelled, 'row')} without a label: left out"
    if (n_pos := round(label.share * labelled)) < _FEW_POSITIVES:
        what = count_noun(n_pos, "positive")
        yield f"{label.column}: {what}, so few that no difference between models will show: collect more"


def _about_outcomes(table: Look, label: LabelColumn) -> str:
    """Say which values are negative, and that the others are left out, with the options that keep them."""
    negative = join_first([str(value) for value in label.negative])
    if not label.left_out:
        return f"{label.column}: {negative} is negative"
    others = join_first([str(value) for value in label.left_out])
    rows = count_noun(table.undecided, "row")
    every = [
        f"--negative {shlex.quote(str(value))}"
        for value in (*label.negative, *label.left_out)
    ]
    return (
        f"{label.column}: {negative} is negative, {rows} of another outcome ({others}) left out; if all are "
        f"negative: {' '.join(every)}"
    )


def _about_rows(table: Look, columns: Sequence[Column]) -> Iterator[str]:
    if table.copies:
        rows = count_noun(table.copies, "row")
        what = "kept on one side of every split"
        if not table.parts_copies:
            what = f"only {table.sample - table.copies} differ, too few to keep each on one side of a split"
        yield f"{rows} with the features of a row before: {what}"
    if "decimal" in table.reader:
        yield "numbers are read with a comma before the decimals, decimal: ','"
    if missing := [c for c in columns if c.missing and c.is_feature]:
        worst = max(missing, key=lambda c: c.missing)
        features = count_noun(len(missing), "feature")
        lack = "has" if len(missing) == 1 else "have"
        yield f"{features} {lack} missing values, up to {worst.missing:.0%} ({worst.name}): filled by impute"
    if many := [
        c.name for c in columns if c.kind == "category" and c.distinct > MANY_VALUES
    ]:
        yield f"{join_first(many)}: over {MANY_VALUES} categories, the rare ones are pooled by max_categories"
