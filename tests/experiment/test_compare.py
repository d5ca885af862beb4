"""compare_at_top: paired runs, tuning, groups, weights, and the same numbers for any number of jobs."""

import sys
import warnings
from html import escape

import numpy as np
import pandas as pd
import pytest
import sklearn
from matplotlib import pyplot
from matplotlib.figure import Figure
from scipy.sparse import coo_array, csr_array
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    RandomizedSearchCV,
    ShuffleSplit,
    StratifiedKFold,
    TunedThresholdClassifierCV,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import oracles.statistics as oracle
from attop import GDPApK, SGDAtK, SoftTop, TopBooster, TopStack, compare_at_top
from attop._core.wording import format_hits
from attop.experiment import HeldOut, next_list
from attop.experiment import _learner as candidate
from attop.experiment._capacity import draw_capacity
from attop.experiment._interval import clopper_pearson
from attop.experiment._splits import Fold, tuning_folds
from attop.metrics import make_top_scorer, precision_at_k, recall_at_k
from attop.metrics._custom import custom_metric
from attop.selection import SteadyTop
from attop_bench.data.base import Dataset
from attop_bench.data.splits.protocols import make_folds

pytestmark = pytest.mark.workflow


def items(seed=0, n=600, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.where(X[:, 0] + noise * rng.normal(size=n) > 1.3, "yes", "no")


def compare(models, X, y, top=60, **options):
    is_text = "yes" in np.asarray(y, dtype=str)
    return compare_at_top(
        models, X, y, top, verbose=False, **{"pos_label": "yes"} if is_text else {}, **options
    )


@pytest.mark.parametrize("dtype", [str, object])
def test_labels_of_text_need_a_positive_one_and_either_may_be(dtype):
    X, y = items()
    y = np.where(y == "yes", "fraud", "ok").astype(dtype)  # the alphabet would take "ok"
    with pytest.raises(ValueError, match=r"'fraud' \(1\d\.\d% .*pos_label='fraud'$"):
        compare(PAIR, X, y)
    with pytest.raises(ValueError, match=r"pos_label must be one of the labels \['fraud', 'ok'\], got 'yes'"):
        compare(PAIR, X, y, pos_label="yes")
    found = compare(PAIR, X, y, pos_label="fraud", cv=2)
    plain = compare(PAIR, X, (y == "fraud").astype(int), cv=2)
    pd.testing.assert_frame_equal(found.table.drop(columns="seconds"), plain.table.drop(columns="seconds"))
    assert found.pos_label == "fraud"
    assert "Positive: 'fraud'." in str(found)


class Recorder(LogisticRegression):
    """Says what each fit was given."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y, groups=None, sample_weight=None):
        given = (groups, sample_weight)
        whole = all(values is None or len(values) == len(y) for values in given)
        Recorder.seen.append(tuple(v is not None for v in given) if whole else "of other rows")
        return super().fit(X, y, sample_weight)


INSIDE = {
    "pipeline": lambda one: make_pipeline(StandardScaler(), one),
    "search": lambda one: GridSearchCV(
        one, {"C": [0.1, 1]}, scoring=["roc_auc", "accuracy"], refit="roc_auc"
    ),
    "search of a pipeline": lambda one: GridSearchCV(
        make_pipeline(StandardScaler(), one), {}, cv=GroupKFold(3)
    ),
    "pipeline of a search": lambda one: make_pipeline(
        StandardScaler(), GridSearchCV(one, {}, scoring=make_top_scorer("recall@k", 3))
    ),
    "stack": lambda one: StackingClassifier([("a", one)], final_estimator=one),
    "stack of a forest": lambda one: StackingClassifier([("a", one)], BaggingClassifier(one, 2)),
    "votes": lambda one: VotingClassifier([("a", one), ("b", KNeighborsClassifier())], voting="soft"),
    "threshold": lambda one: TunedThresholdClassifierCV(
        make_pipeline(StandardScaler(), one), thresholds=[0.3, 0.5]
    ),
    "calibration of a pipeline": lambda one: CalibratedClassifierCV(make_pipeline(StandardScaler(), one)),
}


@pytest.mark.parametrize("place", INSIDE)
def test_weights_and_groups_arrive_wherever_a_model_is(place):
    X, y = items(n=200)
    groups, weight = np.arange(200) % 10, np.where(X[:, 1] > 0, 2.0, 1.0)
    model = INSIDE[place](Recorder(C=1.5))
    Recorder.seen.clear()
    fitted = candidate.fit(model, X, y, groups=groups, sample_weight=weight)
    assert set(Recorder.seen) == {(True, True)}
    assert candidate.takes(model, "groups")
    assert hasattr(fitted, "classes_")
    with sklearn.config_context(enable_metadata_routing=True):
        declined = Recorder().set_fit_request(sample_weight=False, groups=False)
    if place in ("votes", "threshold"):
        Recorder.seen.clear()
        candidate.fit(INSIDE[place](declined), X, y, groups=groups, sample_weight=weight)
        assert set(Recorder.seen) == {(False, False)}


@pytest.mark.parametrize(
    "model",
    [
        AdaBoostClassifier(Recorder()),
        StackingClassifier([("a", Recorder())]),
        StackingClassifier([("a", KNeighborsClassifier())], final_estimator=Recorder()),
    ],
)
def test_a_model_that_cannot_hand_them_on_is_refused_before_the_first_fit(model):
    X, y = items(n=200)
    Recorder.seen.clear()
    with pytest.raises(TypeError, match=r"cannot hand groups to the \w+ inside it: leave it out"):
        compare({"first": Recorder(), "second": model}, X, y, 3, groups=np.arange(200) % 10)
    assert not Recorder.seen
    nothing_to_hand_on = compare({"second": model}, X, y, 3, cv=2)
    assert nothing_to_hand_on.runs["value"].notna().all()


PAIR = {"logistic": LogisticRegression(), "none": DummyClassifier()}


def test_values_are_those_of_a_loop_by_hand():
    X, y = items()
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    found = compare(PAIR, X, y, cv=folds)
    by_hand = []
    for train, test in folds.split(X, y):
        scores = LogisticRegression().fit(X[train], y[train]).decision_function(X[test])
        by_hand.append(precision_at_k(y[test] == "yes", scores, 12))  # 60 of 600 is 12 of 120
    runs = found.runs.set_index("model")
    assert runs.loc["logistic", "value"].tolist() == by_hand
    prevalence = [np.mean(y[test] == "yes") for _, test in folds.split(X, y)]
    assert runs.loc["none", "value"].tolist() == pytest.approx(prevalence)
    assert runs.loc["none", "lift"].tolist() == pytest.approx([1.0] * 5)
    assert found.table.index.tolist() == ["logistic", "none"]
    behind = found.table.loc["none", ["behind", "behind_low", "behind_high", "p"]]
    mean, low, high, p = oracle.corrected_t(by_hand, runs.loc["none", "value"], 1 / 4)
    reach = max(high - mean, clopper_pearson(mean, 60)[1] - mean)  # of the 60 rows at the top
    assert tuple(behind) == pytest.approx((mean, mean - reach, mean + reach, p))
    own = found.table.loc["logistic", ["precision@k", "low", "high"]]
    mean, low, high = oracle.corrected_t(by_hand, np.zeros(5), 1 / 4)[:3]
    exact = clopper_pearson(mean, 60)
    assert tuple(own) == pytest.approx((mean, min(low, exact[0]), max(high, exact[1])))


def test_default_splits_are_five_stratified_folds_drawn_twice():
    X, y = items()
    found, other = (compare({"logistic": LogisticRegression()}, X, y, random_state=s) for s in (0, 1))
    assert len(found.runs) == 10
    assert len(set(found.runs["value"])) > 3
    assert other.runs["value"].tolist() != found.runs["value"].tolist()


def test_the_numbers_are_the_same_for_any_number_of_jobs_and_any_company():
    X, y = items(n=300)
    models = {
        "forest": (RandomForestClassifier(3), {"max_depth": [2, 4]}),
        "sgd": SGDAtK(batch_size=50, random_state=None),
    }
    one, two = (compare(models, X, y, 30, cv=2, n_jobs=n_jobs) for n_jobs in (None, 2))
    alone = compare({"sgd": models["sgd"]}, X, y, 30, cv=2)
    numbers = ["model", "value", "lift", "candidate", "run"]
    pd.testing.assert_frame_equal(one.runs[numbers], two.runs[numbers])
    assert alone.runs["value"].tolist() == one.runs.loc[one.runs["model"] == "sgd", "value"].tolist()


def test_a_model_with_a_grid_is_tuned_on_the_training_items():
    X, y = items(noise=0.3)
    X[:, 1:] *= 30  # noise that a weak penalty learns to ignore, and a strong one cannot
    models = {"tuned": (LogisticRegression(), {"C": [1e-7, 1.0]}), "bad": LogisticRegression(C=1e-7)}
    found = compare(models, X, y, cv=2)
    candidates = found.runs.loc[found.runs["model"] == "tuned", "candidate"].tolist()
    assert candidates == [{"C": 1.0}] * 4
    assert found.table.index[0] == "tuned"
    several = {"tuned": (LogisticRegression(), [{"C": [1e-7]}, {"C": [1.0], "fit_intercept": [False]}])}
    assert compare(several, X, y, cv=2).runs["candidate"].tolist() == [{"C": 1.0, "fit_intercept": False}] * 4


def users(seed=2, n_users=30):
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_users), 12)
    X = rng.normal(size=(len(groups), 3))
    return X, (X[:, 0] + rng.normal(size=len(groups)) > 0.8).astype(int), groups


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_groups_are_whole_reach_the_models_and_are_averaged():
    X, y, groups = users()
    seen = []

    class Spy(GDPApK):
        def fit(self, X, y, groups=None):
            seen.append(set(groups.tolist()))
            return super().fit(X, y, groups)

    models = {
        "mine": (make_pipeline(StandardScaler(), Spy(top=2, max_iter=20)), {"spy__lam": [0.01, 1.0]}),
        "logistic": LogisticRegression(),
    }
    found = compare(models, X, y, 2, groups=groups, cv=3)
    assert len(found.runs) == 2 * 6
    assert all(len(part) in range(10, 21) for part in seen)  # 2/3 of 30 users, and 2/3 of those
    assert (found.top.k, found.top.depends_on_sample) == (2, False)
    assert " of 2 per group." in found.sentence


def test_rows_of_an_entity_are_together_in_one_list():
    X, y, customers = users()
    found = compare({"logistic": LogisticRegression()}, X, y, 40, entity=customers, cv=3, random_state=7)
    data = Dataset("data", X, y, entity=customers)
    by_hand = []
    for repeat in range(2):
        for fold in make_folds("whole-entities", data, repeat, 7, n_folds=3, inner_folds=2):
            assert not set(customers[fold.train]) & set(customers[fold.test])
            scores = LogisticRegression().fit(X[fold.train], y[fold.train]).decision_function(X[fold.test])
            by_hand.append(precision_at_k(y[fold.test], scores, found.top.resolve(len(fold.test), 1)))
    assert found.runs["value"].tolist() == by_hand
    assert not found.grouped
    again = compare({"one": LogisticRegression()}, *(np.repeat(a, 2, axis=0) for a in (X, y)), 80,
                    entity=np.repeat(customers, 2), cv=3, random_state=7).next  # fmt: skip
    assert again.high - again.low == pytest.approx(2 * (found.next.high - found.next.low), rel=0.15)


ROWS = np.arange(60)


@pytest.mark.parametrize(
    ("cv", "fold"),
    [
        (StratifiedKFold(3, shuffle=True), 0),
        (ShuffleSplit(2, random_state=0), 0),
        ([(ROWS[::2], ROWS[1::2])], 0),
        ([(ROWS[:30], ROWS[30:]), (ROWS[:29], ROWS[29:])], 1),
        ([Fold(ROWS[:20], ROWS[40:], [(ROWS[:20], ROWS[20:41])])], 0),
        ([Fold(ROWS[:20], ROWS[41:], [(ROWS[:20], ROWS[20:41])])], 0),
        ([Fold(ROWS[:30], ROWS[30:], [(ROWS[:15], ROWS[15:30]), (ROWS[:16], ROWS[16:30])])], 0),
    ],
    ids=["stratified", "shuffled", "torn pair", "second", "validation", "validation's", "inner"],
)
@pytest.mark.parametrize("of", ["entity", "groups"])
def test_folds_that_split_an_entity_or_a_group_are_refused(cv, fold, of):
    """Copies of customers on both sides are learnt by heart: labels at random are found again."""
    X, y = np.repeat(np.random.default_rng(0).normal(size=(30, 2)), 2, axis=0), ROWS // 2 % 2
    said = f"fold {fold} of cv must (test rows|keep each {'entity' if of == 'entity' else 'group'} whole)"
    with pytest.raises(ValueError, match=said):
        compare_at_top({"never": Unfitted()}, X, y, 2, cv=cv, verbose=False, **{of: ROWS // 2})
    whole = [(ROWS[:40], ROWS[40:]), (ROWS[20:], ROWS[:20])]
    assert len(compare({"none": DummyClassifier()}, X, y, 2, cv=whole, **{of: ROWS // 2 // 5}).runs) == 2


class Whole(GaussianNB):
    """Counts predictions of entities, the first feature, that it was fitted on in part."""

    torn, fits = 0, 0

    def fit(self, X, y, sample_weight=None):
        Whole.fits += 1
        self.seen_ = set(X[:, 0])
        return super().fit(X, y, sample_weight)

    def predict_proba(self, X):
        Whole.torn += bool(self.seen_ & set(X[:, 0]))
        return super().predict_proba(X)


WITHIN = {
    "search": GridSearchCV(Whole(), {"var_smoothing": [1e-9, 1e-3]}, scoring="roc_auc", cv=3),
    "pipeline of a search": make_pipeline(
        FunctionTransformer(), GridSearchCV(Whole(), {}, scoring=make_top_scorer("precision@k", 3))
    ),
    "own splitter": RandomizedSearchCV(
        Whole(), {"var_smoothing": [1e-9]}, n_iter=1, scoring="roc_auc", cv=GroupKFold(4)
    ),
    "calibration": CalibratedClassifierCV(Whole()),
    "threshold": TunedThresholdClassifierCV(Whole(), thresholds=[0.3, 0.5]),
    "stack of the top": TopStack([("a", Whole()), ("b", CalibratedClassifierCV(Whole(), cv=2))], top=5, cv=3),
    "steady": SteadyTop(TopStack([("a", Whole())], top=5, cv=3)),
    "search of a stack": GridSearchCV(
        TopStack([("a", Whole())], top=5), {"cv": [2, 3]}, scoring="average_precision", cv=2, refit=False
    ),
}


@pytest.mark.parametrize("place", WITHIN)
@pytest.mark.parametrize("of", ["entity", "groups"])
def test_models_that_split_rows_themselves_keep_entities_and_groups_whole(place, of):
    X, y, customers = users()
    X = np.column_stack([customers, X])
    Whole.torn, Whole.fits = 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = candidate.fit(WITHIN[place], X, y, **{of: customers})
    # A steady list is standardised by the scores of its training rows, which all its models have seen.
    assert Whole.torn == (3 if place == "steady" else 0)
    assert Whole.fits > 1
    if place == "pipeline of a search":
        assert model[-1].cv.get_n_splits() == 5


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (StackingClassifier([("a", GaussianNB())], LogisticRegression()), "StackingClassifier splits rows"),
        (GridSearchCV(GaussianNB(), {}, cv=StratifiedKFold(3)), "keep each entity whole: give a cv that"),
        (HistGradientBoostingClassifier(early_stopping=True, max_iter=2), "set early_stopping=False"),
    ],
)
def test_models_that_cannot_keep_entities_whole_say_so(model, said):
    X, y, customers = users()
    with pytest.warns(UserWarning, match=said):
        candidate.fit(model, X, y, entity=customers)
    found = compare({"one": model}, X, y, 40, cv=2, entity=customers)
    assert found.runs["warning"].str.contains(said).all()
    assert found.runs["torn"].map(len).eq(1).all()
    (note,) = found.notes
    assert note.startswith("one: ")
    assert said in note
    assert str(found).endswith(note)
    assert escape(note) in found._repr_html_()


def test_what_is_torn_is_said_beside_other_warnings_and_in_every_process():
    X, y, customers = users()
    early = SGDClassifier(loss="log_loss", early_stopping=True, max_iter=1)
    models = {"early": early, "whole": GaussianNB(), "stack": TopStack([("a", early)], top=5, cv=2)}
    found = compare(models, X, y, 40, cv=3, entity=customers, n_jobs=2)
    said = "SGDClassifier splits rows within its fit by early_stopping and cannot keep each entity whole"
    assert [note.partition(":")[0] for note in found.notes] == ["early", "stack"]
    assert all(said in note for note in found.notes)
    first = found.runs.set_index("model")["warning"]
    assert first["early"].str.startswith(said).all()
    assert first["early"].str.contains("iteration").all()


def test_the_metric_that_weights_choose_is_said():
    X, y, _ = users()
    weight = np.linspace(1, 2, len(y))
    found = compare({"one": GaussianNB()}, X, y, 40, cv=3, sample_weight=weight)
    assert found.notes == (
        "Compared by recall@k, the share of the weight that is captured, for rows have weights.",
    )
    assert found.notes[0] in str(found)
    asked = compare({"one": GaussianNB()}, X, y, 40, cv=3, sample_weight=weight, metric="recall@k")
    assert asked.notes == ()


@pytest.mark.parametrize("metric", ["auc", "ap"])
def test_a_metric_of_the_whole_list_is_said_to_be_of_no_top(metric):
    X, y, _ = users()
    found = compare({"one": GaussianNB(), "two": LogisticRegression()}, X, y, 30, cv=5, metric=metric)
    assert f"{metric} 0." in found.sentence
    assert "over the whole list" in found.sentence
    assert "k=30" not in found.sentence + found.plot().get_xlabel()


@pytest.mark.parametrize(
    "model", [SoftTop(base="svm", bandwidth=1.0, l2_to_base=0.03, cv=3), TopBooster(n_estimators=2, cv=3)]
)
@pytest.mark.parametrize("of", ["entity", "groups"])
def test_refined_models_choose_on_whole_entities_or_groups(model, of, monkeypatch):
    X, y, customers = users()
    module = sys.modules[type(model).__module__]
    weight, torn = np.where(np.arange(len(y)) % 9, 1.0, 0.0), []

    def spy(labels, whole, *rest):
        pairs = tuning_folds(labels, whole, *rest)
        counted = customers if len(labels) == len(y) else customers[weight > 0]
        torn.extend(bool(set(counted[train]) & set(counted[test])) for train, test in pairs)
        return pairs

    monkeypatch.setattr(module, "tuning_folds", spy)
    top = 20 if of == "entity" else 2
    candidate.fit(model.set_params(top=top), X, y, **{of: customers}, sample_weight=weight)
    assert torn == [False] * 3


class Unfitted(LogisticRegression):
    def fit(self, X, y, groups=None):
        raise AssertionError("it was fitted")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"top": 13}, r"undefined in all 10 parts .*k > n \(6\).*, give entity in place of groups"),
        ({"cv": [(np.arange(300), np.arange(299, 360))]}, "fold 0 of cv must test rows, and none"),
    ],
)
def test_groups_tops_and_folds_are_checked_before_the_first_fit(changes, said):
    X, y, groups = users()
    given = {"top": 2, "groups": groups, **changes}
    with pytest.raises(ValueError, match=said):
        compare({"one": Unfitted()}, X, y, given.pop("top"), **given)


def test_a_notebook_shows_the_sentence_the_strip_and_the_table():
    X, y = items()
    found = compare({"logistic": LogisticRegression(), "<b>x": DummyClassifier()}, X, y, cv=2)
    html = found._repr_html_()
    parts = (escape(found.sentence), "<svg", "</svg>", "<table", "verdict", "</table>")
    places = [html.index(part) for part in parts]
    assert places == sorted(places)
    assert html.count("<svg") == 1
    assert "untested" in html  # four runs
    assert "<b>x" not in html


def test_weights_are_what_is_captured_and_reach_fit():
    X, y = items(seed=4)
    amounts = np.random.default_rng(5).lognormal(3, 1.5, len(y))
    folds = StratifiedKFold(3)
    found = compare(PAIR, X, y, sample_weight=amounts, cv=folds)
    by_hand = []
    for train, test in folds.split(X, y):
        model = LogisticRegression().fit(X[train], y[train], sample_weight=amounts[train])
        scores = model.decision_function(X[test])
        by_hand.append(recall_at_k(y[test] == "yes", scores, 20, sample_weight=amounts[test]))
    assert found.runs.loc[found.runs["model"] == "logistic", "value"].tolist() == by_hand
    assert "has recall@k 0." in found.sentence


def test_what_it_says():
    X, y = items()
    found = compare({**PAIR, "twin": LogisticRegression()}, X, y, cv=3)
    k = round(60 * found.table["precision@k"].iloc[0])
    assert found.sentence.startswith(f"logistic and twin find {k} of 60, ")
    assert "Shown to be better than none" in found.sentence
    assert found.table["verdict"].to_dict() == {"logistic": "best", "twin": "best", "none": "behind"}
    assert found.sentence in str(found)
    for top, words in (({"k": 100, "of": 30000}, " of 100, "), ({"tau": 0.1}, " of 60, ")):
        assert words in compare(PAIR, X, y, top, cv=2).sentence


def test_lower_may_be_better():
    X, y = items()
    models = {"noisy": LogisticRegression(C=1e-6), **PAIR}
    loss = custom_metric("misses", f"{__name__}.misses", higher_is_better=False)
    found = compare(models, X, y, metric=loss, cv=3)
    assert found.table.index[-1] == "none"
    assert (found.table["behind"].iloc[1:] >= 0).all()


def misses(y, scores):
    """Negatives among the 20 highest, however ties fall."""
    return float(np.sum(y[np.argsort(-scores, kind="stable")[:20]] == 0))


def test_an_undefined_value_is_left_out_with_its_reason():
    X, y = items(n=200)
    folds = [(np.arange(100), np.arange(100, 200)), (np.arange(100, 200), np.flatnonzero(y == "no")[:50])]
    found = compare(PAIR, X, y, 20, metric="recall@k", cv=folds)
    assert found.runs["reason"].tolist() == ["", "", "no positive", "no positive"]
    assert np.isfinite(found.table["recall@k"]).all()
    assert found.table[["low", "p"]].isna().all(axis=None)


@pytest.fixture(scope="module")
def found():
    return compare(PAIR, *items(), cv=3)


def test_the_figure_has_a_row_a_model_and_chance(found):
    axes = found.plot()
    assert pyplot.gca() is axes  # so that plt.savefig saves it
    pyplot.close()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["logistic", "none"]
    assert "precision@k (k=60 of 600)" in axes.get_xlabel()
    assert [text.get_text() for text in axes.texts] == ["best", "behind", "chance"]
    assert found.plot(axes=axes) is axes


def test_the_curve_of_hits_is_in_items_of_the_list(found):
    axes = found.plot("capacity", axes=Figure().subplots())
    hits = format_hits(found.next.expected, 60)
    expected = f"expect {hits}, in 95% of lists {found.next.low} to {found.next.high}"
    assert axes.texts[0].get_text() == f"budget 60: {expected}"
    curve = {line.get_label(): line.get_xydata() for line in axes.lines}["logistic"]
    at = dict(curve.tolist())
    assert at[0] == 0
    assert at[60] == pytest.approx(60 * found.table.loc["logistic", "precision@k"])
    assert curve[-1, 0] == pytest.approx(180)
    with pytest.raises(ValueError, match="'strip' or 'capacity'"):
        found.plot("lift")


def test_the_next_list_is_that_of_the_best_chosen_among_all():
    X, y = items()
    folds = list(StratifiedKFold(3).split(X, y))
    models = {"logistic": LogisticRegression(), "near": KNeighborsClassifier(15)}
    found = compare(models, X, y, cv=folds)
    assert found.table.index[0] == "logistic"
    hit = (y == "yes").astype(int)
    best, other = (
        [HeldOut(t, hit[t], model.fit(X[f], hit[f]).predict_proba(X[t])[:, 1]) for f, t in folds]
        for model in models.values()
    )
    expected = next_list(best, 60, 600, rivals=[other])
    assert (found.next.expected, found.next.low, found.next.high) == pytest.approx(
        (expected.expected, expected.low, expected.high)
    )
    assert found.next.sentence in str(found)
    legend = found.plot("capacity", Figure().subplots()).get_legend()
    assert "the next list, 95%" in [text.get_text() for text in legend.get_texts()]
    assert compare(models, X, y, cv=folds, metric="recall@k").next is None


def test_share_and_lift_are_the_hits_in_other_units():
    curves = {"a": np.linspace(0, 1, 31)[None] ** 0.5}
    drawn = {}
    for unit in ("hits", "share", "lift"):
        line, *_ = draw_capacity(Figure().subplots(), curves, 10, 200, 40, unit)["a"]
        drawn[unit] = dict(zip(*line.get_data(), strict=True))
    assert set(drawn["hits"]) == set(drawn["share"]) == {*drawn["lift"], 0.0}
    for k, hits in drawn["hits"].items():
        assert drawn["share"][k] == pytest.approx(hits / 40)
        assert k == 0 or drawn["lift"][k] == pytest.approx(hits / (k * 40 / 200))


def test_progress_is_shown_unless_asked_not_to(capsys, monkeypatch):
    X, y = items(n=200)
    monkeypatch.setattr("attop._core.progress._APART", 0.0)
    compare_at_top(PAIR, X, y, 20, cv=2, pos_label="yes")
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith("8 of 8 runs, ")
    assert ["to go" in line for line in lines] == [True] * 7 + [False]
    compare_at_top(PAIR, X, y, 20, cv=2, pos_label="yes", verbose=False)
    assert capsys.readouterr().err == ""


def test_warnings_of_the_models_are_kept_and_not_printed():
    X, y = items(n=200)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = compare({"short": LogisticRegression(max_iter=1)}, X, y, 20, cv=2)
    assert found.runs["warning"].str.contains("failed to converge").all()


ODD = np.arange(200) % 2 == 1


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"models": {}}, ValueError, "models must map names to estimators"),
        ({"models": {" ": DummyClassifier()}}, ValueError, "a model must have a name"),
        ({"models": {"a": type("Fitter", (), {"fit": print})()}}, TypeError, "must be an estimator"),
        ({"X": np.ma.masked_less(np.ones((200, 2)), 2)}, ValueError, "X has masked values"),
        ({"random_state": -1}, ValueError, "random_state must be an integer of at least 0"),
        ({"cv": [(ODD, ~ODD)] * 2}, ValueError, "fold 1 of cv is fold 0 again"),
        ({"cv": [(range(100), [150, 150])]}, ValueError, "fold 0 .* those of test all different"),
        ({"cv": [([range(100)], [150])]}, ValueError, r"fold 0 of cv .* got shapes \(1, 100\)"),
        ({"cv": [(range(1, 200), [0])]}, ValueError, "is the same for any order of the rows in all 1"),
        ({"y": np.array(["1", 0] * 100, object)}, ValueError, "y mixes int and str"),
        ({"models": {1: DummyClassifier(), "1": DummyClassifier()}}, ValueError, "same name as text"),
        ({"cv": []}, ValueError, "cv gives no folds"),
        ({"cv": [([0, 999], [1])]}, ValueError, "fold 0 of cv must be .train, test. rows of 200: index 999"),
        ({"cv": [([0], [1])]}, ValueError, "the training part of fold 0 of cv needs at least 1 positive"),
        ({"sample_weight": [0.0] * 200}, ValueError, "sample_weight is 0 for all rows of a class"),
        ({"y": pd.array([True, None, *[False] * 198], "boolean")}, ValueError, "y has missing values"),
        ({"top": 200}, ValueError, "k=200 is all of the 200 rows"),
        ({"models": {"a": LogisticRegression}}, TypeError, "model 'a' must be an estimator or a pair"),
        ({"top": 201}, ValueError, "asks for 201 of the 200 items .* of X"),
        ({"y": np.zeros(200)}, ValueError, "y must hold two labels, got 1"),
        ({"y": np.zeros(3)}, ValueError, "a label for each of the 200 rows"),
        ({"groups": [1]}, ValueError, "groups must name that of each of the 200 items"),
        ({"entity": [1]}, ValueError, "entity must name that of each of the 200 items"),
        ({"entity": [1] * 200, "groups": [1] * 200}, ValueError, "give groups, .*, or entity, .*: not both"),
        ({"sample_weight": [-1.0] * 200}, ValueError, "sample_weight must be finite and at least 0"),
        (
            {"sample_weight": [1.0] * 200, "metric": "precision@k"},
            ValueError,
            "precision@k takes no sample_weight",
        ),
        ({"metric": "micro-pap@k"}, ValueError, "mean over groups: give groups"),
    ],
)
def test_malformed_input_is_refused_before_anything_is_trained(changes, error, message):
    X, y = items(n=200)
    given = {"models": PAIR, "X": X, "y": y, "top": 20, "verbose": False, **changes}
    given |= {} if "y" in changes else {"pos_label": "yes"}
    with pytest.raises(error, match=message):
        compare_at_top(**given)


def test_masks_and_other_sparse_matrices_are_rows():
    X, y = items(n=200)
    test = np.arange(200) % 2 == 0
    masks = compare(PAIR, coo_array(X), y, 20, cv=[(test, ~test), (~test, test)]).runs["value"]
    rows = [(np.flatnonzero(a), np.flatnonzero(~a)) for a in (test, ~test)]
    assert masks.tolist() == compare(PAIR, csr_array(X), y, 20, cv=rows).runs["value"].tolist()


def test_models_that_all_fail_are_refused_with_the_first_reason():
    X, y = items(n=200)
    model = make_pipeline(SimpleImputer(strategy="nonsense"), LogisticRegression())
    with pytest.raises(ValueError, match=r"each of the 4 runs raised .* 'mine': .*strategy") as caught:
        compare({"mine": model}, X, y, 20, cv=2)
    assert "model 'mine' was fitted on" in str(caught.value)


def test_models_of_a_list_and_the_one_to_beat_go_by_their_classes():
    X, y = items(n=200)
    models = [
        LogisticRegression(),
        make_pipeline(StandardScaler(), LogisticRegression(C=0.1)),
        (DummyClassifier(), {}),
    ]
    found = compare(models, X, y, 20, cv=3, against="DummyClassifier")
    assert set(found.table.index) == {"LogisticRegression 1", "LogisticRegression 2", "DummyClassifier"}
    assert "As asked beforehand, " in found.sentence
    with pytest.raises(ValueError, match="did you mean 'DummyClassifier'"):
        compare(models, X, y, 20, against="Dummyclassifier")


def test_text_without_a_pipeline_is_refused_with_the_recipe():
    X, y = items(n=200)
    frame = pd.DataFrame(X).assign(town="Bonn")
    with pytest.raises(ValueError, match=r"logistic takes numbers only.*\n.*OneHotEncoder"):
        compare({"logistic": LogisticRegression()}, frame.rename(columns=str), y, 20, cv=2)


def test_two_models_chosen_afterwards_are_said_to_be():
    found = compare({**PAIR, "again": LogisticRegression(C=1e-4)}, *items(n=200), top=20, cv=5)
    best, other = found.table.index[:2]
    said = found.between(other, best)
    assert said == found.between(best, other)
    assert said.startswith(f"Chosen afterwards, of 3 pairs: {best} (")
    assert f" {other} (" in said
    assert "(p " in said
    for pair in ((best, best), (best, "x")):
        with pytest.raises(ValueError, match="two of the models"):
            found.between(*pair)
