"""Parameters and samples that are wrong, in another form or extreme: a clear error, or the right result."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from support.every_estimator import NAMES, make
from support.small_sample import GROUPS, INF, NAN, TOPS, X, Y, fitted, with_entry

#: Those whose problem is of groups.
GROUPED = {*NAMES} - {"AATP", "PNormPush"}


REFUSED = {
    "too large for a float": ((with_entry(X, 10**400), Y), "too large|infinity"),
    "a column of text": ((pd.DataFrame({"a": X[:, 0], "b": "x"}), Y), "could not convert string to float"),
    "a single item": ((X[:1], Y[:1]), "one class"),
    "one class": ((X, np.ones(48)), r"one class only \(1.0\)"),
    "one class of text": ((X, ["spam"] * 48), r"one class only \('spam'\)"),
    "three classes": ((X, np.arange(48) % 3), r"got 3 classes; .*y == 2$"),
    "NaN in y": ((X, with_entry(Y, NAN)), "y (contains NaN|has missing values)"),
    "None in y": ((X, with_entry(Y, None)), "y has missing values: leave those rows out"),
    "y mixed": ((X, np.array([1, "a"] * 24, dtype=object)), "y mixes int and str: give labels of one type"),
    "y of dates and text": ((X, np.array([pd.Timestamp(0), "a"] * 24, object)), "y mixes Timestamp and str"),
    "y too short": ((X, Y[1:]), r"inconsistent numbers of samples: \[48, 47\]"),
    "masked X": ((np.ma.masked_less(X, 0), Y), "X has masked values"),
    "masked y": ((X, np.ma.masked_less(Y, 1)), "y has masked values"),
    "masked groups": ((X, Y, np.ma.masked_less(GROUPS, 1)), "groups has masked values"),
    "groups too short": ((X, Y, GROUPS[1:]), r"each of the 48 items, got shape \(47,\)"),
    "groups 2-D": ((X, Y, np.column_stack([GROUPS, GROUPS])), r"got shape \(48, 2\)"),
    "groups a number": ((X, Y, 4), r"got shape \(\)"),
    "None in groups": ((X, Y, with_entry(GROUPS, None)), "groups has missing values"),
    "NA in groups of integers": ((X, Y, pd.array([1, None] * 24, dtype="Int64")), "missing values"),
    "NaT in groups": ((X, Y, pd.to_datetime(pd.Series([None, "2020"] * 24))), "missing values"),
}


FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
SPACED = np.zeros((96, 6))
SPACED[::2, ::2] = X
LONG = sparse.csr_matrix(X)
LONG.indices, LONG.indptr = LONG.indices.astype(np.int64), LONG.indptr.astype(np.int64)
TWICE = (np.tile((X / 2).ravel(), 2), tuple(np.tile(np.indices(X.shape).reshape(2, -1), 2)))
SAME = {
    "csr": (sparse.csr_matrix(X), Y),
    "csr with long indices": (LONG, Y),
    "coo with duplicates": (sparse.coo_array(TWICE, X.shape), Y),
    "float16": (X.astype(np.float16), Y),
    "long double": (X.astype(np.longdouble), Y),
    "big-endian": (X.astype(">f8"), Y),
    "objects that are numbers": (X.astype(object), Y),
    "not contiguous": (SPACED[::2, ::2], Y),
    "masked array without a mask": (np.ma.masked_array(X), Y),
    "frame": (FRAME, pd.Series(Y, index=range(100, 148))),
    "frame of nullable floats": (FRAME.astype("Float64"), pd.Series(Y, dtype="Int64")),
    "y boolean": (X, Y == 1),
    "y nullable boolean": (X, pd.Series(Y == 1, dtype="boolean")),
    "y -1 and 1": (X, 2 * Y - 1),
    "y float": (X, Y.astype(float)),
    "y int8": (X, Y.astype(np.int8)),
    "y 3 and 7": (X, np.where(Y, 7, 3)),
    "y categorical": (X, pd.Categorical(Y)),
    "groups text": (X, Y, np.array(["u", "v", "w", "x"])[GROUPS]),
    "groups categorical": (X, Y, pd.Categorical(np.array(["u", "v", "w", "x"])[GROUPS])),
    "groups negative": (X, Y, GROUPS.astype(np.int8) - 100),
    "groups float": (X, Y, GROUPS / 4),
    "groups in frames": (FRAME, Y, pd.Series(GROUPS, index=range(100, 148))),
    "one group": (X, Y, np.zeros(48, bool)),
    "one group of text": (X, Y, ["all"] * 48),
}


EXTREME = {
    "zeros": (np.zeros((48, 2)), Y),
    "columns twice": (np.column_stack([X, X]), Y),
    "one feature": (X[:, :1], Y),
    "more features than items": (np.random.default_rng(1).normal(size=(6, 50)), np.array([1, 0, 1, 0, 0, 0])),
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


#: test_estimators.py begins at the other end: what one process has compiled, the other finds compiled.
REVERSED = NAMES[::-1]


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("name", REVERSED)
def test_a_wrong_sample_is_refused(name, case):
    sample, message = REFUSED[case]
    with pytest.raises((ValueError, TypeError, OverflowError), match=message):
        fitted(name, sample)


def scored(name, sample):
    """A model of a sample, its scores and what it predicts, which are numbers and classes."""
    model = fitted(name, sample)
    scores, predicted = model.decision_function(sample[0]), model.predict(sample[0])
    assert scores.dtype == np.float64
    assert np.isfinite(scores).all()
    assert set(predicted.tolist()) <= set(model.classes_.tolist())
    return model, scores, predicted


@pytest.mark.parametrize("case", EXTREME)
@pytest.mark.parametrize("name", REVERSED)
def test_of_an_extreme_sample_equal_items_are_scored_equally(name, case):
    sample = EXTREME[case]
    if name == "GreedyPApK" and min(np.bincount(sample[1])) < 2:
        with pytest.raises(ValueError, match="two of each are needed"):
            fitted(name, sample)
        return
    _, scores, _ = scored(name, sample)
    same_items = np.unique(sample[0], axis=0, return_inverse=True)[1]
    for item in set(same_items.tolist()):
        np.testing.assert_allclose(scores[same_items == item], scores[same_items == item][0])


@pytest.fixture(scope="module")
def references():
    known = {}

    def reference(name, grouped):
        if (name, grouped) not in known:
            known[name, grouped] = fitted(name, (X, Y, GROUPS) if grouped else (X, Y))
        return known[name, grouped]

    return reference


@pytest.mark.parametrize("case", SAME)
@pytest.mark.parametrize("name", REVERSED)
def test_the_sample_in_another_form_gives_the_same_model(name, case, references):
    sample = SAME[case]
    if sparse.issparse(sample[0]) and not make(name).__sklearn_tags__().input_tags.sparse:
        with pytest.raises(TypeError, match="does not take sparse input"):
            fitted(name, sample)
        return
    model, scores, predicted = scored(name, sample)
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
    if name in GROUPED - {"PatMat", "SVMPerf", "SoftTop"}:
        with pytest.raises(ValueError, match=r"no group has .*the 2 groups have up to \d+ positives"):
            fitted(name, (X, Y, Y))
    else:
        fitted(name, (X, Y, Y))  # groups are not used, or a group of one class has a value


@pytest.mark.parametrize("name", NAMES)
def test_features_too_large_for_finite_products(name):
    """What comes out is finite, and if it ranks nothing, that is said; or an error says what to do."""
    huge = X * 1e300
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = make(name)
        if name == "PerceptronAtK":
            with pytest.raises(FloatingPointError, match="scale the features"):
                model.fit(huge, Y)
            return
        model.fit(huge, Y)
        scores = model.decision_function(huge)
    assert np.isfinite(scores).all()
    assert np.ptp(scores) > 0 or not getattr(model, "converged_", False) or caught


NOT_NUMBERS = ["1", None, True, NAN, [1.0], 1j]
CHOICES = ["init", "loss", "price", "search", "solver", "surrogate", "weak_rankers", "weights"]
PARAMETERS = {
    "top": TOPS[:3],
    "C": [(v, "C must be a positive number, got") for v in [0, -1, INF, *NOT_NUMBERS]],
    "eta": [(v, "eta must be a positive number, got") for v in [0, -1, INF, *NOT_NUMBERS]],
    "lam": [(v, "lam must be .*, got") for v in [-1, INF, *NOT_NUMBERS]],
    "radius": [(v, "radius must be a positive number, got") for v in [0, -1, *NOT_NUMBERS]],
    "tol": [(v, "tol must be .* at least 0, got") for v in [-1, INF, *NOT_NUMBERS]],
    "time_limit": [(v, "time_limit must be a positive number or None, got") for v in [0, -1, "1", NAN, True]],
    "max_iter": [(v, "max_iter must be an integer of at least 1, got") for v in [0, -1, 2.5, *NOT_NUMBERS]],
    "epochs": [(v, "epochs must be an integer of at least 1, got") for v in [0, 2.5, *NOT_NUMBERS]],
    "batch_size": [(v, "batch_size must be an integer of at least 2, got") for v in [1, 2.5, *NOT_NUMBERS]],
    "n_alphas": [(v, "n_alphas must be an integer of at least 2, got") for v in [1, 2.5, "a"]],
    "n_classifiers": [(v, "n_classifiers must be an integer of at least 1, got") for v in [0, 2.5, "a"]],
    "n_thresholds": [(v, "n_thresholds must be an integer of at least 1 or None") for v in [0, 2.5, "a"]],
    "p": [(v, "p must be .*at least 1, got") for v in [0, 0.5, INF, NAN, "4", None, True]],
    "random_state": [(v, "random_state must be an integer of at least 0") for v in ("x", -1, 0.5)],
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
                make(name).fit_many(X, Y, candidates=[{}, {parameter: value}])
    if "top" in known:
        expected = make(name, top=3).fit(X, Y).decision_function(X)
        for three in (3.0, np.int64(3), np.float32(3), np.array(3), {"k": 3}):
            np.testing.assert_array_equal(make(name, top=three).fit(X, Y).decision_function(X), expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in NAMES if "top" in make(name).get_params()])
def test_k_beyond_the_sample(name):
    for top, groups in ((49, None), (1000, None), (49, np.arange(len(Y)) % 2)):
        with pytest.raises(ValueError, match=rf"k={top}\W.*lower"):
            make(name, top=top).fit(X, Y, groups)
