"""Candidates drawn from distributions: the same for every method, the first of more are those of fewer."""

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from attop import compare_at_top
from attop.experiment import DISTRIBUTIONS, draw_candidates, read_distribution

SPACE = {
    "rate": {"loguniform": [0.001, 0.1]},
    "share": {"uniform": [0.4, 1]},
    "depth": {"randint": [2, 9]},
    "leaves": {"lograndint": [2, 200]},
    "kind": {"choice": ["gini", None, 3]},
}


def space():
    return {name: read_distribution(entry) for name, entry in SPACE.items()}


def test_the_first_of_more_are_those_of_fewer():
    few, many = draw_candidates(space(), 20, 5), draw_candidates(space(), 70, 5)
    assert many[:20] == few
    assert draw_candidates(space(), 20, 6) != few
    assert all(many.count(one) == 1 for one in many)


def test_values_lie_within_their_bounds_and_are_plain():
    drawn = draw_candidates(space(), 300, 0)
    values = {name: [one[name] for one in drawn] for name in SPACE}
    assert 0.001 <= min(values["rate"]) < 0.01 < max(values["rate"]) <= 0.1
    assert 0.4 <= min(values["share"]) < max(values["share"]) <= 1
    assert sorted(set(values["depth"])) == list(range(2, 9))
    assert min(values["leaves"]) < 5
    assert 100 < max(values["leaves"]) < 200
    assert set(values["kind"]) == {"gini", None, 3}
    assert {type(value) for one in drawn for value in one.values()} == {float, int, str, type(None)}
    # Half of them below the middle of the scale of logarithms.
    assert 0.4 < np.mean(np.array(values["rate"]) < 0.01) < 0.6
    assert 0.4 < np.mean(np.array(values["leaves"]) < 20) < 0.6


@pytest.mark.parametrize(
    "entry",
    [
        {"normal": [0, 1]},
        {"uniform": [1, 0]},
        {"uniform": [0]},
        {"uniform": ["a", "b"]},
        {"uniform": [0, float("nan")]},
        {"loguniform": [0, 1]},
        {"randint": [1.5, 3]},
        {"randint": [True, 3]},
        {"lograndint": [0, 3]},
        {"choice": []},
        {"choice": "abc"},
        {"uniform": [0, 1], "randint": [1, 3]},
        [0.1, 1],
        "loguniform",
    ],
    ids=repr,
)
def test_anything_else_is_refused_with_what_is_taken(entry):
    with pytest.raises(ValueError, match=r"a distribution is one of|takes .*, got"):
        read_distribution(entry)


def test_the_list_of_distributions_is_closed():
    assert set(DISTRIBUTIONS) == {name for entry in SPACE.values() for name in entry}


def test_a_space_that_is_too_small_is_refused():
    small = {"depth": read_distribution({"randint": [1, 4]})}
    assert len(draw_candidates(small, 3, 0)) == 3
    with pytest.raises(ValueError, match="n_candidates is 4, but depth gave 3 different ones"):
        draw_candidates(small, 4, 0)
    with pytest.raises(ValueError, match="at least 1"):
        draw_candidates(small, 0, 0)


def test_a_number_of_candidates_is_refused_before_the_first_fit():
    models = {"line": (LogisticRegression(), [{"C": [0.1, 1.0]}]), "one": LogisticRegression()}
    for n, message in ((0, "at least 1, got 0"), (5, "is 5, but no grid has a distribution .* leave it out")):
        with pytest.raises(ValueError, match=f"n_candidates (must be )?{message}"):
            compare_at_top(models, np.eye(4), [0, 1, 0, 1], 1, n_candidates=n)


def test_models_of_a_comparison_draw_as_many():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + rng.normal(size=200) > 1).astype(int)
    models = {
        "line": (LogisticRegression(), {"C": stats.loguniform(1e-3, 10)}),
        "tree": (
            DecisionTreeClassifier(),
            {"max_depth": stats.randint(1, 9), "criterion": ["gini", "entropy"]},
        ),
    }
    few, again, more = (
        compare_at_top(models, X, y, 20, n_candidates=n, cv=2, verbose=False).runs for n in (2, 2, 9)
    )
    assert few["candidate"].tolist() == again["candidate"].tolist()
    assert few["candidate"].tolist() != more["candidate"].tolist()
    assert all(set(one) == {"max_depth", "criterion"} for one in few.query("model == 'tree'")["candidate"])
