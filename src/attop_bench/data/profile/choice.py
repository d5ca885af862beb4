"""The third step of a look: the label, and which of its values stand for none."""

from __future__ import annotations

from dataclasses import replace

from attop.extending import join_first
from attop_bench.data.kinds.columns import column_of
from attop_bench.data.profile.labels import as_label, candidates, having, unknown
from attop_bench.data.profile.missing import usual_words
from attop_bench.data.profile.profile import Profile


def choose_label(profile: Profile) -> Profile:
    """Choose the label, the one named or the likeliest, and decide which of its values stand for none."""
    answers = profile.answers
    table, frame = profile.table, profile.values
    possible = candidates(table, frame, profile.columns)
    profile = replace(profile, candidates=tuple(possible))
    if answers.label is not None:
        return _known_or_not(_with_named(profile, answers.label))
    if answers.positive is not None:
        label = having(answers.positive, table, frame, possible, answers.negative)
        return _known_or_not(replace(profile, label=label))
    if not possible:
        return profile
    label = possible[0]
    if answers.negative is not None:
        label = as_label(table, frame, label.column, None, answers.negative)
    return _known_or_not(replace(profile, label=label))


def _with_named(profile: Profile, name: str) -> Profile:
    """Return a profile with the named column as label; nothing beside one value is the other label."""
    answers = profile.answers
    name = column_of(profile.values, name, profile.table.where)
    values = profile.values[name].dropna().unique()
    if profile.finds_missing and len(values) == 1:
        profile = profile.with_missing({name: False})
        profile = profile.saying(f"{name}: {values[0]} or nothing, which is read as the other label")
    label = as_label(profile.table, profile.values, name, answers.positive, answers.negative)
    return replace(profile, label=label)


def _known_or_not(profile: Profile) -> Profile:
    """Return a profile whose label has no marks, such as ``?``, that stand for none of its values."""
    name = profile.of_label
    if name is None or not profile.finds_missing:
        return profile
    none = unknown(profile.values[name])
    if not none:
        return profile
    answers = profile.answers
    words = sorted({*none, *usual_words(profile.table, name)} - answers.positives)
    profile = profile.with_missing({name: words})
    label = as_label(profile.table, profile.values, name, answers.positive, answers.negative)
    remedy = f"--reader 'missing={{{name}: []}}'"
    remark = f"{name}: {join_first(none)} is read as no label; as one: {remedy}"
    return replace(profile.saying(remark), label=label)
