"""What every estimator owes scikit-learn: its contract, scorers, grids, metadata routing."""

import warnings
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import _enforce_estimator_tags_y, parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter

import attop
from attop.learners._base import Ranker, Training
from attop.surrogates import PAUCStruct
from support.every_estimator import CLASSES, COMPOSITES, NAMES, make, run_check

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
Y = (X[:, 0] - X[:, 1] + RNG.normal(size=120) > 0.8).astype(int)
GROUPS = RNG.integers(0, 6, 120)
WEIGHT = RNG.uniform(0.5, 2.0, 120)

#: A row given twice may be in two folds, a row of weight 2 is in one.
REDEALT = "it deals the folds itself"
#: Checks an estimator is known to fail, each with the reason.
EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    "SoftTop": {
        "check_sample_weight_equivalence_on_dense_data": REDEALT,
        "check_sample_weight_equivalence_on_sparse_data": REDEALT,
    },
    "TopStack": {
        "check_sample_weight_equivalence_on_dense_data": REDEALT,
        "check_sample_weight_equivalence_on_sparse_data": REDEALT,
        "check_fit2d_1feature": "three positives are too few for two folds",
        "check_classifiers_train": "it predicts the top, not what is more likely than not",
    },
}

VARIANTS = [
    *map(make, NAMES + COMPOSITES),
    make("AATP", search="fixed-point"),
    make("GDPApK", surrogate="ramp", init="zero"),
    make("PNormPush", loss="logistic", weak_rankers="thresholds", price="exp"),
]


def expected_failures(estimator):
    known = dict(EXPECTED_FAILURES.get(type(estimator).__name__, {}))
    if estimator.get_params().get("weak_rankers") == "features" and estimator.loss == "exponential":
        # The classes are separable there.
        why = "the minimum is at infinity, and where a round stops on its way is rounding"
        known |= {"check_sample_weight_equivalence_on_dense_data": why}
    return known


def flips_labels():
    """Whether this scikit-learn makes labels binary by the first of them: its weighted sample is shuffled."""
    low_first, low_second = (
        _enforce_estimator_tags_y(make("TopPush"), np.array(y)) for y in ([0, 1, 2], [1, 0, 2])
    )
    return (low_first[0] < low_first[1]) != (low_second[1] < low_second[0])


def test_every_estimator_is_listed():
    # A new module of a learner that no stub lists would escape this file.
    from importlib import import_module
    from pkgutil import walk_packages

    found = set()
    for package in (attop.learners, attop.from_papers):
        for found_module in walk_packages(package.__path__, f"{package.__name__}."):
            for value in vars(import_module(found_module.name)).values():
                if isinstance(value, type) and issubclass(value, Ranker):
                    found.add(value.__name__)
    bases = {
        "Ranker",
        "WeightedRanker",
        "SplittingRanker",
        "RefinedRanker",
        "BundleEstimator",
        "MiniBatchRanker",
        "AveragedRanker",
    }
    assert found - bases == CLASSES.keys() - {"GreedyPApK", "SelectPApK"}


@pytest.mark.filterwarnings(
    "ignore::attop.learners._base.ConstantModelWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)  # noise is fitted
@parametrize_with_checks(
    [v for v in VARIANTS if type(v).__name__ not in COMPOSITES], expected_failed_checks=expected_failures
)
def test_scikit_learn_contract(estimator, check, request):
    if flips_labels() and "sample_weight_equivalence" in str(check):
        pytest.skip("this scikit-learn compares a weighted sample with a repeated one of opposite labels")
    run_check(check, estimator, request)


@pytest.mark.workflow
@pytest.mark.filterwarnings(
    "ignore::attop.learners._base.ConstantModelWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)
@parametrize_with_checks(
    [v for v in VARIANTS if type(v).__name__ in COMPOSITES], expected_failed_checks=expected_failures
)
def test_scikit_learn_contract_of_what_trains_others(estimator, check, request):
    run_check(check, estimator, request)


def every(**values):
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


SETTINGS = {
    "AATP": [{"top": 3}, {"top": {"tau": 0.1}}, {"C": 0.1}, {"weights": "pairs"}],
    "BundleRanker": [{"surrogate": "pap@k-max", "top": 3}, {"surrogate": "auc"}, {"lam": 0.1}],
    "GDPApK": [
        {"top": 5, "random_state": 3, "batch_groups": 2},
        *every(
            surrogate=["avg", "max", "ts", "ramp"], init=["zero", "normal"], eta=[0.05, 0.5], lam=[0.001, 0.1]
        ),
    ],
    "GDRanker": [
        {"lam": 0.1},
        *every(surrogate=["prec@k-max", PAUCStruct(2), PAUCStruct(4), "auc"], top=[5], eta=[0.1, 0.2]),
    ],
    "GreedyPApK": [{"lam": 0.1}, {"top": 5}, {"n_alphas": 5}],
    "InfinitePush": [{"lam": 0.5}, {"lam": 2.0}],
    "OnePMB": [{"eta": 0.5}, {"radius": 1.0}, {"top": {"tau": 0.1}}],
    "PNormPush": [
        *({"p": 1}, {"max_iter": 3}, {"max_iter": 9}, {"loss": "logistic"}),
        *every(weak_rankers=["thresholds"], n_thresholds=[3], max_iter=[5, 30, 1]),
    ],
    "PatMat": [{"top": 4}, {"beta": 0.1}, {"quantile_of": "negatives"}],
    "PerceptronAtK": [{"surrogate": "max"}, {"top": {"kappa": 0.5}}, {"random_state": 3}],
    "ROCSVM": [{"lam": 10.0}, {"lam": 0.1}],
    "SGDAtK": [
        {"batch_size": 40},
        *every(surrogate=["avg", "max"], eta=[0.01, 0.3], radius=[0.5, np.inf], batch_size=[40]),
    ],
    "SVMPAUC": [{"top": 4}, {"lam": 0.1}],
    "SVMPerf": [{"top": 4}, {"lam": 0.1}],
    "SelectPApK": [{"lam": 0.1}, {"top": 5}],
    "SoftTop": [
        {"top": 4},
        {"bandwidth": 0.5, "l2_to_base": 0.1},
        {"min_gain_se": 10.0},
        {"base": "svm"},
        {"cv": 3},
    ],
    "TopPush": [{"lam": 0.5}, {"lam": 2.0}],
}


@pytest.mark.parametrize("name", NAMES)
def test_fit_many_is_each_setting_alone(name):
    base = make(name)
    settings = [{}, *SETTINGS[name], SETTINGS[name][0]]
    weight = {"sample_weight": WEIGHT} if has_fit_parameter(base, "sample_weight") else {}
    together = base.fit_many(X, Y, GROUPS, candidates=settings, **weight)
    assert not hasattr(base, "classes_")
    for model, setting in zip(together, settings, strict=True):
        alone = clone(base).set_params(**setting).fit(X, Y, GROUPS, **weight)
        assert model.get_params() == alone.get_params()
        for ending in ("n_iter_", "status_"):
            assert getattr(model, ending, None) == getattr(alone, ending, None)
        if hasattr(alone, "history_"):
            objectives = (np.ravel(m.history_.objective) for m in (model, alone))
            np.testing.assert_allclose(*objectives, rtol=1e-7, atol=1e-9)
        # One column and many may be summed in another order by the BLAS.
        np.testing.assert_allclose(
            model.decision_function(X), alone.decision_function(X), rtol=1e-7, atol=1e-9
        )
    scores = [model.decision_function(X) for model in together]
    assert len({s.round(6).tobytes() for s in scores}) > 1  # the settings matter


@pytest.mark.parametrize("weight", [np.inf, -np.inf, np.nan, 1e308])
def test_a_model_that_overflows_is_refused(weight):
    model = make("TopPush")
    with pytest.raises(FloatingPointError, match=r"TopPush diverged: \d+ of its 120 training scores are inf"):
        model._set_linear(np.full(4, weight), Training(10 * X, Y, None, None))


#: Done after all their rounds or passes; the others are done when they have converged.
BY_ROUNDS = {"OnePMB", "PNormPush", "PerceptronAtK", "SGDAtK"}


def fit_and_warnings(name, **changes):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = make(name, **changes).fit(X, Y, GROUPS)
    early = [w for w in caught if issubclass(w.category, ConvergenceWarning)]
    assert all(w.filename == __file__ for w in early)  # the line that calls fit
    return model, " ".join(str(w.message) for w in early)


@pytest.mark.parametrize("name", NAMES)
def test_a_training_that_ends_early_says_so_and_what_to_raise(name):
    parameters = make(name).get_params()
    endings = [({}, "converged")]
    if "max_iter" in parameters:
        endings += [({"max_iter": 4000, "tol": 1e-2}, "converged")]
        endings += [({"max_iter": 1, "tol": 1e-12}, "max_iter")]
    if "time_limit" in parameters:
        endings += [({"time_limit": 1e-9}, "deadline")]
    for changes, ending in endings:
        model, said = fit_and_warnings(name, **changes)
        assert hasattr(model, "converged_") == (name not in {*BY_ROUNDS, "GreedyPApK", "SoftTop"})
        if hasattr(model, "converged_"):
            assert model.converged_ == (not said), (changes, said)
            assert not changes or model.converged_ == (ending == "converged")
        elif hasattr(model, "status_"):
            assert (model.status_ == "deadline") == bool(said), (changes, said)
        if changes and ending != "converged":
            assert getattr(model, "status_", ending) == ending
        if said:
            words = {"max_iter": "raise max_iter or tol", "deadline": "raise time_limit"}
            assert words.get(getattr(model, "status_", ending)) in said


def test_settings_trained_together_warn_once():
    with pytest.warns(ConvergenceWarning) as caught:
        make("GDRanker").fit_many(X, Y, candidates=[{"max_iter": 1}, {"eta": 1e-3}, {"max_iter": 1}])
    assert len(caught) == 1
    assert str(caught[0].message).startswith("3 of 3 models of GDRanker stopped (max_iter)")


@pytest.mark.parametrize("name", ["SelectPApK", "GreedyPApK"])
def test_a_classifier_that_is_not_trained_to_its_end_is_told_of(name, monkeypatch):
    from studies.papk2020 import baselines

    def hasty(*args, options, **others):
        return minimize(*args, options={**options, "maxiter": 2}, **others)

    monkeypatch.setattr(baselines, "minimize", hasty)
    model, said = fit_and_warnings(name)
    assert "L-BFGS did not minimise the cross entropy of" in said
    assert not getattr(model, "converged_", False)
