"""Which surrogate bounds which, margins, and where the papers err."""

import numpy as np

import oracles.surrogates as oracle
from attop.surrogates import PAUCStruct, PrecAtKMax
from oracles.surrogates import split
from support.surrogate_cases import EXACT, PAP, PREC, small_cases, value_of


def test_prec_at_k_hierarchy():
    for _, s, y in small_cases(150, 15, most_pos=6, most_neg=6):
        for k in range(1, int(y.sum()) + 1):
            ramp, avg, high = (value_of(PREC[name](k), s, y) for name in ("ramp", "avg", "max"))
            assert oracle.prec_risk(s, y, k) <= ramp + 1e-12
            assert ramp <= avg + 1e-12
            assert avg <= high + 1e-12


def test_pap_at_k_hierarchy():
    for _, s, y in small_cases(150, 16, most_pos=6, most_neg=6, fewest_neg=1):
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
