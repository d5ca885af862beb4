from math import comb

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from attop.selection import _conformal as conformal
from attop.selection._conformal import ConformalSelector, _envelope, _lowest_rank
from oracles.selection import benjamini_hochberg, p_value, splits


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(conformal, "MIN_POSITIVES", 1)


def sample(n, seed=0, share=0.2, ties=False):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    scores = rng.normal(size=n) + 2 * y
    return y, scores.round() if ties else scores


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("fdr", [0.1, 0.3, 0.6])
def test_p_values_and_selection_by_definition(ties, fdr, few):
    for seed in range(20):
        y, scores = sample(70, seed, 0.4, ties)
        selector = ConformalSelector().fit(scores[:50], y[:50])
        p = [p_value(y[:50], scores[:50], s) for s in scores[50:]]
        np.testing.assert_allclose(selector.p_values(scores[50:]), p)
        assert selector.select(scores[50:], fdr).tolist() == benjamini_hochberg(p, fdr)


@pytest.mark.parametrize("ties", [False, True])
def test_the_false_discovery_rate_over_all_splits_of_a_pool(ties, few):
    y, scores = sample(12, 3, 0.5, ties)
    for fdr in (0.2, 0.4, 0.7):
        shares = []
        for old, new in splits(12, 4):
            if 0 < y[old].sum() < len(old):
                chosen = ConformalSelector().fit(scores[old], y[old]).select(scores[new], fdr)
                shares.append((chosen & (y[new] == 0)).sum() / max(chosen.sum(), 1))
        assert len(shares) > 450
        assert np.mean(shares) <= fdr


@pytest.mark.parametrize(("n", "m"), [(6, 5), (4, 8), (9, 3)])
@pytest.mark.parametrize("risk", [0.1, 0.3])
def test_the_envelope_holds_in_enough_of_all_orders(n, m, risk):
    cuts, most = _envelope(n, m, risk, 0)
    assert cuts.tolist() == list(range(n))
    kept = [(np.array(old) - np.arange(n) <= most).all() for old, _ in splits(n + m, m)]
    assert 1 - risk <= np.mean(kept) + 0.02  # 2,000 drawn orders, not all
    assert most.min() < m


@pytest.mark.parametrize("ties", [False, True])
def test_the_path_bounds_all_lists_at_once(ties):
    kept, tight = [], []
    for seed in range(60):
        y, scores = sample(500, seed, 0.15, ties)
        path = ConformalSelector().fit(scores[:300], y[:300]).path(scores[300:], 0.8, random_state=seed)
        new, labels = scores[300:], y[300:]
        wrong = [((new >= t) & (labels == 0)).sum() for t in path.threshold]
        assert path.size.tolist() == [(new >= t).sum() for t in path.threshold]
        assert (np.diff(path.wrong) >= 0).all()
        assert (np.diff(path.size - path.wrong) >= 0).all()
        kept.append((wrong <= path.wrong).all())
        tight.append(path.wrong[-1] < 200)
    assert 0.68 < np.mean(kept) < 0.99
    assert np.mean(tight) > 0.5


def test_k_for_reaches_the_recall_so_often():
    reached, longer = [], []
    for seed in range(60):
        y, scores = sample(2600, seed, 0.1)
        k = ConformalSelector().fit(scores[:1600], y[:1600]).k_for(scores[1600:], 0.8, 0.9)
        order = np.argsort(-scores[1600:])
        found = np.cumsum(y[1600:][order])
        reached.append(found[k - 1] >= 0.8 * found[-1])
        longer.append(k < 900)
    assert np.mean(reached) >= 0.9
    assert np.mean(longer) > 0.9


def test_the_rank_of_a_recall_over_all_orders():
    """Given both numbers of positives, all orders of them are alike."""
    n, m, recall, risk = 8, 5, 0.6, 0.5  # all calibration rows are positive
    counts = [p for p in range(m + 1) if comb(m, m - p) / comb(n + m, m - p) >= risk / 20]

    def worst(j):
        orders = {p: list(splits(n + p, p)) for p in counts}
        missed = {p: [sum(i < old[j - 1] for i in new) for old, new in orders[p]] for p in counts}
        return max(np.mean([lost > (1 - recall) * p for lost in missed[p]]) for p in counts)

    j = _lowest_rank(n, n, m, recall, risk)
    assert worst(j) <= 0.9 * risk < worst(j + 1)


def test_threshold_for_is_the_lowest_that_is_shown():
    truth = []
    for seed in range(60):
        y, scores = sample(1500, seed)
        threshold = ConformalSelector().fit(scores, y).threshold_for(0.7, 0.8)
        new, s = sample(60_000, 1000 + seed)
        truth.append(new[s > threshold].mean())
    assert np.mean(np.array(truth) >= 0.7) >= 0.8
    assert np.mean(truth) < 0.85


def test_an_estimator_scores_the_rows():
    X = np.random.default_rng(0).normal(size=(600, 3))
    y = np.random.default_rng(1).random(600) < 1 / (1 + np.exp(1 - 2 * X[:, 0]))
    model = LogisticRegression().fit(X[:200], y[:200])
    found = ConformalSelector(model).fit(X[200:400], y[200:400]).select(X[400:], 0.3)
    scores = model.decision_function(X)
    by_scores = ConformalSelector().fit(scores[200:400], y[200:400]).select(scores[400:], 0.3)
    assert found.tolist() == by_scores.tolist()
    assert found.any()


def test_too_little_is_refused():
    y, scores = sample(400)
    few = np.flatnonzero(y)[19:]
    with pytest.raises(ValueError, match=r"at least 20 calibration rows must be positive.* got 19"):
        ConformalSelector().fit(np.delete(scores, few), np.delete(y, few))
    with pytest.raises(ValueError, match="negative"):
        ConformalSelector().fit(scores[y == 1], y[y == 1])
    selector = ConformalSelector().fit(scores, y)
    with pytest.raises(ValueError, match=r"recall of 0\.99 .* 299 are needed"):
        selector.k_for(scores, 0.99)
    with pytest.raises(ValueError, match=r"no threshold .* precision of 0\.999"):
        selector.threshold_for(0.999, 0.99)
    for call in (
        lambda: selector.select(scores, 1.0),
        lambda: selector.path(scores, confidence=0),
        lambda: selector.k_for(scores, recall=1),
        lambda: selector.threshold_for(precision=0),
    ):
        with pytest.raises(ValueError, match="above 0 and below 1"):
            call()
