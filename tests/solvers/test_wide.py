"""Far more columns than rows: vectors as combinations of rows, and TopPush by its dual."""

import tracemalloc
from unittest.mock import patch

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import random_array

from attop import BundleRanker, TopPush
from attop.from_papers.top_push import _top_push


def wide(n, d):
    X = random_array((n, d), density=10 / d, format="csr", rng=0)
    return X, np.arange(n) % 4 == 0


@pytest.mark.parametrize("name", ["prec@k-struct", "auc", "pat-mat"])
def test_planes_by_rows_reach_the_optimum_of_planes_by_columns(name):
    X, y = wide(40, 200)
    model = BundleRanker(name, top=5, lam=0.01, tol=1e-8)
    dense = model.fit(X.toarray(), y).coef_
    # A relative gap of 1e-8 leaves each the distance sqrt(2e-8 gain / lam), and the gain is at most 1.
    assert_allclose(model.fit(X, y).coef_, dense, atol=2 * np.sqrt(2e-8 / 0.01))


def test_few_vectors_have_a_number_a_column():
    X, y = wide(60, 200_000)
    tracemalloc.start()
    BundleRanker("auc", lam=1e-4, tol=1e-6).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Five vectors of 200,000 numbers.
    assert peak < 8e6


def test_the_dual_of_wide_features_has_the_optimum_of_the_planes():
    X, y = wide(100, 1500)
    planes = BundleRanker("top-push", lam=1e-3, tol=1e-7).fit(X, y)
    model = TopPush(lam=1e-3, tol=1e-7).fit(X, y)
    assert 0 < model.gap_ <= 1e-7
    assert_allclose(model.objective_, planes.objective_, atol=1e-7)
    w = model.coef_
    assert_allclose(model.fit(X.toarray(), y).coef_, w, atol=1e-9)


RNG = np.random.default_rng(5)
WEIGHTS = {
    "whole": RNG.integers(1, 4, 100).astype(float),
    "some of 0": RNG.integers(0, 3, 100).astype(float),
    "unequal": np.exp(2 * RNG.normal(size=100)),
}


@pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)
def test_weights_of_the_dual_are_those_of_the_planes(weight):
    X, y = wide(100, 1500)
    planes = BundleRanker("top-push", lam=1e-3, tol=1e-7).fit(X, y, sample_weight=weight)
    with patch.object(_top_push, "dual_descent", wraps=_top_push.dual_descent) as dual:
        model = TopPush(lam=1e-3, tol=1e-7).fit(X, y, sample_weight=weight)
    dual.assert_called_once()
    assert 0 < model.gap_ <= 1e-7
    assert_allclose(model.objective_, planes.objective_, atol=1e-7)
    if (weight == weight.astype(int)).all():
        rows = np.repeat(np.arange(100), weight.astype(int))
        assert_allclose(
            TopPush(lam=1e-3, tol=1e-7).fit(X[rows], y[rows]).objective_, model.objective_, atol=2e-7
        )


GROUPS = {
    "of like size": np.arange(60) % 5,
    "of names": np.array(list("bdac"))[np.arange(60) % 7 % 4],
    "one of one class": np.where(np.arange(60) % 4 == 1, 9, np.arange(60) % 3),
    "in blocks": np.arange(60) // 25,
    "one": np.zeros(60, int),
}


@pytest.mark.parametrize("weight", [None, WEIGHTS["some of 0"][:60]], ids=["none", "some of 0"])
@pytest.mark.parametrize("groups", GROUPS.values(), ids=GROUPS)
def test_groups_of_the_dual_are_those_of_the_planes(groups, weight):
    X, y = wide(60, 1100)
    planes = BundleRanker("top-push", lam=1e-2, tol=1e-6).fit(X, y, groups=groups, sample_weight=weight)
    with patch.object(_top_push, "dual_descent", wraps=_top_push.dual_descent) as dual:
        model = TopPush(lam=1e-2, tol=1e-6).fit(X, y, groups=groups, sample_weight=weight)
    dual.assert_called_once()
    assert 0 < model.gap_ <= 1e-6
    assert_allclose(model.objective_, planes.objective_, atol=1e-6)


def test_the_dual_refuses_groups_of_one_class_each():
    X, y = wide(100, 1500)
    with pytest.raises(ValueError, match="a positive and a negative"):
        TopPush().fit(X, y, groups=y.astype(int))


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_unit_of_weights_has_no_effect_on_the_dual(unit):
    X, y = wide(100, 1500)
    model = TopPush(lam=1e-3).fit(X, y, sample_weight=WEIGHTS["unequal"])
    coef, passes = model.coef_, model.n_iter_
    again = model.fit(X, y, sample_weight=unit * WEIGHTS["unequal"])
    assert again.n_iter_ == passes
    assert_allclose(again.coef_, coef, rtol=1e-6, atol=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_a_dual_that_overflows_ends():
    X, y = wide(100, 1500)
    with np.errstate(all="ignore"):
        model = TopPush(lam=1e-3).fit(1e300 * X, y)
    assert model.status_ == "diverged"
    assert np.isfinite(model.coef_).all()
