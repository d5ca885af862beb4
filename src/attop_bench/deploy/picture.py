"""A picture of what to expect of one list: its first rows, the positives among them, and one band."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from attop.experiment import NextList
from attop.extending import format_hits

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What a picture may be written as, by the end of its name.
FORMATS = ("png", "svg", "pdf")
_BLUE, _QUIET = "#1f77b4", "#6b6b6b"


def title_of(forecast: NextList, name: str) -> str:
    """Write the title of a picture: its finding."""
    hits = format_hits(forecast.expected, forecast.k)
    noun = "positive" if hits == "1" else "positives"
    return (
        f"{name}: among the first {forecast.k:,} of {forecast.length:,} rows expect {hits} {noun}\n"
        f"({forecast.low:,.0f} to {forecast.high:,.0f} in 95% of such lists)"
    )


def draw_expectation(
    forecast: NextList, name: str, prevalence: float, form: str = "png"
) -> bytes:
    """Draw the picture of a list as a file of one of `FORMATS`; see `expectation_figure`."""
    from matplotlib import rc_context

    figure = expectation_figure(forecast, name, prevalence)
    content = io.BytesIO()
    undated = {
        "png": {"Software": None},
        "svg": {"Date": None},
        "pdf": {"CreationDate": None},
    }
    with rc_context({"svg.hashsalt": "attop"}):
        figure.savefig(content, format=form, dpi=150, metadata=undated[form])
    return content.getvalue()


def expectation_figure(forecast: NextList, name: str, prevalence: float) -> Figure:
    """Draw the positives to expect of a list, to three times its length.

    Parameters
    ----------
    forecast : NextList
        With a promise: ``reason`` is empty.
    name : str
        Of the list.
    prevalence : float
        Share of positives: what rows in any order hold.
    """
    from matplotlib.figure import Figure

    canvas = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = canvas.subplots()
    ks, k, last = forecast.ks, forecast.k, int(forecast.ks[-1])
    chance = prevalence * last
    axes.fill_between(
        ks,
        forecast.band_low,
        forecast.band_high,
        color=_BLUE,
        alpha=0.2,
        linewidth=0,
        label="95% of lists, the whole curve",
    )
    axes.plot(ks, forecast.path, color=_BLUE, label="expected")
    axes.plot(
        [0, last],
        [0, chance],
        color=_QUIET,
        linestyle=":",
        label="rows in any order",
    )
    axes.vlines(
        k,
        forecast.low,
        forecast.high,
        color=_BLUE,
        linewidth=2.5,
        label=f"95% of lists, at {k:,}",
    )
    at_k = (k, forecast.expected)
    axes.plot(*at_k, marker="o", color=_BLUE)
    axes.annotate(
        format_hits(forecast.expected, k),
        at_k,
        (-5, 6),
        textcoords="offset points",
        ha="right",
        color=_BLUE,
    )
    axes.set_title(
        title_of(forecast, name), loc="left", fontsize=10, parse_math=False
    )
    highest = max(float(np.max(forecast.band_high)), chance)
    axes.set(
        xlim=(0, last),
        ylim=(0, 1.05 * highest),
        xlabel="rows looked at",
        ylabel="positives among them",
    )
    axes.spines[["top", "right"]].set_visible(False)
    canvas.legend(loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    return canvas
