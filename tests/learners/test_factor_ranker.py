"""Users and items with a vector each: the gradient, layouts of pairs, and what is recommended."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

from attop.learners import FactorRanker
from attop.learners.factor_ranker import _factor_descent as factors
from attop.surrogates import BPRLoss, PApKAvg, PrecAtKRamp, SoftmaxLoss, SoftmaxLossAtK, TalosLossAtK


def random_pairs(seed, n_users=9, n_items=12):
    """Users of all numbers of pairs, from none to all items."""
    rng = np.random.default_rng(seed)
    share = np.linspace(0, 1, n_users)[:, None]
    return csr_matrix((rng.random((n_users, n_items)) < share).astype(np.int8))


@pytest.mark.parametrize(
    "loss", [SoftmaxLoss(), SoftmaxLossAtK(3), TalosLossAtK(3), BPRLoss(), PApKAvg(2), PrecAtKRamp(3)]
)
def test_a_block_of_lists_is_the_surrogate_of_labels_and_groups(loss):
    pairs = random_pairs(0)
    lists = factors.SurrogateLists(pairs, loss)
    rng = np.random.default_rng(1)
    for users in (lists.users, rng.permutation(lists.users)[:3], lists.users[-1:]):
        y, groups = pairs[users].toarray().ravel(), np.repeat(np.arange(len(users)), 12)
        scores = rng.normal(size=(len(users), 12)).astype(np.float32)
        bound = loss.bind(y, groups)
        expected, slopes = bound(3.0 * scores.astype(float).ravel())
        value = lists.descend(scores, users, 3.0, 0.5)
        assert value == pytest.approx(len(users) * expected, rel=1e-13)
        np.testing.assert_allclose(scores.ravel(), 1.5 * len(users) * slopes, rtol=1e-6, atol=1e-15)
        assert bound.n_left_out == 0
    assert np.isnan(lists.descend(np.full((1, 12), np.nan, np.float32), users[:1], 3.0, 0.5))


def test_a_layer_is_the_definition_and_symmetric():
    """LightGCN by its matrix: (A + A^2) of the graph, degrees by roots, and the mean with the identity."""
    pairs = random_pairs(7)
    graph = np.zeros((21, 21))
    graph[:9, 9:] = pairs.toarray()
    graph += graph.T
    degree = np.maximum(graph.sum(axis=1), 1)
    layer = graph / np.sqrt(np.outer(degree, degree))
    whole = (np.eye(21) + layer + layer @ layer) / 3
    factors_ = np.random.default_rng(8).standard_normal((21, 4)).astype(np.float32)
    got = factors.Backbone(pairs, 2).smoothed([factors_[:9], factors_[9:]])
    np.testing.assert_allclose(np.vstack(got), whole @ factors_, atol=1e-6)
    np.testing.assert_allclose(whole, whole.T)


@pytest.mark.parametrize("n_layers", [0, 2])
def test_the_gradient_is_that_of_the_objective(n_layers):
    pairs = random_pairs(2)
    backbone = factors.Backbone(pairs, n_layers)
    lists = factors.SurrogateLists(pairs, SoftmaxLoss())
    rng = np.random.default_rng(3)
    start = [rng.standard_normal((n, 4)) for n in pairs.shape]
    users = lists.users

    def value(*vectors):
        p, q = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in backbone.smoothed(list(vectors)))
        scores = 3.0 * p[users] @ q.T
        return SoftmaxLoss().bind(pairs[users].toarray().ravel(), np.repeat(users, 12))(scores.ravel())[0]

    got, gradients = factors._gradients(lists, backbone, [v.astype(np.float32) for v in start], users, 3.0)
    assert got == pytest.approx(value(*start), rel=1e-6)
    for which, (v, gradient) in enumerate(zip(start, gradients, strict=True)):
        for at in np.ndindex(v.shape):
            ends = [[u.copy() for u in start] for _ in range(2)]
            ends[0][which][at] += 1e-5
            ends[1][which][at] -= 1e-5
            slope = (value(*ends[0]) - value(*ends[1])) / 2e-5
            assert gradient[at] == pytest.approx(slope, abs=2e-5)


def test_blocks_that_fit_in_memory_change_nothing(monkeypatch):
    pairs = random_pairs(4)
    whole = FactorRanker(n_factors=4, max_iter=5).fit(pairs)
    monkeypatch.setattr(factors, "_BLOCK", 30)
    parts = FactorRanker(n_factors=4, max_iter=5).fit(pairs)
    np.testing.assert_allclose(parts.user_factors_, whole.user_factors_, atol=1e-4)
    np.testing.assert_allclose(parts.objective_, whole.objective_, rtol=1e-5)
    assert whole.n_users_left_out_ == np.count_nonzero(pairs.getnnz(axis=1) == 0) > 0


@pytest.mark.parametrize(
    ("surrogate", "right"),
    [("softmax", 0.95), ("softmax@k", 0.95), (TalosLossAtK(5, 0.5), 0.95), ("prec@k-avg", 0.6)],
)
@pytest.mark.parametrize("batch_users", [None, 7])
def test_two_tastes_are_found(surrogate, right, batch_users):
    rng = np.random.default_rng(5)
    taste = np.repeat([0, 1], 20)
    likes = (taste[:, None] == np.arange(30) % 2) & (rng.random((40, 30)) < 0.5)
    model = FactorRanker(surrogate, 5, n_factors=3, batch_users=batch_users, max_iter=150)
    model.fit(csr_matrix(likes))
    best = model.recommend(np.arange(40), 3)
    assert (best % 2 == taste[:, None]).mean() > right
    assert not likes[np.arange(40)[:, None], best].any()
    scores = model.unseen([0])[0]
    np.testing.assert_array_equal(best[0], np.argsort(-scores)[:3])
    assert model.objective_[-1] < model.objective_[0]


def test_a_seed_a_layout_and_repeats_do_not_matter():
    pairs = random_pairs(6)
    model = FactorRanker(n_factors=3, max_iter=3, batch_users=2).fit(pairs)
    again = clone(model).fit(np.vstack([np.argwhere(pairs.toarray())[::-1]] * 2))
    np.testing.assert_array_equal(again.user_factors_, model.user_factors_)
    other = clone(model).set_params(random_state=1).fit(pairs)
    assert not np.allclose(other.user_factors_, model.user_factors_)


@pytest.mark.parametrize(
    ("change", "X", "message"),
    [
        ({}, [[0.5, 1.0]], "codes from 0 on"),
        ({}, [[-1, 0]], "codes from 0 on"),
        ({}, [[4_000_000_000, 2]], "1 pairs and codes up to 4,000,000,000.*pandas.factorize"),
        ({}, [[0, 1], [1, 2_000_000]], "codes up to 2,000,000"),
        ({}, csr_matrix((3, 3), dtype=int), "no pair"),
        ({"scale": 0}, [[0, 1]], "scale must be a positive number"),
        ({"surrogate": "pap@k-avg"}, [[0, 1]], "no group has|the sample needs"),
        ({"surrogate": "softmx"}, [[0, 1]], "did you mean"),
    ],
)
def test_what_is_refused(change, X, message):
    with pytest.raises(ValueError, match=message):
        FactorRanker(**change).fit(X)


@pytest.mark.parametrize("n", [2.0, 0, 3, "1", None])
def test_a_number_of_items_that_cannot_be_is_refused(n):
    model = FactorRanker(max_iter=1).fit([[0, 1], [1, 0], [1, 2]])
    with pytest.raises(ValueError, match=f"n must be an integer between 1 and 2, .* got {n!r}"):
        model.recommend([0], n)
    assert model.recommend([], 1).shape == (0, 1)


def test_a_surrogate_without_groups_is_refused():
    with pytest.raises(TypeError, match="'softmax'"):
        FactorRanker("logistic").fit([[0, 1]])
    with pytest.raises(ValueError, match="from 0 to 1"):
        FactorRanker(max_iter=1).fit([[0, 1], [1, 0]]).decision_function([2])
