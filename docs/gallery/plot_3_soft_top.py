"""
SoftTop beside logistic regression
==================================

The sure positives lie along one direction, the many along another. A linear model for all rows takes the
second, one refined for the top takes the first.
"""

import numpy as np
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression

from attop import SoftTop
from attop.metrics import precision_at_k

rng = np.random.default_rng(0)
X = rng.normal(size=(6000, 2))
log_odds = 0.8 * X[:, 0] - 3.2 + 9 * (X[:, 1] > 2.1)
y = rng.random(6000) < 1 / (1 + np.exp(-log_odds))
train, test = slice(0, 3000), slice(3000, 6000)

figure = Figure(figsize=(7, 3.4), layout="constrained")
for axes, model in zip(
    figure.subplots(1, 2, sharey=True), (LogisticRegression(), SoftTop(top=50)), strict=True
):
    scores = model.fit(X[train], y[train]).decision_function(X[test])
    first = np.argsort(-scores)[:50]
    axes.scatter(*X[test].T, c=np.where(y[test], "#d55e00", "#c9c9c7"), s=4)
    axes.scatter(*X[test][first].T, facecolors="none", edgecolors="#0072b2", s=24)
    axes.set_title(
        f"{type(model).__name__}: {50 * precision_at_k(y[test], scores, 50):.0f} of 50", fontsize=10
    )
figure
