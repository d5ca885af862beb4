"""Regrets of models trained for one top and used at another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import seaborn
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from attop.extending import abridge, count_noun, format_small, sort_tops
from attop.metrics import get_metric
from attop_bench.report.compute.tables import RUN, rows_of
from attop_bench.report.figures.scene import (
    INK,
    MUTED,
    Drawn,
    Scene,
    blank,
    short_tops,
)

_ACROSS = 5  # panels side by side
_NUMBERS = 4  # tops up to which there is room for a number in a field


def transfer_figure(scene: Scene, cross: pd.DataFrame) -> Drawn | str:
    """Draw the regrets, a field of tops by tops per method."""
    transfers = [t for t in transfer(cross, scene.dataset, scene.order) if t.n]
    if not transfers:
        return _why_not(scene, cross)
    tops = transfers[0].tops
    largest = max(float(np.abs(t.regret).max()) for t in transfers)
    rows = -(-len(transfers) // _ACROSS)
    canvas, panels = blank(_ACROSS, 0.35 + 1.45 * rows, rows=rows)
    for axes in panels[len(transfers) :]:
        axes.set_axis_off()
    places = np.arange(len(tops)) + 0.5
    name, labels = short_tops(tops)
    for i, (axes, one) in enumerate(zip(panels, transfers, strict=False)):
        _field(axes, one, largest)
        axes.set_title(abridge(scene.titles[one.method], 18), fontsize=8)
        axes.set_gid(f"method:{one.method}")
        axes.set(xticks=[], yticks=[])
        if i % _ACROSS == 0:
            axes.set_yticks(places, labels)
            axes.set_ylabel(f"trained for {name}".strip())
        if i + _ACROSS >= len(transfers):
            every = -(-len(tops) // _NUMBERS)  # more would run into each other
            axes.set_xticks(places[::every], labels[::every])
            axes.set_xlabel(f"used at {name}".strip())
    rows_of_data = [
        (
            one.method,
            trained,
            used,
            one.value[i, j],
            one.regret[i, j],
            one.se[i, j],
            one.n,
            one.n_expected,
        )
        for one in transfers
        for i, trained in enumerate(tops)
        for j, used in enumerate(tops)
    ]
    columns = [
        "method",
        "top",
        "at",
        "mean",
        "regret",
        "se_regret",
        "n",
        "n_expected",
    ]
    return Drawn(
        canvas,
        f"What it costs in {scene.metric} to train for one top (rows) and use the model at another "
        "(columns): value of the model trained for the column's top minus that of the row's, mean over "
        f"{count_noun(max(t.n for t in transfers), 'run')}"
        + (
            ", fewer where a value is undefined"
            if min(t.n for t in transfers) < transfers[0].n_expected
            else ""
        )
        + (
            ". Orange: a loss, training for the right top pays; blue: a gain. The strongest colour is "
            f"{format_small(largest)}, for all methods."
            if largest
            else ". None differs."
        ),
        pd.DataFrame(rows_of_data, columns=columns),
    )


def _why_not(scene: Scene, cross: pd.DataFrame) -> str:
    if not get_metric(scene.metric).needs_top:
        return f"{scene.metric} is not a metric of a top, so models are not used at another one."
    if scene.of(cross)["top"].nunique() < 2:
        return "There are no two tops with values here, so models are not used at another one."
    return f"No run has a value of {scene.metric} at every pair of tops, so no regret is drawn."


def _field(axes: Axes, its: Transfer, largest: float) -> None:
    colours = [
        (0.0, "#0072b2d9"),
        (0.5, "#0072b200"),
        (0.5, "#d55e0000"),
        (1.0, "#d55e00d9"),
    ]
    shades = LinearSegmentedColormap.from_list("regret", colours)
    t = len(its.tops)
    limit = largest or 1.0
    numbers = [
        [_signed(regret, 2 if t == _NUMBERS else 3) for regret in row]
        for row in its.regret
    ]
    look: dict[str, Any] = {
        "cmap": shades,
        "cbar": False,
        "square": True,
        "fmt": "",
    }
    look |= {
        "annot": numbers if t <= _NUMBERS else False,
        "annot_kws": {"size": 7, "color": INK},
    }
    seaborn.heatmap(its.regret, vmin=-limit, vmax=limit, ax=axes, **look)
    axes.grid(visible=False)
    axes.tick_params(length=0, rotation=0)
    for side in axes.spines.values():
        side.set(visible=True, color=MUTED, linewidth=0.5)


def _signed(value: float, decimals: int) -> str:
    """Format a difference without the zero before its point."""
    text = f"{value:+.{decimals}f}"
    return "0" if float(text) == 0 else text.replace("-", "−").replace("0.", ".", 1)


@dataclass(frozen=True)
class Transfer:
    """Values and regrets of one method on one data set."""

    method: str
    tops: tuple[str, ...]
    #: Mean over the runs that have all of them: trained for the row's top, evaluated at the column's.
    value: np.ndarray
    #: By how much worse than training for the column's top itself; negative where training for another top is
    #: better. The diagonal is 0.
    regret: np.ndarray
    #: Standard error of the regret, run by run; NaN for a single run.
    se: np.ndarray
    #: n, n_expected: Runs with all values, and runs of the method.
    n: int
    n_expected: int

    def reading(self) -> str:
        """State the highest regret."""
        if self.n == 0:
            return "no run has a value at every pair of tops"
        if np.abs(self.regret).max() == 0:
            return "the same at every top: what it learns does not depend on the top, or not here"
        row, column = np.unravel_index(
            int(np.argmax(self.regret)), self.regret.shape
        )
        if self.regret[row, column] <= 0:
            return "no top is better trained for directly than by way of another"
        return (
            f"at most {format_small(float(self.regret[row, column]))}: trained for {self.tops[row]}, "
            f"used at {self.tops[column]}"
        )


def transfer(
    cross: pd.DataFrame, dataset: str, methods: Sequence[str]
) -> list[Transfer]:
    """Average the table ``cross`` over the runs of one data set, of the methods with values, in this order.

    Nothing with fewer than two tops.
    """
    part = rows_of(cross, dataset=dataset)
    tops = sort_tops(part["top"])
    if len(tops) < 2:
        return []
    transfers = []
    for method in methods:
        rows = rows_of(part, method=method)
        if rows.empty:
            continue
        higher = get_metric(rows["metric"].iloc[0]).higher_is_better
        wide = rows.pivot(index=RUN, columns=["top", "at"], values="value")
        wide = wide.reindex(columns=pd.MultiIndex.from_product([tops, tops]))
        complete = wide.dropna()
        values = complete.to_numpy(float).reshape(-1, len(tops), len(tops))
        direct = np.diagonal(values, axis1=1, axis2=2)[:, None, :]
        regret = (direct - values) * (1.0 if higher else -1.0)
        n = len(values)
        mean, lost = (
            a.mean(axis=0) if n else np.full(a.shape[1:], np.nan)
            for a in (values, regret)
        )
        se = (
            regret.std(axis=0, ddof=1) / np.sqrt(n)
            if n > 1
            else np.full(lost.shape, np.nan)
        )
        transfers.append(
            Transfer(
                method,
                tuple(tops),
                value=mean,
                regret=lost,
                se=se,
                n=n,
                n_expected=len(wide),
            )
        )
    return transfers
