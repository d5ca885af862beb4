"""The conformance suite: every method here passes it, and a broken one fails the check it breaks."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_array, check_X_y, validate_data

from attop import estimators
from attop.cli.main import main
from attop.conformance import CHECKS, check_all
from attop.conformance.method import Method
from support import hostile_methods
from support.every_estimator import CHEAP, COMPOSITES, NAMES

TITLES = {check.function.__name__: check.title for check in CHECKS}


def results(kind, **params):
    return {r.check.function.__name__: r for r in check_all(Method(kind, params))}


def failures(kind, **params):
    return {name: r.reason for name, r in results(kind, **params).items() if r.status == "FAIL"}


# --- Methods that are sound ---------------------------------------------------------------------------


class Sound(hostile_methods.Fine):
    """The difference of the class means, with its input checked."""

    def __init__(self, shift=0.0, random_state=None):
        self.shift = shift
        self.random_state = random_state

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        if len(np.unique(y)) < 2:
            raise ValueError("two classes are needed")
        return super().fit(X, y)

    def decision_function(self, X):
        return validate_data(self, X, reset=False) @ self.direction_


class ByProbability(BaseEstimator):
    """Has predict_proba only, groups, a top and fit_many; no classes_, no random_state."""

    def __init__(self, top=5):
        self.top = top

    def fit(self, X, y, groups=None):
        X, y = check_X_y(X, y)
        if groups is not None and len(groups) != len(y):
            raise ValueError("a group per item")
        self.model_ = LogisticRegression().fit(X, y)
        return self

    def fit_many(self, X, y, groups=None, *, settings):
        return [type(self)(**{**self.get_params(), **s}).fit(X, y, groups) for s in settings]

    def predict_proba(self, X):
        return self.model_.predict_proba(check_array(X))


@pytest.mark.workflow
@pytest.mark.parametrize("name", NAMES + COMPOSITES)
def test_every_estimator_of_attop_passes(name):
    found = results(getattr(estimators, name), **CHEAP.get(name, {}))
    assert {n: r.reason for n, r in found.items() if r.status == "FAIL"} == {}
    skipped = {n for n, r in found.items() if r.status == "not applicable"}
    assert skipped <= {"takes_top", "takes_sparse"}


@pytest.mark.parametrize("kind", [Sound, ByProbability, LogisticRegression])
def test_other_sound_methods_pass(kind):
    found = results(kind)
    assert list(found) == list(TITLES)
    assert {n: r.reason for n, r in found.items() if r.status == "FAIL"} == {}
    assert found["takes_top"].status == ("ok" if kind is ByProbability else "not applicable")
    assert found["fits_many"].status == found["takes_groups"].status == found["takes_top"].status


# --- Methods that are broken in one way ---------------------------------------------------------------


class NeedsArgument(Sound):
    def __init__(self, weight):
        self.weight = weight


class ChangesInConstructor(Sound):
    def __init__(self, shift=(1, 2)):
        self.shift = list(shift)


class TakesAnyParameter(Sound):
    def set_params(self, **params):
        for name, value in params.items():
            setattr(self, name, value)
        return self


class ReturnsNothing(Sound):
    def fit(self, X, y):
        super().fit(X, y)


class ClonesItsModel(Sound):
    def __sklearn_clone__(self):
        copy = type(self)(**self.get_params())
        copy.direction_ = self.direction_
        return copy


class Reversed(Sound):
    def decision_function(self, X):
        return -super().decision_function(X)


class ClassesReversed(Sound):
    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.classes_[::-1]
        return self


class ChangesParameter(Sound):
    def fit(self, X, y):
        self.shift = 1.0
        return super().fit(X, y)


class ChangesInput(Sound):
    def fit(self, X, y):
        super().fit(X, y)
        X -= X.mean(axis=0)
        return self


class Undecided(Sound):
    """Scores by chance beside what it learnt."""

    def decision_function(self, X):
        return super().decision_function(X) + 1e-3 * np.random.random(len(X))  # noqa: NPY002


class GlobalGenerator(Sound):
    def fit(self, X, y):
        super().fit(X, y)
        self.direction_ = self.direction_ + 1e-3 * np.random.random()  # noqa: NPY002
        return self


class ScoresByPosition(Sound):
    """Ties are broken by the position among the items, the same however often."""

    def decision_function(self, X):
        return super().decision_function(X) + 1e-6 * np.arange(len(X))


class ScoresByRank(Sound):
    """Equal scores for equal items in any order; but an item's rank is not its own."""

    def decision_function(self, X):
        scores = super().decision_function(X)
        return np.searchsorted(np.sort(scores), scores).astype(float)


class RemembersFits(Sound):
    def fit(self, X, y):
        before = getattr(self, "direction_", 0.0)
        super().fit(X, y)
        self.direction_ = self.direction_ + 0.5 * before
        return self


class NotPickled(Sound):
    def fit(self, X, y):
        super().fit(X, y)
        self.function = lambda: 0
        return self


class TopIsNumber(Sound):
    def __init__(self, top=5):
        self.top = top

    def fit(self, X, y):
        int(self.top)
        return super().fit(X, y)


class ManyInWrongOrder(ByProbability):
    def __init__(self, top=5, scale=1.0):
        self.top = top
        self.scale = scale

    def fit(self, X, y, groups=None):
        super().fit(X, y, groups)
        self.model_.coef_ *= getattr(self.top, "k", None) or 1
        return self

    def fit_many(self, X, y, groups=None, *, settings):
        return super().fit_many(X, y, groups, settings=settings)[::-1]


class Divides(Sound):
    """By the spread of each feature."""

    def fit(self, X, y):
        super().fit(X, y)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.direction_ = self.direction_ / np.std(np.asarray(X), axis=0)
        return self


class NeedsTwoPositives(Sound):
    def fit(self, X, y):
        super().fit(X, y)
        self.second_ = np.flatnonzero(y)[1]
        return self


class AnyClass(Sound):
    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        return hostile_methods.Fine.fit(self, X, y)


class AnyNumber(Sound):
    def fit(self, X, y):
        X, y = validate_data(self, X, y, ensure_all_finite=False)
        return super(Sound, self).fit(X, y)

    def decision_function(self, X):
        return validate_data(self, X, reset=False, ensure_all_finite=False) @ self.direction_


class AnyLength(Sound):
    def fit(self, X, y):
        return super().fit(X[: len(y)], y)


class AnyColumns(Sound):
    def decision_function(self, X):
        X = check_array(X)
        return X @ self.direction_[: X.shape[1]]


class TripsOverSparse(Sound):
    def fit(self, X, y):
        X.tolist()
        return super().fit(X, y)


class OneGroupOnly(ByProbability):
    def fit(self, X, y, groups=None):
        if groups is not None and len(groups) == len(y) and len(np.unique(groups)) > 1:
            raise ValueError("one group is all it knows")
        return super().fit(X, y, groups)


class NoTies(Sound):
    def fit(self, X, y):
        super().fit(X, y)
        if len(np.unique(np.asarray(X), axis=0)) < len(X):
            raise ValueError("equal items")
        return self


class StartsThread(Sound):
    def fit(self, X, y):
        thread = threading.Thread(target=lambda: None)
        thread.start()
        thread.join()
        return super().fit(X, y)


class LeavesProcess(Sound):
    left: list = []  # noqa: RUF012

    def fit(self, X, y):
        program = "import sys; sys.stdin.read()"
        self.left.append(subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE))
        return super().fit(X, y)


BROKEN = {
    NeedsArgument: "is_made",
    ChangesInConstructor: "says_its_parameters",
    TakesAnyParameter: "refuses_unknown_parameters",
    ReturnsNothing: "fits",
    ClonesItsModel: "clones",
    Reversed: "ranks",
    ClassesReversed: "names_classes",
    ChangesParameter: "keeps_parameters",
    ChangesInput: "keeps_input",
    Undecided: "scores_twice",
    GlobalGenerator: "repeats",
    ScoresByRank: "scores_items_alone",
    RemembersFits: "learns_nothing_from_before",
    NotPickled: "pickles",
    TopIsNumber: "takes_top",
    ManyInWrongOrder: "fits_many",
    NeedsTwoPositives: "takes_one_positive",
    AnyClass: "takes_one_class",
    AnyLength: "takes_wrong_lengths",
    AnyColumns: "takes_wrong_columns",
    TripsOverSparse: "takes_sparse",
    OneGroupOnly: "takes_groups",
    NoTies: "takes_ties",
    StartsThread: "uses_one_thread",
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", BROKEN, ids=lambda kind: kind.__name__)
def test_a_broken_method_fails_the_check_it_breaks_and_no_other(kind):
    found = failures(kind)
    assert list(found) == [BROKEN[kind]], found
    assert found[BROKEN[kind]]


@pytest.mark.parametrize(
    ("kind", "checks"),
    [
        (ScoresByPosition, {"scores_in_any_order", "scores_items_alone", "scores_equal_items_equally"}),
        (Divides, {"takes_constant_feature", "takes_constant_features"}),
        (AnyNumber, {"takes_nan", "takes_infinities", "takes_one_class"}),
    ],
)
def test_what_breaks_several(kind, checks):
    assert set(failures(kind)) == checks


def test_processes_that_are_left_are_counted():
    try:
        assert list(failures(LeavesProcess)) == ["leaves_no_process"]
    finally:
        for process in LeavesProcess.left:
            process.communicate()


@pytest.mark.workflow
def test_each_check_can_fail():
    several = {"scores_in_any_order", "scores_equal_items_equally", "takes_constant_feature"}
    several |= {"takes_constant_features", "takes_nan", "takes_infinities"}
    others = {"gives_scores", "leaves_no_process"}  # by the hostile methods, and by LeavesProcess
    assert {*BROKEN.values()} | several | others == set(TITLES)


@pytest.mark.parametrize(
    ("name", "check", "words"),
    [
        ("Raises", "fits", "RuntimeError: no wish to learn"),
        ("OutOfMemory", "fits", "MemoryError"),
        ("CallsExit", "fits", "SystemExit: 0"),
        ("NaNScores", "gives_scores", "60 scores that are NaN or infinite"),
        ("NaNWeights", "gives_scores", "coef_ is NaN or infinite"),
        ("WrongLength", "gives_scores", "shape (59,) for 60 items"),
        ("Undecided", "ranks", "of the pairs"),
    ],
)
def test_hostile_methods(name, check, words):
    found = results(getattr(hostile_methods, name))
    assert found[check].status == "FAIL"
    assert words in found[check].reason
    if check != "ranks":
        assert found["ranks"].reason == f"presupposes: {TITLES[check]}"


# --- The command --------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """Threads set by the command are for it alone."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, "1")


def command(capsys, *arguments):
    status = main(["check-method", *arguments])
    said = capsys.readouterr()
    return status, said.out.splitlines(), said.err


@pytest.mark.workflow
def test_the_command_says_a_line_per_check(capsys):
    status, lines, _ = command(capsys, "sklearn.linear_model.LogisticRegression", "--param", "C=0.5")
    assert status == 0
    assert len(lines) == len(CHECKS) + 2
    assert f"ok              {TITLES['fits']}" in lines
    assert lines[0] == (
        "sklearn.linear_model.LogisticRegression can take part in the benchmark: "
        "29 checks ok, 0 failed, 3 not applicable"
    )
    status, lines, _ = command(capsys, "test_conformance.Reversed")
    assert status == 1
    (failed,) = (line for line in lines if line.startswith("FAIL"))
    assert lines.index(failed) == 2  # what failed comes first
    assert failed.startswith(f"FAIL            {TITLES['ranks']}: a positive is above a negative in ")


@pytest.mark.workflow
@pytest.mark.skipif(sys.platform != "linux", reason="a process is watched on Linux only")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Crashes", "SIGSEGV"),
        ("ExitsAtOnce", "ended its process with status 0"),
        ("LoopsForEver", "its limit of 1 s"),
    ],
)
def test_the_command_outlives_the_method(capsys, name, words):
    status, lines, _ = command(capsys, f"support.hostile_methods.{name}", "--seconds", "1")
    assert status == 1
    assert lines[0].endswith(f" fails: 3 checks ok, 1 failed, {len(CHECKS) - 4} not applicable")
    assert words in next(line for line in lines if line.startswith("FAIL"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.Class"], "'nowhere.Class' cannot be imported: No module named 'nowhere'"),
        (["Class"], "a dotted path is needed"),
        (["test_conformance.Sound", "--param", "C"], "--param wants NAME=VALUE, got 'C'"),
    ],
)
def test_the_command_refuses(capsys, arguments, words):
    status, lines, error = command(capsys, *arguments)
    assert (status, lines) == (1, [])
    assert words in error
