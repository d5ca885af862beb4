"""The results of a benchmark: tables, manifest, and every number of the page, computed once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from attop.metrics import METRICS
from attop_bench.files import Entry
from attop_bench.report.compute.across import Across, across, board
from attop_bench.report.compute.judgements import Judgements, intervals, judge_all
from attop_bench.report.compute.tables import (
    Tables,
    constant_models,
    error_list,
    status_counts,
    summarise,
    torn_models,
    undefined_values,
)

Records = list[dict[Hashable, Any]]


@dataclass(frozen=True)
class Failures:
    """Failed and missing jobs, undefined values, models that rank nothing or tear entities."""

    jobs: Mapping[str, int]
    statuses: list[str]
    incomplete: Records
    errors: Records
    undefined: Records
    n_values: int
    constant: Records
    torn: Records

    @property
    def n_undefined(self) -> int:
        """Metric values without a definition."""
        return sum(row["undefined"] for row in self.undefined)


@dataclass(frozen=True)
class Results:
    """The tables of `attop_bench.run.tables.TABLES` and the manifest, see `build_report`."""

    tables: Tables
    manifest: Entry

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One row per training job and top."""
        return self.tables["runs"]

    @cached_property
    def evaluation(self) -> pd.DataFrame:
        """One row per run, top and metric."""
        return self.tables["evaluation"]

    @cached_property
    def methods(self) -> dict[str, Entry]:
        """Entries of the manifest, and of methods in the tables alone, with a title."""
        return self._entries("method")

    @cached_property
    def datasets(self) -> dict[str, Entry]:
        """Likewise, of the data sets."""
        return self._entries("dataset")

    def _entries(self, kind: str) -> dict[str, Entry]:
        known = self.manifest.get(f"{kind}s", {})
        names = dict.fromkeys([*known, *self.runs[kind], *self.evaluation[kind]])
        return {
            name: {
                **known.get(name, {}),
                "title": known.get(name, {}).get("title") or name,
            }
            for name in names
        }

    @cached_property
    def titles(self) -> dict[str, str]:
        """Method -> name shown."""
        return {name: method["title"] for name, method in self.methods.items()}

    @cached_property
    def metrics(self) -> list[str]:
        """The metrics measured, in the order of the registry."""
        measured = set(self.evaluation["metric"])
        return [name for name in METRICS if name in measured] + sorted(
            measured - set(METRICS)
        )

    @cached_property
    def summary(self) -> pd.DataFrame:
        """See `summarise`; with the ``low`` and ``high`` of `intervals`."""
        table = summarise(self.evaluation, self.runs)
        ends = intervals(self.evaluation, self.runs, self.judgements)
        table = table.merge(ends, how="left")
        others = [column for column in table if column not in ("low", "high")]
        place = others.index("se") + 1
        return table[[*others[:place], "low", "high", *others[place:]]]

    @cached_property
    def judgements(self) -> Judgements:
        """See `judge_all`, in the order of the metrics."""
        against = self.manifest.get("against", "")
        found = judge_all(self.evaluation, self.runs, self.datasets, against)
        return {
            key: found[key]
            for key in sorted(found, key=lambda key: self.metrics.index(key[1]))
        }

    @cached_property
    def own(self) -> dict[str, str]:
        """Data set with runs -> the metric that compares methods there."""
        ran = set(self.summary["dataset"])
        return {
            dataset: self.metric_of(dataset)
            for dataset in self.datasets
            if dataset in ran
        }

    def metric_of(self, dataset: str) -> str:
        """Choose the metric that compares methods: the data set's, or the first that is judged."""
        first = (metric for name, metric, _ in self.judgements if name == dataset)
        return self.datasets[dataset].get("scoring") or next(first, "")

    @cached_property
    def across(self) -> Across:
        """The methods over the data sets, each by its own metric."""
        return across(self.evaluation, self.own, titles=self.titles)

    @cached_property
    def board(self) -> pd.DataFrame:
        """The board of every top, likewise."""
        return board(self.evaluation, self.runs, self.own, self.titles)

    @cached_property
    def failures(self) -> Failures:
        """Failed and missing jobs, undefined values, models that rank nothing."""
        counts = status_counts(self.evaluation, self.runs)
        return Failures(
            jobs={c: int(counts[c].sum()) for c in counts.columns[2:]},
            statuses=list(counts.columns[3:]),
            incomplete=counts[counts["ok"] < counts["expected"]].to_dict("records"),
            errors=error_list(self.runs).to_dict("records"),
            undefined=undefined_values(self.evaluation).to_dict("records"),
            n_values=len(self.evaluation),
            constant=constant_models(self.runs).to_dict("records"),
            torn=torn_models(self.runs).to_dict("records"),
        )
