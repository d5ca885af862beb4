"""Values of groups: means over those that have one, or over all pairs."""

import math

import numpy as np
import pytest

import oracles.metrics as oracle
from attop import Top
from attop.metrics import METRICS, UndefinedMetricError, macro_pap_at_k, micro_pap_at_k, pap_at_k
from support.ranked_lists import NAMES, ROUNDING, random_groups


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
    for ties in ("expected", "error", "half"):
        of_one = (pap_at_k(y, scores, 5, ties=ties), 1, 0, None)
        assert macro_pap_at_k(y, scores, 5, np.zeros(50), ties=ties) == of_one
        assert micro_pap_at_k(y, scores, 5, np.zeros(50), ties=ties) == of_one
