"""Tables of the claims: shares with their errors, the same by any number of jobs; cells of a page."""

import math

import numpy as np
import pandas as pd
import pytest
from studies.claims import __main__ as claims
from studies.claims import cells, entities, verdicts, watch
from studies.claims.shares import as_table, in_lines, mean, number, share, simulate

from attop_bench.papers.page import read_tables
from attop_bench.report.compute.results import Results


def test_a_share_has_the_error_of_its_draws_and_leaves_out_those_that_cannot_tell():
    one = share("t", "c", "w", [1, 0, 0, math.nan, 0], "at most 5")
    assert (one.draws, one.value) == (4, 25.0)
    assert one.standard_error == pytest.approx(100 * math.sqrt(0.25 * 0.75 / 4))
    assert mean("t", "c", "w", [2, 4]).value == 3
    assert math.isnan(share("t", "c", "w", [math.nan]).value)


@pytest.mark.parametrize(
    ("happened", "promise", "kept"),
    [
        ([1] * 4 + [0] * 96, "at most 5", True),
        ([1] * 8 + [0] * 92, "at most 5", True),  # within two standard errors of 2.7
        ([1] * 20 + [0] * 80, "at most 5", False),
        ([1] * 95 + [0] * 5, "at least 93", True),
        ([1] * 80 + [0] * 20, "at least 93", False),
        ([1] * 80 + [0] * 20, "", True),
        ([math.nan], "at least 93", True),
    ],
)
def test_a_promise_is_broken_by_more_than_two_errors(happened, promise, kept):
    found = share("t", "c", "w", happened, promise)
    assert found.kept is kept
    assert ("not kept" in in_lines([found])) is not kept


def drawn(cell, draws, seed):
    return [share("t", cell, "w", np.random.default_rng(seed).random(draws) < 0.5)]


def test_numbers_do_not_depend_on_the_jobs():
    asked = [(drawn, "a"), (drawn, "b")]
    assert simulate(asked, 20, 0, 1) == simulate(asked, 20, 0, 2)


@pytest.mark.parametrize(
    ("simulation", "cell"),
    [
        (entities.verdicts, "fives"),
        (entities.selection, "fives"),
        (entities.forecast, "heavy"),
        (watch.falls, (100, 0.3)),
        (verdicts.question, (0.5, 2, 0)),
        (verdicts.page, 2),
        (verdicts.false_alarms, (1, 0.5, 2)),
        (verdicts.false_alarms, (1, "resampled", 2)),
    ],
)
def test_each_table_says_what_is_promised_and_how_often_it_holds(simulation, cell):
    found = simulation(cell, 2, 0)
    assert any(one.promise for one in found)
    assert all(0 <= one.value <= 100 for one in found if one.promise and one.draws)
    assert {one.table for one in found} <= set(claims.TABLES)
    names = [(one.case, one.what) for one in found]
    assert len(set(names)) == len(names)


def test_a_table_that_is_made_again_takes_the_place_of_its_rows(tmp_path):
    path = tmp_path / "simulated.csv"
    page, watched = share("page", "a", "w", [1, 0]), number("watch", "b", "w", 3)
    for shares in ([page, watched], [share("page", "c", "w", [1])]):
        claims.publish(shares, path)
    found = pd.read_csv(path)
    assert list(zip(found["table"], found["case"], strict=True)) == [("watch", "b"), ("page", "c")]
    assert list(found) == list(as_table([page]))


def results(values):
    """Return the tables of two data sets of ten runs; `values` are method -> (means on each, or None)."""
    rng, rows = np.random.default_rng(0), []
    for d, dataset in enumerate(("one", "two")):
        for run in range(10):
            for method, means in values.items():
                if means[d] is not None:
                    value = means[d] + 0.01 * rng.random()
                    rows.append((dataset, method, run // 5, run % 5, "k=100", "precision@k", value))
    evaluation = pd.DataFrame(rows, columns=["dataset", "method", "repeat", "fold", "top", "metric", "value"])
    evaluation = evaluation.assign(reason="", n_groups=1, n_left_out=0)
    runs = evaluation.drop(columns=["metric", "value", "reason"])
    runs = runs.assign(status="ok", constant=False, torn="[]", n_train=800, n_test=200)
    about = {"scoring": "precision@k", "items": 1000, "positives": 100, "units": [100, True]}
    return Results(
        {"evaluation": evaluation, "runs": runs}, {"datasets": {"one": about, "two": about}, "methods": {}}
    )


def test_cells_are_counted_by_data_set():
    counted = cells.count_cells(results({"a": (0.9, 0.5), "b": (0.3, 0.495), "c": (0.2, None)}))
    one, two, every = counted.to_dict("index").values()
    assert (one["comparisons"], one["shown"], one["cells"], one["behind"]) == (1, 1, 2, 2)
    assert (two["shown"], two["cells"], two["open"], two["absent"]) == (0, 1, 1, 1)
    assert (every["comparisons"], every["cells"]) == (2, 3)
    assert (one["decided_before"], two["decided_before"]) == (2, 0)
    assert cells.in_words(counted) == (
        "2 comparisons, 1 with a winner that is shown; 3 cells, 1 undecided, 1 before"
    )


def test_before_an_erratic_model_hid_the_lead_over_another():
    rng = np.random.default_rng(0)
    runs = {"a": rng.normal(0.8, 0.02, 10), "b": rng.normal(0.7, 0.02, 10)}
    assert cells.behind_by_rule(runs, 0.25) == ({"b"}, {"b"})
    now, before = cells.behind_by_rule({**runs, "c": rng.normal(0.4, 0.3, 10)}, 0.25)
    assert "b" in now - before
    assert (
        cells.behind_by_rule(runs, math.nan) == cells.behind_by_rule({"a": runs["a"]}, 0.25) == (set(), set())
    )


def test_the_board_is_counted_by_its_stored_values():
    every = cells.count_board().iloc[-1]
    assert every["comparisons"] == 4
    assert every["behind"] + every["open"] == every["cells"]
    assert every["behind"] >= every["decided_before"] > 0


def test_of_no_cells_none_is_undecided():
    assert cells.in_words(cells.count_cells(results({"a": (0.9, 0.5)}))).endswith(
        "0 cells, 0 undecided, 0 before"
    )


def test_a_run_without_a_board_has_an_empty_file_of_it(tmp_path):
    (tmp_path / "board.csv").write_bytes(b"")
    (tmp_path / "summary.csv").write_text("mean\n0.5\n")
    tables = read_tables(tmp_path)
    assert tables["board"].empty
    assert tables["summary"]["mean"].tolist() == [0.5]
