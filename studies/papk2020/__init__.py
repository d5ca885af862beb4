"""Tables 1 to 3 and figure 1 of Hiranandani, Vijitbenjaronk, Koyejo and Jain (2020)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from attop.extending import join_words
from attop.metrics import auc, pap_at_k, partial_auc, precision_at_k
from attop_bench.papers.findings import (
    Findings,
    Plot,
    Table,
    Tables,
    compare,
    count_runs,
    ours_alone,
    printed_numbers,
)
from attop_bench.papers.pictures import beside, dumbbells, panels
from attop_bench.report.figures.scene import figure_theme, method_styles
from attop_bench.run.paper import Simulation
from studies.publish import Sizes

SIMULATIONS = {
    "two_users": Simulation("studies.papk2020.simulations.two_users"),
    "margins": Simulation("studies.papk2020.simulations.margins"),
}
CITATION = (
    "G. Hiranandani, W. Vijitbenjaronk, S. Koyejo, P. Jain. Optimization and Analysis of the pAp@k Metric "
    "for Recommender Systems. ICML 2020."
)
_OURS = ("gd-papk-avg", "gd-papk-max", "gd-papk-ts")
#: Methods, as a reader calls them; the paper's first.
NAMES = {
    "gd-papk-avg": "GD-pAp@k-avg",
    "gd-papk-max": "GD-pAp@k-max",
    "gd-papk-ts": "GD-pAp@k-TS",
    "gd-papk-avg-batches": "GD-pAp@k-avg, 64 users a step",
    "svm-pauc": "SVM-pAUC",
    "sgd-avg": "SGD@k-avg",
    "greedy-papk": "Greedy-pAp@k",
    "select-papk": "Select-pAp@k",
    "logistic-regression": "Logistic regression",
    "item-mean": "Mean of the item",
    "random": "Random direction",
    "best": "Best direction",
}
#: Lines to read a table against, which minimise no loss.
_UNTRAINED = ("item-mean", "random")
#: Table 1 as printed: labels, best first; k; metric -> value.
_TABLE_1 = (
    ("01101110000", 2, {"AUC": "22/30", "pAUC": "2/10", "pAp@k": "2/4"}),
    ("10111000001", 2, {"AUC": "21/30", "pAUC": "5/10", "pAp@k": "3/4"}),
    ("11000000111", 2, {"AUC": "12/30", "pAUC": "4/10", "pAp@k": "1"}),
    ("11011100000", 6, {"prec@k": "5/6", "pAp@k": "27/30"}),
    ("11101100000", 6, {"prec@k": "5/6", "pAp@k": "28/30"}),
)

#: A module that names a file is run again where the file changes.
PRINTED = Path(__file__).with_name("printed.csv")
CONFIGURATION = "config/papers/papk2020.yaml"
#: Table 2 as printed: case, method -> precision@k, runs in which it is higher, AUC@k where precision ties,
#: runs in which that is higher; means with spreads.
_TABLE_2 = {
    (1, "sgd-avg"): (0.20, 0.14, 5, 0.59, 0.34, 30),
    (1, "gd-papk-avg"): (0.27, 0.13, 207, 0.68, 0.34, 58),
    (2, "svm-pauc"): (0.62, 0.29, 15, 0.66, 0.31, 82),
    (2, "gd-papk-avg"): (0.68, 0.28, 129, 0.71, 0.30, 74),
}


#: The surrogate whose end is looked at, in figure 1's sentences: part of the figure, claim, its measures.
_FIGURE_1 = (
    ("strong", "(a) max minimised: all go to zero", ("max", "avg", "TS", "ramp")),
    ("beta", "(b) avg minimised: ramp and avg go to zero", ("ramp", "avg")),
    ("beta", "(b) max and TS do not", ("max", "TS")),
    ("moderate", "(c) TS minimised: ramp and TS go to zero", ("ramp", "TS")),
    ("moderate", "3.1: the structural surrogate is loose", ("loose",)),
)
_REASONS = (
    "The paper prints one number and no spread: the spread of ours, over five seeds, stands for it.",
    "Splits are 60/20/20 of each user's rows, regardless of labels, as in the authors' code. Users without a "
    "positive, or with fewer negatives than k, in the test part are left out.",
    "All printed lambda are tried, and five of the twelve eta. 200 smaller steps hardly leave the random "
    "start.",
    "Greedy- and Select-pAp@k minimise their classifiers exactly here. The authors' code moves all weights "
    "by one number.",
    "Citation and Behance are not read here. OHSUMED and MQ2008 stand in, without a verdict.",
    "The paper does not say on which sample table 2 is measured: both are given.",
    "Figure 1 as coded: drawn means, 70% of the items, steps from 2 or 3, 151 iterates. As worded: the "
    "text's sample, steps from 0.05, for with 0.5 all is over after one.",
)
_FILES = {
    "table_3": "table 3, with spreads and verdicts",
    "table_3_others": "other metrics, the ramp surrogate, reference lines, stand-ins",
    "table_2": "table 2",
    "figure-1.csv.gz": "figure 1",
    "ways": "the methods trained three ways",
    "orderings": "the printed orderings, and in which way each holds",
    "printed": "table 3 as printed, all three data sets",
}


def tables(results: Tables, story: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return table 3 beside summary, and the two simulations."""
    printed, summary = printed_numbers(PRINTED), results["summary"]
    datasets = dict.fromkeys(results["evaluation"]["dataset"])
    return {
        "table_3": compare(printed, summary, {d: (d, "validation part") for d in story["datasets"]}),
        "table_3_others": ours_alone(printed, summary, {d: (d, _choice(d)) for d in datasets}),
        "table_2": _two_users(results["two_users"]),
        "printed": printed,
        "figure-1.csv.gz": results["margins"],
    }


def _choice(dataset: str) -> str:
    """Return on which rows parameters are chosen: MQ2008, one part of LETOR's, has folds of its own."""
    return "nested" if dataset == "mq2008" else "validation part"


def findings(tables: Tables) -> Findings:
    """Return the page; `three_ways` is a part of it where its tables are."""
    movielens = tables["table_3"].query("dataset == 'movielens'")
    rows = movielens.assign(row=movielens["method"].map(NAMES), at=movielens["method"].map(list(NAMES).index))
    parts = {top: part.sort_values("at") for top, part in rows.groupby("top", sort=False)}
    caption = (
        "Table 3, MovieLens: micro-pAp@k, printed (hollow) and ours (filled, means over "
        f"{int(movielens['n'].max())} seeds); higher is better"
    )
    answer, *others = _verdict(movielens, tables["figure-1.csv.gz"])
    return Findings(
        title="PAP: the pAp@k metric (2020)",
        answer="In part",
        short="Its own methods come out as printed; on MovieLens the best baseline is ahead of them.",
        citation=CITATION,
        verdict=[answer, *_untrained(tables), *others],
        picture=Plot("printed-and-ours", caption, dumbbells(parts, "micro-pAp@k", 2.5, sharey=True)),
        tables=[
            Table(
                "Table 3: micro-pAp@k on MovieLens",
                beside(_with_batches(movielens, tables["table_3_others"]), "method", "top", NAMES, digits=3),
                "▲: ours is shown to be above, by a t-test adjusted by Holm for the numbers of the table. "
                "Unmarked: open.",
            ),
            Table("Section 7.3.3, sentence by sentence", _sentences(movielens), _note_3(movielens)),
            _by_print_alone(tables["printed"]),
            *([three_ways(tables["ways"], tables["orderings"])] if "ways" in tables else []),
            Table("Figure 1, sentence by sentence", _figure_1(tables["figure-1.csv.gz"]), _NOTE_1),
            Table(
                "Table 2: a user with fewer, and one with more, positives than k",
                _higher(tables["table_2"]),
                _note_2(tables["table_2"]),
            ),
            Table("Table 1: five rankings", _table_1(), "Printed, and computed by attop: all are equal."),
        ],
        reasons=_REASONS,
        plots=[_margins_plot(tables["figure-1.csv.gz"])],
        files={name: what for name, what in _FILES.items() if name in tables},
    )


def _verdict(table: pd.DataFrame, curves: pd.DataFrame) -> Iterator[str]:
    ours = table.pivot(index="top", columns="method", values="ours")
    printed = table.pivot(index="top", columns="method", values="printed")
    own, rest = list(_OURS), [m for m in ours if m not in _OURS]
    gap = (ours - printed).abs()
    leads = [wide[own].max(axis=1) - wide[rest].max(axis=1) for wide in (printed, ours)]
    holds = "holds" if (leads[1] > 0).all() else "does not hold"
    yield (
        f"**Its own methods come out as printed, within {gap[own].mean(axis=None):.3f} of pAp@k on average. "
        f"Its conclusion {holds} on MovieLens: the best of them less the best baseline is {_span(leads[1])} "
        f"here, printed {_span(leads[0])}.**"
    )
    higher = (ours - printed)[rest].mean()
    yield (
        f"The baselines are what differs: trained by the same loop they are {_span(higher)} above their "
        "printed numbers, by method."
    )
    rises, later = _rises(curves[curves["recipe"] == "coded"])
    yield (
        f"In figure 1, by the authors' code, max and TS end above their lowest in {rises['max'].sum()} and "
        f"{rises['TS'].sum()} of {len(rises)} draws, and rise in the later half in {later['max'].sum()} and "
        f"{later['TS'].sum()}, as the paper says."
    )


def _untrained(tables: Tables) -> Iterator[str]:
    """Say that a reference line beats all that is trained, in whichever way, if one does."""
    if "ways" not in tables:
        return
    ways = tables["ways"]
    k = sorted(set(ways["k"]))[2]
    means = ways[(ways["k"] == k) & ways["method"].isin(list(NAMES))].groupby("method")["mean"].max()
    is_untrained = means.index.isin(_UNTRAINED)
    reference, trained = means[is_untrained], means[~is_untrained]
    if reference.max() > trained.max():
        yield (
            f"**The {NAMES[reference.idxmax()].lower()} beats all that is trained, in whichever way: "
            f"{reference.max():.3f} at k={k}, and at most {trained.max():.3f} "
            f"({NAMES[trained.idxmax()]}).**"
        )


def _span(values: pd.Series) -> str:
    """Return the lowest and the highest of some differences."""
    return f"{values.min():+.3f} to {values.max():+.3f}"


def _with_batches(movielens: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Return table 3 with the stochastic variant, which the paper announces and does not print."""
    rows = others.query(
        "dataset == 'movielens' and metric == 'micro-pap@k' and method == 'gd-papk-avg-batches'"
    )
    return pd.concat([movielens, rows])


def _rises(curves: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return in which draws max and TS end above their lowest, by 0.01, and above their value at half way.

    Under the beta-margin. A descent that stops before half way is over; it does not rise.
    """
    rows = curves[(curves["condition"] == "beta") & curves["measure"].isin(["max", "TS"])]
    values = rows.pivot(index=["draw", "iteration"], columns="measure", values="value")
    last = values.groupby("draw").last()
    late = values[values.index.get_level_values("iteration") >= curves["iteration"].max() // 2]
    return last - values.groupby("draw").min() > 0.01, last > late.groupby("draw").first().reindex(last.index)


def _figure_1(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the sentences on figure 1, and where the curves of both recipes end."""
    rows = []
    for condition, claim, measures in _FIGURE_1:
        row = {"the paper": claim}
        for recipe in ("coded", "worded"):
            part = curves[(curves["condition"] == condition) & (curves["recipe"] == recipe)]
            ends = part.groupby(["measure", "draw"])["value"].last()
            row[f"as {recipe}"] = ", ".join(
                f"{m} {ends[m].min():.2f} to {ends[m].max():.2f}" for m in measures
            )
        rows.append(row)
    row = {"the paper": "(b) they increase, from their lowest; in the later half"}
    for recipe in ("coded", "worded"):
        both = _rises(curves[curves["recipe"] == recipe])
        said = "; ".join(f"max {its['max'].sum()}, TS {its['TS'].sum()}" for its in both)
        row[f"as {recipe}"] = f"{said} of {curves['draw'].nunique()} draws"
    return pd.DataFrame([*rows[:3], row, *rows[3:]])


def _sentences(table: pd.DataFrame) -> pd.DataFrame:
    """Return the sentences of section 7.3.3 on MovieLens, by its own table and by ours."""
    rows = []
    for way in ("printed", "ours"):
        wide = table.pivot(index="top", columns="method", values=way) * 100
        wide = wide.loc[list(dict.fromkeys(table["top"]))]
        own, rest = wide[list(_OURS)], wide.drop(columns=list(_OURS)).max(axis=1)
        select = (own.max(axis=1) / wide["select-papk"] - 1).mean()
        k16 = wide.loc["k=16", "gd-papk-max"] / wide.loc["k=16", "svm-pauc"] - 1
        gaps = own.max(axis=1) - rest, wide["gd-papk-avg"] - wide["gd-papk-max"]
        lead, tight = (" ".join(f"{value:+.1f}" for value in gap) for gap in gaps)
        relative = " ".join(f"{value:+.1%}" for value in own.max(axis=1) / rest - 1)
        rows.append([relative, lead, f"{k16:+.1%}", f"{select:+.1%}", tight])
    claims = (
        "the relative improvement over the best baseline is 1.8 to 5%, k = 8 to 24",
        "the proposed methods are above the baselines, by 1.5 to 2 of 100, more for small k: best own less "
        "best baseline, k = 8 to 24",
        "at k = 16 GD-pAp@k-max is 5.3% better than SVM-pAUC",
        "the best method is 7.1% better than Select-pAp@k on average",
        "a tighter surrogate is better: avg less max, of 100, k = 8 to 24",
    )
    return pd.DataFrame({"the paper": claims, "its table 3": rows[0], "ours": rows[1]})


def sizes(tables: Tables) -> Sizes:
    """Return micro-pAp@k at the middle k, printed and ours."""
    its = tables["table_3"].query("dataset == 'movielens' and top == 'k=16'").set_index("method")
    rows = {NAMES[m]: tuple(its.loc[m, ["printed", "ours"]]) for m in NAMES if m in its.index}
    return Sizes("micro-pAp@16", ("printed", "ours"), rows)


def three_ways(ways: pd.DataFrame, orderings: pd.DataFrame) -> Table:
    """Return micro-pAp@k at the middle k by the way of training."""
    k = sorted(set(ways["k"]))[2]
    rows = ways[(ways["k"] == k) & ways["method"].isin(list(NAMES))]
    asked = orderings.dropna(subset="words")
    wide = rows.pivot(index="method", columns="way", values="mean")
    wide.insert(0, "printed", rows.groupby("method")["printed"].first())
    names = {"code": "as coded", "words": "as worded", "exact": "optimum"}
    wide = wide[["printed", *names, "reference"]].rename(columns=names)
    wide = wide.reindex([m for m in NAMES if m in wide.index]).rename(index=NAMES)
    cells = wide.map("{:.3f}".format).replace("nan", "–").rename_axis(index=f"k={k}").reset_index()
    return Table(
        "Trained three ways",
        cells,
        "As the authors' code trains (121 steps, the iterate of the lowest loss, lambda fixed), as the paper "
        "words it (lambda by validation), and at the optimum of each objective. Of "
        f"{len(asked)} printed orders of two methods {asked['words'].eq(True).sum()} hold as worded. "
        f"{_starts(rows)} The code has no Select-pAp@k. At the optimum SVM-pAUC and the three GD-pAp@k give "
        "w = 0 at the chosen lambda, so they tie.",
    )


def _starts(ways: pd.DataFrame) -> str:
    """Say how far random starts move a method, as coded and as worded."""
    said = []
    for way, name in (("code", "as coded"), ("words", "as worded")):
        its = ways[(ways["way"] == way) & ways["method"].isin(list(_OURS))]
        counts = f"{count_runs(its['splits'], 'split')} and {count_runs(its['starts'], 'random start')}"
        said.append(f"{its['spread_starts'].max():.3f} {name} ({counts})")
    return f"Random starts spread the paper's methods by at most {join_words(said)}."


_NOTE_1 = (
    "Where the curves end, from the lowest to the highest of the draws. By the authors' code all is seen "
    "that the paper says. By the sample of its text max and TS stay above zero too, but do not rise. The "
    "surrogate of section 3.1 is still near 1, its value for w = 0, where the tight ones are near zero."
)


def _note_3(table: pd.DataFrame) -> str:
    """Say that the first sentence's numbers are not in the paper's own table."""
    leads = _printed_lead(table) * 100
    return (
        "The 1.5 to 2 of the first sentence are not in the paper's own table either: there the lead is "
        f"{leads.min():.1f} to {leads.max():.1f} of 100."
    )


def _printed_lead(table: pd.DataFrame) -> pd.Series:
    """Return the best printed method of the paper less the best printed baseline, by top."""
    wide = table.pivot(index="top", columns="method", values="printed")
    wide = wide.loc[list(dict.fromkeys(table["top"]))]
    return wide[list(_OURS)].max(axis=1) - wide.drop(columns=list(_OURS)).max(axis=1)


def _note_2(runs: pd.DataFrame) -> str:
    """Say of how many runs the table is, and by how much the best direction is above what is printed."""
    means = runs.assign(mean=runs["precision@k"].str.partition(" ")[0].astype(float))
    best = means[means["method"] == "best"].groupby("case")["mean"].min()
    printed = means[means["sample"] == "as printed"]
    gap = (printed["case"].map(best) - printed["mean"]).min()
    return (
        "Mean precision@k and its spread, and the runs in which it is higher than the other method's, of "
        f"{count_runs(runs['n'].dropna(), 'run')} a case. AUC@k is in the file. All printed means are below "
        f"those of the best direction by {gap:.2f} or more: what is printed has not converged, or is of "
        "other samples. The order of the two methods is as printed on the training sample."
    )


def _by_print_alone(printed: pd.DataFrame) -> Table:
    """Return the sentences on Citation and Behance beside what the paper's own table says."""
    rows = printed.rename(columns={"mean": "printed"})
    citation, behance = (rows[rows["dataset"] == name] for name in ("citation", "behance"))
    wide = {
        name: its.pivot(index="top", columns="method", values="printed") * 100
        for name, its in (("citation", citation), ("behance", behance))
    }
    average = wide["citation"]["gd-papk-avg"] - wide["citation"].drop(columns="gd-papk-avg").max(axis=1)
    best_max = wide["citation"]["gd-papk-max"]
    rivals = wide["citation"].drop(columns=list(_OURS)).max(axis=1)
    lead = best_max / rivals - 1
    sgd = wide["behance"]["sgd-avg"] - wide["behance"].drop(columns="sgd-avg").max(axis=1)
    cells = {
        "Citation: GD-pAp@k-avg is above all others for small k: avg less the best other, of 100": average,
        "Citation: for large k the surrogates are much above the baselines: max over the best baseline": lead,
        "Behance: SGD@k-avg competes: SGD@k-avg less the best other, of 100": sgd,
    }
    return Table(
        "Section 7.3.3 on Citation and Behance, by print alone",
        pd.DataFrame(
            {"the paper": list(cells), "its table 3": [_by_k(values, name) for name, values in cells.items()]}
        ),
        "Their data are not available: the paper's own numbers stand beside its own sentences.",
    )


def _by_k(values: pd.Series, claim: str) -> str:
    """Return differences by k, least k first; as shares of the rival where they are relative."""
    form = "{:+.1%}" if " over " in claim else "{:+.1f}"
    by_k = {int(str(top).removeprefix("k=")): value for top, value in values.items()}
    return ", ".join(f"k={k} {form.format(by_k[k])}" for k in sorted(by_k))


def _higher(runs: pd.DataFrame) -> pd.DataFrame:
    """Return precision@k of each method, and in how many runs it is higher, by sample."""
    rows = runs.assign(
        method=runs["case"] + ", " + runs["method"].map(NAMES),
        cell=runs["precision@k"] + runs["runs higher"].map(lambda n: f", {n:.0f}" if n == n else ""),
    )
    wide = rows.pivot(index="method", columns="sample", values="cell").fillna("–")
    return wide[["as printed", "training", "fresh"]].rename_axis(index="case, method").reset_index()


def _table_1() -> pd.DataFrame:
    """Return table 1, printed beside computed."""
    functions = {"AUC": auc, "pAUC": partial_auc, "prec@k": precision_at_k, "pAp@k": pap_at_k}
    rows = []
    for labels, k, printed in _TABLE_1:
        y, scores = [int(label) for label in labels], np.arange(len(labels), 0, -1)
        row: dict[str, str] = {"labels, best first": labels, "k": str(k)}
        for metric, function in functions.items():
            value = function(y, scores) if metric == "AUC" else function(y, scores, k)
            expected = printed.get(metric)
            same = expected is not None and abs(float(value) - float(Fraction(expected))) < 1e-12
            row[metric] = "–" if expected is None else expected + ("" if same else f"/{value:.3f}")
        rows.append(row)
    return pd.DataFrame(rows)


def _two_users(runs: pd.DataFrame) -> pd.DataFrame:
    """Return table 2, ours by sample beside the printed one, and the lines to read it against."""
    rows = []
    for (case, method), printed in _TABLE_2.items():
        rows.append(_row(case, method, "as printed", *printed))
        for sample in ("training", "fresh"):
            part = runs[(runs["case"] == case) & (runs["sample"] == sample)]
            wide = part.pivot(index="run", columns="method", values=["precision", "auc"])
            other = next(m for c, m in _TABLE_2 if c == case and m != method)
            ours, theirs = (wide["precision"][m] for m in (method, other))
            ties = (ours == theirs) & wide["auc"][[method, other]].notna().all(axis=1)
            auc, auc_of_other = (wide["auc"].loc[ties, m] for m in (method, other))
            numbers = [ours.mean(), ours.std(), int((ours > theirs).sum())]
            numbers += [auc.mean(), auc.std(), int((auc > auc_of_other).sum())]
            constant = part.loc[part["method"] == method, "constant"].sum()
            rows.append(_row(case, method, sample, *numbers, constant=str(constant), n=len(wide)))
    for (case, line, sample), part in runs[runs["method"].isin(["best", "random"])].groupby(
        ["case", "method", "sample"]
    ):
        nothing = [math.nan] * 4
        numbers = [part["precision"].mean(), part["precision"].std(), *nothing]
        rows.append(_row(case, line, sample, *numbers, n=len(part)))
    return pd.DataFrame(rows)


def _row(
    case: int, method: str, sample: str, *numbers: float, constant: str = "–", n: int | None = None
) -> dict[str, Any]:
    precision, std, higher, auc, auc_std, more = numbers
    return {
        "case": f"{case}: n+ {'<' if case == 1 else '>'} k",
        "method": method,
        "sample": sample,
        "precision@k": f"{precision:.2f} ({std:.2f})",
        "runs higher": higher,
        "AUC@k where it ties": f"{auc:.2f} ({auc_std:.2f})" if auc_std == auc_std else "–",
        "ties higher": more,
        "constant": constant,
        "n": n,
    }


def _margins_plot(curves: pd.DataFrame) -> Plot:
    curves = curves[curves["recipe"] == "coded"]
    styles = method_styles(list(dict.fromkeys(curves["measure"])))
    minimised = curves.groupby("condition", sort=False)["minimised"].first()
    canvas, axes = panels([f"{condition} margin: {m}" for condition, m in minimised.items()], 2.6)
    with figure_theme():
        for axis, condition in zip(axes, minimised.index, strict=True):
            part = curves[curves["condition"] == condition]
            for (measure, draw), line in part.groupby(["measure", "draw"], sort=False):
                name = str(measure) if draw == 0 else None
                style = styles[str(measure)].line
                axis.plot(line["iteration"] + 1, line["value"], label=name, alpha=0.7, **style)
            axis.set(xscale="log", xlabel="iteration + 1", ylim=(-0.05, 3))
        axes[0].set_ylabel("value on the sample")
        canvas.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=6)
    return Plot(
        "figure-1",
        "Figure 1, as coded: surrogates and risk while the one named is minimised, under the margin "
        f"condition it is consistent with, {curves['draw'].nunique()} draws; loose is that of section 3.1; "
        "lower is better",
        canvas,
    )
