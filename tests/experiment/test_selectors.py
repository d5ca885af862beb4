"""Selectors: what chooses among candidates, apart from what is reported."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from attop import compare_at_top
from attop.experiment import Sample, Selector, within_one_error
from attop.extending import Top
from attop.metrics import average_precision, get_metric, precision_at_k
from oracles import selectors as oracle

PRECISION = get_metric("precision@k")


def held_out(rng, n_folds=3, n_candidates=5):
    """Return labels of inner folds, and continuous scores of candidates on each."""
    folds = [rng.integers(0, 2, size=rng.integers(8, 14)) for _ in range(n_folds)]
    for y in folds:
        y[:2] = 0, 1
    return folds, [[rng.normal(size=len(y)) + y for y in folds] for _ in range(n_candidates)]


def chosen_by(name, folds, scores, k):
    """Return the candidate that a selector chooses."""
    y = np.concatenate(folds)
    rows = np.split(np.arange(len(y)), np.cumsum([len(fold) for fold in folds])[:-1])
    sample, top, selector = Sample(np.zeros((len(y), 0)), y), Top(k=k), Selector.of(name)
    values = np.array([selector.values(sample, rows, one, top) for one in scores])
    reported = np.array([Selector.of(PRECISION).values(sample, rows, one, top) for one in scores])
    return selector.choose(values, reported, PRECISION)


@pytest.mark.parametrize(
    "name",
    ["precision@k", "ap", "pooled-precision@k", "pooled-ap", "ap-within-1se", "precision@k-within-1se"],
)
def test_a_selector_agrees_with_its_definition(name):
    rng = np.random.default_rng(4)
    metric = average_precision if "ap" in name.split("-") else precision_at_k
    choices = set()
    for _ in range(60):
        folds, scores = held_out(rng)
        choice = chosen_by(name, folds, scores, 3)
        of_metric = (lambda y, s, k: metric(y, s)) if metric is average_precision else metric
        assert choice == oracle.choose(name, of_metric, [f.tolist() for f in folds], scores, 3)
        choices.add(choice)
    assert len(choices) > 2


def test_of_candidates_within_one_error_none_is_further_below():
    values = [[0.5, 0.7], [0.4, 0.6], [0.4, 0.59], [np.nan, 0.55]]
    assert within_one_error(values, PRECISION).tolist() == [0, 1, 3]
    assert within_one_error([[0.5], [0.4]], PRECISION).tolist() == [0]
    assert within_one_error([[np.nan], [np.nan]], PRECISION).tolist() == [0, 1]
    lower = get_metric("positives@top")
    assert within_one_error([[1.0, 3.0], [2.0, 2.0]], lower).tolist() == [0, 1]


def test_where_no_value_is_defined_nothing_is_chosen():
    undefined = np.full((2, 3), np.nan)
    assert Selector.of("ap").choose(undefined, undefined, PRECISION) is None


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("precison@k", "did you mean 'precision@k'"),
        ("nothing", "choose one of: precision@k"),
        ("ap-within-2se", "did you mean 'ap-within-1se'"),
        ("pooled-ap-within-2se", "did you mean 'pooled-ap-within-1se'"),
    ],
)
def test_an_unknown_selector_names_the_nearest(name, hint):
    with pytest.raises(ValueError, match=f"unknown selector .*{hint}"):
        Selector.of(name)
    with pytest.raises(TypeError, match="such as 'ap'"):
        Selector.of(3)


@pytest.mark.parametrize("name", ["pooled-precision@k", "pooled-ap"])
def test_in_groups_k_stays_that_of_each_list(name):
    rng = np.random.default_rng(0)
    y, groups = rng.integers(0, 2, size=60), np.arange(60) // 6
    y[::6] = 1
    scores = rng.normal(size=60)
    sample = Sample(np.zeros((60, 0)), y, groups)
    rows = [np.arange(30), np.arange(30, 60)]
    metric = get_metric(name.removeprefix("pooled-"))
    (value,) = Selector.of(name).values(sample, rows, [scores[r] for r in rows], Top(k=2))
    assert value == pytest.approx(metric.evaluate(y, scores, 2, groups).value)


def items():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 6))
    return X, (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=300) > 2).astype(int)


def compared(select, **others):
    X, y = items()
    grid = {"max_depth": [1, 2, 4, 8], "min_samples_leaf": [1, 10]}
    models = {"tree": (DecisionTreeClassifier(), grid), "line": LogisticRegression()}
    return compare_at_top(models, X, y, 30, select=select, cv=3, verbose=False, **others)


def test_a_comparison_chooses_by_select_and_reports_its_metric():
    plain, by_metric, by_ap = compared(None), compared("precision@k"), compared("ap")
    assert plain.runs["candidate"].tolist() == by_metric.runs["candidate"].tolist()
    assert not plain.notes
    assert plain.runs["candidate"].tolist() != by_ap.runs["candidate"].tolist()
    assert by_ap.notes == ("Hyper-parameters were chosen by ap.",)
    assert by_ap.metric == plain.metric
    trees = by_ap.runs[by_ap.runs["model"] == "tree"]["candidate"].tolist()
    assert trees == compared(None, metric="ap").runs.query("model == 'tree'")["candidate"].tolist()


def test_amounts_and_groups_have_selectors_too():
    X, y = items()
    amount = np.where(np.arange(len(y)) % 5, 1.0, 50.0)
    by_rows = compared("ap", amount=amount)
    by_amount = compared("pooled-amount@k", amount=amount)
    assert by_rows.runs["candidate"].tolist() != by_amount.runs["candidate"].tolist()
    grid = {"max_depth": [1, 3]}
    of_users = compare_at_top(
        {"tree": (DecisionTreeClassifier(), grid), "line": LogisticRegression()},
        X, y, 3, groups=np.arange(len(y)) // 20, select="smoothed-precision@k", cv=3, verbose=False,
    )  # fmt: skip
    assert of_users.notes == ("Hyper-parameters were chosen by smoothed-precision@k.",)
