"""Figures 2 to 7 of Rudin (2005): the left end of the ROC curve for p from 1 to 64."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from attop.experiment import Verdict
from attop.extending import join_words
from attop.statistics import holm, wilcoxon
from attop_bench.papers import pictures
from attop_bench.papers.findings import Findings, Plot, Table, Tables, compare, count_runs, printed_numbers
from attop_bench.papers.pictures import COLOURS, MARKS, beside, panels
from attop_bench.report.figures.scene import figure_theme
from attop_bench.run.paper import Simulation
from studies.publish import Sizes

SIMULATIONS = {
    "rounds": Simulation(
        "studies.pnorm2005.rounds.rounds",
        ("pima", "pima-thresholds", "wdbc", "tic-tac-toe", "housing", "pima-50"),
    ),
    "ranks": Simulation("studies.pnorm2005.rounds.ranks", ("wdbc",)),
}

#: Data set -> the paper's figure. Each has a twin with ``-train`` appended, tested on its training part.
_FIGURES = {
    "pima": "Figure 2: pima-indians-diabetes, real-valued features",
    "pima-thresholds": "Figure 3: pima-indians-diabetes, threshold features",
    "wdbc": "Figure 4: wdbc, first six features, malignant positive",
    "wdbc-benign": "Figure 4: wdbc, benign positive",
    "tic-tac-toe": "Figure 5: tic-tac-toe",
    "housing": "Figure 6: Boston Housing",
    "pima-50": "Figure 7: pima-indians-diabetes, 50 training examples",
}
#: What the paper says of each, in our words.
_CLAIMS = {
    "pima": "R_max rises at every step, in training and test, and much from p = 1 to 64",
    "pima-thresholds": "R_max never falls, in training and test, though it may tie in test",
    "wdbc-benign": "the same",
    "wdbc": "R_max rises, but p = 64 is slightly below p = 16 and far above p = 1",
    "tic-tac-toe": "the trend is there; in test one negative near the top disturbs it",
    "housing": "from p = 1 to 64 R_max rises, nearly at every step",
    "pima-50": "with 50 examples small p generalise and large p do not",
}
_PARTS = {"-train": "training", "": "test"}
_LEVEL = 0.05
_REASONS = (
    "The paper draws one split, here there are more of its sizes, stratified by class. The ROC curves are of "
    "the first.",
    "Coordinate descent with exact line search has the paper's rounds; nothing is tuned. Large p may then be "
    "far from the optimum, so more rounds stand beside them, on fewer splits.",
    "Features are scaled to their range in training.",
    "The paper does not say which class of wdbc is the positive one: malignant here, as in the medical "
    "use; benign stands beside it.",
    "The paper does not say whether its two values are of training or test: both are set against them.",
)

#: A module that names a file is run again where the file changes.
PRINTED = Path(__file__).with_name("printed.csv")
CONFIGURATION = "config/papers/pnorm2005.yaml"
_FILES = {
    "printed": "the two values the text prints",
    "rounds": "R_max and AUC by rounds",
    "rounds_tests": "R_max at each p against p = 1: Wilcoxon's test over the splits, adjusted by Holm",
    "ranks": "wdbc: positives above each of the first ten negatives, by positive class and p",
    "values.csv.gz": "the tested values",
}


def tables(results: Tables, story: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the printed values beside ours, R_max and AUC by p, rounds and their tests, and ROC curves."""
    powers = {m: float(about["params"]["p"]) for m, about in story["methods"].items()}
    powers = dict(sorted(powers.items(), key=lambda item: item[1]))
    datasets = [d for d in _FIGURES if d in story["datasets"]]
    ways = {
        name + suffix: (name, f"none; {part} part") for name in datasets for suffix, part in _PARTS.items()
    }
    return {
        "printed": compare(printed_numbers(PRINTED), results["summary"], ways),
        "rounds": _by_rounds(results["rounds"]),
        "rounds_tests": _against_p1(results["rounds"]),
        "ranks": _by_rank(results["ranks"]),
        "values.csv.gz": _tested(results),
        **{f"roc-{name}": _first_roc(name, results["roc"], powers) for name in datasets},
    }


def findings(tables: Tables) -> Findings:
    """Return the page."""
    rounds, tests = tables["rounds"], tables["rounds_tests"]
    cases = rounds.groupby(["dataset", "part", "rounds"])
    ends = {(str(d), str(part), int(n_rounds)): _end(case, tests) for (d, part, n_rounds), case in cases}
    printed = tables["printed"].assign(part=tables["printed"]["selection"].str.split().str[1])
    names = {m: f"p = {m.rpartition('-')[2]}".replace("rankboost", "1") for m in printed["method"]}
    return Findings(
        title="PUSH: Ranking with a p-norm push (2005)",
        answer="In part",
        short="A larger p lifts more positives above all negatives in training; in test it does not.",
        citation="C. Rudin. Ranking with a P-Norm Push. NYU Technical Report TR2005-874, 2005.",
        verdict=list(_verdict(ends, rounds)),
        picture=_picture(rounds, ends),
        tables=[
            _claims(ends, rounds),
            _steps(rounds),
            _ranks(tables["ranks"]),
            Table(
                "The two printed values: R_max on pima", beside(printed, "method", "part", names, digits=1)
            ),
        ],
        reasons=_REASONS,
        plots=[_roc_plot(d, tables[f"roc-{d}"]) for d in _FIGURES if f"roc-{d}" in tables],
        files={name: what for name, what in _FILES.items() if name in tables},
    )


def _tested(results: Tables) -> pd.DataFrame:
    """Return the value of every split: R_max after some rounds, or the positives above a rank after 200."""
    values = {"rounds": "r_max", "ranks": "above"}
    both = pd.concat([results[name].rename(columns={its: "value"}) for name, its in values.items()])
    both = both.astype({"rounds": "Int64", "rank": "Int64"})
    return both[["dataset", "part", "rounds", "rank", "p", "repeat", "value"]]


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
    case, rows = ["dataset", "part", "rounds"], []
    for key, part in rounds.groupby(case):
        wide = part.pivot(index="repeat", columns="p", values="r_max")
        for p in wide.columns[1:]:
            change = wide[p] - wide[1]
            counts = {
                "splits_higher": int((change > 0).sum()),
                "splits_equal": int((change == 0).sum()),
                "splits_lower": int((change < 0).sum()),
            }
            tested = {"difference": change.mean(), **counts, "p_value": wilcoxon(wide[p], wide[1]).p}
            rows.append({**dict(zip(case, key, strict=True)), "p": p, **tested})
    table = pd.DataFrame(rows)
    families = table.dropna(subset="p_value").groupby(case)["p_value"]
    return table.assign(p_value=families.transform(holm))


def _by_rank(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return the positives above each negative by p, and the test of p = 64 and 1, adjusted for the ranks."""
    wide = ranks.pivot(index=["dataset", "part", "rank", "repeat"], columns="p", values="above")
    cases = wide.groupby(["dataset", "part", "rank"])
    table = cases.mean().add_prefix("p_").assign(p_value=cases.apply(lambda its: wilcoxon(its[64], its[1]).p))
    families = table["p_value"].fillna(1.0).groupby(["dataset", "part"])
    return table.assign(p_value=families.transform(holm)).reset_index()


def _ranks(ranks: pd.DataFrame) -> Table:
    change = ranks["p_64"] - ranks["p_1"]
    verdicts = map(Verdict.beside, change, ranks["p_value"] < _LEVEL)
    cells = [f"{value:+.1f}{MARKS.get(verdict, '')}" for value, verdict in zip(change, verdicts, strict=True)]
    kind = ranks["dataset"].map({"wdbc": "malignant", "wdbc-benign": "benign"})
    rows = ranks.assign(cell=cells, case=kind + " positive, " + ranks["part"])
    wide = rows.pivot(index="case", columns="rank", values="cell").loc[list(dict.fromkeys(rows["case"]))]
    return Table(
        "Figure 4: positives above the negative at ranks 1 to 10, p = 64 less p = 1",
        wide.rename_axis(index="wdbc").reset_index(),
        "The paper has the curve of p = 64 above that of p = 1 as far as they cross, at the tenth. ▲ ▼: "
        "Wilcoxon's test over the splits, adjusted by Holm for the ten ranks.",
    )


def _end(case: pd.DataFrame, tests: pd.DataFrame) -> dict[str, Any]:
    """Return R_max and AUC at p = 1 and 64 of a data set, part and number of rounds, and the verdict."""
    case = case.sort_values("p")
    [last] = tests.merge(case[["dataset", "part", "rounds"]][-1:]).query("p == 64").to_dict("records")
    verdict = Verdict.beside(last["difference"], last["p_value"] < _LEVEL)
    means, auc = case["r_max"].to_numpy(), case["auc"].to_numpy()
    return {"low": means[0], "high": means[-1], "verdict": verdict, "auc": auc[[0, -1]]}


def _verdict(ends: Mapping[tuple[str, str, int], Mapping[str, Any]], rounds: pd.DataFrame) -> Iterator[str]:
    fewest, most = rounds["rounds"].min(), rounds["rounds"].max()
    sets = [d for d in _FIGURES if d in set(rounds["dataset"])]

    def change(part: str, after: int) -> str:
        its = [ends[d, part, after] for d in sets]
        changes = sorted(end["high"] - end["low"] for end in its)
        verdicts = dict(zip(sets, [end["verdict"] for end in its], strict=True))
        return f"{changes[0]:+.1f} to {changes[-1]:+.1f}, {_shown(verdicts)}"

    first = ends[sets[0], "training", fewest]
    yield (
        "**In training as claimed: from p = 1 to 64 the positives above the highest negative (R_max) rise "
        f"from {first['low']:.0f} to {first['high']:.0f} on {sets[0]}; they change by "
        f"{change('training', fewest)}. In test they change by {change('test', fewest)}.**"
    )
    yield f"After {most:,} rounds, on half as many splits, training: {change('training', most)}."
    auc = rounds[(rounds["part"] == "test") & (rounds["rounds"] == most)].pivot(
        index="dataset", columns="p", values="auc"
    )
    cost = (auc[64] - auc[1]).sort_values()
    yield (
        f"The paper sees no large deviation in AUC: here the largest in test is {cost.iloc[0]:+.3f} "
        f"({_FIGURES[str(cost.index[0])].partition(': ')[2]}, {most:,} rounds)."
    )


def _shown(verdicts: Mapping[str, Verdict]) -> str:
    """Say on which data sets a rise is shown, and on which a fall."""
    words = {Verdict.ABOVE: "shown on", Verdict.BELOW: "shown to fall on"}
    parts = [
        f"{word} {_sets(verdict, verdicts)}"
        for verdict, word in words.items()
        if verdict in verdicts.values()
    ]
    return join_words(parts) or "not shown on any"


def _sets(verdict: Verdict, verdicts: Mapping[str, Verdict]) -> str:
    """Name the data sets with a verdict, or the few without it."""
    those = [d for d, its in verdicts.items() if its == verdict]
    others = [d for d in verdicts if d not in those]
    if not others:
        return "each"
    return f"all but {join_words(others)}" if len(others) < len(those) else join_words(those)


def sizes(tables: Tables) -> Sizes:
    """Return R_max in training and test at p = 1 and 64 on the first data sets."""
    its = tables["rounds"].query("rounds == 200").set_index(["dataset", "part", "p"])["r_max"]
    rows = {
        f"{d.replace('thresholds', '0/1')}, {part}": (its[d, part, 1], its[d, part, 64])
        for d in ("pima", "pima-thresholds", "pima-50", "housing")
        for part in _PARTS.values()
    }
    return Sizes("R_max", ("p = 1", "p = 64"), rows)


def _claims(ends: Mapping[tuple[str, str, int], Mapping[str, Any]], rounds: pd.DataFrame) -> Table:
    rows = []
    for dataset, claim in _CLAIMS.items():
        cases = sorted((part == "test", n_rounds, part) for d, part, n_rounds in ends if d == dataset)
        if cases:
            figure, _, name = _FIGURES[dataset].partition(": ")
            row = {"figure": f"{figure.removeprefix('Figure ')}, {name}: {claim}"}
            for _, n_rounds, part in cases:
                end = ends[dataset, part, n_rounds]
                mark = MARKS.get(end["verdict"], "")
                row[f"{part}, {n_rounds:,}"] = f"{end['low']:.1f} → {end['high']:.1f}{mark}"
            few = min(n_rounds for _, n_rounds, _ in cases)
            row["test AUC"] = " → ".join(f"{a:.3f}" for a in ends[dataset, "test", few]["auc"])
            rows.append(row)
    return Table(
        "R_max at p = 1 and 64, by part and rounds",
        pd.DataFrame(rows),
        "What the paper says stands after the colon. ▲ ▼: the change is shown by Wilcoxon's test over the "
        f"splits ({_splits(rounds)}), adjusted by Holm. It speaks of other splits of these items.",
    )


def _splits(rounds: pd.DataFrame) -> str:
    """Say over how many splits each number of rounds is."""
    return join_words(
        [f"{count_runs(its['n'], 'split')} for {after:,} rounds" for after, its in rounds.groupby("rounds")]
    )


def _steps(rounds: pd.DataFrame) -> Table:
    """Return R_max at every p after the paper's rounds: where it rises at each step, and where it turns."""
    its = rounds[rounds["rounds"] == rounds["rounds"].min()]
    wide = its.pivot(index=["dataset", "part"], columns="p", values="r_max")
    rows = []
    for (dataset, part), line in wide.iterrows():
        steps = np.diff(line.to_numpy())
        figure = _FIGURES[dataset].removeprefix("Figure ")
        values = {f"p = {p}": f"{value:.1f}" for p, value in line.items()}
        rows.append({"figure": f"{figure}, {part}", **values, "at each step": _monotone(steps)})
    order = {name.removeprefix("Figure "): at for at, name in enumerate(_FIGURES.values())}
    rows.sort(key=lambda row: order[row["figure"].rpartition(",")[0]])
    return Table(
        "R_max at every p, after the paper's rounds",
        pd.DataFrame(rows),
        "Means over the splits. The paper's figures are of one.",
    )


def _monotone(steps: Any) -> str:
    """Say whether a sequence rises at every step."""
    falls = int((steps < 0).sum())
    if not falls:
        return "rises" if (steps > 0).all() else "never falls"
    return f"falls at {falls} of {len(steps)}"


def _picture(rounds: pd.DataFrame, ends: Mapping[tuple[str, str, int], Mapping[str, Any]]) -> Plot:
    datasets = [d for d in _FIGURES if d in set(rounds["dataset"])]
    fewest = rounds["rounds"].min()
    canvas, axes = panels([d.replace("thresholds", "0/1").removeprefix("wdbc-") for d in datasets], 2.5)
    with figure_theme():
        for axis, dataset in zip(axes, datasets, strict=True):
            for (part, n_rounds), line in rounds[rounds["dataset"] == dataset].groupby(["part", "rounds"]):
                line = line.sort_values("p")
                colour = COLOURS[ends[dataset, str(part), int(n_rounds)]["verdict"]]
                face = colour if part == "training" else "white"
                form = "o-" if n_rounds == fewest else "o--"
                axis.plot(np.log2(line["p"]), line["r_max"], form, c=colour, mfc=face, markersize=4)
            axis.set_xticks([0, 2, 4, 6], ["1", "4", "16", "64"])
            axis.set_xlabel("p")
            axis.set_ylim(bottom=0)
        axes[0].set_ylabel("R_max")
        pictures.key(
            canvas, {end["verdict"] for end in ends.values()}, hollow="test", filled="p = 64 against 1"
        )
    caption = (
        f"R_max by p: filled training, hollow test; solid {fewest:,} rounds, dashed "
        f"{rounds['rounds'].max():,}; the colour says whether p = 64 is shown to be above or below p = 1"
    )
    return Plot("r-max", caption, canvas)


def _first_roc(name: str, roc: pd.DataFrame, powers: Mapping[str, float]) -> pd.DataFrame:
    """Return the ROC curves of training and test, of the first split, in counts."""
    first = roc[(roc["repeat"] == 0) & (roc["fold"] == 0)]
    rows = []
    for suffix, part in _PARTS.items():
        for method, p in powers.items():
            run = first[(first["dataset"] == name + suffix) & (first["method"] == method)]
            if len(run):
                rows += [(part, p, x, y) for x, y in zip(run.iloc[0]["fp"], run.iloc[0]["tp"], strict=True)]
    return pd.DataFrame(rows, columns=["part", "p", "false_positives", "true_positives"])


def _roc_plot(name: str, curves: pd.DataFrame) -> Plot:
    powers = sorted(set(curves["p"]))
    colours = matplotlib.colormaps["viridis"](np.linspace(0, 0.9, len(powers)))
    with figure_theme():
        canvas = Figure(figsize=(7.2, 5.6), layout="constrained")
        for across, part in enumerate(_PARTS.values()):
            left = canvas.add_subplot(2, 2, 1 + across)
            curve = canvas.add_subplot(2, 2, 3 + across)
            for p, colour in zip(powers, colours, strict=True):
                line = curves[(curves["part"] == part) & (curves["p"] == p)]
                for axes in (left, curve):
                    axes.plot(
                        line["false_positives"], line["true_positives"], color=colour,
                        linewidth=2.2 if p in (1, 64) else 1.0, label=f"p = {p:g}",
                    )  # fmt: skip
            curve.set(xlabel="false positives", ylabel="true positives", title=f"{part}: whole curve")
            _zoom(left, curve)
            left.set(xlabel="false positives", ylabel="true positives", title=f"{part}: left end")
            if not across:
                left.legend(loc="lower right")
        canvas.suptitle(_FIGURES[name], fontsize=9.5)
    return Plot(f"roc-{name}", f"{_FIGURES[name]}.", canvas)


def _zoom(left: Any, curve: Any) -> None:
    """Show as many false positives as a tenth of the negatives, and the curves' height there."""
    end = max(4, round(0.1 * curve.dataLim.x1))
    heights = [line.get_ydata()[line.get_xdata() <= end].max() for line in left.lines]
    left.set(xlim=(-0.02 * end, end), ylim=(0, 1.05 * max(heights, default=1)))
