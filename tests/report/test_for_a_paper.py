"""Tables and figures for a paper: all data sets in one table, its marks explained; LaTeX takes it."""

from __future__ import annotations

import re
import shutil
import subprocess

import pandas as pd
import pytest

from attop.experiment import mean_regrets
from attop_bench.report.page.render import write_exports
from attop_bench.report.page.report import build_page
from support import made_up
from support.made_up import METHODS, as_tables, make_results
from support.pages import made_tables

pytestmark = pytest.mark.workflow


def exported(folder, n_sets, methods, folds, monkeypatch):
    """Write the exports of so many data sets, without their own figures; return the page."""
    tops, _, _, *others = made_up.DATASETS["wdbc"]
    datasets = {f"set_{i}": (tops, 1, folds, *others) for i in range(n_sets)}
    monkeypatch.setattr(made_up, "DATASETS", datasets)
    monkeypatch.setattr("attop_bench.report.page.report.PER_DATASET", ())
    *tables, manifest = make_results(tuple(datasets), methods, ("precision@k",), failures=False)
    page = build_page(as_tables(*tables), manifest, files=True)
    write_exports(page, folder / "figures", folder / "tables")
    return page


def rows_of(tex):
    """Return the cells of the lines of a table, which all have as many."""
    lines = [line[:-2].split(" & ") for line in tex.splitlines() if line.endswith(r"\\")]
    assert len({len(line) for line in lines}) == 1
    return [[cell.strip() for cell in line] for line in lines]


@pytest.mark.parametrize(("n_sets", "folds"), [(3, 5), (7, 3)])
def test_one_table_has_all_data_sets_with_regret_rank_and_marks(n_sets, folds, tmp_path, monkeypatch):
    methods = METHODS[3:8]
    page = exported(tmp_path, n_sets, methods, folds, monkeypatch)
    tex = (tmp_path / "tables" / "all.tex").read_text(encoding="utf-8")
    head, *rows = rows_of(tex)
    if n_sets > len(methods):
        assert head[0] == "Data set"
        head, *rows = zip(*(head, *rows), strict=True)
    assert len(head) == n_sets + 3
    assert [row[0] for row in rows] == [page.titles[m] for m in page.first.order]
    judgements = [s.judgements[s.metric, s.main] for s in page.sections]
    lost = mean_regrets(judgements)
    ranks = pd.DataFrame([judged.means for judged in judgements]).rank(axis=1, ascending=False)
    marks = {"best": r"\textbf{", "equal": r"\textbf{", "open": r"$^\circ$", "untested": r"$^\dagger$"}
    for method, (_, *cells, regret, rank) in zip(page.first.order, rows, strict=True):
        for cell, judged in zip(cells, judgements, strict=True):
            its = {marks.get(judged.state(method), "")} - {""}
            assert {mark for mark in marks.values() if mark in cell} == its
        assert float(regret) == pytest.approx(lost[method], abs=0.051)
        assert float(rank) == pytest.approx(ranks[method].mean(), abs=0.051)
    assert ("Not tested: 3 shared runs, 5 needed" in tex) == (folds == 3)
    for name in ("map", "strip", "regret", "wins"):
        assert (tmp_path / "figures" / f"{name}.pdf").stat().st_size > 1000


@pytest.mark.usefixtures("undrawn")
def test_the_winner_is_one_in_sentence_tex_and_csv(tmp_path):
    page = build_page(*made_tables(5, 12, 3))
    write_exports(page, tmp_path / "figures", tmp_path / "tables")
    tex = (tmp_path / "tables" / "all.tex").read_text(encoding="utf-8").split(r"\midrule")[1]
    rows = pd.read_csv(tmp_path / "tables" / "board.csv").query("top == 'k=50'")
    found = [
        re.split(r" finds | \(", page.first.headline.split("best: ")[-1])[0],
        tex.split("&")[0].strip().splitlines()[-1],
        page.titles[rows.set_index("method")["regret"].idxmin()],
    ]
    assert found == [page.titles[page.first.order[0]]] * 3


def test_latex_takes_ten_data_sets_and_thirteen_methods_on_one_page(tmp_path, monkeypatch):
    latex = shutil.which("pdflatex") or shutil.which("tectonic")
    if latex is None:
        pytest.skip("there is no TeX here: apt-get install texlive-latex-base, or tectonic")
    exported(tmp_path, 10, METHODS, 5, monkeypatch)
    figures = "".join(
        rf"\par\noindent\includegraphics[width=\columnwidth]{{figures/{n}}}" for n in ("map", "regret")
    )
    (tmp_path / "paper.tex").write_text(
        r"\documentclass[twocolumn]{article}\usepackage{booktabs,graphicx}\begin{document}\begin{table*}\centering"
        rf"\small\input{{tables/all}}\end{{table*}}\input{{tables/set_0}}{figures}\end{{document}}"
    )
    done = subprocess.run([latex, "paper.tex"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-2000:]
    assert not re.search(r"Overfull .hbox \((\d{2,}|[5-9])", done.stdout)  # points
