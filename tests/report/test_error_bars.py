"""Every bar of strip and figures is the judge's 95% interval of the mean; curves are of what is reported."""

from __future__ import annotations

import ast
import io
import math
import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.stats import t as student

from attop.experiment import MULTIPLES, curve_interval, draw_capacity, interval
from attop.extending import Top, format_sum
from attop.metrics import inside_top
from attop_bench.report.compute.judgements import ERROR_BAR, split_ratio
from attop_bench.report.compute.results import Results
from attop_bench.report.figures import PER_DATASET, draw
from attop_bench.report.figures.capacity import BUDGET, ROOM, place_names
from attop_bench.report.figures.scene import method_styles
from attop_bench.report.page.section import build_scene, build_section
from attop_bench.run.evaluation import amount_curve
from support import ROOT
from support.html import Page
from support.pages import made_tables
from support.rows import rows, summary_of

AT = ("dataset", "metric", "top")


def made(n_methods=4, n_runs=5, metric="precision@k", amounts=False):
    """Return made-up results of one data set by a metric; with amounts, the curves of what they are."""
    tables, manifest = made_tables(1, n_methods, n_runs)
    if metric != "precision@k":
        tables["evaluation"] = tables["evaluation"].assign(
            metric=metric, value=300 * tables["evaluation"]["value"]
        )
    if amounts:
        k = tables["roc"]["top"].map(lambda top: Top.parse(top).k)
        value = tables["evaluation"]["value"].to_numpy()
        curves = [
            [*(kk * v * np.minimum(MULTIPLES, 1.2)), 5 * kk * v] for kk, v in zip(k, value, strict=True)
        ]
        tables["roc"] = tables["roc"].assign(amounts=curves)
    for about in manifest["datasets"].values():
        about["scoring"] = metric
    return Results(tables, manifest)


def drawn(results):
    """Return the section of the only data set, with its figures."""
    (dataset,) = results.datasets
    scene = build_scene("d0", dataset, results, method_styles(list(results.methods)))
    figures = draw(PER_DATASET, scene, {**results.tables, "summary": results.summary})
    return scene, {figure.name: figure for figure in figures}


@pytest.mark.parametrize("n_runs", [2, 3, 5, 10])
@pytest.mark.parametrize("metric", ["precision@k", "amount@k"])
def test_the_interval_of_the_best_is_that_of_its_judgement(metric, n_runs):
    results = made(n_runs=n_runs, metric=metric)
    summary = results.summary.set_index([*AT, "method"])
    for key, judged in results.judgements.items():
        row = summary.loc[(key[0], key[1], key[2], judged.best)]
        assert (row["low"], row["high"]) == (judged.low, judged.high)


@pytest.mark.parametrize("n_runs", [2, 3, 5])
def test_few_runs_have_the_interval_of_students_t(n_runs):
    """By definition, of an amount: mean and t times the error corrected for parts that overlap."""
    results = made(n_runs=n_runs, metric="amount@k")
    ratio = split_ratio(results.runs, "set-0")
    for row in results.summary.itertuples():
        error = math.sqrt(1 / n_runs + ratio) * row.std
        reach = student.ppf(0.975, n_runs - 1) * error
        assert (row.low, row.high) == pytest.approx((max(row.mean - reach, 0.0), row.mean + reach))


def test_without_two_runs_or_the_sizes_of_the_parts_there_is_no_interval():
    evaluation, runs = rows(("a", [0.5, 0.6, 0.4]), ("b", [0.1, math.nan, math.nan]))
    assert summary_of(evaluation, runs)[["low", "high"]].isna().all(axis=None)
    sized = runs.assign(n_train=80.0, n_test=20.0)
    known = summary_of(evaluation, sized).set_index("method")
    assert known.loc["a", ["low", "high"]].notna().all()
    assert known.loc["b", ["low", "high"]].isna().all()


def test_strip_and_figures_have_the_same_interval_and_say_so():
    results = made()
    scene, figures = drawn(results)
    section = build_section("set-0", scene, results)
    shown = section.views["precision@k"].tops["k=50"]
    summary = results.summary[results.summary["top"] == "k=50"].set_index("method")
    for name, top in (("d0-top", "k=50"), ("d0-cost", "")):
        data = pd.read_csv(io.StringIO(figures[name].data))
        data = data[data["top"] == top] if top else data
        ends = data.set_index("method")[["low", "high"]]
        for method, cell in shown.cells.items():
            expected = tuple(summary.loc[method, ["low", "high"]])
            assert (cell.low, cell.high) == pytest.approx(expected, rel=1e-5)
            assert tuple(ends.loc[method]) == pytest.approx(expected, rel=1e-5)
    captions = [figures[name].caption for name in ("d0-top", "d0-cost", "d0-capacity")]
    for words in (shown.note, *captions):
        assert ERROR_BAR in words
        assert "standard error" not in words
    assert shown.note.count("interval") == 1


@pytest.mark.parametrize("n_runs", [2, 5])
def test_the_band_of_the_curve_is_at_k_the_bar_of_the_strip(n_runs):
    results = made(n_runs=n_runs)
    scene, _ = drawn(results)
    values = results.evaluation[results.evaluation["top"] == "k=50"]
    summary = results.summary[results.summary["top"] == "k=50"].set_index("method")
    for method, of_method in values.groupby("method"):
        curves = of_method["value"].to_numpy()[:, None] * np.minimum(MULTIPLES, 1.0)
        low, high = curve_interval(curves, scene.ratio, units=scene.units)
        assert (low[BUDGET], high[BUDGET]) == pytest.approx(tuple(summary.loc[method, ["low", "high"]]))
        assert (low <= curves.mean(axis=0) + 1e-12).all()
        assert (high >= curves.mean(axis=0) - 1e-12).all()


def test_the_curve_of_amounts_has_at_k_the_amount_that_is_reported():
    results = made(metric="amount@k", amounts=True)
    scene, figures = drawn(results)
    curve = figures["d0-capacity"]
    assert [unit for unit, _ in curve.units] == ["amount", "hits", "share", "lift"]
    table = pd.read_csv(io.StringIO(curve.data))
    judged = results.judgements["set-0", "amount@k", "k=50"]
    for method, mean in judged.means.items():
        at_k = table[(table["method"] == method) & (table["k"] == 50)]
        assert at_k["amount"].item() == pytest.approx(50 * mean, rel=1e-5)
    section = build_section("set-0", scene, results)
    object.__setattr__(section, "figures", [curve])
    title = section.finding(results.titles)
    best = results.titles[judged.best]
    assert title.startswith(f"At 50 checks {best} finds an amount of {format_sum(50 * judged.mean)}; chance")
    assert "Amount among the first k" in curve.caption
    assert Page(f"<p>{curve.svg}</p>").words.count("budget 50") == 4


@pytest.mark.parametrize("metric", ["amount@k", "precision@k"])
def test_without_amounts_or_another_metric_the_curve_counts_hits(metric):
    _, figures = drawn(made(metric=metric, amounts=metric != "amount@k"))
    curve = figures["d0-capacity"]
    assert [unit for unit, _ in curve.units] == ["hits", "share", "lift"]
    assert "amount" not in curve.data


@pytest.mark.parametrize("levels", [3, 20, 10**6])
@pytest.mark.parametrize("top", [Top(k=7), Top(tau=0.1), Top(kappa=0.5), Top(k=10, out_of=40)])
def test_amounts_of_a_list_are_those_of_its_definition(levels, top):
    """A tied row is among the first k in a share of the orders; what it is worth counts by that share."""
    rng = np.random.default_rng(levels)
    n = 60
    scores, y, amount = rng.integers(levels, size=n) / 7.0, rng.integers(2, size=n), rng.lognormal(size=n)

    class Worth:
        pass

    data = Worth()
    data.y, data.amount = y, amount
    k = top.resolve(n, int(y.sum()))
    expected = [
        (inside_top(scores, min(multiple * k, n)) * y * amount).sum() if multiple else 0.0
        for multiple in MULTIPLES
    ]
    found = amount_curve(data, np.arange(n), scores, top)
    assert found == pytest.approx([*expected, (y * amount).sum()])


def test_a_list_of_fewer_rows_and_one_without_amounts_have_none():
    class Worth:
        y = np.array([1, 0])
        amount = np.array([2.0, 3.0])

    rows_, scores = np.arange(2), np.array([0.2, 0.1])
    assert amount_curve(Worth(), rows_, scores, Top(k=3)) == []
    data = Worth()
    data.amount = None
    assert amount_curve(data, rows_, scores, Top(k=1)) == []


def test_a_name_stands_near_the_end_of_its_line_and_over_no_other():
    rng = np.random.default_rng(0)
    for loud in (["a"], ["a", "b"], ["a", "b", "c"]):
        heights = {name: rng.choice([59.0, 60.0, 60.0, 20.0, 0.0]) for name in "abcdefgh"}
        axes = Figure().subplots()
        curves = {name: np.linspace(0, h / 20, len(MULTIPLES))[None] for name, h in heights.items()}
        lines = draw_capacity(axes, curves, 20, 1000, 60)
        place_names(axes, lines, loud)
        room, (_, top) = ROOM * axes.get_ylim()[1], axes.get_ylim()
        names = {method: line.name for method, line in lines.items() if line.name.get_visible()}
        assert names.keys() >= set(loud)
        placed = sorted(name.xy[1] for name in names.values())
        assert all(b - a >= 0.98 * room for a, b in pairwise(placed))
        for method, name in names.items():
            assert method in loud or abs(name.xy[1] - min(heights[method], top)) <= 2.01 * room


@pytest.mark.parametrize("unit", ["hits", "share", "lift", "amount"])
def test_a_band_is_the_interval_that_is_handed_in_and_none_without_one(unit):
    """Of a single run there is no interval, and nothing else is drawn in its place."""
    rng = np.random.default_rng(3)
    heights = {"a": rng.uniform(0.2, 0.9, (5, 1)), "b": rng.uniform(0.2, 0.9, (1, 1))}
    curves = {name: height * np.minimum(MULTIPLES, 1.5) for name, height in heights.items()}
    bands = {name: curve_interval(of_model, 0.25) for name, of_model in curves.items()}
    without = draw_capacity(Figure().subplots(), curves, 20, 1000, 60, unit)
    assert [curve.band for curve in without.values()] == [None, None]
    axes = Figure().subplots()
    drawn_with = draw_capacity(axes, curves, 20, 1000, 60, unit, bands=bands)
    assert drawn_with["b"].band is None
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["mean, 95%"]
    corners = drawn_with["a"].band.get_paths()[0].vertices
    low, high = interval(curves["a"][:, BUDGET], 0.25, bounds=(0.0, 1.0))
    scale = {"share": 20 / 60, "lift": 1000 / 60}.get(unit, 20.0)
    at_k = corners[np.isclose(corners[:, 0], 20.0), 1]
    assert (at_k.min(), at_k.max()) == pytest.approx((scale * low, scale * high))


BAR = re.compile(r"\.(errorbar|fill_between)\(")
#: A spread that is no interval, in code or in words.
SPREAD = re.compile(r"standard (?:error|deviation)|\.(?:std|sem|var)\(")


@pytest.mark.parametrize("folder", ["src", "studies", "benchmarks"])
def test_no_bar_and_no_band_is_a_spread(folder):
    """A function that draws bars takes no spread, and no text of it promises one."""
    faults = []
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = ast.unparse(node) if isinstance(node, ast.FunctionDef) else ""
            if BAR.search(text):
                faults += [(path.name, node.name, fault) for fault in SPREAD.findall(text)]
    assert faults == []


def test_no_hit_in_a_few_runs_is_no_proof_that_there_are_none():
    scene, _ = drawn(made(n_runs=2))
    none = np.zeros((2, len(MULTIPLES)))
    low, high = curve_interval(none, scene.ratio, units=scene.units)
    assert (low == 0).all()
    assert (high[1:] > 0).all()
