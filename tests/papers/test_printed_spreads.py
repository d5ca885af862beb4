"""Pictures of printed and own numbers: intervals of printed standard deviations, and whole names."""

import io
import math

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from scipy.stats import t

from attop_bench.papers.page import png, read_tables
from attop_bench.papers.pictures import BARS, dumbbells
from attop_bench.report.figures.scene import to_svg
from attop_bench.run.paper import load_paper
from support import ROOT

NAN = math.nan
PRINTED = sorted(file.parent.name for file in ROOT.glob("studies/*/printed.csv"))


TABLE = """row,metric,printed,printed_spread,ours,spread,n,verdict
"TopPush, the paper's stop",precision@k,0.5,0.1,0.6,0.05,9,above
"Infinite push 9.5%",precision@k,0.95,0.2,0.7,0,9,open
c,precision@k,0.3,,0.4,0.1,1,open
"""
ROWS = pd.read_csv(io.StringIO(TABLE))


def legend_of(canvas):
    return [text.get_text() for text in canvas.legends[0].get_texts()]


def test_a_bar_is_the_interval_of_the_mean_within_its_metric():
    (axes,) = dumbbells({"one": ROWS}, "precision@k", 2).axes
    ends = np.array([(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches])
    reach = t.ppf(0.975, 8) / 3
    printed = [(0.5 - 0.1 * reach, 0.5 + 0.1 * reach), (0.95 - 0.2 * reach, 1.0), (NAN, NAN)]
    ours = [(0.6 - 0.05 * reach, 0.6 + 0.05 * reach), (0.7, 0.7), (NAN, NAN)]
    np.testing.assert_allclose(ends, printed + ours)


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
    canvas = dumbbells({"one": ROWS, "two": ROWS}, "precision@k", 2)
    to_svg(canvas, "name", "caption")
    png(canvas, "comment")
    canvas.set_dpi(150)
    renderer = FigureCanvasAgg(canvas).get_renderer()
    labels = [label for axes in canvas.axes for label in axes.get_yticklabels()]
    assert min(label.get_window_extent(renderer).x0 for label in labels) >= 0
