"""The estimator AATP."""

import re
import sys
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.pipeline import make_pipeline

import oracles.aatp as oracle
from attop.from_papers.aatp._aatp import AATP
from attop.from_papers.aatp._box_qp import interior_point
from attop.from_papers.aatp._threshold_svm import ThresholdSVM
from support.threshold_programs import sample


def test_auto_is_exhaustive_where_that_is_cheap(monkeypatch):
    X, y = sample(60, 3, seed=4)
    every = AATP(6, search="exhaustive").fit(X, y)
    assert every.n_iter_ == 60
    np.testing.assert_array_equal(AATP(6).fit(X, y).coef_, every.coef_)
    monkeypatch.setattr("attop.from_papers.aatp._search._SMALL", 59)
    monkeypatch.setattr("attop.from_papers.aatp._search._EFFORT", 20 * 60 * (3 + 30) ** 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        few = AATP(6).fit(X, y)
        assert few.n_iter_ < 60
        same = AATP(6, search="fixed-point").fit(X, y)
    np.testing.assert_array_equal(same.coef_, few.coef_)


def test_a_long_search_is_announced(monkeypatch, capsys):
    X, y = sample(60, 3, seed=4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AATP(6).fit(X, y)
        monkeypatch.setattr("attop.from_papers.aatp._aatp._LONG_WORK", 0.0)
        AATP(6).fit(X, y)  # many problems, but not long
        monkeypatch.setattr("attop.from_papers.aatp._aatp._LONG", 0.0)
        AATP(6, time_limit=60.0).fit(X, y)  # as wanted
    assert capsys.readouterr().out == ""
    with pytest.warns(UserWarning, match=r"solves up to 60 .* in about [\d.]+ .?s: search='fixed-point'"):
        AATP(6, search="exhaustive").fit(X, y)
    monkeypatch.setattr("attop.from_papers.aatp._aatp._EVERY", 0.0)
    monkeypatch.setattr(ThresholdSVM, "batch_size", 25)
    monkeypatch.setattr(ThresholdSVM, "workers", 1)
    model = AATP(6, time_limit=60.0, verbose=True).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("AATP solves up to 60 quadratic programs, in about ")
    assert re.match(r"AATP: 20 of up to 60 programs, [\d.]+ .?s, the nearest misses its quanti", lines[1])
    assert len(lines) == 4
    np.testing.assert_array_equal(model.coef_, AATP(6).fit(X, y).coef_)


@pytest.mark.parametrize("search", ["exhaustive", "fixed-point"])
def test_settings_that_differ_in_top_share_one_sweep(search, monkeypatch):
    X, y = sample(50, 4, seed=1)
    solved = []
    original = ThresholdSVM.solve

    def counting(self, threshold_items, **options):
        solved.extend(threshold_items)
        return original(self, threshold_items, **options)

    monkeypatch.setattr(ThresholdSVM, "solve", counting)
    settings = [{"top": t} for t in (1, {"tau": 0.1}, {"kappa": 0.5}, 30)]
    together = AATP(search=search).fit_many(X, y, candidates=settings)
    assert len(solved) == len(set(solved))
    for setting, model in zip(settings, together, strict=True):
        alone = AATP(search=search, **setting).fit(X, y)
        assert alone.threshold_item_ == model.threshold_item_
        # Batches of other sizes round differently.
        assert alone.coef_ == pytest.approx(model.coef_, abs=1e-7)
    several = AATP(search=search).fit_many(X, y, candidates=[{"C": 0.1}, {"C": 1.0}])
    assert several[1].objective_ > several[0].objective_


def test_cvxpy_finds_the_same_model():
    pytest.importorskip("cvxpy")
    X, y = sample(15, 3, seed=4)
    ours = AATP(4).fit(X, y)
    theirs = AATP(4, solver="cvxpy").fit(X, y)
    assert theirs.threshold_item_ == ours.threshold_item_
    assert theirs.gap_ <= 1e-6
    assert theirs.objective_ == pytest.approx(ours.objective_, rel=1e-6)


def test_cvxpy_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    X, y = sample(15, 3, seed=4)
    with pytest.raises(ImportError, match=r"attop\[cvxpy\]"):
        AATP(solver="cvxpy").fit(X, y)


@pytest.mark.parametrize("search", ["exhaustive", "fixed-point"])
def test_deadline_keeps_the_best_so_far(search):
    X, y = sample(300, 170, seed=4)
    model = AATP(10, search=search, time_limit=1e-4).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert 1 <= model.n_iter_ < 300
    assert not model.converged_


def test_a_missed_tolerance_is_reported(monkeypatch):
    X, y = sample(30, 4, seed=4)

    def hasty(*args, **options):
        return interior_point(*args, **{**options, "max_iter": 3})

    monkeypatch.setattr("attop.from_papers.aatp._threshold_svm.interior_point", hasty)
    with pytest.warns(ConvergenceWarning, match="30 of 30 quadratic programs did not reach tol=1e-06"):
        model = AATP(5).fit(X, y)
    assert not model.converged_
    assert model.gap_ > 1e-6
    assert np.isfinite(model.coef_).all()


def test_a_program_that_fails_is_solved_again_with_care(monkeypatch):
    X, y = sample(30, 4, seed=4)

    def hasty_unless_cautious(*args, cautious=False, **options):
        options["max_iter"] = 300 if cautious else 3
        return interior_point(*args, cautious=cautious, **options)

    expected = AATP(5).fit(X, y)
    monkeypatch.setattr("attop.from_papers.aatp._threshold_svm.interior_point", hasty_unless_cautious)
    model = AATP(5).fit(X, y)
    assert model.converged_
    assert model.threshold_item_ == expected.threshold_item_
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-6)


def test_threads_change_nothing(monkeypatch):
    X, y = sample(90, 6, seed=4)
    expected = AATP(9).fit(X, y)
    monkeypatch.setattr(ThresholdSVM, "workers", 3)
    model = AATP(9).fit(X, y)
    assert model.threshold_item_ == expected.threshold_item_
    assert model.n_iter_ == 90
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-6)


@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
def test_a_full_nystroem_map_is_problem_4(kernel):
    pytest.importorskip("cvxpy")
    X, y = sample(14, 2, 0)
    new = np.random.default_rng(1).standard_normal((6, X.shape[1]))
    params = {"gamma": 0.3} | ({"degree": 2, "coef0": 1.0} if kernel == "polynomial" else {})
    model = AATP(3, C=0.5, search="exhaustive", tol=1e-12)
    pipeline = make_pipeline(Nystroem(kernel=kernel, **params, n_components=len(y)), model).fit(X, y)
    K, K_new = (pairwise_kernels(part, X, metric=kernel, **params) for part in (X, new))
    every = [oracle.kernel_scores(K, y, k, 0.5, K_new) for k in range(len(y))]
    far = [abs(scores[k] - np.sort(scores)[-3]) for k, (scores, _) in enumerate(every)]
    k = model.threshold_item_
    assert far[k] <= min(far) + 1e-6
    for part, scores in zip((X, new), every[k], strict=True):
        ours = pipeline.decision_function(part) - model.intercept_
        np.testing.assert_allclose(ours, scores, atol=1e-6)
