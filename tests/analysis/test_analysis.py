"""Tables, figures and the report, on made-up results."""

from __future__ import annotations

import json
import math
import re
import statistics
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import yaml

import attop
from attop.analysis import build_report, summarise, write_analysis
from attop.analysis.compute.across import across
from attop.analysis.compute.board import pareto_front
from attop.analysis.compute.clock import wall_clock
from attop.analysis.compute.comparison import leads
from attop.analysis.compute.comparison_sentences import ranks_nothing
from attop.analysis.compute.failures import constant_models, error_list, status_counts, undefined_values
from attop.analysis.compute.heat_map import heat_map
from attop.analysis.compute.roc_curves import left_end, mean_roc, tpr_at
from attop.analysis.compute.tables import rank_methods, standings, wide
from attop.analysis.compute.targets import main_target, read_target, sort_targets
from attop.analysis.compute.transfer import transfer
from attop.analysis.compute.tuning import choices, costs
from attop.analysis.figures import registry
from attop.analysis.figures.budget import expected_best
from attop.analysis.figures.registry import PER_DATASET, Drawing, draw
from attop.analysis.figures.scene import Scene, quieten
from attop.analysis.figures.style import QUIET, method_styles, to_svg
from attop.analysis.page.model import Chip, Failures
from attop.analysis.page.render import render
from attop.analysis.page.report import build_page
from attop.analysis.page.section import protocol_sentence
from attop.analysis.page.summary_line import chips, left_out, page_headline
from attop.bench.tables import TABLES
from attop.bibliography import bibliography, cited
from attop.datasets.splits.protocols import PROTOCOLS
from attop.metrics import METRICS
from attop.wording import decimals_for, fine, fixed, listed, seconds
from support import ROOT
from support.made_up import METHODS, as_tables, make_results


@pytest.fixture(scope="module")
def results():
    return make_results()


@pytest.fixture(scope="module")
def small():
    return make_results(
        ("wdbc", "many-users"),
        [METHODS[3], METHODS[5], "pnorm-push-16"],
        ("precision@k", "pap@k", "micro-pap@k", "dcg"),
    )


#: Parts of a job that are timed.
SPENT = ("selection", "training", "scoring")

#: What the figures of a data set are called in files.
FIGURES = ("target", "transfer", "roc", "budget", "trace", "cost")

#: Value of a run whose model gives all test items one score.
CONSTANT = 0.125


def rows(*values, dataset="wdbc", target="k=5", metric="precision@k"):
    """Return an evaluation and its runs from ``(method, [value of run 0, ...])``, None for a failed run."""
    evaluation, runs = [], []
    for method, series in values:
        for fold, value in enumerate(series):
            job = {"dataset": dataset, "method": method, "repeat": 0, "fold": fold, "target": target}
            status = "error" if value is None else "ok"
            error = "boom" if value is None else ""
            runs.append({**job, "status": status, "constant": value == CONSTANT, "error": error})
            if value is not None:
                reason = "no positive" if math.isnan(value) else None
                evaluation.append({**job, "metric": metric, "value": value, "reason": reason})
    columns = ["dataset", "method", "repeat", "fold", "target", "metric", "value", "reason"]
    return pd.DataFrame(evaluation, columns=columns), pd.DataFrame(runs)


def by_method(table):
    return table.set_index("method").to_dict("index")


# --- tables


def test_summary_agrees_with_plain_loops(results):
    evaluation, runs, *_ = results
    found = {
        (r.dataset, r.target, r.metric, r.method): r
        for r in summarise(evaluation, runs).itertuples(index=False)
    }
    values, folds = {}, {}
    for r in evaluation.itertuples(index=False):
        values.setdefault((r.dataset, r.target, r.metric, r.method), []).append(r.value)
    for table in (evaluation, runs):
        for r in table.itertuples(index=False):
            folds.setdefault(r.dataset, set()).add((r.repeat, r.fold))
    assert set(values) < set(found)  # the failed methods have rows of their own
    for key, row in found.items():
        defined = [v for v in values.get(key, []) if not math.isnan(v)]
        assert row.n == len(defined)
        assert row.n_undefined == len(values.get(key, [])) - len(defined)
        assert row.n_expected == len(folds[key[0]])
        if defined:
            assert row.mean == pytest.approx(math.fsum(defined) / len(defined), rel=1e-13)
        else:
            assert math.isnan(row.mean)
        if len(defined) > 1:
            std = statistics.stdev(defined)
            assert row.std == pytest.approx(std, rel=1e-10)
            assert row.se == pytest.approx(std / math.sqrt(len(defined)), rel=1e-10)
        else:
            assert math.isnan(row.std)
            assert math.isnan(row.se)


def test_summary_counts_failed_missing_and_undefined_runs_and_fills_nothing_in():
    evaluation, runs = rows(("a", [0.5, 0.7, 0.6]), ("b", [0.9, None, math.nan]), ("c", [0.2]), ("d", [None]))
    found = by_method(summarise(evaluation, runs))
    assert [found[m]["n"] for m in "abcd"] == [3, 1, 1, 0]
    assert [found[m]["n_undefined"] for m in "abcd"] == [0, 1, 0, 0]
    assert {found[m]["n_expected"] for m in "abcd"} == {3}
    assert found["b"]["mean"] == 0.9
    assert found["b"]["reason"] == "no positive"
    assert found["a"]["reason"] == ""
    assert math.isnan(found["d"]["mean"])


def test_models_that_rank_nothing_are_counted_in_their_cell():
    evaluation, runs = rows(("a", [CONSTANT, 0.9, CONSTANT]), ("b", [0.9, 0.2, None]), ("c", [CONSTANT]))
    table = summarise(evaluation, runs)
    assert {m: row["n_constant"] for m, row in by_method(table).items()} == {"a": 2, "b": 0, "c": 1}
    cells = dict(wide(standings(table), "wdbc", "precision@k", ["a", "b", "c"])[1])
    assert [cells[m][0].n_constant for m in "abc"] == [2, 0, 1]
    titles = {m: m.upper() for m in "abc"}
    (lead,) = leads(evaluation, "wdbc", "precision@k", test_train_ratio=0.5)
    assert lead.best == "a"
    assert ranks_nothing(lead, table, titles) == (
        " A gives all test items one score in 2 of 3 runs, where it ranks nothing."
    )
    assert ranks_nothing(lead, table.assign(n_constant=0), titles) == ""
    assert ranks_nothing(replace(lead, best=""), table, titles) == ""


def test_summary_of_nothing_is_empty():
    evaluation, runs = rows()
    runs = pd.DataFrame(
        columns=["dataset", "method", "repeat", "fold", "target", "status", "constant", "error"]
    )
    assert summarise(evaluation, runs).empty


def test_summary_refuses_values_given_twice_and_missing_columns():
    evaluation, runs = rows(("a", [0.5, 0.7]))
    with pytest.raises(ValueError, match="2 values twice"):
        summarise(pd.concat([evaluation, evaluation]), runs)
    with pytest.raises(ValueError, match="'evaluation' lacks value"):
        summarise(evaluation.drop(columns="value"), runs)


def test_standings_mark_the_best():
    series = {"a": [0.8, 0.9, 0.85], "b": [0.9, 0.7, 0.89], "c": [0.75, 0.84, 0.8], "d": [0.99, 0.99, None]}
    marks = by_method(standings(summarise(*rows(*series.items()))))
    assert [marks[m]["best"] for m in "abcd"] == [True, False, False, False]
    assert [marks[m]["ranked"] for m in "abcd"] == [True, True, True, False]
    assert [marks[m]["gap"] for m in "abcd"] == pytest.approx([0, 0.02, 0.16 / 3, -0.14])


def test_equal_means_are_all_best_whatever_the_order_of_summation():
    evaluation, runs = rows(("a", [0.1, 0.2, 0.3]), ("b", [0.3, 0.2, 0.1]), ("c", [0.1, 0.1, 0.1]))
    marks = by_method(standings(summarise(evaluation, runs)))
    assert [marks[m]["best"] for m in "abc"] == [True, True, False]


def test_lower_is_better_turns_everything_around(monkeypatch):
    low = replace(METRICS["auc"], name="risk", higher_is_better=False)
    monkeypatch.setattr("attop.analysis.compute.tables.get_metric", lambda name: low)
    table = standings(summarise(*rows(("a", [0.3, 0.5]), ("b", [0.1, 0.15]), metric="risk")))
    assert by_method(table)["b"]["best"]
    assert by_method(table)["a"]["gap"] == pytest.approx(0.275)
    assert rank_methods(table, "wdbc", "risk") == ["b", "a"]


def test_methods_are_ordered_by_mean_rank_unranked_ones_last():
    parts = [
        rows(("a", [1.0, 2.0]), ("b", [3.0, 4.0]), ("c", [9.0, None]), target="k=5", metric="dcg"),
        rows(("a", [10.0, 20.0]), ("b", [11.0, 30.0]), ("c", [99.0, None]), target="k=10", metric="dcg"),
    ]
    evaluation, runs = (pd.concat([p[i] for p in parts]) for i in (0, 1))
    table = standings(summarise(evaluation, runs))
    assert rank_methods(table, "wdbc", "dcg") == ["b", "a", "c"]


def test_wide_table_has_targets_across_in_order_of_size(results):
    evaluation, runs, *_ = results
    table = standings(summarise(evaluation, runs))
    order = rank_methods(table, "wdbc", "precision@k")
    targets, laid = wide(table, "wdbc", "precision@k", order)
    assert targets == ["k=5", "k=10", "k=20"]
    assert [method for method, _ in laid] == order
    for i in range(3):
        ranked = [cells[i].mean for _, cells in laid if cells[i].ranked]
        assert [cells[i].mean for _, cells in laid if cells[i].best] == [max(ranked)]


# --- ROC curves


def test_roc_is_read_as_the_staircase_it_is():
    # Ranked + - + -: up to (0, 1), right to (1, 1), up to (1, 2), right to (2, 2).
    fp, tp = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 2, 2])
    at = np.array([0.0, 0.25, 0.49, 0.5, 0.75, 1.0])
    assert tpr_at(at, fp, tp, 2, 2).tolist() == [0.5, 0.5, 0.5, 1.0, 1.0, 1.0]
    # Without the corners (0, 0) and (n_neg, n_pos), and with a tie of everything: the diagonal.
    assert tpr_at(at, np.array([]), np.array([]), 2, 2) == pytest.approx(at)


def test_area_under_the_read_curve_is_the_share_of_ordered_pairs():
    rng = np.random.default_rng(3)
    y = np.array([0] * 20 + [1] * 12)
    scores = rng.permutation(len(y)) + 6.5 * y  # no ties
    ranked = y[np.argsort(-scores)]
    fp, tp = np.cumsum(1 - ranked), np.cumsum(ranked)
    middle = (np.arange(20) + 0.5) / 20  # the curve is flat between two negatives, so midpoints are exact
    pairs = np.mean(scores[y == 1][:, None] > scores[y == 0])
    assert tpr_at(middle, fp, tp, 20, 12).mean() == pytest.approx(pairs, abs=1e-12)


def test_mean_roc_averages_rates_of_runs_with_different_counts():
    runs = pd.DataFrame(
        {"repeat": [0, 1, 2], "fold": 0, "fp": [[0, 2], [0, 4], []], "tp": [[3, 3], [0, 1], []]}
        | {"n_neg": [2, 4, 0], "n_pos": [3, 1, 5]}
    ).explode(["fp", "tp"])
    mean, n = mean_roc(runs, np.array([0.0, 0.5, 1.0]))
    assert n == 2  # a run without a negative has no rates
    assert mean.tolist() == [0.5, 0.75, 1.0]
    assert np.isnan(mean_roc(runs[:0], np.array([0.5]))[0]).all()


def test_left_end_follows_the_target():
    assert left_end("k=10", 1000, 50, grouped=False) == 0.02
    assert left_end("k=2", 1000, 50, grouped=False) == 0.01  # at least 10 negatives
    assert left_end("k=500", 1000, 50, grouped=False) == 0.1
    assert left_end("k=5000", 1000, 50, grouped=False) == 0.1
    assert left_end("tau=0.01", 990, 10, grouped=False) == pytest.approx(20 / 990)
    assert left_end("k=5", 100_000, 50, grouped=True) == 0.1


# --- failures, selection, wording


def test_failures_are_counted_by_job(results):
    evaluation, runs, *_ = results
    counts = status_counts(evaluation, runs).set_index(["dataset", "method"])
    assert list(counts.columns) == ["expected", "ok", "error", "missing"]
    assert counts.loc[("wdbc", "perceptron-max")].tolist() == [5, 3, 2, 0]
    assert counts.loc[("digit-8", "rankboost")].tolist() == [3, 2, 0, 1]
    assert counts.loc[("many-users", "pnorm-push-16")].tolist() == [3, 0, 3, 0]
    rest = counts.drop(
        [("wdbc", "perceptron-max"), ("digit-8", "rankboost"), ("many-users", "pnorm-push-16")]
    )
    assert (rest["ok"] == rest["expected"]).all()
    errors = error_list(runs)
    assert errors["line"].unique().tolist() == ["FloatingPointError: overflow in step 7"]
    assert errors.set_index("dataset")["which"].to_dict() == {
        "wdbc": "0.0, 0.1",
        "many-users": "0.0, 1.0, 2.0",
    }
    undefined = undefined_values(evaluation).to_dict("records")
    assert [(u["dataset"], u["metric"], u["reason"]) for u in undefined] == [
        ("wdbc", "pap@k", "fewer than k negatives")
    ]
    assert undefined[0]["undefined"] == evaluation["value"].isna().sum()


def test_choices_count_values_and_edges():
    settings = [{"C": 0.1, "kind": "a"}, {"C": 1.0, "kind": "a"}, {"C": 0.1, "kind": "a"}]
    runs = pd.DataFrame(
        {
            "dataset": "wdbc",
            "method": "a",
            "fold": range(4),
            "target": "k=5",
            "status": ["ok", "ok", "ok", "error"],
            "chosen": [*map(json.dumps, settings), "{}"],
            "at_edge": ['["C"]', "[]", '["C"]', "[]"],
        }
    )
    targets, (choice,) = choices(runs, "wdbc", ["a"], {"a": {"C": [0.1, 1.0, 10.0], "kind": ["a"]}})
    assert targets == ["k=5"]
    assert choice.parameter == "C"
    assert choice.chosen == ((("0.1", 2), ("1", 1)),)
    assert (choice.at_edge, choice.total, choice.mostly_at_edge) == (2, 3, True)
    assert choice.grid == ("0.1", "1", "10")


def test_costs_are_medians_over_jobs_not_over_targets(results):
    _, runs, *_ = results
    cost = costs(runs, "wdbc")
    jobs = {}
    for r in runs.itertuples(index=False):
        if r.dataset == "wdbc" and r.status == "ok":
            jobs.setdefault(r.method, {})[r.repeat, r.fold] = r.seconds_training
    for method, times in jobs.items():
        assert cost.loc[method, "jobs"] == len(times)
        assert cost.loc[method, "training"] == pytest.approx(statistics.median(times.values()), rel=1e-13)


def test_targets_are_sorted_by_size_not_as_text():
    assert sort_targets(["tau=0.1", "k=10", "k=5", "tau=0.05", "k=5"]) == [
        "k=5",
        "k=10",
        "tau=0.05",
        "tau=0.1",
    ]
    assert main_target(["k=5", "k=10", "k=100"]) == "k=10"
    assert main_target(["k=5", "k=10"]) == "k=5"
    assert read_target("k=100 of 30000") == ("tau", 100 / 30000)
    assert sort_targets(["k=30 of 300", "tau=0.05", "k=7"]) == ["k=7", "tau=0.05", "k=30 of 300"]
    for wrong in ("10", "k=ten", "top=3", ""):
        with pytest.raises(ValueError, match="a top is written as"):
            read_target(wrong)


def test_numbers_as_a_reader_wants_them():
    assert [decimals_for([x]) for x in (0.5, 12.3, 123.0, 1e6, math.nan)] == [3, 2, 1, 0, 3]
    assert fixed(-0.25) == "−0.250"
    assert fixed(-0.0001) == "0.000"
    assert fixed(12345.678, 1) == "12,345.7"
    assert fixed(math.nan) == "–"
    assert [fine(x) for x in (0.0123, 0.001, 0.00042, 0.0)] == ["0.012", "0.001", "0.0004", "0.000"]
    assert [seconds(s) for s in (0, 2e-5, 0.0042, 0.35, 3.21, 90, 600, 1e5, 432_000)] == [
        "0.0 µs",
        "20 µs",
        "4.2 ms",
        "350 ms",
        "3.2 s",
        "90 s",
        "10 min",
        "28 h",
        "5.0 d",
    ]
    assert [listed(list("abc"[:n])) for n in range(4)] == ["", "a", "a and b", "a, b and c"]


def test_styles_differ_and_do_not_depend_on_the_later_methods():
    styles = method_styles([f"m{i}" for i in range(40)])
    assert len({(s.colour, s.marker) for s in styles.values()}) == 40
    assert method_styles(["m0", "m1"])["m1"] == styles["m1"]


# --- the report


class Page(HTMLParser):
    """Checks that tags are balanced; collects text, ids and references."""

    VOID = frozenset({"meta", "br", "link", "img", "input", "hr"})

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.open, self.text, self.ids, self.links, self.sources = [], [], Counter(), [], []
        self.tags = Counter()
        self.feed(html)
        self.close()
        assert not self.open, f"never closed: {self.open}"
        self.words = " ".join(self.text)

    def handle_starttag(self, tag, attributes):
        self.tags[tag] += 1
        self._read(attributes)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags[tag] += 1
        self._read(attributes)

    def _read(self, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids[value] += 1
            elif name in ("href", "xlink:href"):
                self.links.append(value)
            elif name in ("src", "srcset", "data", "action"):
                self.sources.append(value)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()

    def handle_data(self, data):
        self.text.append(data)


def markup(html):
    """What is seen without the scripts and the numbers they work with."""
    return re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)


def built(tmp_path, tables):
    *tables, manifest = tables
    build_report(as_tables(*tables), manifest, tmp_path / "report.html")
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    return html, Page(html)


@pytest.fixture(scope="module")
def report(small, tmp_path_factory):
    return built(tmp_path_factory.mktemp("report"), small)


def test_report_is_well_formed_and_names_everything(report, small):
    html, page = report
    evaluation, *_, manifest = small
    for entry in (*manifest["datasets"].values(), *manifest["methods"].values()):
        assert entry["title"] in page.words
    for metric in evaluation["metric"].unique():
        assert METRICS[metric].definition in page.words
    assert page.tags["h1"] == 1
    assert page.tags["table"] == page.tags["caption"] + 1  # the map has a heading
    assert page.tags["figure"] == 12
    assert html.count('role="img" aria-label="') == 12
    assert not re.search(r"\bnan\b|\bNone\b|\bNaN\b", markup(html))


def test_report_refers_to_nothing_outside(report):
    html, page = report
    assert page.sources == []
    assert all(link.startswith("#") for link in page.links)
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert max(page.ids.values()) == 1
    assert set(re.findall(r"url\(#([^)]+)\)", html)) <= set(page.ids)
    assert "@import" not in html
    addresses = set(re.findall(r"https?://[^\s\"'<>]+", html))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}  # names, never fetched


def test_report_says_what_failed_and_what_is_undefined(report):
    _, page = report
    assert "FloatingPointError: overflow in step 7" in page.words
    assert "fewer than k negatives" in page.words
    assert "3 of 5 runs" in page.words


@pytest.mark.workflow
def test_a_figure_more_is_a_function_and_a_line(small, tmp_path, monkeypatch):
    def drawn(scene, runs, summary):
        assert len(summary) > 0
        return scene.sentence("hosts", f"{scene.dataset} ran on {runs['host'].iloc[0]}.")

    more = (*PER_DATASET, Drawing("Hosts", ("runs", "summary"), drawn))
    monkeypatch.setattr("attop.analysis.page.section.PER_DATASET", more)
    _, page = built(tmp_path, small)
    assert "wdbc ran on node-1." in page.words
    assert "many-users ran on node-1." in page.words


def test_every_figure_needs_what_there_is():
    material = {*TABLES, "summary", "across"}
    for drawing in (*registry.ACROSS, *registry.PER_DATASET):
        assert set(drawing.needs) <= material, drawing.title


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_every_protocol_has_its_sentence(kind):
    sentence = protocol_sentence({"kind": kind, "repeats": 2})
    assert PROTOCOLS[kind].summary[1:] in sentence
    assert "repeats = 2" in sentence


def test_names_are_escaped_and_dollar_signs_are_not_mathematics(tmp_path):
    bad = '<b>"x"&</b>'
    tables = make_results(("wdbc",), ["$a_b^$", bad], ("precision@k",), failures=False)
    tables[3]["datasets"]["wdbc"] |= {"title": "<i>data</i>", "source": "<script>alert(1)</script>"}
    tables[3]["config"] = "a: </pre><script>alert(2)</script>"
    html, page = built(tmp_path, tables)
    assert bad in page.words
    assert "<i>data</i>" in page.words
    assert "<b>&" not in html
    assert "alert(1)</script>" not in html
    assert page.tags["script"] == 3 + page.tags["figure"]  # each figure with its data
    assert ">$a_b^$</text>" in html


def test_headline_chips_and_map_say_what_was_run(small):
    *tables, manifest = small
    page = build_page(as_tables(*tables), manifest)
    assert page.headline.startswith("At ")  # two data sets: nothing to rank over
    chips = {chip.text: chip for chip in page.chips}
    assert chips["2 data sets"].tone == ""
    assert chips["5 jobs failed"] == Chip("5 jobs failed", "bad", "#failures")
    assert any(text.startswith("attop 0.1.0 · 0123456") for text in chips)
    assert any(" by the clock; the jobs add up to " in text for text in chips)
    assert {(c.dataset, c.target) for c in page.map.columns} == {
        (s.id, target) for s in page.sections for target in s.targets
    }
    for section in page.sections:
        for lead in section.leads:
            place = page.map.columns.index(
                next(c for c in page.map.columns if (c.dataset, c.target) == (section.id, lead.target))
            )
            states = {row.method: row.cells[place].state for row in page.map.rows}
            level = {m for m, state in states.items() if state in ("best", "level")}
            assert level == set(lead.level)
            assert {m for m, state in states.items() if state == "untested"} == set(lead.untested)


@pytest.mark.parametrize(
    ("spans", "clock"),
    [
        ([(0, 10)], 10),
        ([(0, 10), (4, 12), (5, 6)], 12),  # side by side
        ([(40, 50), (0, 10)], 50),  # a short wait belongs to it
        ([(0, 1000), (5, 10), (900, 1010), (5000, 5010)], 1020),  # stopped, and resumed later
        ([(0, 10), (np.nan, np.nan)], 10),
        ([(np.nan, 3.0)], np.nan),
    ],
)
def test_the_clock_leaves_out_pauses_between_runs(spans, clock):
    assert wall_clock(pd.DataFrame(spans, columns=["started", "ended"])) == pytest.approx(clock, nan_ok=True)


def test_what_is_not_applicable_has_not_failed():
    jobs = {"expected": 9, "ok": 4, "timeout": 2, "not_applicable": 3, "missing": 0}
    failures = Failures(jobs, list(jobs)[1:], [], [], [], 0, [])
    runs = pd.DataFrame(
        columns=[*("dataset", "method", "repeat", "fold"), *(f"seconds_{s}" for s in SPENT)], dtype=float
    )
    found = [(chip.text, chip.tone) for chip in chips([], {}, failures, runs, {})]
    assert found[2:] == [("4 of 9 jobs ok", ""), ("2 jobs failed", "bad"), ("3 jobs not applicable", "")]


def test_a_method_that_runs_nowhere_is_named_on_the_first_screen():
    class Section:
        id, title, at_edge = "wdbc", "WDBC", ()

        def __init__(self, *order, **skipped):
            self.order, self.skipped = order, skipped

    runs = pd.DataFrame(
        columns=[*("dataset", "method", "repeat", "fold"), *(f"seconds_{s}" for s in SPENT)], dtype=float
    )
    jobs = {"expected": 1, "ok": 1, "missing": 0}
    failures = Failures(jobs, list(jobs)[1:], [], [], [], 0, [])
    methods = {"boosted": {"title": "Boosting"}, "aatp": {"title": "AATP"}}
    sections = [Section(boosted="needs a package", aatp="slow"), Section("aatp", boosted="needs a package")]
    assert Chip("Boosting left out", "warn", "#left-out") in chips(sections, methods, failures, runs, {})
    assert left_out(sections, methods) == {"boosted": "needs a package"}
    methods["own"] = {"title": "Mine"}
    assert Chip("2 methods left out", "warn", "#left-out") in chips(sections, methods, failures, runs, {})
    assert left_out(sections, methods) == {"boosted": "needs a package", "own": "not run"}


def test_the_map_has_no_row_for_a_method_that_ran_nowhere_but_names_it(small):
    *tables, manifest = small
    skipped = {d: {**entry, "skip": {"boosted": "slow"}} for d, entry in manifest["datasets"].items()}
    methods = {**manifest["methods"], "boosted": {"title": "Boosting"}, "own": {"title": "Mine"}}
    page = build_page(as_tables(*tables), {**manifest, "datasets": skipped, "methods": methods})
    assert {row.method for row in page.map.rows} == set(manifest["methods"])
    assert page.left_out == [("Boosting", "slow"), ("Mine", "not run")]
    assert "Run on no data set: Boosting (slow); Mine (not run)." in Page(render(page)).words


def headline_of(**values):
    """Return the headline of five data sets with three tops each, from the values at the tops."""
    evaluation = pd.concat(
        rows(
            *((m, [v[i] + e for e in (-0.01, 0, 0.01)]) for m, v in values.items()), dataset=f"d{d}", target=k
        )[0]
        for d in range(5)
        for i, k in enumerate(("k=5", "k=10", "k=20"))
    )
    titles = {m: m.upper() for m in values}
    found = across(evaluation, {f"d{d}": "precision@k" for d in range(5)}, titles=titles)
    every = [
        lead for d in range(5) for lead in leads(evaluation, f"d{d}", "precision@k", test_train_ratio=0.5)
    ]
    return page_headline(found, every, titles)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {"a": (0.5, 0.9, 0.5), "b": (0.6, 0.8, 0.6), "c": (0.1, 0.1, 0.1)},
            "A ranks best over 5 data sets, at the middle top of each (mean rank 1.0 of 3 "
            "methods), but B most often has the best mean, at 10 of 15 tops (A at 5).",
        ),
        (
            {"a": (0.9, 0.9, 0.5), "b": (0.6, 0.8, 0.6), "c": (0.1, 0.1, 0.1)},
            "A ranks best over 5 data sets, at the middle top of each (mean rank 1.0 of 3 "
            "methods) and most often has the best mean, at 10 of 15 tops.",
        ),
        (
            {"a": (0.9, 0.9, 0.5), "b": (0.9, 0.8, 0.6), "c": (0.1, 0.1, 0.1)},
            "A ranks best over 5 data sets, at the middle top of each (mean rank 1.0 of 3 "
            "methods) and, with B, most often has the best mean, at 10 of 15 tops each.",
        ),
        (
            {"a": (0.5, 0.9, 0.5), "b": (0.5, 0.9, 0.5), "c": (0.6, 0.1, 0.6)},
            "A and B rank best over 5 data sets, at the middle top of each (mean rank 1.5 of 3 "
            "methods), but C most often has the best mean, at 10 of 15 tops (A at 5, B at 5).",
        ),
        (
            {"a": (0.6, 0.9, 0.5), "b": (0.5, 0.9, 0.5), "c": (0.1, 0.1, 0.6)},
            "A and B rank best over 5 data sets, at the middle top of each (mean rank 1.5 of 3 "
            "methods), of which A most often has the best mean, at 10 of 15 tops (B at 5).",
        ),
        (
            {"a": (0.6, 0.9, 0.5), "b": (0.5, 0.9, 0.5), "c": (0.6, 0.1, 0.6)},
            "A and B rank best over 5 data sets, at the middle top of each (mean rank 1.5 of 3 "
            "methods), but A and C most often have the best mean, at 10 of 15 tops each (B at 5).",
        ),
    ],
)
def test_the_headline_says_who_ranks_best_and_who_leads_most_often(values, said):
    none = "At none of the 15 tops is the leader shown to be ahead of the runner-up."
    assert headline_of(**values) == f"{said} {none}"


@pytest.mark.workflow
def test_a_large_run_has_its_figures_beside_the_page(small, tmp_path, monkeypatch):
    monkeypatch.setattr("attop.analysis.page.model.MOST_FIGURES", 100_000)
    _, page = built(tmp_path, small)
    assert page.tags["figure"] == 0
    assert "figures/wdbc-*.svg" in page.words


def test_shades_are_multiples_of_the_rope():
    values = {"a": 0.9, "b": 0.89, "c": 0.88, "d": 0.875, "e": 0.83, "f": 0.75, "g": 0.7}
    evaluation, runs = rows(*((m, [v + e for e in (-0.001, 0.001)]) for m, v in values.items()))
    table = standings(summarise(evaluation, runs))
    found = {"wdbc": leads(evaluation, "wdbc", "precision@k", test_train_ratio=0.2)}
    map = heat_map(table, found, dict.fromkeys(values, math.nan), {"wdbc": {"items": 50, "positives": 5}})
    assert [row.cells[0].shade for row in map.rows] == [0, 0, 1, 2, 3, 4, 5]
    assert [row.cells[0].state for row in map.rows] == ["best"] + 6 * ["untested"]  # two runs are too few
    assert map.columns[0].chance == 0.1


def test_models_that_rank_nothing_are_counted_by_method():
    _, runs = rows(("a", [CONSTANT, 0.9, CONSTANT]), ("b", [0.9, 0.2, None]), ("c", [CONSTANT]))
    assert constant_models(runs).to_dict("records") == [
        {"dataset": "wdbc", "method": "a", "models": 2},
        {"dataset": "wdbc", "method": "c", "models": 1},
    ]
    assert constant_models(runs[:0]).empty


def test_a_family_has_a_colour_and_its_members_differ():
    styles = method_styles({"a": "F", "b": "G", "c": "F", "d": "F"})
    assert styles["a"].colour == styles["c"].colour == styles["d"].colour != styles["b"].colour
    assert len({styles[m].marker for m in "acd"}) == len({styles[m].dash for m in "acd"}) == 3


def test_only_leaders_have_colour_in_files(small):
    *tables, manifest = small
    styles, leader = method_styles(list(manifest["methods"])), METHODS[5]
    scene = Scene("d0", "wdbc", "precision@k", list(styles), {m: m for m in styles}, styles, {leader})
    material = {**as_tables(*tables), "summary": summarise(*tables[:2])}
    drawn = [f for f in draw(PER_DATASET, scene, material) if f.svg and "transfer" not in f.name]
    assert len(drawn) == len(FIGURES) - 1
    for figure in drawn:
        shown = {m for m, style in styles.items() if f"var(--method, {style.colour})" in figure.svg}
        assert shown > {leader}
        quieten(figure.canvas, {leader})
        svg = to_svg(figure.canvas, figure.name, "")
        assert styles[leader].colour in svg
        assert QUIET in svg
        assert not any(style.colour in svg for m, style in styles.items() if m != leader)


def degenerate(case):
    if case == "one of everything":
        tables = make_results(("wdbc",), ["aatp"], ("precision@k",), failures=False)
        return *[t[(t["fold"] == 0) & (t["target"] == "k=5")] for t in tables[:3]], tables[3]
    evaluation, runs, roc, manifest = make_results(("wdbc",), METHODS[:3], ("precision@k",), failures=False)
    if case == "all undefined":
        evaluation = evaluation.assign(value=np.nan, reason="no positive")
    elif case == "all failed":
        evaluation, roc = evaluation[:0], roc[:0]
        runs = runs.assign(status="error", error="", chosen="{}", seconds_training=np.nan)
    elif case == "ties and zeros":
        evaluation = evaluation.assign(value=0.0)
        runs = runs.assign(seconds_selection=0.0, seconds_training=0.0, seconds_scoring=0.0)
    elif case == "nothing run":
        evaluation, runs, roc = evaluation[:0], runs[:0], roc[:0]
    elif case == "bare manifest":
        manifest = {}
    return evaluation, runs, roc, manifest


@pytest.mark.workflow
@pytest.mark.parametrize(
    ("case", "figures", "words"),
    [
        ("one of everything", 4, "so no line over targets is drawn"),
        ("all undefined", 3, "has no defined value here"),
        ("all failed", 0, "no message recorded"),
        ("ties and zeros", 6, "AATP, aatp-fixed-point and perceptron-avg are best, equal in every run."),
        ("nothing run", 0, "Nothing was run on this data set"),
        ("bare manifest", 6, "No job failed and none is missing."),
    ],
)
@pytest.mark.filterwarnings("error")
def test_degenerate_results_make_a_sensible_page(tmp_path, case, figures, words):
    html, page = built(tmp_path, degenerate(case))
    assert words in page.words
    assert page.tags["figure"] == figures
    # An axis that reaches below the metric's range; regrets have three decimals.
    assert not re.search(r">−(?!(\d\.\d{3}|\.\d{2,3})<)", html)
    assert "mathdefault" not in html  # a tick label nobody formatted
    assert not re.search(r"\bnan\b|\bNone\b", markup(html))


@pytest.mark.workflow
def test_analysis_writes_summary_and_the_same_report_again(small, report, tmp_path):
    evaluation, runs, roc, manifest = small
    write_analysis(
        as_tables(evaluation, runs, roc.explode(["fp", "tp"])),  # a row each, or lists
        manifest,
        report=tmp_path / "out" / "report.html",
        tables=tmp_path / "tables",
        figures=tmp_path / "figures",
    )
    drawn = {p.name for p in (tmp_path / "figures").iterdir()}
    assert {p.partition(".")[0] for p in drawn} == {
        f"{d}-{f}" for d in ("wdbc", "many-users") for f in FIGURES
    }
    assert len(drawn) == 2 * 2 * len(FIGURES)
    for path in (tmp_path / "figures").iterdir():
        if path.suffix == ".pdf":
            assert path.read_bytes().startswith(b"%PDF")
        else:
            assert not re.search(r"var\(|currentColor", path.read_text())
            ElementTree.fromstring(path.read_text())
    tex = (tmp_path / "tables" / "wdbc.tex").read_text()
    assert tex.count(r"\\") == 1 + 3
    assert tex.count(r"\textbf{") == 3
    assert all(line.count("&") == 3 for line in tex.splitlines() if line.endswith(r"\\"))
    for path in [*(tmp_path / "figures").iterdir(), *(tmp_path / "tables").glob("*.tex")]:
        path.unlink()
    files = sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file())
    assert files == ["out/report.html", "tables/board.csv", "tables/summary.csv", "tables/summary.parquet"]
    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8") == report[0]
    summary = summarise(evaluation, runs)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "tables" / "summary.parquet"), summary)
    read = pd.read_csv(tmp_path / "tables" / "summary.csv", keep_default_na=False, na_values={"mean": ""})
    assert len(read) == len(summary)
    assert read["mean"].to_numpy(float) == pytest.approx(summary["mean"].to_numpy(), rel=1e-15, nan_ok=True)


def test_a_report_that_fails_leaves_the_old_one(small, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    evaluation, runs, roc, manifest = small
    with pytest.raises(ValueError, match="twice"):
        build_report(as_tables(pd.concat([evaluation, evaluation]), runs, roc), manifest, path)
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]
    assert path.read_text() == "old"


# k as an axis


def cross_of(values, method="aatp", fold=0):
    """Return rows of the table ``cross``: values[i][j] of the model trained for i and used at j."""
    targets = ["k=5", "k=10", "k=20"]
    key = {"dataset": "wdbc", "method": method, "repeat": 0, "fold": fold, "metric": "precision@k"}
    return [
        {**key, "target": targets[i], "at": targets[j], "value": value}
        for i, row in enumerate(values)
        for j, value in enumerate(row)
    ]


def test_regret_is_what_training_for_another_target_costs():
    first = [[0.9, 0.6, 0.5], [0.8, 0.7, 0.4], [0.5, 0.8, 0.6]]
    second = [[0.7, 0.6, 0.5], [0.8, 0.7, 0.4], [0.5, 0.6, 0.6]]
    cross = pd.DataFrame(cross_of(first) + cross_of(second, fold=1))
    (found,) = transfer(cross, "wdbc", ["aatp", "linear-svm"])
    assert (found.n, found.n_expected) == (2, 2)
    np.testing.assert_allclose(found.value, (np.array(first) + second) / 2)
    np.testing.assert_allclose(found.regret[:, 0], [0, 0, 0.3], atol=1e-15)  # direct 0.8, from k=20 0.5
    np.testing.assert_allclose(found.regret[:, 1], [0.1, 0, 0.0], atol=1e-15)
    np.testing.assert_allclose(found.se[2, 0], np.std([0.4, 0.2], ddof=1) / np.sqrt(2))
    assert found.reading() == "at most 0.300: trained for k=20, used at k=5"


def test_regret_of_a_lower_is_better_metric_and_of_missing_values(monkeypatch):
    lower = replace(METRICS["precision@k"], higher_is_better=False)
    monkeypatch.setattr("attop.analysis.compute.transfer.get_metric", lambda name: lower)
    whole, gap = [[0.1, 0.2, 0.3]] * 3, [[0.1, np.nan, 0.3]] * 3
    worse = [[0.1, 0.2, 0.3], [0.4, 0.2, 0.3], [0.1, 0.2, 0.3]]
    cross = pd.DataFrame(cross_of(worse) + cross_of(gap, fold=1) + cross_of(gap, "b") + cross_of(whole, "c"))
    a, b, c = transfer(cross, "wdbc", ["aatp", "b", "c"])
    assert (a.n, a.n_expected, b.n) == (1, 2, 0)
    assert a.regret[1, 0] == pytest.approx(0.3)
    assert "no run" in b.reading()
    assert "the same at every target" in c.reading()
    assert transfer(cross[cross["target"] == "k=5"], "wdbc", ["aatp"]) == []


# Budget and cost


@pytest.mark.parametrize("values", [[0.3], [0.5, 0.1], [0.2, 0.9, 0.4, 0.4], np.arange(7.0) ** 2])
def test_expected_best_is_the_mean_over_all_subsets(values):
    expected = [np.mean([max(c) for c in combinations(values, n)]) for n in range(1, len(values) + 1)]
    np.testing.assert_allclose(expected_best(np.array(values)), expected, rtol=1e-12)


def test_pareto_front_is_what_nothing_beats_at_both():
    cost = pd.Series({"a": 1.0, "b": 2.0, "c": 2.0, "d": 3.0, "e": 0.5, "f": np.nan, "g": 1.0})
    score = pd.Series({"a": 0.5, "b": 0.9, "c": 0.8, "d": 0.9, "e": 0.1, "f": 1.0, "g": 0.5})
    assert pareto_front(cost, score) == ["e", "a", "g", "b"]


def test_publications_are_those_cited_and_attop():
    found = cited(["kar2015surrogate", "rudin2005ranking", "kar2015surrogate"])
    assert [entry.key for entry in found] == ["attop", "kar2015surrogate", "rudin2005ranking"]
    assert found[1].bibtex.startswith("@inproceedings{kar2015surrogate,\n  author = {Kar, Purushottam and")
    assert found[2].title == "Ranking with a P-Norm Push"
    with pytest.raises(KeyError, match="no entry rudin2006"):
        cited(["rudin2006"])


def test_every_entry_of_the_bibliography_is_whole():
    text = (ROOT / "src/attop/references.bib").read_text()
    assert len(bibliography()) == text.count("\n@") + 1
    for entry in bibliography().values():
        assert entry.bibtex.count("{") == entry.bibtex.count("}")
        assert "author = " in entry.bibtex
    assert f"version = {{{attop.__version__}}}" in bibliography()["attop"].bibtex


def test_every_method_that_comes_along_cites():
    methods = yaml.safe_load((ROOT / "config/methods.yaml").read_text())
    for name, method in methods.items():
        assert method["cite"], f"{name} cites nothing"
        assert set(method["cite"]) <= set(bibliography()), f"{name}: add {method['cite']} to references.bib"
