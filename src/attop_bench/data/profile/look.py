"""A look at a table before training: its columns, the likely label, and all that is wrong.

Five steps, each a function from one profile to the next: the table is read, its columns are typed, the label
is chosen, then what is missing is decided, and the evidence is gathered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attop_bench.data.profile.evidence import evidence
from attop_bench.data.profile.findings import Look
from attop_bench.data.profile.labels import choose_label
from attop_bench.data.profile.missing import decide_missing
from attop_bench.data.profile.profile import Answers
from attop_bench.data.profile.rows import read
from attop_bench.data.profile.types import type_columns
from attop_bench.files import StrPath


def look(
    path: StrPath,
    label: str | None = None,
    positive: object = None,
    roles: Mapping[str, str] | None = None,
    form: str | None = None,
    given: Mapping[str, Any] | None = None,
    negative: Sequence[object] | None = None,
) -> Look:
    """Look at a table in a file.

    `label` is by default the likeliest column, `positive` its likeliest value, or a list of values;
    `negative` are the values of the other class, where rows of further values are to be left out. `roles` are
    the kinds of columns, such as entity, where they are known better than by their values and names; `form`
    and `given` are the format and options of its reader.
    """
    answers = Answers(label, positive, negative, roles or {}, given or {})
    profile = read(path, form, answers)
    profile = type_columns(profile)
    profile = choose_label(profile)
    profile = decide_missing(profile)
    return evidence(profile, form)
