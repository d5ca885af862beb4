"""Tables 2 and 3 and figure 1 of Hiranandani, Vijitbenjaronk, Koyejo and Jain (2020)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from attop_bench.papers.findings import Comparison, Findings, Plot, compare, ours_alone, printed_numbers
from attop_bench.report.figures.scene import figure_theme, method_styles
from attop_bench.run.paper import Simulation

__all__ = ["SIMULATIONS", "findings"]

SIMULATIONS = {
    "two_users": Simulation("attop_bench.papers.papk_simulations.two_users"),
    "margins": Simulation("attop_bench.papers.papk_simulations.margins"),
}

_OURS = ("gd-papk-avg", "gd-papk-max", "gd-papk-ts")
_METRIC = "micro-pap@k"

#: Table 2 as printed: case, method -> precision@k, runs in which it is higher, AUC@k where precision ties,
#: runs in which that is higher; means with spreads.
_TABLE_2 = {
    (1, "sgd-avg"): (0.20, 0.14, 5, 0.59, 0.34, 30),
    (1, "gd-papk-avg"): (0.27, 0.13, 207, 0.68, 0.34, 58),
    (2, "svm-pauc"): (0.62, 0.29, 15, 0.66, 0.31, 82),
    (2, "gd-papk-avg"): (0.68, 0.28, 129, 0.71, 0.30, 74),
}


def findings(tables: Mapping[str, pd.DataFrame], story: Mapping[str, Any]) -> Findings:
    """Return the paper's tables and figure beside summary, evaluation and the two simulations."""
    printed = printed_numbers("papk2020")
    held = list(dict.fromkeys(tables["evaluation"]["dataset"]))
    titles = {d: story["datasets"][d]["title"] for d in held if d in set(printed["dataset"])}
    names = {m: about["title"] for m, about in story["methods"].items()}
    table_3 = compare(printed, tables["summary"], {d: (d, "validation part") for d in story["datasets"]})
    table_2 = _two_users(tables["two_users"])
    return Findings(
        title="The pAp@k metric, ICML 2020: the tables again",
        citation="G. Hiranandani, W. Vijitbenjaronk, S. Koyejo, P. Jain. Optimization and Analysis of the "
        "pAp@k Metric for Recommender Systems. ICML 2020.",
        own={method: method for method in _OURS},
        answers=[
            *_claims(table_3, titles, names),
            *_dual_behaviour(table_2),
            *_consistency(tables["margins"]),
        ],
        choices=[
            "Five seeds of a 60/20/20 split of each user's rows, drawn regardless of labels, as the authors' "
            "code does; the paper prints one number and no spread.",
            "The printed five lambda and, for the time they take, five of the printed twelve eta (0.001, "
            "0.005, 0.02, 0.1, 0.5: 200 smaller steps hardly leave the random start), for all methods that "
            "have steps, on every seed; 200 steps from a normal start. Greedy- and Select-pAp@k minimise "
            "their classifiers exactly.",
            "Users without a positive, or with fewer negatives than k, in the test part are left out of the "
            "mean, as in the authors' code; the paper does not say.",
            "Table 2: the paper does not say on which sample it measures: on the training sample, and on a "
            "fresh one of the same size.",
            "Figure 1: negatives are drawn from the paper's distribution given that 1_d realises the "
            "condition. The descent starts at N(0, 1), as the authors' code does.",
        ],
        comparisons=[
            Comparison(
                "table_3",
                "Table 3: micro-pAp@k",
                table_3,
                "ours and spread: mean and standard deviation over seeds, which share the data. The paper "
                "prints no spread.",
            ),
            Comparison(
                "table_3_others",
                "What table 3 does not print: other metrics, the ramp surrogate, reference lines, stand-ins",
                ours_alone(printed, tables["summary"], {d: (d, "validation part") for d in held}),
                "GD-pAp@k-ramp is descended from the model of avg; OHSUMED and MQ2008 are lists of queries, "
                "which stand in for the grouped sets that are not available. constant: runs whose model "
                "ranks nothing.",
            ),
            Comparison(
                "table_2",
                "Table 2: a user with fewer, and one with more, positives than k",
                table_2,
                "Mean (standard deviation) over 300 runs; 'higher': runs in which the method is above the "
                "other; AUC@k is among the k items of highest score, where both methods have the same "
                "precision; constant: runs whose model ranks nothing.",
            ),
        ],
        plots=[_margins_plot(tables["margins"]), *(_ranking_plot(table_3, d, titles, names) for d in titles)],
    )


def _claims(table: pd.DataFrame, titles: Mapping[str, str], names: Mapping[str, str]) -> Iterator[str]:
    """Say which method is best where the paper has another, and count the orderings of pairs that hold."""
    for dataset, title in titles.items():
        part = table[table["dataset"] == dataset]
        ours = part.pivot(index="top", columns="method", values="ours")
        told = part.pivot(index="top", columns="method", values="printed")
        tops = sorted(ours.index, key=lambda t: float(t.removeprefix("k=")))
        for top in tops:
            a, b = ours.loc[top].idxmax(), told.loc[top].idxmax()
            agree = "as here" if a == b else f"here {names[a]}, {ours.loc[top, a]:.3f}"
            yield f"{title}, {top}: best in the paper {names[b]}, {told.loc[top, b]:.3f}; {agree}."
        methods = list(ours.columns)
        pairs = [(a, b) for i, a in enumerate(methods) for b in methods[i + 1 :]]
        signs = [
            np.sign(ours.loc[t, a] - ours.loc[t, b]) == np.sign(told.loc[t, a] - told.loc[t, b])
            for t in tops
            for a, b in pairs
        ]
        yield f"{title}: of the paper's {len(signs)} orderings of two methods at a k, {sum(signs)} hold here."
        rest = [m for m in methods if m not in _OURS]
        lead = ours[[m for m in _OURS if m in ours]].max(axis=1) - ours[rest].max(axis=1)
        yield (
            f"{title}: the paper's conclusion, that the best of its three methods is above all baselines, "
            f"holds here for {int((lead > 0).sum())} of {len(lead)} k."
        )


def _two_users(runs: pd.DataFrame) -> pd.DataFrame:
    """Return table 2, ours by sample beside the printed one."""
    rows = []
    for (case, method), printed in _TABLE_2.items():
        rows.append(_row(case, method, "as printed", *printed))
        for sample in ("training", "fresh"):
            part = runs[(runs["case"] == case) & (runs["sample"] == sample)]
            wide = part.pivot(index="run", columns="method", values=["precision", "auc"])
            other = next(m for m in wide["precision"].columns if m != method)
            precision, auc = wide["precision"], wide["auc"]
            ties = (precision[method] == precision[other]) & auc.notna().all(axis=1)
            rows.append(
                _row(
                    case,
                    method,
                    sample,
                    precision[method].mean(),
                    precision[method].std(),
                    int((precision[method] > precision[other]).sum()),
                    auc.loc[ties, method].mean(),
                    auc.loc[ties, method].std(),
                    int((auc[method] > auc[other])[ties].sum()),
                    constant=str(part.loc[part["method"] == method, "constant"].sum()),
                )
            )
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


def _dual_behaviour(table: pd.DataFrame) -> Iterator[str]:
    """Say whether GD-pAp@k-avg is above its rival in either case."""
    for case in table["case"].unique():
        for sample in ("training", "fresh"):
            part = table[(table["case"] == case) & (table["sample"] == sample)].set_index("method")
            rival = next(m for m in part.index if m != "gd-papk-avg")
            ours, theirs = part.loc["gd-papk-avg"], part.loc[rival]
            yield (
                f"Table 2, case {case}, {sample} sample: precision@k of GD-pAp@k-avg is higher in "
                f"{ours['runs higher']} of 300 runs, that of {rival} in {theirs['runs higher']}; where it "
                f"ties, AUC@k is higher in {ours['ties higher']} against {theirs['ties higher']}."
            )


def _consistency(curves: pd.DataFrame) -> Iterator[str]:
    """Say which surrogates end at zero under each margin condition."""
    last = curves[curves["iteration"] == curves.groupby("condition")["iteration"].transform("max")]
    for condition, part in last.groupby("condition", sort=False):
        zero = [row.measure for row in part.itertuples() if row.value < 1e-3]
        left = [f"{row.measure} at {row.value:.2g}" for row in part.itertuples() if row.value >= 1e-3]
        yield (
            f"Figure 1, {condition} margin, {part['minimised'].iloc[0]} minimised: at zero end "
            f"{', '.join(zero) or 'none'}" + (f"; {', '.join(left)}." if left else ".")
        )


def _margins_plot(curves: pd.DataFrame) -> Plot:
    measures = list(dict.fromkeys(curves["measure"]))
    styles = method_styles(measures)
    conditions = list(dict.fromkeys(curves["condition"]))
    with figure_theme():
        canvas = Figure(figsize=(7.6, 3.0), layout="constrained")
        for i, condition in enumerate(conditions):
            axes = canvas.add_subplot(1, len(conditions), 1 + i)
            part = curves[curves["condition"] == condition]
            for measure, line in part.groupby("measure", sort=False):
                style = styles[str(measure)]
                axes.plot(line["iteration"] + 1, line["value"], label=measure, **style.line)
            axes.set(
                xscale="log", xlabel="iteration + 1", title=f"{condition} margin: {part['minimised'].iloc[0]}"
            )
            if not i:
                axes.set_ylabel("value on the sample")
                axes.legend()
    return Plot(
        "figure-1",
        "Figure 1: the four surrogates and the risk 1 - pAp@k (k = 30, one user, 250 positives, 2,000 "
        "negatives) while the surrogate named above is minimised by gradient descent from a standard normal "
        "start, under the margin condition it is consistent with. One sample; lower is better.",
        canvas,
        curves,
    )


def _ranking_plot(
    table: pd.DataFrame, dataset: str, titles: Mapping[str, str], names: Mapping[str, str]
) -> Plot:
    part = table[table["dataset"] == dataset].copy()
    part["k"] = part["top"].str.removeprefix("k=").astype(int)
    styles = method_styles([method for method in names if method in set(part["method"])])
    with figure_theme():
        canvas = Figure(figsize=(7.4, 3.6), layout="constrained")
        left, right = canvas.subplots(1, 2, sharey=True)
        for method, line in part.sort_values("k").groupby("method", sort=False):
            style = styles[str(method)]
            look = {"color": style.colour, **style.mark()}
            left.errorbar(
                line["k"], line["ours"], line["spread"], capsize=2, label=names[str(method)], **look
            )
            right.plot(line["k"], line["printed"], **look)
        left.set(xlabel="k", ylabel=_METRIC, title="here")
        right.set(xlabel="k", title="as printed")
        canvas.legend(*left.get_legend_handles_labels(), loc="outside right upper")
    return Plot(
        f"table-3-{dataset}",
        f"{titles[dataset]}: micro-pAp@k (higher is better) by k, here (mean and standard deviation over "
        f"{int(part['n'].max())} seeds) and as printed in table 3.",
        canvas,
        part,
    )
