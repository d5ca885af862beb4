"""The performance profile: how often each method is within a distance of the best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attop.core.wording import counted, fine
from attop_bench.report.compute.across import Across
from attop_bench.report.figures.scene import Figure, Scene, blank, legend
from attop_bench.report.figures.style import figure_theme

__all__ = ["profile_figure"]


def profile_figure(scene: Scene, found: Across) -> Figure:
    """Draw the share of data sets on which each method is within a factor, or a gap, of the best."""
    profile = found.profile
    if profile.refused:
        return scene.sentence("profile", f"No performance profile is drawn. {profile.refused}")
    share = profile.share
    if len(share) == 1:
        return scene.sentence(
            "profile", "No performance profile is drawn. All methods are equal on every data set."
        )
    ratio = profile.kind == "ratio"
    start, last = (1.0 if ratio else 0.0), float(share.index[-1])
    wide = ratio and last > 10
    stop = last**1.06 if wide else last + 0.06 * (last - start)
    taus = np.append(share.index.to_numpy(float), stop)
    shown: Sequence[str] = [m for m in scene.order if m in share.columns]
    with figure_theme():
        canvas, (axes,) = blank(1, height=3.9)
        for i, method in enumerate(shown):
            style, steps = scene.styles[method], share[method].to_numpy(float)
            line = axes.plot(
                taus,
                np.append(steps, steps[-1]),
                **style.line,
                **style.mark(),
                drawstyle="steps-post",
                markevery=(i % 6 / 60 + 0.01, 0.15),
                linewidth=1.1,
            )[0]
            line.set_gid(f"method:{method}")
        if wide:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlim(start if wide else start - 0.02 * (stop - start), stop)
        axes.set_ylim(-0.03, 1.04)
        axes.set_ylabel("share of the data sets")
        axes.set_xlabel(
            "within this factor of the best (best / own value)" if ratio else "within this gap of the best"
        )
        legend(canvas, scene, shown)
        why = (
            "The distance is a ratio, best value over own value, which needs no common unit."
            if ratio
            else "The distance is a difference, best value minus own value, because a value is zero or "
            "negative, of which a ratio means nothing."
        )
        return scene.picture(
            "profile",
            canvas,
            f"Performance profiles of {counted(len(shown), 'method')}.",
            f"Performance profile: the share of {found.over} on which a method comes within a distance of "
            f"the best of that data set, by {found.unit}. Further up is better; at the left end, the share "
            f"of data sets it is best on. {why} The furthest is at {fine(last)}. No test.",
            share.melt(ignore_index=False, var_name="method", value_name="share").reset_index()[
                ["method", "tau", "share"]
            ],
        )
