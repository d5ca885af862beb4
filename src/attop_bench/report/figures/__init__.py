"""The figures of the report, in its order. To add one: a function, and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
from attop_bench.report.figures.scene import Drawn, Figure, Scene, figure_theme
from attop_bench.report.figures.transfer import transfer_figure
from attop_bench.report.figures.verdicts import map_figure, regret_figure, strip_figure, wins_figure

__all__ = ["ACROSS", "PAPER", "PER_DATASET", "Drawing", "draw"]


@dataclass(frozen=True)
class Drawing:
    """A figure of the report."""

    #: Of its files and in ids.
    name: str
    #: A few words over it.
    title: str
    #: Its input: tables of `attop_bench.run.tables.TABLES`, "summary" (what `summarise` returns), "across"
    #: (what `attop_bench.report.compute.across.across` returns), "leads" (of every data set and top, by its
    #: metric), "main" (those at the middle top of each data set) or "names" (of the data sets).
    needs: tuple[str, ...]
    #: ``function(scene, *needs)`` draws it, or returns the sentence that stands in for it.
    function: Callable[..., Drawn | str]


#: Drawn once, over all data sets.
ACROSS: tuple[Drawing, ...] = (
    Drawing("regret", "Regret", ("leads",), regret_figure),
    Drawing("wins", "Who beats whom", ("leads",), wins_figure),
    Drawing("diagram", "Mean ranks", ("across",), diagram_figure),
)

#: Drawn once, as files alone: the page has them as text.
PAPER: tuple[Drawing, ...] = (
    Drawing("map", "Map", ("main", "names"), map_figure),
    Drawing("strip", "Runs", ("main", "names", "evaluation"), strip_figure),
)

#: Drawn for each data set.
PER_DATASET: tuple[Drawing, ...] = (
    Drawing("capacity", "Hits against k", ("roc",), capacity_figure),
    Drawing("top", "Against the top", ("summary",), top_figure),
    Drawing("transfer", "Used at another top", ("cross",), transfer_figure),
    Drawing("roc", "ROC, left end", ("roc",), roc_figure),
    Drawing("budget", "Tuning", ("selection",), budget_figure),
    Drawing("trace", "Training", ("trace",), trace_figure),
    Drawing("cost", "Cost", ("summary", "runs"), cost_figure),
)


def draw(drawings: tuple[Drawing, ...], scene: Scene, material: Mapping[str, Any]) -> list[Figure]:
    """Return the figures of a scene, of those whose input there is."""
    with figure_theme():
        return [
            scene.figure(its.name, its.title, its.function(scene, *(material[name] for name in its.needs)))
            for its in drawings
            if material.keys() >= set(its.needs)
        ]
