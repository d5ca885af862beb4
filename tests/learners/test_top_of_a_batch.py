"""The top of a batch, and a threshold that takes a known share."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from attop import ROCSVM, predict_top, top_threshold

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = (X[:, 0] + RNG.normal(size=200) > 1).astype(int)


@pytest.fixture(scope="module")
def model():
    return ROCSVM().fit(X, Y)


class Given:
    """Scores what it is given."""

    def decision_function(self, X):
        return np.asarray(X, float)


def test_it_is_exactly_the_highest(model):
    for top, k in ((7, 7), ({"tau": 0.031}, 7), ({"k": 100, "of": 3000}, 7), (200, 200)):
        chosen = predict_top(model, X, top)
        assert chosen.dtype == bool
        assert chosen.sum() == k
        scores = model.decision_function(X)
        assert scores[chosen].min() >= scores[~chosen].max(initial=-np.inf)


def test_of_equal_scores_the_earlier_come_first():
    assert predict_top(Given(), [1.0, 2.0, 1.0, 1.0], 2).tolist() == [True, True, False, False]


def test_groups_have_a_top_each(model):
    groups = np.repeat(["b", "a", "c"], [50, 100, 50])
    for top in (3, {"tau": 0.05}):
        chosen = predict_top(model, X, top, groups)
        for g in "abc":
            of = groups == g
            assert chosen[of].tolist() == predict_top(model, X[of], top).tolist()


def test_probabilities_and_sparse_batches_will_do(model):
    other = LogisticRegression().fit(X, Y)
    by_hand = np.argsort(-other.predict_proba(X)[:, 1])[:5]
    assert sorted(by_hand) == np.flatnonzero(predict_top(other, X, 5)).tolist()
    assert predict_top(model, csr_array(X), 5).tolist() == predict_top(model, X, 5).tolist()


@pytest.mark.parametrize(
    ("top", "groups", "message"),
    [
        (201, None, "k=201 asks for 201 of the 200 items of the batch"),
        (60, np.repeat([0, 1, 2], [50, 100, 50]), "asks for 60 of the 50 items of the smallest group"),
        ({"kappa": 0.5}, None, "share of the positives, and how many the batch has is unknown"),
    ],
)
def test_a_budget_that_cannot_be_is_refused(model, top, groups, message):
    with pytest.raises(ValueError, match=message):
        predict_top(model, X, top, groups)


def test_the_threshold_takes_the_share_and_says_how_sure_that_is():
    rng = np.random.default_rng(1)
    for _ in range(100):
        scores = (
            rng.normal(size=int(rng.integers(2, 50))) if rng.random() < 0.5 else rng.integers(0, 9, 40) / 2
        )
        k = int(rng.integers(1, len(scores)))
        try:
            found = top_threshold(scores, k)
        except ValueError as error:
            assert "highest scores are tied" in str(error)  # noqa: PT017
            assert np.sum(scores == scores.max()) > k
            continue
        taken = np.sum(scores > found.threshold)
        assert taken == np.sum(scores >= found.threshold)
        assert found.share == taken / len(scores)
        # As many as can be taken without exceeding the budget.
        rest = scores[scores < found.threshold]
        assert taken <= k < taken + np.sum(scores == rest.max())
        assert found.standard_error == pytest.approx(np.std(scores > found.threshold) / len(scores) ** 0.5)


@pytest.mark.parametrize(
    ("scores", "top", "message"),
    [
        ([1.0, 2.0], 2, "a top of all 2 items needs no threshold"),
        ([1.0, 2.0], 3, "asks for 3 of the 2 items of a held-out sample"),
        ([1.0, 1.0, 0.0], 1, "the 2 highest scores are tied"),
        ([1.0, np.nan], 1, "NaN"),
    ],
)
def test_a_threshold_that_cannot_be_is_refused(scores, top, message):
    with pytest.raises(ValueError, match=message):
        top_threshold(scores, top)
