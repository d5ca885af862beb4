"""Findings of a look at a table, and their words: the most harmful first, each with what to do."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from attop.extending import count_noun, join_first
from attop_bench.data.kinds.columns import MANY_VALUES
from attop_bench.data.ledger import Ledger
from attop_bench.data.profile.labels import LabelColumn
from attop_bench.data.profile.roles import Column

#: What is said where no column can be the label.
NO_LABEL = "no column has two values: name the label, --label COLUMN --positive VALUE, or '>= 3', say"
#: Lines that are said, and positives below which no difference between models shows.
_MOST, _FEW_POSITIVES = 8, 50


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
    #: How the file is written, as far as it is not usual.
    said: list[str]
    ledger: Ledger
    #: Lines that are or may be no rows, if it is not sure which are.
    doubtful: list[int]

    def column(self, name: str) -> Column:
        """Return the column of a name."""
        return next(c for c in self.columns if c.name == name)

    @property
    def complaints(self) -> list[str]:
        """All that is wrong, most harmful first, each with what to do; in one line what is too much."""
        lines = list(_complaints(self))
        more = len(lines) - _MOST + 1
        return lines if more < 2 else [*lines[: _MOST - 1], f"{more} more: " + "; ".join(lines[_MOST - 1 :])]

    @property
    def questions(self) -> list[Column]:
        """Columns that could be of another kind, as far as it is known."""
        label = self.label and self.label.column
        return [c for c in self.columns if c.otherwise and c.name not in {label, *self.twins, *self.leaks}]


def _complaints(table: Look) -> Iterator[str]:
    label, named = table.label, [c for c in table.columns if c.name not in {*table.twins, *table.leaks}]
    if label is None:
        yield NO_LABEL
    else:
        yield from _about_label(table, label)
        named = [c for c in named if c.name != label.column]
    yield from table.said
    for name, how in list(table.leaks.items())[:1]:
        rest = [f"{other} ({this})" for other, this in table.leaks.items() if other != name]
        also = f"; so do {join_first(rest)}" if rest else ""
        yield f"{name}: tells the label nearly alone ({how}), left out: is it known beforehand?{also}"
    by_kind = {kind: [c.name for c in named if c.kind == kind] for kind in {c.kind for c in named}}
    for kind, remark in (
        ("group", "names lists: each is ranked by itself, and is on one side of a split"),
        ("entity", "an entity, such as a customer: no feature; its rows stay on one side of a split"),
    ):
        if kind in by_kind:
            yield f"{join_first(by_kind[kind])}: {remark}"
    if asked := table.questions:
        each = join_first([f"{c.name} ({c.kind}, or {c.otherwise})" for c in asked])
        yield f"not sure of {each}: if wrong, look again with --role COLUMN=KIND"
    if names := by_kind.get("text"):
        yield f"{join_first(names)}: text, read as the weights of its words (TF-IDF): drop it if it is none"
    for column in named:
        if column.marks:
            yield f"{column.name}: numbers but for {', '.join(map(repr, column.marks))}, taken as missing"
    if written := [c for c in named if c.kind == "text of numbers" and not c.marks]:
        several = join_first([f"{c.name} (in {c.why})" if c.why else c.name for c in written])
        example = f"such as {written[0].example!r}"
        yield f"{several}: numbers written as text, {example}: dropped; write plain ones, of one unit"
    if names := by_kind.get("unusable"):
        yield f"{join_first(names)}: infinite numbers, or no single values: dropped; correct them to use them"
    if names := by_kind.get("date"):
        yield f"{join_first(names)}: dates: no feature; to use them make numbers, such as an age in days"
    yield from _about_rows(table, named)
    aside = [f"{join_first(by_kind[k])} ({k})" for k in ("identifier", "constant", "empty") if k in by_kind]
    if table.twins:
        first = "; ".join(f"{a}: the same values as {b}" for a, b in list(table.twins.items())[:3])
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
    several = "" if distinct == 2 else "; several: again; --negative X leaves the rest out"
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
    every = [f"--negative {shlex.quote(str(value))}" for value in (*label.negative, *label.left_out)]
    return (
        f"{label.column}: {negative} is negative, {rows} of another outcome ({others}) left out; if all are "
        f"negative: {' '.join(every)}"
    )


def _about_rows(table: Look, columns: list[Column]) -> Iterator[str]:
    if table.copies:
        rows = count_noun(table.copies, "row")
        yield f"{rows} with the features of a row before: kept on one side of every split"
    if "decimal" in table.reader:
        yield "numbers have a comma before the decimals: read with decimal: ','"
    if missing := [c for c in columns if c.missing and c.is_feature]:
        worst = max(missing, key=lambda c: c.missing)
        features = count_noun(len(missing), "feature")
        lack = "has" if len(missing) == 1 else "have"
        yield f"{features} {lack} missing values, up to {worst.missing:.0%} ({worst.name}): filled by impute"
    if many := [c.name for c in columns if c.kind == "category" and c.distinct > MANY_VALUES]:
        yield f"{join_first(many)}: over {MANY_VALUES} categories, the rare ones are pooled by max_categories"
