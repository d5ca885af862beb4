"""What a comparison found: the table of the models, with intervals and tests, and what it says in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from attop.core.top import Top
from attop.core.typing import Floats, Ints
from attop.core.wording import listed
from attop.experiment.runs import Sample
from attop.metrics import Metric
from attop.statistics import corrected_t_test, holm
from attop.statistics.two_methods import scaled_error

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CONFIDENCE", "TopComparison", "summarise"]

#: Of the intervals and the tests.
CONFIDENCE = 0.95


@dataclass(frozen=True)
class TopComparison:
    """What `compare_at_top` found.

    Attributes
    ----------
    table : DataFrame, one row a model, best first
        The metric's mean with a 95% interval (`low`, `high`), how many times chance (`lift`), the difference
        to the best model with its interval (`behind`, `behind_low`, `behind_high`), `p` of the corrected
        resampled t-test, adjusted by Holm's procedure, and mean `seconds` of a run.
    runs : DataFrame, one row a model and run
        `value`, `lift`, the `setting` that was chosen, `seconds`, and the `reason` of an undefined value.
    metric, top : str, Top
    list_length : int
        Items of the list that the sentence speaks of: those given, or what `top` says.
    share : float
        Positives among the items: what chance finds.
    grouped : bool
        Whether each value is a mean over groups.
    """

    table: pd.DataFrame
    runs: pd.DataFrame
    metric: str
    top: Top
    list_length: int
    share: float
    grouped: bool

    @property
    def sentence(self) -> str:
        """What the table says, in words."""
        best = self.table.index[0]
        parts = [f"{best} {self._found(best)}."]
        others = self.table.iloc[1:]
        shown = others.index[others["p"] < 1 - CONFIDENCE].tolist()
        level = [name for name in others.index if name not in shown]
        if shown:
            parts.append(f"It is shown to be better than {listed(shown)}.")
        if level:
            parts.append(f"Not told apart from it: {listed(level)}.")
        return " ".join(parts)

    def _found(self, model: str) -> str:
        row = self.table.loc[model]
        lift = f"{row['lift']:.2g} times chance" if math.isfinite(row["lift"]) else "chance finds none"
        if self.metric != "precision@k":
            return f"has a {self.metric} of {row[self.metric]:.3g} ({self.top}), {lift}"
        k = self.k
        where = "in each group's " if self.grouped else "of your "
        return f"finds {_count(k * row[self.metric])} {where}{k:,}, {lift}"

    @property
    def k(self) -> int:
        """Items at the top of the list that the sentence speaks of."""
        return self.top.resolve(self.list_length, round(self.share * self.list_length))

    def plot(self, axes: Any = None) -> Any:
        """Draw every model's mean, interval and runs, and chance.

        Parameters
        ----------
        axes : matplotlib Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        figure : matplotlib Figure
        """
        from attop.experiment.figure import draw

        return draw(self, axes)

    def __str__(self) -> str:
        shown = self.table.copy()
        shown["seconds"] = shown["seconds"].map("{:.2f}".format)
        return f"{shown.to_string(float_format='{:.3f}'.format, na_rep='')}\n\n{self.sentence}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"{self.table.to_html(float_format='{:.3f}'.format, na_rep='')}<p>{self.sentence}</p>"


def summarise(
    results: list[dict[str, Any]],
    numbers: list[int],
    splits: list[tuple[Ints, Ints]],
    metric: Metric,
    top: Top,
    sample: Sample,
) -> TopComparison:
    """Return the comparison that the results of all runs come to.

    Parameters
    ----------
    results : list of dict
        Rows of `TopComparison.runs`, without their number.
    numbers : list of int
        Run of each.
    splits : list of (train, test)
    metric : Metric
    top : Top
    sample : Sample
    """
    import pandas as pd

    runs = pd.DataFrame(results).assign(run=numbers)
    values = runs.pivot(index="run", columns="model", values="value")
    ratio = float(np.mean([len(test) / len(train) for train, test in splits]))
    means = values.mean()
    sign = 1 if metric.higher_is_better else -1
    best = (sign * means[list(dict.fromkeys(runs["model"]))]).sort_values(
        ascending=False, kind="stable", na_position="last"
    )
    table = pd.DataFrame({metric.name: means[best.index]})
    reach = {name: _reach(values[name].dropna().to_numpy(), ratio) for name in best.index}
    table["low"], table["high"] = (
        (table[metric.name] + side * pd.Series(reach)).clip(*metric.bounds) for side in (-1, 1)
    )
    table["lift"] = runs.groupby("model")["lift"].mean()[best.index]
    tests = {}
    for name in best.index[1:]:
        paired = sign * values[[best.index[0], name]].dropna()
        tests[name] = corrected_t_test(*paired.to_numpy().T, test_train_ratio=ratio, confidence=CONFIDENCE)
    for column, attribute in (("behind", "mean"), ("behind_low", "low"), ("behind_high", "high"), ("p", "p")):
        table[column] = pd.Series(
            {name: getattr(test, attribute) for name, test in tests.items()}, dtype=float
        )
    tested = table["p"].notna()
    table.loc[tested, "p"] = holm(table.loc[tested, "p"])
    table["seconds"] = runs.groupby("model")["seconds"].mean()[best.index]
    table.index.name = "model"
    n = len(sample.y)
    length = top.out_of or (n if sample.groups is None else round(n / len(np.unique(sample.groups))))
    return TopComparison(
        table, runs, metric.name, top, length, float(sample.positive.mean()), sample.groups is not None
    )


def _reach(values: Floats, ratio: float) -> float:
    """Half the width of the interval of the mean over runs whose training parts overlap."""
    if len(values) < 2:
        return math.nan
    return scaled_error(values, ratio) * float(stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1))


def _count(found: float) -> str:
    return f"{found:.0f}" if found >= 9.95 else f"{found:.1f}"
