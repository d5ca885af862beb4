"""Weights in estimators: an item of weight 2 is two items; who takes none has no such parameter."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from attop.experiment._learner import fit_many
from support.every_estimator import CLASSES, COMPOSITES, NAMES, make

pytestmark = pytest.mark.filterwarnings("ignore")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] - X[:, 1] + RNG.normal(size=60) > 0.8).astype(int)
WEIGHT = RNG.integers(0, 4, 60).astype(float)
ROWS = np.repeat(np.arange(60), WEIGHT.astype(int))
GROUPS = RNG.integers(0, 3, 60)

#: A row given twice may be in two folds, a row of weight 2 is in one.
DEAL_FOLDS = {"SoftTop", "TopStack"}
WEIGHTED = [n for n in NAMES + COMPOSITES if has_fit_parameter(CLASSES[n], "sample_weight")]
EXACT = [name for name in WEIGHTED if name not in DEAL_FOLDS]
#: What trains on other losses by a parameter.
VARIANTS = {
    "BundleRanker": [
        {"surrogate": name, "top": {"tau": 0.3}}
        for name in ("pap@k-ts-convex", "pap@k-max", "auc", "top-push", "prec@k-struct")
    ],
    "GDRanker": [{"surrogate": name, "top": 4} for name in ("logistic", "prec@k-max", "prec@k-soft", "auc")],
    "GDPApK": [{"surrogate": name, "top": 4} for name in ("max", "ts", "ramp")],
    "PNormPush": [
        {"loss": "hinge"},
        {"loss": "logistic", "price": "exp"},
        {"weak_rankers": "thresholds", "n_thresholds": 4},
    ],
    "AATP": [{"weights": "pairs", "top": {"tau": 0.2}}, {"top": 7, "search": "fixed-point"}],
}
CASES = [(name, change) for name in EXACT for change in [{}, *VARIANTS.get(name, [])]]


def test_those_whose_problem_allows_it_take_weights():
    assert set(NAMES + COMPOSITES) - set(WEIGHTED) == {
        "GreedyPApK", "OnePMB", "PerceptronAtK", "SGDAtK", "SelectPApK",
    }  # fmt: skip
    for name in WEIGHTED:
        kind = CLASSES[name]
        taken = [parameter for parameter in inspect.signature(kind.fit).parameters if parameter != "entity"]
        assert taken == ["self", "X", "y", "groups", "sample_weight"]
        assert "sample_weight" in inspect.signature(kind.fit_many).parameters


@pytest.mark.parametrize(("name", "change"), CASES)
@pytest.mark.parametrize("grouped", [False, True])
def test_an_item_of_weight_two_is_two_items(name, change, grouped):
    model = make(name, **change)
    groups = GROUPS if grouped else None
    weighted = clone(model).fit(X, Y, groups, WEIGHT)
    repeated = clone(model).fit(X[ROWS], Y[ROWS], groups[ROWS] if grouped else None)
    tolerance = 1e-4 if hasattr(model, "tol") else 1e-7
    spread = np.ptp(repeated.decision_function(X))
    assert spread > 0
    assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=tolerance * spread)
    plain = clone(model).fit(X, Y, groups)
    assert abs(plain.decision_function(X) - weighted.decision_function(X)).max() > 10 * tolerance * spread


@pytest.mark.parametrize("most", [1.0, 2.0])
@pytest.mark.parametrize("name", sorted({*DEAL_FOLDS, "TopBooster"}))
def test_a_row_of_weight_zero_is_in_no_fold(name, most):
    weight = np.array([0.0, 1.0, most])[np.arange(60) % 3]
    kept = weight > 0
    zero = make(name).fit(X, Y, GROUPS, weight)
    dropped = make(name).fit(X[kept], Y[kept], GROUPS[kept], weight[kept])
    np.testing.assert_array_equal(zero.decision_function(X), dropped.decision_function(X))


@pytest.mark.parametrize("name", EXACT)
def test_half_the_weight_is_half_the_list(name):
    # Sums over items, where the others are means.
    sums = {"AATP": ({"C": 2.0}, {"C": 1.0}), "SVMPerf": ({"lam": 0.5}, {"lam": 1.0})}
    one, two = sums.get(name, ({}, {}))
    if "top" in make(name).get_params():
        one, two = one | {"top": 4}, two | {"top": 8}
    weighted = make(name, **one).fit(X, Y, None, WEIGHT / 2)
    whole = make(name, **two).fit(X, Y, None, WEIGHT)
    spread = np.ptp(whole.decision_function(X))
    assert_allclose(weighted.decision_function(X), whole.decision_function(X), atol=1e-3 * spread)


@pytest.mark.parametrize("name", WEIGHTED)
def test_ones_are_no_weights(name):
    ones = make(name).fit(X, Y, None, np.ones(60))
    plain = make(name).fit(X, Y)
    assert_allclose(ones.decision_function(X), plain.decision_function(X), rtol=1e-12)


def test_an_item_without_weight_is_no_threshold_item():
    for tau in (0.1, 0.2, 0.3, 0.5):
        model = make("AATP", top={"tau": tau}).fit(X, Y, None, WEIGHT)
        assert WEIGHT[model.threshold_item_] > 0


def test_the_cut_of_predict_is_at_the_weight_of_the_positives():
    model = make("ROCSVM").fit(X, Y, None, WEIGHT)
    positive = model.predict(X) == 1
    assert WEIGHT[positive].sum() == pytest.approx(WEIGHT[Y == 1].sum(), abs=WEIGHT.max())
    repeated = make("ROCSVM").fit(X[ROWS], Y[ROWS])
    assert model.intercept_ == pytest.approx(repeated.intercept_, rel=1e-5)


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_that_are_none_are_refused(name):
    for weight, message in [
        (-WEIGHT, "Negative values"),
        (WEIGHT[:-1], "sample_weight.shape"),
        (np.where(Y == 1, 0.0, 1.0), "sample_weight is 0 for all positives"),
        (np.full(60, np.nan), "NaN"),
    ]:
        with pytest.raises(ValueError, match=message):
            make(name).fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(WEIGHTED)))
def test_who_takes_no_weights_has_no_such_parameter_and_says_why(name):
    with pytest.raises(TypeError, match="sample_weight"):
        make(name).fit(X, Y, sample_weight=WEIGHT)
    with pytest.raises(TypeError, match=f"{name} takes no sample_weight: "):
        fit_many(make(name), X, Y, sample_weight=WEIGHT, candidates=[{}])
    assert "takes no sample_weight: " in CLASSES[name].__doc__


def test_a_loss_that_takes_no_weights_is_refused_with_its_reason():
    for name in ("GDRanker", "BundleRanker"):
        with pytest.raises(ValueError, match=r"PrecAtKAvg takes no sample_weight: .*prec@k-max"):
            make(name, surrogate="prec@k-avg").fit(X, Y, sample_weight=WEIGHT)
    with pytest.raises(ValueError, match="ExpPushExp takes no sample_weight"):
        make("PNormPush", price="exp").fit(X, Y, sample_weight=WEIGHT)


def test_weights_beyond_whole_numbers_are_refused_where_a_top_counts_them():
    with pytest.raises(ValueError, match=r"sum to at most 2\*\*53 where a top counts items by weight"):
        make("GDRanker", surrogate="prec@k-max", top={"tau": 0.5}).fit(X, Y, None, np.full(60, 2.0**50))
