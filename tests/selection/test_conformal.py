from math import comb

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from studies.claims import entities

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


def five_times(y, scores):
    """Return rows that come five at a time, and the entity of each."""
    return np.repeat(y, 5), np.repeat(scores, 5), np.repeat(np.arange(len(y)), 5)


@pytest.mark.parametrize("ties", [False, True])
def test_rows_in_fives_promise_what_one_row_of_each_does(ties):
    """Rows that are wholly alike are those of the entities, five at a time."""
    for seed in range(5):
        y, scores = sample(700, seed, 0.3, ties)
        once = ConformalSelector().fit(scores[:400], y[:400])
        labels, values, entity = five_times(y, scores)
        old, new = slice(0, 2000), slice(2000, None)
        fives = ConformalSelector().fit(values[old], labels[old], entity=entity[old])
        given = {"entity": entity[new]}
        assert fives.design_effect_ == 5
        if not ties:
            p = once.p_values(scores[400:])
            np.testing.assert_allclose(fives.p_values(values[new], **given), np.repeat(p, 5))
            chosen = once.select(scores[400:], 0.3)
            assert fives.select(values[new], 0.3, **given).tolist() == np.repeat(chosen, 5).tolist()
        path, many = once.path(scores[400:]), fives.path(values[new], **given)
        assert many.size.tolist() == (5 * path.size).tolist()
        assert many.wrong.tolist() == (5 * path.wrong).tolist()
        assert fives.k_for(values[new], 0.8, **given) == 5 * once.k_for(scores[400:], 0.8)
        assert fives.threshold_for(0.5, 0.8) >= once.threshold_for(0.5, 0.8)


@pytest.mark.parametrize("ties", [False, True])
def test_p_values_with_entities_by_definition(ties):
    rng = np.random.default_rng(0)
    for seed in range(10):
        y, scores = sample(160, seed, 0.4, ties)
        entity = rng.integers(0, 30, 160)
        given = {"entity": entity[120:]}
        selector = ConformalSelector().fit(scores[:120], y[:120], entity=entity[:120])
        expected = []
        for s, e in zip(scores[120:], entity[120:], strict=True):
            own = scores[120:][entity[120:] == e]
            above = ((scores[:120] >= s) & (y[:120] == 0)).sum()
            expected.append(((own >= s).sum() + above) / (120 + len(own)))
        np.testing.assert_allclose(selector.p_values(scores[120:], **given), expected)


def test_p_values_of_a_new_entity_over_all_choices_of_it(few):
    """Each of nine entities of 1 to 3 rows is the new one in turn: u times its size at most are below u."""
    for ties in (False, True):
        entity = np.repeat(np.arange(9), [1, 3, 2, 1, 1, 3, 2, 2, 1])
        y, scores = sample(len(entity), 4, 0.4, ties)
        y[:2] = 0, 1
        for u in (0.1, 0.25, 0.5, 0.8):
            below = 0
            for new in range(9):
                rows = entity == new
                selector = ConformalSelector().fit(scores[~rows], y[~rows], entity=entity[~rows])
                p = selector.p_values(scores[rows], entity=entity[rows])
                below += ((p <= u) & (y[rows] == 0)).sum()
            assert below <= u * len(entity)


@pytest.mark.parametrize("law", ["fives", "1 to 41"])
def test_paths_and_recalls_hold_for_entities_and_not_for_their_rows(law):
    """A small version of studies/claims/entities.py, its seed fixed."""
    rng, told, silent = np.random.default_rng(0), [], []
    for i in range(60):
        old, new = (entities.sample(law, 300, 0.3, rng) for _ in range(2))
        told.append(entities.promises(old, new, True, i)[:2])
        silent.append(entities.promises(old, new, False, i)[:2])
    crossed, held = np.nanmean(told, axis=0)
    assert crossed <= 0.15
    assert held >= 0.95
    assert np.mean(silent, axis=0)[0] > 0.4


def test_entities_that_are_missing_or_too_large_are_refused():
    y, scores = sample(400)
    selector = ConformalSelector().fit(scores, y, entity=np.arange(400) // 2)
    for call in (selector.p_values, selector.select, selector.path, lambda X: selector.k_for(X, 0.5)):
        with pytest.raises(ValueError, match="entity is missing"):
            call(scores)
    with pytest.raises(ValueError, match="entity must name that of each of the 400 items"):
        selector.path(scores, entity=[1])
    with pytest.raises(ValueError, match=r"worth .* independent ones: set more entities aside"):
        ConformalSelector().fit(scores, y, entity=np.zeros(400, int))
    with pytest.raises(ValueError, match=r"calibration positives, worth \d+ as rows of an entity"):
        selector.k_for(scores, 0.97, entity=np.arange(400) // 100)
    alone = ConformalSelector().fit(scores, y, entity=np.arange(400))
    plain = ConformalSelector().fit(scores, y)
    given = {"entity": np.arange(400)}
    np.testing.assert_array_equal(alone.p_values(scores, **given), plain.p_values(scores))
    assert alone.path(scores, **given).wrong.tolist() == plain.path(scores).wrong.tolist()
    assert alone.k_for(scores, 0.8, **given) == plain.k_for(scores, 0.8)


@pytest.mark.parametrize("positive", ["ill", "well"])
def test_labels_of_words_select_as_numbers_do(positive):
    """Whichever class is asked for, by scores of a model or by scores themselves."""
    X = np.random.default_rng(5).normal(size=(900, 3))
    y = np.where(X[:, 0] + np.random.default_rng(6).normal(size=900) > 0.3, "ill", "well")
    hit = (y == positive).astype(int)
    words = LogisticRegression().fit(X[:300], y[:300])
    numbers = LogisticRegression().fit(X[:300], hit[:300])
    scores = numbers.decision_function(X)
    expected = ConformalSelector(numbers).fit(X[300:600], hit[300:600])
    for selector, rows in (
        (ConformalSelector(words, pos_label=positive), X),
        (ConformalSelector(pos_label=positive), scores),
    ):
        selector.fit(rows[300:600], y[300:600])
        np.testing.assert_allclose(selector.positives_, expected.positives_, rtol=1e-6)
        np.testing.assert_allclose(selector.p_values(rows[600:]), expected.p_values(X[600:]))
        assert selector.k_for(rows[600:], 0.5) == expected.k_for(X[600:], 0.5)


def test_a_positive_class_that_is_none_is_refused():
    y, scores = sample(60, share=0.5)
    words = np.where(y, "ill", "well")
    with pytest.raises(ValueError, match="pos_label must be one of the labels"):
        ConformalSelector(pos_label="fine").fit(scores, words)
    with pytest.raises(ValueError, match="name the positive one, for example pos_label="):
        ConformalSelector().fit(scores, words)
