"""
What will the next list hold?
=============================

How many positives to expect in the next list, and how many rows of it can be wrong at most.
"""

from matplotlib.figure import Figure
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from attop import compare_at_top
from attop.selection import ConformalSelector

X, y = make_classification(6000, 8, weights=[0.9], class_sep=0.7, random_state=0)
models = {
    "logistic regression": LogisticRegression(),
    "boosting": HistGradientBoostingClassifier(max_iter=50),
}

# %%
# The grey band is of the next list by the best of the two. It holds for every k at once.
found = compare_at_top(models, X[:4000], y[:4000], top=100, verbose=False)
found.plot("capacity")

# %%
# Rows that no model was trained on bound the wrong rows of every list that can be cut, all bounds at once.
model = HistGradientBoostingClassifier(max_iter=50).fit(X[:2000], y[:2000])
path = ConformalSelector(model).fit(X[2000:4000], y[2000:4000]).path(X[4000:])
figure = Figure(figsize=(6.4, 3.6), layout="constrained")
axes = figure.subplots()
scores = model.decision_function(X[4000:])
wrong = [(1 - y[4000:])[scores >= cut].sum() for cut in path.threshold]
axes.step(path.size, path.wrong, where="post", label="wrong at most, in 9 of 10 cases")
axes.step(path.size, wrong, where="post", label="wrong in truth")
axes.fill_between(
    path.size, path.wrong, path.size, step="post", alpha=0.2, color="tab:green", label="right at least"
)
axes.set(xlabel="rows of the list", ylabel="wrong rows", xlim=(0, 300), ylim=(0, 300))
axes.legend()
figure
