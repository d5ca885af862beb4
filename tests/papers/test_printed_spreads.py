"""Pictures of printed and own numbers: intervals of printed standard deviations, and whole names."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from scipy.stats import t

from attop_bench.papers.page import png, read_tables
from attop_bench.papers.pictures import BARS, dumbbells
from attop_bench.report.figures.scene import to_svg
from attop_bench.run.paper import load_paper
from support import ROOT

PRINTED = sorted(file.parent.name for file in ROOT.glob("studies/*/printed.csv"))


def numbers(**columns):
    rows = pd.DataFrame(
        {
            "row": ["a", "b", "c"],
            "metric": "precision@k",
            "printed": [0.5, 0.95, 0.3],
            "printed_spread": [0.1, 0.2, np.nan],
            "ours": [0.6, 0.7, 0.4],
            "spread": [0.05, 0.0, 0.1],
            "n": [9, 9, 1],
            "verdict": ["above", "open", "open"],
        }
    )
    return rows.assign(**columns)


def bars_of(axes):
    """Return the ends of the bars, row after row, hollow ones and filled ones."""
    ends = {False: [], True: []}
    for bar in axes.patches:
        ends[bar.get_facecolor()[3] > 0].append((bar.get_x(), bar.get_x() + bar.get_width()))
    return ends[False], ends[True]


def legend_of(canvas):
    return [text.get_text() for text in canvas.legends[0].get_texts()]


def test_a_bar_is_the_interval_of_the_mean_within_its_metric():
    canvas = dumbbells({"one": numbers()}, "precision@k", 2)
    hollow, filled = bars_of(canvas.axes[0])
    reach = t.ppf(0.975, 8) / 3
    assert hollow[0] == pytest.approx((0.5 - 0.1 * reach, 0.5 + 0.1 * reach))
    assert hollow[1] == pytest.approx((0.95 - 0.2 * reach, 1.0))
    assert np.isnan(hollow[2]).all()
    assert filled[0] == pytest.approx((0.6 - 0.05 * reach, 0.6 + 0.05 * reach))
    assert filled[1] == pytest.approx((0.7, 0.7))
    assert np.isnan(filled[2]).all()
    assert canvas.axes[0].patches[0].get_edgecolor() != to_rgba("none")
    assert legend_of(canvas)[-1] == BARS


@pytest.mark.parametrize("change", [{"printed_spread": np.nan}, {"printed_spread": None}])
def test_a_paper_without_spreads_has_dots_on_a_line(change):
    canvas = dumbbells({"one": numbers(**change)}, "precision@k", 2)
    assert not canvas.axes[0].patches
    assert len(canvas.axes[0].collections[0].get_segments()) == 3
    assert legend_of(canvas) == ["printed", "ours: above", "ours: open"]


def test_a_table_of_no_printed_spreads_needs_no_column_of_them():
    canvas = dumbbells({"one": numbers().drop(columns=["printed_spread", "n"])}, "precision@k", 2)
    assert not canvas.axes[0].patches


@pytest.mark.parametrize("study", PRINTED)
def test_a_picture_has_bars_where_the_paper_prints_spreads(study):
    """Its caption and its key say what they are; without spreads nothing is said of them."""
    spreads = pd.read_csv(ROOT / "studies" / study / "printed.csv")["std"].notna().any()
    folder = ROOT / "docs/papers" / study.replace("_", "-")
    picture = load_paper(f"studies.{study}").findings(read_tables(folder)).picture
    assert (BARS in picture.caption) == spreads
    assert (BARS in legend_of(picture.canvas)) == spreads


def test_no_name_is_cut_in_a_picture_after_the_page_of_it():
    """Letters are wider in PNG than in the SVG that is drawn first."""
    rows = numbers(row=["TopPush, the paper's stop", "Infinite push 9.5%", "SVMperf"])
    canvas = dumbbells({"one": rows, "two": rows}, "precision@k", 2)
    to_svg(canvas, "name", "caption")
    png(canvas, "comment")
    canvas.set_dpi(150)
    renderer = FigureCanvasAgg(canvas).get_renderer()
    for axes in canvas.axes:
        for label in axes.get_yticklabels():
            assert label.get_window_extent(renderer).x0 >= 0
    panels = [axes.get_window_extent(renderer) for axes in canvas.axes]
    names = [label.get_window_extent(renderer) for label in canvas.axes[1].get_yticklabels()]
    assert min(name.x0 for name in names) > panels[0].x1
