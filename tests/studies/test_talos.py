"""Losses of Talos's tables: their definitions, their slopes, and what their states move to."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from scipy.special import expit, logsumexp, softmax
from studies.talos2026 import losses
from studies.talos2026.methods import FactorLists

from attop_bench.run.config import read_yaml
from studies import talos2026
from support import ROOT

N_ITEMS, K = 30, 4


@pytest.fixture
def case():
    rng = np.random.default_rng(0)
    positive = rng.random((3, N_ITEMS)) < np.array([[0.1], [0.3], [0.6]])
    positive[:, 0] = True
    return rng.uniform(-1, 1, (3, N_ITEMS)), positive


def kth(s):
    return np.sort(s)[-K]


def of_sigmoids(s, y, threshold, tau, width=1.0):
    z = np.log(expit((s - threshold) / width)) / tau
    return sum(logsumexp(z[~y]) - z[i] for i in np.flatnonzero(y))


def recall(s, y, thresholds):
    ranks = [1024 * np.mean(expit((s[~y] - s[i]) / 0.1)) for i in np.flatnonzero(y)]
    return sum(expit((rank - K + 1) / 3.0) for rank in ranks)


def smooth(s, y, left=None):
    """SmoothI (Thonet et al. 2022): each indicator is of the best item, those of before taken out."""
    left, total, all_left = np.ones(N_ITEMS), 0.0, []
    for _ in range(K):
        all_left.append(left)
        indicator = softmax((s - s.min()) * left / 0.2)
        left = left * (1 - indicator - 0.1)
        total += indicator[y].sum()
    return 1 - total / K, all_left


def hinges(s, y, threshold):
    of_negatives = np.maximum(0, 1 + s[~y] - threshold).mean()
    return sum(max(0, 1 + threshold - s[i]) + of_negatives for i in np.flatnonzero(y))


#: Loss -> temperature, second number, and the value of one list whose k-th score is held.
DEFINITIONS = {
    "bsl": (0.2, 0.5, lambda s, y, t: ((0.2 * logsumexp(s[~y] / 0.2) - s[y]) / 0.5).sum()),
    "rs@k": (0.1, 3.0, recall),
    "talos-without-denominator": (0.2, 1, lambda s, y, t: -np.log(expit(s[y] - t)).sum() / 0.2),
    "aatp": (1.0, 1, hinges),
}  # fmt: skip
#: The same of losses over blocks of users, at a temperature of 0.2.
OF_BLOCKS = {
    "psl": lambda s, y, t: sum(np.log((expit(s[~y] - s[i]) ** 5).sum()) for i in np.flatnonzero(y)),
    "talos": lambda s, y, t: of_sigmoids(s, y, t, 0.2),
    "talos-without-threshold": lambda s, y, t: of_sigmoids(s, y, 0.0, 0.2),
    "talos-inside": lambda s, y, t: of_sigmoids(s, y, t, 1.0, 0.2),
}


def slopes_of(value, s):
    steps = 1e-6 * np.eye(len(s))
    return np.array([(value(s + step) - value(s - step)) / 2e-6 for step in steps])


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_loss_is_its_definition_and_its_slopes_are_those(name, case):
    temperature, second, definition = DEFINITIONS[name]
    loss, scale = losses.surrogate(name, K, temperature, second)
    assert scale == 1.0
    for s, y in zip(*case, strict=True):
        value, slopes = loss.value_and_coef(s, y.astype(int))
        assert value == pytest.approx(definition(s, y, kth(s)), rel=1e-9)
        threshold = kth(s)
        held = slopes_of(lambda moved, y=y, t=threshold: definition(moved, y, t), s)
        np.testing.assert_allclose(slopes, held, atol=1e-5)


@pytest.mark.parametrize(("dtype", "precision"), [(np.float64, 1e-9), (np.float32, 1e-5)])
@pytest.mark.parametrize("name", OF_BLOCKS)
def test_a_loss_of_blocks_is_its_definition_in_double_and_single_precision(name, dtype, precision, case):
    scores, positive = (array[::-1] for array in case)
    definition, settings = OF_BLOCKS[name], {"temperature": 0.2, "second": 1.0}
    lists = losses.lists_of(name, csr_matrix(case[1]), K, settings)
    slopes = scores.astype(dtype)
    value = lists.descend(slopes, np.array([2, 1, 0]), 1.0, 0.5)
    rows = list(zip(scores, positive, strict=True))
    assert value == pytest.approx(sum(definition(s, y, kth(s)) for s, y in rows), rel=precision)
    for (s, y), slope in zip(rows, slopes, strict=True):
        threshold = kth(s)
        held = slopes_of(lambda moved, y=y, t=threshold: definition(moved, y, t), s)
        np.testing.assert_allclose(slope, 0.5 * held, rtol=10 * precision, atol=10 * precision)


@pytest.mark.parametrize("name", losses.OF_BLOCKS)
def test_a_loss_of_blocks_in_single_precision_is_that_in_double(name, case):
    scores, positive = case
    settings = {
        "temperature": 0.1,
        "second": 0.01,
        "interval": 1,
        "alpha": 0.5,
        "beta": 0.1,
        "learning_rate": 0.01,
    }
    found = []
    for dtype in (np.float64, np.float32):
        lists, slopes = losses.lists_of(name, csr_matrix(positive), K, settings), scores.astype(dtype)
        for _ in range(3):  # the numbers of a loss's own have moved by then
            slopes[:] = scores
            value = lists.descend(slopes, np.arange(3), 1.0, 1.0)
        found.append((value, slopes))
    (double, of_double), (single, of_single) = found
    assert of_single.dtype == np.float32
    assert single == pytest.approx(double, rel=1e-5)
    np.testing.assert_allclose(of_single, of_double, rtol=1e-4, atol=1e-4)


def test_psl_sees_the_positives_and_few_items_that_are_drawn(case, monkeypatch):
    scores, positive = case
    monkeypatch.setattr(losses, "DRAWN", 5)
    lists = losses.lists_of("psl", csr_matrix(positive), K, {"temperature": 0.2})
    for _ in range(20):  # at times all that are drawn are positive
        slopes = scores.copy()
        assert np.isfinite(lists.descend(slopes, np.arange(3), 1.0, 1.0))
        of_negatives = (slopes != 0) & ~positive
        assert of_negatives.any(axis=0).sum() <= 5
        np.testing.assert_allclose(slopes.sum(axis=1), 0.0, atol=1e-9)
        with_loss = of_negatives.any(axis=1)
        assert ((slopes != 0) == with_loss[:, np.newaxis])[positive].all()


def test_smooth_indicators_are_taken_in_turn_and_hold_what_was_taken(case):
    loss, _ = losses.surrogate("smoothi@k", K, 0.2, 0.1)
    for s, y in zip(*case, strict=True):
        value, slopes = loss.value_and_coef(s, y.astype(int))
        whole, lefts = smooth(s, y)
        assert value == pytest.approx(whole, rel=1e-9)

        def held(moved, s=s, y=y, lefts=lefts):
            return 1 - sum(softmax((moved - s.min()) * left / 0.2)[y].sum() for left in lefts) / K

        np.testing.assert_allclose(slopes, slopes_of(held, s), atol=1e-6)


def test_a_regressed_threshold_ends_at_the_kth_score(case):
    scores, positive = case
    lists = losses.RegressedHinges(csr_matrix(positive), K, rate=0.01)
    for _ in range(1500):
        lists.descend(scores.astype(np.float32), np.arange(3), 1.0, 1.0)
    for threshold, s in zip(lists.thresholds.array, scores, strict=True):
        best = np.sort(s)
        assert best[-K - 2] - 0.03 <= threshold <= best[-K + 1] + 0.03
    slopes = scores.astype(np.float32)
    value = lists.descend(slopes, np.arange(3), 1.0, 0.5)
    thresholds = lists.thresholds.array
    expected = sum(hinges(s, y, t) for s, y, t in zip(scores, positive, thresholds, strict=True))
    assert value == pytest.approx(expected, rel=1e-2)
    one = slopes_of(lambda moved: hinges(moved, positive[1], thresholds[1]), scores[1])
    np.testing.assert_allclose(slopes[1], 0.5 * one, atol=2e-2)


def test_an_adversary_makes_the_loss_higher_and_slopes_are_those_of_its_weights(case):
    scores, positive = case
    pairs, users = csr_matrix(positive), np.arange(3)
    lists = losses.AdversarialSoftmax(pairs, 0.5, rate=0.01, interval=1)
    p, q = (adam.array.copy() for adam in lists._adversary)

    def value(s):
        hardness = softmax(np.where(positive, -np.inf, p @ q.T), axis=1)
        level = np.log((64 * 1024 * hardness * np.exp(s / 0.5)).sum(axis=1, keepdims=True))
        return np.logaddexp(0, level - s / 0.5)[positive].sum()

    slopes = scores.copy()
    first = lists.descend(slopes, users, 1.0, 1.0)
    assert first == pytest.approx(value(scores), rel=1e-9)
    for at in [(0, 0), (1, 3), (2, 7)]:
        step = np.zeros_like(scores)
        step[at] = 1e-6
        slope = (value(scores + step) - value(scores - step)) / 2e-6
        assert slopes[at] == pytest.approx(slope, abs=1e-6)
    for _ in range(50):
        last = lists.descend(scores.copy(), users, 1.0, 1.0)
    assert last > first + 0.1


def test_llpauc_is_its_minimum_and_maximum(case):
    scores, positive = case
    lists = losses.LowerLeft(csr_matrix(positive), 0.5, 0.1, rate=0.0)
    lists._numbers["a"].array[:] = 0.7
    lists._numbers["b"].array[:] = 0.2
    lists._numbers["gamma"].array[:] = -0.3

    def value(s, now):
        f, n = expit(s), positive.sum()
        lead = 2 * (1 + now["gamma"])
        of_pos = np.logaddexp(0, 5 * (-((f - now["a"]) ** 2) + lead * f - now["s_pos"]))[positive].sum() / 5
        each = np.logaddexp(0, 5 * ((f - now["b"]) ** 2 + lead * f - now["s_neg"])) / 5
        of_neg = sum(y.sum() * row[~y].mean() for row, y in zip(each, positive, strict=True))
        loss = -now["s_pos"] - of_pos / n / 0.5 + now["s_neg"] + of_neg / n / 0.1 - now["gamma"] ** 2
        return (
            loss - now["theta_b"] * (now["b"] - 1 - now["gamma"]) + now["theta_a"] * (now["a"] + now["gamma"])
        )

    now = {name: float(adam.array[0]) for name, adam in lists._numbers.items()}
    moved = {}
    for name, adam in lists._numbers.items():
        adam.step = lambda gradient, name=name: moved.update({name: float(gradient[0])})
    slopes = scores.copy()
    n = positive.sum()
    assert lists.descend(slopes, np.arange(3), 1.0, 1.0) == pytest.approx(n * value(scores, now), rel=1e-9)
    for name in now:
        up, down = ({**now, name: now[name] + step} for step in (1e-6, -1e-6))
        assert moved[name] == pytest.approx((value(scores, up) - value(scores, down)) / 2e-6, abs=1e-6)
    for at in [(0, 0), (1, 3), (2, 7)]:
        step = np.zeros_like(scores)
        step[at] = 1e-6
        slope = n * (value(scores + step, now) - value(scores - step, now)) / 2e-6
        assert slopes[at] == pytest.approx(slope, abs=1e-6)


#: The second number of losses that need another one on lists of thirty items.
SECOND = {"rs@k": 200.0, "advinfonce": 1e-4, "softmax@k": 3.0}


@pytest.mark.parametrize(
    "loss", [*DEFINITIONS, *losses.OF_BLOCKS, "smoothi@k", "bpr", "softmax", "softmax@k"]
)
def test_every_loss_finds_two_tastes(loss):
    rng = np.random.default_rng(5)
    taste = np.repeat([0, 1], 20)
    likes = (taste[:, None] == np.arange(30) % 2) & (rng.random((40, 30)) < 0.5)
    users, items = np.nonzero(likes)
    X = np.column_stack([users, items]).astype(float)
    others = [[user, item] for user in range(40) for item in range(30) if not likes[user, item]]
    model = FactorLists(
        loss, k=5, temperature=0.3, n_steps=100, second=SECOND.get(loss, 0.1), batch_users=20
    ).fit(X, np.ones(len(X)))
    scores = model.decision_function(np.array(others, float))
    right = np.array([taste[user] == item % 2 for user, item in others])
    best = [
        right[at][np.argsort(-scores[at])[:3]].mean()
        for at in (np.array(others)[:, 0] == u for u in range(40))
    ]
    assert np.mean(best) > 0.6


def test_the_page_is_made_of_a_run_of_the_configuration():
    """Each method has a name on it, and the sentence in front those of its numbers."""
    config = read_yaml(ROOT / talos2026.CONFIGURATION)
    methods = [method["id"] for method in config["methods"]]
    assert set(methods) == set(talos2026.NAMES)
    rng = np.random.default_rng(0)
    summary = pd.DataFrame(
        [
            {
                "dataset": dataset["id"],
                "top": "k=20",
                "method": method,
                "metric": metric,
                "mean": rng.random(),
            }
            for dataset in config["datasets"]
            for method in methods
            for metric in config["metrics"]
        ]
    ).assign(top="k=20", std=np.nan, n=1, n_constant=0)
    found = talos2026.tables({"summary": summary}, {"datasets": {d["id"]: {} for d in config["datasets"]}})
    page = talos2026.findings(found)
    ours = summary.set_index(["dataset", "metric", "method"])["mean"]["beauty", "precision@k"]
    for method in ("aatp", "aatp-regressed", "talos", "softmax"):
        assert f"{ours[method]:.4f}" in page.verdict[0]
    assert set(found["losses"]["dataset"]) == {"beauty", "beauty-refit"}


def test_drawn_lists_are_the_loss_of_positives_and_drawn_items(case, monkeypatch):
    """Of all items they are the loss itself; of few, slopes stand on positives and those few alone."""
    scores, positive = case
    loss, _ = losses.surrogate("bpr", K, 0.2, 1.0)
    pairs, users = csr_matrix(positive), np.arange(3)
    slopes = scores.copy()
    value = losses.DrawnLists(pairs, loss).descend(slopes, users, 1.0, 0.5)
    singly = [loss.value_and_coef(s, y.astype(int)) for s, y in zip(scores, positive, strict=True)]
    assert value == pytest.approx(sum(one for one, _ in singly), rel=1e-9)
    np.testing.assert_allclose(slopes, 0.5 * np.array([slope for _, slope in singly]), rtol=1e-6)
    monkeypatch.setattr(losses, "DRAWN", 5)
    slopes = scores.copy()
    losses.DrawnLists(pairs, loss).descend(slopes, users, 1.0, 0.5)
    of_negatives = (slopes != 0) & ~positive
    assert (slopes != 0)[positive].all()
    assert of_negatives.any(axis=0).sum() <= 5
    assert of_negatives.any(axis=1).all()


def test_slopes_of_rs_nearly_vanish_on_a_positive_far_from_the_top():
    loss, _ = losses.surrogate("rs@k", 20, 0.05, 3.0)
    scores, labels = np.linspace(1, -1, 1025), np.zeros(1025, int)
    slope = {}
    for place in (20, 500):
        labels[:] = 0
        labels[place] = 1
        slope[place] = -loss.value_and_coef(scores, labels)[1][place]
    assert slope[20] > 0
    assert 0 <= slope[500] < 1e-20 * slope[20]
