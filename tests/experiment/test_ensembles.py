"""Ensembles: candidates of a search averaged in place of the best alone."""

import pickle

import numpy as np
import pytest
from scipy import stats
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.tree import DecisionTreeClassifier

from attop import compare_at_top
from attop.experiment import Ensemble, Fold, Learner, Sample, Selector, train
from attop.extending import Top
from attop.metrics import average_precision, get_metric, precision_at_k, scores_of
from oracles import selectors as oracle

PRECISION = get_metric("precision@k")


class Given(DummyClassifier):
    """A model whose scores are the column that its parameter names, whatever it was fitted on."""

    def __init__(self, column=0):
        super().__init__()
        self.column = column

    def decision_function(self, X):
        return X[:, self.column]


def trained(scores, folds, steps, select="precision@k", k=2, groups=None, weights=None):
    """Tune over columns of scores, `scores[candidate][fold]`; the labels of each fold are in `folds`."""
    y = np.concatenate(folds).astype(int)
    X = np.column_stack([np.concatenate(one) for one in scores]).astype(float)
    rows = np.split(np.arange(len(y)), np.cumsum([len(fold) for fold in folds])[:-1])
    every = np.arange(len(y))
    fold = Fold(every, every, [(np.setdiff1d(every, part), part) for part in rows])
    learner = Learner("given", Given(), {"column": list(range(len(scores)))}, ensemble=steps)
    return train(learner, Sample(X, y, groups, weights), fold, [Top(k=k)], PRECISION, 0, Selector.of(select))


def test_means_that_differ_by_rounding_alone_are_ties():
    """Scores in tenths choose what ten times the scores do."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        folds, scores = drawn(rng)
        whole, tenths = (
            trained([[np.array(part) * unit for part in one] for one in scores], folds, 8, k=3)
            for unit in (1.0, 0.1)
        )
        assert whole.times.tolist() == tenths.times.tolist()
        assert whole.validation == tenths.validation


class Shifting(LogisticRegression):
    """A model that changes the rows it is given."""

    def fit(self, X, y, sample_weight=None):
        X *= 3
        return super().fit(X, y, sample_weight)


def test_an_ensemble_is_a_classifier_of_equal_members():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 2))
    y = np.where(X[:, 0] + rng.normal(size=90) > 1, "yes", "no")
    ensemble = Ensemble([Shifting(), Shifting()], [2, 1]).fit(X.copy(), y)
    first, second = ensemble.models_
    np.testing.assert_array_equal(first.coef_, second.coef_)
    np.testing.assert_array_equal(ensemble.predict(X), first.predict(X))
    calibrated = CalibratedClassifierCV(FrozenEstimator(ensemble)).fit(X, y)
    assert calibrated.predict_proba(X)[:, 1].mean() == pytest.approx((y == "yes").mean(), abs=0.05)


def drawn(rng, positives=None, values=4):
    """Draw labels of three inner folds, and scores of five candidates with many ties."""
    folds = []
    for n in rng.integers(6, 10, size=3):
        y = (np.arange(n) < (positives or rng.integers(1, n))).astype(int)
        folds.append(rng.permutation(y))
    return folds, [[rng.integers(0, values, size=len(y)).tolist() for y in folds] for _ in range(5)]


@pytest.mark.parametrize(("select", "value"), [("precision@k", precision_at_k), ("ap", average_precision)])
@pytest.mark.parametrize("positives", [None, 1])
@pytest.mark.parametrize("k", [1, 2, 6])
def test_an_ensemble_agrees_with_its_definition(select, value, positives, k):
    """On ties, with one positive, and where the top is nearly all."""
    rng, counts = np.random.default_rng(k), set()
    extra = (k,) if select == "precision@k" else ()
    for _ in range(8):
        folds, scores = drawn(rng, positives)
        found = trained(scores, folds, 4, select, k)
        # Powers of 2 and multiples of 3: means of up to four whole numbers, told apart as fractions are.
        expected = oracle.ensemble(
            lambda y, s: value(y, np.array([float(12 * one) for one in s]), *extra), folds, scores, 4
        )
        assert found.times[0].tolist() == expected
        counts.add(np.count_nonzero(expected))
    assert len(counts) > 1


def test_with_one_step_it_is_the_best_candidate():
    rng = np.random.default_rng(3)
    for _ in range(10):
        folds, scores = drawn(rng)
        found = trained(scores, folds, 1)
        assert found.times.sum() == 1
        assert found.chosen == [found.candidates[found.times[0].argmax()]]
        assert trained(scores, folds, 5).chosen == found.chosen
        assert isinstance(found.models[0], Given)
        means = found.values[0].mean(axis=1)
        assert found.validation == [pytest.approx(means.max())]


def test_test_scores_and_validation_are_those_of_the_mean():
    folds, scores = drawn(np.random.default_rng(0), values=50)
    found = trained(scores, folds, 20)
    columns = np.column_stack([np.concatenate(one) for one in scores])
    np.testing.assert_allclose(found.scores[0], columns @ found.times[0] / 20)
    ends = np.cumsum([len(y) for y in folds])[:-1]
    by_fold = zip(folds, np.split(found.scores[0], ends), strict=True)
    assert found.validation[0] == pytest.approx(np.mean([precision_at_k(y, s, 2) for y, s in by_fold]))
    assert found.validation[0] >= found.values[0].mean(axis=1).max()


@pytest.mark.parametrize("select", ["ap", "pooled-ap"])
def test_groups_without_a_positive_do_not_count(select):
    folds, scores = drawn(np.random.default_rng(5))
    groups = np.concatenate([np.arange(len(y)) // 3 + 10 * f for f, y in enumerate(folds)])
    found = trained(scores, folds, 6, select, 1, groups)
    empty = np.insert(groups, np.repeat(np.cumsum([len(y) for y in folds]), 2), np.repeat([101, 102, 103], 2))
    more = [[[*of_fold, 9, 8] for of_fold in one] for one in scores]
    same = trained(more, [np.append(y, [0, 0]) for y in folds], 6, select, 1, empty)
    assert same.times.tolist() == found.times.tolist()
    assert trained(scores, folds, 6, select, 1).times.tolist() != found.times.tolist()


def test_weights_count():
    folds, scores = drawn(np.random.default_rng(8))
    weights = np.random.default_rng(1).uniform(0.1, 9, size=sum(map(len, folds)))
    plain = trained(scores, folds, 6, "recall@k")
    weighed = trained(scores, folds, 6, "recall@k", weights=weights)
    assert plain.times.tolist() != weighed.times.tolist()


def test_of_undefined_values_none_is_added():
    y = np.array([0, 1, 0, 1])
    nothing = [np.zeros(4, dtype=int), np.zeros(4, dtype=int)]
    with pytest.raises(ValueError, match=r"ap at k=2 is undefined .* give more items"):
        trained([[y, y], [y, y]], nothing, 3, "ap")


def items():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(240, 5))
    return X, (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=240) > 2).astype(int)


GRID = {"max_depth": [1, 2, 4, 8]}


def test_a_comparison_has_default_tuned_and_averaged():
    X, y = items()
    models = {
        "default": DecisionTreeClassifier(),
        "tuned": (DecisionTreeClassifier(), GRID),
        "averaged": (DecisionTreeClassifier(), GRID, 20),
        "drawn": (DecisionTreeClassifier(), {"max_depth": stats.randint(1, 9)}, 5),
    }
    found = compare_at_top(
        models, X, y, 24, select="ap", n_candidates=4, cv=2, return_estimator=True, verbose=False
    )
    runs = found.runs.set_index("model")
    assert runs.loc["tuned", "candidate"].tolist() == runs.loc["averaged", "candidate"].tolist()
    assert set(runs.loc[["default", "tuned"], "averaged"]) == {1}
    assert runs.loc["averaged", "averaged"].min() > 1
    for name, steps in (("averaged", 20), ("drawn", 5)):
        for model, n in zip(runs.loc[name, "estimator"], runs.loc[name, "averaged"], strict=True):
            assert sum(getattr(model, "times", [steps])) == steps
            assert len(getattr(model, "models_", [model])) == n


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ((DecisionTreeClassifier(), GRID, 0), "'tree' .* 0 steps .*: give"),
        ((DecisionTreeClassifier(), GRID, "greedy"), "'tree' .* 'greedy' steps .*: give"),
        (
            (DecisionTreeClassifier(), {"max_depth": [3]}, 20),
            "'tree' .* 20 steps .*leave the steps out",
        ),
        ((DecisionTreeClassifier(), {}, 20), "leave the steps out"),
    ],
    ids=["none", "text", "one candidate", "no grid"],
)
def test_what_is_no_ensemble_is_refused_before_the_first_fit(entry, message):
    with pytest.raises(ValueError, match=message):
        compare_at_top({"tree": entry}, np.eye(4), [0, 1, 0, 1], 1)


def test_an_ensemble_is_fitted_pickled_and_scores_as_its_members_do():
    X, y = items()
    weights = np.where(y, 5.0, 1.0)
    members = [DecisionTreeClassifier(max_depth=d, random_state=0) for d in (1, 3)]
    ensemble = Ensemble(members, [3, 1]).fit(X, y, sample_weight=weights)
    one, three = (scores_of(m.fit(X, y, weights), X) for m in members)
    np.testing.assert_allclose(ensemble.decision_function(X), (3 * one + three) / 4)
    again = pickle.loads(pickle.dumps(ensemble))
    np.testing.assert_array_equal(scores_of(again, X), scores_of(ensemble, X))
    assert ensemble.classes_.tolist() == [0, 1]
    # Weights reach those that take them.
    mixed = Ensemble([LogisticRegression(), Perceptron()], [1, 1]).fit(X, y, sample_weight=weights)
    line = LogisticRegression().fit(X, y, weights)
    np.testing.assert_allclose(mixed.models_[0].coef_, line.coef_)


def test_models_of_the_only_inner_fold_are_averaged_where_they_are_what_is_tested(monkeypatch):
    fits, fit = [], DecisionTreeClassifier.fit

    def counted(self, *arguments, **options):
        fits.append(self)
        return fit(self, *arguments, **options)

    monkeypatch.setattr(DecisionTreeClassifier, "fit", counted)
    X, y = items()
    rows = np.arange(len(y))
    fold = Fold(rows[:120], rows[180:], [(rows[:120], rows[120:180])], refit=False)
    learner = Learner("tree", DecisionTreeClassifier(), GRID, ensemble=10)
    found = train(learner, Sample(X, y), fold, [Top(k=5), Top(k=20)], PRECISION, 0, Selector.of("ap"))
    assert len(fits) == len(GRID["max_depth"])
    assert found.times.sum(axis=1).tolist() == [10, 10]
    np.testing.assert_array_equal(found.times[0], found.times[1])  # AP knows no top
    np.testing.assert_array_equal(found.scores[0], found.scores[1])
