"""Models that split rows within their fit: no entity is torn there, or a warning names the estimator."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    HistGradientBoostingClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LassoCV, LogisticRegression, LogisticRegressionCV, Ridge, SGDClassifier
from sklearn.model_selection import (
    BaseCrossValidator,
    BaseShuffleSplit,
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    PredefinedSplit,
    RandomizedSearchCV,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    TunedThresholdClassifierCV,
)
from sklearn.model_selection._split import _CVIterableWrapper
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler, TargetEncoder
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.utils import all_estimators

from attop import TopBooster, TopStack
from attop.experiment import _routing as routing
from attop.experiment._own_splits import TornWarning, splits_of
from attop.selection import SteadyTop

N_ENTITIES, EACH = 14, 6
N = N_ENTITIES * EACH
RNG = np.random.default_rng(0)
ENTITY = RNG.permutation(np.repeat(np.arange(N_ENTITIES), EACH))
#: The first column is the entity, by which parts of the rows are known again.
X = np.column_stack([ENTITY, RNG.integers(100, 105, (N, 2))]).astype(float)
Y = (X[:, 1] + RNG.integers(0, 4, N) > 104).astype(int)
PAIRS = list(KFold(3, shuffle=True, random_state=0).split(X))

#: What estimators cannot be made without.
REQUIRED = {
    "estimators": [("a", LogisticRegression()), ("b", LogisticRegression(C=0.1))],
    "param_grid": {},
    "param_distributions": {"C": [0.1, 1.0]},
    "transformers": [("a", StandardScaler(), [0, 1])],
    "transformer_list": [("a", StandardScaler())],
    "steps": [("a", StandardScaler()), ("b", LogisticRegression())],
}
#: Values of parameters by which rows are split, beside the defaults.
SPLITTING = {
    "cv": [3, np.int64(3), np.int8(3), 0.3, KFold(3), PAIRS, GroupKFold(3), StratifiedShuffleSplit(3)],
    "early_stopping": [True, np.True_],
    "n_iter_no_change": [2],
    "oob_score": [True],
    "probability": [True],
}
#: Parameters that keep a fit short.
SHORT = {"n_estimators": 3, "n_iter": 2, "Cs": 2, "max_iter": 3, "thresholds": 3}


def entity_of(X):
    """The entity of each row, by the first column where it is still there."""
    first = np.asarray(X)[:, 0] if np.ndim(X) == 2 and np.shape(X)[1] > 1 else []
    return first if len(first) and np.isin(first, ENTITY).all() else ENTITY


@pytest.fixture
def torn(monkeypatch):
    """Counts of splits within fits, and of those that tear an entity."""
    counts = {"splits": 0, "torn": 0}

    def spy(split):
        def watched(self, X, *args, **kwargs):
            entity = entity_of(X)
            for train, test in split(self, X, *args, **kwargs):
                counts["splits"] += 1
                counts["torn"] += bool(np.intersect1d(entity[train], entity[test]).size)
                yield train, test

        return watched

    for kind in (BaseCrossValidator, BaseShuffleSplit, _CVIterableWrapper, PredefinedSplit, TimeSeriesSplit):
        monkeypatch.setattr(kind, "split", spy(kind.split))
    return counts


def made(kind, **params):
    """An instance with short fits, the parameters it needs, and those given."""
    signature = inspect.signature(kind.__init__).parameters
    regression = "Regressor" in kind.__name__
    needed = {**REQUIRED, "estimator": Ridge() if regression else LogisticRegression()}
    if regression:
        needed["estimators"] = [("a", Ridge()), ("b", Ridge(2.0))]
        needed["param_distributions"] = {"alpha": [0.1, 1.0]}
    without = [name for name, p in signature.items() if p.default is p.empty]
    chosen = {name: needed[name] for name in without if name in needed}
    chosen |= {name: value for name, value in SHORT.items() if name in signature}
    return kind(**chosen, **params)


def splitting_values(kind):
    """Each parameter of an estimator by which rows are split, with each of its values to try."""
    signature = inspect.signature(kind.__init__).parameters
    for parameter, values in SPLITTING.items():
        by_switch = parameter == "n_iter_no_change" and "early_stopping" in signature
        if parameter in signature and not by_switch:
            yield from ({parameter: value} for value in values)


def fitted(model, entity=ENTITY):
    """What a fit says of torn entities, and the error in which it ends."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            routing.fit(model, X, Y, entity=entity)
        except Exception as error:
            return said(heard), error
    return said(heard), None


def said(heard):
    return [str(w.message) for w in heard if issubclass(w.category, TornWarning)]


@pytest.mark.parametrize("kind", [kind for _, kind in all_estimators()], ids=lambda kind: kind.__name__)
def test_no_estimator_tears_entities_in_silence(kind, torn):
    """By its defaults, and by each value of a parameter that makes it split rows."""
    for params in ({}, *splitting_values(kind)):
        try:
            model = made(kind, **params)
        except TypeError:
            pytest.skip("it needs more than an estimator")
        torn.update(splits=0, torn=0)
        warned, error = fitted(model)
        named = any(f"{kind.__name__} splits rows within its fit by" in sentence for sentence in warned)
        if error is not None:  # the estimator's own, not that of entities
            assert fitted(model, None)[1] is not None, (params, error)
        elif torn["torn"]:
            assert named, params
        elif named:  # by a formula, or in C, where no splitter is seen
            assert kind is TargetEncoder or set(params) <= {"oob_score", "probability"}, params
        else:
            assert set(params) <= {"cv"}, params


CALIBRATED = CalibratedClassifierCV(GaussianNB(), cv=np.int64(3))
SEARCH = GridSearchCV(GaussianNB(), {}, cv=np.int64(3))
FROZEN = FrozenEstimator(GaussianNB().fit(X, Y))
EARLY = SGDClassifier(loss="log_loss", early_stopping=True, max_iter=5)


class Elsewhere(ClassifierMixin, BaseEstimator):
    """An estimator of another package, which may hold rows out."""

    def __init__(self, validation_fraction=0.2):
        self.validation_fraction = validation_fraction

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self


#: Models that keep entities whole wherever they split rows.
KEPT = {
    "target encoder": make_pipeline(TargetEncoder(), GaussianNB()),
    "target encoder, calibrated": make_pipeline(TargetEncoder(cv=np.int64(3)), CALIBRATED),
    "columns encoded": make_pipeline(ColumnTransformer([("t", TargetEncoder(), [1, 2])]), GaussianNB()),
    "pipeline of pipelines": make_pipeline(make_pipeline(StandardScaler(), make_pipeline(SEARCH))),
    "votes": VotingClassifier([("a", SEARCH), ("b", CALIBRATED)]),
    "one against the rest": OneVsRestClassifier(SEARCH),
    "bags": BaggingClassifier(CALIBRATED, n_estimators=2),
    "self-training": SelfTrainingClassifier(CALIBRATED),
    "threshold of a search": TunedThresholdClassifierCV(SEARCH, cv=np.int64(3)),
    "search of a search": GridSearchCV(GridSearchCV(CALIBRATED, {}, cv=2), {}, cv=GroupKFold(2)),
    "halving": HalvingGridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=np.int64(3)),
    "stack of the top": TopStack([("a", GaussianNB()), ("b", SEARCH)], top=5, cv=np.int64(3)),
    "steady": SteadyTop(SEARCH),
    "of another package, off": Elsewhere(0),
}
#: Models that tear entities, and what is named.
TORN = {
    "recursive": (make_pipeline(RFECV(LogisticRegression()), GaussianNB()), "RFECV"),
    "by a lasso": (make_pipeline(SelectFromModel(LassoCV()), GaussianNB()), "LassoCV"),
    "votes with a stack": (
        VotingClassifier([("a", SEARCH), ("b", StackingClassifier([("c", CALIBRATED)]))]),
        "StackingClassifier",
    ),
    "calibrator in a stack": (StackingClassifier([("c", CALIBRATED)]), "CalibratedClassifierCV"),
    "votes with what routes nothing": (
        VotingClassifier([("a", SEARCH), ("b", AdaBoostClassifier(n_estimators=2))]),
        "GridSearchCV",
    ),
    "boosted": (AdaBoostClassifier(CALIBRATED, n_estimators=2), "CalibratedClassifierCV"),
    "one calibrator of all parts": (
        CalibratedClassifierCV(GaussianNB(), ensemble=False, cv=3),
        "CalibratedClassifierCV",
    ),
    "calibrated": (CalibratedClassifierCV(EARLY), "SGDClassifier"),
    "member of a stack of the top": (TopStack([("a", GaussianNB()), ("b", EARLY)], top=5), "SGDClassifier"),
    "search for cv": (GridSearchCV(CALIBRATED, {"cv": [2, 3]}), "CalibratedClassifierCV"),
    "search for early stopping": (
        RandomizedSearchCV(EARLY, {"early_stopping": [True]}, n_iter=1),
        "SGDClassifier",
    ),
    "search for a model": (
        GridSearchCV(Pipeline([("m", GaussianNB())]), [{"m": [StackingClassifier([("a", GaussianNB())])]}]),
        "StackingClassifier",
    ),
    "out of reach": (
        make_pipeline(
            SelectFromModel(TopBooster(top=5, n_estimators=2, cv=2), importance_getter=lambda _: np.ones(3)),
            GaussianNB(),
        ),
        "TopBooster",
    ),
    "search out of reach": (
        make_pipeline(
            SelectFromModel(
                GridSearchCV(TopBooster(top=5, n_estimators=2), {"cv": [2]}, cv=2),
                importance_getter=lambda _: np.ones(3),
            ),
            GaussianNB(),
        ),
        "TopBooster",
    ),
    "of another package": (make_pipeline(StandardScaler(), Elsewhere()), "Elsewhere"),
}


@pytest.mark.parametrize("case", KEPT)
def test_nested_models_keep_entities_whole(case, torn):
    assert fitted(KEPT[case]) == ([], None)
    assert torn["torn"] == 0
    assert torn["splits"] or case == "of another package, off"


def test_routing_that_is_on_for_all_changes_nothing(torn):
    with config_context(enable_metadata_routing=True):
        assert fitted(KEPT["votes"]) == ([], None)
        assert torn["torn"] == 0
        assert fitted(TORN["calibrated"][0])[1] is None


@pytest.mark.parametrize("case", TORN)
def test_nested_models_that_tear_entities_are_named(case):
    model, name = TORN[case]
    warned, error = fitted(model)
    assert error is None
    assert any(sentence.startswith(f"{name} splits rows within its fit by") for sentence in warned)


@pytest.mark.parametrize("model", [FROZEN, CalibratedClassifierCV(FROZEN), make_pipeline(FROZEN)])
def test_what_is_trained_already_is_not_warned_of(model):
    assert fitted(model) == ([], None)


@pytest.mark.parametrize("cv", [True, 3.0, 0, 1, np.array(3), "five"])
def test_numbers_of_folds_that_are_none_are_refused(cv):
    assert fitted(clone(SEARCH).set_params(cv=cv))[1] is not None


def test_early_stopping_by_the_number_of_rows_is_found_where_it_stops():
    model = HistGradientBoostingClassifier()
    assert [*splits_of(model, 10_000)] == []
    assert [split.parameter for split in splits_of(make_pipeline(model), 10_001)] == ["early_stopping"]


@pytest.mark.parametrize(
    ("parameter", "value", "splits"),
    [
        ("cv", np.int64(3), True),
        ("cv", None, True),
        ("cv", 0.3, True),
        ("cv", iter(PAIRS), True),
        ("cv", "prefit", False),
        ("early_stopping", True, True),
        ("early_stopping", False, False),
        ("early_stopping", "auto", False),
        ("val_fraction", 0.2, True),
        ("validation_split", 0.0, False),
        ("train_split", None, False),
        ("presets", "high_quality", True),
        ("early_stopping_rounds", 20, False),
    ],
)
def test_estimators_of_other_packages_are_known_by_their_parameters(parameter, value, splits):
    class Other(Elsewhere):
        def get_params(self, deep=True):
            return {parameter: value}

    assert [split.parameter for split in splits_of(Other(), 100)] == [parameter] * splits


def test_a_search_without_a_mean_of_its_own_is_left_as_it_is():
    """A default that scikit-learn warns of is no scorer."""
    model = routing.fit(LogisticRegressionCV(Cs=2, use_legacy_attributes=False), X, Y, entity=ENTITY)
    assert np.isfinite(model.C_)
