"""Whatever can be checked in advance is checked before the first training job."""

import numpy as np
import pytest

from attop_bench.data.base import Dataset
from attop_bench.run.checks import check_method, check_plan
from attop_bench.run.config import ConfigError, MethodConfig, load_config
from support.folds import cut

Y = (np.arange(60) < 6).astype(int)


def checked(y=Y, groups=None, **changes):
    data = {
        "id": "own",
        "kind": "file",
        "params": {"path": "own.csv", "label": "y", "positive": 1},
        "protocol": {"kind": "stratified", "options": {"n_folds": 2, "inner_folds": 2}},
        "tops": [{"k": 3}],
        "scoring": "precision@k",
        **changes,
    }
    methods = [{"id": "log", "estimator": "sklearn.linear_model.LogisticRegression"}]
    config = load_config(
        {"catalogues": {}, "datasets": [data], "methods": methods, "metrics": ["precision@k"]}
    )
    dataset = Dataset("own", np.zeros((len(y), 1)), y, groups)
    check_plan(config, {"own": dataset}, {("own", 0): cut(dataset, config.split("own", 0))})


def test_what_can_be_run_passes():
    checked()


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
    entry = {"estimator": "lightgbm.LGBMClassifier", "params": {"verbosity": -1}}
    assert check_method(MethodConfig(id="own", **entry, param_grid={"max_bin": [15, 31]})) == []


def test_a_parameter_that_set_params_refuses_is_none():
    entry = {"estimator": "sklearn.linear_model.LogisticRegression", "param_grid": {"CC": [1.0]}}
    (complaint,) = check_method(MethodConfig(id="own", **entry))
    assert "Invalid parameter 'CC' for estimator" in complaint
