"""SoftTop: what it chooses, on what that depends, and what it refuses."""

import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from attop import SoftTop
from attop.learners.soft_top import _search
from support.misspecified import misspecified

X, Y = misspecified()
Z = StandardScaler().fit_transform(X)
FRESH, LABELS = misspecified(6000, seed=9)


def precision(scores, y, k):
    return y[np.argsort(-scores)[:k]].mean()


def gain(model):
    """Precision on new rows, at 0.3 of their positives, above that of the base."""
    k = round(0.3 * LABELS.sum())
    refined, base = (precision(FRESH @ w, LABELS, k) for w in (model.coef_, model.base_coef_))
    return refined - base


@pytest.fixture(scope="module")
def plain():
    return SoftTop(top=40).fit(X, Y)


def test_it_wins_at_the_top_where_the_base_is_wrong_there():
    model = SoftTop(top={"kappa": 0.3}).fit(X, Y)
    assert model.refined_
    assert model.cv_gain_ > 0.1
    assert model.cv_gain_se_ < model.cv_gain_
    assert model.bandwidth_ in (0.1, 0.3, 1.0, 3.0)
    assert gain(model) > 0.1


def test_where_there_is_nothing_to_gain_it_keeps_the_base_the_tuned_model_of_scikit_learn():
    model = SoftTop(top=40, base="logistic", min_gain_se=np.inf).fit(X, Y)
    assert not model.refined_
    assert model.bandwidth_ is None
    assert np.isfinite(model.cv_gain_)
    np.testing.assert_array_equal(model.coef_, model.base_coef_)
    C = float(model.base_.split("C=")[1].split(",")[0].rstrip(")"))
    balanced = "balanced" if "balanced" in model.base_ else None
    theirs = LogisticRegression(C=C, class_weight=balanced, tol=1e-10, max_iter=5000).fit(Z, Y)
    np.testing.assert_allclose(model.base_coef_ * X.std(axis=0), theirs.coef_[0], atol=1e-5)


@pytest.mark.parametrize("same", [{"n_jobs": 2}, {"top": {"k": 40, "of": len(Y)}}])
def test_neither_jobs_nor_a_k_as_the_share_of_the_sample_change_a_digit(plain, same):
    other = clone(plain).set_params(**same).fit(X, Y)
    np.testing.assert_array_equal(other.coef_, plain.coef_)
    assert other.cv_gain_ == plain.cv_gain_


def test_a_search_as_base_hands_on_weights_and_groups():
    weight, groups = np.where(Y == 1, 0.02, 50.0), np.arange(len(Y)) % 40
    search = GridSearchCV(LogisticRegression(), {"C": [0.1]}, cv=GroupKFold(2))
    one, other = (
        SoftTop(top=2, base=base, min_gain_se=np.inf).fit(X, Y, groups=groups, sample_weight=weight)
        for base in (search, LogisticRegression(C=0.1))
    )
    np.testing.assert_allclose(one.base_coef_, other.base_coef_, rtol=1e-10)


@pytest.mark.parametrize("base", [LogisticRegression(C=0.1), Ridge()])
def test_any_linear_estimator_can_be_the_base(base):
    model = SoftTop(top=40, base=base, min_gain_se=np.inf).fit(X, Y)
    want = np.ravel(base.fit(Z, Y).coef_) / X.std(axis=0)
    np.testing.assert_allclose(model.base_coef_, want, rtol=1e-10)
    assert model.base_ == repr(base)


@pytest.mark.parametrize("base", ["ridge", None, 3, SVC()])
def test_a_base_that_is_none_is_refused(base):
    with pytest.raises(ValueError, match="base must be"):
        SoftTop(top=40, base=base).fit(X, Y)


def test_base_and_refinement_count_an_item_of_weight_two_as_two():
    """Where there is nothing to choose, which would depend on the folds."""
    weight = np.where(X[:, 2] > 0, 2, 1)
    rows = np.repeat(np.arange(len(Y)), weight)
    model = SoftTop(top=60, base=LogisticRegression(), bandwidth=1.0, l2_to_base=0.03, min_gain_se=-np.inf)
    weighted, repeated = clone(model).fit(X, Y, sample_weight=weight), model.fit(X[rows], Y[rows])
    np.testing.assert_allclose(weighted.base_coef_, repeated.base_coef_, rtol=1e-3)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-3)


def test_a_large_sample_is_chosen_by_a_part_of_it_and_trained_on_whole(monkeypatch):
    base = LogisticRegression(C=0.1)
    whole = SoftTop(top={"kappa": 0.3}, base=base).fit(X, Y)
    monkeypatch.setattr("attop.learners.soft_top._soft_top._MOST_TO_CHOOSE_BY", len(Y) // 2)
    half = SoftTop(top={"kappa": 0.3}, base=base).fit(X, Y)
    np.testing.assert_array_equal(half.base_coef_, whole.base_coef_)
    assert half.refined_
    assert half.cv_gain_ != whole.cv_gain_
    assert gain(half) > 0.1


@pytest.fixture
def many(monkeypatch):
    monkeypatch.setattr("attop.learners.soft_top._search._MANY", len(Y) // 2)
    monkeypatch.setattr("attop.learners.soft_top._search._FEW", len(Y) // 4)
    return monkeypatch


@pytest.mark.usefixtures("many")
def test_where_few_of_many_rows_are_tried_first_models_do_not_depend_on_each_other():
    few, other = SoftTop().fit_many(X, Y, candidates=[{"top": {"kappa": 0.3}}, {"top": 40}])
    assert gain(few) > 0.1
    np.testing.assert_array_equal(SoftTop(top=40, n_jobs=2).fit(X, Y).coef_, other.coef_)


def test_what_few_rows_have_left_is_trained_on_all(many):
    groups = np.arange(len(Y)) % 10
    forced = SoftTop(top=4, base=LinearDiscriminantAnalysis(), min_gain_se=-np.inf)  # which takes no weights
    few = clone(forced).fit(X, Y, groups)
    many.undo()
    one = forced.set_params(bandwidth=few.bandwidth_, l2_to_base=few.l2_to_base_).fit(X, Y, groups)
    np.testing.assert_array_equal(few.coef_, one.coef_)


@pytest.mark.parametrize("groups", [None, np.arange(len(Y)) % 10])
def test_all_are_tried_on_few_rows_and_the_best_on_more_in_all_folds(many, groups):
    asked = []
    some_of = _search._some_of
    many.setattr(_search, "_some_of", lambda *each: asked.append(each[2]) or some_of(*each))
    SoftTop(top=4, cv=4).fit(X, Y, groups)
    n_rough = 2 if groups is None else 4
    assert asked == [True] * 2 * n_rough + [False] * 8


def test_of_a_large_sample_no_copy_is_made(monkeypatch, tmp_path):
    monkeypatch.setattr("attop.learners.soft_top._soft_top._MOST_TO_CHOOSE_BY", 1000)
    many, y = misspecified(40_000)
    np.save(tmp_path / "X.npy", np.repeat(many, 8, axis=1).astype(np.float32))
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = SoftTop(top=400, base="logistic", bandwidth=1.0, l2_to_base=0.03, cv=2)
    model.fit(mapped[:2000], y[:2000])  # imports and compiles
    tracemalloc.start()
    model.fit(mapped, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.refined_
    # 20 vectors or so; features as numbers of double precision would be 32.
    assert peak < 30 * 8 * len(y)


def test_few_positives_leave_nothing_to_choose_by():
    y = np.zeros(60, int)
    y[7] = 1
    model = SoftTop(top=5).fit(X[:60], y)
    assert not model.refined_
    assert np.isnan(model.cv_gain_)
    assert np.isfinite(model.decision_function(X)).all()


def test_large_groups_are_refined_for_the_top_of_each():
    groups = np.arange(len(Y)) % 10
    # What moves whole groups up or down is no reason to rank within them.
    moved = np.c_[X, 3.0 * groups]
    model = SoftTop(top={"tau": 0.03}).fit(moved, Y, groups)
    assert model.refined_
    base, refined = (
        np.mean([precision((moved @ w)[groups == g], Y[groups == g], 4) for g in range(10)])
        for w in (model.base_coef_, model.coef_)
    )
    assert refined > base
