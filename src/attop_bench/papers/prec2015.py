"""The figures of section 6 of Kar, Narasimhan and Jain (2015): precision@k against time and against k."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from attop_bench.papers.findings import Comparison, Findings, Plot
from attop_bench.report.figures.scene import figure_theme, method_styles

__all__ = ["findings"]

#: Where the paper measures precision against time.
_TARGET = "kappa=0.25"
_CUTTING_PLANE = "svm-perf"

_NOTE = (
    "Mean and standard deviation (spread) over n splits, the runs whose model ranks nothing (constant), and "
    "the median seconds of training."
)


def findings(tables: Mapping[str, pd.DataFrame], story: Mapping[str, Any]) -> Findings:
    """Return the paper's figures, drawn from evaluation and runs; it prints no table."""
    results = _results(tables)
    names = {_family(m): about["title"] for m, about in story["methods"].items()}
    held = set(results["dataset"])
    titles = {d: about["title"] for d, about in story["datasets"].items() if d in held}
    whole = results[results["stage"] == results.groupby("family")["stage"].transform("max")]
    return Findings(
        title="Surrogate functions for precision at the top, ICML 2015: the figures again",
        citation="P. Kar, H. Narasimhan, P. Jain. Surrogate Functions for Maximizing Precision at the Top. "
        "ICML 2015.",
        answers=list(_answers(whole, names, titles)),
        choices=[
            "Five random splits, 70% for training; parameters on two inner folds of it, by precision@k. More "
            "splits, other preparations and stand-ins have a page of their own, prec2015-partitions.",
            "Letter: N against the rest has the printed share of positives, 3.92% (Q has as many).",
            "IJCNN1: the training and validation parts, 49,990 rows; the paper's 141,691 include the test.",
            "A method stopped early is a run of its own, so that seconds are those of training alone.",
            "PPI has no known source. a9a is not in the paper.",
            "Features are standardised on all sets. SVMperf depends on it, as its loss changes with a "
            "constant added to all scores where k is not the number of positives.",
            "Perceptron@k returns its last iterate, as the paper's algorithms do; the average of its "
            "iterates, which is what SGD@k returns, stands beside it.",
        ],
        comparisons=[
            Comparison(
                "precision",
                f"precision@k at {_TARGET}",
                _over_splits(whole[whole["top"] == _TARGET], ["dataset", "family"])
                .replace({"family": names})
                .rename(columns={"family": "method"}),
                f"{_NOTE} The paper prints no numbers: nothing is set beside ours.",
            ),
        ],
        plots=[
            plot
            for dataset, title in titles.items()
            for plot in (
                _against_time(results, dataset, title, names),
                _against_k(whole, dataset, title, names),
            )
        ],
    )


def _family(method: str) -> str:
    return method.partition(".")[0]


def _results(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return precision@k and the seconds of training of each run, with the method's family and stage."""
    key = ["dataset", "method", "repeat", "fold", "top"]
    values = tables["evaluation"].query("metric == 'precision@k'")[[*key, "value"]]
    table = values.merge(tables["runs"][[*key, "seconds_training", "constant"]], on=key)
    # The other k of a data set are an entry of their own, so that the seconds are those of one k.
    table["dataset"] = table["dataset"].str.removesuffix("-k")
    table["family"] = table["method"].map(_family)
    table["stage"] = table["method"].str.partition(".")[2].map(lambda s: int(s) if s else 1)
    return table


def _against_time(results: pd.DataFrame, dataset: str, title: str, names: Mapping[str, str]) -> Plot:
    part = results[(results["dataset"] == dataset) & (results["top"] == _TARGET)]
    part = part[~part["family"].str.endswith("-averaged")]  # by the passes of those that are not
    data = _over_splits(part, ["family", "stage"]).sort_values(["family", "stage"])
    canvas = _draw(data, "seconds", names, "seconds of training (median)", f"{title}: {_TARGET}", log=True)
    caption = (
        f"{title}: precision@k on the test part at {_TARGET} (higher is better) against seconds of training; "
        "each point is a run stopped at another number of passes or cutting planes. Mean and standard "
        f"deviation over {int(data['n'].max())} splits."
    )
    return Plot(f"time-{dataset}", caption, canvas, data)


def _against_k(whole: pd.DataFrame, dataset: str, title: str, names: Mapping[str, str]) -> Plot:
    part = whole[whole["dataset"] == dataset]
    part = part.assign(kappa=part["top"].str.removeprefix("kappa=").astype(float))
    data = _over_splits(part, ["family", "kappa"]).sort_values(["family", "kappa"])
    canvas = _draw(data, "kappa", names, "kappa, as k = kappa n+", f"{title}: trained at each k", log=False)
    caption = (
        f"{title}: precision@k on the test part (higher is better) of models trained for each k = kappa n+. "
        f"Mean and standard deviation over {int(data['n'].max())} splits."
    )
    return Plot(f"k-{dataset}", caption, canvas, data)


def _draw(data: pd.DataFrame, x: str, names: Mapping[str, str], label: str, title: str, log: bool) -> Figure:
    styles = method_styles({family: family.removesuffix("-averaged") for family in names})
    with figure_theme():
        canvas = Figure(figsize=(6.4, 3.8), layout="constrained")
        axes = canvas.add_subplot()
        for family, line in data.groupby("family", sort=False):
            style = styles[str(family)]
            axes.errorbar(
                line[x], line["mean"], line["spread"], label=names[str(family)], capsize=2, elinewidth=0.7,
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
    return (
        part.groupby(by, sort=False)
        .agg(
            mean=("value", "mean"),
            spread=("value", "std"),
            n=("value", "count"),
            constant=("constant", "sum"),
            seconds=("seconds_training", "median"),
        )
        .reset_index()
    )


def _answers(whole: pd.DataFrame, names: Mapping[str, str], titles: Mapping[str, str]) -> Iterator[str]:
    """Say, at every k, which methods are above the cutting-plane solver, and which below."""
    for dataset, title in titles.items():
        part = whole[whole["dataset"] == dataset]
        for top, means in part.groupby("top", sort=False):
            row = means.groupby("family", sort=False)["value"].mean().dropna()
            if _CUTTING_PLANE not in row:
                continue
            bar = row.pop(_CUTTING_PLANE)
            above = [f"{names[str(f)]} {value:.3f}" for f, value in row.items() if value > bar]
            below = [f"{names[str(f)]} {value:.3f}" for f, value in row.items() if value <= bar]
            others = f"above it {', '.join(above) or 'none'}; not above it {', '.join(below) or 'none'}"
            yield f"{title}, {top}: SVMperf has {bar:.3f}; {others}."
