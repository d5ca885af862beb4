"""Methods that are sound, and methods that are broken in one way each."""

import subprocess
import sys
import threading

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_array, check_X_y, validate_data

from support import hostile_methods


class Sound(hostile_methods.Fine):
    """The difference of the class means, with its input checked."""

    def __init__(self, shift=0.0, random_state=None):
        self.shift = shift
        self.random_state = random_state

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        if len(np.unique(y)) < 2:
            raise ValueError("two classes are needed")
        return super().fit(X, y == y.max())  # 1 and 2 in checks of scikit-learn 1.6

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

    def fit_many(self, X, y, groups=None, *, candidates):
        return [type(self)(**{**self.get_params(), **s}).fit(X, y, groups) for s in candidates]

    def predict_proba(self, X):
        return self.model_.predict_proba(check_array(X))


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


class Reversed(Sound):
    def decision_function(self, X):
        return -super().decision_function(X)


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


class NotPickled(Sound):
    def fit(self, X, y):
        super().fit(X, y)
        self.function_ = lambda: 0
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

    def fit_many(self, X, y, groups=None, *, candidates):
        return super().fit_many(X, y, groups, candidates=candidates)[::-1]


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
    ChangesInConstructor: "keeps_its_parameters",
    TakesAnyParameter: "refuses_unknown_parameters",
    ReturnsNothing: "fits",
    Reversed: "ranks",
    ChangesParameter: "changes_no_parameter",
    ChangesInput: "keeps_input",
    Undecided: "scores_twice",
    GlobalGenerator: "repeats",
    ScoresByRank: "scores_items_alone",
    NotPickled: "pickles",
    TopIsNumber: "takes_top",
    ManyInWrongOrder: "fits_many",
    NeedsTwoPositives: "takes_one_positive",
    AnyClass: "takes_one_class",
    AnyLength: "takes_wrong_shapes",
    AnyColumns: "takes_wrong_shapes",
    TripsOverSparse: "takes_sparse",
    OneGroupOnly: "takes_groups",
    NoTies: "takes_ties",
    StartsThread: "uses_one_thread",
}
