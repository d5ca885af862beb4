"""Words of names are data: each has a name of a column in which it decides."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attop_bench.data.profile import names
from attop_bench.data.profile.labels import as_label, candidates
from attop_bench.data.profile.names import meanings_of, word_set, words_of
from attop_bench.data.profile.profile import Answers, Profile
from attop_bench.data.profile.readers import describe
from attop_bench.data.reading.table import Table

with Path(names.__file__).with_name("names.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))
OF_ROLES = ("identifier", "person", "list", "thing")


def test_no_word_stands_twice_in_a_meaning():
    pairs = [(row["meaning"], row["word"]) for row in ROWS]
    assert len(set(pairs)) == len(pairs) > 250
    assert sum(map(len, map(word_set, {meaning for meaning, _ in pairs}))) == len(pairs)


@pytest.mark.parametrize("meaning", [*OF_ROLES, "measure"])
def test_a_word_decides_in_its_example(meaning):
    for row in ROWS:
        if row["meaning"] == meaning:
            assert row["word"] in words_of(row["such as"]), row
            assert meaning in meanings_of(row["such as"]), row


def test_a_word_of_an_outcome_makes_a_label_likelier():
    """A column in the middle that has the name of an outcome goes before the last one of two values."""
    for row in ROWS:
        if not row["meaning"].startswith("outcome"):
            continue
        name = row["such as"]
        frame = pd.DataFrame(
            {"u": np.arange(60.0) % 7, name: np.arange(60) % 3 % 2, "last": np.arange(60) % 2}
        )
        columns = [describe(frame, column, "") for column in frame]
        table = Table(frame, "dataset t")
        profile = Profile("t.csv", Answers(), len(frame), table, {}, frame=frame, columns=tuple(columns))
        assert candidates(profile)[0].column == name, row
        assert as_label(profile, name).positive == 1


@pytest.mark.parametrize(
    ("name", "meaning"),
    [("country_name", "thing"), ("CustomerName", "person"), ("race name", "list"), ("iso_code", "thing")],
)
def test_a_name_of_something_means_that(name, meaning):
    assert meaning in meanings_of(name)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("country", "category"),
        ("Country Name", "category"),
        ("iso3", "category"),
        ("customer_name", "entity"),
    ],
)
def test_rows_of_a_country_are_no_unit_though_they_are_alike(name, kind):
    rng = np.random.default_rng(0)
    which = np.repeat(np.arange(80), 12)
    frame = pd.DataFrame({name: [f"Name {chr(65 + i % 26)}{i}" for i in which]})
    for other, scale in (("gdp", 10), ("area", 5)):
        frame[other] = (rng.normal(0, 3, 80)[which] * scale + rng.normal(size=len(which))).round(2)
    assert describe(frame.sample(frac=1, random_state=0), name, "").kind == kind


def test_a_name_of_none_of_these_says_nothing():
    assert not meanings_of("name")
    assert not meanings_of("pregnant")
    assert not meanings_of("sales_local_currency")
