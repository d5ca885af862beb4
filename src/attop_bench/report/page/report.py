"""The report: one HTML page that holds everything and opens without a network."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from attop.core import wording
from attop.core.files import write_bytes
from attop.metrics.registry import METRICS, get_metric
from attop_bench.bibliography import cited
from attop_bench.report.compute.across import across
from attop_bench.report.compute.across_sentences import by_reason, sentences
from attop_bench.report.compute.board import board
from attop_bench.report.compute.comparison import BASELINE
from attop_bench.report.compute.failures import constant_models, error_list, status_counts, undefined_values
from attop_bench.report.compute.heat_map import heat_map
from attop_bench.report.compute.tables import standings, summarise, write_summary
from attop_bench.report.figures import ACROSS, draw
from attop_bench.report.figures.scene import INK, Scene, key_svg, method_styles
from attop_bench.report.page.export import write_exports
from attop_bench.report.page.model import Failures, Page, Thumbnail
from attop_bench.report.page.payload import payload
from attop_bench.report.page.render import render
from attop_bench.report.page.section import build_section
from attop_bench.report.page.summary_line import chips, left_out, page_headline

__all__ = ["build_page", "build_report", "write_analysis"]


def write_analysis(
    results: Mapping[str, pd.DataFrame],
    manifest: Mapping[str, Any],
    *,
    report: str | os.PathLike[str],
    tables: str | os.PathLike[str],
    figures: str | os.PathLike[str],
) -> str:
    """Write the report, its figures and tables as files, and the summary as CSV and Parquet.

    Parameters
    ----------
    results : mapping
        See `build_report`.
    manifest : mapping
        See `build_report`.
    report : path
        The HTML file.
    tables : path
        Folder that gets ``summary.csv``, ``summary.parquet`` and a TeX file for each data set.
    figures : path
        Folder that gets each figure as SVG and PDF.

    Returns
    -------
    str
        The headline: who ranks best, and whether that is shown.
    """
    write_summary(summarise(results["evaluation"], results["runs"]), Path(tables) / "summary")
    page = build_page(results, manifest)
    write_exports(page, Path(figures), Path(tables))
    write_bytes(report, render(page).encode())
    return page.headline


def build_report(
    results: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any], out_path: str | os.PathLike[str]
) -> None:
    """Write the report of a benchmark; the same input gives the same bytes.

    Parameters
    ----------
    results : mapping
        The tables of `attop_bench.run.tables.TABLES`, with their columns.
    manifest : mapping
        title, config (YAML text), environment (versions, python, host, cpu, threads), git, seed,
        ``datasets`` and ``methods`` by identifier; of a data set `scoring` names the metric methods are
        compared by. What is left out is left out of the page.
    out_path : path
        The HTML file, written whole or not at all.

    Raises
    ------
    ValueError
        If a table lacks a column, holds a value twice, or names a metric the registry does not know.
    """
    write_bytes(out_path, render(build_page(results, manifest)).encode())


def build_page(results: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any]) -> Page:
    """Gather what the page says; see `build_report`."""
    evaluation, runs = results["evaluation"], results["runs"]
    summary = summarise(evaluation, runs)
    table = standings(summary)
    methods = _entries(manifest.get("methods", {}), [*runs["method"], *evaluation["method"]])
    datasets = _entries(manifest.get("datasets", {}), [*runs["dataset"], *evaluation["dataset"]])
    titles = {id: entry["title"] for id, entry in methods.items()}
    families = {id: entry.get("estimator", id) for id, entry in methods.items()}
    styles = method_styles(families)
    if BASELINE in styles:  # in ink, which no leader has
        styles[BASELINE] = replace(styles[BASELINE], colour=INK)
    found = set(evaluation["metric"])
    metrics = [name for name in METRICS if name in found] + sorted(found - set(METRICS))
    material = {**results, "summary": summary}
    sections = [
        build_section(f"d{i}", _anchor(id), id, material, table, entry, methods, styles, metrics)
        for i, (id, entry) in enumerate(datasets.items())
    ]
    ran = [s for s in sections if s.order]
    overall = across(evaluation, {s.id: s.metric for s in ran}, titles=titles)
    ranks = {**dict.fromkeys((m for s in ran for m in s.order), math.nan)}
    ranks |= {s.method: s.rank for s in overall.standings if s.method in ranks}
    if not overall.n_datasets and len(ran) == 1:  # nothing to rank over: the order of the one data set
        ranks = dict.fromkeys(ran[0].order, math.nan)
    leaders = frozenset((BASELINE, *overall.leaders))
    scene = Scene("across", "", "", overall.order, titles, styles, leaders)
    pictures = draw(ACROSS, scene, {"across": overall}) if len(sections) > 1 else []
    failures = _failures(results)
    return Page(
        title=manifest.get("title", "Benchmark report"),
        headline=page_headline(overall, [lead for s in ran for lead in s.leads], titles),
        chips=chips(sections, methods, failures, runs, manifest),
        methods=methods,
        titles=titles,
        keys={method: key_svg(style) for method, style in styles.items()},
        sections=sections,
        map=heat_map(table, {s.id: s.leads for s in ran}, ranks, datasets),
        left_out=by_reason([(titles[m], why) for m, why in left_out(sections, methods).items()]),
        across=overall,
        board=board(evaluation, runs, {s.id: s.metric for s in ran}, titles),
        ranking=sentences(overall, titles, {s.id: s.title for s in sections}),
        leaders=leaders,
        figures=[Thumbnail(d.title, f) for d, f in zip(ACROSS, pictures, strict=False)],
        metrics=[get_metric(name) for name in metrics],
        failures=failures,
        citations=cited(key for entry in methods.values() for key in entry.get("cite", ())),
        provenance=_provenance(manifest, runs),
        config=manifest.get("config", ""),
        data=payload(sections, methods, metrics, results, ranks, overall.leaders),
    )


_PARTS = ("overview", "tuning", "cost", "about", "failures", "constant", "undefined", "provenance", "cite")


def _anchor(dataset: str) -> str:
    """Return the address of a data set on the page, which no part of the page has."""
    return f"data-{dataset}" if dataset in (*_PARTS, "metrics", "find", "headline") else dataset


def _entries(described: Mapping[str, Any], seen: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the manifest's entries and, bare, those only the tables know; each with a title."""
    ids = dict.fromkeys([*described, *seen])
    entries = {id: dict(described.get(id, {})) for id in ids}
    for id, entry in entries.items():
        entry["title"] = entry.get("title") or id
    return entries


def _failures(results: Mapping[str, pd.DataFrame]) -> Failures:
    evaluation, runs = results["evaluation"], results["runs"]
    counts = status_counts(evaluation, runs)
    return Failures(
        jobs={c: int(counts[c].sum()) for c in counts.columns[2:]},
        statuses=list(counts.columns[3:]),
        incomplete=counts[counts["ok"] < counts["expected"]].to_dict("records"),
        errors=error_list(runs).to_dict("records"),
        undefined=undefined_values(evaluation).to_dict("records"),
        n_values=len(evaluation),
        constant=constant_models(runs).to_dict("records"),
    )


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
        (
            "Report made on",
            ", ".join(str(environment[k]) for k in ("host", "cpu", "platform") if environment.get(k)),
        ),
        ("Threads", str(environment.get("threads", ""))),
        ("Jobs ran on", wording.listed(hosts)),
    ]
