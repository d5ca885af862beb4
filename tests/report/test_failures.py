"""What failed, is missing or undefined, or ranks nothing."""

from __future__ import annotations

from attop_bench.report.compute.tables import constant_models, error_list, status_counts, undefined_values
from support.rows import CONSTANT, rows


def test_failures_are_counted_by_job(results):
    evaluation, runs, *_ = results
    counts = status_counts(evaluation, runs).set_index(["dataset", "method"])
    assert list(counts.columns) == ["expected", "ok", "error", "missing"]
    assert counts.loc[("wdbc", "perceptron-max")].tolist() == [5, 3, 2, 0]
    assert counts.loc[("digit-8", "rankboost")].tolist() == [3, 2, 0, 1]
    assert counts.loc[("many-users", "pnorm-push-16")].tolist() == [3, 0, 3, 0]
    rest = counts.drop(
        [("wdbc", "perceptron-max"), ("digit-8", "rankboost"), ("many-users", "pnorm-push-16")]
    )
    assert (rest["ok"] == rest["expected"]).all()
    errors = error_list(runs)
    assert errors["line"].unique().tolist() == ["FloatingPointError: overflow in step 7"]
    assert errors.set_index("dataset")["which"].to_dict() == {
        "wdbc": "0.0, 0.1",
        "many-users": "0.0, 1.0, 2.0",
    }
    undefined = undefined_values(evaluation).to_dict("records")
    assert [(u["dataset"], u["metric"], u["reason"]) for u in undefined] == [
        ("wdbc", "pap@k", "fewer than k negatives")
    ]
    assert undefined[0]["undefined"] == evaluation["value"].isna().sum()


def test_models_that_rank_nothing_are_counted_by_method():
    _, runs = rows(("a", [CONSTANT, 0.9, CONSTANT]), ("b", [0.9, 0.2, None]), ("c", [CONSTANT]))
    assert constant_models(runs).to_dict("records") == [
        {"dataset": "wdbc", "method": "a", "models": 2},
        {"dataset": "wdbc", "method": "c", "models": 1},
    ]
    assert constant_models(runs[:0]).empty
