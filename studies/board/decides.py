"""Rules that name the winner: one question about a set, judged on the sets it was not chosen on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

#: Of equals the first.
_CHOICES = ["TopStack", "LightGBM", "SoftTop"]
_LINEAR = ["Logistic regression", "Linear SVM"]
_LEAD = "LightGBM's lead over the better linear model"
#: Where the table cuts each feature.
_CUTS = {_LEAD: 0, "prevalence": 0.05, "rows": 5000}


class Split(NamedTuple):
    """Methods to name where a feature is at most a limit, and where it is above."""

    feature: str
    limit: float
    below: str
    above: str

    def names(self, features: pd.Series) -> str:
        """Return the method for a set."""
        return self.below if features[self.feature] <= self.limit else self.above


def one_split(features: pd.DataFrame, lost: pd.DataFrame) -> Split:
    """Return the split that loses least over sets; one method for all, where no split loses less."""
    each = lost.to_numpy()  # gone through thousands of times
    best = lost.columns[each.sum(axis=0).argmin()]
    least, found = lost[best].sum(), Split(str(features.columns[0]), np.inf, best, best)
    for name, values in features.items():
        known = np.unique(values)
        for limit in (known[1:] + known[:-1]) / 2:
            is_low = (values <= limit).to_numpy()
            low, high = each[is_low].sum(axis=0), each[~is_low].sum(axis=0)
            if (total := low.min() + high.min()) < least - 1e-9:
                below, above = lost.columns[[low.argmin(), high.argmin()]]
                least, found = total, Split(str(name), limit, below, above)
    return found


def left_out(features: pd.DataFrame, lost: pd.DataFrame) -> pd.Series:
    """Return the loss on each set of the split chosen on the others."""
    named = {
        name: one_split(features.drop(name), lost.drop(name)).names(features.loc[name]) for name in lost.index
    }
    return pd.Series({name: lost.at[name, method] for name, method in named.items()})


def decides(methods: pd.DataFrame, listed: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the losses of three methods, of 100, by features of a set, and whether one split beats TopStack.

    `methods` are (set, top) x methods, `listed` the list of the sets.
    """
    cases, rules = [], []
    for _, its in methods[_CHOICES + _LINEAR].dropna().groupby(level="top", sort=False):
        values = 100 * its.droplevel("top")
        lead = values["LightGBM"] - values[_LINEAR].max(axis=1)
        features = pd.DataFrame({_LEAD: lead}).join(listed[["prevalence", "rows"]])
        lost = -values[_CHOICES].sub(values[_CHOICES].max(axis=1), axis=0) + 0.0
        cases.append(features.join(lost))
        rules.append(left_out(features, lost).mean())
    every, rule = pd.concat(cases), np.mean(rules)
    rows = {
        f"{feature} {words} {cut:,g}": every[(every[feature] > cut) == above]
        for feature, cut in _CUTS.items()
        for words, above in (("at most", False), ("above", True))
    }
    table = pd.DataFrame(
        {"where": where, "cases": len(its), **its[_CHOICES].mean().map("{:.1f}".format)}
        | {"level": f"{((its[_CHOICES] <= 1).sum(axis=1) > 1).mean():.0%}"}
        for where, its in rows.items()
    )
    always = every["TopStack"].mean()
    return table, (
        f"TopStack, always taken, finds {always:.2f} of 100 less than the best of the three. A method taken "
        f"by a limit of one feature, chosen on the other sets, finds {rule:.2f} less"
        f"{'' if rule < always else ': no such rule is better'}. A case is a set and a top. Level: cases in "
        "which the best two are within 1."
    )
