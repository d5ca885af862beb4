"""Parameters that are wrong: an error that says what."""

import warnings

import numpy as np
import pytest

from support.every_estimator import NAMES, make
from support.small_sample import INF, NAN, TOPS, X, Y

NOT_NUMBERS = ["1", None, True, NAN, [1.0], 1j]
CHOICES = ["init", "loss", "price", "search", "solver", "surrogate", "variant", "weak_rankers", "weights"]
PARAMETERS = {
    "top": TOPS,
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
                make(name).fit_many(X, Y, candidates=[{}, {parameter: value}])
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
