"""The figures of section 6 of Kar, Narasimhan and Jain (2015): precision@k against time and against k."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from attop.experiment import Verdict
from attop.extending import join_words
from attop_bench.papers.findings import Findings, Plot, Table, Tables, count_runs
from attop_bench.papers.pictures import COLOURS, MARKS, half_interval, key, panels
from attop_bench.report.figures.scene import figure_theme, method_styles
from studies.publish import Sizes

CITATION = (
    "P. Kar, H. Narasimhan, P. Jain. Surrogate Functions for Maximizing Precision at the Top. ICML 2015."
)
#: Methods, as a reader calls them; the paper's and their averages first.
NAMES = {
    "sgd-avg": "SGD@k-avg",
    "sgd-max": "SGD@k-max",
    "perceptron-avg": "Perceptron@k-avg",
    "perceptron-max": "Perceptron@k-max",
    "perceptron-avg-averaged": "averaged Perceptron@k-avg",
    "perceptron-max-averaged": "averaged Perceptron@k-max",
    "svm-perf": "SVMperf",
    "one-pmb": "1PMB",
    "logistic-regression": "Logistic regression",
    "random": "Random direction",
}
_SETS = {
    "letter": "Letter, N against the rest",
    "ijcnn1": "IJCNN1",
    "ijcnn1-all": "IJCNN1, all",
    "a9a": "Adult (a9a)",
}
_RIVALS = ("svm-perf", "one-pmb")
#: Where the paper measures precision against time.
_TARGET = "kappa=0.25"
_REASONS = (
    "The paper prints no numbers, and our copy is not legible where it discusses its figures: its claim, "
    "that its methods are above SVMperf and 1PMB, is known to us at second hand.",
    "Features are standardised. SVMperf depends on it, as its loss changes with a constant added to all "
    "scores.",
    "Perceptron@k returns its last iterate, as the paper's algorithms do. The average, which is what SGD@k "
    "returns, stands beside it.",
    "70% train; parameters on two inner folds of it. A method stopped early is a run of its own.",
    "Letter: N against the rest has the printed share of positives. IJCNN1: the training and validation "
    "parts, 49,990 rows; the paper's 141,691 include the test. a9a is not in the paper.",
    "PPI and KDD Cup 2008 are not available. The sets at hand, thinned to as few positives, stand in; "
    "with so few positives among the first k they show nothing.",
)

CONFIGURATION = "config/papers/prec2015.yaml"
_FILES = {
    "precision": "precision@k and seconds at kappa = 0.25",
    "partitions": "precision@k over partitions, by preparation",
    "tests": "methods in pairs on the same partitions",
    "values.csv.gz": "the tested values",
    "stand-ins": "sets as rare as PPI and KDD Cup 2008",
}


def tables(results: Tables, story: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return precision@k at a quarter of the positives, against time and against k."""
    runs = _results(results)
    complete = runs[runs["stage"] == runs.groupby("family")["stage"].transform("max")]
    by_k = complete.assign(kappa=complete["top"].str.removeprefix("kappa=").astype(float))
    in_time = runs[(runs["top"] == _TARGET) & ~runs["family"].str.endswith("-averaged")]
    at = _over_splits(complete[complete["top"] == _TARGET], ["dataset", "family"])
    by_name = {"precision": at.rename(columns={"family": "method"})}
    for dataset in dict.fromkeys(runs["dataset"]):
        time, k = (part[part["dataset"] == dataset] for part in (in_time, by_k))
        by_name[f"time-{dataset}"] = _over_splits(time, ["family", "stage"]).sort_values(["family", "stage"])
        by_name[f"k-{dataset}"] = _over_splits(k, ["family", "kappa"]).sort_values(["family", "kappa"])
    return by_name


def findings(tables: Tables) -> Findings:
    """Return the page; the partitions are a part of it where their tables are."""
    datasets = [d for d in _SETS if f"k-{d}" in tables]
    plots = [_against_k(tables[f"k-{d}"], d) for d in datasets] + [
        _against_time(tables[f"time-{d}"], d) for d in datasets
    ]
    tests = tables.get("tests")
    if tests is None:
        said, first, table = (
            ["**The paper prints no numbers.**"],
            plots.pop(0),
            _at_a_quarter(tables["precision"]),
        )
    else:
        partitions = tables["partitions"]
        said, first, table = [*verdict(tests, partitions)], picture(tests), over_partitions(partitions, tests)
    return Findings(
        title="PREC: surrogates of precision at the top (2015)",
        answer="In part",
        short="At a quarter of the positives SGD@k-avg leads the better rival on all sets.",
        citation=CITATION,
        verdict=said,
        picture=first,
        tables=[table],
        reasons=_REASONS,
        plots=plots,
        files={name: what for name, what in _FILES.items() if name in tables},
    )


def verdict(tests: pd.DataFrame, partitions: pd.DataFrame) -> Iterator[str]:
    """Say by how much the paper's methods are ahead of its rivals, features standardised."""
    rows = _standard(tests)
    shown = (rows["verdict"] == Verdict.ABOVE).groupby([rows["method"], rows["dataset"]]).all()
    leads = rows.groupby(["method", "dataset"])["difference"].min()
    ours, rival = _against_rivals(partitions)
    names = [_SETS[d].partition(",")[0] for d in ours.index]
    yield (
        f"**{'As' if shown.all() else 'In part as'} claimed: at a quarter of the positives "
        f"{NAMES['sgd-avg']} has a precision@k of {_spoken(ours)} on {join_words(names)}, the better of "
        f"SVMperf and 1PMB {_spoken(rival)}{', all shown' if shown['sgd-avg'].all() else ''}.**"
    )

    def lead(method: str) -> str:
        said = [f"{gap:+.2f}{' (shown)' if shown[method][d] else ''}" for d, gap in leads[method].items()]
        return f"{NAMES[method]} {', '.join(said)}"

    others = ("perceptron-max", "sgd-max", "perceptron-avg")
    yield f"The leads of the others, in this order: {'; '.join(map(lead, others))}."
    its = tests[tests["preparation"] == "standard"].set_index(["method", "rival"])["difference"]
    gain = pd.concat([its[f"perceptron-{v}-averaged", f"perceptron-{v}"] for v in ("avg", "max")])
    yield (
        f"The average of a perceptron's iterates is {gain.min():+.2f} to {gain.max():+.2f} from its last "
        "one, and how features are prepared decides the comparison with SVMperf."
    )


def _against_rivals(partitions: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Return SGD@k-avg and the better of the paper's rivals, by data set, features standardised."""
    its = partitions[partitions["preparation"] == "standard"]
    wide = its.pivot(index="dataset", columns="method", values="mean").loc[its["dataset"].unique()]
    return wide["sgd-avg"], wide[list(_RIVALS)].max(axis=1)


def _spoken(values: pd.Series) -> str:
    return join_words([f"{value:.2f}" for value in values])


def sizes(tables: Tables) -> Sizes:
    """Return precision@k of the better rival and of SGD@k-avg."""
    ours, rival = _against_rivals(tables["partitions"])
    rows = {_SETS[d].partition(",")[0]: (rival[d], ours[d]) for d in ours.index}
    return Sizes("precision@k", ("the better rival", NAMES["sgd-avg"]), rows)


def _standard(tests: pd.DataFrame) -> pd.DataFrame:
    """Return the tests against the paper's two rivals, features standardised."""
    return tests[(tests["preparation"] == "standard") & tests["rival"].isin(_RIVALS)]


def picture(tests: pd.DataFrame) -> Plot:
    """Draw the difference of each of the paper's methods to its two rivals, by data set."""
    rows = _standard(tests)
    methods = [m for m in NAMES if m in set(rows["method"])]
    canvas, axes = panels([_SETS.get(d, d) for d in dict.fromkeys(rows["dataset"])], 2.6, sharey=True)
    with figure_theme():
        for axis, (_, part) in zip(axes, rows.groupby("dataset", sort=False), strict=True):
            axis.axvline(0, color=COLOURS["open"], linewidth=0.8)
            for row in part.to_dict("records"):
                y = methods.index(row["method"]) + (0.15 if row["rival"] == "one-pmb" else -0.15)
                colour = COLOURS[row["verdict"]]
                face = "white" if row["rival"] == "one-pmb" else colour
                axis.plot([0, row["difference"]], [y, y], color=colour, linewidth=1)
                axis.plot(row["difference"], y, "o", color=colour, markerfacecolor=face, markersize=5)
            axis.set_yticks(range(len(methods)), [NAMES[m] for m in methods])
            axis.set_ylim(len(methods) - 0.4, -0.6)
            axis.set_xlabel("difference in precision@k")
        key(canvas, rows["verdict"], hollow="to 1PMB", filled="to SVMperf")
    n = count_runs(rows.filter(like="partitions_").sum(axis=1), "partition")
    caption = (
        f"Differences to SVMperf (filled) and 1PMB (hollow): {n}, k a quarter of the positives; "
        "colour: Wilcoxon's test, adjusted by Holm"
    )
    return Plot("differences", caption, canvas)


def _at_a_quarter(precision: pd.DataFrame) -> Table:
    value = precision["mean"].map("{:.3f}".format) + precision["spread"].map(" ({:.3f})".format)
    cells = _by_method(precision.assign(value=value), "dataset").rename(columns=_SETS)
    n = count_runs(precision["n"], "split")
    return Table(f"At a quarter of the positives, {n}", cells, "Mean (standard deviation).")


def _by_method(rows: pd.DataFrame, columns: str) -> pd.DataFrame:
    """Return the column ``value`` of a table with a row a method."""
    wide = rows.pivot(index="method", columns=columns, values="value")
    wide = wide.reindex([m for m in NAMES if m in wide.index])[list(dict.fromkeys(rows[columns]))]
    return wide.rename(index=NAMES).rename_axis(index="precision@k").reset_index()


def over_partitions(partitions: pd.DataFrame, tests: pd.DataFrame) -> Table:
    """Return precision@k by data set and preparation, with the verdict against SVMperf."""
    keys = ["dataset", "preparation", "method"]
    verdicts = tests[tests["rival"] == "svm-perf"].set_index(keys)["verdict"].map(MARKS).fillna("")
    rows = partitions[partitions["preparation"].isin(["standard", "range", "raw"])]
    marks = [verdicts.get(key, "") for key in rows[keys].itertuples(index=False, name=None)]
    name = rows["dataset"].map(_SETS).str.partition(",")[0].str.removeprefix("Adult ").str.strip("()")
    rows = rows.assign(
        value=rows["mean"].map("{:.2f}".format) + marks, column=name + ", " + rows["preparation"]
    )
    return Table(
        "Over partitions, by preparation",
        _by_method(rows, "column"),
        "▲ ▼: shown to be above or below SVMperf by Wilcoxon's test over the partitions "
        f"({_preparations(rows)}), adjusted by Holm for the rivals of a method.",
    )


def _preparations(partitions: pd.DataFrame) -> str:
    """Say over how many partitions each preparation is."""
    groups = partitions.groupby("preparation", sort=False)["n"]
    return ", ".join(f"{name}: {count_runs(n, 'partition')}" for name, n in groups)


def _results(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return precision@k and the seconds of training of each run, with the method's family and stage."""
    key = ["dataset", "method", "repeat", "fold", "top"]
    values = tables["evaluation"].query("metric == 'precision@k'")[[*key, "value"]]
    table = values.merge(tables["runs"][[*key, "seconds_training", "constant"]], on=key)
    # The other k of a data set are an entry of their own, so that the seconds are those of one k.
    table["dataset"] = table["dataset"].str.removesuffix("-k")
    parts = table["method"].str.partition(".")
    table["family"], table["stage"] = parts[0], parts[2].map(lambda s: int(s) if s else 1)
    return table


def _against_time(data: pd.DataFrame, dataset: str) -> Plot:
    canvas = _draw(data, "seconds", "seconds of training (median)", f"{_SETS[dataset]}: {_TARGET}", log=True)
    caption = (
        f"{_SETS[dataset]}: precision@k at {_TARGET} (higher is better) against seconds of training; 95% "
        "intervals over splits."
    )
    return Plot(f"time-{dataset}", caption, canvas)


def _against_k(data: pd.DataFrame, dataset: str) -> Plot:
    canvas = _draw(data, "kappa", "kappa, as k = kappa n+", f"{_SETS[dataset]}: trained at each k", log=False)
    caption = (
        f"{_SETS[dataset]}: precision@k (higher is better), trained at each k; 95% intervals over splits."
    )
    return Plot(f"k-{dataset}", caption, canvas)


def _draw(data: pd.DataFrame, x: str, label: str, title: str, log: bool) -> Figure:
    styles = method_styles({family: family.removesuffix("-averaged") for family in NAMES})
    with figure_theme():
        canvas = Figure(figsize=(6.4, 3.8), layout="constrained")
        axes = canvas.add_subplot()
        for family, line in data.groupby("family", sort=False):
            style = styles[str(family)]
            half = half_interval(line["spread"] / line["n"] ** 0.5, line["n"])
            axes.errorbar(
                line[x], line["mean"], half, label=NAMES[str(family)], capsize=2, elinewidth=0.7,
                **style.line, **style.mark(),
            )  # fmt: skip
        if log:
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.xaxis.set_major_formatter("{x:g}")
            axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set(xlabel=label, ylabel="precision@k", title=title)
        canvas.legend(loc="outside right upper")
    return canvas


def _over_splits(part: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return mean, spread and seconds over the splits of each group."""
    groups = part.groupby(by, sort=False)
    means = groups["value"].agg(mean="mean", spread="std", n="count")
    constant, seconds = groups["constant"].sum(), groups["seconds_training"].median()
    return means.assign(constant=constant, seconds=seconds).reset_index()
