"""Methods compared over data sets and on one: Demsar's example, attop.statistics, degenerate input."""

import dataclasses
import math
import re
from io import StringIO
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from attop.analysis.compute.across import across
from attop.analysis.compute.across_sentences import sentences
from attop.analysis.compute.board import board
from attop.analysis.compute.comparison import default_rope, leads, split_ratio
from attop.analysis.compute.comparison_sentences import headline, leader, reading
from attop.analysis.figures.registry import ACROSS, draw
from attop.analysis.figures.scene import Scene
from attop.analysis.figures.style import method_styles
from attop.metrics import METRICS, get_metric
from attop.statistics import (
    against_control,
    bayesian_signed_rank,
    corrected_t_test,
    correlated_t,
    effect_sizes,
    holm,
    performance_profile,
    wilcoxon,
)
from support.demsar import DEMSAR

COLUMNS = ["dataset", "method", "repeat", "fold", "target", "metric", "value", "reason"]
#: Folds whose mean is 0: the mean over them is the value of the data set.
FOLDS = (-0.004, 0.001, 0.003)


def table(values, metric="precision@k", targets=("k=5",), folds=FOLDS):
    """The evaluation table of data sets x methods."""
    return pd.DataFrame(
        [
            (str(d), str(m), 0, fold, target, metric, v + shift, None)
            for d, row in values.iterrows()
            for m, v in row.items()
            for target in targets
            for fold, shift in enumerate(folds)
        ],
        columns=COLUMNS,
    )


def compare(evaluation, metrics=None, methods=None, **more):
    methods = list(dict.fromkeys(evaluation["method"])) if methods is None else methods
    metrics = dict.fromkeys(evaluation["dataset"], "precision@k") if metrics is None else metrics
    return across(evaluation, metrics, titles=titled(methods), **more)


def titled(methods):
    return {m: f"<{m}>" for m in methods}


def said(found):
    return sentences(found, titled(s.method for s in found.standings))


def figures(found):
    """The diagram and the profile."""
    methods = [s.method for s in found.standings]
    scene = Scene("across", "", "", found.order, titled(methods), method_styles(methods), methods)
    return draw(ACROSS, scene, {"across": found})


def xml(figure):
    """The parsed picture, on which every mark of a method is in a group of its own."""
    return ElementTree.fromstring(figure.svg)


@pytest.fixture(scope="module")
def demsar():
    return compare(table(DEMSAR))


class TestDemsar:
    def test_numbers_of_the_paper(self, demsar):
        # Voting is printed 0.975 twice, with ranks 2 and 3; were they tied, cf would rank 2.929.
        ranks = {s.method: round(s.rank, 3) for s in demsar.standings}
        assert ranks == {"m+cf": 1.964, "m": 2.0, "cf": 2.893, "C4.5": 3.143}
        assert demsar.friedman.chi2 == pytest.approx(9.28, abs=0.006)
        assert pytest.approx(3.69, abs=0.006) == demsar.friedman.F
        assert demsar.critical_difference == pytest.approx(1.25, abs=0.005)
        assert (demsar.n_datasets, demsar.m_datasets, demsar.test) == (14, 14, "Holm")

    def test_agrees_with_statistics(self, demsar):
        best, *others = demsar.standings
        assert best.effect is best.posterior is None
        expected = {p.first: p.p_adjusted for p in against_control(DEMSAR, "m+cf").pairs}
        for s in others:
            assert s.p == pytest.approx(expected[s.method])
            own, its = DEMSAR[s.method], DEMSAR["m+cf"]
            effect, posterior = effect_sizes(own, its), bayesian_signed_rank(own, its, rope=0.01, seed=0)
            assert (s.effect.mean, s.effect.a12) == pytest.approx((effect.mean, effect.a12))
            assert s.posterior.worse == pytest.approx(posterior.worse)
            assert (s.better, s.equal) == ((own > its).sum(), (own == its).sum())

    def test_sentences(self, demsar):
        leader, verdict = said(demsar)
        assert leader == "<m+cf> ranks best: mean rank 1.96 among 4 methods on 14 data sets."
        assert "Friedman's test, p = 0.020" in verdict
        assert "beyond chance (Holm, alpha = 0.05): <C4.5>. Of these, <C4.5> not by" in verdict
        assert "Not told apart from <m+cf>: <m> and <cf>." in verdict

    def test_figures(self, demsar):
        diagram, profile = figures(demsar)
        for words in (
            "14 data sets",
            "precision@k (higher is better; at k=5)",
            "Nemenyi",
            "alpha = 0.05",
            "CD = 1.25",
        ):
            assert words in diagram.caption
        assert "a ratio, best value over own value" in profile.caption
        for figure in (diagram, profile):
            marked = {g.get("data-m") for g in xml(figure).iter() if g.get("class") == "m"}
            assert marked == set(DEMSAR.columns)
        for group in xml(profile).iter():
            if group.get("class") == "m" and (path := group.find("{*}path")) is not None:
                corners = np.array(re.findall(r"[ML]([-0-9.]+) ([-0-9.]+)", path.get("d")), float)
                assert np.isclose(np.diff(corners, axis=0), 0).any(axis=1).all()  # shares rise in steps
        assert figures(compare(table(DEMSAR))) == [diagram, profile]
        steps = pd.read_csv(StringIO(profile.data))
        for method, share in performance_profile(DEMSAR, higher_is_better=True).share.items():
            assert steps.loc[steps["method"] == method, "share"].to_numpy() == pytest.approx(share, abs=1e-5)


def test_bars_of_the_diagram_join_what_does_not_differ():
    """A bar covers ranks closer than the critical difference, and is as long as such a bar can be."""
    rng = np.random.default_rng(3)
    values = pd.DataFrame(
        np.clip(np.linspace(0.8, 0.5, 7) + rng.normal(0, 0.08, (12, 7)), 0.01, 1), columns=list("abcdefg")
    )
    found = compare(table(values))
    diagram, _ = figures(found)
    bars = pd.read_csv(StringIO(diagram.data), dtype={"bars": str}).fillna("")
    ranks = [bars["mean_rank"][bars["bars"].str.split().map(lambda b, i=i: str(i) in b)] for i in range(1, 9)]
    ranks = [r for r in ranks if len(r)]
    assert len(ranks) == len(found.nemenyi.cliques) > 1
    cd = found.critical_difference
    for r in ranks:
        outside = bars["mean_rank"].drop(r.index)
        assert r.max() - r.min() < cd
        assert all(max(r.max(), o) - min(r.min(), o) >= cd for o in outside)
    picture = xml(diagram)
    thick = re.findall(r"\.(\w+)\{[^}]*stroke-width: 2\.6", picture.find("{*}style").text)
    thick = [p for p in picture.iter() if p.get("class") in thick]
    assert len(thick) == len(ranks)


def test_labels_do_not_overlap():
    """Labels of a side are a row apart, even where all ranks are close."""
    rng = np.random.default_rng(0)
    found = compare(table(pd.DataFrame(rng.random((6, 15)), columns=[f"method {i}" for i in range(15)])))
    texts = [
        t for t in xml(figures(found)[0]).iter() if t.tag.endswith("text") and "method" in (t.text or "")
    ]
    places = [
        re.search(r"translate\(([-0-9.]+) ([-0-9.]+)\)|x=", ElementTree.tostring(t, "unicode")) for t in texts
    ]
    assert len(texts) == 15
    sides = {}
    for text, place in zip(texts, places, strict=True):
        y = float(place[2]) if place[2] else float(text.get("y"))
        sides.setdefault(re.match(r"[0-9]", text.text) is None, []).append(y)
    for rows in sides.values():
        assert all(b - a > 12 for a, b in pairwise(sorted(rows)))


class TestUnits:
    def test_each_data_set_by_its_own_metric_at_its_own_target(self):
        one = table(DEMSAR.iloc[:7], targets=("k=3", "k=5", "k=10"))
        one.loc[one["target"] != "k=5", "value"] = 0.5  # only the main target counts
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
        assert figures(found)[1].svg  # of ratios
        values.iloc[7, 0] = 0
        evaluation = table(values, folds=(0.0,)).assign(metric=lambda t: t["dataset"].map(metrics))
        assert "no common unit" in figures(compare(evaluation, metrics))[1].caption

    def test_lower_is_better(self, monkeypatch):
        risk = dataclasses.replace(get_metric("precision@k"), name="risk", higher_is_better=False)
        monkeypatch.setattr("attop.metrics.registry.METRICS", {**METRICS, "risk": risk})
        evaluation = table(1 - DEMSAR, "risk")
        found = compare(evaluation, dict.fromkeys(evaluation["dataset"], "risk"))
        assert found.standings[0].method == "m+cf"
        assert found.friedman.chi2 == pytest.approx(9.28, abs=0.006)
        assert "risk (lower is better" in figures(found)[0].caption
        lead = leads(evaluation, "0", "risk", test_train_ratio=0.5)[0]
        assert lead.best == "m+cf"
        assert lead.rivals[0].mean > 0


class TestMissing:
    def test_left_out_not_imputed(self):
        evaluation = table(DEMSAR)
        lost = (evaluation["dataset"] == "3") & (evaluation["method"] == "cf") & (evaluation["fold"] == 1)
        evaluation.loc[(evaluation["dataset"] == "5") & (evaluation["method"] == "m"), "value"] = np.nan
        evaluation = evaluation[~lost]
        methods = [*DEMSAR.columns, "gone"]
        found = compare(evaluation, {str(d): "precision@k" for d in (*range(13), "failed")}, methods)
        assert (found.n_datasets, found.m_datasets) == (11, 15)
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
    diagram, profile = figures(found)
    assert found.test == diagram.svg == ""
    assert "No critical-difference diagram" in diagram.caption
    assert all(math.isnan(s.p) for s in found.standings)
    if "there are 4" in why:  # enough to show, not to test
        xml(profile)
    else:
        assert not profile.svg
        assert "No performance profile" in profile.caption


def test_two_methods_are_compared_by_wilcoxon():
    found = compare(table(DEMSAR[["C4.5", "m"]]))
    assert found.test == "Wilcoxon"
    assert found.standings[1].p == pytest.approx(wilcoxon(DEMSAR["C4.5"], DEMSAR["m"]).p)
    assert "more than chance explains (Wilcoxon" in said(found)[1]


def test_zeros_make_a_profile_of_gaps_and_chance_no_winner():
    rng = np.random.default_rng(5)
    found = compare(table(pd.DataFrame(rng.integers(0, 3, (9, 4)) / 4, columns=list("abcd")), folds=(0.0,)))
    diagram, profile = figures(found)
    assert "a difference, best value minus own value" in profile.caption
    assert "no method can be called better" in said(found)[1]
    assert "do not read single differences" in diagram.caption


RUNS = pd.DataFrame(
    {
        "a": [0.81, 0.85, 0.78, 0.90, 0.84, 0.80],
        "b": [0.80, 0.80, 0.79, 0.83, 0.80, 0.79],
        "c": [0.61, 0.66, 0.57, 0.71, 0.63, 0.62],
        "d": [0.81, 0.85, 0.78, 0.90, 0.84, 0.80],
    }
)
TITLES = {m: m.upper() for m in "abcd"}


def runs_table(runs, metric="precision@k"):
    rows = [("x", m, 0, f, "k=5", metric, v, None) for m, vs in runs.items() for f, v in enumerate(vs)]
    return pd.DataFrame(rows, columns=COLUMNS)


def lead_of(runs, metric="precision@k", ratio=0.2, **more):
    (lead,) = leads(runs_table(runs, metric), "x", metric, test_train_ratio=ratio, **more)
    return lead


class TestPairs:
    def test_agrees_with_statistics(self):
        lead = lead_of(RUNS[["c", "b", "a"]])
        assert (lead.best, [r.method for r in lead.rivals]) == ("a", ["b", "c"])
        p = []
        for rival in lead.rivals:
            a, b = RUNS["a"], RUNS[rival.method]
            assert rival.test == corrected_t_test(a, b, test_train_ratio=0.2)
            assert rival.posterior == correlated_t(a, b, rope=0.01, test_train_ratio=0.2)
            assert rival.mean == pytest.approx((a - b).mean())
            assert (rival.better, rival.n, rival.m) == ((a > b).sum(), 6, 6)
            p.append(rival.test.p)
        assert [r.p_adjusted for r in lead.rivals] == pytest.approx(holm(p))
        assert reading(lead, TITLES) == (
            "A is best; the difference to B, 0.028, is not distinguishable from chance (that it is more than "
            f"0.01: P = {lead.rivals[0].posterior.better:.2f}; that B is better by as much: P = "
            f"{lead.rivals[0].posterior.worse:.3f}). Really better than 1 of the 2 others."
        )

    @pytest.mark.parametrize(
        ("methods", "rope", "words"),
        [
            (
                "ac",
                None,
                r"^A is best; the difference to C, 0\.197, is real \(P > 0\.99 that it is more than 0\.01",
            ),
            ("ab", 0.5, r"is practically none \(P > 0\.99 that it is at most 0\.5\)"),
            ("ad", None, r"^A and D are best, equal in every run\."),
            ("a", None, r"^A has no other method to be compared with\."),
        ],
    )
    def test_readings(self, methods, rope, words):
        assert re.search(words, reading(lead_of(RUNS[list(methods)], rope=rope), TITLES))

    def test_level_is_what_the_test_does_not_tell_apart(self):
        lead = lead_of(RUNS)
        assert (lead.best, lead.tied, lead.verdict) == ("a", ("d",), "refused")
        assert [(r.method, r.verdict) for r in lead.rivals] == [
            ("d", "refused"),
            ("b", "open"),
            ("c", "better"),
        ]
        assert lead.level == ("a", "d", "b")
        assert lead.untested == ()
        assert (lead.mean, lead.n, lead.m) == (pytest.approx(RUNS["a"].mean()), 6, 6)
        assert lead.std == pytest.approx(RUNS["a"].std())
        assert leader(lead, TITLES) == "A and D"
        assert leader(lead_of(RUNS[["a", "b"]].assign(c=RUNS["a"], d=RUNS["a"])), TITLES) == "A, C and D"

    def test_equal_means_whatever_the_order_of_summation(self):
        lead = lead_of(pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1], "c": [0.1] * 3}))
        assert (lead.best, lead.tied) == ("a", ("b",))
        assert lead.untested == ("c",)  # three runs are too few
        assert reading(lead, TITLES).startswith("A and B have equal means; a difference is not tested.")

    def test_one_run_is_no_test(self):
        lead = lead_of(pd.DataFrame({"a": [0.8], "b": [0.8 - 1e-6]}))
        assert (lead.level, lead.untested, lead.verdict) == (("a",), ("b",), "refused")
        assert math.isnan(lead.std)

    def test_headline_joins_targets_with_the_same_best_and_counts_the_real_leads(self):
        parts = [
            runs_table(RUNS[["a", "c"]]).assign(target="k=5"),
            runs_table(RUNS[["a", "c"]]).assign(target="k=10"),
            runs_table(RUNS[["a", "d"]]).assign(target="k=20"),
        ]
        found = leads(pd.concat(parts), "x", "precision@k", test_train_ratio=0.2)
        words = "A at k = 5 and 10; A and D at k=20. Shown to be ahead of the next at 2 of 3 targets."
        assert headline(found, TITLES) == words
        where = "A at every target (k = 5 and 10). Shown to be ahead of the next at 2 of 2 targets."
        assert headline(found[:2], TITLES) == where
        assert headline(found[2:], TITLES) == "A and D at k=20. Not shown to be ahead of the next."
        assert headline(
            leads(runs_table(RUNS * np.nan), "x", "precision@k", test_train_ratio=0.2), TITLES
        ) == ("No method has a defined value.")

    def test_n_of_m_and_unranked(self):
        runs = RUNS[["a", "b", "c"]].copy()
        runs.loc[0, "b"] = np.nan
        lead = lead_of(runs)
        assert [(r.method, r.n, r.m) for r in lead.rivals] == [("c", 6, 6), ("b", 5, 6)]
        assert lead.unranked == ("b",)
        assert reading(lead, TITLES).endswith("Not ranked, values on fewer runs: B.")

    def test_refusals(self):
        few = lead_of(RUNS[:4])
        assert all("At least 5 shared runs are needed, and there are 4" in r.test.refused for r in few.rivals)
        unknown = lead_of(RUNS[["a", "b"]], ratio=math.nan).rivals[0]
        assert "not known" in unknown.test.refused
        assert unknown.mean == pytest.approx(0.028333, abs=1e-6)
        shifted = lead_of(RUNS[["a"]].assign(b=RUNS["a"] - 0.125))
        assert "is not tested. All 6 differences are 0.125" in reading(shifted, TITLES)
        for runs in (RUNS * np.nan, RUNS[:0]):
            assert all(
                reading(lead, TITLES) == "No method has a defined value."
                for lead in leads(runs_table(runs), "x", "precision@k", test_train_ratio=0.2)
            )

    def test_rope(self):
        assert default_rope("precision@k") == 0.01
        assert math.isnan(default_rope("dcg"))
        lead = lead_of(20 * RUNS[["a", "c"]], "dcg")
        assert "no rope was stated" in lead.rivals[0].posterior.refused
        assert "is real (corrected resampled t-test, p < 0.001)" in reading(lead, TITLES)
        assert lead_of(20 * RUNS[["a", "c"]], "dcg", rope=0.2).rivals[0].verdict == "better"

    def test_ratio_from_the_runs(self):
        runs = pd.DataFrame(
            {
                "dataset": "x",
                "status": "ok",
                "repeat": 0,
                "fold": [0, 0, 1],
                "n_train": 80,
                "n_test": [20, 20, 40],
            }
        )
        assert split_ratio(runs, "x") == pytest.approx(60 / 160)
        assert math.isnan(split_ratio(runs, "y"))
        assert math.isnan(split_ratio(runs.drop(columns="n_test"), "x"))


def timed(evaluation, seconds):
    """Runs of an evaluation, each method taking its seconds."""
    runs = evaluation[["dataset", "method", "repeat", "fold", "target"]].drop_duplicates()
    return runs.assign(
        status="ok",
        n_settings=1,
        seconds_selection=runs["method"].map(seconds).astype(float),
        seconds_training=0.0,
        seconds_scoring=0.0,
        peak_memory_mb=1.0,
    )


def test_board_is_what_each_top_says_by_itself():
    values = [pd.DataFrame(np.random.default_rng(s).random((7, 3)), columns=list("abc")) for s in (0, 1)]
    tops = [{d: f"k={k + d}" for d in range(7)} for k in (1, 20)]  # others on each data set
    parts = [table(v, folds=(0.0,)) for v in values]
    for part, top in zip(parts, tops, strict=True):
        part["target"] = part["dataset"].map({str(d): t for d, t in top.items()})
    evaluation = pd.concat(parts, ignore_index=True)
    runs = timed(evaluation, {"a": 1.0, "b": 2.0, "c": 3.0})
    found = board(evaluation, runs, {str(d): "precision@k" for d in range(7)}, {})
    assert list(dict.fromkeys(found["top"])) == ["1 of 2", "2 of 2"]
    for name, v in zip(("1 of 2", "2 of 2"), values, strict=True):
        its = found[found["top"] == name].set_index("method")
        gaps = 100 * v.rsub(v.max(axis=1), axis=0)
        for m in "abc":
            assert its.at[m, "mean"] == pytest.approx(v[m].mean())
            assert its.at[m, "regret"] == pytest.approx(gaps[m].mean())
            assert its.at[m, "worst"] == pytest.approx(gaps[m].max())
            assert its.at[m, "regret_low"] < its.at[m, "regret"] < its.at[m, "regret_high"]
            assert its.at[m, "rank"] == pytest.approx(v.rank(axis=1, ascending=False)[m].mean())
            slower = [o for o in "abc" if o < m]
            assert its.at[m, "pareto"] == all(gaps[m].mean() < gaps[o].mean() for o in slower)
        assert its["p_best"].sum() == pytest.approx(1)
        assert its["p_best"].idxmax() == gaps.mean().idxmin()
        assert its["seconds"].to_dict() == pytest.approx({"a": 1, "b": 2, "c": 3})
        assert its["rank"].is_monotonic_increasing


def test_board_knows_when_there_is_nothing_to_average():
    values = pd.DataFrame([[0.1, 0.3], [0.2, 0.1]] * 3, columns=["a", "b"])
    evaluation = table(values)
    runs, metrics = timed(evaluation, {"a": 1.0, "b": 2.0}), {str(d): "precision@k" for d in range(6)}
    assert set(board(evaluation, runs, metrics, {})["top"]) == {"k=5"}
    more = pd.concat([evaluation, evaluation[evaluation["dataset"] == "0"].assign(target="k=9")])
    assert board(more, runs, metrics, {}).empty  # tops of one data set have no counterpart on the others
    assert board(evaluation[evaluation["dataset"] == "0"], runs, metrics, {}).empty
    assert board(evaluation, runs, {}, {}).empty  # no metric was named
