"""The ROC figure: the whole curve, and its left end enlarged."""

from __future__ import annotations

import numpy as np
import pandas as pd

from attop.core.wording import counted
from attop_bench.report.compute.roc_curves import left_end, mean_roc
from attop_bench.report.compute.tops import main_top
from attop_bench.report.figures.scene import Figure, Scene, blank, legend
from attop_bench.report.figures.style import GRID, MUTED, figure_theme

__all__ = ["roc_figure"]


def roc_figure(scene: Scene, roc: pd.DataFrame) -> Figure:
    """Draw the mean ROC curve of each method at the main top, whole and with its left end enlarged."""
    part = scene.of(roc)
    part = part[(part["n_neg"] > 0) & (part["n_pos"] > 0)]
    if part.empty:
        return scene.sentence("roc", "No run here has ROC points, so no ROC curve is drawn.")
    top = main_top(part["top"])
    part = part[part["top"] == top]
    runs = part.drop_duplicates(["repeat", "fold"])
    part = part.explode(["fp", "tp"])
    end = left_end(top, runs["n_neg"].mean(), runs["n_pos"].mean(), scene.grouped)
    methods = [m for m in scene.order if m in set(part["method"])]
    counts, drawn = [], []
    with figure_theme():
        canvas, (whole, left) = blank(2, height=3.9)
        for i, method in enumerate(methods):
            for axes, limit in ((whole, 1.0), (left, end)):
                fpr = np.linspace(0, limit, 161)
                tpr, n = mean_roc(part[part["method"] == method], fpr)
                style = scene.styles[method]
                every = (3 + 5 * i % 32, 32)
                line = axes.plot(fpr, tpr, **style.line, **style.mark(), markevery=every, linewidth=1.1)[0]
                line.set_gid(f"method:{method}")
                drawn.append(pd.DataFrame({"method": method, "fpr": fpr[::8], "tpr": tpr[::8], "n": n}))
            counts.append(n)
        whole.plot([0, 1], [0, 1], color=MUTED, linewidth=0.7, linestyle=":")
        whole.axvspan(0, end, color=GRID, alpha=0.6, linewidth=0)
        whole.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02), title="Whole curve", ylabel="true-positive rate")
        left.set(xlim=(0, end), title=f"Left end: the first {100 * end:.2g}% of the negatives")
        for axes in (whole, left):
            axes.set_xlabel("false-positive rate")
            axes.locator_params(axis="x", nbins=5)
        legend(canvas, scene, methods)
        low, high = min(counts), max(counts)
        return scene.picture(
            "roc",
            canvas,
            f"ROC curves of {counted(len(methods), 'method')} at {top}, the whole curve and its left end.",
            f"ROC curves of the models trained for {top}: mean true-positive rate at each false-positive "
            "rate over "
            f"{counted(high, 'run') if low == high else f'{low} to {high} runs'} "
            f"(vertical averaging; no error bars, they would cover the lines). Right: the first "
            f"{100 * end:.2g}% of the negatives, grey on the left; its vertical axis does not start at 0. "
            "Dotted: chance." + (" All groups are pooled." if scene.grouped else ""),
            pd.concat(drawn),
        )
