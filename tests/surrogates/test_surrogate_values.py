"""Surrogates against their definitions by enumeration."""

from functools import partial

import numpy as np
import pytest

import oracles.surrogates as oracle
from attop.surrogates import (
    AUCStruct,
    HingeLoss,
    InfinitePushHinge,
    LogisticLoss,
    PatMatLoss,
    PatMatNPLoss,
    PAUCStruct,
    TopPushK,
    TopPushLoss,
)
from oracles.surrogates import split
from support.surrogate_cases import EXACT, PAP, PREC, bound, case, small_cases, value_of

DEFINITIONS = [
    *((cls, getattr(oracle, f"prec_{name}")) for name, cls in PREC.items()),
    *((PAP[name], getattr(oracle, f"pap_{name}")) for name in ("ramp", "max", "avg")),
    (PAP["ts-convex"], oracle.pap_ts_orderings),
    (PAP["ts"], oracle.pap_ts_pairs),
    (PAUCStruct, oracle.pauc_struct),
    (TopPushK, oracle.top_push_k),
    (PatMatLoss, oracle.pat_mat),
    (PatMatNPLoss, oracle.pat_mat_np),
]

#: Sums over pairs, or over the number of positives called, for samples too large for enumeration.
SUMS = {
    **{cls: partial(oracle.prec_by_called, name) for name, cls in PREC.items()},
    **{PAP[name]: partial(oracle.pap_pairs, name) for name in ("ramp", "avg", "max")},
    PAP["ts"]: oracle.pap_ts_pairs,
    PAUCStruct: partial(oracle.pap_pairs, "pauc"),
}


@pytest.mark.parametrize(("cls", "brute"), DEFINITIONS)
def test_value_is_the_definition_over_label_vectors_subsets_and_orderings(cls, brute):
    by_orderings = cls in (*PAP.values(), PAUCStruct)  # of at most six items: they are many
    checked, cases = 0, small_cases(340, 1, most_pos=5, most_neg=4)
    while checked < 500:
        _, s, y = next(cases)
        for k in range(1, (6 - int(y.sum()) if by_orderings else len(y)) + 1):
            if loss := bound(cls(k), y):
                want = brute(s, y, k)
                np.testing.assert_allclose(loss(s)[0], want, **EXACT)
                if cls in SUMS:
                    np.testing.assert_allclose(SUMS[cls](s, y, k), want, **EXACT)
                checked += 1


@pytest.mark.parametrize("k", [1, 8, 31, 32, 33, 90, "all"])
def test_large_groups_agree_with_sums_over_pairs(k):
    rng = np.random.default_rng(3)
    for n_pos, n_neg in [(1, 150), (60, 150), (150, 100), (97, 97)]:
        for s, y in (case(rng, n_pos, n_neg) for _ in range(6)):
            top = n_neg if k == "all" else k
            for cls, sums in SUMS.items():
                if loss := bound(cls(top), y):
                    # Prefix sums of a few hundred numbers below 10.
                    np.testing.assert_allclose(loss(s)[0], sums(s, y, top), rtol=1e-11, atol=1e-11)


def test_structural_auc_takes_all_negatives():
    rng = np.random.default_rng(4)
    s, y = case(rng, 5, 9)
    assert value_of(AUCStruct(), s, y) == value_of(PAUCStruct(9), s, y)


def test_losses_against_the_highest_negative():
    rng = np.random.default_rng(5)
    for _ in range(500):
        s, y = case(rng, int(rng.integers(1, 6)), int(rng.integers(1, 6)))
        pos, neg = split(s, y)
        infinite = max(np.mean(np.maximum(0, 1 - (pos - j))) for j in neg)
        np.testing.assert_allclose(value_of(InfinitePushHinge(), s, y), infinite, **EXACT)
        top = np.mean(np.maximum(0, 1 + neg.max() - pos) ** 2)
        np.testing.assert_allclose(value_of(TopPushLoss(), s, y), top, **EXACT)
        missed = np.mean(pos <= neg.max())
        assert missed <= infinite + 1e-12
        assert missed <= top + 1e-12


def test_pointwise_losses():
    s, y = np.array([2.0, -1.0, 0.5, 0.0]), [1, 1, 0, 0]
    assert value_of(HingeLoss(), s, y) == (0 + 2 + 1.5 + 1) / 4
    want = np.mean(np.log1p(np.exp([-2.0, 1.0, 0.5, 0.0])))
    np.testing.assert_allclose(value_of(LogisticLoss(), s, y), want, **EXACT)
    value, coef = LogisticLoss().value_and_coef([1e300, -1e300], [1, 1])
    assert value == 5e299
    np.testing.assert_array_equal(coef, [0, -0.5])
