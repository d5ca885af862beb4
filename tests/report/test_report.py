"""The report, on made-up results."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256

import numpy as np
import pandas as pd
import pytest

from attop.metrics import METRICS
from attop_bench.data.ledger import Aside, Ledger
from attop_bench.data.splits.protocols import PROTOCOLS
from attop_bench.report import build_report, write_analysis
from attop_bench.report.figures import PER_DATASET, Drawing, draw
from attop_bench.report.figures.scene import QUIET, Drawn, Scene, blank, for_paper, method_styles, to_svg
from attop_bench.report.page.render import render
from attop_bench.report.page.report import build_page
from attop_bench.report.page.section import protocol_sentence
from support.html import Page, built, markup, packed
from support.made_up import METHODS, as_tables, make_results
from support.rows import summary_of

#: What the figures of a data set are called in files.
FIGURES = ("capacity", "top", "transfer", "roc", "budget", "trace", "cost")


@pytest.fixture(scope="module")
def report(small, tmp_path_factory):
    return built(tmp_path_factory.mktemp("report"), small)


@pytest.mark.usefixtures("undrawn")
def test_the_ledger_of_rows_is_with_the_data(tmp_path):
    *tables, manifest = make_results(("wdbc",), METHODS[3:5], ("precision@k",))
    ledger = Ledger(572, 569, (Aside("without any value", 1, 7),), (Aside("without a label", 2, 9, "a,,"),))
    manifest["datasets"]["wdbc"]["rows"] = ledger.as_dict()
    _, page = built(tmp_path, (*tables, manifest))
    for words in (
        "Rows read",
        "572",
        "1 row without any value (line 7)",
        "2 rows without a label",
        "Rows kept",
    ):
        assert words in page.words
    assert "to train on and" in page.words


def test_report_is_well_formed_and_names_everything(report, small):
    html, page = report
    evaluation, *_, manifest = small
    for entry in (*manifest["datasets"].values(), *manifest["methods"].values()):
        assert entry["title"] in page.words
    for metric in evaluation["metric"].unique():
        assert METRICS[metric].definition in page.words
    assert page.tags["h1"] == 1
    assert page.tags["table"] == page.tags["caption"] + 1  # the map has a heading
    assert page.tags["figure"] == 15  # a curve of hits where there are no groups; who beats whom
    drawn = packed(html)["figures"]
    assert len(drawn) == 15
    assert all(svg.count('role="img" aria-label="') == 1 for svg, _ in drawn.values())
    assert not re.search(r"\bnan\b|\bNone\b|\bNaN\b", markup(html) + json.dumps(packed(html)))


def test_report_refers_to_nothing_outside(report):
    html, page = report
    assert page.sources == []
    assert all(link.startswith("#") for link in page.links)
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert max(page.ids.values()) == 1
    for svg, _ in packed(html)["figures"].values():
        assert set(re.findall(r'(?:url\(|href=")#([^)"]+)', svg)) <= set(re.findall(r' id="([^"]+)"', svg))
        html += svg
    assert "@import" not in html
    addresses = set(re.findall(r"https?://[^\s\"'<>]+", html))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}  # names, never fetched


def test_report_says_what_failed_and_what_is_undefined(report):
    html, page = report
    assert "FloatingPointError: overflow in step 7" in page.words
    assert "fewer than k negatives" in page.words
    notes = [
        note
        for view in packed(html)["datasets"][0]["views"].values()
        for judged in view["tops"].values()
        for note in judged["cells"]["perceptron-max"]["notes"]
    ]
    assert set(notes) == {"3 of 5 runs"}


@pytest.mark.workflow
def test_a_figure_more_is_a_line_and_many_are_files_beside_the_page(small, monkeypatch):
    def drawn(scene, runs, summary):
        assert len(summary) > 0
        canvas, _ = blank(1, height=2)
        return Drawn(canvas, f"{scene.dataset} ran on {runs['host'].iloc[0]}.", summary.head(1))

    hosts = (Drawing("hosts", "Hosts", ("runs", "summary"), drawn),)
    monkeypatch.setattr("attop_bench.report.page.report.PER_DATASET", hosts)
    *tables, manifest = small
    report = build_page(as_tables(*tables), manifest)
    page = Page(render(report))
    assert "wdbc ran on node-1." in page.words
    assert "many-users ran on node-1." in page.words
    assert page.tags["figure"] == 4
    monkeypatch.setattr("attop_bench.report.page.render.MOST_FIGURES", 1000)
    page = Page(render(report))
    assert page.tags["figure"] == 2  # over all data sets
    assert "figures/wdbc-*.pdf" in page.words


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
    assert page.tags["script"] == 3
    allowed = set(re.findall(r"'(sha256-[^']+)'", html.split("Content-Security-Policy")[1].split(">")[0]))
    scripts = re.findall(r"<script(?: type=\"module\")?>(.*?)</script>", html, re.DOTALL)
    assert {f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}" for script in scripts} == allowed
    assert any(">$a_b^$</text>" in svg for svg, _ in packed(html)["figures"].values())


def test_styles_differ_and_do_not_depend_on_the_later_methods():
    styles = method_styles([f"m{i}" for i in range(40)])
    assert len({(s.colour, s.marker) for s in styles.values()}) == 40
    assert method_styles(["m0", "m1"])["m1"] == styles["m1"]


def test_a_family_has_a_colour_and_its_members_differ():
    styles = method_styles({"a": "F", "b": "G", "c": "F", "d": "F"})
    assert styles["a"].colour == styles["c"].colour == styles["d"].colour != styles["b"].colour
    assert len({styles[m].marker for m in "acd"}) == len({styles[m].dash for m in "acd"}) == 3


def test_only_leaders_have_colour_in_files(small):
    *tables, manifest = small
    styles, leader = method_styles(list(manifest["methods"])), METHODS[5]
    scene = Scene("d0", "wdbc", "precision@k", list(styles), {m: m for m in styles}, styles, {leader})
    material = {**as_tables(*tables), "summary": summary_of(*tables[:2])}
    drawn = [f for f in draw(PER_DATASET, scene, material) if f.svg and "transfer" not in f.name]
    assert len(drawn) == len(FIGURES) - 1
    for figure in drawn:
        shown = {m for m, style in styles.items() if f"var(--method, {style.colour})" in figure.svg}
        assert shown > {leader}
        for_paper(figure.canvas, {"of another figure"})
        assert QUIET not in to_svg(figure.canvas, figure.name, "")
        for_paper(figure.canvas, {leader})
        svg = to_svg(figure.canvas, figure.name, "")
        assert styles[leader].colour in svg
        assert QUIET in svg
        assert not any(style.colour in svg for m, style in styles.items() if m != leader)


def degenerate(case):
    if case == "one of everything":
        tables = make_results(("wdbc",), ["aatp"], ("precision@k",), failures=False)
        return *[t[(t["fold"] == 0) & (t["top"] == "k=5")] for t in tables[:3]], tables[3]
    evaluation, runs, roc, manifest = make_results(("wdbc",), METHODS[:3], ("precision@k",), failures=False)
    if case == "all undefined":
        evaluation = evaluation.assign(value=np.nan, reason="no positive")
    elif case == "all failed":
        evaluation, roc = evaluation[:0], roc[:0]
        runs = runs.assign(status="error", error="", chosen="{}", seconds_training=np.nan)
    elif case == "ties, zeros and a bare manifest":
        evaluation, manifest = evaluation.assign(value=0.0), {}
        runs = runs.assign(seconds_selection=0.0, seconds_training=0.0, seconds_scoring=0.0)
    elif case == "nothing run":
        evaluation, runs, roc = evaluation[:0], runs[:0], roc[:0]
    return evaluation, runs, roc, manifest


@pytest.mark.workflow
@pytest.mark.parametrize(
    ("case", "figures", "words"),
    [
        ("one of everything", 5, "has no other method to be compared with"),
        ("all undefined", 4, "No method has a defined value"),
        ("all failed", 0, "no message recorded"),
        (
            "ties, zeros and a bare manifest",
            7,
            "are best, with the same value in every run, which does not show that they are equal.",
        ),
        ("nothing run", 0, "No method has a result on this data set"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_degenerate_results_make_a_sensible_page(tmp_path, case, figures, words):
    html, page = built(tmp_path, degenerate(case))
    assert words in page.words
    assert ("No job failed and none is missing." in page.words) == (case != "all failed")
    assert page.tags["figure"] == figures
    # An axis that reaches below the metric's range; regrets have three decimals.
    assert not re.search(r">−(?!(\d\.\d{3}|\.\d{2,3})<)", html)
    assert "mathdefault" not in html  # a tick label nobody formatted
    assert not re.search(r"\bnan\b|\bNone\b", markup(html))


@pytest.mark.workflow
def test_analysis_writes_summary_and_the_same_report_again(small, report, tmp_path):
    evaluation, runs, roc, manifest = small
    write_analysis(
        as_tables(evaluation, runs, roc),
        manifest,
        report=tmp_path / "out" / "report.html",
        tables=tmp_path / "tables",
        figures=tmp_path / "figures",
        jobs=2,  # what `report` was drawn by does not show
    )
    assert {p.name for p in (tmp_path / "figures").iterdir()} == {
        *("map.pdf", "strip.pdf", "wins.pdf", "regret.pdf"),
        *(
            f"{d}-{f}.pdf"
            for d in ("wdbc", "many-users")
            for f in FIGURES
            if (d, f) != ("many-users", "capacity")
        ),
    }
    for path in (tmp_path / "figures").iterdir():
        assert path.read_bytes().startswith(b"%PDF")
    tex = (tmp_path / "tables" / "wdbc.tex").read_text()
    assert tex.count(r"\\") == 1 + 3
    assert tex.count(r"\textbf{") == 3
    assert all(line.count("&") == 3 for line in tex.splitlines() if line.endswith(r"\\"))
    for path in [*(tmp_path / "figures").iterdir(), *(tmp_path / "tables").glob("*.tex")]:
        path.unlink()
    files = sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file())
    assert files == ["out/report.html", "tables/board.csv", "tables/summary.csv", "tables/summary.parquet"]
    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8") == report[0]
    summary = summary_of(evaluation, runs, manifest["datasets"])
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
