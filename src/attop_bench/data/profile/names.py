"""Words of names and what they mean; each stands in `names.csv`, with a name of a column that has it."""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("names.csv")


@cache
def word_set(meaning: str) -> frozenset[str]:
    """Look up the words that have a meaning, such as person."""
    with _FILE.open(encoding="utf-8", newline="") as file:
        return frozenset(
            row["word"] for row in csv.DictReader(file) if row["meaning"] == meaning
        )


def words_of(name: str) -> list[str]:
    """Split a name into its words: customerId and CUSTOMER_ID are customer, id."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return [
        word.rstrip("0123456789") or word
        for word in re.findall(r"[^\W_]+|#", parted.lower())
    ]


@cache
def meanings_of(name: str) -> frozenset[str]:
    """Look up the meanings of a name: identifier, person, list, thing by its last words, measure by any.

    A country's name means what its country means.
    """
    words = words_of(name)
    if not word_set("name of the word before").isdisjoint(words[1:][-1:]):
        words = words[:-1]
    is_identifier = not word_set("identifier").isdisjoint(words[-1:])
    last = words[-2:] if is_identifier else words[-1:]
    meanings = {
        what
        for what in ("person", "list", "thing")
        if not word_set(what).isdisjoint(last)
    }
    if is_identifier:
        meanings.add("identifier")
    elif not word_set("measure").isdisjoint(words):
        meanings.add("measure")
    return frozenset(meanings)


def is_outcome(name: str) -> bool:
    """Decide whether the name of a column is that of an outcome."""
    words = [word.removeprefix("is") for word in words_of(name)]
    if word_set("outcome, as the last word").issuperset(words[-1:]):
        return bool(words)
    ends = word_set("outcome, after what can end").issuperset(words[-1:])
    # loan_status, but not marital_status.
    if ends and word_set("what can end").issuperset(words[-2:-1]):
        return True
    stems = tuple(word_set("outcome, how it begins"))
    return any(
        word.startswith(stems) or word in word_set("outcome") for word in words
    )
