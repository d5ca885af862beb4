"""
A list for every user
=====================

Give ``groups``, and learners and metrics take the top of each user's list.
"""

import numpy as np
from matplotlib.figure import Figure

from attop import GDPApK
from attop.metrics import micro_pap_at_k

rng = np.random.default_rng(0)
users = np.repeat(np.arange(60), 30)
X = rng.normal(size=(1800, 5))
taste = rng.normal(size=60)[users]
y = X[:, 0] + 0.5 * X[:, 1] + 2 * taste + rng.normal(size=1800) > 2
train = users < 30

tops = (1, 2, 5, 10)
values = {"one list for all": [], "a list for every user": []}
for k in tops:
    one = GDPApK(top=k, tol=0.01).fit(X[train], y[train])
    each = GDPApK(top=k, tol=0.01).fit(X[train], y[train], groups=users[train])
    for name, model in zip(values, (one, each), strict=True):
        scores = model.decision_function(X[~train])
        values[name].append(micro_pap_at_k(y[~train], scores, k, users[~train]).value)

figure = Figure(figsize=(6, 3), layout="constrained")
axes = figure.subplots()
for name, line in values.items():
    axes.plot(tops, line, "o-", label=name)
axes.set(xlabel="k", ylabel="micro-pAp@k")
axes.legend()
figure
