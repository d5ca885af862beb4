"""Tables 1 to 3 and figure 1 of Hiranandani, Vijitbenjaronk, Koyejo and Jain (2020)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from attop.metrics._pap import pap_at_k, partial_auc
from attop.metrics._precision import precision_at_k
from attop.metrics._roc import auc
from attop_bench.papers.findings import Findings, Plot, Table, Tables, compare, ours_alone, printed_numbers
from attop_bench.papers.pictures import beside, dumbbells, panels
from attop_bench.report.figures.scene import figure_theme, method_styles
from attop_bench.run.paper import Simulation

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
    "svm-pauc": "SVM-pAUC",
    "sgd-avg": "SGD@k-avg",
    "greedy-papk": "Greedy-pAp@k",
    "select-papk": "Select-pAp@k",
    "logistic-regression": "Logistic regression",
    "item-mean": "Mean of the item",
    "random": "Random direction",
}
#: Table 1 as printed: labels, best first; k; metric -> value.
_TABLE_1 = (
    ("01101110000", 2, {"AUC": "22/30", "pAUC": "2/10", "pAp@k": "2/4"}),
    ("10111000001", 2, {"AUC": "21/30", "pAUC": "5/10", "pAp@k": "3/4"}),
    ("11000000111", 2, {"AUC": "12/30", "pAUC": "4/10", "pAp@k": "1"}),
    ("11011100000", 6, {"prec@k": "5/6", "pAp@k": "27/30"}),
    ("11101100000", 6, {"prec@k": "5/6", "pAp@k": "28/30"}),
)

CONFIGURATION = "config/papers/papk2020.yaml"
#: Table 2 as printed: case, method -> precision@k, runs in which it is higher, AUC@k where precision ties,
#: runs in which that is higher; means with spreads.
_TABLE_2 = {
    (1, "sgd-avg"): (0.20, 0.14, 5, 0.59, 0.34, 30),
    (1, "gd-papk-avg"): (0.27, 0.13, 207, 0.68, 0.34, 58),
    (2, "svm-pauc"): (0.62, 0.29, 15, 0.66, 0.31, 82),
    (2, "gd-papk-avg"): (0.68, 0.28, 129, 0.71, 0.30, 74),
}


_REASONS = (
    "The paper prints one number and no spread: the spread of ours, over five seeds, stands for it.",
    "Splits are 60/20/20 of each user's rows, regardless of labels, as in the authors' code. Users without a "
    "positive, or with fewer negatives than k, in the test part are left out.",
    "All printed lambda are tried, and five of the twelve eta. 200 smaller steps hardly leave the random "
    "start.",
    "Greedy- and Select-pAp@k minimise their classifiers exactly here. The authors' code moves all weights "
    "by one number.",
    "Citation and Behance are not available. OHSUMED and MQ2008 stand in, without a verdict.",
    "The paper does not say on which sample table 2 is measured: both are given.",
    "Figure 1 has steps of 0.05: with 0.5 all is over after one.",
)
_FILES = {
    "table_3": "table 3, with spreads and verdicts",
    "table_3_others": "other metrics, the ramp surrogate, reference lines, stand-ins",
    "table_2": "table 2, 300 runs a case",
    "figure-1": "figure 1",
    "ways": "the methods trained three ways",
    "orderings": "the 105 printed orderings, and in which way each holds",
}


def tables(results: Tables, story: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return table 3 beside summary, and the two simulations."""
    printed, summary = printed_numbers(__name__), results["summary"]
    datasets = dict.fromkeys(results["evaluation"]["dataset"])
    return {
        "table_3": compare(printed, summary, {d: (d, "validation part") for d in story["datasets"]}),
        "table_3_others": ours_alone(printed, summary, {d: (d, "validation part") for d in datasets}),
        "table_2": _two_users(results["two_users"]),
        "figure-1": results["margins"],
    }


def findings(tables: Tables) -> Findings:
    """Return the page; `three_ways` is a part of it where its tables are."""
    movielens = tables["table_3"].query("dataset == 'movielens'")
    rows = movielens.assign(row=movielens["method"].map(NAMES), at=movielens["method"].map(list(NAMES).index))
    parts = {top: part.sort_values("at") for top, part in rows.groupby("top", sort=False)}
    caption = (
        "Table 3, MovieLens: micro-pAp@k, printed (hollow) and ours (filled, means over "
        f"{int(movielens['n'].max())} seeds); higher is better"
    )
    return Findings(
        title="PAP: the pAp@k metric (2020)",
        citation=CITATION,
        verdict=list(_verdict(movielens, tables["table_2"], tables["figure-1"])),
        picture=Plot("printed-and-ours", caption, dumbbells(parts, "micro-pAp@k", 2.5, sharey=True)),
        tables=[
            Table(
                "Table 3: micro-pAp@k on MovieLens",
                beside(movielens, "method", "top", NAMES, digits=3),
                "▲: ours is shown to be above, by a t-test adjusted by Holm for the numbers of the table. "
                "Unmarked: open.",
            ),
            *([three_ways(tables["ways"], tables["orderings"])] if "ways" in tables else []),
            Table(
                "Table 2: a user with fewer, and one with more, positives than k",
                _higher(tables["table_2"]),
                _NOTE_2,
            ),
            Table("Table 1: five rankings", _table_1(), "Printed, and computed by attop: all are equal."),
        ],
        reasons=_REASONS,
        plots=[_margins_plot(tables["figure-1"])],
        files={name: what for name, what in _FILES.items() if name in tables},
    )


def _verdict(table: pd.DataFrame, two: pd.DataFrame, curves: pd.DataFrame) -> Iterator[str]:
    ours = table.pivot(index="top", columns="method", values="ours")
    printed = table.pivot(index="top", columns="method", values="printed")
    rest = [m for m in ours if m not in _OURS]
    behind = int((ours[list(_OURS)].max(axis=1) < ours[rest].max(axis=1)).sum())
    yield (
        f"**Its conclusion {'does not hold' if behind else 'holds'}: on MovieLens a baseline is above all "
        f"three GD-pAp@k methods at {behind} of {len(ours)} k.**"
    )
    own, base = (table[table["method"].isin(methods)]["verdict"] != "open" for methods in (_OURS, rest))
    n_low = (table["verdict"] == "above").sum()
    yield (
        f"Of the {len(own)} printed numbers of its own methods {own.sum()} are shown to differ from ours, of "
        f"the {len(base)} of the baselines {base.sum()}; {n_low} of the {own.sum() + base.sum()} are too low."
    )
    pairs = list(combinations(ours, 2))
    n_hold = sum(
        int((np.sign(ours[a] - ours[b]) == np.sign(printed[a] - printed[b])).sum()) for a, b in pairs
    )
    yield f"Of the {len(pairs) * len(ours)} printed orderings of two methods at a k {n_hold} hold."
    best = two.loc[two.groupby(["sample", "case"])["runs higher"].idxmax()]
    n_best = (best["method"] == "gd-papk-avg").groupby(best["sample"]).sum()
    yield (
        f"In table 2 GD-pAp@k-avg is higher in more runs in {n_best['training']} of 2 cases on the training "
        f"sample, in {n_best['fresh']} on a fresh one."
    )
    beta = curves[(curves["condition"] == "beta") & curves["measure"].isin(["max", "TS"])]
    rises = beta.groupby(["measure", "start"])["value"].agg(lambda v: v.iloc[-1] - v.min() > 0.01)
    yield (
        f"In figure 1 max and TS, which the paper has rise, do so from {rises['max'].sum()} and "
        f"{rises['TS'].sum()} of {beta['start'].nunique()} starts."
    )


def three_ways(ways: pd.DataFrame, orderings: pd.DataFrame) -> Table:
    """Return micro-pAp@k at the middle k by the way of training, and how many printed orderings hold."""
    k = sorted(set(ways["k"]))[2]
    rows = ways[(ways["k"] == k) & ways["method"].isin(list(NAMES))]
    wide = rows.pivot(index="method", columns="way", values="mean")
    wide.insert(0, "printed", rows.groupby("method")["printed"].first())
    names = {"code": "as coded", "words": "as worded", "exact": "optimum"}
    wide = wide[["printed", *names, "reference"]].rename(columns=names)
    wide = wide.reindex([m for m in NAMES if m in wide.index]).rename(index=NAMES)
    cells = wide.map("{:.3f}".format).replace("nan", "–").rename_axis(index=f"k={k}").reset_index()
    n_hold = [f"{orderings[way].eq(True).sum()} of {orderings[way].notna().sum()}" for way in names]
    cells.loc[len(cells)] = ["orderings that hold", str(len(orderings)), *n_hold, "–"]
    coded, within = orderings["code"].eq(True), orderings["within_starts"]
    chance, lucky = int(within.sum()), int(within[coded].sum())
    return Table(
        "Trained three ways",
        cells,
        "As the authors' code trains (121 steps, the iterate of the lowest loss), as the paper words it, and "
        f"at the optimum of each objective. {chance} of the {len(orderings)} printed differences are below "
        f"the spread over random starts of the code, {lucky} of the {coded.sum()} holding in it among them. "
        "It has no Select-pAp@k. At the optimum SVM-pAUC and the three GD-pAp@k give w = 0 at the chosen "
        "lambda, so they tie.",
    )


_NOTE_2 = (
    "Runs of 300 in which precision@k is higher than the other method's; AUC@k and means are in the file."
)


def _higher(runs: pd.DataFrame) -> pd.DataFrame:
    """Return in how many runs each method is higher, by sample."""
    rows = runs.assign(method=runs["case"] + ", " + runs["method"].map(NAMES))
    wide = rows.pivot(index="method", columns="sample", values="runs higher")
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
    """Return table 2, ours by sample beside the printed one."""
    rows = []
    for (case, method), printed in _TABLE_2.items():
        rows.append(_row(case, method, "as printed", *printed))
        for sample in ("training", "fresh"):
            part = runs[(runs["case"] == case) & (runs["sample"] == sample)]
            wide = part.pivot(index="run", columns="method", values=["precision", "auc"])
            other = next(m for m in wide["precision"].columns if m != method)
            ours, theirs = (wide["precision"][m] for m in (method, other))
            ties = (ours == theirs) & wide["auc"].notna().all(axis=1)
            auc, auc_of_other = (wide["auc"].loc[ties, m] for m in (method, other))
            numbers = [ours.mean(), ours.std(), int((ours > theirs).sum())]
            numbers += [auc.mean(), auc.std(), int((auc > auc_of_other).sum())]
            constant = part.loc[part["method"] == method, "constant"].sum()
            rows.append(_row(case, method, sample, *numbers, constant=str(constant)))
    return pd.DataFrame(rows)


def _row(case: int, method: str, sample: str, *numbers: float, constant: str = "–") -> dict[str, Any]:
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
    }


def _margins_plot(curves: pd.DataFrame) -> Plot:
    styles = method_styles(list(dict.fromkeys(curves["measure"])))
    minimised = curves.groupby("condition", sort=False)["minimised"].first()
    canvas, axes = panels([f"{condition} margin: {m}" for condition, m in minimised.items()], 2.6)
    with figure_theme():
        for axis, condition in zip(axes, minimised.index, strict=True):
            part = curves[curves["condition"] == condition]
            for (measure, start), line in part.groupby(["measure", "start"], sort=False):
                name = str(measure) if start == 0 else None
                axis.plot(
                    line["iteration"] + 1, line["value"], label=name, alpha=0.7, **styles[str(measure)].line
                )
            axis.set(xscale="log", xlabel="iteration + 1")
        axes[0].set_ylabel("value on the sample")
        canvas.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return Plot(
        "figure-1",
        "Figure 1: surrogates and risk while the one named is minimised, under the margin condition it is "
        f"consistent with, from {curves['start'].nunique()} starts; lower is better",
        canvas,
    )
