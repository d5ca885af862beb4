"""Boosters that stop early by one of attop's metrics keep the round where it is best."""

from dataclasses import replace

import numpy as np
import pytest

from attop.metrics import METRICS, get_metric
from attop.objectives import CatBoostMetric, LightGBMMetric, XGBoostMetric

RNG = np.random.default_rng(0)
X = RNG.normal(size=(500, 3))
Y = (X[:, 0] + 0.5 * X[:, 1] + RNG.normal(size=500) > 1.4).astype(int)
FIT, HELD = slice(0, 300), slice(300, 500)
#: Rounds, all of which are done before training stops, so that the best of all is known.
ROUNDS = 12


def of_other_name(name, higher_is_better=True):
    return replace(get_metric("auc"), name=name, higher_is_better=higher_is_better)


#: Those of the registry, the same for lower values, and names that XGBoost reads a direction from.
CASES = [
    *METRICS.values(),
    *(replace(m, name=f"missed {m.name}", higher_is_better=False) for m in METRICS.values()),
    *(
        of_other_name(name, False)
        for name in ("precision-lost", "auc-lost", "map-lost", "ndcg: lost", "mape")
    ),
    *(of_other_name(name) for name in ("error", "mape", "my: own score", "logloss")),
]


def in_xgboost_train(metric, rounds):
    xgboost = pytest.importorskip("xgboost", reason="the extra boosters is not installed")
    history, held = {}, xgboost.DMatrix(X[HELD], Y[HELD])
    booster = xgboost.train(
        {"objective": "binary:logistic", "max_depth": 2, "nthread": 1, "disable_default_eval_metric": True},
        xgboost.DMatrix(X[FIT], Y[FIT]),
        ROUNDS,
        evals=[(held, "held")],
        evals_result=history,
        custom_metric=XGBoostMetric(metric, 20),
        early_stopping_rounds=rounds,
        verbose_eval=False,
    )
    return booster.best_iteration, history["held"]


def in_xgboost_classifier(metric, rounds):
    xgboost = pytest.importorskip("xgboost", reason="the extra boosters is not installed")
    model = xgboost.XGBClassifier(
        n_estimators=ROUNDS,
        max_depth=2,
        n_jobs=1,
        disable_default_eval_metric=True,
        eval_metric=XGBoostMetric(metric, 20),
        early_stopping_rounds=rounds,
    )
    model.fit(X[FIT], Y[FIT], eval_set=[(X[HELD], Y[HELD])], verbose=False)
    return model.best_iteration, model.evals_result()["validation_0"]


def in_lightgbm_train(metric, rounds):
    lightgbm = pytest.importorskip("lightgbm", reason="the extra boosters is not installed")
    history, data = {}, lightgbm.Dataset(X[FIT], Y[FIT])
    booster = lightgbm.train(
        {"objective": "binary", "metric": "none", "num_leaves": 3, "num_threads": 1, "verbosity": -1},
        data,
        ROUNDS,
        valid_sets=[lightgbm.Dataset(X[HELD], Y[HELD], reference=data)],
        valid_names=["held"],
        feval=LightGBMMetric(metric, 20),
        callbacks=[lightgbm.early_stopping(rounds, verbose=False), lightgbm.record_evaluation(history)],
    )
    return booster.best_iteration - 1, history["held"]


def in_lightgbm_classifier(metric, rounds):
    lightgbm = pytest.importorskip("lightgbm", reason="the extra boosters is not installed")
    model = lightgbm.LGBMClassifier(n_estimators=ROUNDS, num_leaves=3, n_jobs=1, verbosity=-1, metric="none")
    model.fit(
        X[FIT],
        Y[FIT],
        eval_set=[(X[HELD], Y[HELD])],
        eval_metric=LightGBMMetric(metric, 20),
        callbacks=[lightgbm.early_stopping(rounds, verbose=False)],
    )
    return model.best_iteration_ - 1, model.evals_result_["valid_0"]


def in_catboost(metric, rounds):
    catboost = pytest.importorskip("catboost", reason="CatBoost is not installed")
    model = catboost.CatBoostClassifier(
        iterations=ROUNDS,
        depth=2,
        thread_count=1,
        verbose=False,
        allow_writing_files=False,
        eval_metric=CatBoostMetric(metric, 20),
        early_stopping_rounds=rounds,
    )
    model.fit(X[FIT], Y[FIT], eval_set=(X[HELD], Y[HELD]))
    history = model.evals_result_["validation"]
    return model.best_iteration_, {"CatBoostMetric": history["CatBoostMetric"]}


@pytest.mark.parametrize("metric", CASES, ids=lambda metric: f"{metric.name}-{metric.higher_is_better}")
@pytest.mark.parametrize(
    "train",
    [in_xgboost_train, in_xgboost_classifier, in_lightgbm_train, in_lightgbm_classifier, in_catboost],
)
@pytest.mark.filterwarnings("error:(Failed to|Can't) optim")
def test_the_best_round_is_kept(train, metric):
    best, history = train(metric, ROUNDS)
    (values,) = history.values()
    assert len(values) == ROUNDS
    assert best == (np.argmax(values) if metric.higher_is_better else np.argmin(values))


def test_xgboost_cross_validation_keeps_the_best_round():
    xgboost = pytest.importorskip("xgboost", reason="the extra boosters is not installed")
    metric = XGBoostMetric("recall@k", 20)
    settings = {"objective": "binary:logistic", "max_depth": 2, "nthread": 1}
    settings["disable_default_eval_metric"] = True

    def rounds(early_stopping):
        history = xgboost.cv(
            settings,
            xgboost.DMatrix(X, Y),
            ROUNDS,
            nfold=2,
            custom_metric=metric,
            early_stopping_rounds=early_stopping,
            as_pandas=False,
        )
        return history[f"test-{metric.name}-mean"]

    assert len(rounds(3)) == np.argmax(rounds(None)[: len(rounds(3)) + 3]) + 1


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        ("precision@k", "precision@k=20"),
        ("auc", "auc"),
        ("ap", "prefer-high-ap"),
        ("recall@k", "prefer-high-recall@k=20"),
        (of_other_name("auc lost", False), "low-is-better-auc-lost"),
        (of_other_name("error", False), "error"),
    ],
)
def test_xgboost_is_given_a_name_it_reads_the_direction_from(metric, name):
    assert XGBoostMetric(metric, 20).name == XGBoostMetric(metric, 20).__name__ == name
