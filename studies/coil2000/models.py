"""Models of CoIL 2000's customers, which know which of their features are of one kind."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB

from attop.extending import Floats
from attop.learners import TopStack
from studies.coil2000.customers import KEY, POLICY_LEVELS


class PolicyBayes(ClassifierMixin, BaseEstimator):
    """Naive Bayes on the classes of the policies, as the competition's winner had it."""

    def __init__(self, alpha: float = 1.0):
        self.alpha = alpha

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Count the classes of the policies of positives and negatives."""
        self.model_ = MultinomialNB(alpha=self.alpha).fit(_levels(X), y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probabilities of both classes."""
        return self.model_.predict_proba(_levels(X))


def _levels(X: ArrayLike) -> Floats:
    # One of each kind is 1, so that the multinomial model is the categorical one; scaled, 1 is above 0.
    return (np.asarray(X)[:, POLICY_LEVELS] > 0).astype(np.float64)


class PolicyLogistic(LogisticRegression):
    """Logistic regression on the policies and the demography that bears on buying alone."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit as scikit-learn's, on those features."""
        return super().fit(np.asarray(X)[:, KEY], y, sample_weight)

    def decision_function(self, X: Any) -> Any:
        """Return the log-odds."""
        return super().decision_function(np.asarray(X)[:, KEY])


def _members(random_state: Any) -> list[tuple[str, Any]]:
    boosting = HistGradientBoostingClassifier(
        max_iter=150,
        learning_rate=0.05,
        max_leaf_nodes=4,
        max_features=0.4,
        l2_regularization=5.0,
        early_stopping=False,
        random_state=random_state,
    )
    return [
        ("naive Bayes", PolicyBayes()),
        ("logistic regression", PolicyLogistic(C=0.03, max_iter=500)),
        ("boosting", boosting),
    ]


class PolicyBlend(ClassifierMixin, BaseEstimator):
    """Mean log-odds of naive Bayes, logistic regression and boosting, each fitted on all rows."""

    def __init__(self, random_state: int | None = 0):
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the members."""
        self.members_ = [clone(member).fit(X, y) for _, member in _members(self.random_state)]
        self.classes_ = self.members_[0].classes_
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the mean log-odds."""
        odds = [np.clip(m.predict_proba(X)[:, 1], 1e-6, 1 - 1e-6) for m in self.members_]
        return np.mean([np.log(p / (1 - p)) for p in odds], axis=0)


class PolicyStack(TopStack):
    """`TopStack` of the members of `PolicyBlend`."""

    def __init__(self, top: Any = None, cv: int = 5, random_state: int | None = 0):
        super().__init__(_members(random_state), top=top, cv=cv, random_state=random_state)
