"""Labels, scores and groups that are wrong or in another form: metrics, surrogates and scorers."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from attop import surrogates
from attop.learners import PositiveClassWarning
from attop.metrics import METRICS, UndefinedMetricError, get_metric, make_top_scorer, pap_at_k
from support.small_sample import INF, NAN, TOPS, X, Y, with_entry
from support.surrogate_cases import PAP, PREC

LABELS = np.array([1, 0, 1, 0, 0, 1, 0, 0])
SCORES = np.arange(8.0)[::-1]
LISTS = {
    "NaN scores": ({"scores": with_entry(SCORES, NAN)}, "1 of the 8 scores are NaN or infinite.*position 3"),
    "infinite scores": ({"scores": with_entry(SCORES, INF)}, "1 of the 8 scores are NaN or infinite"),
    "scores 2-D": ({"scores": np.column_stack([SCORES] * 2)}, r"must have shape \(8,\) like y, got \(8, 2\)"),
    "scores too short": ({"scores": SCORES[1:]}, r"scores must have shape \(8,\).*got \(7,\)"),
    "scores a number": ({"scores": 1.0}, r"scores must have shape \(8,\).*got \(\)"),
    "scores text": ({"scores": list("abcdefgh")}, "scores must be real numbers, got <U1"),
    "scores numbers as text": ({"scores": SCORES.astype(str)}, "scores must be real numbers, got <U"),
    "scores one as text": ({"scores": with_entry(SCORES.astype(object), "1.5")}, "real numbers, got object"),
    "scores beyond floats": (
        {"scores": 2**53 + np.arange(8)},
        r"got 9007199254740992 to 9007199254740999: as floats different ones would be tied",
    ),
    "scores objects beyond floats": (
        {"scores": with_entry(SCORES.astype(object), 10**17)},
        "as floats different ones would be tied",
    ),
    "scores finer than floats": ({"scores": [1 + Fraction(i, 10**20) for i in range(8)]}, "got object finer"),
    "scores long": (
        {"scores": 1 + np.arange(8) * np.longdouble(2) ** -60},
        "got float128 finer than float64",
    ),
    "scores beyond all floats": ({"scores": [10**400, *range(7)]}, "must be real numbers, got object"),
    "scores below floats": ({"scores": -(2**62) - np.arange(8)}, "as floats different ones would be tied"),
    "scores complex": ({"scores": SCORES * 1j}, "scores must be real numbers, got complex128"),
    "scores dates": ({"scores": pd.date_range("2020", periods=8)}, "must be real numbers, got datetime"),
    "scores objects": ({"scores": np.full(8, object())}, "scores must be real numbers, got object"),
    "scores sparse": ({"scores": sparse.csr_matrix(SCORES)}, "scores must be real numbers"),
    "nothing": ({"y": [], "scores": []}, "y is empty"),
    "labels of three kinds": ({"y": np.arange(8) % 3}, r"got values \[0, 1, 2\]"),
    "labels -1, 0, 1": ({"y": [-1, 0, 1, 0, 0, 1, 0, 0]}, r"got values \[-1, 0, 1\]"),
    "labels all 2": ({"y": np.full(8, 2)}, r"got values \[2\]: .*, for example y == 2"),
    "labels many": ({"y": np.arange(8)}, r"got values \[0, 1, 2, 3, 4\] \.\.\."),
    "labels probabilities": ({"y": LABELS * 0.5}, r"got values \[0.0, 0.5\]"),
    "labels NaN": ({"y": with_entry(LABELS, NAN)}, "labels must be.*missing values"),
    "labels None": ({"y": with_entry(LABELS, None)}, "labels must be.*missing values"),
    "labels text": ({"y": list("abababab")}, "labels must be.*such as 'a': name"),
    "labels 2-D": ({"y": LABELS[:, None]}, r"one-dimensional, got shape \(8, 1\): pass y.ravel\(\)"),
    "labels is None": ({"y": None}, "one-dimensional"),
    "groups too short": ({"groups": [1, 2]}, r"each of the 8 items, got shape \(2,\)"),
    "groups NaN": ({"groups": with_entry(LABELS, NAN)}, "groups has missing values"),
    "groups NA": ({"groups": pd.Series(["a", None] * 4, dtype="string")}, "groups has missing values"),
    "groups mixed in a list": ({"groups": ["1", 1] * 4}, "groups mixes types"),
    "labels complex": ({"y": LABELS * (1 + 0j)}, "labels must be .*got complex128"),
    "labels dates": ({"y": LABELS.astype("M8[s]")}, "labels must be .*got datetime64"),
    "labels masked": ({"y": np.ma.masked_less(LABELS, 1)}, "y has masked values"),
    "scores masked": ({"scores": np.ma.masked_less(SCORES, 1)}, "scores has masked values"),
    "groups mixed": ({"groups": np.array(["a", 1] * 4, dtype=object)}, "groups mixes types"),
}
IN_ANOTHER_FORM = {
    "booleans": {"y": LABELS == 1},
    "-1 and 1": {"y": 2 * LABELS - 1},
    "series": {"y": pd.Series(LABELS, index=range(9, 17)), "scores": pd.Series(SCORES)},
    "float16": {"scores": SCORES.astype(np.float16)},
    "integers": {"scores": SCORES.astype(np.int8)},
    "objects": {"scores": SCORES.astype(object), "y": LABELS.astype(object)},
    "strided": {"scores": np.repeat(SCORES, 2)[::2], "y": np.repeat(LABELS, 2)[::2]},
    "one group": {"groups": ["a"] * 8},
    "top as numpy": {"top": np.int64(2)},
    "top as a float": {"top": 2.0},
    "top as a fraction": {"top": {"tau": 0.25}},
}
WITH_TOP = [*PREC.values(), *PAP.values(), surrogates.PAUCStruct]


def of_metric(metric):
    return lambda y=LABELS, scores=SCORES, top=2, groups=None: metric.evaluate(y, scores, top, groups)


def of_surrogate(cls):
    return lambda y=LABELS, scores=SCORES, top=2, groups=None: cls(top).value_and_coef(scores, y, groups)[0]


FUNCTIONS = {
    **{name: of_metric(metric) for name, metric in METRICS.items()},
    **{cls.__name__: of_surrogate(cls) for cls in WITH_TOP},
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_metrics_and_surrogates(name):
    function = FUNCTIONS[name]
    is_surrogate = hasattr(surrogates, name)
    for case, (change, message) in LISTS.items():
        if is_surrogate and case in ("NaN scores", "infinite scores"):
            assert np.isnan(function(**change)), case  # a solver that overflowed must be told, not stopped
        elif is_surrogate and case == "scores 2-D":
            np.testing.assert_array_equal(function(**change), function())  # two models
        else:
            words = message.replace(r" like y, got \(8, 2\)", "") if is_surrogate else message
            with pytest.raises(ValueError, match=words.replace(r"\(8,\).*got", r"\(8,\).*, got")) as caught:
                function(**change)
            assert not isinstance(caught.value, UndefinedMetricError)
    if name not in METRICS or METRICS[name].needs_top:
        for top, message in TOPS:
            with pytest.raises((ValueError, TypeError), match=message):
                function(top=top)
    for case, change in IN_ANOTHER_FORM.items():
        np.testing.assert_array_equal(function(**change), function(), err_msg=case)


@pytest.mark.parametrize("name", METRICS)
def test_undefined_metrics_say_why(name):
    metric = METRICS[name]
    needs = {need.value for need in metric.needs}
    for y, top, reasons in [
        (np.zeros(8), 2, {"no positive"}),
        (np.ones(8), 2, {"no negative", "fewer than k negatives"}),
        (LABELS, 9, {"k > n", "fewer than k negatives"}),
        (LABELS, 6, {"fewer than k negatives"}),
        ([1], 1, {"no negative", "fewer than k negatives"}),
        ([0], 1, {"no positive"}),
    ]:
        scores = SCORES[: len(y)]
        lacking = reasons & needs
        value = metric.evaluate(y, scores, top)
        assert np.isnan(value.value) == bool(lacking)
        if lacking:
            assert value.reason in lacking
            with pytest.raises(UndefinedMetricError, match=f"{name} is undefined: ") as caught:
                metric.value(y, scores, top)
            assert caught.value.reason == value.reason
    if metric.needs_top:
        with pytest.raises(TypeError, match=f"{name} is a metric of the top: give top"):
            metric.evaluate(LABELS, SCORES)


def test_names_and_options_of_metrics():
    with pytest.raises(ValueError, match="unknown metric None: choose one of: precision@k"):
        get_metric(None)
    with pytest.raises(ValueError, match="ties must be"):
        pap_at_k(LABELS, SCORES, 2, ties="mean")


def test_scorers():
    with pytest.raises(TypeError, match="precision@k is a metric of the top: give top"):
        make_top_scorer("precision@k")
    scorer = make_top_scorer("auc")
    model = LogisticRegression().fit(X, np.where(Y, 2, 1))
    assert scorer(model, X, np.where(Y, 2, 1)) == METRICS["auc"].value(Y, model.decision_function(X))
    words = np.where(Y, "ill", "well")  # the alphabet would take "well"
    of_words = LogisticRegression().fit(X, words)
    with pytest.warns(PositiveClassWarning, match="'well', is taken for the positive class"):
        assert scorer(of_words, X, words) == METRICS["auc"].value(1 - Y, of_words.decision_function(X))
    ill = make_top_scorer("auc", pos_label="ill")
    assert ill(of_words, X, words) == METRICS["auc"].value(Y, -of_words.decision_function(X))
    with pytest.raises(ValueError, match=r"pos_label must be one of the labels \[1, 2\], got 'ill'"):
        ill(model, X, np.where(Y, 2, 1))
    with pytest.raises(ValueError, match=r"y holds \[0\], but the classifier knows only \[1, 2\]"):
        scorer(model, X, Y)
    with pytest.raises(ValueError, match="fitted on two classes, got LogisticRegression with no classes_"):
        scorer(clone(model), X, Y)
    with pytest.raises(ValueError, match=r"with classes_ \[0, 1, 2\]"):
        scorer(LogisticRegression().fit(X, np.arange(48) % 3), X, Y)
    with pytest.raises(TypeError, match="decision_function or predict_proba"):
        scorer(SimpleNamespace(classes_=np.array([0, 1])), X, Y)
    with pytest.raises(UndefinedMetricError, match="auc is undefined: no positive"):
        scorer(model, X[Y == 0], np.full((Y == 0).sum(), 1))
