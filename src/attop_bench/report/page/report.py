"""The report: one HTML page that holds everything and opens without a network."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from attop.experiment import CONFIDENCE, TopJudgement, Verdict, headline, regrets
from attop.extending import format_duration, format_fixed, join_words
from attop.metrics import get_metric
from attop.statistics import bootstrap_means, difference
from attop_bench.bibliography import cited
from attop_bench.files import Entry, JsonObject, StrPath, write_bytes, write_csv
from attop_bench.report.compute.across import by_reason, sentences, share_of
from attop_bench.report.compute.found import found_by
from attop_bench.report.compute.judgements import BASELINE, FEW
from attop_bench.report.compute.results import Results
from attop_bench.report.compute.tables import Tables, Titles, rows_of, total_costs
from attop_bench.report.figures import ACROSS, PAPER, PER_DATASET, drawing
from attop_bench.report.figures.scene import (
    INK,
    MethodStyle,
    Scene,
    key_svg,
    method_styles,
)
from attop_bench.report.page.render import (
    Overview,
    Overviews,
    Page,
    find_buttons,
    render,
    write_exports,
)
from attop_bench.report.page.section import (
    Section,
    build_scene,
    build_section,
    chips,
    left_out,
    mean_seconds,
)

if TYPE_CHECKING:
    from attop.experiment import TopComparison


def write_analysis(
    results: Tables,
    manifest: Entry,
    *,
    report: StrPath,
    tables: StrPath,
    figures: StrPath,
    jobs: int = 1,
) -> str:
    """Write the report, figures as PDF, tables as TeX, CSV and Parquet; return the headline.

    `results` and `manifest` are those of `build_report`; figures are drawn in so many processes.
    """
    page = build_page(results, manifest, files=True, jobs=jobs)
    write_exports(page, Path(figures), Path(tables))
    if "listed" in results:
        write_csv(Path(tables) / "found.csv", found_by(results["listed"]))
    write_bytes(report, render(page).encode())
    return page.first.headline


def build_report(results: Tables, manifest: Entry, out_path: StrPath) -> None:
    """Write the report of a benchmark whole or not at all; the same input gives the same bytes.

    `results` are the tables of `attop_bench.run.tables.TABLES`; all but "evaluation" and "runs" may be left
    out. So may all of `manifest`: title, config (YAML text), environment (versions, python, host, cpu,
    threads), ``environments`` (rows on those of the runs), ``rules`` (rows on what their jobs took), git,
    seed, ``datasets`` (with the metric `scoring`) and ``methods`` by identifier. A table that lacks a column,
    holds a value twice, or names an unknown metric is a ValueError.
    """
    write_bytes(out_path, render(build_page(results, manifest)).encode())


def build_page(
    tables: Tables,
    manifest: Entry,
    *,
    files: bool = False,
    jobs: int = 1,
) -> Page:
    """Gather the content of the page; with `files` figures have their files for a paper."""
    results = Results(tables, manifest)
    titles = results.titles
    methods = results.methods
    styles = _styles(methods)
    scenes = [
        build_scene(f"d{i}", name, results, styles)
        for i, name in enumerate(results.datasets)
    ]
    with drawing(files, jobs) as draw:
        of_each = [
            draw(PER_DATASET if s.order else (), s, _material(results, s.dataset))
            for s in scenes
        ]
        sections = [
            build_section(_anchor(scene.dataset), scene, results)
            for scene in scenes
        ]
        buttons = find_buttons(sections)
        middle = str((len(buttons) - 1) // 2) if buttons else "all"
        overview = _overviews(results, sections, buttons)
        first = overview[""][middle]
        decided = _decided(sections)
        main = _at_main_tops(sections)
        material = {
            "across": results.across,
            "judgements": decided,
            "main": main,
            "names": {s.id: s.short for s in sections},
            "evaluation": results.evaluation,
            "summary": results.summary,
        }
        loud = frozenset((BASELINE, *first.highlighted))
        whole = Scene(
            "across",
            dataset="",
            metric="",
            order=first.order,
            titles=titles,
            styles=styles,
            highlighted=loud,
        )
        across = draw(ACROSS if len(sections) > 1 else (), whole, material)
        paper = draw(PAPER if main and files else (), whole, material)
        sections = [
            replace(s, figures=wait())
            for s, wait in zip(sections, of_each, strict=True)
        ]
        figures = across()
        exports = paper()
    ranking = sentences(results.across, titles, {s.id: s.title for s in sections})
    return Page(
        title=manifest.get("title", "Benchmark report"),
        overview=overview,
        buttons=buttons,
        middle=middle,
        seconds=mean_seconds(sections),
        costs=total_costs(results.runs).reset_index().to_dict("records"),
        chips=chips(sections, methods, results.failures, results.runs, manifest),
        methods=methods,
        keys={method: key_svg(style) for method, style in styles.items()},
        sections=sections,
        left_out=by_reason(
            [(titles[m], why) for m, why in left_out(sections, methods).items()]
        ),
        across=results.across,
        summary=results.summary,
        board=results.board,
        ranking=(*ranking, *_by_chance(decided)),
        figures=figures,
        paper=exports,
        metrics=[get_metric(name) for name in results.metrics],
        failures=results.failures,
        citations=cited(
            key for entry in methods.values() for key in entry.get("cite", ())
        ),
        provenance=_provenance(manifest, results.runs),
        config=manifest.get("config", ""),
    )


def _styles(methods: Mapping[str, Entry]) -> dict[str, MethodStyle]:
    """Give each method its style; the baseline is black, which no other is."""
    styles = method_styles(
        {m: entry.get("estimator", m) for m, entry in methods.items()}
    )
    if BASELINE in styles:
        styles[BASELINE] = replace(styles[BASELINE], colour=INK)
    return styles


def _material(results: Results, dataset: str) -> Tables:
    """Select the tables of a data set, from which its figures are drawn."""
    tables = {**results.tables, "summary": results.summary}
    return {name: rows_of(table, dataset=dataset) for name, table in tables.items()}


def _decided(sections: Sequence[Section]) -> list[TopJudgement]:
    """Select the judgements of every top by its data set's own metric, where there is a best."""
    return [
        judged
        for section in sections
        for (metric, _), judged in section.judgements.items()
        if metric == section.metric and judged.best
    ]


def _at_main_tops(sections: Sequence[Section]) -> list[TopJudgement]:
    """Likewise, at the middle top of each data set."""
    judgements = [s.judgements[s.metric, s.main] for s in sections if s.view]
    return [judged for judged in judgements if judged.best]


def _overviews(
    results: Results,
    sections: Sequence[Section],
    buttons: Mapping[str, Mapping[str, str]],
) -> Overviews:
    """Build the overview by metric, "" for each data set's own, and by number of the button, or "all"."""
    by_metric = {"": results.own} | {
        m: dict.fromkeys(results.own, m) for m in results.metrics
    }
    places: dict[str, Mapping[str, str]] = {
        str(i): tops for i, tops in enumerate(buttons.values())
    }
    places["all"] = {}
    overviews: Overviews = {by: {} for by in by_metric}
    for by, used in by_metric.items():
        for place, tops in places.items():
            shown = _shown(results, used, tops)
            overviews[by][place] = _overview(shown, sections, results.titles)
    return overviews


def _shown(
    results: Results, metrics: Mapping[str, str], tops: Mapping[str, str]
) -> list[TopJudgement]:
    """Select the judgements by the metric of each data set at its top; at all tops where none is named."""
    return [
        judged
        for (dataset, metric, top), judged in results.judgements.items()
        if metrics.get(dataset) == metric and tops.get(dataset, top) == top
    ]


def _overview(
    judgements: Sequence[TopJudgement],
    ran: Sequence[Section],
    titles: Titles,
) -> Overview:
    """Order the methods by their mean regret; those that are not ranked everywhere come last."""
    lost = regrets([judged for judged in judgements if judged.ranked])
    means = {
        str(method): float(mean) for method, mean in lost.mean(skipna=False).items()
    }
    of_each = {m: math.nan for s in ran for m in s.order} | means
    order = sorted(of_each, key=lambda m: (math.isnan(of_each[m]), of_each[m]))
    least = [m for m in order if not difference(of_each[m], of_each[order[0]])]
    sentence = headline(judgements, titles)
    if _is_perfect(judgements):
        sentence += " Too good? See the data."
    return Overview(
        headline=sentence,
        finding=_finding(of_each, order, mean_seconds(ran), titles),
        order=order,
        behind={method: format_fixed(mean, 1) for method, mean in of_each.items()},
        between=_intervals(lost),
        shows=_could_show(judgements),
        highlighted=least if len(least) <= FEW else [],
    )


def _finding(
    lost: Mapping[str, float],
    order: Sequence[str],
    seconds: Mapping[str, float],
    titles: Titles,
) -> str:
    """Say what the picture next to the map shows: who loses least, and what loses little more but takes less.

    Little is one hundredth, the tolerance. Without times the baseline is named.
    """
    ranked = [method for method in order if lost[method] == lost[method]]
    if not ranked:
        return "Behind the best"
    first, *others = ranked
    best = titles[first]
    if not all(method in seconds for method in ranked):
        loss = f"{best} loses least, {format_fixed(lost[first], 1)} of 100"
        return (
            f"{loss}; {titles[BASELINE]} {format_fixed(lost[BASELINE], 1)}"
            if BASELINE in others
            else loss
        )
    took = format_duration(seconds[first])
    faster = [
        m
        for m in others
        if lost[m] - lost[first] <= 1 and seconds[m] < seconds[first]
    ]
    if not faster:
        return f"{best} loses least, in {took} a job; no method within 1 of 100 of it is faster"
    fastest = min(faster, key=lambda method: seconds[method])
    more = format_fixed(lost[fastest] - lost[first], 1)
    takes = format_duration(seconds[fastest])
    return f"{best} loses least, in {took} a job; {titles[fastest]} loses {more} more, in {takes}"


def _could_show(judgements: Sequence[TopJudgement]) -> str:
    """Say once which lead the runs show, and where methods are not tested."""
    return " ".join(
        filter(None, (_lead_shown(judgements), _not_tested(judgements)))
    )


def _not_tested(judgements: Sequence[TopJudgement]) -> str:
    """Say on how many data sets methods are not tested, and why; empty where all are."""
    reasons = {
        (judged.dataset, rival.reason)
        for judged in judgements
        for rival in judged.rivals
        if rival.verdict is Verdict.UNTESTED
    }
    if not reasons:
        return ""
    sets = len({dataset for dataset, _ in reasons})
    where = share_of(sets, len({judged.dataset for judged in judgements}))
    return f"Not tested on {where}: {'; '.join(sorted({reason for _, reason in reasons}))}."


def _lead_shown(judgements: Sequence[TopJudgement]) -> str:
    needs = [
        rival.needs / judged.tolerance
        for judged in judgements
        for rival in judged.rivals
        if rival.verdict is Verdict.OPEN
        and rival.needs > 0
        and judged.tolerance > 0
    ]
    if not needs:
        return ""
    lead = f"{np.median(needs):.2g}"
    return (
        "Where a method is not shown to be behind, these runs show a lead of "
        f"{lead} hundredths in 8 of 10 cases."
    )


def _intervals(lost: pd.DataFrame) -> dict[str, list[float]]:
    """Compute the 95% interval of each method's mean regret, by bootstrap over the data sets."""
    if lost.isna().any(axis=None) or not lost.size:
        return {}
    drawn_again = bootstrap_means(lost, higher_is_better=False)
    if drawn_again.refused:
        return {}
    ends = zip(
        lost, drawn_again.low[list(lost)], drawn_again.high[list(lost)], strict=True
    )
    return {
        str(method): [round(float(low), 2), round(float(high), 2)]
        for method, low, high in ends
    }


def _is_perfect(judgements: Sequence[TopJudgement]) -> bool:
    """Tell whether the best has the perfect value in all runs of the only data set."""
    perfect = [
        j.best and j.mean == get_metric(j.metric).bounds[j.higher_is_better]
        for j in judgements
    ]
    return len({judged.dataset for judged in judgements}) == 1 and all(perfect)


def _by_chance(judgements: Sequence[TopJudgement]) -> list[str]:
    """Say how many leads are to be expected by chance where many are tested, each by itself."""
    n = sum(judged.verdict not in ("", Verdict.UNTESTED) for judged in judgements)
    if n < 2:
        return []
    wrong = (1 - CONFIDENCE) * n
    return [
        f"Map and cards test each of {n} tops alone: were all methods equal, up to {wrong:.2g} would "
        "call one ahead by chance. The count in the sentence on top holds for all of its tops at once."
    ]


_PARTS = (
    "overview",
    "tuning",
    "cost",
    "about",
    "failures",
    "constant",
    "torn",
    "undefined",
    "provenance",
    "cite",
)


def _anchor(dataset: str) -> str:
    """Choose the address of a data set on the page, unlike that of any part."""
    return (
        f"data-{dataset}"
        if dataset in (*_PARTS, "metrics", "find", "headline")
        else dataset
    )


def _provenance(manifest: Entry, runs: pd.DataFrame) -> list[tuple[str, str]]:
    environment = manifest.get("environment", manifest)
    git = manifest.get("git") or {}
    versions = (
        f"{name} {number}"
        for name, number in environment.get("versions", {}).items()
    )
    commit = git.get("commit", "")
    if git.get("dirty"):
        commit += ", with changes not committed"
    machine = (
        str(environment[name])
        for name in ("host", "cpu", "platform")
        if environment.get(name)
    )
    rows = {
        **manifest.get("environments", {}),
        **manifest.get("rules", {}),
        "Versions": ", ".join(versions),
        "Python": environment.get("python", ""),
        "Commit": commit,
        "Seed": manifest.get("seed", ""),
        "Report made on": ", ".join(machine),
        "Threads": environment.get("threads", ""),
        "Jobs ran on": join_words(
            sorted({str(host) for host in runs["host"].dropna()})
        ),
    }
    return [(name, str(value)) for name, value in rows.items()]


def write_comparison(comparison: TopComparison, path: StrPath) -> None:
    """Write the page of a comparison; `TopComparison.report` calls it."""
    top = str(comparison.top)
    metric = comparison.metric
    runs = comparison.runs
    key = {
        "dataset": "items",
        "method": runs["model"],
        "repeat": 0,
        "fold": runs["run"],
        "top": top,
    }
    job = pd.DataFrame(key)
    evaluation = job.assign(
        metric=metric, value=runs["value"], reason=runs["reason"]
    )
    unknown = (
        "validation",
        "seconds_selection",
        "seconds_scoring",
        "seconds_cpu",
        "started",
        "ended",
    )
    jobs = job.assign(
        status=np.where(runs["failed"], "error", "ok"),
        chosen=[
            json.dumps(candidate, default=str) for candidate in runs["candidate"]
        ],
        n_candidates=1,
        at_edge="[]",
        constant=False,
        torn=runs["torn"].map(json.dumps),
        n_train=runs["n_train"],
        n_test=runs["n_test"],
        seconds_training=runs["seconds"],
        host=None,
        error=runs["reason"].where(runs["failed"], ""),
        **dict.fromkeys((*unknown, "peak_memory_mb"), float("nan")),
    )
    units = comparison.judgement.units
    entry: JsonObject = {
        "title": "Your items",
        "scoring": metric,
        "tops": [top],
        "units": units,
    }
    if not comparison.grouped:
        n = int((runs["n_train"] + runs["n_test"]).max())
        entry |= {"items": n, "positives": round(comparison.share * n)}
    manifest: JsonObject = {
        "title": f"Models compared at {top}",
        "datasets": {"items": entry},
        "environment": {"versions": {"attop": version("attop")}},
    }
    if comparison.judgement.answer:
        manifest["against"] = comparison.judgement.answer.model
    page = build_page({"evaluation": evaluation, "runs": jobs}, manifest)
    page.overview[""][page.middle] = replace(
        page.first, headline=comparison.sentence
    )
    write_bytes(path, render(page).encode())
