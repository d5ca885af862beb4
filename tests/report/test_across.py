"""Methods compared over data sets: Demsar's example, attop.statistics, degenerate input."""

import math
import re
from dataclasses import replace
from io import StringIO
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from attop.metrics import METRICS, register
from attop.statistics import against_control, bayesian_signed_rank, effect_sizes, wilcoxon
from support.comparisons import compare, figures, said, table, xml
from support.demsar import DEMSAR


@pytest.fixture(scope="module")
def demsar():
    return compare(table(DEMSAR))


class TestDemsar:
    def test_agrees_with_statistics(self, demsar):
        best, *others = demsar.standings
        assert best.effect is best.posterior is None
        expected = {p.first: p.p_adjusted for p in against_control(DEMSAR, "m+cf").pairs}
        for s in others:
            assert s.p == pytest.approx(expected[s.method])
            own, its = DEMSAR[s.method], DEMSAR["m+cf"]
            effect, posterior = effect_sizes(own, its), bayesian_signed_rank(own, its, rope=0.01, seed=0)
            assert s.effect.mean == pytest.approx(effect.mean)
            assert s.posterior.worse == pytest.approx(posterior.worse)
            assert (s.better, s.equal) == ((own > its).sum(), (own == its).sum())

    def test_sentences(self, demsar):
        leader, verdict = said(demsar)
        alone, best = leader.split(", <")
        assert alone == "By rank alone, which ignores how much is lost"
        assert best == "m+cf> ranks best: mean rank 1.96 among 4 methods on 14 data sets."
        assert "Friedman's test, p = 0.020" in verdict
        assert "beyond chance (Holm, alpha = 0.05): <C4.5>. Of these, <C4.5> not by" in verdict
        assert "<m> and <cf>." in verdict

    def test_figures(self, demsar):
        (diagram,) = figures(demsar)
        for words in (
            "14 data sets",
            "precision@k (higher is better; at k=5)",
            "Nemenyi",
            "alpha = 0.05",
            "CD = 1.25",
        ):
            assert words in diagram.caption
        marked = {g.get("data-m") for g in xml(diagram).iter() if g.get("class") == "m"}
        assert marked == set(DEMSAR.columns)
        assert figures(compare(table(DEMSAR))) == [diagram]


def test_bars_of_the_diagram_join_what_does_not_differ():
    """A bar covers ranks closer than the critical difference, and is as long as such a bar can be."""
    rng = np.random.default_rng(3)
    values = pd.DataFrame(
        np.clip(np.linspace(0.8, 0.5, 7) + rng.normal(0, 0.08, (12, 7)), 0.01, 1), columns=list("abcdefg")
    )
    found = compare(table(values))
    (diagram,) = figures(found)
    bars = pd.read_csv(StringIO(diagram.data), dtype={"bars": str}).fillna("")
    ranks = [bars["mean_rank"][bars["bars"].str.split().map(lambda b, i=i: str(i) in b)] for i in range(1, 9)]
    ranks = [r for r in ranks if len(r)]
    assert len(ranks) == len(found.nemenyi.cliques) > 1
    cd = found.nemenyi.critical_difference
    for r in ranks:
        outside = bars["mean_rank"].drop(r.index)
        assert r.max() - r.min() < cd
        assert all(max(r.max(), o) - min(r.min(), o) >= cd for o in outside)
    picture = xml(diagram)
    thick = re.findall(r"\.(\w+)\{[^}]*stroke-width: 2\.6", picture.find("{*}style").text)
    thick = [p for p in picture.iter() if p.get("class") in thick]
    assert len(thick) == len(ranks)


def test_labels_do_not_overlap():
    """Even where all ranks are close."""
    rng = np.random.default_rng(0)
    found = compare(table(pd.DataFrame(rng.random((6, 15)), columns=[f"method {i}" for i in range(15)])))
    (diagram,) = figures(found)
    texts = [text for text in diagram.canvas.findobj(Text) if "method" in text.get_text()]
    assert len(texts) == 15
    boxes = [text.get_window_extent() for text in texts]
    assert not any(a.padded(4).overlaps(b) for a, b in combinations(boxes, 2))  # points


class TestUnits:
    def test_each_data_set_by_its_own_metric_at_its_own_top(self):
        one = table(DEMSAR.iloc[:7], tops=("k=3", "k=5", "k=10"))
        one.loc[one["top"] != "k=5", "value"] = 0.5  # only the main top counts
        other = pd.concat([table(DEMSAR.iloc[7:], "pap@k"), table(DEMSAR.iloc[7:] * 0)])
        metrics = {str(d): "precision@k" if d < 7 else "pap@k" for d in range(14)}
        found = compare(pd.concat([one, other]), metrics)
        assert found.friedman.chi2 == pytest.approx(9.28, abs=0.006)
        assert "precision@k on 7 data sets (higher is better; at k=5) and pap@k on 7" in found.unit
        assert found.standings[1].effect.refused is None

    def test_no_common_unit(self):
        metrics = {str(d): "precision@k" if d < 7 else "dcg" for d in range(14)}
        values = DEMSAR.copy()
        values.iloc[7:] *= 20
        evaluation = table(values)
        evaluation["metric"] = evaluation["dataset"].map(metrics)
        found = compare(evaluation, metrics)
        assert found.friedman.chi2 == pytest.approx(9.28, abs=0.006)
        assert "no common unit" in found.standings[1].effect.refused
        assert found.standings[1].posterior.refused

    def test_lower_is_better(self):
        register(replace(METRICS["auc"], name="risk", higher_is_better=False))
        evaluation = table(1 - DEMSAR, "risk")
        found = compare(evaluation, dict.fromkeys(evaluation["dataset"], "risk"))
        assert found.standings[0].method == "m+cf"
        assert found.friedman.chi2 == pytest.approx(9.28, abs=0.006)
        assert "risk (lower is better" in figures(found)[0].caption


class TestMissing:
    def test_left_out_not_imputed(self):
        evaluation = table(DEMSAR)
        lost = (evaluation["dataset"] == "3") & (evaluation["method"] == "cf") & (evaluation["fold"] == 1)
        evaluation.loc[(evaluation["dataset"] == "5") & (evaluation["method"] == "m"), "value"] = np.nan
        evaluation = evaluation[~lost]
        methods = [*DEMSAR.columns, "gone"]
        found = compare(evaluation, {str(d): "precision@k" for d in (*range(13), "failed")}, methods)
        assert found.n_datasets == 11
        assert found.left_out == {
            "3": "<cf> has 2 of 3 runs",
            "5": "<m> has 0 of 3 runs",
            "13": "no metric was named to compare by",
            "failed": "no run has a result",
        }
        assert found.standings[-1].method == "gone"
        assert math.isnan(found.standings[-1].rank)
        assert said(found)[-2] == "Not ranked: <gone> (complete on 0 of 13 data sets)."
        assert "on 11 of 13 data sets" in said(found)[0]
        assert "11 of 13 data sets" in figures(found)[0].caption
        assert said(found)[-1].startswith("Left out: 3 (<cf> has 2 of 3 runs); 5 (")


NOTHING = table(DEMSAR).iloc[:0]


@pytest.mark.parametrize(
    ("evaluation", "why"),
    [
        (NOTHING, "at least 3 methods, and there are 0"),
        (table(DEMSAR * np.nan), "at least 3 methods, and there are 0"),
        (table(DEMSAR[["m"]]), "at least 3 methods, and there are 1"),
        (table(DEMSAR[:1]), "at least 5 data sets, and there are 1"),
        (table(DEMSAR[["m", "cf"]][:2]), "At least 5 data sets are needed, and there are 2"),
        (table(DEMSAR * 0), "equal on every data set"),
        (table(DEMSAR[["m", "m"]].set_axis(["a", "b"], axis=1)), "equal on all 14 data sets"),
        (table(DEMSAR[:4]), "at least 5 data sets, and there are 4"),
    ],
)
def test_too_little_to_compare(evaluation, why):
    found = compare(evaluation)
    assert why in found.refused
    assert why in " ".join(said(found))
    (diagram,) = figures(found)
    assert found.test == diagram.svg == ""
    assert "No critical-difference diagram" in diagram.caption
    assert all(math.isnan(s.p) for s in found.standings)


def test_two_methods_are_compared_by_wilcoxon():
    found = compare(table(DEMSAR[["C4.5", "m"]]))
    assert found.test == "Wilcoxon"
    assert found.standings[1].p == pytest.approx(wilcoxon(DEMSAR["C4.5"], DEMSAR["m"]).p)
    assert "more than chance explains (Wilcoxon" in said(found)[1]


def test_chance_makes_no_winner():
    rng = np.random.default_rng(5)
    found = compare(table(pd.DataFrame(rng.integers(0, 3, (9, 4)) / 4, columns=list("abcd")), folds=(0.0,)))
    (diagram,) = figures(found)
    assert "no method can be called better" in said(found)[1]
    assert "do not read single differences" in diagram.caption
