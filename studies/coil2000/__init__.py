"""The CoIL Challenge 2000: one method chosen on the customers to train on, and what its list of 800 holds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
from scipy.stats import norm

from attop.experiment.judge import CONFIDENCE, interval
from attop_bench.papers.findings import Comparison, Findings
from attop_bench.report.compute.leads import split_ratio

__all__ = ["findings"]

_TRAINING, _EVALUATION = "coil2000", "coil2000-evaluation"
#: Customers to choose from, places on the list, positives among them, and those on the winner's list.
_CUSTOMERS, _PLACES, _POSITIVES, _WINNER = 4000, 800, 238, 121


def findings(tables: Mapping[str, pd.DataFrame], story: Mapping[str, Any]) -> Findings:
    """Return what each method is worth by cross-validation, the one chosen, and what the lists hold."""
    titles = {m: about["title"] for m, about in story["methods"].items()}
    worth = _worth(tables["evaluation"], tables["runs"])
    return Findings(
        title="CoIL Challenge 2000: a list of 800 of 4,000 customers",
        citation="P. van der Putten, M. van Someren (eds.). CoIL Challenge 2000: The Insurance Company Case. "
        "Leiden Institute of Advanced Computer Science, 2000.",
        answers=list(_answers(worth, titles)),
        choices=[
            "One method is chosen, that with the highest mean precision at 20% in nested cross-validation of "
            "the 5,822 customers to train on; its parameters, and those of the others, are chosen within.",
            "Features are the 85 columns, totals, products of payment and number, and a 0/1 feature for each "
            "type of customer, income class and class of car, fire and third-party policy; which of them "
            "there are was chosen among 78 variants by cross-validation of the same customers, which nested "
            "runs do not undo: the estimate is too high.",
            "The lists are of models trained on all 5,822, tuned on five folds of them. Between customers of "
            "one score the count is the expectation over random orders.",
            "The interval of the estimate allows for runs that share customers (Nadeau and Bengio, 2003); "
            "that of the count also for the 238 being drawn.",
        ],
        comparisons=[
            Comparison("estimate", "By nested cross-validation", worth.replace({"method": titles}), _NOTE)
        ],
    )


_NOTE = (
    "recall: share of the policies in the 20% with the highest scores, mean over the runs; low and high: its "
    "95% interval; constant: runs whose model gives all customers one score; expected: what that would be of "
    "238, with the interval of the count; found: of the list of 800 of the official evaluation file."
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


def _answers(worth: pd.DataFrame, titles: Mapping[str, str]) -> Iterator[str]:
    best, *others = worth.to_dict("records")
    yield (
        f"Chosen: {titles[best['method']]}, precision {best['precision']:.4f} at 20% in {best['runs']} runs "
        f"of nested cross-validation, {best['recall']:.3f} of the policies ({best['low']:.3f} to "
        f"{best['high']:.3f}); of {_POSITIVES} that would be {best['expected']:.0f} "
        f"({best['expected low']:.0f} to {best['expected high']:.0f}). The winner of the competition found "
        f"{_WINNER}; chance finds {_POSITIVES * _PLACES // _CUSTOMERS}."
    )
    if math.isnan(best["found"]):
        yield "The count awaits the labels (tictgts2000.txt), which were unavailable."
        return
    yield f"The list of {titles[best['method']]} holds {best['found']:.0f} of the {_POSITIVES}."
    rest = ", ".join(f"{titles[other['method']]} {other['found']:.0f}" for other in others)
    yield f"The others, which were not chosen: {rest}."
