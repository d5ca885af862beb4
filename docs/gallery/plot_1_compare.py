"""
Which model finds more in my CSV?
=================================

Read a table, give the models, and ask for the first 100.
"""

import pandas as pd
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from attop import compare_at_top

shape = {"n_informative": 3, "n_redundant": 0, "n_clusters_per_class": 3, "class_sep": 1.2}
X, y = make_classification(3000, 6, weights=[0.95], random_state=0, **shape)
table = pd.DataFrame(X).assign(fraud=y)
table.to_csv("claims.csv", index=False)

# %%
# From here on the table is your own.
table = pd.read_csv("claims.csv")
X, y = table.drop(columns="fraud"), table["fraud"]
models = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "boosting": HistGradientBoostingClassifier(max_iter=50),
}
found = compare_at_top(models, X, y, top=100, verbose=False)
print(found.sentence)
found.plot()

# %%
# How long may the list be? Hits among the first k, for every k: how much is lost if there is time for fewer,
# or gained with more.
found.plot("capacity")
