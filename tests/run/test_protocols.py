"""Protocols from a configuration file to the report; what cannot be run is said before the first job."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from attop_bench.data.base import Dataset
from attop_bench.data.build import make
from attop_bench.report.page.section import protocol_sentence
from attop_bench.run.checks import check_method, check_tops
from attop_bench.run.config import ConfigError
from attop_bench.run.fitting import sample_of
from attop_bench.run.options import MethodConfig
from attop_bench.run.plan import Plan
from attop_bench.run.training import run_job
from support.folds import cut
from support.small_run import configured, entry


def transactions(path, n=600, seed=0):
    """Write a table of transactions on thirty days, of sixty customers, every fourth of them compromised."""
    rng = np.random.default_rng(seed)
    customer = rng.integers(0, 60, n)
    fraud = ((customer % 4 == 0) & (rng.random(n) < 0.5)).astype(int)
    day = pd.Timestamp("2024-02-15") + pd.to_timedelta(np.sort(rng.integers(0, 30, n)), unit="D")
    columns = {"when": day.strftime("%Y-%m-%d 12:%M"), "customer": [f"c{c}" for c in customer]}
    columns |= {"amount": rng.normal(size=n) + fraud, "fraud": fraud}
    pd.DataFrame(columns).to_csv(path, index=False)


def reached(tmp_path, protocol, **params):
    """Return the plan of a configuration, its data and folds."""
    transactions(tmp_path / "t.csv")
    given = {"path": str(tmp_path / "t.csv"), "label": "fraud", "positive": 1, "drop": [], **params}
    bank = entry(id="bank", kind="file", params=given, protocol=protocol, tops=[{"tau": 0.1}])
    config = configured(datasets=[bank], methods=["logistic-regression"])
    data = make("file", **config.dataset("bank").parameters)
    return Plan(config), data, cut(data, config.split("bank", 0))


def test_whole_entities_are_reached_from_a_file_and_named_in_the_report(tmp_path):
    protocol = {"kind": "whole-entities", "options": {"n_folds": 3, "inner_folds": 2}}
    plan, data, folds = reached(tmp_path, protocol, entity="customer", drop=["when"])
    check_tops(plan.config.dataset("bank"), plan.config.metric("precision@k"), data, [folds])
    customer = pd.read_csv(tmp_path / "t.csv")["customer"].to_numpy()
    runs = list(plan.runs())
    assert len(runs) == 3
    tested = []
    for run in runs:
        outcome = run_job(plan.job(run), data, folds[run.fold], contain=False)
        assert outcome.ok
        tested.append(set(customer[outcome.test]))
    assert sum(map(len, tested)) == len(set().union(*tested)) == 60
    assert protocol_sentence(protocol) == (
        "Cross-validation over whole entities, such as customers, which are ranked in one list "
        "(whole-entities: n_folds = 3, inner_folds = 2, repeats = 1)."
    )


_WINDOWS = {"n_folds": 2, "train": 6, "delay": 3, "test": 5}
PREQUENTIAL = {
    "kind": "prequential",
    "options": {**_WINDOWS, "inner_train": 3, "inner_delay": 1, "inner_test": 2},
}


def test_days_are_reached_from_a_file_and_the_sentence_says_how(tmp_path):
    plan, data, folds = reached(tmp_path, PREQUENTIAL, entity="customer", day="when")
    check_tops(plan.config.dataset("bank"), plan.config.metric("precision@k"), data, [folds])
    frame = pd.read_csv(tmp_path / "t.csv", parse_dates=["when"])
    tested = []
    for run in plan.runs():
        outcome = run_job(plan.job(run), data, folds[run.fold], contain=False)
        assert outcome.ok
        tested.append(frame["when"].iloc[outcome.test].dt.normalize())
    assert [str(d.min().date()) for d in tested] == ["2024-03-06", "2024-03-11"]
    assert [str(d.max().date()) for d in tested] == ["2024-03-10", "2024-03-15"]
    assert protocol_sentence(PREQUENTIAL) == (
        "A window of days trains, the days until its labels are known are left out, the next days test; "
        "selection goes forward in time too (prequential: n_folds = 2, train = 6, delay = 3, test = 5, "
        "inner_train = 3, inner_delay = 1, inner_test = 2, repeats = 1)."
    )


def test_a_seed_that_the_configuration_gives_is_kept(tmp_path):
    plan, data, folds = reached(tmp_path, {"kind": "stratified"}, entity="customer", day="when")
    tree = {"estimator": "sklearn.ensemble.RandomForestClassifier", "param_grid": {}}
    spec = next(plan.runs())
    scores = []
    for seed, params in ((0, {}), (1, {}), (0, {"random_state": 5}), (1, {"random_state": 5})):
        params = {"n_estimators": 5, **params}
        job = replace(plan.job(spec), seed=seed, params=params, **tree)
        scores.append(run_job(job, data, folds[0], contain=False).scores)
    assert not np.array_equal(scores[0], scores[1])
    np.testing.assert_array_equal(scores[2], scores[3])


def test_card_precision_selects_and_needs_its_columns(tmp_path):
    plan, data, folds = reached(tmp_path, PREQUENTIAL, entity="customer", day="when")
    job = replace(plan.job(next(plan.runs())), scoring="card-precision-3")
    record = run_job(job, data, folds[0], contain=False)
    (top,) = record.tops
    best = max(np.mean(row["values"]) for row in top["inner"])
    assert top["validation"] == pytest.approx(best)
    assert best > 0
    bare = replace(data, entity=None)
    found = sample_of(bare).measure(job.metric, folds[0].test, np.zeros(len(folds[0].test)), job.tops[0])
    assert found.reason == "the data name no entities or no days"


Y = (np.arange(60) < 6).astype(int)


def checked(y=Y, groups=None, **changes):
    protocol = {"kind": "stratified", "options": {"n_folds": 2, "inner_folds": 2}}
    config = configured(datasets=[entry(protocol=protocol, **{"scoring": "precision@k", **changes})])
    dataset, data = Dataset("mine", np.zeros((len(y), 1)), y, groups), config.dataset("mine")
    check_tops(data, config.metric(data.scoring), dataset, [cut(dataset, config.split("mine", 0))])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tops": [{"k": 31}]}, "k=31 cannot be selected by precision@k, undefined in the test part"),
        ({"tops": [{"k": 20}]}, "undefined in the validation part of repeat 0, fold 0 .15 items"),
        ({"scoring": "micro-pap@k"}, "micro-pap@k, a mean over groups, but its items have no groups"),
        (
            {"groups": np.arange(60) // 6, "scoring": "micro-pap@k", "tops": [{"k": 3}]},
            "no eligible group: no positive .9., fewer than k negatives .1.",
        ),
    ],
    ids=["k of the test part", "k of the inner parts", "grouped metric", "groups"],
)
def test_what_cannot_be_run_is_said_with_the_reason(change, words):
    with pytest.raises(ConfigError, match=words):
        checked(**change)


def test_a_parameter_that_only_set_params_takes_is_one():
    pytest.importorskip("lightgbm", reason="an estimator with **kwargs")
    own = {"estimator": "lightgbm.LGBMClassifier", "params": {"verbosity": -1}}
    assert check_method(MethodConfig(id="own", **own, param_grid={"max_bin": [15, 31]})) == []


def test_a_parameter_that_set_params_refuses_is_none():
    own = {"estimator": "sklearn.linear_model.LogisticRegression", "param_grid": {"CC": [1.0]}}
    (complaint,) = check_method(MethodConfig(id="own", **own))
    assert "Invalid parameter 'CC' for estimator" in complaint
