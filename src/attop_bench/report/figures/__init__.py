"""The figures of the report, in its order. To add one: a function, and a line here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import starmap
from multiprocessing import get_context
from typing import Any

from attop_bench.report.figures import capacity, curves, verdicts
from attop_bench.report.figures.across import diagram_figure
from attop_bench.report.figures.scene import (
    Drawn,
    Figure,
    Scene,
    figure_theme,
    for_paper,
    to_pdf,
)
from attop_bench.report.figures.transfer import transfer_figure

__all__ = ["ACROSS", "PAPER", "PER_DATASET", "Drawing", "draw", "drawing"]


@dataclass(frozen=True)
class Drawing:
    """A figure of the report."""

    #: Of its files and in ids.
    name: str
    #: A few words over it.
    title: str
    #: Its input: tables of `attop_bench.run.tables.TABLES`, "summary" (of `Results`), "across"
    #: (what `attop_bench.report.compute.across.across` returns), "judgements" (of every data set and top, by
    #: its metric), "main" (those at the middle top of each data set) or "names" (of the data sets).
    needs: tuple[str, ...]
    #: ``function(scene, *needs)`` draws it, or returns the sentence that stands in for it.
    function: Callable[..., Drawn | str]


#: Drawn once, over all data sets.
ACROSS: tuple[Drawing, ...] = (
    Drawing("regret", "Regret", ("judgements",), verdicts.regret_figure),
    Drawing("wins", "Who beats whom", ("judgements",), verdicts.wins_figure),
    Drawing("diagram", "Mean ranks", ("across",), diagram_figure),
)

#: Drawn once, as files alone: the page has them as text.
PAPER: tuple[Drawing, ...] = (
    Drawing("map", "Map", ("main", "names"), verdicts.map_figure),
    Drawing(
        "strip",
        "Runs",
        ("main", "names", "evaluation", "summary"),
        verdicts.strip_figure,
    ),
)

#: Drawn for each data set.
PER_DATASET: tuple[Drawing, ...] = (
    Drawing(
        "capacity", "What the first k rows hold", ("roc",), capacity.capacity_figure
    ),
    Drawing("top", "Against the top", ("summary",), curves.top_figure),
    Drawing("transfer", "Used at another top", ("cross",), transfer_figure),
    Drawing("roc", "ROC, left end", ("roc",), curves.roc_figure),
    Drawing("budget", "Tuning", ("selection",), curves.budget_figure),
    Drawing("trace", "Training", ("trace",), curves.trace_figure),
    Drawing("cost", "Cost", ("summary", "runs"), curves.cost_figure),
)


def draw(
    drawings: tuple[Drawing, ...], scene: Scene, material: Mapping[str, Any]
) -> list[Figure]:
    """Draw the figures of a scene whose input is available."""
    with figure_theme():
        return list(starmap(_draw, _known(drawings, scene, material)))


@contextmanager
def drawing(
    files: bool, jobs: int
) -> Iterator[Callable[..., Callable[[], list[Figure]]]]:
    """Give a function that takes what `draw` does, and returns one that waits for the figures.

    They are made meanwhile, in so many processes; with `files` for a paper.
    """
    draw_one = partial(_draw_whole, files=files)
    with figure_theme():
        # Elsewhere a new process begins with nothing: to import what it needs takes longer than to draw.
        if jobs > 1 and sys.platform == "linux":
            with get_context("fork").Pool(jobs) as pool:
                yield (
                    lambda *scene: (
                        pool.starmap_async(
                            draw_one, _known(*scene), chunksize=1
                        ).get
                    )
                )
        else:
            yield lambda *scene: partial(list, starmap(draw_one, _known(*scene)))


def _known(
    drawings: tuple[Drawing, ...], scene: Scene, material: Mapping[str, Any]
) -> list[tuple[Drawing, Scene, list[Any]]]:
    """Select the drawings whose input is available, each with it."""
    possible = [
        drawing for drawing in drawings if material.keys() >= set(drawing.needs)
    ]
    return [
        (drawing, scene, [material[name] for name in drawing.needs])
        for drawing in possible
    ]


def _draw(drawing: Drawing, scene: Scene, needs: Sequence[Any]) -> Figure:
    return scene.figure(
        drawing.name, drawing.title, drawing.function(scene, *needs)
    )


def _draw_whole(
    drawing: Drawing, scene: Scene, needs: Sequence[Any], *, files: bool
) -> Figure:
    """Draw a figure with its file and without its canvas, which would not go from process to process."""
    figure = _draw(drawing, scene, needs)
    if figure.canvas is None or not files:
        return replace(figure, canvas=None)
    for_paper(figure.canvas, scene.highlighted)
    return replace(figure, canvas=None, pdf=to_pdf(figure.canvas))
