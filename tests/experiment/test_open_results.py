"""What a comparison hands out: scores, models, failures, several tops, metrics of functions, amounts."""

import inspect
import typing
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, brier_score_loss
from sklearn.model_selection import FixedThresholdClassifier, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from attop import SGDAtK, Top, compare_at_top
from attop.experiment import TopComparison, TopComparisons, next_list
from attop.experiment._learner import Learner
from attop.metrics import custom_metric, get_metric, precision_at_k

pytestmark = pytest.mark.workflow

RNG = np.random.default_rng(7)
N = 240
X = RNG.normal(size=(N, 3))
Y = (X[:, 0] + RNG.normal(size=N) > 1).astype(int)
PAIR = {"logistic": LogisticRegression(), "none": DummyClassifier()}


def compare(models=PAIR, X=X, y=Y, top=24, **options):
    return compare_at_top(models, X, y, top, **{"verbose": False, "cv": 3, **options})


def test_scores_of_every_held_out_row_give_the_values_of_the_runs():
    found = compare(groups=None)
    scores = found.scores
    assert list(scores) == ["model", "repeat", "fold", "row", "y", "score"]
    assert len(scores) == 2 * 2 * N  # models, repeats
    np.testing.assert_array_equal(scores["y"], Y[scores["row"]])
    parts = scores.groupby(["model", "repeat", "fold"], observed=True)
    by_hand = parts.apply(lambda part: precision_at_k(part["y"], part["score"], {"k": 24, "of": N}))
    values = found.runs.set_index(["model", "repeat", "fold"])["value"]
    assert by_hand.to_dict() == values.to_dict()
    tested = [one for one, model in zip(found.held_out, found.runs["model"], strict=True) if model == "none"]
    assert len(next_list(tested, 24, N).ks)


def test_models_are_kept_if_asked_for_and_score_as_they_did():
    assert "estimator" not in compare().runs
    found = compare(return_estimator=True)
    for row, held_out in zip(found.runs.itertuples(), found.held_out, strict=True):
        np.testing.assert_array_equal(
            row.estimator.predict_proba(X[held_out.rows])[:, 1], held_out.y_score
        ) if row.model == "none" else np.testing.assert_array_equal(
            row.estimator.decision_function(X[held_out.rows]), held_out.y_score
        )


class Raises(GaussianNB):
    """Raises on training parts without the first row."""

    def fit(self, X, y):
        if not (globals()["X"][0] == X).all(axis=1).any():
            raise RuntimeError("no first row")
        return super().fit(X, y)


class ScoresNothing(GaussianNB):
    def predict_proba(self, X):
        return np.full((len(X), 2), np.nan)


def test_a_model_that_raises_has_a_reason_and_the_others_go_on():
    found = compare({**PAIR, "sometimes": Raises(), "never": ScoresNothing()})
    plain = compare()
    for name in PAIR:
        mine, alone = (one.runs[one.runs["model"] == name]["value"] for one in (found, plain))
        assert mine.tolist() == alone.tolist()
    failed = found.runs[found.runs["failed"]]
    assert failed["model"].value_counts().to_dict() == {"never": 6, "sometimes": 2}
    assert failed["value"].isna().all()
    reasons = failed.groupby("model")["reason"].first()
    assert reasons["sometimes"].startswith("RuntimeError: no first row (while model 'sometimes' was fitted")
    assert reasons["never"].startswith("FloatingPointError: ")
    assert found.table.loc["never", "verdict"] == "absent"
    assert found.notes[0].startswith("sometimes failed in 2 of 6 runs: RuntimeError: no first row")
    assert found.notes[1].startswith("never failed in 6 of 6 runs: FloatingPointError")
    assert all(note in str(found) for note in found.notes)
    assert [one is None for one in found.held_out] == found.runs["failed"].tolist()
    assert found.next.sentence == plain.next.sentence  # of models with all their runs
    assert set(found.scores["model"]) == {*PAIR, "sometimes"}
    for kind in ("strip", "capacity"):
        found.plot(kind)
    assert "sometimes failed in 2 of 6 runs" in found._repr_html_()


def test_a_page_of_a_comparison_in_which_a_model_failed(tmp_path):
    compare({**PAIR, "never": ScoresNothing()}).report(tmp_path / "page.html")
    assert "FloatingPointError" in (tmp_path / "page.html").read_text()


def test_several_tops_are_the_comparisons_at_each():
    models = {**PAIR, "sgd": SGDAtK(epochs=2)}
    found = compare(models, top=[12, 24, "5%", 0.2])
    assert isinstance(found, TopComparisons)
    assert list(found) == [Top(k=12), Top(k=24), Top(tau=0.05), Top(tau=0.2)]
    for top in (12, 24, "5%", 0.2):
        alone = compare(models, top=top)
        shown = [one.table.drop(columns="seconds") for one in (found[top], alone)]
        pd.testing.assert_frame_equal(*shown)
        assert found[top].sentence == alone.sentence
    assert found.table.index.names == ["top", "model"]
    assert len(found.runs) == 4 * 3 * 6
    text = str(found)
    assert all(f"At {top}:" in text for top in ("k=12", "k=24", "tau=0.05", "tau=0.2"))
    assert found._repr_html_().count("<h4>") == 4
    with pytest.raises(KeyError):
        found[13]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top": []}, "top is an empty list"),
        ({"top": [24, {"k": 24}]}, "top names k=24 twice"),
        ({"top": [24, N]}, "k=240 is all of the 240 rows"),
        ({"top": [12, 24], "metric": "auc"}, "auc is of the whole list and has one value"),
        ({"amount": np.ones(N), "metric": "precision@k"}, "precision@k takes no amount: choose amount@k"),
        ({"amount": -np.ones(N)}, "amount must be finite and at least 0"),
        ({"amount": np.zeros(N)}, "amount is 0 for all positives"),
        ({"amount": np.where(Y, 0.0, 1.0)}, "amount is 0 for all positives"),
        (
            {"metric": brier_score_loss},
            r"(?s)lower .*custom_metric\('brier_score_loss', .*higher_is_better=False",
        ),
        ({"metric": "sklearn.metrics.log_loss"}, "log_loss is better the lower it is, by its name"),
        ({"metric": "sklearn.metrics.nothing"}, "has no nothing"),
        ({"metric": "precison@k"}, "did you mean 'precision@k'"),
        ({"by": "region"}, "by must be a column of X or an array, got 'region': it has no names"),
        ({"by": np.arange(N)}, "by has 240 different values, at most 50"),
        ({"by": [1, 2]}, r"a value for each of the 240 rows of X, got shape \(2,\)"),
    ],
)
def test_what_does_not_fit_is_refused_before_the_first_fit(options, message):
    class Unfitted(LogisticRegression):
        def fit(self, X, y):
            raise AssertionError("fitted")

    with pytest.raises(ValueError, match=message):
        compare({"a": Unfitted()}, **options)


def hits(y_true, y_score, k):
    return y_true[np.argsort(-y_score, kind="stable")[:k]].sum() / k


def test_a_function_is_a_metric():
    logistic = {"logistic": LogisticRegression()}
    plain = compare(logistic).runs["value"].tolist()
    for metric in (hits, precision_at_k, get_metric("precision@k"), f"{__name__}.hits"):
        assert compare(logistic, metric=metric).runs["value"].tolist() == plain
    for metric in (average_precision_score, "sklearn.metrics.average_precision_score"):
        found = compare(logistic, metric=metric)
        assert found.metric == "average_precision_score"
        scores = found.scores.groupby(["repeat", "fold"])
        by_hand = scores.apply(lambda part: average_precision_score(part["y"], part["score"]))
        np.testing.assert_allclose(found.runs["value"], by_hand)
    brier = custom_metric("brier", brier_score_loss, higher_is_better=False)
    proba = {"a": GaussianNB(), "b": DummyClassifier(strategy="constant", constant=1)}
    assert compare(proba, metric=brier).table.index.tolist() == ["a", "b"]
    with pytest.raises(TypeError, match="a name, a Metric or a function"):
        compare(logistic, metric=3)


def test_amounts_are_what_is_found_and_reach_no_model():
    amount = RNG.lognormal(3, 1, N)
    folds = StratifiedKFold(3)
    found = compare(amount=amount, cv=folds)
    by_hand = []
    for train, test in folds.split(X, Y):
        scores = LogisticRegression().fit(X[train], Y[train]).decision_function(X[test])
        first = test[np.argsort(-scores)[:8]]
        by_hand.append((amount * Y)[first].sum() / 8)
    values = found.runs.loc[found.runs["model"] == "logistic", "value"]
    np.testing.assert_allclose(values, by_hand)
    assert found.metric == "amount@k"
    assert found.notes == ("Compared by amount@k, the sum that is found, for rows have amounts.",)
    weights = RNG.uniform(1, 2, N)
    both = compare(amount=amount, sample_weight=weights, metric="amount-share@k", cv=folds)
    train, test = next(folds.split(X, Y))
    model = LogisticRegression().fit(X[train], Y[train], sample_weight=weights[train])
    first = test[np.argsort(-model.decision_function(X[test]))[:8]]
    share = (amount * Y)[first].sum() / (amount * Y)[test].sum()
    assert both.runs["value"].iloc[0] == pytest.approx(share)


class Keeps(ClassifierMixin, BaseEstimator):
    """Keeps its parameters, whose defaults are no None."""

    def __init__(self, top=3, random_state=42, seed=None):
        self.top, self.random_state, self.seed = top, random_state, seed

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0]


def test_what_is_not_none_is_never_overwritten():
    models = {
        "default": Keeps(),
        "equal to the default": Keeps(top=3, random_state=42),
        "open": Keeps(top=None, random_state=None),
        "pipeline": make_pipeline(StandardScaler(), Keeps(random_state=0)),
        "zero": SGDAtK(epochs=1, random_state=0, top={"kappa": 0.25}),
        "sgd": SGDAtK(epochs=1),
    }
    set_to = {}
    for name, model in models.items():
        fitted = Learner.of(name, model).seeded(7, Top(k=5))
        parameters = fitted.get_params()
        set_to[name] = next((parameters[p], parameters[p[: -len("random_state")] + "top"])
                            for p in parameters if p.endswith("random_state"))  # fmt: skip
    assert set_to == {
        "default": (42, 3),
        "equal to the default": (42, 3),
        "open": (7, Top(k=5)),
        "pipeline": (0, 3),
        "zero": (0, {"kappa": 0.25}),
        "sgd": (7, Top(k=5)),
    }


def test_a_configuration_says_what_was_written_on_purpose():
    for fixed, expected in (((), (7, Top(k=5))), (("random_state",), (42, Top(k=5))), (("top",), (7, 3))):
        fitted = Learner("own", Keeps(), fixed=fixed).seeded(7, Top(k=5))
        assert (fitted.random_state, fitted.top) == expected


def test_an_open_seed_is_zero_alone():
    for model in (SGDAtK(epochs=1), SGDAtK(epochs=1, random_state=None)):
        np.testing.assert_array_equal(model.fit(X, Y).coef_, SGDAtK(epochs=1, random_state=0).fit(X, Y).coef_)


@pytest.mark.parametrize("named", ["yes", "no"])
def test_a_model_that_names_the_positive_label_means_the_same_one(named):
    words = np.where(Y if named == "yes" else 1 - Y, "yes", "no")
    models = {
        "ours": SGDAtK(epochs=1, pos_label=named),
        "inside": make_pipeline(StandardScaler(), SGDAtK(epochs=1, pos_label=named)),
        "threshold": FixedThresholdClassifier(LogisticRegression(), pos_label=named),
    }
    found = compare(models, y=words, pos_label=named)
    assert not found.runs["failed"].any()
    plain = {
        "ours": SGDAtK(epochs=1),
        "inside": make_pipeline(StandardScaler(), SGDAtK(epochs=1)),
        "threshold": LogisticRegression(),
    }
    assert found.runs["value"].tolist() == compare(plain).runs["value"].tolist()
    assert models["ours"].pos_label == named
    with pytest.raises(ValueError, match=r"model 'a' has pos_label='other', and '(yes|no)' is positive"):
        compare({"a": SGDAtK(pos_label="other")}, y=words, pos_label=named)
    with pytest.raises(ValueError, match="model 'a' has pos_label=0, and 1 is positive"):
        compare({"a": SGDAtK(pos_label=0)})
    assert not compare({"a": SGDAtK(pos_label=1)}).runs["failed"].any()


class HearsNames(LogisticRegression):
    """Uses one column by its name."""

    def fit(self, X, y):
        super().fit(np.asarray(X["amount"]).reshape(-1, 1), y)
        return self

    def decision_function(self, X):
        return super().decision_function(np.asarray(X["amount"]).reshape(-1, 1))


@pytest.mark.parametrize("library", ["pandas", "pyarrow", "polars"])
def test_frames_reach_the_models_as_they_are(library):
    module = pytest.importorskip(library)
    columns = {"amount": X[:, 0], "age": X[:, 1], "debt": X[:, 2]}
    frame = {"pandas": "DataFrame", "pyarrow": "table", "polars": "DataFrame"}[library]
    table = getattr(module, frame)(columns)
    models = {
        "names": HearsNames(),
        "columns": make_pipeline(
            make_column_transformer((StandardScaler(), ["amount", "debt"])), LogisticRegression()
        ),
        "ours": SGDAtK(epochs=1),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        found = compare(models, table, top=[24, "5%"], by=columns["age"] > 0)
    assert not found.runs["failed"].any(), found.runs["reason"].tolist()
    plain = compare(models, pd.DataFrame(columns), top=[24, "5%"])
    assert found.runs["value"].tolist() == plain.runs["value"].tolist()


def test_types_say_what_comes_back_for_one_top_and_for_several():
    declared = typing.get_overloads(compare_at_top)
    assert [typing.get_type_hints(one)["return"] for one in declared] == [TopComparison, TopComparisons]
    for one in declared:
        parameters = inspect.signature(one).parameters.values()
        expected = inspect.signature(compare_at_top).parameters.values()
        assert [(p.name, p.kind) for p in parameters] == [(p.name, p.kind) for p in expected]
