"""The CoIL Challenge 2000: one method chosen on the customers to train on, and what its list of 800 holds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
from matplotlib.lines import Line2D
from scipy.stats import norm, spearmanr

from attop.experiment import CONFIDENCE, interval
from attop_bench.papers.findings import Findings, Plot, Table, Tables, count_runs
from attop_bench.papers.pictures import COLOURS, panels
from attop_bench.report.compute.judgements import split_ratio
from attop_bench.report.figures.scene import MUTED, figure_theme
from studies.publish import Sizes

_TRAINING, _EVALUATION = "coil2000", "coil2000-evaluation"
#: Customers to choose from, places on the list, positives among them, and those on the winner's list.
_CUSTOMERS, _PLACES, _POSITIVES, _WINNER = 4000, 800, 238, 121


def tables(results: Tables, story: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return each method's value by cross-validation, and the count of its list."""
    titles = {m: about["title"] for m, about in story["methods"].items()}
    return {"estimate": _worth(results["evaluation"], results["runs"]).replace({"method": titles})}


def findings(tables: Tables) -> Findings:
    """Return the page: predicted and found, the chosen list first."""
    worth = tables["estimate"]
    counted = worth["found"].notna().all()
    inside = worth["found"].between(worth["expected low"], worth["expected high"])
    rows = worth.assign(verdict=inside.map({True: "equal", False: "below"}) if counted else "open")
    number = "{:.0f}".format
    cells = pd.DataFrame(
        {
            "list of 800": worth["method"].where(worth.index > 0, worth["method"] + " (chosen)"),
            "predicted": worth["expected"].map(number),
            "95% interval": worth["expected low"].map(number) + " to " + worth["expected high"].map(number),
            "found": worth["found"].map(number).replace("nan", "–"),
        }
    )
    files = {"estimate": "predictions and counts"}
    if "mailing" in tables:
        files["mailing"] = "the lists: rows of ticeval2000.txt, counted from 1, best first"
    return Findings(
        title="CoIL Challenge 2000: a list of 800 of 4,000 customers",
        answer="No",
        short="The list found fewer policies than predicted, outside the interval, and fewer "
        "than the winner's.",
        citation="P. van der Putten, M. van Someren (eds.). CoIL Challenge 2000: The Insurance Company Case. "
        "Leiden Institute of Advanced Computer Science, 2000.",
        verdict=list(_verdict(worth)),
        picture=_picture(rows),
        tables=[Table("Predicted and found", cells)],
        reasons=[*_REASONS, *([_orders(worth)] if counted else [])],
        files=files,
    )


_REASONS = (
    "Features and settings of the four lists named for policies were picked among many variants, which are "
    "not published, on the same customers. Nested cross-validation does not undo choices made outside it.",
    "The chosen method is that of the highest mean precision at 20% in nested cross-validation of the "
    "training customers. Parameters were chosen within.",
    "The lists were written before any label of the customers in test was seen.",
    "The interval allows for runs that share customers (Nadeau and Bengio, 2003) and for the policies being "
    "drawn.",
)


def _orders(worth: pd.DataFrame) -> str:
    """Say what the order of the predictions tells of the counts."""
    correlation, p = spearmanr(worth["expected"], worth["found"])
    return (
        f"The chosen method had the highest of {len(worth)} predictions, of "
        f"{count_runs(worth['runs'], 'run')} each. Their order and that of the counts have a Spearman "
        f"correlation of {correlation:.2f} (p {p:.2f})."
    )


def _verdict(worth: pd.DataFrame) -> Iterator[str]:
    best = worth.iloc[0]
    low, high = best["expected low"], best["expected high"]
    predicted = f"{best['expected']:.0f} of the {_POSITIVES} policies ({low:.0f} to {high:.0f})"
    if math.isnan(best["found"]):
        yield f"**Predicted {predicted}; the count awaits the labels (tictgts2000.txt).**"
        return
    where = "inside" if low <= best["found"] <= high else "outside"
    found = f"{best['found']:.0f}"
    yield f"**Predicted {predicted}, found {found}: {where} the interval. The winner found {_WINNER}.**"
    yield f"Chance finds {_POSITIVES * _PLACES // _CUSTOMERS}."
    rest = worth["found"].iloc[1:]
    yield (
        f"The lists that were not chosen hold {rest.min():.0f} to {rest.max():.0f}; they are no result, for "
        "there was no way to choose them."
    )
    short = (worth["expected"] - worth["found"]).mean()
    yield f"All are compared with their predictions: on average they are {short:.0f} below."


def sizes(tables: Tables) -> Sizes:
    """Return the policies predicted and found: the chosen list, and the best of two others."""
    names = ("the chosen list", "TopStack of the same", "logistic, policies")
    its = zip(names, tables["estimate"]["expected"], tables["estimate"]["found"], strict=False)
    return Sizes("policies", ("predicted", "found"), {name: (a, b) for name, a, b in its})


def _picture(rows: pd.DataFrame) -> Plot:
    canvas, (axes,) = panels([f"Policies among 800 customers, of {_POSITIVES}"], 2.8)
    with figure_theme():
        for y, row in enumerate(rows.to_dict("records")):
            axes.plot([row["expected low"], row["expected high"]], [y, y], color=MUTED, linewidth=1.4)
            axes.plot(row["expected"], y, "o", color=MUTED, markerfacecolor="white", markersize=6)
            axes.plot(row["found"], y, "o", color=COLOURS[row["verdict"]], markersize=6)
        axes.axvline(_WINNER, color=MUTED, linewidth=0.9, linestyle=":")
        axes.set_yticks(range(len(rows)), rows["method"])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlabel(f"dotted: the winner's {_WINNER}")
        said = {"equal": "inside the interval", "below": "outside the interval", "open": "not counted"}
        dot: dict[str, Any] = {"marker": "o", "linestyle": "none"}
        handles = [
            Line2D([], [], **dot, color=MUTED, markerfacecolor="white", label="predicted, 95% interval"),
            *(
                Line2D([], [], **dot, color=COLOURS[v], label=f"found, {said[v]}")
                for v in rows["verdict"].unique()
            ),
        ]
        canvas.legend(handles=handles, loc="outside lower center", ncols=3)
    return Plot(
        "predicted-and-found", "Policies predicted (hollow, with 95% interval) and found (filled)", canvas
    )


def _worth(evaluation: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row a method, the best by mean precision first."""
    values = evaluation.pivot_table(
        index=["dataset", "method", "repeat", "fold"], columns="metric", values="value", sort=False
    )
    ratio = split_ratio(runs, _TRAINING)
    constant = runs[runs["dataset"] == _TRAINING].groupby("method")["constant"].sum()
    z = norm.ppf((1 + CONFIDENCE) / 2)
    rows = []
    for method, its in values.loc[_TRAINING].groupby("method", sort=False):
        recall = its["recall@k"].to_numpy(float)
        low, high = interval(recall, ratio)
        # Half the interval over runs, as a normal error, beside that of drawing the 238.
        drawn = z * math.hypot(
            math.sqrt(recall.mean() * (1 - recall.mean()) / _POSITIVES), (high - low) / (2 * z)
        )
        listed = (_EVALUATION, method, 0, 0)
        rows.append(
            {
                "method": method,
                "precision": its["precision@k"].mean(),
                "recall": recall.mean(),
                "low": low,
                "high": high,
                "runs": len(recall),
                "constant": int(constant[method]),
                "expected": _POSITIVES * recall.mean(),
                "expected low": _POSITIVES * (recall.mean() - drawn),
                "expected high": _POSITIVES * (recall.mean() + drawn),
                "found": _PLACES * values["precision@k"].get(listed, math.nan),
            }
        )
    return pd.DataFrame(rows).sort_values("precision", ascending=False, kind="stable", ignore_index=True)
