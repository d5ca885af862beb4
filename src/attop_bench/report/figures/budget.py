"""Score against tuning budget: how good the best of n settings is expected to be."""

from __future__ import annotations

import numpy as np
import pandas as pd

from attop.core.typing import Floats
from attop.core.wording import counted
from attop.metrics import get_metric
from attop_bench.report.compute.tops import main_top
from attop_bench.report.figures.scene import Figure, Scene, blank, keep_in_bounds, legend
from attop_bench.report.figures.style import figure_theme

__all__ = ["budget_figure", "expected_best"]


def expected_best(values: Floats) -> Floats:
    """Return the expected maximum of n of the values, drawn without replacement, for n = 1, 2, ..., len.

    Of N values in ascending order the i-th is the largest of n drawn with probability
    ``C(i - 1, n - 1) / C(N, n)``.
    """
    rising = np.sort(np.asarray(values, dtype=float))
    N = len(rising)
    best = np.empty(N)
    chance = np.full(N, 1.0 / N)  # of each to be the largest of one drawn
    for n in range(1, N + 1):
        best[n - 1] = chance @ rising
        # C(i-1, n) / C(N, n+1) from C(i-1, n-1) / C(N, n); for i <= n it is 0.
        chance = chance * np.maximum(np.arange(N) - n + 1, 0) / n * (n + 1) / max(N - n, 1)
    return best


def budget_figure(scene: Scene, selection: pd.DataFrame) -> Figure:
    """Draw the validation value of the best of n settings tried, a line per method, at the main top."""
    part = scene.of(selection)
    if part.empty:
        return scene.sentence("budget", "No method was tuned here, so there is no budget to draw.")
    top = main_top(part["top"])
    part = part[part["top"] == top]
    sign = 1.0 if get_metric(scene.metric).higher_is_better else -1.0
    means = part.groupby(["method", "repeat", "fold", "setting"], sort=False)["value"].mean().dropna()
    curves = {}
    for method in scene.order:
        if method not in means.index.get_level_values("method"):
            continue
        runs = [
            sign * expected_best(sign * run.to_numpy())
            for _, run in means.loc[method].groupby(["repeat", "fold"])
        ]
        shortest = min(map(len, runs))  # an undefined validation value shortens a run
        curves[method] = (np.mean([run[:shortest] for run in runs], axis=0), len(runs))
    if not any(len(curve) > 1 for curve, _ in curves.values()):
        return scene.sentence("budget", "No method has two settings, so there is no budget to draw.")
    with figure_theme():
        canvas, (axes,) = blank(1, height=3.6)
        for method, (curve, _) in curves.items():
            style = scene.styles[method]
            at = np.arange(1, len(curve) + 1)
            line = axes.plot(at, curve, **style.line, **style.mark(4.5), linewidth=1.1)[0]
            line.set_gid(f"method:{method}")
        longest = max(len(curve) for curve, _ in curves.values())
        axes.set_xscale("log", base=2)
        ticks = [n for n in (1, 2, 3, 5, 10, 20, 50, 100, 200) if n <= longest]
        axes.set_xticks(ticks, [str(n) for n in ticks])
        axes.set_xticks([], minor=True)
        axes.set_xlabel("settings tried (log scale)")
        axes.set_ylabel(f"{scene.metric} at {top}, validation")
        keep_in_bounds(axes, scene.metric)
        legend(canvas, scene, list(curves))
        on_test = set(part["part"]) == {"test"}
        return scene.picture(
            "budget",
            canvas,
            f"Line chart of the expected {scene.metric} of the best of n settings, "
            f"{counted(len(curves), 'method')}.",
            f"Was the baseline tuned? {scene.metric} at {top} ({scene.direction}) on the "
            f"{'test parts, by which this run selects,' if on_test else 'inner splits'} of the best of n "
            "settings: the expectation over all ways to draw n from the grid, mean over "
            f"{counted(max(n for _, n in curves.values()), 'run')}. The values are those selected by and so "
            "optimistic. A line that still rises at its end would gain from a larger grid; a single point "
            "has one setting.",
            pd.concat(
                pd.DataFrame({"method": m, "settings": np.arange(1, len(c) + 1), "value": c, "n": n})
                for m, (c, n) in curves.items()
            ),
        )
