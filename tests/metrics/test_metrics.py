"""Metrics against their brute-force definitions, the paper's examples, scikit-learn and nasty input."""

import math
import pickle
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score, roc_curve
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

import attop
import oracles.metrics as oracle
from attop import Top
from attop.metrics import (
    METRICS,
    Need,
    UndefinedMetricError,
    auc,
    auc_at_k,
    average_precision,
    bedroc,
    dcg,
    f_beta_at_k,
    get_metric,
    hit_at_k,
    lift_at_k,
    macro_pap_at_k,
    make_top_scorer,
    micro_pap_at_k,
    ndcg,
    ndcg_aatp,
    pap_at_k,
    pap_at_k_risk,
    partial_auc,
    positives_at_top,
    precision_at_k,
    rank_of_last_positive,
    recall_at_k,
    reciprocal_rank,
    rie,
    roc_points,
    top_1,
)
from attop.metrics.ranking import Ranking
from attop.metrics.registry import DEFAULT_METRICS
from attop.sample import check_groups

# The closed forms are sums of a few terms of order one, so that only rounding separates them from fractions.
ROUNDING = {"rel": 1e-12, "abs": 1e-14}

FUNCTIONS = {
    "precision@k": precision_at_k,
    "recall@k": recall_at_k,
    "hit@k": hit_at_k,
    "ap": average_precision,
    "dcg@k": dcg,
    "dcg": dcg,
    "ndcg@k": ndcg,
    "ndcg": ndcg,
    "ndcg-aatp@k": ndcg_aatp,
    "positives@top": positives_at_top,
    "reciprocal-rank": reciprocal_rank,
    "auc": auc,
    "pauc@k": partial_auc,
    "pap@k": pap_at_k,
    "lift@k": lift_at_k,
    "f1@k": f_beta_at_k,
    "top-1": top_1,
    "last-rank": rank_of_last_positive,
    "rie-20": rie,
    "bedroc-20": bedroc,
}
NAMES = sorted(METRICS)
PAIR_FUNCTIONS = {"auc": auc, "pauc@k": partial_auc, "pap@k": pap_at_k}


def random_cases(seed, count=250, n_max=8):
    """Labels, scores with many ties and k, from lists without ties to lists of one tie block."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(1, n_max + 1))
        y = (rng.random(n) < rng.choice([0.2, 0.5, 0.8])).astype(int)
        scores = rng.integers(0, rng.integers(1, 6), n) - 2
        yield y.tolist(), scores.tolist(), int(rng.integers(1, n + 1))


def random_groups(seed, n_groups=6):
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, n_groups, 50)
    return rng.integers(0, 2, 50), rng.integers(0, 4, 50).astype(float), groups


# Agreement with the definitions


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


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_and_registry_are_the_same_metric(name):
    function, metric = FUNCTIONS[name], METRICS[name]
    for y, scores, k in random_cases(seed=2, count=60):
        arguments = (k,) if metric.needs_top else ()
        expected = metric.evaluate(y, scores, k)
        if expected.reason is None:
            assert function(y, scores, *arguments) == expected.value
        else:
            with pytest.raises(UndefinedMetricError) as caught:
                function(y, scores, *arguments)
            assert caught.value.reason == expected.reason


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


def test_a_tied_pair_with_a_selected_negative_is_worth_less_than_half():
    # Of two tied negatives the one that counts is the first, which a positive beats in one order of three.
    assert partial_auc([1, 0, 0], [0.0, 0.0, 0.0], 1) == pytest.approx(1 / 3)
    assert partial_auc([1, 0, 0], [0.0, 0.0, 0.0], 1, ties="half") == 0.5
    assert partial_auc([1, 0, 0], [0.0, 0.0, 0.0], 1, ties="error") == 0.0


# The papers

TABLE_1 = [
    # labels best first, k, AUC, pAUC(0, k/n-], prec@k, pAp@k: Hiranandani et al. (2020)
    ("01101110000", 2, "22/30", "2/10", None, "2/4"),
    ("10111000001", 2, "21/30", "5/10", None, "3/4"),
    ("11000000111", 2, "12/30", "4/10", None, "1"),
    ("11011100000", 6, None, None, "5/6", "27/30"),
    ("11101100000", 6, None, None, "5/6", "28/30"),
]


@pytest.mark.parametrize("ties", ["expected", "error", "half"])
@pytest.mark.parametrize(("best_first", "k", "in_auc", "in_pauc", "in_precision", "in_pap"), TABLE_1)
def test_table_1_of_pap(best_first, k, in_auc, in_pauc, in_precision, in_pap, ties):
    y = [int(label) for label in best_first]
    scores = np.arange(len(y), 0, -1)
    computed = {
        "auc": (auc(y, scores, ties=ties), in_auc),
        "pauc": (partial_auc(y, scores, k, ties=ties), in_pauc),
        "precision": (precision_at_k(y, scores, k), in_precision),
        "pap": (pap_at_k(y, scores, k, ties=ties), in_pap),
        "risk": (1 - pap_at_k_risk(y, scores, k, ties=ties), in_pap),
    }
    for value, printed in computed.values():
        if printed is not None:
            assert Fraction(value).limit_denominator(1000) == Fraction(printed)
            assert value == pytest.approx(float(Fraction(printed)), rel=1e-15)


@pytest.mark.parametrize(
    ("positives", "negatives"), [((100.0, 0.0, 0.0), (1.0, 1.0)), ((10.0, 0.0), (1.0, 1.0))]
)
def test_counterexamples_to_propositions_of_pap_have_risk_one_half(positives, negatives):
    y = [1] * len(positives) + [0] * len(negatives)
    for ties in ("expected", "error", "half"):
        assert pap_at_k_risk(y, [*positives, *negatives], 2, ties=ties) == 0.5


def test_pap_is_partial_auc_for_few_positives_and_precision_like_for_many():
    rng = np.random.default_rng(5)
    for _ in range(50):
        y = rng.permutation(np.repeat([1, 0], [3, 12]))
        scores = rng.integers(0, 6, 15)
        for ties in ("expected", "error", "half"):
            assert pap_at_k(y, scores, 5, ties=ties) == pytest.approx(partial_auc(y, scores, 5, ties=ties))
    scores = np.arange(10, 0, -1)
    assert pap_at_k([1, 1, 0, 0, 0, 1, 1, 0, 1, 0], scores, 2) == 1.0
    assert pap_at_k([0, 0, 1, 1, 0, 1, 1, 0, 1, 0], scores, 2) == 0.0


def test_p_at_tau_takes_the_ceiling():
    y = [1, 0] * 25
    assert precision_at_k(y, -np.arange(50), {"tau": 0.05}) == precision_at_k(y, -np.arange(50), 3) == 2 / 3
    assert precision_at_k(y, -np.arange(50), Top(kappa=0.2)) == precision_at_k(y, -np.arange(50), 5)


def test_ndcg_of_aatp_needs_k_positives_to_reach_one():
    scores = [4.0, 3.0, 2.0, 1.0]
    assert ndcg([1, 0, 0, 0], scores, 2) == ndcg([1, 0, 0, 0], scores) == 1.0
    assert ndcg_aatp([1, 0, 0, 0], scores, 2) == pytest.approx(1 / (1 + 1 / math.log2(3)))
    assert ndcg_aatp([1, 1, 0, 0], scores, 2) == pytest.approx(1.0)


# scikit-learn


def test_auc_and_roc_points_agree_with_scikit_learn():
    rng = np.random.default_rng(6)
    for size in (30, 500):
        y = rng.integers(0, 2, size)
        scores = rng.integers(0, 20, size) / 7
        for ties in ("expected", "half"):
            assert auc(y, scores, ties=ties) == pytest.approx(roc_auc_score(y, scores), rel=1e-12)
        fpr, tpr, _ = roc_curve(y, scores, drop_intermediate=False)
        ours = roc_points(y, scores).rates()
        np.testing.assert_allclose(ours, (fpr, tpr), rtol=1e-14)
        assert np.trapezoid(ours[1], ours[0]) == pytest.approx(auc(y, scores), rel=1e-12)


def test_average_precision_agrees_with_scikit_learn_without_ties():
    rng = np.random.default_rng(7)
    y, scores = rng.integers(0, 2, 300), rng.permutation(300).astype(float)
    assert average_precision(y, scores) == pytest.approx(average_precision_score(y, scores), rel=1e-12)


@pytest.mark.parametrize("k", [None, 1, 7, 60])
def test_ndcg_agrees_with_scikit_learn_with_ties(k):
    # scikit-learn averages the gains of tied items, which is the expectation over their orders.
    rng = np.random.default_rng(8)
    y, scores = rng.integers(0, 2, 60), rng.integers(0, 8, 60).astype(float)
    assert ndcg(y, scores, k) == pytest.approx(ndcg_score([y], [scores], k=k), rel=1e-12)


# Invariances


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


@pytest.mark.parametrize("name", NAMES)
def test_a_perfect_and_a_reversed_list(name):
    y, metric = np.array([1, 1, 1, 0, 0, 0]), METRICS[name]
    best, worst = (metric.evaluate(y, sign * np.arange(6), 3).value for sign in (-1, 1))
    top = metric.bounds[1]
    assert best == pytest.approx(
        top if math.isfinite(top) else oracle.metric(name, y.tolist(), list(-np.arange(6)), 3)
    )
    assert (worst < best) == metric.higher_is_better


# Groups


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("top", [{"k": 3}, {"tau": 0.3}, {"kappa": 0.5}])
def test_grouped_value_is_the_mean_over_eligible_groups(name, top):
    for seed in range(8):
        y, scores, groups = random_groups(seed, n_groups=12)
        values = []
        for g in np.unique(groups):
            ys, ss = y[groups == g].tolist(), scores[groups == g].tolist()
            try:
                k = Top.of(top).resolve(len(ys), sum(ys))
            except ValueError:
                k = len(ys) + 1
            if oracle.defined(name, ys, k):
                values.append(float(oracle.metric(name, ys, ss, k)))
        assert values
        result = METRICS[name].evaluate(y, scores, top, groups)
        assert result.value == pytest.approx(np.mean(values), **ROUNDING)
        assert (result.n_groups, result.n_left_out) == (len(values), len(np.unique(groups)) - len(values))


def test_groups_left_out_are_counted_and_none_eligible_is_undefined():
    y = [1, 0, 0, 0, 1, 1]
    scores = [3, 2, 1, 1, 2, 1]
    groups = ["a", "a", "b", "b", "c", "c"]
    assert micro_pap_at_k(y, scores, 1, groups) == (1.0, 1, 2, None)
    value = METRICS["micro-pap@k"].evaluate(y, scores, 2, groups)
    assert math.isnan(value.value)
    assert value[1:] == (0, 3, "no eligible group: fewer than k negatives (2), no positive (1)")
    with pytest.raises(UndefinedMetricError, match="each of the 3 groups"):
        micro_pap_at_k(y, scores, 2, groups)


def test_macro_pap_counts_pairs_and_micro_pap_users():
    for seed in range(20):
        y, scores, groups = random_groups(seed=seed)
        pairs = correct = 0.0
        for g in np.unique(groups):
            its = groups == g
            n_pos, n_neg = int(y[its].sum()), int((1 - y[its]).sum())
            if n_pos and n_neg >= 3:
                weight = 3 * min(n_pos, 3)
                pairs += weight
                correct += weight * float(oracle.metric("pap@k", y[its].tolist(), scores[its].tolist(), 3))
        if pairs:
            assert macro_pap_at_k(y, scores, 3, groups).value == pytest.approx(correct / pairs, **ROUNDING)
    one = np.zeros(len(y))
    assert macro_pap_at_k(y, scores, 5, one) == micro_pap_at_k(y, scores, 5, one)


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
            with pytest.raises(UndefinedMetricError, match=f"the {k} items of highest score are all of one"):
                auc_at_k(y, scores, k)
    assert 20 < undefined < 200


def test_micro_pap_of_one_group_is_pap():
    y, scores, _ = random_groups(seed=10)
    for ties in ("expected", "error", "half"):
        assert micro_pap_at_k(y, scores, 5, np.zeros(50), ties=ties).value == pap_at_k(
            y, scores, 5, ties=ties
        )


# Undefined and malformed


@pytest.mark.parametrize(
    ("function", "y", "top", "reason"),
    [
        (precision_at_k, [1, 0], 3, "k > n"),
        (precision_at_k, [1, 1, 1, 1], {"kappa": 1.5}, "k > n"),
        (recall_at_k, [0, 0], 1, "no positive"),
        (ndcg, [0, 0], 1, "no positive"),
        (partial_auc, [0, 0], 1, "no positive"),
        (partial_auc, [1, 0], 2, "fewer than k negatives"),
        (pap_at_k, [1, 1], 1, "fewer than k negatives"),
        (pap_at_k_risk, [1, 0, 0], 3, "fewer than k negatives"),
        (average_precision, [0], None, "no positive"),
        (reciprocal_rank, [0], None, "no positive"),
        (positives_at_top, [1], None, "no negative"),
        (auc, [1, 1], None, "no negative"),
        (auc, [0, 0], None, "no positive"),
    ],
)
def test_undefined_says_why(function, y, top, reason):
    with pytest.raises(UndefinedMetricError, match=reason) as caught:
        function(y, np.arange(len(y)), *(() if top is None else (top,)))
    assert caught.value.reason == reason
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.reason, str(copy)) == (caught.value.reason, str(caught.value))


def test_message_of_an_undefined_metric_gives_the_counts_and_a_remedy():
    with pytest.raises(UndefinedMetricError, match="k=3, 4 items, 2 positive and 2 negative: lower k"):
        pap_at_k([1, 1, 0, 0], [1, 2, 3, 4], 3)


def test_counts_without_positives_are_zero_not_undefined():
    for name in ("precision@k", "hit@k", "dcg@k", "dcg", "ndcg-aatp@k", "positives@top"):
        assert METRICS[name].evaluate([0, 0, 0], [1, 2, 3], 2) == (0.0, 1, 0, None)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("y", "scores", "message"),
    [
        ([1, 0, 0], [1.0, np.nan, np.inf], "2 of the 3 scores are NaN or infinite, the first at position 1"),
        ([1, 0, 0], [1.0, 2.0], r"shape \(3,\)"),
        ([1, 0], [[1.0], [2.0]], r"shape \(2,\)"),
        ([1, 0], ["high", "low"], "real numbers"),
        ([1, 0], [1 + 2j, 0], "real numbers"),
        ([], [], "empty"),
        ([0, 1, 2], [1.0, 2.0, 3.0], "labels must be"),
    ],
)
def test_malformed_input_is_refused(name, y, scores, message):
    with pytest.raises(ValueError, match=message) as caught:
        METRICS[name].evaluate(y, scores, 1)
    assert not isinstance(caught.value, UndefinedMetricError)


def test_unknown_rule_for_ties_is_refused():
    with pytest.raises(ValueError, match="ties must be"):
        auc([1, 0], [1, 2], ties="random")


def test_roc_rates_are_undefined_without_both_classes():
    assert roc_points([0, 0], [1, 1]).fp.tolist() == [0, 2]
    for label, reason in ((0, "no positive"), (1, "no negative")):
        with pytest.raises(UndefinedMetricError) as caught:
            roc_points([label], [1.0]).rates()
        assert caught.value.reason == reason


# Registry


def test_names_are_stable():
    assert list(METRICS) == [
        "precision@k",
        "recall@k",
        "hit@k",
        "ap",
        "dcg@k",
        "dcg",
        "ndcg@k",
        "ndcg",
        "ndcg-aatp@k",
        "positives@top",
        "reciprocal-rank",
        "auc",
        "pauc@k",
        "pap@k",
        "micro-pap@k",
        "lift@k",
        "f1@k",
        "top-1",
        "last-rank",
        "rie-20",
        "bedroc-20",
        "recall@precision-0.9",
        "precision@recall-0.5",
        "tpr@fpr-0.01",
    ]
    assert list(METRICS)[:15] == list(DEFAULT_METRICS)


@pytest.mark.parametrize("name", NAMES)
def test_metric_describes_itself(name):
    metric = get_metric(name)
    assert metric is METRICS[name] is get_metric(metric)
    assert metric.name == name
    assert metric.definition.endswith(".")
    assert metric.edge_cases.endswith(".")
    assert metric.needs_top == name.endswith("@k")
    assert metric.higher_is_better == (name != "last-rank")
    assert pickle.loads(pickle.dumps(metric)) == metric
    if metric.needs_top:
        with pytest.raises(TypeError, match="give top"):
            metric.evaluate([1, 0], [1, 2])


@pytest.mark.parametrize(
    ("wrong", "near"), [("pAp@k", "pap@k"), ("precison@k", "precision@k"), ("AUC", "auc")]
)
def test_unknown_name_suggests_the_near_ones(wrong, near):
    with pytest.raises(ValueError, match=f"did you mean.*'{near}'"):
        get_metric(wrong)


def test_unknown_name_without_a_near_one_lists_all():
    with pytest.raises(ValueError, match=r"choose one of: precision@k, .*, micro-pap@k, .*, tpr@fpr-0.01"):
        get_metric("accuracy of everything")


# Scorer


def imbalanced():
    return make_classification(300, 6, weights=[0.8], flip_y=0.1, random_state=0)


@pytest.mark.parametrize(
    "model", [LogisticRegression(), GaussianNB()], ids=["decision_function", "predict_proba"]
)
def test_scorer_in_cross_validation(model):
    X, y = imbalanced()
    names = np.array(["benign", "malignant"])[y]
    folds = StratifiedKFold(3)
    values = cross_val_score(model, X, names, cv=folds, scoring=attop.make_top_scorer("pap@k", 10))
    for value, (train, test) in zip(values, folds.split(X, y), strict=True):
        fitted = model.fit(X[train], y[train])
        score = fitted.decision_function(X[test]) if hasattr(fitted, "decision_function") else None
        score = fitted.predict_proba(X[test])[:, 1] if score is None else score
        assert value == pap_at_k(y[test], score, 10)


def test_scorer_selects_in_grid_search():
    X, y = imbalanced()
    scorer = pickle.loads(pickle.dumps(make_top_scorer("precision@k", {"tau": 0.1})))
    search = GridSearchCV(LogisticRegression(), {"C": [1e-4, 1.0]}, scoring=scorer, cv=3).fit(X, y)
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    scores = search.decision_function(X)
    assert search.score(X, y) == precision_at_k(y, scores, Top(tau=0.1))


def test_undefined_in_a_fold_becomes_the_error_score():
    X, y = imbalanced()
    scorer = make_top_scorer("precision@k", 101)
    with pytest.warns(UserWarning, match="k > n"):
        values = cross_val_score(LogisticRegression(), X, y, cv=3, scoring=scorer, error_score=-7.0)
    assert values.tolist() == [-7.0] * 3
    with pytest.raises(UndefinedMetricError):
        cross_val_score(LogisticRegression(), X, y, cv=3, scoring=scorer, error_score="raise")


def test_scorer_refuses_what_gives_no_ranking():
    X, y = imbalanced()
    scorer = make_top_scorer("auc")
    with pytest.raises(ValueError, match="no classes_"):
        scorer(LinearRegression().fit(X, y), X, y)
    with pytest.raises(ValueError, match="two classes"):
        scorer(GaussianNB().fit(X, np.arange(300) % 3), X, y)
    with pytest.raises(ValueError, match="knows"):
        scorer(GaussianNB().fit(X, y), X, y + 1)
    with pytest.raises(TypeError, match="give top"):
        make_top_scorer("precision@k")

    class Silent:
        classes_ = np.array([0, 1])

    with pytest.raises(TypeError, match="decision_function or predict_proba"):
        scorer(Silent(), X, y)


# Layout


def test_neighbours_of_one_class_are_one_block():
    rng = np.random.default_rng(11)
    for n_levels in (1, 3, 40, 10**6):
        for _ in range(30):
            y, scores = rng.integers(0, 2, 40), rng.integers(0, n_levels, 40).astype(float)
            full, merged = Ranking.of(y, scores), []
            for size, pos in zip(full.size.tolist(), full.pos.tolist(), strict=True):
                last = merged[-1] if merged else [1, 0.5]
                if last[1] / last[0] == pos / size in (0, 1):
                    merged[-1] = [last[0] + size, last[1] + pos]
                else:
                    merged.append([size, pos])
            size, pos = np.array(merged).T
            short = Ranking.of_list(y, scores)
            np.testing.assert_array_equal(short.size, size)
            np.testing.assert_array_equal(short.pos, pos)
            np.testing.assert_array_equal(short.before, np.cumsum(size) - size)
            np.testing.assert_array_equal(short.pos_before, np.cumsum(pos) - pos)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64])
def test_groups_counted_and_sorted_are_the_same_codes(dtype):
    rng = np.random.default_rng(12)
    few = rng.integers(3, 60, 50).astype(dtype)
    many = np.where(few == few.max(), np.iinfo(dtype).max, few)
    for groups in (few, many):
        expected = np.unique(groups, return_inverse=True)[1]
        codes = check_groups(groups, 50)
        assert codes.dtype == np.int64
        np.testing.assert_array_equal(codes, expected)
