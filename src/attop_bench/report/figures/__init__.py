"""The figures of the report, in its order. To add one: a function, and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from attop_bench.report.figures.across import diagram_figure
from attop_bench.report.figures.curves import (
    budget_figure,
    capacity_figure,
    cost_figure,
    roc_figure,
    top_figure,
    trace_figure,
)
from attop_bench.report.figures.scene import Figure, Scene
from attop_bench.report.figures.transfer import transfer_figure
from attop_bench.report.figures.verdicts import map_figure, regret_figure, strip_figure, wins_figure

__all__ = ["ACROSS", "PAPER", "PER_DATASET", "Drawing", "draw"]


@dataclass(frozen=True)
class Drawing:
    """A figure of the report."""

    #: A few words over it.
    title: str
    #: Its input: tables of `attop_bench.run.tables.TABLES`, "summary" (what `summarise` returns), "across"
    #: (what `attop_bench.report.compute.across.across` returns), "leads" (of every data set and top, by its
    #: metric), "main" (those at the middle top of each data set) or "names" (of the data sets).
    needs: tuple[str, ...]
    #: ``function(scene, *needs)`` returns a `Figure`: a picture, or the sentence that stands in for it.
    function: Callable[..., Figure]


#: Drawn once, over all data sets.
ACROSS: tuple[Drawing, ...] = (
    Drawing("Regret", ("leads",), regret_figure),
    Drawing("Who beats whom", ("leads",), wins_figure),
    Drawing("Mean ranks", ("across",), diagram_figure),
)

#: Drawn once, as files alone: the page has them as text.
PAPER: tuple[Drawing, ...] = (
    Drawing("Map", ("main", "names"), map_figure),
    Drawing("Runs", ("main", "names", "evaluation"), strip_figure),
)

#: Drawn for each data set.
PER_DATASET: tuple[Drawing, ...] = (
    Drawing("Hits against k", ("roc",), capacity_figure),
    Drawing("Against the top", ("summary",), top_figure),
    Drawing("Used at another top", ("cross",), transfer_figure),
    Drawing("ROC, left end", ("roc",), roc_figure),
    Drawing("Tuning", ("selection",), budget_figure),
    Drawing("Training", ("trace",), trace_figure),
    Drawing("Cost", ("summary", "runs"), cost_figure),
)


def draw(drawings: tuple[Drawing, ...], scene: Scene, material: Mapping[str, Any]) -> list[Figure]:
    """Return the figures of a scene, of those whose input there is."""
    return [
        replace(drawing.function(scene, *(material[name] for name in drawing.needs)), title=drawing.title)
        for drawing in drawings
        if material.keys() >= set(drawing.needs)
    ]
