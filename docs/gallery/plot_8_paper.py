"""
A paper's table again
=====================

Table 1 of Hiranandani et al. (2020): five rankings, the printed value beside the computed one.
"""

import numpy as np
import pandas as pd

from attop.metrics import auc, pap_at_k, partial_auc, precision_at_k

printed = [
    ("01101110000", 2, {"AUC": 22 / 30, "pAUC": 2 / 10, "pAp@k": 2 / 4}),
    ("10111000001", 2, {"AUC": 21 / 30, "pAUC": 5 / 10, "pAp@k": 3 / 4}),
    ("11000000111", 2, {"AUC": 12 / 30, "pAUC": 4 / 10, "pAp@k": 1}),
    ("11011100000", 6, {"prec@k": 5 / 6, "pAp@k": 27 / 30}),
    ("11101100000", 6, {"prec@k": 5 / 6, "pAp@k": 28 / 30}),
]
metrics = {"AUC": lambda y, s, k: auc(y, s), "pAUC": partial_auc, "prec@k": precision_at_k, "pAp@k": pap_at_k}
rows = []
for labels, k, told in printed:
    y = [int(label) for label in labels]
    for metric, value in told.items():
        ours = metrics[metric](y, np.arange(len(y), 0, -1), k)
        rows.append({"labels, best first": labels, "k": k, "metric": metric, "printed": value, "ours": ours})
table = pd.DataFrame(rows)
assert np.allclose(table["printed"], table["ours"])
table.round(4)

# %%
# As a picture: the points lie on the diagonal.
from matplotlib.figure import Figure  # noqa: E402

figure = Figure(figsize=(3.4, 3), layout="constrained")
axes = figure.subplots()
axes.plot([0, 1], [0, 1], color="#c9c9c7")
for metric, its in table.groupby("metric"):
    axes.plot(its["printed"], its["ours"], "o", label=metric)
axes.set(xlabel="printed", ylabel="ours")
axes.legend()
figure

# %%
# Tables with data are made by the benchmark:
# ``snakemake --cores 16 --configfile config/papers/papk2020.yaml``.
