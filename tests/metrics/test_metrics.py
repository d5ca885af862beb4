"""Metrics against their definitions by enumeration, and their names."""

import math
import pickle
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

import oracles.metrics as oracle
from attop.metrics import (
    METRICS,
    Need,
    UndefinedMetricError,
    auc,
    auc_at_k,
    get_metric,
    pap_at_k,
    partial_auc,
    precision_at_k,
    roc_points,
)
from attop.metrics._registry import DEFAULT_METRICS
from support.ranked_lists import NAMES, ROUNDING, random_cases, random_groups

PAIR_FUNCTIONS = {"auc": auc, "pauc@k": partial_auc, "pap@k": pap_at_k}


def test_the_oracle_averages_over_all_orders_of_tied_items():
    y, scores = [1, 0, 1, 0, 1], [2, 1, 1, 1, 0]
    lists = [[y[i] for i in (0, *tied, 4)] for tied in permutations([1, 2, 3])]
    for name, definition in oracle.DEFINITIONS.items():
        k = None if name in ("dcg", "ndcg") else 2
        by_permutation = sum(definition(tuple(labels), k) for labels in lists) / len(lists)
        assert oracle.expected(definition, y, scores, k) == by_permutation


@pytest.mark.parametrize("name", NAMES)
def test_metric_agrees_with_its_definition(name):
    metric = METRICS[name]
    n_defined = 0
    for y, scores, k in random_cases(seed=1, count=800):
        value = metric.evaluate(y, scores, k)
        if not oracle.defined(name, y, k):
            assert math.isnan(value.value)
            assert value.reason in {need.value for need in Need}
            assert value[1:3] == (0, 1)
            continue
        n_defined += 1
        assert value.value == pytest.approx(float(oracle.metric(name, y, scores, k)), **ROUNDING)
        assert value[1:] == (1, 0, None)
        assert metric.bounds[0] <= value.value <= metric.bounds[1] + 1e-14
    assert n_defined >= 200


@pytest.mark.parametrize("name", PAIR_FUNCTIONS)
@pytest.mark.parametrize(("ties", "tied"), [("error", Fraction(0)), ("half", Fraction(1, 2))])
def test_tied_pairs_counted_by_score(name, ties, tied):
    n_defined = 0
    for y, scores, k in random_cases(seed=3, count=800):
        if not oracle.defined(name, y, k):
            continue
        n_defined += 1
        n_pos, n_neg = sum(y), len(y) - sum(y)
        n_top = {"auc": (n_pos, n_neg), "pauc@k": (n_pos, k), "pap@k": (min(n_pos, k), k)}[name]
        arguments = () if name == "auc" else (k,)
        value = PAIR_FUNCTIONS[name](y, scores, *arguments, ties=ties)
        assert value == pytest.approx(float(oracle.pairs_by_score(y, scores, *n_top, tied)), **ROUNDING)
    assert n_defined >= 200


@pytest.mark.parametrize(
    ("p", "q", "k"), [(9, 11, 5), (30, 30, 7), (3, 200, 2), (200, 30, 29), (400, 900, 10)]
)
def test_expected_pairs_of_a_large_tie_block(p, q, k):
    # P(i-th positive before j-th negative) = P(at least i positives among the first i + j - 1 items).
    beta = min(p, k)
    before = sum(
        Fraction(
            sum(math.comb(p, x) * math.comb(q, i + j - 1 - x) for x in range(i, i + j)),
            math.comb(p + q, i + j - 1),
        )
        for i in range(1, beta + 1)
        for j in range(1, k + 1)
    )
    y = np.repeat([1, 0], [p, q])
    assert pap_at_k(y, np.zeros(p + q), k) == pytest.approx(float(before / (beta * k)), rel=1e-11)


def test_expected_pairs_of_a_huge_tie_block():
    # Chances underflow unless taken in logarithms; a symmetric block gives one half by symmetry.
    y = np.repeat([1, 0], 100_000)
    assert pap_at_k(y, np.zeros(200_000), 50_000) == pytest.approx(0.5, rel=1e-9)
    assert pap_at_k(y, np.zeros(200_000), 10) == pytest.approx(0.5, rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_neither_the_order_of_items_nor_the_scale_of_scores_matters(name):
    rng = np.random.default_rng(9)
    y, scores, groups = random_groups(seed=9)
    shuffle = rng.permutation(len(y))
    metric = METRICS[name]
    value = metric.evaluate(y, scores, 2, groups)
    names = np.array(["dee", "ann", "bob", "eve", "cat", "fay"])
    tiny, huge = np.array([0.0, 1e-300, 2e-300, 1.0]), np.array([-1e300, -1.0, 1.0, 1e300])
    for s in (scores, tiny[scores.astype(int)], huge[scores.astype(int)]):
        other = metric.evaluate((2 * y - 1)[shuffle], s[shuffle], 2, names[groups][shuffle])
        assert other.value == pytest.approx(value.value, rel=1e-13)
        assert other[1:] == value[1:]


def test_zero_and_minus_zero_are_tied():
    assert auc([1, 0], [-0.0, 0.0]) == auc([1, 0], [0.0, -0.0]) == 0.5


def test_auc_at_k_is_the_mean_over_the_orders_that_have_both_classes_at_the_top():
    rng = np.random.default_rng(12)
    undefined = 0
    for _ in range(300):
        n = int(rng.integers(1, 9))
        k = int(rng.integers(1, n + 1))
        y, scores = rng.integers(0, 2, n).tolist(), rng.integers(0, 3, n).tolist()
        tops = [labels[:k] for labels in oracle.orders(tuple(y), tuple(scores))]
        values = [oracle.auc(top) for top in tops if 0 < sum(top) < k]
        if values:
            assert auc_at_k(y, scores, k) == pytest.approx(float(sum(values) / len(values)), **ROUNDING)
        else:
            undefined += 1
            with pytest.raises(UndefinedMetricError, match=f"the {k} highest-scoring items are all of one"):
                auc_at_k(y, scores, k)
    assert 20 < undefined < 200


# Undefined


def test_an_undefined_metric_gives_reason_counts_and_a_remedy():
    with pytest.raises(
        UndefinedMetricError, match="k=3, 4 items, 2 positive and 2 negative: lower k"
    ) as caught:
        pap_at_k([1, 1, 0, 0], [1, 2, 3, 4], 3)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.reason, str(copy)) == ("fewer than k negatives", str(caught.value))
    with pytest.raises(UndefinedMetricError, match="k > n"):
        precision_at_k([1, 1, 1, 1], [1, 2, 3, 4], {"kappa": 1.5})


def test_hits_are_precision_times_k():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y, scores = rng.integers(0, 2, 40), rng.integers(0, 9, 40)  # many ties
        expected = [k * precision_at_k(y, scores, k) for k in range(1, 41)]
        np.testing.assert_allclose(roc_points(y, scores).hits(np.arange(1, 41)), expected, atol=1e-12)


def test_roc_rates_are_undefined_without_both_classes():
    assert roc_points([0, 0], [1, 1]).fp.tolist() == [0, 2]
    for label, reason in ((0, "no positive"), (1, "no negative")):
        with pytest.raises(UndefinedMetricError) as caught:
            roc_points([label], [1.0]).rates()
        assert caught.value.reason == reason


def test_names_are_stable():
    assert " ".join(METRICS) == (
        "precision@k recall@k hit@k ap dcg@k dcg ndcg@k ndcg ndcg-aatp@k positives@top reciprocal-rank "
        "auc pauc@k pap@k micro-pap@k smoothed-precision@k lift@k f1@k "
        "bedroc-20 recall@precision-0.9 precision@recall-0.5 tpr@fpr-0.01"
    )
    assert list(METRICS)[:15] == list(DEFAULT_METRICS)


@pytest.mark.parametrize("name", NAMES)
def test_metric_describes_itself(name):
    metric = get_metric(name)
    assert metric is METRICS[name] is get_metric(metric)
    assert metric.name == name
    assert metric.definition.endswith(".")
    assert metric.edge_cases.endswith(".")
    assert metric.needs_top == name.endswith("@k")
    assert metric.higher_is_better
    assert pickle.loads(pickle.dumps(metric)) == metric


@pytest.mark.parametrize(
    ("wrong", "near"), [("pAp@k", "pap@k"), ("precison@k", "precision@k"), ("AUC", "auc")]
)
def test_unknown_name_suggests_the_near_ones(wrong, near):
    with pytest.raises(ValueError, match=f"did you mean.*'{near}'"):
        get_metric(wrong)
