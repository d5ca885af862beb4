"""TopStack: cross-fitting and the regression by hand, what it takes and hands on, what it refuses."""

import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from attop import Top, TopPush, TopStack
from attop.experiment._splits import cross_fitting_folds
from attop.learners.top_stack import _top_stack as module
from attop.learners.top_stack._members import default_members, raw_scores
from attop.metrics import precision_at_k
from attop.metrics._held_out import TopPrecision
from oracles.stacking import held_out_log_odds, log_odds
from support.every_estimator import make

pytestmark = pytest.mark.workflow


RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 3))
Y = (X[:, 0] + X[:, 1] ** 2 + RNG.normal(size=150) > 2.2).astype(int)
GROUPS = RNG.integers(0, 10, 150)
MEMBERS = [("linear", LogisticRegression()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]


def stack(members=MEMBERS, **changes):
    return TopStack(members, **{"top": 8, "cv": 3, **changes})


@pytest.mark.parametrize("top", [1, 3, 8])
def test_it_is_cross_fitting_and_a_regression_written_out(top):
    model = stack(top=top).fit(X, Y)
    folds = list(StratifiedKFold(3, shuffle=True, random_state=np.random.RandomState(0)).split(X, Y))
    raw = held_out_log_odds([member for _, member in MEMBERS], X, Y, folds)
    Z = (raw - raw.mean(axis=0)) / raw.std(axis=0)
    assert {name: worth.precision for name, worth in model.member_values_.items()} == {
        name: pytest.approx(precision_at_k(Y, Z[:, j], top)) for j, (name, _) in enumerate(MEMBERS)
    }
    new = RNG.normal(size=(40, 3))
    p = [[clone(m).fit(X[fit], Y[fit]).predict_proba(new)[:, 1] for fit, _ in folds] for _, m in MEMBERS]
    mean = np.mean(np.vectorize(log_odds)(p, Y.mean()), axis=1).T
    by_hand = (mean - raw.mean(axis=0)) / raw.std(axis=0)
    np.testing.assert_allclose(model.member_scores(new), by_hand, rtol=1e-9, atol=1e-12)
    logistic = LogisticRegression(max_iter=1000).fit(Z, Y)
    np.testing.assert_allclose(model.coef_, logistic.coef_[0], rtol=1e-4)
    np.testing.assert_allclose(model.decision_function(new), by_hand @ model.coef_ + model.intercept_)
    np.testing.assert_allclose(model.predict_proba(new), logistic.predict_proba(by_hand), atol=1e-4)
    held_out = np.empty(len(Y))
    for train, test in folds:
        held_out[test] = Z[test] @ LogisticRegression(max_iter=1000).fit(Z[train], Y[train]).coef_[0]
    assert model.value_.smoothed == pytest.approx(TopPrecision(Y, top).smoothed(held_out), abs=1e-3)
    scores = Z @ model.coef_
    # As many are positive as the top has places, but for ties.
    assert (scores + model.intercept_ > 0).sum() in (top, (scores >= np.sort(scores)[-top]).sum())
    assert np.array_equal(model.predict(X) == 1, model.decision_function(X) > 0)


@pytest.mark.parametrize("prior", [1e-4, 0.05, 0.9])
def test_log_odds_keep_the_order_of_probabilities(prior):
    class Known:
        def predict_proba(self, p):
            return np.column_stack([1 - p, p])

    p = np.r_[0.0, 1e-9, np.geomspace(1e-6, 0.999, 400), 0.9999, 1 - 1e-12, 1.0]
    scores = raw_scores("known", Known(), p, prior)
    np.testing.assert_allclose(scores, np.vectorize(log_odds)(p, prior))
    assert (np.diff(scores) > 0).all()  # the surest are not tied


def test_the_same_numbers_for_any_n_jobs():
    members = [*MEMBERS, ("forest", RandomForestClassifier(5)), ("near", KNeighborsClassifier(3))]
    alone, several = stack(members).fit(X, Y), stack(members, n_jobs=2).fit(X, Y)
    assert np.array_equal(alone.decision_function(X), several.decision_function(X))
    assert alone.member_values_ == several.member_values_
    other = stack(members, random_state=1).fit(X, Y)
    assert not np.array_equal(alone.decision_function(X), other.decision_function(X))


def test_a_seed_of_ones_own_is_kept():
    fixed = [("a", RandomForestClassifier(3, random_state=5)), ("b", RandomForestClassifier(3))]
    model = stack(fixed).fit(X, Y)
    (_, kept), (_, drawn) = model.members_
    assert {forest.random_state for forest in kept} == {5}
    assert None not in {forest.random_state for forest in drawn}
    assert fixed[1][1].random_state is None


def test_labels_of_other_numbers_and_frames_with_text_and_missing_values():
    frame = pd.DataFrame({"size": X[:, 0], "kind": np.where(X[:, 1] > 0, "x", "y"), "other": X[:, 2]})
    frame.loc[::7, "size"] = np.nan
    encode = make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough")
    members = [
        ("boosting", make_pipeline(encode, HistGradientBoostingClassifier(max_iter=5))),
        ("tree", make_pipeline(encode, DecisionTreeClassifier(max_depth=2))),
    ]
    model = stack(members).fit(frame, np.where(Y, 2, 1))
    assert model.classes_.tolist() == [1, 2]
    assert set(model.predict(frame)) <= {1, 2}
    plain = stack(members).fit(frame, Y)
    assert np.array_equal(model.decision_function(frame), plain.decision_function(frame))
    assert np.array_equal(
        plain.decision_function(frame[["other", "kind", "size"]]), plain.decision_function(frame)
    )
    with pytest.raises(ValueError, match="could not convert string to float"):
        stack().fit(frame, Y)


def test_the_models_one_has():
    gaps = X.copy()
    gaps[::9, 0] = np.nan
    for features in (X, gaps, pd.DataFrame(gaps, columns=["a", "b", "c"]), sparse.csr_array(X)):
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            model = TopStack(top=8, cv=2).fit(features, Y)
        # Without LightGBM the boosters are scikit-learn's, which take no sparse features.
        assert len(model.members_) == 3 - (sparse.issparse(features) and not find_spec("lightgbm"))
        assert np.isfinite(model.decision_function(features)).all()
    with pytest.raises(ValueError, match="infinity"):
        TopStack(top=8, cv=2).fit(np.where(np.isnan(gaps), np.inf, gaps), Y)


def test_members_without_probabilities():
    svm = make_pipeline(StandardScaler(), LinearSVC())
    model = stack([("svm", svm), ("push", TopPush())]).fit(X, Y)
    folds = StratifiedKFold(3, shuffle=True, random_state=np.random.RandomState(0)).split(X, Y)
    expected = np.mean([svm.fit(X[fit], Y[fit]).decision_function(X) for fit, _ in folds], axis=0)
    found = model.member_scores(X)[:, 0]
    np.testing.assert_allclose(
        (found - found.mean()) / found.std(), (expected - expected.mean()) / expected.std()
    )


class Recorder(ClassifierMixin, BaseEstimator):
    """Notes what its `fit` is given."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y, groups=None, sample_weight=None):
        self.classes_ = np.unique(y)
        self.seen.append((X, y, groups, sample_weight))
        return self

    def decision_function(self, X):
        return X[:, 0]


def test_weights_and_groups_reach_those_that_take_them():
    Recorder.seen.clear()
    weight = RNG.uniform(0.5, 2, 150)
    members = [
        ("plain", Recorder()),
        ("piped", make_pipeline(StandardScaler(), Recorder())),
        ("near", KNeighborsClassifier(3)),
    ]
    model = stack(members).fit(X, Y, groups=GROUPS, sample_weight=weight)
    assert len(Recorder.seen) == 2 * 3
    folds = cross_fitting_folds(3, Y, np.unique(GROUPS, return_inverse=True)[1], np.random.RandomState(0))
    for (train, _), (features, y, groups, given) in zip(folds, Recorder.seen[::2], strict=True):
        assert np.array_equal(features, X[train])
        assert np.array_equal(y, Y[train])
        assert np.array_equal(groups, GROUPS[train])
        assert np.array_equal(given, weight[train])
    assert np.isfinite(model.decision_function(X)).all()
    with sklearn.config_context(enable_metadata_routing=True):
        routed = stack(members).fit(X, Y, groups=GROUPS, sample_weight=weight)
    assert np.array_equal(routed.decision_function(X), model.decision_function(X))


def test_members_are_standardised_and_weighed_by_weight():
    """Held-out scores of rows of weight 2 count twice in centre, scale, share of positives and regression."""
    weight = np.where(X[:, 1] > 0, 2.0, 1.0)
    model = stack([("linear", LogisticRegression())]).fit(X, Y, sample_weight=weight)
    folds = cross_fitting_folds(3, Y, None, np.random.RandomState(0))
    raw = held_out_log_odds([LogisticRegression()], X, Y, folds, weight)[:, 0]
    raw, y = (np.repeat(column, weight.astype(int)) for column in (raw, Y))
    np.testing.assert_allclose([*model._centre, *model._scale], [raw.mean(), raw.std()], atol=1e-3)
    Z = (raw[:, None] - raw.mean()) / raw.std()
    np.testing.assert_allclose(model.coef_, LogisticRegression().fit(Z, y).coef_[0], rtol=1e-3)


@pytest.mark.parametrize(("n_pos", "folds"), [(4, 2), (7, 3), (40, 5)])
def test_fewer_folds_where_positives_are_few(n_pos, folds):
    y = np.arange(150) < n_pos
    model = stack(cv=5).fit(X, y)
    assert [len(models) for _, models in model.members_] == [folds, folds]


def test_probabilities_are_calibrated():
    rng = np.random.default_rng(2)
    many = rng.normal(size=(6000, 3))
    p = 1 / (1 + np.exp(3 - 2 * many[:, 0] - many[:, 1] * many[:, 2]))
    y = (rng.random(6000) < p).astype(int)
    found = TopStack().fit(many[:2000], y[:2000]).predict_proba(many[2000:])[:, 1]
    for low, high in ((0, 0.05), (0.05, 0.2), (0.2, 0.5), (0.5, 1)):
        part = (found >= low) & (found < high)
        assert found[part].mean() == pytest.approx(p[2000:][part].mean(), abs=0.05)


def test_groups_have_a_top_each():
    groups = np.array(["u", "v", "w", "x", "y", "z"])[np.arange(150) % 6]
    model = stack(top=2).fit(X, Y, groups)
    again = stack(top=Top(k=2)).fit(X, Y, np.arange(150) % 6)
    assert np.array_equal(model.decision_function(X), again.decision_function(X))
    assert model.member_values_ != stack(top=2).fit(X, Y).member_values_
    with pytest.raises(ValueError, match="k=26 asks for 26 of the 25 items"):
        stack(top=26).fit(X, Y, groups)


def test_tops_share_their_members_and_their_order():
    Recorder.seen.clear()
    members = [*MEMBERS, ("recorder", Recorder())]
    settings = [{"top": 3}, {"top": {"tau": 0.1}}, {}, {"cv": 2}, {"top": 3, "cv": 2}]
    together = stack(members).fit_many(X, Y, candidates=settings)
    assert len(Recorder.seen) == 3 + 2
    for model, setting in zip(together, settings, strict=True):
        alone = stack(members, **setting).fit(X, Y)
        assert model.get_params()["top"] == alone.top
        assert np.array_equal(model.decision_function(X), alone.decision_function(X))
    few, many, *_ = together
    assert np.array_equal(few.coef_, many.coef_)
    assert few.intercept_ != many.intercept_
    assert few.value_ != many.value_


def test_parameters_of_members_by_name():
    model = stack().set_params(linear__C=0.5, tree=DecisionTreeClassifier(max_depth=1))
    assert model.get_params()["linear__C"] == 0.5
    assert model.get_params()["tree__max_depth"] == 1
    search = GridSearchCV(make("TopStack", top=5), {"linear__C": [0.01, 1.0]}, cv=2, error_score="raise")
    assert search.fit(X, Y).best_params_["linear__C"] in (0.01, 1.0)


class Broken(Recorder):
    def decision_function(self, X):
        return np.full(len(X), np.nan)


FEW = np.r_[np.ones(3, int), np.zeros(147, int)]
LUMPED = np.where(Y == 1, 0, np.arange(150) % 5 + 1)


@pytest.mark.parametrize(
    ("changes", "data", "message"),
    [
        ({}, (X, FEW), "2 folds needs at least 4 positives .*got 3 and 147: lower cv"),
        ({}, (X, Y, LUMPED), r"fold . of whole groups needs at least 2 .* got 0 and"),
        ({}, (X, Y, GROUPS[1:]), "groups must name that of each of the 150 items"),
        ({}, (X, np.zeros(150)), "one class only"),
        ({}, (np.where(X > 2, np.nan, X), Y), "NaN"),
        ({"top": 151}, (X, Y), "k=151 asks for 151 of the 150 items"),
        ({"cv": 1}, (X, Y), "cv must be an integer of at least 2, got 1"),
        ({"random_state": "x"}, (X, Y), "random_state must be an integer of at least 0"),
        ({"members": "all"}, (X, Y), "estimators must be \"auto\" or a list .*got 'all'"),
        ({"members": []}, (X, Y), 'estimators must be "auto" or a list'),
        ({"members": [LogisticRegression()]}, (X, Y), 'estimators must be "auto" or a list'),
        ({"members": [("a", "drop")]}, (X, Y), 'estimators must be "auto" or a list'),
        ({"members": [*MEMBERS, *MEMBERS]}, (X, Y), "not unique"),
        ({"members": [("line", LinearRegression())]}, (X, Y), r"member 'line' gives no scores"),
        (
            {"members": [("near", KNeighborsClassifier(3))]},
            (X, Y, None, np.full(150, 2.0)),
            r"no member takes sample_weight \(near\)",
        ),
        ({"members": [("bad", Broken())]}, (X, Y), "member 'bad' returned 50 scores that are NaN"),
    ],
)
def test_what_is_refused(changes, data, message):
    with pytest.raises((ValueError, TypeError, FloatingPointError), match=message):
        stack(**changes).fit(*data)


def test_default_members_are_fitted_on_so_many_rows_and_those_of_ones_own_on_all(monkeypatch):
    monkeypatch.setattr(module, "default_members", lambda *_, **__: [("one", Recorder())])
    monkeypatch.setattr(module, "ROWS_OF_A_MEMBER", 60)
    Recorder.seen.clear()
    weight = RNG.uniform(0.5, 2, 150)
    TopStack(cv=3).fit(X, Y, sample_weight=weight)
    for features, y, _, given in Recorder.seen:
        rows = [(row == X).all(axis=1).argmax() for row in features]
        factor = np.where(y == 1, 1, (100 - y.sum()) / (60 - y.sum()))
        np.testing.assert_allclose(given, weight[rows] * factor)
    stack([("own", Recorder())]).fit(X, Y)
    assert [len(y) for _, y, *_ in Recorder.seen] == [60] * 3 + [100] * 3


@pytest.mark.parametrize(("n_features", "seen"), [(4, 2), (100, 50), (600, 60)])
def test_a_tree_looks_at_few_features_of_a_wide_table(n_features, seen):
    forest = dict(default_members(100, n_features, sparse=False))["extra trees"]
    assert forest.max_features * n_features == pytest.approx(seen)
