"""All the page says of one data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from attop.core.wording import counted, decimals_for, fixed, listed, seconds
from attop.metrics.registry import get_metric
from attop_bench.data.splits.protocols import PROTOCOLS
from attop_bench.report.compute.comparison import BASELINE, Lead, leads, split_ratio
from attop_bench.report.compute.comparison_sentences import VERDICTS, headline, leader, ranks_nothing, reading
from attop_bench.report.compute.tables import rank_methods, wide
from attop_bench.report.compute.tops import main_top, sort_tops, span
from attop_bench.report.compute.transfer import transfer
from attop_bench.report.compute.tuning import choices, costs
from attop_bench.report.figures import PER_DATASET, draw
from attop_bench.report.figures.scene import MethodStyle, Scene
from attop_bench.report.page.model import Card, Section, Thumbnail, WideTable

__all__ = ["build_section", "protocol_sentence", "wide_table"]


def build_section(
    name: str,
    anchor: str,
    dataset: str,
    results: Mapping[str, pd.DataFrame],
    table: pd.DataFrame,
    entry: Mapping[str, Any],
    methods: Mapping[str, Mapping[str, Any]],
    styles: Mapping[str, MethodStyle],
    metrics: Sequence[str],
) -> Section:
    """Gather what is known of a data set.

    Parameters
    ----------
    name, anchor : str
        For ids inside the page, and its address.
    dataset : str
    results : mapping
        The benchmark's tables, and "summary".
    table : DataFrame
        What `attop_bench.report.compute.tables.standings` returned.
    entry : mapping
        The manifest's, of the data set.
    methods : mapping
        The manifest's, of all methods, each with a title.
    styles : mapping
    metrics : sequence of str
        In the order of the page.
    """
    evaluation, runs = results["evaluation"], results["runs"]
    titles = {id: method["title"] for id, method in methods.items()}
    here = table[table["dataset"] == dataset]
    its_metrics = [m for m in metrics if m in set(here["metric"])]
    metric = entry.get("scoring") or next(iter(its_metrics), "")
    order = rank_methods(table, dataset, metric)
    tops = sort_tops(here["top"])
    found = leads(evaluation, dataset, metric, test_train_ratio=split_ratio(runs, dataset)) if order else []
    main = main_top(tops) if tops else ""
    leaders = frozenset((BASELINE, *(m for lead in found if lead.top == main for m in lead.leaders)))
    scene = Scene(name, dataset, metric, order, titles, styles, leaders, "groups" in entry)
    pictures = draw(PER_DATASET, scene, results) if order else []
    cost = _costs(here, runs, dataset, metric, order)
    chosen_tops, chosen = choices(runs, dataset, order, {m: e.get("grid", {}) for m, e in methods.items()})
    skipped = {m: why for m, why in entry.get("skip", {}).items() if m in methods}
    return Section(
        id=dataset,
        anchor=anchor,
        title=entry["title"],
        about=entry,
        protocol=protocol_sentence(entry.get("protocol", "")),
        metric=metric,
        tops=tops,
        span=span(tops) if tops else "",
        main=main,
        order=order,
        leaders=leaders,
        leads=found,
        cards=[_card(lead, titles, cost, results["summary"]) for lead in found],
        headline=headline(found, titles),
        skipped=skipped,
        absent=[m for m in methods if m not in order and m not in skipped],
        table=wide_table(table, dataset, metric, order, found) if metric in its_metrics else None,
        figures=[Thumbnail(d.title, f) for d, f in zip(PER_DATASET, pictures, strict=bool(order))],
        transfers=transfer(results["cross"], dataset, order),
        costs=cost,
        chosen_tops=chosen_tops,
        choices=chosen,
    )


def protocol_sentence(protocol: str | Mapping[str, Any]) -> str:
    """Say how a data set was split."""
    if isinstance(protocol, str):
        return protocol
    kind = protocol.get("kind", "")
    options = {**protocol.get("options", {}), "repeats": protocol.get("repeats", 1)}
    numbers = ", ".join(f"{name} = {value}" for name, value in options.items())
    said = PROTOCOLS[kind].summary if kind in PROTOCOLS else kind
    return f"{said[:1].upper()}{said[1:]} ({kind}: {numbers})."


def wide_table(
    table: pd.DataFrame, dataset: str, metric: str, order: Sequence[str], found: Sequence[Lead]
) -> WideTable:
    """Lay out one metric of a data set; `found` are its comparisons by that metric."""
    tops, rows = wide(table, dataset, metric, order)
    cells = [cell for _, row in rows for cell in row]
    n = {cell.n for cell in cells if cell.n}
    return WideTable(
        get_metric(metric),
        tops,
        rows,
        decimals_for([cell.mean for cell in cells]),
        "no run" if not n else counted(n.pop(), "run") if len(n) == 1 else f"{min(n)} to {max(n)} runs",
        any(cell.std == cell.std for cell in cells),
        {lead.top: lead.level for lead in found},
    )


def _card(
    lead: Lead, titles: Mapping[str, str], cost: Sequence[Mapping[str, Any]], summary: pd.DataFrame
) -> Card:
    best = (lead.best, *lead.tied)
    others = [titles[m] for m in lead.level if m not in best]
    spent = {row["method"]: _total(row) for row in cost if row["method"] in lead.level}
    spent = {method: total for method, total in spent.items() if total == total}
    cheapest = min(spent, key=lambda method: spent[method], default="")
    return Card(
        lead.top,
        leader(lead, titles)
        + (f" {'level at ' if lead.tied else ''}{fixed(lead.mean)}" if lead.best else ""),
        lead.verdict,
        VERDICTS[lead.verdict],
        reading(lead, titles),
        ranks_nothing(lead, summary, titles).strip(),
        listed(others),
        f"{titles[cheapest]}, {seconds(spent[cheapest])} a job" if cheapest and len(lead.level) > 1 else "",
    )


def _total(row: Mapping[str, Any]) -> float:
    """Return the median seconds a job tunes and trains, NaN if neither is known."""
    known = [row[name] for name in ("selection", "training") if row[name] == row[name]]
    return float(sum(known)) if known else float("nan")


def _costs(
    here: pd.DataFrame, runs: pd.DataFrame, dataset: str, metric: str, order: Sequence[str]
) -> list[dict[str, Any]]:
    """Return a row per method: cost, and validation against test at the main top."""
    cost = costs(runs, dataset)
    if cost.empty or here.empty:
        return []
    at_main = here["top"] == main_top(here["top"])
    test = here[at_main & (here["metric"] == metric)].set_index("method")["mean"]
    mine = runs[(runs["dataset"] == dataset) & (runs["top"] == main_top(here["top"]))]
    validation = mine[mine["status"] == "ok"].groupby("method")["validation"].mean()
    cost = cost.assign(test=test.reindex(cost.index), validation=validation.reindex(cost.index))
    return cost.reindex([m for m in order if m in cost.index]).reset_index().to_dict("records")
