"""
How long may the list be?
=========================

Hits among the first k, for every k: how much is lost if there is time for fewer, or gained with more.
"""

from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from attop import compare_at_top

shape = {"n_informative": 3, "n_redundant": 0, "n_clusters_per_class": 3, "class_sep": 1.2}
X, y = make_classification(3000, 6, weights=[0.95], random_state=0, **shape)
models = {
    "logistic regression": LogisticRegression(),
    "boosting": HistGradientBoostingClassifier(max_iter=50),
}
found = compare_at_top(models, X, y, top=60, verbose=False)
found.plot("capacity")
