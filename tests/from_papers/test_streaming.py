"""Learning from streams and from mapped files is learning from memory."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

from attop._core.top import Top
from attop.from_papers import OnePMB, PerceptronAtK, SGDAtK
from attop.from_papers.minibatch._batches import Batches, StreamedBatches
from attop.from_papers.minibatch._sgd_at_k import AveragedDescent, descend
from attop.surrogates import PrecAtKAvg
from oracles.first_order import overlapping
from support.first_order import sgd

ESTIMATORS = [
    SGDAtK("avg", batch_size=40, epochs=3, radius=2.0),
    SGDAtK("max", top={"tau": 0.1}, batch_size=40, epochs=2),
    OnePMB(batch_size=30, radius=3.0),
    PerceptronAtK("avg", batch_size=40, epochs=3, random_state=6),
    PerceptronAtK("max", batch_size=40, epochs=3),
]
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)


def sample(n=150):
    X, y = overlapping(n=n, seed=3, shift=1.5)
    # Eighths: exact as float32, and added up without rounding for a while.
    return np.round(8 * X) / 8, y


def mapped_copy(X, folder):
    """The features as float32, mapped from a file."""
    mapped = np.memmap(folder / "X", dtype=np.float32, mode="w+", shape=X.shape)
    mapped[:] = X
    return mapped


def batches_of_fit(estimator, X, y):
    batches = Batches(
        X, y, estimator._top(), estimator.batch_size, np.random.RandomState(estimator.random_state or 0)
    )
    for _ in range(getattr(estimator, "epochs", 1)):
        yield from batches.one_pass()


@every_estimator
@pytest.mark.parametrize("sparse", [False, True])
def test_partial_fit_with_the_batches_of_fit_is_fit(estimator, sparse):
    X, y = sample()
    whole = clone(estimator).fit(X, y)
    part = clone(estimator)
    for batch in batches_of_fit(estimator, X, y):
        rows = csr_matrix(X)[batch.rows] if sparse else X[batch.rows]
        part.partial_fit(rows, y[batch.rows], classes=[0, 1])
    np.testing.assert_allclose(part.coef_, whole.coef_, rtol=1e-9, atol=1e-12)
    assert part.n_skipped_ == whole.n_skipped_ == 0
    if isinstance(estimator, PerceptronAtK):
        assert (part.n_mistakes_, part.largest_k_) == (whole.n_mistakes_, whole.largest_k_)


@every_estimator
def test_partial_fit_deals_rows_in_order(estimator):
    X, y = sample()
    size = estimator.batch_size
    at_once = clone(estimator).partial_fit(X[: 3 * size], y[: 3 * size], classes=[0, 1])
    one_by_one = clone(estimator)
    for start in range(0, 3 * size, size):
        rows = slice(start, start + size)
        one_by_one.partial_fit(X[rows], y[rows], classes=[0, 1] if start == 0 else None)
    np.testing.assert_allclose(at_once.coef_, one_by_one.coef_, rtol=1e-12)
    assert at_once.predict(X[: 3 * size]).sum() == y[: 3 * size].sum()


@every_estimator
def test_fit_goes_on_with_partial_fit_and_fit_starts_anew(estimator):
    X, y = sample()
    model = clone(estimator).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    before = model.coef_.copy()
    model.partial_fit(X[:40], 1 - y[:40])  # mistakes for certain
    copy.partial_fit(X[:40], 1 - y[:40])
    np.testing.assert_array_equal(model.coef_, copy.coef_)
    fresh = clone(estimator).partial_fit(X[:40], 1 - y[:40], classes=[0, 1])
    assert min(np.abs(model.coef_ - other).max() for other in (before, fresh.coef_)) > 1e-3
    np.testing.assert_array_equal(model.fit(X, y).coef_, before)


def test_a_model_of_a_grid_goes_on_alone():
    X, y = sample()
    _, model = SGDAtK(batch_size=40).fit_many(X, y, candidates=[{"eta": 1.0}, {"eta": 0.2}])
    alone = SGDAtK(batch_size=40, eta=0.2).fit(X, y)
    for m in (model, alone):
        m.partial_fit(X[:80], y[:80])
    np.testing.assert_allclose(model.coef_, alone.coef_, rtol=1e-8)
    assert model.objective_ == pytest.approx(alone.objective_, rel=1e-8)


@every_estimator
def test_calls_of_one_class_are_skipped(estimator):
    X, y = sample()
    model = clone(estimator).partial_fit(X[y == 0][:40], np.zeros(40), classes=[0, 1])
    assert model.n_skipped_ == -(-40 // estimator.batch_size)
    assert not model.coef_.any()
    assert model.intercept_ == 0
    model.partial_fit(X, y)
    without = clone(estimator).partial_fit(X, y, classes=[0, 1])
    np.testing.assert_array_equal(model.coef_, without.coef_)


@every_estimator
def test_mapped_file_is_dense_is_sparse(estimator, tmp_path, monkeypatch):
    X, y = sample()
    mapped = mapped_copy(X, tmp_path)
    seen = []
    original = type(estimator)._solve

    def watched(self, data, models):
        return seen.append(data.X) or original(self, data, models)

    monkeypatch.setattr(type(estimator), "_solve", watched)
    dense = clone(estimator).fit(X, y)
    for other in (X.astype(np.float32), csr_matrix(X), csr_matrix(X.astype(np.float32)), mapped):
        model = clone(estimator).fit(other, y)
        np.testing.assert_allclose(model.coef_, dense.coef_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(
            model.decision_function(other), dense.decision_function(X), rtol=1e-8, atol=1e-10
        )
        part = clone(estimator).partial_fit(other, y, classes=[0, 1])
        np.testing.assert_allclose(part.coef_, clone(estimator).partial_fit(X, y, [0, 1]).coef_, rtol=1e-9)
    assert np.shares_memory(seen[-1], mapped), "features of type float32 should not be copied"


def test_long_float32_samples_are_scored_in_parts():
    X, y = overlapping(n=9000, d=2)
    model = SGDAtK(epochs=1).fit(X, y)
    scores = model.decision_function(X.astype(np.float32))
    np.testing.assert_allclose(scores, model.decision_function(X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", ["dense", "sparse", "mapped"])
def test_streamed_chunks_are_the_sample(kind, tmp_path):
    X, y = sample(160)
    source = {"dense": X, "sparse": csr_matrix(X), "mapped": mapped_copy(X, tmp_path)}[kind]

    def chunks():
        for start in range(0, 160, 80):
            yield source[start : start + 80], y[start : start + 80]

    state = AveragedDescent(6, PrecAtKAvg, eta=[0.1, 0.5], radius=2.0)
    streamed = descend(StreamedBatches(chunks, 6, Top(kappa=0.5), 20), state, epochs=2)
    in_order = SimpleNamespace(permutation=np.arange)
    common = {"eta": [0.1, 0.5], "radius": 2.0, "batch_size": 20, "epochs": 2, "rng": in_order}
    whole = sgd(X, y, PrecAtKAvg, Top(kappa=0.5), **common)
    np.testing.assert_allclose(streamed.coef, whole.coef, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(streamed.history.objective, whole.history.objective, rtol=1e-9)
    assert streamed.n_iter == 2


def test_chunks_are_shuffled_by_the_seed():
    X, y = sample()

    def run(rng):
        state = AveragedDescent(6, PrecAtKAvg, eta=0.1, radius=2.0)
        return descend(StreamedBatches(lambda: [(X, y)], 6, Top(kappa=0.5), 20, rng), state).coef

    seeded, other = (run(np.random.default_rng(seed)) for seed in (0, 1))
    assert np.abs(seeded - other).max() > 0
    once = {"eta": 0.1, "radius": 2.0, "batch_size": 20, "epochs": 1, "rng": np.random.default_rng(0)}
    in_memory = sgd(X, y, PrecAtKAvg, Top(kappa=0.5), **once)
    np.testing.assert_array_equal(seeded, in_memory.coef)


def test_stream_refuses():
    X, y = sample()

    def run(X=X, y=y, d=6, top=Top(kappa=0.5)):  # noqa: B008
        batches = StreamedBatches(lambda: [(X, y)], d, top, 20)
        return descend(batches, AveragedDescent(6, PrecAtKAvg, eta=0.1, radius=2.0))

    with pytest.raises(ValueError, match="length of a stream is unknown"):
        run(top=Top(k=5))
    with pytest.raises(ValueError, match="5 features"):
        run(d=5)
    with pytest.raises(ValueError, match="one row for each label"):
        run(y=y[1:])
    with pytest.raises(ValueError, match="NaN or infinity"):
        run(X=np.where(np.arange(6) == 2, np.inf, X))
    with pytest.raises(ValueError, match="NaN or infinity"):
        run(X=csr_matrix(np.where(np.arange(6) == 2, np.nan, X)))
    with pytest.raises(ValueError, match="no batch of the pass holds both classes"):
        run(y=np.zeros_like(y))


@pytest.mark.parametrize(
    ("changes", "arguments", "message"),
    [
        ({}, {}, "needs classes"),
        ({}, {"classes": [0, 1, 2]}, "two labels"),
        ({}, {"classes": [0, 2]}, "not among the classes"),
        ({"pos_label": 2}, {"classes": [0, 1]}, r"pos_label must be one of the labels \[0, 1\], got 2"),
        ({"top": 5}, {"classes": [0, 1]}, "length of a stream is unknown"),
        ({"batch_size": 1}, {"classes": [0, 1]}, "batch_size"),
    ],
)
@every_estimator
def test_partial_fit_refuses(estimator, changes, arguments, message):
    X, y = sample()
    with pytest.raises(ValueError, match=message):
        clone(estimator).set_params(**changes).partial_fit(X, y, **arguments)


def test_partial_fit_refuses_other_classes_later():
    X, y = sample()
    model = SGDAtK().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="classes must stay the same"):
        model.partial_fit(X, y, classes=[0, 2])
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, 1:], y)


def test_overflow_in_a_stream_keeps_the_last_finite_model():
    X, y = sample()
    for estimator in (SGDAtK(batch_size=40, radius=np.inf), PerceptronAtK(batch_size=40)):
        model = estimator.partial_fit(X, y, classes=[0, 1])
        before = model.coef_.copy()
        model.partial_fit(np.sign(X) * 1.7e308, y)
        np.testing.assert_array_equal(model.coef_, before)
