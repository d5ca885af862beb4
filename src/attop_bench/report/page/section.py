"""The page's section of a data set, and the short facts at its top."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO

import numpy as np
import pandas as pd

from attop.experiment import TopJudgement, Units, name_models
from attop.extending import (
    Top,
    capitalise,
    count_noun,
    format_duration,
    format_hits,
    format_sum,
    join_words,
    main_top,
)
from attop.metrics import get_metric
from attop_bench.data.base import LEDGER
from attop_bench.data.ledger import Ledger
from attop_bench.data.splits.protocols import PROTOCOLS
from attop_bench.files import Entry
from attop_bench.jobs.limits import FAILED, OK
from attop_bench.report.compute.found import Pair, compare_lists, tied_places
from attop_bench.report.compute.judgements import (
    BASELINE,
    highlighted,
    rank_methods,
    span,
    split_ratio,
    units_behind,
)
from attop_bench.report.compute.results import Failures, Records, Results
from attop_bench.report.compute.tables import (
    JOB,
    RUN,
    Choice,
    Titles,
    choices,
    costs,
    ensembles,
    rows_of,
    wall_clock,
)
from attop_bench.report.figures.capacity import BUDGET
from attop_bench.report.figures.scene import Figure, MethodStyle, Scene
from attop_bench.report.figures.transfer import Transfer, transfer
from attop_bench.report.page.view import View, build_view


@dataclass(frozen=True)
class Section:
    """All the page says of one data set; `views` are by metric, `judgements` by (metric, top)."""

    id: str
    anchor: str
    #: Name for a tab or a column, unlike that of any other data set.
    short: str
    about: Entry
    protocol: str
    metric: str
    tops: list[str]
    order: list[str]
    judgements: dict[tuple[str, str], TopJudgement]
    views: dict[str, View]
    skipped: dict[str, str]
    absent: list[str]
    transfers: list[Transfer]
    costs: Records
    chosen_tops: list[str]
    choices: list[Choice]
    ensembles: pd.DataFrame
    pair: Pair | None = None
    tied: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    #: Rows to train on and to rank, and how many folds have as many.
    folds: Mapping[tuple[int, int], int] = field(default_factory=dict)
    figures: list[Figure] = field(default_factory=list)

    @property
    def title(self) -> str:
        """Name shown."""
        return str(self.about["title"])

    @property
    def ledger(self) -> list[tuple[str, str]]:
        """The ledger of the file's rows, if the data are of one."""
        return (
            list(Ledger.from_dict(self.about[LEDGER]).lines())
            if LEDGER in self.about
            else []
        )

    @property
    def main(self) -> str:
        """The top shown first."""
        return main_top(self.tops) if self.tops else ""

    @property
    def span(self) -> str:
        """The tops in few words."""
        return span(self.tops) if self.tops else ""

    @property
    def view(self) -> View | None:
        """By the metric methods are compared by."""
        return self.views.get(self.metric)

    def finding(self, titles: Titles) -> str:
        """Say what the best of the middle top finds on its curve; nothing where there is none."""
        judged = self.judgements.get((self.metric, self.main))
        curve = next(
            (
                figure
                for figure in self.figures
                if figure.name.endswith("-capacity")
            ),
            None,
        )
        if judged is None or not judged.best or curve is None or not curve.data:
            return ""
        table = pd.read_csv(StringIO(curve.data), dtype={"method": str})
        of_best = rows_of(table, method=judged.best)
        if len(of_best) <= BUDGET:
            return ""
        at_k = of_best.iloc[BUDGET]
        verb = "find" if judged.tied else "finds"
        return f"At {at_k['k']:,.0f} checks {name_models(judged.first, titles, 3)} {verb} {self._found(at_k)}"

    def _found(self, at_k: pd.Series) -> str:
        """Say what is found at k, and what chance finds if that is known."""
        if "amount" in at_k:
            amount = format_sum(at_k["amount"])
            by_chance = format_sum(at_k["amount_by_chance"])
            return f"an amount of {amount}; chance finds {by_chance}"
        hits = format_hits(at_k["hits"], at_k["k"])
        if math.isnan(self.chance):
            return hits
        return f"{hits}; chance finds {format_hits(at_k['k'] * self.chance, at_k['k'])}"

    @property
    def chance(self) -> float:
        """The share of positives, which a random order finds; NaN if it is not known."""
        n = self.about.get("items")
        n_pos = self.about.get("positives")
        return n_pos / n if n and n_pos is not None else math.nan

    @property
    def at_edge(self) -> list[Choice]:
        """Parameters mostly chosen at an end of their grid."""
        return [choice for choice in self.choices if choice.mostly_at_edge]


def short_titles(titles: Titles) -> dict[str, str]:
    """Cut titles at a bracket or comma, except where several would then be the same."""
    short = {name: re.split(r" \(|, ", title)[0] for name, title in titles.items()}
    times = Counter(short.values())
    return {
        name: text if times[text] == 1 else titles[name]
        for name, text in short.items()
    }


def build_scene(
    name: str, dataset: str, results: Results, styles: Mapping[str, MethodStyle]
) -> Scene:
    """Build the scene of a data set's figures."""
    here = rows_of(results.summary, dataset=dataset)
    metric = results.metric_of(dataset)
    judged = [
        a
        for (its, by, _), a in results.judgements.items()
        if (its, by) == (dataset, metric)
    ]
    main = main_top(here["top"]) if len(here) else ""
    loud = frozenset(
        (BASELINE, *(m for a in judged if a.top == main for m in highlighted(a)))
    )
    order = rank_methods(judged, here["method"].unique())
    grouped = "groups" in results.datasets[dataset]
    ratio = split_ratio(results.runs, dataset)
    return Scene(
        name=name,
        dataset=dataset,
        metric=metric,
        order=order,
        titles=results.titles,
        styles=styles,
        highlighted=loud,
        grouped=grouped,
        factors={a.top: a.factor for a in judged if a.in_sums},
        units=units_behind(
            get_metric("precision@k"),
            Top.parse(main),
            ratio,
            results.datasets[dataset],
        )
        if main
        else Units(),
        ratio=ratio,
    )


def build_section(anchor: str, scene: Scene, results: Results) -> Section:
    """Gather the section of a data set, but for its figures."""
    dataset = scene.dataset
    runs = results.runs
    table = results.summary
    titles = results.titles
    methods = results.methods
    entry = results.datasets[dataset]
    judgements = {
        (by, top): a
        for (its, by, top), a in results.judgements.items()
        if its == dataset
    }
    of_dataset = rows_of(table, dataset=dataset)
    metric = scene.metric
    order = list(scene.order)
    tops = list(dict.fromkeys(of_dataset["top"]))  # the summary has them by size
    main = main_top(tops) if tops else ""
    here = rows_of(of_dataset, top=main, metric=metric)
    cost = _costs(here, runs, dataset, main, order)
    spent = _spent(cost)
    chosen_tops, chosen = choices(
        runs, dataset, order, {m: e.get("grid", {}) for m, e in methods.items()}
    )
    edge = {choice.method for choice in chosen if choice.mostly_at_edge}
    evaluation = rows_of(results.evaluation, dataset=dataset)
    values = dict(list(evaluation.groupby("metric", sort=False)))
    rows = dict(list(of_dataset.groupby("metric", sort=False)))
    views = {
        by: build_view(
            entry["title"], judged, rows[by], values[by], titles, spent, edge
        )
        for by in dict.fromkeys(metric for metric, _ in judgements)
        if (judged := [a for (its, _), a in judgements.items() if its == by])
    }
    listed = results.tables.get("listed", pd.DataFrame(columns=["dataset"]))
    listed = rows_of(listed, dataset=dataset)
    leading = (
        list(judgements[metric, main].means)[:2]
        if (metric, main) in judgements
        else []
    )
    skipped = {m: why for m, why in entry.get("skip", {}).items() if m in methods}
    return Section(
        id=dataset,
        anchor=anchor,
        short=short_titles(
            {name: e["title"] for name, e in results.datasets.items()}
        )[dataset],
        about=entry,
        protocol=protocol_sentence(entry.get("protocol", "")),
        metric=metric,
        tops=tops,
        order=order,
        judgements=judgements,
        views=views,
        skipped=skipped,
        absent=[m for m in methods if m not in order and m not in skipped],
        transfers=transfer(results.tables["cross"], dataset, order)
        if "cross" in results.tables
        else [],
        costs=cost,
        chosen_tops=chosen_tops,
        choices=chosen,
        ensembles=ensembles(runs, dataset),
        pair=compare_lists(listed, *leading)
        if len(listed) and len(leading) == 2
        else None,
        tied=tied_places(listed) if len(listed) else {},
        folds=_rows_in_folds(runs, dataset),
    )


def _rows_in_folds(runs: pd.DataFrame, dataset: str) -> dict[tuple[int, int], int]:
    """Count the folds, over all repeats, by (rows to train on, rows to rank)."""
    done = rows_of(runs, dataset=dataset).dropna(subset="n_train")
    sizes = done.drop_duplicates(RUN)
    counts = Counter(
        zip(sizes["n_train"].astype(int), sizes["n_test"].astype(int), strict=True)
    )
    return dict(sorted(counts.items()))


def _spent(cost: Records) -> dict[str, float]:
    """Add up the seconds that a job selects and trains, by method."""
    timed = ("selection", "training")
    return {
        row["method"]: sum(row[s] for s in timed if row[s] == row[s]) or math.nan
        for row in cost
    }


def mean_seconds(sections: Sequence[Section]) -> dict[str, float]:
    """Average the seconds of a job of each method, geometrically over the data sets with a time of it."""
    spent = pd.DataFrame([_spent(s.costs) for s in sections], dtype=float)
    return {
        str(m): float(f"{t:.4g}")
        for m, t in np.exp(np.log(spent).mean()).items()
        if math.isfinite(t)
    }


def protocol_sentence(protocol: str | Entry) -> str:
    """Describe a split."""
    if isinstance(protocol, str):
        return protocol
    kind = protocol.get("kind", "")
    options = {**protocol.get("options", {}), "repeats": protocol.get("repeats", 1)}
    numbers = ", ".join(f"{name} = {value}" for name, value in options.items())
    summary = PROTOCOLS[kind].summary if kind in PROTOCOLS else kind
    return f"{capitalise(summary)} ({kind}: {numbers})."


def _costs(
    here: pd.DataFrame,
    runs: pd.DataFrame,
    dataset: str,
    main: str,
    order: Sequence[str],
) -> Records:
    """Build a row per method: cost, and validation against test (`here`) at the main top."""
    cost = costs(runs, dataset)
    if cost.empty or not main:
        return []
    finished = rows_of(runs, dataset=dataset, top=main, status=OK)
    validation = finished.groupby("method")["validation"].mean()
    test = here.set_index("method")["mean"]
    cost = cost.assign(
        test=test.reindex(cost.index), validation=validation.reindex(cost.index)
    )
    return (
        cost.reindex([m for m in order if m in cost.index])
        .reset_index()
        .to_dict("records")
    )


@dataclass(frozen=True)
class Chip:
    """A short fact at the top; `tone` is "", "good", "bad" or "warn", `href` where it is explained."""

    text: str
    tone: str = ""
    href: str = ""


def chips(
    sections: Sequence[Section],
    methods: Mapping[str, Entry],
    not_done: Failures,
    runs: pd.DataFrame,
    manifest: Entry,
) -> list[Chip]:
    """State data sets, methods, jobs, time, version and warnings."""
    return [
        Chip(count_noun(len(sections), "data set")),
        Chip(count_noun(len(methods), "method")),
        *_about_jobs(not_done.jobs),
        *_about_origin(runs, manifest),
        *_warnings(sections, methods, not_done),
    ]


def _about_jobs(jobs: Mapping[str, int]) -> Iterator[Chip]:
    """Count the jobs that are ok, and those that are not by what became of them."""
    ok, expected, missing = (jobs[name] for name in ("ok", "expected", "missing"))
    failed = sum(jobs.get(status, 0) for status in FAILED)
    yield Chip(
        f"{ok:,} of {count_noun(expected, 'job')} ok",
        "good" if ok == expected else "",
    )
    refused = expected - ok - missing - failed
    others = (
        (failed, "failed", "bad"),
        (refused, "not applicable", ""),
        (missing, "missing", "bad"),
    )
    for n, what, tone in others:
        if n:
            yield Chip(f"{count_noun(n, 'job')} {what}", tone, "#failures")


def _about_origin(runs: pd.DataFrame, manifest: Entry) -> Iterator[Chip]:
    """Say how long the jobs took, and which version made the page when, as far as it is known."""
    spent = runs.drop_duplicates(JOB)
    parts = ["seconds_selection", "seconds_training", "seconds_scoring"]
    total = float(spent[parts].sum().sum())
    clock = wall_clock(runs)
    took = f"{format_duration(total)} in all"
    if clock == clock:
        cpu = float(spent["seconds_cpu"].sum())
        took = f"{format_duration(clock)} ({format_duration(cpu)} CPU)"
    if total > 0:
        yield Chip(took, href="#cost")
    version = manifest.get("environment", {}).get("versions", {}).get("attop", "")
    made_by = (
        f"attop {version}" if version else "",
        (manifest.get("git") or {}).get("commit", "")[:7],
        manifest.get("finished", "").replace("+00:00", " UTC"),
    )
    if words := " · ".join(filter(None, made_by)):
        yield Chip(words, href="#provenance")


def _warnings(
    sections: Sequence[Section], methods: Mapping[str, Entry], not_done: Failures
) -> Iterator[Chip]:
    """Warn of what the numbers of the page lack or hide."""
    if out := [methods[method]["title"] for method in left_out(sections, methods)]:
        gone = out[0] if len(out) == 1 else count_noun(len(out), "method")
        yield Chip(f"{gone} left out", "warn", "#left-out")
    edges = {
        s.title: len({c.method for c in s.at_edge}) for s in sections if s.at_edge
    }
    if edges:
        few = join_words([f"{n} on {title}" for title, n in edges.items()])
        where = few if len(edges) < 3 else count_noun(len(edges), "data set")
        text = f"Grids too narrow? Methods mostly at an edge: {where}"
        yield Chip(text, "warn", "#tuning")
    if alike := sum(row["models"] for row in not_done.constant):
        scores = "scores" if alike == 1 else "score"
        text = f"{count_noun(alike, 'model')} {scores} all items alike"
        yield Chip(text, "warn", "#constant")
    if tearing := len({row["method"] for row in not_done.torn}):
        text = f"{count_noun(tearing, 'method')} may tear entities"
        yield Chip(text, "warn", "#torn")
    if undefined := not_done.n_undefined:
        text = f"{undefined:,} of {not_done.n_values:,} values undefined"
        yield Chip(text, "warn", "#undefined")


def left_out(
    sections: Sequence[Section], methods: Mapping[str, Entry]
) -> dict[str, str]:
    """Find the methods that were run on no data set, each with the reason."""
    ran = {method for section in sections for method in section.order}
    if not ran:
        return {}
    why = {
        m: [s.skipped[m] for s in sections if m in s.skipped]
        for m in methods
        if m not in ran
    }
    return {
        method: "; ".join(dict.fromkeys(reasons)) or "not run"
        for method, reasons in why.items()
    }
