"""The scorer in scikit-learn's model selection: groups by metadata routing, k of a list, ranks."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, ParameterGrid, StratifiedKFold, cross_val_score

from attop import GDPApK
from attop.metrics import get_metric, make_top_scorer, micro_pap_at_k, precision_at_k
from attop.metrics._custom import custom_metric


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def users(seed, n_users=24, n_each=15):
    """Users with levels of their own: what tells items apart among all says nothing within a user."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_users), n_each)
    level = rng.normal(size=n_users)[groups]
    taste = rng.normal(size=len(groups))
    X = np.column_stack([taste, level, rng.normal(size=(len(groups), 2))])
    y = (taste + level + 0.8 * rng.normal(size=len(groups)) > 1.5).astype(int)
    order = rng.permutation(len(y))
    return X[order], y[order], groups[order]


def by_user(k=1):
    return make_top_scorer("micro-pap@k", k).set_score_request(groups=True)


GRID = {"lam": [1e-3, 0.1, 10.0], "eta": [0.01, 1.0]}


@pytest.mark.usefixtures("routing")
def test_grid_search_picks_by_the_mean_over_users_as_a_loop_by_hand():
    X, y, groups = users(0)
    model = GDPApK(top=1, max_iter=40).set_fit_request(groups=True)
    search = GridSearchCV(model, GRID, scoring=by_user(), cv=GroupKFold(3)).fit(X, y, groups=groups)
    means, pooled = [], []
    for params in ParameterGrid(GRID):
        values = []
        for train, test in GroupKFold(3).split(X, y, groups):
            fitted = clone(model).set_params(**params).fit(X[train], y[train], groups[train])
            scores = fitted.decision_function(X[test])
            of_all = np.zeros(len(test))
            values.append([micro_pap_at_k(y[test], scores, 1, its).value for its in (groups[test], of_all)])
        of_users, of_a_pool = np.mean(values, axis=0)
        means.append(of_users)
        pooled.append(of_a_pool)
    assert search.cv_results_["mean_test_score"].tolist() == means
    assert search.best_index_ == np.argmax(means) != np.argmax(pooled)


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize(("name", "asked"), [("ap", "groups"), ("recall@k", "sample_weight")])
def test_groups_and_weights_reach_the_scorer_under_any_name(name, asked):
    X, y, groups = users(5)
    given = groups if asked == "groups" else np.random.default_rng(3).lognormal(3, 1, len(y))
    scorer, folds = make_top_scorer(name, 10).set_score_request(**{asked: "mine"}), StratifiedKFold(3)
    values = cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=folds, params={"mine": given})
    for value, (train, test) in zip(values, folds.split(X, y), strict=True):
        scores = LogisticRegression().fit(X[train], y[train]).decision_function(X[test])
        assert value == get_metric(name).evaluate(y[test], scores, 10, **{asked: given[test]}).value
        assert value != get_metric(name).value(y[test], scores, 10)


def test_a_metric_of_groups_without_groups_is_an_error_and_no_pool():
    X, y, groups = users(9)
    scorer = make_top_scorer("micro-pap@k", 1)
    with pytest.raises(ValueError, match=r"mean over groups, but .* no groups.*enable_metadata_routing"):
        cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=3, error_score="raise")
    with pytest.warns(UserWarning, match="mean over groups, but the scorer got no groups"):
        values = cross_val_score(
            LogisticRegression(), X, y, scoring=scorer, groups=groups, cv=GroupKFold(3)
        )  # without routing, groups reach the splitter alone
    assert np.isnan(values).all()


def test_a_request_that_would_be_ignored_is_refused():
    with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
        make_top_scorer("auc").set_score_request(groups=True)
    with pytest.raises(TypeError, match="can ask for groups and sample_weight, got users"):
        make_top_scorer("auc").set_score_request(users=True)


@pytest.mark.usefixtures("routing")
def test_requests_survive_a_copy():
    scorer = pickle.loads(pickle.dumps(by_user()))
    assert scorer == by_user()
    assert scorer.get_metadata_routing().score.requests["groups"] is True
    assert make_top_scorer("micro-pap@k", 1).get_metadata_routing().score.requests["groups"] is None


def test_k_of_a_list_cuts_each_fold_at_the_same_share():
    X, y, _ = users(10)
    folds, scorer = StratifiedKFold(3), make_top_scorer("precision@k", {"k": 100, "of": 1000})
    assert (
        repr(scorer) == "TopScorer(metric=Metric(precision@k), top=Top(k=100, out_of=1000), pos_label=None)"
    )
    values = cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=folds)
    for value, (train, test) in zip(values, folds.split(X, y), strict=True):
        scores = LogisticRegression().fit(X[train], y[train]).decision_function(X[test])
        assert value == precision_at_k(y[test], scores, 12)  # 120 * 100 / 1000


def test_where_lower_is_better_the_score_is_the_negative():
    X, y, _ = users(11)
    scorer = make_top_scorer(custom_metric("brier", "sklearn.metrics.log_loss", higher_is_better=False))
    model = LogisticRegression().fit(X, y)
    model = type("Probability", (), {"classes_": model.classes_, "predict_proba": model.predict_proba})()
    assert scorer(model, X, y) == -sklearn.metrics.log_loss(y, model.predict_proba(X)[:, 1])
