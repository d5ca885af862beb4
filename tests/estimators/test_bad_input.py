"""Input that is wrong, odd or extreme: a clear error that says what, or the right result."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from attop import surrogates
from attop.diagnostics.margins import pap_margins, prec_margins
from attop.metrics import METRICS, UndefinedMetricError, get_metric, make_top_scorer, pap_at_k, roc_points
from support.every_estimator import NAMES, make

RNG = np.random.default_rng(0)
# Eighths: exact in float16, and sums of few of them are exact in any order.
X = np.round(RNG.normal(size=(48, 3)) * 8) / 8
Y = (X[:, 0] + RNG.normal(size=48) > 0.8).astype(int)
GROUPS = np.arange(48) % 4
NAN, INF = float("nan"), float("inf")
GROUPED = {
    "BundleRanker",
    "CoordinateAscent",
    "GDPApK",
    "GDRanker",
    "GreedyPApK",
    "InfinitePush",
    "OnePMB",
    "PatMat",
    "PerceptronAtK",
    "ROCSVM",
    "SGDAtK",
    "SVMPAUC",
    "SVMPerf",
    "SelectPApK",
    "SoftTop",
    "TopPush",
}


def with_entry(array, value):
    changed = np.array(array, dtype=float if isinstance(value, float) else object)
    changed[(3,) * changed.ndim if changed.ndim == 1 else (3, 1)] = value
    return changed


# --- Estimators: malformed samples -------------------------------------------------------------------

REFUSED = {
    "NaN in X": ((with_entry(X, NAN), Y), "Input X contains NaN"),
    "infinity in X": ((with_entry(X, -INF), Y), "infinity"),
    "None in X": ((with_entry(X, None), Y), "NaN"),
    "too large for a float": ((with_entry(X, 10**400), Y), "too large|infinity"),
    "X of strings": ((np.full((48, 3), "a"), Y), "could not convert string to float"),
    "X of objects": ((np.full((48, 3), object()), Y), "must be a string or a real number"),
    "X complex": ((X * 1j, Y), "Complex data not supported"),
    "X is None": ((None, Y), "2D array"),
    "X is text": (("table.csv", Y), "could not convert string to float"),
    "X is a dict": (({"a": 1}, Y), "not 'dict'"),
    "X a number": ((3.0, Y), "Expected 2D array"),
    "X 1-D": ((X[:, 0], Y), "Expected 2D array, got 1D"),
    "X 3-D": ((X[None], Y), "dim 3"),
    "X empty": ((X[:0], Y[:0]), "0 sample"),
    "X without features": ((X[:, :0], Y), r"0 feature\(s\)"),
    "X ragged": (([[1.0, 2.0], [1.0]], [1, 0]), "inhomogeneous"),
    "names of columns twice": (
        (pd.DataFrame(X, columns=["a", "a", "b"]), Y),
        "unique column names|duplicate",
    ),
    "names of columns mixed": ((pd.DataFrame(X, columns=["a", 1, 2]), Y), "string names"),
    "a column of text": ((pd.DataFrame({"a": X[:, 0], "b": "x"}), Y), "could not convert string to float"),
    "a single item": ((X[:1], Y[:1]), "one class"),
    "one class": ((X, np.ones(48)), r"one class only \(1.0\)"),
    "one class of text": ((X, ["spam"] * 48), r"one class only \('spam'\)"),
    "three classes": ((X, np.arange(48) % 3), r"got 3 classes; .*y == 2$"),
    "continuous y": ((X, X[:, 0]), "continuous"),
    "NaN in y": ((X, with_entry(Y, NAN)), "y contains NaN"),
    "None in y": ((X, with_entry(Y, None)), "Unknown label type"),
    "y mixed": ((X, np.array([1, "a"] * 24, dtype=object)), "Unknown label type"),
    "y is None": ((X, None), "requires y to be passed"),
    "y too short": ((X, Y[1:]), r"inconsistent numbers of samples: \[48, 47\]"),
    "y 2-D": ((X, np.column_stack([Y, Y])), "1d array"),
    "groups too short": ((X, Y, GROUPS[1:]), r"each of the 48 items, got shape \(47,\)"),
    "groups 2-D": ((X, Y, np.column_stack([GROUPS, GROUPS])), r"got shape \(48, 2\)"),
    "groups a number": ((X, Y, 4), r"got shape \(\)"),
    "NaN in groups": ((X, Y, with_entry(GROUPS, NAN)), "groups has missing values"),
    "None in groups": ((X, Y, with_entry(GROUPS, None)), "groups has missing values"),
    "NA in groups": ((X, Y, pd.Series(["a", None] * 24, dtype="string")), "groups has missing values"),
    "NA in groups of integers": ((X, Y, pd.array([1, None] * 24, dtype="Int64")), "missing values"),
    "NaT in groups": ((X, Y, pd.to_datetime(pd.Series([None, "2020"] * 24))), "missing values"),
    "groups of mixed types": ((X, Y, np.array(["a", 1] * 24, dtype=object)), "mixes types"),
}

# --- Estimators: samples in another form -------------------------------------------------------------

FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
SPACED = np.zeros((96, 6))
SPACED[::2, ::2] = X
FROZEN, FROZEN_Y = X.copy(), Y.copy()
FROZEN.flags.writeable = FROZEN_Y.flags.writeable = False
SAME = {
    "lists": (X.tolist(), Y.tolist()),
    "float16": (X.astype(np.float16), Y),
    "float32": (X.astype(np.float32), Y),
    "long double": (X.astype(np.longdouble), Y),
    "big-endian": (X.astype(">f8"), Y),
    "objects that are numbers": (X.astype(object), Y),
    "Fortran order": (np.asfortranarray(X), Y),
    "not contiguous": (SPACED[::2, ::2], Y),
    "read-only": (FROZEN, FROZEN_Y),
    "masked array without a mask": (np.ma.masked_array(X), Y),
    "frame": (FRAME, pd.Series(Y, index=range(100, 148))),
    "frame with integer names": (FRAME.set_axis([0, 1, 2], axis=1), Y),
    "frame of nullable floats": (FRAME.astype("Float64"), pd.Series(Y, dtype="Int64")),
    "y boolean": (X, Y == 1),
    "y nullable boolean": (X, pd.Series(Y == 1, dtype="boolean")),
    "y -1 and 1": (X, 2 * Y - 1),
    "y float": (X, Y.astype(float)),
    "y int8": (X, Y.astype(np.int8)),
    "y 3 and 7": (X, np.where(Y, 7, 3)),
    "y text": (X, np.where(Y, "yes", "no")),
    "y categorical": (X, pd.Categorical(np.where(Y, "yes", "no"))),
    "groups text": (X, Y, np.array(["u", "v", "w", "x"])[GROUPS]),
    "groups categorical": (X, Y, pd.Categorical(np.array(["u", "v", "w", "x"])[GROUPS])),
    "groups negative": (X, Y, GROUPS.astype(np.int8) - 100),
    "groups float": (X, Y, GROUPS / 4),
    "groups in frames": (FRAME, Y, pd.Series(GROUPS, index=range(100, 148))),
    "one group": (X, Y, np.zeros(48, bool)),
    "one group of text": (X, Y, ["all"] * 48),
}
SPARSE = {
    "csr": sparse.csr_matrix(X),
    "csc": sparse.csc_array(X),
    "coo with duplicates": sparse.coo_array(
        (np.tile((X / 2).ravel(), 2), tuple(np.tile(np.indices(X.shape).reshape(2, -1), 2))), X.shape
    ),
    "lil": sparse.lil_matrix(X),
}
SPARSE["csr with long indices"] = SPARSE["csr"].copy()
SPARSE["csr with long indices"].indices = SPARSE["csr"].indices.astype(np.int64)
SPARSE["csr with long indices"].indptr = SPARSE["csr"].indptr.astype(np.int64)

# --- Estimators: extreme samples ---------------------------------------------------------------------

EXTREME = {
    "constant feature": (np.column_stack([X, np.full(48, 7.0)]), Y),
    "constant features": (np.ones((48, 2)), Y),
    "zeros": (np.zeros((48, 2)), Y),
    "columns twice": (np.column_stack([X, X]), Y),
    "one feature": (X[:, :1], Y),
    "more features than items": (RNG.normal(size=(6, 50)), np.array([1, 0, 1, 0, 0, 0])),
    "bool": (X > 0, Y),
    "int8": ((X * 8).clip(-127, 127).astype(np.int8), Y),
    "uint64": ((X * 8 + 100).astype(np.uint64), Y),
    "tiny": (X * 1e-150, Y),
    "next to nothing": (X * 1e-300, Y),
    "large": (X * 32, Y),
    "perfect": (Y[:, None] * 1.0, Y),
    "reversed": (1.0 - Y[:, None], Y),
    "a positive and a negative": (np.array([[1.0, 2.0], [0.0, 0.0]]), np.array([1, 0])),
    "the same item twice": (np.ones((2, 3)), np.array([1, 0])),
    "one positive": (X, (np.arange(48) == 3).astype(int)),
    "groups without a positive": (X, Y, np.where((np.arange(48) < 24) & (Y == 0), 9, GROUPS)),
    "many groups of one": (X, Y, np.r_[np.zeros(24, int), np.arange(1, 25)]),
}


def estimator_cases():
    """Every case of every estimator, as (id, estimator, sample, words of the error or None)."""
    for name in NAMES:
        for case, (sample, message) in REFUSED.items():
            yield f"{name}-{case}", name, sample, message
        for case, sample in SAME.items():
            yield f"{name}-{case}", name, sample, None
        for case, matrix in SPARSE.items():
            takes_sparse = make(name).__sklearn_tags__().input_tags.sparse
            refused = None if takes_sparse else "takes no sparse input"
            yield f"{name}-sparse {case}", name, (matrix, Y), refused
        for case, sample in EXTREME.items():
            few = name == "GreedyPApK" and min(np.bincount(sample[1])) < 2
            yield f"{name}-{case}", name, sample, "two of each are needed" if few else None


ESTIMATOR_CASES = list(estimator_cases())
EXTREME_IDS = {id(sample) for sample in EXTREME.values()}


def fitted(name, sample):
    with warnings.catch_warnings():
        # Convergence is not the question here; neither is a model of noise that comes out zero.
        warnings.simplefilter("ignore")
        return make(name).fit(*sample)


@pytest.fixture(scope="module")
def references():
    known = {}

    def reference(name, grouped):
        if (name, grouped) not in known:
            known[name, grouped] = fitted(name, (X, Y, GROUPS) if grouped else (X, Y))
        return known[name, grouped]

    return reference


@pytest.mark.parametrize(
    ("name", "sample", "message"), [c[1:] for c in ESTIMATOR_CASES], ids=[c[0] for c in ESTIMATOR_CASES]
)
def test_estimators(name, sample, message, references):
    if message is not None:
        with pytest.raises((ValueError, TypeError, OverflowError), match=message):
            fitted(name, sample)
        return
    model = fitted(name, sample)
    scores = model.decision_function(sample[0])
    assert scores.dtype == np.float64
    assert np.isfinite(scores).all()
    predicted = model.predict(sample[0])
    assert set(predicted.tolist()) <= set(model.classes_.tolist())
    if id(sample) in EXTREME_IDS:
        same_items = np.unique(np.asarray(sample[0]), axis=0, return_inverse=True)[1]
        for item in set(same_items.tolist()):
            np.testing.assert_allclose(scores[same_items == item], scores[same_items == item][0])
        return
    # One group is as none.
    grouped = len(sample) == 3 and len(set(sample[2])) > 1
    alike = references(name, grouped)
    # Sums in another order choose another path to the optimum, which a certified gap g of a problem with
    # lam = 1 leaves within sqrt(2 g) on either side; g is at most 1e-6 here.
    slack = 1e-2 if hasattr(model, "gap_") else 1e-8
    np.testing.assert_allclose(scores, alike.decision_function(X), rtol=1e-6, atol=slack)
    clear = np.abs(scores) > slack  # the cut may lie at a tie
    np.testing.assert_array_equal((predicted == model.classes_[1])[clear], (alike.predict(X) == 1)[clear])


@pytest.mark.parametrize("name", NAMES)
def test_groups_matter_where_they_are_used(name, references):
    with_groups, without = (references(name, grouped).decision_function(X) for grouped in (True, False))
    alike = np.allclose(with_groups, without)
    assert alike == (name not in GROUPED)


@pytest.mark.parametrize("name", NAMES)
def test_no_group_is_eligible(name):
    if name in GROUPED - {"CoordinateAscent", "PatMat", "SVMPerf", "SoftTop"}:
        with pytest.raises(ValueError, match=r"no group has .*the 2 groups have up to \d+ positives"):
            fitted(name, (X, Y, Y))
    else:
        fitted(name, (X, Y, Y))  # groups are not used, or a group of one class has a value


@pytest.mark.parametrize("name", NAMES)
def test_use_of_a_model(name, references):
    with pytest.raises(NotFittedError):
        make(name).decision_function(X)
    with pytest.raises(NotFittedError):
        make(name).predict(X)
    model = references(name, False)
    for wrong, message in [
        (X[:, :2], "has 2 features, but .* is expecting 3"),
        (np.column_stack([X, X]), "has 6 features, but .* is expecting 3"),
        (X[0], "Expected 2D array"),
        (with_entry(X, NAN), "contains NaN"),
        (X[:0], "0 sample"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.decision_function(wrong)
    named = fitted(name, (FRAME, Y))
    with pytest.raises(ValueError, match="feature names should match"):
        named.predict(FRAME.rename(columns={"a": "z"}))
    assert model.predict(X[:1]).shape == (1,)


@pytest.mark.parametrize("name", NAMES)
def test_features_too_large_for_finite_products(name):
    """What comes out is finite, and if it ranks nothing, that is said; or an error says what to do."""
    huge = X * 1e300
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = make(name)
        if name in ("KernelAATP", "PerceptronAtK"):
            # The kernel values are no fault of the training; a perceptron's weights are.
            error = ValueError if name == "KernelAATP" else FloatingPointError
            with pytest.raises(error, match="scale the features"):
                model.fit(huge, Y)
            return
        model.fit(huge, Y)
        scores = model.decision_function(huge)
    assert np.isfinite(scores).all()
    assert np.ptp(scores) > 0 or not getattr(model, "converged_", False) or caught


# --- Estimators: parameters --------------------------------------------------------------------------

TOPS = [
    (0, "k must be an integer of at least 1, got 0"),
    (-3, "k must be an integer of at least 1, got -3"),
    (3.5, "must be an integer, got 3.5: .*write {'tau': 0.05}"),
    (0.2, "must be an integer, got 0.2: .*write {'tau': 0.2}"),
    (True, "cannot read a top from True"),
    (np.True_, "cannot read a top from np.True_"),
    ("ten", "cannot read a top from 'ten'"),
    (NAN, "must be an integer, got nan"),
    (INF, "must be an integer, got inf"),
    (10**400, "cannot read a top from 1000"),
    ([3], r"cannot read a top from \[3\]"),
    ({}, "exactly one of k, tau and kappa, got none"),
    ({"rho": 1}, r"unknown key \['rho'\].*use one of k, tau, kappa"),
    ({"k": 3, "tau": 0.1}, "exactly one of k, tau and kappa"),
    ({"k": "3"}, "k must be a finite number, got '3'"),
    ({"tau": 0}, "tau must lie strictly between 0 and 1, got 0"),
    ({"tau": 1}, "tau must lie strictly between 0 and 1, got 1"),
    ({"tau": 5}, "got 5: it is a fraction of the items, for 5% write 0.05"),
    ({"tau": -0.1}, "tau must lie strictly between 0 and 1"),
    ({"kappa": 0}, "kappa must be positive, got 0"),
    ({"kappa": NAN}, "kappa must be a finite number, got nan"),
]
NOT_NUMBERS = ["1", None, True, NAN, [1.0], 1j]
CHOICES = [
    "init",
    "kernel",
    "loss",
    "price",
    "search",
    "solver",
    "surrogate",
    "variant",
    "weak_rankers",
    "weights",
]
PARAMETERS = {
    "top": TOPS,
    "C": [(v, "C must be a positive number, got") for v in [0, -1, INF, *NOT_NUMBERS]],
    "eta": [(v, "eta must be a positive number, got") for v in [0, -1, INF, *NOT_NUMBERS]],
    "lam": [(-1, "lam must be (at least 0|positive|a positive number), got -1")]
    + [(v, "lam must be a finite number, got") for v in [INF, *NOT_NUMBERS]],
    "radius": [(v, "radius must be a positive number, got") for v in [0, -1, *NOT_NUMBERS]],
    "tol": [(-1, "tol .*at least 0.*got|tol must be a positive number, got -1")]
    + [(v, "tol must be a finite number, got") for v in [INF, *NOT_NUMBERS]],
    "time_limit": [(v, "time_limit must be a positive number or None, got") for v in [0, -1, "1", NAN, True]],
    "max_iter": [(v, "max_iter must be an integer of at least 1, got") for v in [0, -1, 2.5, *NOT_NUMBERS]],
    "epochs": [(v, "epochs must be an integer of at least 1, got") for v in [0, 2.5, *NOT_NUMBERS]],
    "batch_size": [(v, "batch_size must be an integer of at least 2, got") for v in [1, 2.5, *NOT_NUMBERS]],
    "gamma": [(v, "gamma must be .*a positive number, got") for v in [0, -1, INF, "1", None]],
    "degree": [(v, "degree must be an integer of at least 1, got") for v in [0, 2.5, *NOT_NUMBERS]],
    "coef0": [(-1, "coef0 must be at least 0")]
    + [(v, "coef0 must be a finite number, got") for v in [INF, *NOT_NUMBERS]],
    "n_alphas": [(v, "n_alphas must be an integer of at least 2, got") for v in [1, 2.5, "a"]],
    "n_classifiers": [(v, "n_classifiers must be an integer of at least 1, got") for v in [0, 2.5, "a"]],
    "n_thresholds": [(v, "n_thresholds must be an integer of at least 1 or None") for v in [0, 2.5, "a"]],
    "p": [(v, "p must be .*at least 1, got") for v in [0, 0.5, INF, NAN, "4", None, True]],
    "random_state": [("x", "'x' cannot be used to seed"), (-1, "Seed must be between")],
    **{
        choice: [(v, f"{choice} must be .*got {v!r}|unknown {choice} {v!r}: ") for v in ("nope", None, 3)]
        + [(["avg"], f"{choice} must be one value, got")]
        for choice in CHOICES
    },
}


@pytest.mark.parametrize("name", NAMES)
def test_parameters(name):
    known = set(make(name).get_params())
    for parameter in known & set(PARAMETERS):
        for value, message in PARAMETERS[parameter]:
            with pytest.raises((ValueError, TypeError), match=message):
                make(name, **{parameter: value}).fit(X, Y)
            with pytest.raises((ValueError, TypeError), match=message):
                make(name).fit_many(X, Y, settings=[{}, {parameter: value}])
    if "top" in known:
        expected = make(name, top=3).fit(X, Y).decision_function(X)
        for three in (3.0, np.int64(3), np.float32(3), np.array(3), {"k": 3}):
            np.testing.assert_array_equal(make(name, top=three).fit(X, Y).decision_function(X), expected)
    with pytest.raises(ValueError, match="Invalid parameter"):
        make(name).set_params(no_such_parameter=1)


@pytest.mark.parametrize("name", NAMES)
def test_k_beyond_the_sample(name):
    if "top" not in make(name).get_params():
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for top, groups in ((49, None), (1000, None), (49, np.arange(len(Y)) % 2)):
            with pytest.raises(ValueError, match=rf"k={top}\W.*lower"):
                make(name, top=top).fit(X, Y, groups)


# --- Metrics and surrogates --------------------------------------------------------------------------

LABELS = np.array([1, 0, 1, 0, 0, 1, 0, 0])
SCORES = np.arange(8.0)[::-1]
LISTS = {
    "NaN scores": ({"scores": with_entry(SCORES, NAN)}, "1 of the 8 scores are NaN or infinite.*position 3"),
    "infinite scores": ({"scores": with_entry(SCORES, INF)}, "1 of the 8 scores are NaN or infinite"),
    "scores 2-D": (
        {"scores": np.column_stack([SCORES, SCORES])},
        r"must have shape \(8,\) like y, got \(8, 2\)",
    ),
    "scores too short": ({"scores": SCORES[1:]}, r"scores must have shape \(8,\).*got \(7,\)"),
    "scores a number": ({"scores": 1.0}, r"scores must have shape \(8,\).*got \(\)"),
    "scores text": ({"scores": list("abcdefgh")}, "scores must be real numbers, got <U1"),
    "scores numbers as text": ({"scores": SCORES.astype(str)}, "scores must be real numbers, got <U"),
    "scores one as text": (
        {"scores": with_entry(SCORES.astype(object), "1.5")},
        "scores must be real numbers, got object",
    ),
    "scores beyond floats": (
        {"scores": 2**53 + np.arange(8)},
        r"got 9007199254740992 to 9007199254740999: as floats different ones would be tied",
    ),
    "scores objects beyond floats": (
        {"scores": with_entry(SCORES.astype(object), 10**17)},
        "as floats different ones would be tied",
    ),
    "scores beyond all floats": ({"scores": [10**400, *range(7)]}, "must be real numbers, got object"),
    "scores below floats": ({"scores": -(2**62) - np.arange(8)}, "as floats different ones would be tied"),
    "scores complex": ({"scores": SCORES * 1j}, "scores must be real numbers, got complex128"),
    "scores dates": (
        {"scores": pd.date_range("2020", periods=8)},
        "scores must be real numbers, got datetime",
    ),
    "scores objects": ({"scores": np.full(8, object())}, "scores must be real numbers, got object"),
    "scores sparse": ({"scores": sparse.csr_matrix(SCORES)}, "scores must be real numbers"),
    "nothing": ({"y": [], "scores": []}, "y is empty"),
    "labels of three kinds": ({"y": np.arange(8) % 3}, r"got values \[0, 1, 2\]"),
    "labels -1, 0, 1": ({"y": [-1, 0, 1, 0, 0, 1, 0, 0]}, r"got values \[-1, 0, 1\]"),
    "labels all 2": ({"y": np.full(8, 2)}, r"got values \[2\]"),
    "labels probabilities": ({"y": LABELS * 0.5}, r"got values \[0.0, 0.5\]"),
    "labels NaN": ({"y": with_entry(LABELS, NAN)}, "labels must be.*missing values"),
    "labels None": ({"y": with_entry(LABELS, None)}, "labels must be.*missing values"),
    "labels text": ({"y": list("abababab")}, "labels must be.*such as 'a': encode"),
    "labels 2-D": ({"y": LABELS[:, None]}, r"one-dimensional, got shape \(8, 1\)"),
    "labels is None": ({"y": None}, "one-dimensional"),
    "groups too short": ({"groups": [1, 2]}, r"each of the 8 items, got shape \(2,\)"),
    "groups NaN": ({"groups": with_entry(LABELS, NAN)}, "groups has missing values"),
    "groups NA": ({"groups": pd.Series(["a", None] * 4, dtype="string")}, "groups has missing values"),
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
WITH_TOP = [
    surrogates.PrecAtKStruct,
    surrogates.PrecAtKRamp,
    surrogates.PrecAtKMax,
    surrogates.PrecAtKAvg,
    surrogates.PApKRamp,
    surrogates.PApKAvg,
    surrogates.PApKMax,
    surrogates.PApKTS,
    surrogates.PApKTSConvex,
    surrogates.PAUCStruct,
]


def of_metric(metric):
    return lambda y=LABELS, scores=SCORES, top=2, groups=None: metric.evaluate(y, scores, top, groups)


def of_surrogate(cls):
    return lambda y=LABELS, scores=SCORES, top=2, groups=None: cls(top).value_and_coef(scores, y, groups)[0]


def of_margins(margins):
    return lambda y=LABELS, scores=SCORES, top=2, groups=None: margins(scores, y, top, groups)


FUNCTIONS = {
    **{name: of_metric(metric) for name, metric in METRICS.items()},
    **{cls.__name__: of_surrogate(cls) for cls in WITH_TOP},
    "prec_margins": of_margins(prec_margins),
    "pap_margins": of_margins(pap_margins),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_metrics_surrogates_and_margins(name):
    function = FUNCTIONS[name]
    is_surrogate = hasattr(surrogates, name)
    for case, (change, message) in LISTS.items():
        if is_surrogate and case in ("NaN scores", "infinite scores"):
            assert np.isnan(function(**change)), case  # a solver that overflowed must be told, not stopped
        elif is_surrogate and case == "scores 2-D":
            np.testing.assert_array_equal(function(**change), function())  # two models
        else:
            words = message.replace(r" like y, got \(8, 2\)", "") if is_surrogate else message
            with pytest.raises(ValueError, match=words.replace(r"\(8,\).*got", r"\(8,\).*, got")):
                function(**change)
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


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
@pytest.mark.parametrize("name", METRICS)
def test_metrics_only_look_at_the_order(name, scale):
    assert METRICS[name].evaluate(LABELS, SCORES * scale, 2) == METRICS[name].evaluate(LABELS, SCORES, 2)


def test_names_and_options_of_metrics():
    with pytest.raises(ValueError, match=r"unknown metric 'precision@10': did you mean 'precision@k'"):
        get_metric("precision@10")
    with pytest.raises(ValueError, match="unknown metric None: choose one of: precision@k"):
        get_metric(None)
    with pytest.raises(ValueError, match="ties"):
        pap_at_k(LABELS, SCORES, 2, ties="mean")
    with pytest.raises(UndefinedMetricError, match="no positive to divide by"):
        roc_points([0, 0], [1.0, 2.0]).rates()


# --- Scorers -----------------------------------------------------------------------------------------


def test_scorers():
    with pytest.raises(TypeError, match="precision@k is a metric of the top: give top"):
        make_top_scorer("precision@k")
    with pytest.raises(ValueError, match=r"unknown metric 'auk': did you mean .*'auc'"):
        make_top_scorer("auk")
    with pytest.raises(ValueError, match="tau must lie strictly between 0 and 1"):
        make_top_scorer("precision@k", {"tau": 5})
    scorer = make_top_scorer("auc")
    model = LogisticRegression().fit(X, np.where(Y, "yes", "no"))
    assert scorer(model, X, np.where(Y, "yes", "no")) == METRICS["auc"].value(Y, model.decision_function(X))
    with pytest.raises(ValueError, match=r"y holds \[0, 1\], the classifier knows \['no', 'yes'\] only"):
        scorer(model, X, Y)
    with pytest.raises(ValueError, match="fitted on two classes, got LogisticRegression with no classes_"):
        scorer(clone(model), X, Y)
    with pytest.raises(ValueError, match=r"with classes_ \[0, 1, 2\]"):
        scorer(LogisticRegression().fit(X, np.arange(48) % 3), X, Y)
    with pytest.raises(ValueError, match="got KMeans with no classes_"):
        scorer(KMeans(2, n_init=1).fit(X), X, Y)
    with pytest.raises(UndefinedMetricError, match="auc is undefined: no positive"):
        scorer(model, X[Y == 0], np.full((Y == 0).sum(), "no"))
