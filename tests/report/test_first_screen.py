"""The headline, the chips below it and the map."""

from __future__ import annotations

import math
import re
from types import SimpleNamespace

import pandas as pd
import pytest

from attop.experiment import headline, mean_regrets
from attop.extending import Top
from attop_bench.report.compute.judgements import judge_all
from attop_bench.report.compute.results import Failures
from attop_bench.report.page.render import find_buttons, render
from attop_bench.report.page.report import build_page
from attop_bench.report.page.section import Chip, chips, left_out
from attop_bench.report.page.view import build_view
from support.html import Page
from support.made_up import as_tables
from support.rows import rows, summary_of

SPENT = ("seconds_selection", "seconds_training", "seconds_scoring", "seconds_cpu", "started", "ended")
NO_RUNS = pd.DataFrame(columns=["dataset", "method", "repeat", "fold", *SPENT], dtype=float)


@pytest.mark.usefixtures("undrawn")
def test_headline_chips_and_map_say_what_was_run(small):
    *tables, manifest = small
    skipped = {d: {**entry, "skip": {"boosted": "slow"}} for d, entry in manifest["datasets"].items()}
    methods = {**manifest["methods"], "boosted": {"title": "Boosting"}, "own": {"title": "Mine"}}
    page = build_page(as_tables(*tables), {**manifest, "datasets": skipped, "methods": methods})
    assert "where both have results. Over 1 of 2 sets; 1 method lacks results on some." in page.first.headline
    chips = {chip.text: chip for chip in page.chips}
    assert chips["2 data sets"].tone == ""
    assert chips["5 jobs failed"] == Chip("5 jobs failed", "bad", "#failures")
    assert any(text.startswith("attop 0.1.0 · 0123456") for text in chips)
    assert any(re.fullmatch(r".* \(.* CPU\)", text) for text in chips)
    for section in page.sections:
        for (metric, top), judged in section.judgements.items():
            cells = section.views[metric].tops[top].cells
            assert {m: cell.state for m, cell in cells.items()} == {m: judged.state(m) for m in cells}
    assert set(page.first.order) == set(manifest["methods"])
    assert page.left_out == [("Boosting", "slow"), ("Mine", "not run")]
    assert "Run on no data set: Boosting (slow); Mine (not run)." in Page(render(page)).words


def test_what_is_not_applicable_has_not_failed():
    jobs = {"expected": 9, "ok": 4, "timeout": 2, "not_applicable": 3, "missing": 0}
    failures = Failures(jobs, list(jobs)[1:], [], [], [], 0, [], [])
    found = [(chip.text, chip.tone) for chip in chips([], {}, failures, NO_RUNS, {})]
    assert found[2:] == [("4 of 9 jobs ok", ""), ("2 jobs failed", "bad"), ("3 jobs not applicable", "")]


def test_a_method_that_runs_nowhere_is_named_on_the_first_screen():
    def section(*order, **skipped):
        return SimpleNamespace(title="WDBC", at_edge=(), order=order, skipped=skipped)

    jobs = {"expected": 1, "ok": 1, "missing": 0}
    failures = Failures(jobs, list(jobs)[1:], [], [], [], 0, [], [])
    methods = {"boosted": {"title": "Boosting"}, "aatp": {"title": "AATP"}}
    sections = [section(boosted="needs a package", aatp="slow"), section("aatp", boosted="needs a package")]
    assert Chip("Boosting left out", "warn", "#left-out") in chips(sections, methods, failures, NO_RUNS, {})
    assert left_out(sections, methods) == {"boosted": "needs a package"}
    methods["own"] = {"title": "Mine"}
    assert Chip("2 methods left out", "warn", "#left-out") in chips(sections, methods, failures, NO_RUNS, {})
    assert left_out(sections, methods) == {"boosted": "needs a package", "own": "not run"}


def all_judged(*tables, about=None):
    """Return the judgements of the rows of some results."""
    evaluation, runs = map(pd.concat, zip(*tables, strict=True))
    return list(judge_all(evaluation, runs.assign(n_train=80.0, n_test=20.0), about).values())


def judgements_of(n_runs=3, **values):
    """Return the judgements of five data sets with three tops each, from the values at the tops."""
    tables = []
    for d in range(5):
        for i, top in enumerate(("k=5", "k=10", "k=20")):
            series = [(m, [v[i] + 0.01 * run for run in range(n_runs)]) for m, v in values.items()]
            tables.append(rows(*series, dataset=f"d{d}", top=top))
    return pd.concat(evaluation for evaluation, _ in tables), all_judged(*tables)


@pytest.mark.parametrize(
    ("n_runs", "values", "said"),
    [
        (
            5,
            {"a": (0.5, 0.9, 0.5), "b": (0.6, 0.88, 0.6), "c": (0.1, 0.1, 0.1)},
            "B finds the most: 0.7 of 100 behind each set’s best; A, next, 6.7. "
            "Shown ahead at 10 of 15 tops.",
        ),
        (
            3,
            {"a": (0.9, 0.8, 0.9), "b": (0.7, 0.88, 0.7), "c": (0.1, 0.1, 0.1)},
            "A finds the most: 2.7 of 100 behind each set’s best; B, next, 13.3. "
            "No set is tested alone: 3 shared runs, 5 needed.",
        ),
        (3, {"a": (0.5,) * 3, "b": (0.5,) * 3}, "All 2 methods are equal on average. No set is tested alone"),
    ],
)
def test_the_headline_names_the_method_of_least_regret_in_hits(n_runs, values, said):
    evaluation, judgements = judgements_of(n_runs, **values)
    found = headline(judgements, {m: m.upper() for m in values})
    assert found.startswith(said)
    means = evaluation.groupby(["dataset", "top", "method"])["value"].mean().unstack()
    regret = 100 * means.rsub(means.max(axis=1), axis=0).mean()
    assert mean_regrets(judgements) == pytest.approx(regret.to_dict())


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {"a": [0.5, 0.6, 0.4, 0.5, 0.5], "b": [0.1] * 5},
            "A finds 5 of 10, 5 times chance. Shown to be better than B (1 of 10).",
        ),
        (
            {"a": [0.9, 0.1, 0.9, 0.1, 0.5], "b": [0.1, 0.8, 0.1, 0.9, 0.1]},
            "Not shown to be better than B (4 of 10): with 5 runs no lead can be shown.",
        ),
        ({"a": [0.5, 0.6, 0.4], "b": [0.1] * 3}, "Next: B (1 of 10). Not tested: 3 shared runs, 5 needed."),
        ({"a": [0.5] * 5, "b": [0.5] * 5}, "A and B find 5 of 10, 5 times chance."),
        ({"a": [math.nan] * 5}, "No method has a defined value."),
    ],
)
def test_the_headline_of_one_data_set_has_the_best_and_the_next(values, said):
    about = {"wdbc": {"items": 200, "positives": 20}}
    judgements = all_judged(rows(*values.items(), top="k=10"), about=about)
    assert headline(judgements, {"a": "A", "b": "B"}).endswith(said)


@pytest.mark.parametrize("name", ["Forest ({})", "a forest of ever so many {} trees"])
def test_a_headline_shortens_no_two_names_to_one(name):
    judgements = all_judged(rows(("a", [0.5, 0.6, 0.4, 0.5, 0.5]), ("b", [0.1] * 5), top="k=10"))
    said = headline(judgements, {m: name.format(m) for m in "ab"})
    assert said.startswith(f"{name.format('a')} finds")
    assert f"than {name.format('b')} (" in said


def test_the_headline_of_amounts_is_the_sum_found():
    series = [("a", [120, 125, 121, 122, 123.0]), ("b", [60, 62, 61, 64, 60.0])]
    assert headline(all_judged(rows(*series, metric="amount@k")), {"a": "A", "b": "B"}) == (
        "A finds an amount of 611 in the first 5. Shown to be better than B (307 in the first 5)."
    )


def test_the_headline_of_several_is_over_the_sets_that_all_share():
    """Method c lacks some: it is left out, and none is named where it has half of the sets and finds more."""
    _, whole = judgements_of(5, a=(0.5, 0.9, 0.5), b=(0.6, 0.88, 0.6), c=(0.1, 0.1, 0.1))
    _, without = judgements_of(5, a=(0.5, 0.9, 0.5), b=(0.6, 0.88, 0.6))
    names = {m: m.upper() for m in "abc"}
    few = [*without[:9], *whole[9:]]
    assert headline(few, names) == (
        "B finds the most: 0.7 of 100 behind each set’s best; A, next, 6.7. "
        "Shown ahead at 10 of 15 tops. Over 5 sets; 1 method lacks results on some."
    )
    _, more = judgements_of(5, a=(0.5, 0.9, 0.5), b=(0.6, 0.88, 0.6), c=(0.7, 0.9, 0.7))
    assert headline(whole[::3], names).endswith("next, 10. Shown ahead on 5 of 5 data sets.")
    assert headline([*without[:9], *more[9:]], names).startswith("B finds the most: 0.7 of 100 behind")
    assert headline([*without[:6], *more[6:]], names) == (
        "No method is named best: C finds more than B where both have results. "
        "Over 5 sets; 1 method lacks results on some."
    )


def test_a_headline_counts_only_leads_that_hold_over_all_tops():
    """At one top p is 0.02: shown alone, not where fifteen are tested. Their mean is shown."""
    series = [("a", [0.9, 0.6, 0.9, 0.62, 0.8]), ("b", [0.5, 0.45, 0.5, 0.3, 0.4])]
    found = all_judged(*(rows(*series, dataset=f"d{d}", top="k=5") for d in range(15)))
    assert {one.verdict for one in found} == {"ahead"}
    assert 0.05 / 15 < found[0].rivals[0].p < 0.05
    assert headline(found[:1], {"a": "A", "b": "B"}).endswith("Shown to be better than B (2.2 of 5).")
    assert headline(found, {"a": "A", "b": "B"}) == (
        "A finds the most: 0 of 100 behind each set’s best; B, next, 33.4."
    )


def test_a_winner_of_several_is_one_of_its_mean():
    """A is far ahead on one set, shown; B by a little on nine, and on average nobody."""
    far = [("a", [0.75, 0.76, 0.74, 0.75, 0.76]), ("b", [0.5, 0.5, 0.5, 0.51, 0.5])]
    near = [("a", [0.5, 0.6, 0.4, 0.5, 0.6]), ("b", [0.58, 0.5, 0.5, 0.55, 0.67])]
    found = all_judged(*(rows(*(near if d else far), dataset=f"d{d}", top="k=5") for d in range(10)))
    assert [one.verdict for one in found] == ["ahead", *["open"] * 9]
    said = headline(found, {"a": "A", "b": "B"})
    assert said.startswith("No method is shown to be best on average; nearest to each set’s best: B (")
    fewer = headline(found[:4], {"a": "A", "b": "B"})
    assert fewer == (
        "No method is shown to be best on average; nearest to each set’s best: A (3 of 100 behind), B (6.3). "
        "Shown ahead on 1 of 4 data sets."
    )


def test_a_mean_over_different_metrics_is_of_their_ranges():
    series = [("a", [0.5, 0.6, 0.4, 0.5, 0.5]), ("b", [0.1] * 5)]
    tables = [rows(*series, dataset=f"d{d}", top="k=5") for d in range(5)]
    tables += [rows(*series, dataset=f"e{d}", top="k=5", metric="recall@k") for d in range(5)]
    said = headline(all_judged(*tables), {"a": "A", "b": "B"})
    assert said.startswith("A is best on average: 0 hundredths of a metric’s range behind each set’s best")


def test_a_headline_has_at_most_forty_words():
    names = {m: f"Method {m} of very many words in its name (variant)" for m in "abc"}
    _, judgements = judgements_of(5, a=(0.5, 0.9, 0.5), b=(0.6, 0.88, 0.6), c=(0.1, 0.1, 0.1))
    for these in (judgements, judgements[:3]):
        assert len(headline(these, names).split()) <= 40


def view_of(values, about=None, top="k=5"):
    """Return one metric of a data set as the page shows it, from the values of each run."""
    evaluation, runs = rows(*values.items(), top=top)
    found, titles = all_judged((evaluation, runs), about={"wdbc": about or {}}), {m: m for m in values}
    return build_view("WDBC", found, summary_of(evaluation, runs), evaluation, titles, {}, {})


def test_shades_are_multiples_of_the_tolerance():
    values = {"a": 0.9, "b": 0.89, "c": 0.88, "d": 0.875, "e": 0.83, "f": 0.75, "g": 0.7}
    view = view_of({m: [v - 0.001, v + 0.001] for m, v in values.items()}, {"items": 50, "positives": 5})
    judged = view.tops["k=5"]
    assert [judged.cells[m].shade for m in values] == ["s0", "s0", "s1", "s2", "s3", "s4", "s5"]
    assert [judged.cells[m].state for m in values] == ["best", *6 * ["untested"]]  # two runs are too few
    assert judged.random_baseline == ".10"


def test_a_gap_of_whole_tolerances_has_one_shade():
    """The second method is four tolerances behind, on the edge of two shades."""
    series = {"a": [*3 * [2 / 3], 0.0, 0.0], "b": [*3 * [1 / 3], 0.44, 0.36]}  # rounded up, and down
    for digits in (17, 9):
        cells = (
            view_of({m: [float(f"{v:.{digits}g}") for v in vs] for m, vs in series.items()}).tops["k=5"].cells
        )
        assert [cell.shade for cell in cells.values()] == ["s0", "s2"]


#: Best, equal, open, behind.
FOUR = {
    "a": [0.9, 0.8, 0.9, 0.8, 0.9],
    "b": [0.9, 0.799, 0.9, 0.8, 0.9],
    "c": [0.5, 0.95, 0.6, 0.9, 0.7],
    "d": [0.3, 0.2, 0.3, 0.21, 0.29],
}


def test_marks_in_table_and_downloads_are_the_verdicts():
    """Bold is the best and what is shown to be equal; a sign is for what was not shown and not tested."""
    view = view_of(FOUR, {"items": 5000, "positives": 500}, "k=500")
    cells = view.tops["k=500"].cells
    assert {m: cell.state for m, cell in cells.items()} == {
        "a": "best",
        "b": "equal",
        "c": "open",
        "d": "ahead",
    }
    assert [cells[m].sign for m in "abcd"] == ["", "=", "°", ""]
    tex = view.exports["tex"].text
    assert r"a & \textbf{0.860} \\" in tex
    assert r"b & \textbf{0.860} \\" in tex
    assert r"c & 0.730$^\circ$ \\" in tex
    assert r"d & 0.260 \\" in tex
    assert "| c | 0.730° |" in view.exports["md"].text
    assert [line.split(",")[-1] for line in view.exports["csv"].text.split()[1:]] == [
        "best",
        "equal",
        "open",
        "behind",
    ]
    card = view.tops["k=500"].card
    assert "equal to it: b." in card["alike"]
    assert "behind it: c." in card["alike"]


def test_names_are_text_in_the_downloads():
    names = [r"\input{/etc/passwd}", "a^b~c", '=cmd,"x"']
    view = view_of(dict(zip(names, FOUR.values(), strict=False)))
    tex, csv = (view.exports[kind].text for kind in ("tex", "csv"))
    assert r"\textbackslash{}input\{/etc/passwd\} &" in tex
    assert r"a\^{}b\~{}c &" in tex
    assert '\n"\'=cmd,""x""",k=5,precision@k,0.73,5,open' in csv


def test_what_is_not_tested_is_not_printed_as_tested():
    view = view_of({m: series[:3] for m, series in FOUR.items()})
    tex, judged = view.exports["tex"].text, view.tops["k=5"]
    assert tex.count(r"$^\dagger$") == 4
    assert r"$^\dagger$ not tested: 3 runs" in tex
    assert tex.count(r"\textbf") == 1
    assert judged.card["verdict"] == "untested"
    assert {cell["text"] for _, *cells in judged.tests for cell in cells[-1:]} == {"untested"}


def test_tops_that_are_shares_are_said_in_words():
    shares = [Top(kappa=0.25), Top(kappa=0.5), Top(kappa=1), Top(tau=0.01)]
    section = SimpleNamespace(id="a", order=("m",), tops=[str(top) for top in shares])
    assert list(find_buttons([section])) == [
        *(f"{n} of the positives" for n in ("quarter", "half", "all")),
        "1% of the items",
    ]
