"""The report: one HTML page that holds everything and opens without a network."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from attop.analysis import wording
from attop.analysis.compute.across import ROPE, across
from attop.analysis.compute.across_sentences import sentences
from attop.analysis.compute.comparison import leads, split_ratio
from attop.analysis.compute.comparison_sentences import VERDICTS, headline, ranks_nothing, reading
from attop.analysis.compute.failures import error_list, status_counts, undefined_values
from attop.analysis.compute.tables import rank_methods, standings, summarise, wide, write_summary
from attop.analysis.compute.targets import main_target, sort_targets, span
from attop.analysis.compute.transfer import transfer
from attop.analysis.compute.tuning import choices, costs
from attop.analysis.figures.registry import ACROSS, PER_DATASET, draw
from attop.analysis.figures.scene import Scene
from attop.analysis.figures.style import MethodStyle, key_svg, method_styles
from attop.bibliography import cited
from attop.datasets.splits.protocols import PROTOCOLS
from attop.files import write_bytes
from attop.metrics import METRICS, get_metric

__all__ = ["build_report", "write_analysis"]


def write_analysis(
    results: Mapping[str, pd.DataFrame],
    manifest: Mapping[str, Any],
    *,
    report: str | os.PathLike[str],
    tables: str | os.PathLike[str],
) -> None:
    """Write the report, and the summary as CSV and Parquet.

    Parameters
    ----------
    results : mapping
        See `build_report`.
    manifest : mapping
        See `build_report`.
    report : path
        The HTML file.
    tables : path
        Folder that gets ``summary.csv`` and ``summary.parquet``.
    """
    write_summary(summarise(results["evaluation"], results["runs"]), Path(tables) / "summary")
    build_report(results, manifest, report)


def build_report(
    results: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any], out_path: str | os.PathLike[str]
) -> None:
    """Write the report of a benchmark; the same input gives the same bytes.

    Parameters
    ----------
    results : mapping
        The tables of `attop.bench.tables.TABLES`, with their columns.
    manifest : mapping
        title, config (YAML text), environment (versions, python, host, cpu, threads), git, seed,
        ``datasets`` and ``methods`` by identifier; of a data set `select_by` names the metric methods are
        compared by. What is left out is left out of the page.
    out_path : path
        The HTML file, written whole or not at all.

    Raises
    ------
    ValueError
        If a table lacks a column, holds a value twice, or names a metric the registry does not know.
    """
    page = _render(_context(results, manifest))
    write_bytes(out_path, page.encode())


def _render(context: Mapping[str, Any]) -> str:
    from jinja2 import Environment, PackageLoader
    from markupsafe import Markup

    loader = PackageLoader("attop.analysis.page", "templates")
    pages = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    pages.filters |= {
        "fixed": wording.fixed,
        "seconds": wording.seconds,
        "listed": wording.listed,
        "chance": wording.chance,
        "counted": wording.counted,
        "thousands": "{:,}".format,
        "interval": _interval,
    }
    assets = {name: Markup(loader.get_source(pages, f"report.{name}")[0]) for name in ("css", "js")}
    return pages.get_template("report.html.j2").render(**context, assets=assets, Markup=Markup)


def _context(results: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any]) -> dict[str, Any]:
    evaluation, runs = results["evaluation"], results["runs"]
    summary = summarise(evaluation, runs)
    table = standings(summary)
    methods = _entries(manifest.get("methods", {}), [*runs["method"], *evaluation["method"]])
    datasets = _entries(manifest.get("datasets", {}), [*runs["dataset"], *evaluation["dataset"]])
    titles = {id: entry["title"] for id, entry in methods.items()}
    styles = method_styles(list(methods))
    counts = status_counts(evaluation, runs)
    found = set(evaluation["metric"])
    metrics = [name for name in METRICS if name in found] + sorted(found - set(METRICS))
    sections = [
        _section(f"d{i}", id, entry, (summary, table), results, methods, titles, styles, metrics)
        for i, (id, entry) in enumerate(datasets.items())
    ]
    undefined = undefined_values(evaluation)
    dataset_titles = {id: entry["title"] for id, entry in datasets.items()}
    overall = across(evaluation, {s["id"]: s["metric"] for s in sections if s["order"]}, titles=titles)
    scene = Scene("across", "", "", overall.order, titles, styles)
    return {
        "title": manifest.get("title", "Benchmark report"),
        "manifest": manifest,
        "methods": methods,
        "titles": titles,
        "dataset_titles": dataset_titles,
        "across": overall,
        "ranking": sentences(overall, titles, dataset_titles),
        "across_figures": draw(ACROSS, scene, {"across": overall}),
        "keys": {method: key_svg(style) for method, style in styles.items()},
        "places": {method: i for i, method in enumerate(methods)},
        "sections": sections,
        "metrics": [get_metric(name) for name in metrics],
        "jobs": {c: int(counts[c].sum()) for c in counts.columns[2:]},
        "statuses": list(counts.columns[3:]),
        "incomplete": counts[counts["ok"] < counts["expected"]].to_dict("records"),
        "errors": error_list(runs).to_dict("records"),
        "undefined": undefined.to_dict("records"),
        "n_undefined": int(undefined["undefined"].sum()),
        "n_values": len(evaluation),
        "rope": ROPE,
        "nan": math.nan,
        "citations": cited(key for entry in methods.values() for key in entry.get("cite", ())),
        "all_targets": sort_targets(evaluation["target"]),
        "provenance": _provenance(manifest, runs),
    }


def _entries(described: Mapping[str, Any], seen: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the manifest's entries and, bare, those only the tables know; each with a title."""
    ids = dict.fromkeys([*described, *seen])
    entries = {id: dict(described.get(id, {})) for id in ids}
    for id, entry in entries.items():
        entry["title"] = entry.get("title") or id
    return entries


def _section(
    name: str,
    dataset: str,
    entry: Mapping[str, Any],
    summaries: tuple[pd.DataFrame, pd.DataFrame],
    results: Mapping[str, pd.DataFrame],
    methods: Mapping[str, Mapping[str, Any]],
    titles: dict[str, str],
    styles: Mapping[str, MethodStyle],
    metrics: Sequence[str],
) -> dict[str, Any]:
    """Gather all the page says of one data set."""
    summary, table = summaries
    evaluation, runs = results["evaluation"], results["runs"]
    here = summary[summary["dataset"] == dataset]
    its_metrics = [m for m in metrics if m in set(here["metric"])]
    metric = entry.get("select_by") or next(iter(its_metrics), "")
    order = rank_methods(table, dataset, metric)
    targets = sort_targets(here["target"])
    ratio = split_ratio(runs, dataset)
    lead = leads(evaluation, dataset, metric, test_train_ratio=ratio) if order else []
    scene = Scene(name, dataset, metric, order, titles, styles, "groups" in entry)
    chosen_targets, chosen = choices(runs, dataset, order, {m: e.get("grid", {}) for m, e in methods.items()})
    skipped = {m: why for m, why in entry.get("skip", {}).items() if m in methods}
    return {
        "name": name,
        "id": dataset,
        "about": entry,
        "protocol": protocol_sentence(entry.get("protocol", "")),
        "metric": metric,
        "targets": targets,
        "span": span(targets) if targets else "",
        "order": order,
        "leads": lead,
        "readings": [
            (VERDICTS[its.verdict], reading(its, titles) + ranks_nothing(its, summary, titles))
            for its in lead
        ],
        "level": {its.target: its.level for its in lead},
        "headline": headline(lead, titles),
        "skipped": skipped,
        "absent": [m for m in methods if m not in order and m not in skipped],
        "tables": [
            _wide(table, dataset, m, rank_methods(table, dataset, m))
            for m in sorted(its_metrics, key=lambda m: m != metric)
        ],
        "figures": draw(PER_DATASET, scene, {**results, "summary": summary}) if order else [],
        "transfers": transfer(results["cross"], dataset, order),
        "costs": _costs(here, runs, dataset, metric, order),
        "main": main_target(targets) if targets else "",
        "chosen_targets": chosen_targets,
        "choices": chosen,
    }


def _wide(table: pd.DataFrame, dataset: str, metric: str, order: Sequence[str]) -> dict[str, Any]:
    targets, rows = wide(table, dataset, metric, order)
    cells = [cell for _, row in rows for cell in row]
    n = {cell.n for cell in cells if cell.n}
    return {
        "metric": get_metric(metric),
        "targets": targets,
        "rows": rows,
        "decimals": wording.decimals_for([cell.mean for cell in cells]),
        "runs": "no run"
        if not n
        else wording.counted(n.pop(), "run")
        if len(n) == 1
        else f"{min(n)} to {max(n)} runs",
        "spread": any(cell.std == cell.std for cell in cells),
    }


def _costs(
    here: pd.DataFrame, runs: pd.DataFrame, dataset: str, metric: str, order: Sequence[str]
) -> list[dict[str, Any]]:
    """Return a row per method: cost, and validation against test at the main target."""
    cost = costs(runs, dataset)
    if cost.empty or here.empty:
        return []
    at_main = here["target"] == main_target(here["target"])
    test = here[at_main & (here["metric"] == metric)].set_index("method")["mean"]
    mine = runs[(runs["dataset"] == dataset) & (runs["target"] == main_target(here["target"]))]
    validation = mine[mine["status"] == "ok"].groupby("method")["validation"].mean()
    cost = cost.assign(test=test.reindex(cost.index), validation=validation.reindex(cost.index))
    return cost.reindex([m for m in order if m in cost.index]).reset_index().to_dict("records")


def protocol_sentence(protocol: str | Mapping[str, Any]) -> str:
    """Say how a data set was split."""
    if isinstance(protocol, str):
        return protocol
    kind = protocol.get("kind", "")
    options = {**protocol.get("options", {}), "repeats": protocol.get("repeats", 1)}
    numbers = ", ".join(f"{name} = {value}" for name, value in options.items())
    said = PROTOCOLS[kind].summary if kind in PROTOCOLS else kind
    return f"{said[:1].upper()}{said[1:]} ({kind}: {numbers})."


def _provenance(manifest: Mapping[str, Any], runs: pd.DataFrame) -> list[tuple[str, str]]:
    environment = manifest.get("environment", manifest)
    git = manifest.get("git") or {}
    hosts = sorted({str(h) for h in runs["host"].dropna()})
    return [
        ("Versions", ", ".join(f"{k} {v}" for k, v in environment.get("versions", {}).items())),
        ("Python", str(environment.get("python", ""))),
        (
            "Commit",
            f"{git['commit']}{', with changes not committed' if git.get('dirty') else ''}" if git else "",
        ),
        ("Seed", str(manifest.get("seed", ""))),
        ("Command", str(manifest.get("command", ""))),
        ("Started", str(manifest.get("started", ""))),
        ("Finished", str(manifest.get("finished", ""))),
        (
            "Report made on",
            ", ".join(str(environment[k]) for k in ("host", "cpu", "platform") if environment.get(k)),
        ),
        ("Threads", str(environment.get("threads", ""))),
        ("Jobs ran on", wording.listed(hosts)),
    ]


def _interval(bounds: tuple[float, float]) -> str:
    low, high = bounds
    return f"[{low:g}, {high:g}]" if high != float("inf") else f"[{low:g}, ∞)"
