"""Surrogates of prec@k and pAp@k against enumeration, their hierarchy, and where the papers err."""

import subprocess
import sys

import numpy as np
import pytest

import oracles.surrogates as oracle
from attop import surrogates
from attop.surrogates import (
    AUCStruct,
    Grill,
    GrillNP,
    HingeLoss,
    InfinitePushHinge,
    LogisticLoss,
    PApKAvg,
    PApKMax,
    PApKRamp,
    PApKTS,
    PApKTSConvex,
    PatMat,
    PatMatNP,
    PAUCStruct,
    PrecAtKAvg,
    PrecAtKMax,
    PrecAtKRamp,
    PrecAtKStruct,
    SoftPrecAtK,
    TauFPL,
    TopMeanK,
    TopPushK,
    TopPushLoss,
)
from attop.top import Top
from oracles.surrogates import split

PREC = {"struct": PrecAtKStruct, "ramp": PrecAtKRamp, "max": PrecAtKMax, "avg": PrecAtKAvg}
PAP = {"ramp": PApKRamp, "avg": PApKAvg, "max": PApKMax, "ts": PApKTS, "ts-convex": PApKTSConvex}
THRESHOLD = [TopPushK, TauFPL, TopMeanK, PatMat, PatMatNP, Grill, GrillNP]
TOP = [*PREC.values(), *PAP.values(), PAUCStruct, SoftPrecAtK, *THRESHOLD]
WITHOUT_TOP = [InfinitePushHinge, TopPushLoss, HingeLoss, LogisticLoss]

# Sums of a dozen numbers below 10: rounding stays far below this.
EXACT = {"rtol": 1e-12, "atol": 1e-12}


def value_of(surrogate, scores, y):
    return surrogate.value_and_coef(np.asarray(scores, float), y)[0]


def case(rng, n_pos, n_neg):
    """Labels, and scores with ties (small integers or halves) two times out of three."""
    y = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
    kind = rng.integers(3)
    s = rng.normal(size=len(y)) * 2 if kind == 0 else rng.integers(-2, 3, len(y)) / kind
    return s.astype(float), y


def small_cases(n_cases, seed, most_pos, most_neg, fewest_neg=0):
    """Random cases, every fourth with one positive."""
    rng = np.random.default_rng(seed)
    for i in range(n_cases):
        n_pos = 1 if i % 4 == 0 else int(rng.integers(1, most_pos + 1))
        yield rng, *case(rng, n_pos, int(rng.integers(fewest_neg, most_neg + 1)))


def defined(surrogate, y):
    try:
        surrogate.bind(y)
    except ValueError:
        return False
    return True


def draw(cls, rng, n_pos=None, n_neg=None):
    """A surrogate of class `cls` and a random case it is defined on."""
    while True:
        s, y = case(rng, n_pos or int(rng.integers(1, 7)), n_neg or int(rng.integers(1, 7)))
        surrogate = cls() if cls in WITHOUT_TOP else cls(int(rng.integers(1, len(y) + 1)))
        if defined(surrogate, y):
            return surrogate, s, y


# --- Values -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PREC)
def test_prec_at_k_is_the_maximum_over_all_label_vectors(name):
    brute = getattr(oracle, f"prec_{name}")
    checked = 0
    for _, s, y in small_cases(220, 1, most_pos=5, most_neg=4):
        for k in range(1, len(y) + 1):
            if defined(PREC[name](k), y):
                np.testing.assert_allclose(value_of(PREC[name](k), s, y), brute(s, y, k), **EXACT)
                np.testing.assert_allclose(oracle.prec_by_called(name, s, y, k), brute(s, y, k), **EXACT)
                checked += 1
    assert checked >= 500


@pytest.mark.parametrize(
    ("cls", "brute"),
    [
        (PApKRamp, oracle.pap_ramp),
        (PApKMax, oracle.pap_max),
        (PApKAvg, oracle.pap_avg),
        (PApKTSConvex, oracle.pap_ts_orderings),
        (PApKTS, oracle.pap_ts_pairs),
        (PAUCStruct, oracle.pauc_struct),
    ],
)
def test_pap_at_k_is_the_papers_optimum_over_subsets_and_orderings(cls, brute):
    checked = 0
    for _, s, y in small_cases(340, 2, most_pos=4, most_neg=4, fewest_neg=1):
        n_pos = int(y.sum())
        for k in range(1, min(len(y) - n_pos, 6 - n_pos) + 1):
            np.testing.assert_allclose(value_of(cls(k), s, y), brute(s, y, k), **EXACT)
            checked += 1
    assert checked >= 500


@pytest.mark.parametrize("k", [1, 8, 31, 32, 33, 90, "all"])
def test_large_groups_agree_with_sums_over_pairs(k):
    rng = np.random.default_rng(3)
    for n_pos, n_neg in [(1, 150), (60, 150), (150, 100), (97, 97)]:
        for s, y in (case(rng, n_pos, n_neg) for _ in range(6)):
            top = n_neg if k == "all" else k
            # Prefix sums of a few hundred numbers below 10.
            close = {"rtol": 1e-11, "atol": 1e-11}
            for name in ("ramp", "avg", "max"):
                want = oracle.pap_pairs(name, s, y, top)
                np.testing.assert_allclose(value_of(PAP[name](top), s, y), want, **close)
            np.testing.assert_allclose(value_of(PApKTS(top), s, y), oracle.pap_ts_pairs(s, y, top), **close)
            want = oracle.pap_pairs("pauc", s, y, top)
            np.testing.assert_allclose(value_of(PAUCStruct(top), s, y), want, **close)
            for name, cls in PREC.items():
                if defined(cls(top), y):
                    want = oracle.prec_by_called(name, s, y, top)
                    np.testing.assert_allclose(value_of(cls(top), s, y), want, **close)


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


# --- Subgradients ------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", TOP + WITHOUT_TOP)
def test_coef_is_the_gradient_where_there_is_one(cls):
    rng = np.random.default_rng(6)
    step = 1e-6
    smooth = 0
    for _ in range(500):
        surrogate, s, y = draw(cls, rng)
        s = rng.normal(size=len(y)) * 2
        bound = surrogate.bind(y)
        value, coef = bound(s)
        shift = step * np.eye(len(y))
        plus, minus = bound(s[:, None] + shift)[0], bound(s[:, None] - shift)[0]
        forward, backward = (plus - value) / step, (value - minus) / step
        # A kink within the step shows as a difference of the one-sided slopes; curvature is below 4.
        kink = np.abs(forward - backward) > 1e-4
        smooth += not kink.any()
        np.testing.assert_allclose(coef[~kink], ((plus - minus) / (2 * step))[~kink], atol=1e-7)
    assert smooth >= 450


@pytest.mark.parametrize("cls", [c for c in TOP + WITHOUT_TOP if c.convex])
def test_convex_surrogates_lie_above_their_tangents_even_at_ties(cls):
    rng = np.random.default_rng(7)
    for _ in range(500):
        surrogate, s, y = draw(cls, rng)
        bound = surrogate.bind(y)
        value, coef = bound(s)
        others = np.column_stack(
            [s + rng.normal(size=len(s)) * scale for scale in (1e-3, 0.1, 1, 5)]
            + [s + rng.integers(-2, 3, len(s)) for _ in range(4)]
        )
        assert (bound(others)[0] >= value + coef @ (others - s[:, None]) - 1e-10).all()


@pytest.mark.parametrize("cls", [c for c in TOP + WITHOUT_TOP if c.convex])
def test_convex_along_segments(cls):
    rng = np.random.default_rng(8)
    for _ in range(500):
        surrogate, a, y = draw(cls, rng)
        bound = surrogate.bind(y)
        b, t = rng.integers(-3, 4, len(y)).astype(float), rng.random()
        assert bound(t * a + (1 - t) * b)[0] <= t * bound(a)[0] + (1 - t) * bound(b)[0] + 1e-10


@pytest.mark.parametrize("cls", [PrecAtKRamp, PApKRamp, PApKTS])
def test_the_others_are_not_convex(cls):
    assert not cls.convex
    bound = cls(1).bind([1, 1, 0])
    ends, midpoint = bound(np.array([[1.0, 0], [0, 1], [0, 0]]))[0], bound(np.array([0.5, 0.5, 0]))[0]
    assert midpoint > ends.mean()


@pytest.mark.parametrize("cls", TOP + WITHOUT_TOP)
def test_same_scores_same_subgradient(cls):
    rng = np.random.default_rng(10)
    surrogate, _, y = draw(cls, rng)
    bound, tied = surrogate.bind(y), np.zeros(len(y))
    np.testing.assert_array_equal(bound(tied)[1], bound(tied)[1])
    np.testing.assert_array_equal(bound(tied)[1], surrogate.bind(y)(tied)[1])


# --- Layout: models and groups -----------------------------------------------------------------------


@pytest.mark.parametrize("cls", TOP + WITHOUT_TOP)
@pytest.mark.parametrize("m", [1, 3, 8, 21, 130])
def test_many_models_at_once_are_each_alone(cls, m):
    rng = np.random.default_rng(11)
    for _ in range(10):
        surrogate, _, y = draw(cls, rng)
        bound = surrogate.bind(y)
        scores = rng.integers(-3, 4, (len(y), m)) / 2
        value, coef = bound(scores)
        assert value.shape == (m,)
        assert coef.shape == scores.shape
        np.testing.assert_allclose(bound(np.asfortranarray(scores))[0], value, **EXACT)
        for r in range(min(m, 25)):
            alone, coef_alone = bound(scores[:, r])
            assert isinstance(alone, float)
            np.testing.assert_allclose(value[r], alone, **EXACT)
            np.testing.assert_allclose(coef[:, r], coef_alone, **EXACT)


@pytest.mark.parametrize("name", [*PAP, "pauc"])
@pytest.mark.parametrize(
    ("n_pos", "n_neg", "k"), [(15, 51, 8), (15, 51, 24), (64, 33, 32), (40, 120, 9), (65, 9, 9)]
)
def test_many_models_of_mid_sized_groups_are_each_alone(name, n_pos, n_neg, k):
    """Around the sizes where the kernel for many models hands over to the one for a single model."""
    rng = np.random.default_rng(24)
    bound = (PAUCStruct if name == "pauc" else PAP[name])(k).bind(case(rng, n_pos, n_neg)[1])
    scores = np.c_[rng.integers(-4, 5, (n_pos + n_neg, 9)), rng.normal(size=(n_pos + n_neg, 9))].astype(float)
    value, coef = bound(scores)
    for r in range(18):
        alone, coef_alone = bound(scores[:, r])
        np.testing.assert_allclose(value[r], alone, rtol=1e-11)
        np.testing.assert_allclose(coef[:, r], coef_alone, **EXACT)


def grouped_case(rng, n_groups=9):
    """Shuffled groups of 1 to 8 items, many of them without a positive or a negative."""
    groups = rng.permutation(np.repeat(rng.permutation(100)[:n_groups], rng.integers(1, 9, n_groups)))
    y = rng.integers(0, 2, len(groups))
    y[:2], groups[:2] = [0, 1], groups[0]
    return y, groups


@pytest.mark.parametrize("top", [1, 2, {"tau": 0.4}, {"kappa": 0.5}])
@pytest.mark.parametrize("cls", [*TOP, InfinitePushHinge, TopPushLoss])
def test_grouped_value_is_the_mean_over_eligible_groups(cls, top):
    rng = np.random.default_rng(12)
    surrogate = cls() if cls in WITHOUT_TOP else cls(top)
    left_out = 0
    for _ in range(12):
        y, groups = grouped_case(rng)
        scores = rng.normal(size=(len(y), 3))
        single = {}
        for g in np.unique(groups):
            if defined(surrogate, y[groups == g]):
                single[g] = surrogate.value_and_coef(scores[groups == g], y[groups == g])
        if not single:
            with pytest.raises(ValueError, match=r"no group has"):
                surrogate.bind(y, groups)
            continue
        bound = surrogate.bind(y, groups)
        value, coef = bound(scores)
        assert bound.n == len(y)
        assert bound.n_groups == len(single)
        assert bound.n_left_out == len(np.unique(groups)) - len(single)
        left_out += bound.n_left_out
        np.testing.assert_allclose(value, np.mean([v for v, _ in single.values()], axis=0), **EXACT)
        want = np.zeros_like(scores)
        for g, (_, c) in single.items():
            want[groups == g] = c / len(single)
        np.testing.assert_allclose(coef, want, **EXACT)
    assert left_out > 0


def test_pointwise_losses_pool_groups():
    y, groups = grouped_case(np.random.default_rng(13))
    s = np.linspace(-1, 1, len(y))
    for loss in (HingeLoss(), LogisticLoss()):
        assert loss.value_and_coef(s, y, groups)[0] == loss.value_and_coef(s, y)[0]


def test_labels_in_any_form_and_top_in_any_form():
    s = np.array([0.3, 1.0, -1.0, 0.2])
    want = value_of(PApKMax(Top(k=2)), s, [1, 0, 1, 0])
    assert value_of(PApKMax(2), s, [True, False, True, False]) == want
    assert value_of(PApKMax({"tau": 0.5}), s, [1, -1, 1, -1]) == want


@pytest.mark.parametrize(
    ("surrogate", "y", "message"),
    [
        (PApKAvg(3), [1, 0, 0], r"at least k negatives \(k=3\), got 1 positives and 2 negatives"),
        (PApKMax(1), [0, 0, 0], "a positive and at least k negatives"),
        (PrecAtKRamp(2), [1, 0, 0], r"at least k positives \(k=2\), got 1"),
        (PrecAtKMax(4), [1, 0, 0], "at least k items"),
        (PrecAtKAvg(3), [1, 0, 0], "more than k items"),
        (PrecAtKStruct(1), [0, 0, 0], "a positive"),
        (AUCStruct(), [1, 1], "a positive and a negative"),
        (InfinitePushHinge(), [1, 1], "a positive and a negative"),
    ],
)
def test_undefined_samples_are_refused(surrogate, y, message):
    with pytest.raises(ValueError, match=message):
        surrogate.bind(y)


@pytest.mark.parametrize("cls", TOP + WITHOUT_TOP)
def test_scores_of_the_wrong_shape_are_refused(cls):
    bound = draw(cls, np.random.default_rng(14))[0].bind([1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
    for shape in [(11,), (13, 2), (12, 1, 1)]:
        with pytest.raises(ValueError, match=r"scores must have shape \(12,\) or \(12, m\)"):
            bound(np.zeros(shape))


# --- Hierarchies and margins -------------------------------------------------------------------------


def test_prec_at_k_hierarchy():
    for _, s, y in small_cases(300, 15, most_pos=6, most_neg=6):
        for k in range(1, int(y.sum()) + 1):
            ramp, avg, high = (value_of(PREC[name](k), s, y) for name in ("ramp", "avg", "max"))
            assert oracle.prec_risk(s, y, k) <= ramp + 1e-12
            assert ramp <= avg + 1e-12
            assert avg <= high + 1e-12


def test_pap_at_k_hierarchy():
    for _, s, y in small_cases(300, 16, most_pos=6, most_neg=6, fewest_neg=1):
        for k in range(1, int((y == 0).sum()) + 1):
            risk = oracle.pap_risk(s, y, k)
            ramp, avg, high, ts, ts_convex = (value_of(cls(k), s, y) for cls in PAP.values())
            assert risk <= ramp + 1e-12
            assert ramp <= min(high, ts) + 1e-12
            assert avg <= high + 1e-12
            assert risk <= ts_convex + 1e-12
            assert ts_convex <= ts + 1e-12
            if y.sum() <= k:
                assert avg <= ramp + 1e-12
                np.testing.assert_allclose(ts, ts_convex, **EXACT)
                np.testing.assert_allclose(ramp, high, **EXACT)
            assert value_of(PAUCStruct(k), s, y) >= np.mean(split(s, y)[0][:, None] <= split(s, y)[1][:k])


def test_prec_max_bounds_the_positives_missed_when_k_exceeds_them():
    for _, s, y in small_cases(200, 17, most_pos=4, most_neg=6, fewest_neg=1):
        for k in range(int(y.sum()) + 1, len(y) + 1):
            avoidable = oracle.prec_risk(s, y, k) - (k - y.sum())
            assert avoidable <= value_of(PrecAtKMax(k), s, y) + 1e-12


def test_margins_make_surrogates_zero():
    rng = np.random.default_rng(18)
    held = dict.fromkeys(["weak", "mean", "moderate", "strong"], 0)
    for i in range(400):
        s, y = case(rng, int(rng.integers(1, 7)), int(rng.integers(1, 7)))
        s[y == 1] += i % 5
        pos, neg = split(s, y)
        for k in range(1, len(neg) + 1):
            beta = min(len(pos), k)
            weak = bool(pos[beta - 1] >= neg[0] + 1)
            mean = bool(pos[-beta:].mean() >= neg[0] + 1)
            moderate = weak and bool(pos[-1] >= neg[0])
            strong = bool(pos[-1] >= neg[0] + 1)
            for name, holds in zip(held, (weak, mean, moderate, strong), strict=True):
                held[name] += holds
            zero = [PApKRamp] * weak + [PApKAvg] * mean + [PApKTS, PApKTSConvex] * moderate
            zero += [PApKMax, PAUCStruct, PrecAtKMax] * strong
            if k <= len(pos):
                # The n+ - k + 1 lowest positives: see the test of the counterexample.
                k_margin = bool(pos[k - 1 :].mean() >= neg[0] + 1)
                zero += [PrecAtKRamp] * weak + [PrecAtKAvg] * k_margin
            for cls in zero:
                value, coef = cls(k).value_and_coef(s, y)
                assert value == 0
                assert not coef.any()
    assert min(held.values()) > 100


# --- Where the papers err ----------------------------------------------------------------------------


def test_pap_avg_bounds_neither_risk_nor_ramp():
    """Propositions 3 and 5 of Hiranandani et al. (2020) claim both."""
    s, y, k = np.array([100.0, 0, 0, 1, 1]), np.array([1, 1, 1, 0, 0]), 2
    assert oracle.pap_risk(s, y, k) == 1 / 2
    assert value_of(PApKRamp(k), s, y) == 1
    assert value_of(PApKAvg(k), s, y) == 0
    assert value_of(PApKMax(k), s, y) == 2
    assert value_of(PApKTS(k), s, y) == 3 / 2
    assert PApKAvg.bounds is None


def test_the_beta_margin_does_not_make_the_risk_zero():
    """Proposition 3: avg is zero, as claimed, but the risk is not."""
    s, y, k = np.array([10.0, 0, 1, 1]), np.array([1, 1, 0, 0]), 2
    assert s[y == 1].mean() >= s[y == 0].max() + 1
    assert value_of(PApKAvg(k), s, y) == 0
    assert oracle.pap_risk(s, y, k) == 1 / 2


def test_algorithm_2_does_not_compute_equation_14():
    """Eq. (14) counts the positives ranked highest by the ordering, algorithm 2 those by the scores."""
    s, y = np.array([0.0, 0, -0.5]), np.array([1, 1, 0])
    assert oracle.pap_ts_orderings(s, y, 1) == value_of(PApKTSConvex(1), s, y) == 0
    assert value_of(PApKTS(1), s, y) == 1 / 2
    # Hence eq. (14) does not bound ramp, and what algorithm 2 descends is not convex.
    assert value_of(PApKRamp(1), s, y) == 1 / 2
    ends = [value_of(PApKTS(1), p, y) for p in ([1.0, 0, 0], [0, 1.0, 0])]
    assert ends == [0, 0]
    assert value_of(PApKTS(1), [0.5, 0.5, 0], y) == 1 / 2


def test_a_mean_margin_of_every_k_positives_does_not_make_prec_avg_zero():
    """It takes every n+ - k + 1 positives: the mean of two hides the low one that k' = 1 leaves out."""
    s, y, k = np.array([10.0, 0, 1, 1]), np.array([1, 1, 0, 0]), 2
    assert s[y == 1].mean() >= s[y == 0].max() + 1
    assert value_of(PrecAtKAvg(k), s, y) == oracle.prec_avg(s, y, k) == 2
    assert oracle.prec_risk(s, y, k) == 1


def test_struct_does_not_bound_prec_at_k():
    s, y, k = np.array([2.0, 2, 3]), np.array([1, 1, 0]), 1
    assert oracle.prec_risk(s, y, k) == 1
    assert value_of(PrecAtKStruct(k), s, y) == oracle.prec_struct(s, y, k) == 0
    assert PrecAtKStruct.bounds is None


def test_struct_is_ramp_when_k_is_the_number_of_positives():
    for _, s, y in small_cases(100, 19, most_pos=5, most_neg=5):
        k = int(y.sum())
        np.testing.assert_allclose(value_of(PrecAtKStruct(k), s, y), value_of(PrecAtKRamp(k), s, y), **EXACT)


# --- Numbers at the edge -----------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e17])
@pytest.mark.parametrize("cls", TOP + WITHOUT_TOP)
def test_huge_and_tiny_scores(cls, scale):
    rng = np.random.default_rng(20)
    for _ in range(40):
        surrogate, s, y = draw(cls, rng)
        value, coef = surrogate.value_and_coef(s * scale, y)
        values, coefs = surrogate.value_and_coef(np.repeat(s[:, None] * scale, 8, axis=1), y)
        np.testing.assert_allclose(values, value, rtol=1e-12, atol=0)
        np.testing.assert_allclose(coefs[:, 0], coef, rtol=1e-12, atol=1e-15)
        # Only the square of a lead beyond 1e154 is infinite.
        squared = scale == 1e300 and cls in (TopPushLoss, *THRESHOLD)
        assert np.isfinite(coef).all() or squared
        assert np.isfinite(value) or (squared and value == np.inf)


@pytest.mark.parametrize("cls", [PrecAtKRamp, PrecAtKMax, PrecAtKAvg, *PAP.values(), PAUCStruct])
@pytest.mark.parametrize("offset", [1e300, -1e300, 2.0**40])
def test_a_common_offset_changes_nothing(cls, offset):
    """Exactly, as long as the offset leaves the differences of scores exact."""
    rng = np.random.default_rng(21)
    for k in (1, 2, 4, 6):
        s, y = case(rng, 6, 6)
        s = np.round(s) if abs(offset) < 1e300 else np.zeros(12)
        # The mean of positives is rounded at the size of the offset.
        rounding = 1e-3 if cls is PApKAvg and offset == 2.0**40 else 1e-13
        np.testing.assert_allclose(
            value_of(cls(k), s + offset, y), value_of(cls(k), s, y), rtol=1e-13, atol=rounding
        )


@pytest.mark.parametrize("cls", [*TOP, InfinitePushHinge, TopPushLoss])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("m", [2, 9])
def test_scores_that_are_not_finite_never_look_good(cls, bad, m):
    rng = np.random.default_rng(22)
    surrogate, _, y = draw(cls, rng)
    scores = rng.normal(size=(len(y), m))
    value = surrogate.bind(y)(scores)[0]
    for i in range(len(y)):
        broken = scores.copy()
        broken[i, 1] = bad
        got = surrogate.bind(y)(broken)[0]
        assert np.isnan(got[1])
        np.testing.assert_array_equal(np.delete(got, 1), np.delete(value, 1))


@pytest.mark.parametrize("cls", [*TOP, InfinitePushHinge, TopPushLoss])
@pytest.mark.parametrize("m", [1, 9])
def test_all_of_a_class_not_finite(cls, m):
    """Selection among NaN finds nothing; its callers must not follow positions that were never written."""
    y = np.repeat([1, 0], 20)
    for bad in (np.nan, np.inf, -np.inf):
        for broken in (y == 1, y == 0, y >= 0):
            scores = np.where(broken[:, None], bad, np.arange(40.0)[:, None] * np.ones(m))
            value, coef = (cls(5) if cls in TOP else cls()).value_and_coef(scores, y)
            assert np.isnan(value).all()
            assert np.abs(np.nan_to_num(coef)).max() < 1e3  # what it is does not matter, garbage would


def test_pointwise_losses_of_scores_that_are_not_finite():
    """An infinite score is right or wrong, and the value says so; NaN is neither."""
    for loss in (HingeLoss(), LogisticLoss()):
        assert np.isnan(value_of(loss, [np.nan, 1], [1, 0]))
        assert value_of(loss, [-np.inf, 1], [1, 0]) == np.inf
        assert np.isfinite(value_of(loss, [np.inf, 1], [1, 0]))


def test_selection_orders_ties_by_position():
    from attop.surrogates.kernels.k_largest import largest, smallest

    rng = np.random.default_rng(23)
    n = 300
    for k in (0, 1, 5, 32, 33, 60, 150, 300, 400):
        for floor in (-np.inf, 0.0, 9.0):
            x = rng.integers(-9, 10, n).astype(float)
            value, index = np.empty(n), np.empty(n, np.int64)
            want = np.argsort(-x, kind="stable")[:k]
            want = want[x[want] >= floor]
            count = largest(x, k, floor, value, index)
            np.testing.assert_array_equal(index[:count], want)
            np.testing.assert_array_equal(value[:count], x[want])
        count = smallest(x, k, value, index)
        np.testing.assert_array_equal(index[:count], np.argsort(x, kind="stable")[:k])
        np.testing.assert_array_equal(value[:count], np.sort(x)[:k])


def test_importing_the_layer_does_not_import_numba():
    code = (
        "import sys, attop.surrogates as s\n"
        "for name in s.__all__: getattr(s, name)\n"
        "s.PApKAvg(2)\n"
        "assert 'numba' not in sys.modules\n"
        "s.PApKAvg(2).bind([1, 0, 0])\n"
        "assert 'numba' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_declarations():
    assert {c.__name__ for c in TOP + WITHOUT_TOP if c.smooth} == {
        "LogisticLoss",
        "PatMat",
        "PatMatNP",
        "SoftPrecAtK",
    }
    assert repr(PApKAvg(3)) == "PApKAvg(top=Top(k=3))"
    with pytest.raises(AttributeError, match="no attribute 'PApKMedian'"):
        _ = surrogates.PApKMedian
