"""The board's answers, from values.csv and sets.csv alone: `python -m studies.board.answers`."""

import pandas as pd

from attop.statistics import wilcoxon
from studies.board import FOLDER

values = pd.read_csv(FOLDER / "values.csv", index_col=["top", "set"])
known = pd.read_csv(FOLDER / "sets.csv", index_col="set")["developed_on"].fillna("")
asked = {"TopStack": ["LightGBM"], "SoftTop": ["Logistic regression", "Linear SVM"]}
for which in ("all", "untouched"):
    gains = {}
    for (method, rivals), top in ((its, top) for its in asked.items() for top in values.index.unique("top")):
        gain = (values[method] - values[rivals].max(axis=1, skipna=False)).loc[top].dropna().round(8)
        gains[method, top] = gain[(which == "all") | ~known[gain.index].str.contains(method)]
    p, adjusted = {key: wilcoxon(gain, 0 * gain).p for key, gain in gains.items()}, 0.0
    for rank, key in enumerate(sorted(p, key=lambda key: p[key])):
        adjusted = max(adjusted, min(1, (len(p) - rank) * p[key]))
        print(which, *key, f"{len(gains[key])} sets", f"{100 * gains[key].mean():+.1f}", f"p {adjusted:.2g}")
