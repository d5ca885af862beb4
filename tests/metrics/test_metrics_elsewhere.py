"""Metrics as the papers and scikit-learn have them."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score, roc_curve

from attop.metrics import (
    auc,
    average_precision,
    ndcg,
    pap_at_k,
    pap_at_k_risk,
    partial_auc,
    precision_at_k,
    roc_points,
)

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
