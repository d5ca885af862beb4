"""The board's question with an uncertain capacity: its rule, and its page."""

import numpy as np
import pandas as pd
import pytest
from studies.board.capacity import METHODS, TOPS, comparisons, expected_values, page, what_decides

from attop.metrics import expected_precision, precision_at_k
from support import ROOT

BOARD = ROOT / "docs/board"


@pytest.fixture(scope="module")
def published():
    return pd.read_csv(BOARD / "values.csv"), pd.read_csv(BOARD / "sets.csv")


def test_the_page_is_that_of_the_published_values(published):
    assert (BOARD / "capacity.md").read_text(encoding="utf-8") == page(*published)


def test_the_mean_over_tops_is_expected_precision_under_the_law():
    rng = np.random.default_rng(0)
    y, scores = rng.integers(0, 2, 60), rng.normal(size=60)
    tops = [round(share * y.sum()) for share in (0.25, 0.5, 1)]
    law = dict.fromkeys(tops, 1 / 3)
    mean = np.mean([precision_at_k(y, scores, k) for k in tops])
    assert expected_precision(y, scores, law) == pytest.approx(mean)


def test_sets_without_a_value_at_a_top_are_left_out_and_few_are_refused(published):
    values, _ = published
    whole = expected_values(values)
    name = whole.index[0]
    lacking = values[~((values["set"] == name) & (values["top"] == TOPS[1]))]
    assert [*expected_values(lacking).index] == [*whole.index[1:]]
    assert whole.loc[name, METHODS[0]] == pytest.approx(
        values[(values["set"] == name) & values["top"].isin(TOPS)][METHODS[0]].mean()
    )
    with pytest.raises(ValueError, match="asks for 8 sets, got 7"):
        expected_values(values[values["set"].isin(whole.index[:7])])


def test_a_lead_on_every_set_is_shown_and_what_it_hangs_on(published):
    values, sets = published
    expected = expected_values(values)
    rank = sets.set_index("set").loc[expected.index, "positives"].rank() / len(expected)
    made = expected.assign(**{METHODS[2]: expected[METHODS[0]] + rank})
    row = comparisons(made).query(
        "capacity == 'uncertain' and rival == @METHODS[0] and method == @METHODS[2]"
    )
    assert row["p"].item() < 0.001
    assert row["sets higher"].item() == len(expected)
    decides = what_decides(made, sets).set_index(["method", "rival", "fact"])
    assert decides.loc[(METHODS[2], METHODS[0], "positives"), "correlation"] == pytest.approx(1)
