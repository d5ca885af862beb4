"""What a page of the report holds, before it is HTML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from attop.metrics.metric import Metric
from attop_bench.bibliography import Entry
from attop_bench.report.compute.across import Across
from attop_bench.report.compute.comparison import BASELINE, Lead
from attop_bench.report.compute.heat_map import HeatMap
from attop_bench.report.compute.tables import Cell
from attop_bench.report.compute.transfer import Transfer
from attop_bench.report.compute.tuning import Choice
from attop_bench.report.figures.scene import Figure

__all__ = ["Card", "Chip", "Failures", "Page", "Section", "Thumbnail", "WideTable"]

Records = list[dict[str, Any]]

#: Bytes of figures a page may hold, so that it opens at once and can be mailed.
MOST_FIGURES = 2_500_000


@dataclass(frozen=True)
class Chip:
    """A short fact at the top; `tone` is "", "good", "bad" or "warn", `href` where it is explained."""

    text: str
    tone: str = ""
    href: str = ""


@dataclass(frozen=True)
class Card:
    """The verdict at one top: who is best, whether it is real, who is level, what is cheapest."""

    top: str
    leader: str
    kind: str
    verdict: str
    reading: str
    nothing: str
    level: str
    cheapest: str


@dataclass(frozen=True)
class WideTable:
    """One metric of one data set: methods down, tops across."""

    metric: Metric
    tops: list[str]
    rows: list[tuple[str, list[Cell]]]
    decimals: int
    runs: str
    spread: bool
    level: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Thumbnail:
    """A figure and the few words over it."""

    title: str
    figure: Figure


@dataclass(frozen=True)
class Section:
    """All the page says of one data set; `anchor` is its address on the page.

    `leaders` are in colour: those at the main top, see `Lead`, and the baseline.
    """

    id: str
    anchor: str
    title: str
    about: Mapping[str, Any]
    protocol: str
    metric: str
    tops: list[str]
    span: str
    main: str
    order: list[str]
    leaders: frozenset[str]
    leads: list[Lead]
    cards: list[Card]
    headline: str
    skipped: dict[str, str]
    absent: list[str]
    table: WideTable | None
    figures: list[Thumbnail]
    transfers: list[Transfer]
    costs: Records
    chosen_tops: list[str]
    choices: list[Choice]

    @property
    def short(self) -> str:
        """The title up to a bracket or comma, for a tab."""
        return re.split(r" \(|, ", self.title)[0]

    @property
    def at_edge(self) -> list[Choice]:
        """Parameters mostly chosen at an end of their grid."""
        return [choice for choice in self.choices if choice.mostly_at_edge]


@dataclass(frozen=True)
class Failures:
    """What did not come out."""

    jobs: Mapping[str, int]
    statuses: list[str]
    incomplete: Records
    errors: Records
    undefined: Records
    n_values: int
    constant: Records

    @property
    def n_undefined(self) -> int:
        """Metric values without a definition."""
        return sum(row["undefined"] for row in self.undefined)


@dataclass(frozen=True)
class Page:
    """The report; `data` is what its script computes with, as JSON."""

    title: str
    headline: str
    chips: list[Chip]
    methods: Mapping[str, Mapping[str, Any]]
    titles: Mapping[str, str]
    keys: Mapping[str, str]
    sections: list[Section]
    map: HeatMap
    left_out: list[tuple[str, str]]
    across: Across
    board: pd.DataFrame
    ranking: tuple[str, ...]
    leaders: frozenset[str]
    figures: list[Thumbnail]
    metrics: list[Metric]
    failures: Failures
    citations: list[Entry]
    provenance: list[tuple[str, str]]
    config: str
    data: str

    @property
    def places(self) -> dict[str, int]:
        """Number of each method, for ids on the page."""
        return {method: i for i, method in enumerate(self.methods)}

    @property
    def against(self) -> list[str]:
        """Methods others can be set against, the baseline first."""
        ran = [m for m in self.methods if any(m in section.order for section in self.sections)]
        return sorted(ran, key=lambda method: method != BASELINE)

    @property
    def figures_inside(self) -> bool:
        """Whether the page holds the figures of the data sets; of a large run they are files beside it."""
        drawn = (t.figure for section in self.sections for t in section.figures)
        return sum(len(figure.svg) + len(figure.data) for figure in drawn) <= MOST_FIGURES

    @property
    def dataset_titles(self) -> dict[str, str]:
        """Data set -> name shown."""
        return {section.id: section.title for section in self.sections}
