"""A look is five steps, each from one profile to the next, which leaves the one before as it is."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from attop_bench.data.profile.labels import choose_label
from attop_bench.data.profile.look import evidence, look
from attop_bench.data.profile.missing import decide_missing
from attop_bench.data.profile.profile import Answers
from attop_bench.data.profile.rows import read
from attop_bench.data.profile.types import type_columns

ROWS = 200


def with_gaps(folder):
    """Write a table whose column of customers has two words for nothing, which tell the label."""
    rng = np.random.default_rng(5)
    y = np.arange(ROWS) % 2
    customer = [f"K{number}" for number in rng.integers(10, 40, ROWS)]
    for row in range(0, 60, 2):
        customer[row + 1] = "NA"
        customer[row] = ""
    frame = pd.DataFrame({"amount": rng.normal(size=ROWS).round(3), "customer": customer, "y": y})
    frame["level"] = rng.integers(0, 90, ROWS).astype(str)
    frame.loc[[3, 50, 77], "level"] = "n/k"
    frame.to_csv(folder / "t.csv", index=False)
    return folder / "t.csv"


def test_each_step_leaves_the_profile_before_as_it_was(tmp_path):
    path = with_gaps(tmp_path)
    profile = read(path, None, Answers(label="y", reader={}))
    for step in (type_columns, choose_label, decide_missing):
        before, frame, raw = repr(profile), profile.frame.copy(), profile.table.frame.copy()
        following = step(profile)
        assert repr(profile) == before
        pd.testing.assert_frame_equal(profile.frame, frame)
        pd.testing.assert_frame_equal(profile.table.frame, raw)
        profile = following
    assert evidence(profile, None) == look(path, "y")


def test_a_profile_cannot_be_changed(tmp_path):
    profile = read(with_gaps(tmp_path), None, Answers())
    with pytest.raises(dataclasses.FrozenInstanceError):
        profile.rows = 1


def test_what_is_missing_is_decided_after_the_label(tmp_path):
    path = with_gaps(tmp_path)
    typed = choose_label(type_columns(read(path, None, Answers(label="y", roles={"customer": "category"}))))
    assert typed.table.missing is None
    decided = decide_missing(typed)
    assert decided.reader["missing"] == {"customer": False, "level": ["n/k"]}
    assert decided.frame["level"].isna().sum() == 3
    assert decided.frame["level"].dtype == np.float64


def test_a_role_that_was_given_outlasts_words_that_are_values(tmp_path):
    found = look(with_gaps(tmp_path), "y", roles={"customer": "category"})
    assert "customer" in found.reader["missing"]
    assert (found.column("customer").kind, found.column("customer").own) == ("category", True)
