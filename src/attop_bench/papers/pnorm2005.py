"""Figures 2 to 7 of Rudin (2005): the left end of the ROC curve for p from 1 to 64."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from attop.statistics.ranks import holm
from attop.statistics.two_methods import wilcoxon
from attop_bench.papers.findings import Comparison, Findings, Plot, compare, printed_numbers
from attop_bench.report.figures.scene import figure_theme
from attop_bench.run.paper import Simulation

__all__ = ["SIMULATIONS", "findings", "monotone"]

SIMULATIONS = {
    "rounds": Simulation(
        "attop_bench.papers.push_rounds.rounds",
        ("pima", "pima-thresholds", "wdbc", "tic-tac-toe", "housing", "pima-50"),
    ),
}

#: Data set -> the paper's figure. Each has a twin with ``-train`` appended, tested on its training part.
_FIGURES = {
    "pima": "Figure 2: pima-indians-diabetes, real-valued features",
    "pima-thresholds": "Figure 3: pima-indians-diabetes, threshold features",
    "wdbc": "Figure 4: wdbc, first six features",
    "tic-tac-toe": "Figure 5: tic-tac-toe",
    "housing": "Figure 6: Boston Housing",
    "pima-50": "Figure 7: pima-indians-diabetes, 50 training examples",
}
#: What the paper says of each, in our words; whether R_max is to rise at every step, and from p = 1 to 64.
_CLAIMS = {
    "pima": ("R_max rises at every step, in training and test, and much from p = 1 to 64", True, True),
    "pima-thresholds": ("R_max never falls, in training and test, though it may tie in test", True, False),
    "wdbc": ("R_max rises, but p = 64 is slightly below p = 16 and far above p = 1", False, True),
    "tic-tac-toe": ("the trend is there; in test one negative near the top disturbs it", False, False),
    "housing": ("from p = 1 to 64 R_max rises, nearly at every step", False, True),
    "pima-50": ("with 50 examples small p generalise and large p do not", False, False),
}
_PARTS = {"-train": "training", "": "test"}
_R_MAX = "positives@top"
_LEVEL = 0.05
_OF_CONSTANT = "constant: runs, of all p, whose model gives all items one score."


def findings(tables: Mapping[str, pd.DataFrame], story: Mapping[str, Any]) -> Findings:
    """Return the paper's figures, drawn from the ROC curves, and its numbers beside ours and the rounds."""
    powers = {m: float(about["params"]["p"]) for m, about in story["methods"].items()}
    powers = dict(sorted(powers.items(), key=lambda item: item[1]))
    held = [d for d in _FIGURES if d in story["datasets"]]
    values = _values(tables["evaluation"], powers)
    constant = _constant(tables["runs"], held)
    steps = _steps(values, held, constant)
    curves, tested = _by_rounds(tables["rounds"]), _against_p1(tables["rounds"])
    ways = {name + suffix: (name, f"none; {part} part") for name in held for suffix, part in _PARTS.items()}
    return Findings(
        title="Ranking with a p-norm push, 2005: the figures again",
        citation="C. Rudin. Ranking with a P-Norm Push. NYU Technical Report TR2005-874, 2005.",
        own={method: method for method in powers},
        answers=[*_claims(tables["rounds"], tested), *_answers(values, steps, held)],
        choices=[
            "R_max of a claim is given at p = 1, 2, 4, 8, 16 and 64.",
            "Ten random splits of the paper's sizes, stratified by class, where it draws one; the ROC curves "
            "are of the first. The claims are looked at on 20 splits, of which these are the first ten.",
            "200 rounds of coordinate descent with exact line search, as in the paper; nothing is tuned. "
            "5,000 rounds stand beside them, on ten splits: large p may be far from their optimum before.",
            "Features scaled to their range on the training part. The width of the range changes no ranking: "
            "the line search undoes it.",
        ],
        comparisons=[
            Comparison(
                "printed",
                "The two values the text prints: R_max on pima, real-valued features",
                compare(printed_numbers("pnorm2005"), tables["summary"], ways),
                "The paper does not say whether training or test; both are set against it.",
            ),
            Comparison(
                "r_max",
                "R_max: positives above the highest negative, by p",
                _wide(values, _R_MAX, constant),
                "Mean over ten splits (standard deviation). " + _OF_CONSTANT,
            ),
            Comparison(
                "auc",
                "AUC, by p: what the push costs",
                _wide(values, "auc", constant, digits=3),
                "Mean over ten splits (standard deviation). " + _OF_CONSTANT,
            ),
            Comparison(
                "steps",
                "Steps from one p to the next at which R_max falls",
                steps,
                "falls: of five steps between p = 1, 2, 4, 8, 16, 64, in the mean over the splits; splits: "
                "those in which R_max at p = 64 is above, equal to or below that at p = 1. " + _OF_CONSTANT,
            ),
            Comparison(
                "rounds",
                "R_max and AUC after 200 and 5,000 rounds, by p",
                curves,
                "Mean over n splits, of R_max with its standard deviation; norm: that of the model; "
                "constant: models that are zero.",
            ),
            Comparison(
                "rounds_tests",
                "R_max at each p against p = 1",
                tested,
                "Mean difference, splits with a higher, equal and lower R_max, and p of Wilcoxon's "
                "signed-rank test over the splits, adjusted by Holm for the five p of a data set, part and "
                "number of rounds. It speaks of other splits of these items.",
            ),
        ],
        plots=[plot for name in held for plot in _roc_plots(name, tables["roc"], powers)],
    )


def monotone(values: np.ndarray) -> bool:
    """Say whether values never fall from one p to the next."""
    return bool((np.diff(values) >= 0).all())


def _values(evaluation: pd.DataFrame, powers: Mapping[str, float]) -> pd.DataFrame:
    """Return one row per data set, part, p, metric and run."""
    table = evaluation[evaluation["method"].isin(list(powers))].copy()
    train = table["dataset"].str.endswith("-train")
    table["part"] = np.where(train, "training", "test")
    table["dataset"] = table["dataset"].str.removesuffix("-train")
    table["p"] = table["method"].map(powers)
    return table[["dataset", "part", "p", "metric", "repeat", "fold", "value"]]


def _wide(
    values: pd.DataFrame, metric: str, constant: Mapping[tuple[str, str], int], digits: int = 1
) -> pd.DataFrame:
    part = values[values["metric"] == metric]
    groups = part.groupby(["dataset", "part", "p"], sort=False)["value"]
    means, spreads = groups.mean().unstack("p"), groups.std().unstack("p")
    text = means.map(f"{{:.{digits}f}}".format) + spreads.map(f" ({{:.{digits}f}})".format)
    text.columns = [f"p = {p:g}" for p in text.columns]
    text["constant"] = [constant[key] for key in text.index]
    return text.reset_index()


def _constant(runs: pd.DataFrame, datasets: list[str]) -> dict[tuple[str, str], int]:
    """Count the constant models of each of the paper's data sets and parts."""
    counts = runs.groupby("dataset")["constant"].sum()
    return {(d, part): int(counts.get(d + ending, 0)) for d in datasets for ending, part in _PARTS.items()}


def _by_rounds(rounds: pd.DataFrame) -> pd.DataFrame:
    groups = rounds.groupby(["dataset", "part", "rounds", "p"])
    return groups.agg(
        r_max=("r_max", "mean"),
        spread=("r_max", "std"),
        auc=("auc", "mean"),
        norm=("norm", "mean"),
        n=("r_max", "count"),
        constant=("norm", lambda norms: int((norms == 0).sum())),
    ).reset_index()


def _against_p1(rounds: pd.DataFrame) -> pd.DataFrame:
    """Test R_max at every p against that at p = 1, over the partitions."""
    rows: list[dict[str, Any]] = []
    for key, part in rounds.groupby(["dataset", "part", "rounds"]):
        wide = part.pivot(index="repeat", columns="p", values="r_max")
        family = []
        for p in wide.columns[1:]:
            change = wide[p] - wide[1]
            row = dict(zip(("dataset", "part", "rounds"), key, strict=True)) | {
                "p": p,
                "difference": change.mean(),
                "splits_higher": int((change > 0).sum()),
                "splits_equal": int((change == 0).sum()),
                "splits_lower": int((change < 0).sum()),
                "p_value": wilcoxon(wide[p], wide[1]).p,
            }
            family.append(row)
        tested = [row for row in family if row["p_value"] == row["p_value"]]
        for row, value in zip(tested, holm([row["p_value"] for row in tested]), strict=True):
            row["p_value"] = float(value)
        rows += family
    return pd.DataFrame(rows)


def _claims(rounds: pd.DataFrame, tested: pd.DataFrame) -> Iterator[str]:
    """Say of each of the paper's claims on R_max what becomes of it, in training and in test."""
    for dataset in dict.fromkeys(rounds["dataset"]):
        claim, every_step, rises = _CLAIMS[dataset]
        says = []
        for part in _PARTS.values():
            which = (rounds["dataset"] == dataset) & (rounds["part"] == part)
            last = tested[(tested["dataset"] == dataset) & (tested["part"] == part) & (tested["p"] == 64)]
            found, held = [], []
            for many, its in rounds[which].groupby("rounds"):
                row = its.groupby("p")["r_max"].mean().to_numpy()
                against = last[last["rounds"] == many].iloc[0]
                found.append(_in_words(int(str(many)), its["repeat"].nunique(), row, against))
                sure = against["p_value"] < _LEVEL and against["difference"] > 0
                held.append((monotone(row) or not every_step) and (sure or not rises))
            verdict = "no bound to test" if not (every_step or rises) else "held" if held[0] else "not held"
            says.append(f"In {part}, {verdict}: {'; '.join(found)}.")
        yield (f"Claim, {_FIGURES[dataset].partition(':')[0]}: {claim}. {' '.join(says)}")


def _in_words(rounds: int, splits: int, means: np.ndarray, against: pd.Series) -> str:
    return (
        f"after {rounds:,} rounds, {splits} splits, {', '.join(f'{value:.1f}' for value in means)} "
        f"(p = 64 against 1: {against['difference']:+.1f}, higher in {against['splits_higher']}, lower in "
        f"{against['splits_lower']}, p-value {against['p_value']:.2g})"
    )


def _steps(
    values: pd.DataFrame, datasets: list[str], constant: Mapping[tuple[str, str], int]
) -> pd.DataFrame:
    part = values[values["metric"] == _R_MAX]
    rows = []
    for dataset in datasets:
        for which in _PARTS.values():
            runs = part[(part["dataset"] == dataset) & (part["part"] == which)]
            table = runs.pivot_table(index=["repeat", "fold"], columns="p", values="value")
            change = table.iloc[:, -1] - table.iloc[:, 0]
            mean = table.mean().to_numpy()
            where = [
                f"{a:g} to {b:g}"
                for a, b, down in zip(table.columns, table.columns[1:], np.diff(mean) < 0, strict=False)
                if down
            ]
            rows.append(
                {
                    "dataset": dataset,
                    "part": which,
                    "falls": len(where),
                    "where": ", ".join(where),
                    "R_max at p = 1": mean[0],
                    "R_max at p = 64": mean[-1],
                    "splits above": int((change > 0).sum()),
                    "splits equal": int((change == 0).sum()),
                    "splits below": int((change < 0).sum()),
                    "constant": constant[dataset, which],
                }
            )
    return pd.DataFrame(rows)


def _answers(values: pd.DataFrame, steps: pd.DataFrame, datasets: list[str]) -> Iterator[str]:
    """Say for each figure whether R_max rises with p, and how the AUC pays."""
    auc = values[values["metric"] == "auc"].groupby(["dataset", "part", "p"])["value"].mean()
    for dataset in datasets:
        told = []
        for which in _PARTS.values():
            row = steps[(steps["dataset"] == dataset) & (steps["part"] == which)].iloc[0]
            low, high = row["R_max at p = 1"], row["R_max at p = 64"]
            how = "never falls" if not row["falls"] else f"falls from p = {row['where']}"
            told.append(f"{which} {low:.1f} at p = 1, {high:.1f} at p = 64, {how}")
        cost = auc[dataset, "test"]
        yield (
            f"{_FIGURES[dataset]}: R_max in {'; in '.join(told)}. Test AUC {cost.iloc[0]:.3f} at p = 1, "
            f"{cost.iloc[-1]:.3f} at p = 64."
        )


def _roc_plots(name: str, roc: pd.DataFrame, powers: Mapping[str, float]) -> Iterator[Plot]:
    """Draw the left ends and the whole ROC curves of training and test, of the first split."""
    first = roc[(roc["repeat"] == 0) & (roc["fold"] == 0)]
    colours = matplotlib.colormaps["viridis"](np.linspace(0, 0.9, len(powers)))
    rows = []
    with figure_theme():
        canvas = Figure(figsize=(7.2, 5.6), layout="constrained")
        for across, (suffix, part) in enumerate(_PARTS.items()):
            left = canvas.add_subplot(2, 2, 1 + across)
            whole = canvas.add_subplot(2, 2, 3 + across)
            for (method, p), colour in zip(powers.items(), colours, strict=True):
                run = first[(first["dataset"] == name + suffix) & (first["method"] == method)]
                if run.empty:
                    continue
                fp, tp = (np.asarray(run.iloc[0][c]) for c in ("fp", "tp"))
                width = 2.2 if p in (1, 64) else 1.0
                for axes in (left, whole):
                    axes.plot(fp, tp, color=colour, linewidth=width, label=f"p = {p:g}")
                rows += [(part, p, x, y) for x, y in zip(fp, tp, strict=True)]
            whole.set(xlabel="false positives", ylabel="true positives", title=f"{part}: whole curve")
            _zoom(left, whole)
            left.set(xlabel="false positives", ylabel="true positives", title=f"{part}: left end")
            if not across:
                left.legend(loc="lower right")
        canvas.suptitle(_FIGURES[name], fontsize=9.5)
    yield Plot(
        f"roc-{name}",
        f"{_FIGURES[name]}. ROC curves in counts, as in the paper, of the first of ten splits; left, "
        "training part; right, test part; above, the left end. The higher at the left, the better.",
        canvas,
        pd.DataFrame(rows, columns=["part", "p", "false_positives", "true_positives"]),
    )


def _zoom(left: Any, whole: Any) -> None:
    """Show as many false positives as a tenth of the negatives, and the curves' height there."""
    end = max(4, round(0.1 * whole.dataLim.x1))
    heights = [line.get_ydata()[line.get_xdata() <= end].max() for line in left.lines]
    left.set(xlim=(-0.02 * end, end), ylim=(0, 1.05 * max(heights, default=1)))
