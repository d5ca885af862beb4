"""Surrogate against metric along training: whether what falls makes what counts rise."""

from __future__ import annotations

import numpy as np
import pandas as pd

from attop.core.wording import counted
from attop_bench.report.figures.scene import Figure, Scene, blank, keep_in_bounds, legend
from attop_bench.report.figures.style import figure_theme

__all__ = ["trace_figure"]


def trace_figure(scene: Scene, traces: pd.DataFrame) -> Figure:
    """Draw, against the iterations, each method's objective and the metric on training and test part."""
    part = traces[traces["dataset"] == scene.dataset]
    lengths = part.groupby("method")["iterations"].size()
    methods = [m for m in scene.order if lengths.get(m, 0) > 1]
    if not methods:
        return scene.sentence(
            "trace", "No method here was stopped along its training, so no training curve is drawn."
        )
    part = part[part["method"].isin(methods)]
    # Objectives of different methods have different units: each as the share of its fall that is left.
    ends = part.groupby("method")["objective"].agg(["first", "min"])
    fall = (ends["first"] - ends["min"]).replace(0.0, np.nan)
    left = (part["objective"] - part["method"].map(ends["min"])) / part["method"].map(fall)
    part = part.assign(remaining=left)
    top, most = part["top"].iloc[0], part["iterations"].max()
    ticks = [10**i for i in range(9) if 10**i <= most] if most >= 10 else [1, 2, 4, 8]
    with figure_theme():
        canvas, panels = blank(3, height=3.4)
        for axes, column, title in zip(
            panels,
            ("remaining", "train", "test"),
            (
                "Objective: fall left",
                f"{scene.metric}, training",
                f"{scene.metric}, test",
            ),
            strict=True,
        ):
            for method in methods:
                its = part[part["method"] == method]
                style = scene.styles[method]
                line = axes.plot(
                    its["iterations"], its[column], **style.line, **style.mark(4), linewidth=1.0
                )[0]
                line.set_gid(f"method:{method}")
            axes.set_xscale("log")
            axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
            axes.set_xticks([], minor=True)
            axes.set_title(title, fontsize=8)
            axes.set_xlabel("iterations (log scale)")
        for axes in panels[1:]:
            keep_in_bounds(axes, scene.metric)
        low = min(axes.get_ylim()[0] for axes in panels[1:])
        high = max(axes.get_ylim()[1] for axes in panels[1:])
        for axes in panels[1:]:
            axes.set_ylim(low, high)
        legend(canvas, scene, methods)
        return scene.picture(
            "trace",
            canvas,
            f"Line charts of the objective and of {scene.metric} against iterations, "
            f"{counted(len(methods), 'method')}.",
            f"Surrogate and {scene.metric} ({scene.direction}) along training at {top}: one run, the "
            "first fold of the first repeat, with the setting it selected, trained anew and stopped after "
            "1, 2, 4, ... iterations (steps, rounds or passes, as the method counts). Left: what is left of "
            "the fall of the objective each method minimises on its training part, from 1 after the first "
            "iteration to 0 at its lowest; the objectives themselves are in the data.",
            part[["method", "top", "iterations", "objective", "remaining", "train", "test"]],
        )
