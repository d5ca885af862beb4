"""Figures fit the width of a column, with letters that can be read there."""

import pytest
from matplotlib.text import Text

from attop_bench.report.compute.across import across
from attop_bench.report.compute.judgements import judge_all
from attop_bench.report.figures import ACROSS, PER_DATASET, draw
from attop_bench.report.figures.scene import (
    COLUMN,
    WIDTH,
    Scene,
    blank,
    figure_theme,
    method_styles,
    to_column,
    to_pdf,
)
from support.made_up import METHODS, as_tables, make_results
from support.rows import summary_of

pytestmark = pytest.mark.workflow

SMALLEST = 7.0  # points


def outside(canvas):
    """Return by how many points what is drawn exceeds the picture, on the side where it is most."""
    box, (width, height) = canvas.get_tightbbox(), canvas.get_size_inches()
    return 72 * max(-box.x0, -box.y0, box.x1 - width, box.y1 - height)


@pytest.fixture(scope="module", params=[3, 22])
def pictures(request):
    methods = [*METHODS[1:], *(f"a-learner-of-length-{i}" for i in range(10))][: request.param]
    datasets = ("wdbc", "digit-8", "many-users", "ratings", "ionosphere-windows")
    evaluation, runs, roc, _ = make_results(datasets, methods, ("precision@k",), failures=False)
    of_wdbc = [table[table["dataset"] == "wdbc"] for table in (evaluation, runs, roc)]
    material = {**as_tables(*of_wdbc), "summary": summary_of(*of_wdbc[:2])}
    titles, styles = {m: m for m in methods}, method_styles(methods)
    judgements = list(judge_all(evaluation, runs).values())
    found = across(evaluation, dict.fromkeys(datasets, "precision@k"), titles=titles)
    drawn = draw(PER_DATASET, Scene("d0", "wdbc", "precision@k", methods, titles, styles, methods), material)
    drawn += draw(
        ACROSS,
        Scene("across", "", "", methods, titles, styles, methods),
        {"across": found, "judgements": judgements},
    )
    return {figure.name: figure.canvas for figure in drawn if figure.svg}


def test_all_letters_are_inside_and_large_enough(pictures):
    assert len(pictures) == len(PER_DATASET) + len(ACROSS)
    narrow = set()
    with figure_theme():
        for name, canvas in pictures.items():
            assert canvas.get_figwidth() == WIDTH or name == "d0-capacity", name
            assert outside(canvas) < 1, name
            if to_column(canvas):
                narrow.add(name)
                canvas.draw_without_rendering()
                assert canvas.get_figwidth() == COLUMN
                assert outside(canvas) < 1, name
            sizes = [t.get_fontsize() for t in canvas.findobj(Text) if t.get_text()]
            assert min(sizes) >= SMALLEST, name
    assert narrow == {"d0-top", "d0-budget"}


@pytest.mark.filterwarnings("error:Glyph")
@pytest.mark.parametrize(("title", "fonts"), [("Größe ± 1", 1), ("Größe − 1, βЖ", 2)])
def test_a_pdf_has_every_letter_in_fonts_that_journals_take(title, fonts):
    with figure_theme():
        canvas, (axes,) = blank(1, height=2)
        axes.set_title(title, weight="normal")
        canvas.draw_without_rendering()
        pdf = to_pdf(canvas)
    assert pdf.count(b"/FontFile2") == fonts  # Latin 1, and the rest
    assert b"/Type3" not in pdf
