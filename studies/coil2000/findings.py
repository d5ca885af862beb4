"""The CoIL Challenge 2000: one method chosen on the customers to train on, and its list of 800."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from attop_bench.papers.findings import Comparison, Findings

__all__ = ["findings"]

_TRAINING = "coil2000"
#: Customers to choose from, places on the list, positives among them, and those on the winner's list.
_CUSTOMERS, _PLACES, _POSITIVES, _WINNER = 4000, 800, 238, 121


def findings(tables: Mapping[str, pd.DataFrame], story: Mapping[str, Any]) -> Findings:
    """Return what each method is worth by cross-validation, the one chosen, and the lists.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        ``"evaluation"``, ``"runs"`` and ``"mailing"`` are used.
    story : mapping
        ``"methods"`` is used.
    """
    titles = {m: about["title"] for m, about in story["methods"].items()}
    worth = _worth(tables["evaluation"], tables["runs"])
    chosen = str(worth["method"].iloc[0])
    mailed = tables["mailing"]
    counts = mailed.groupby("method")["positive"].sum(min_count=1)
    worth["found"] = worth["method"].map(counts)
    lists = mailed.pivot(index="place", columns="method", values="row")
    lists = lists[[m for m in worth["method"] if m in lists]].reset_index()
    lists.columns.name = None
    tied = mailed.groupby("method")["tied"].sum()
    worth["tied at the end"] = worth["method"].map(tied)
    return Findings(
        title="CoIL Challenge 2000: a list of 800 of 4,000 customers",
        citation="P. van der Putten, M. van Someren (eds.). CoIL Challenge 2000: The Insurance Company Case. "
        "Leiden Institute of Advanced Computer Science, 2000.",
        answers=list(_answers(worth, titles, chosen)),
        choices=[
            "One method is chosen, that with the highest mean precision at 20% in nested cross-validation of "
            "the 5,822 customers to train on; its parameters, and those of the others, are chosen within.",
            "Features are the 85 columns, totals, products of payment and number, and a 0/1 feature for each "
            "type of customer, income class and class of car, fire and third-party policy; which of them "
            "there are was decided by cross-validation of the same customers: the estimate is a little high.",
            "The lists are of models trained on all 5,822. Chance decides between customers of one score.",
            "The interval of the estimate allows for runs that share customers (Nadeau and Bengio, 2003); "
            "that of the count also for the 238 being drawn.",
        ],
        comparisons=[
            Comparison("estimate", "By nested cross-validation", worth.replace({"method": titles}), _NOTE),
            Comparison(
                "mailing",
                "The lists",
                lists,
                "Rows of ticeval2000.txt, counted from 1, the highest score first; the first method is the "
                "one chosen.",
            ),
        ],
    )


_NOTE = (
    "recall: share of the policies in the 20% with the highest scores, mean over the runs; low and high: its "
    "95% interval; constant: runs whose model gives all customers one score; expected: what that would be of "
    "238, with the interval of the count; found: of the list of 800, where the labels are available; tied at "
    "the end: places that chance gave to some customers of one score."
)


def _worth(evaluation: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row a method, the best by mean precision first."""
    from scipy.stats import t

    ours = evaluation[evaluation["dataset"] == _TRAINING]
    sizes = runs[runs["dataset"] == _TRAINING]
    ratio = float((sizes["n_test"] / sizes["n_train"]).mean())
    rows = []
    for method in ours["method"].unique():
        its = ours[ours["method"] == method]
        recall = its.loc[its["metric"] == "recall@k", "value"].to_numpy(float)
        precision = its.loc[its["metric"] == "precision@k", "value"].mean()
        n, mean = len(recall), recall.mean()
        error = math.sqrt((1 / n + ratio) * recall.var(ddof=1))
        width = t.ppf(0.975, n - 1) * error
        drawn = math.sqrt(mean * (1 - mean) / _POSITIVES + error**2)
        rows.append(
            {
                "method": method,
                "precision": precision,
                "recall": mean,
                "low": mean - width,
                "high": mean + width,
                "runs": n,
                "constant": int(sizes.loc[sizes["method"] == method, "constant"].sum()),
                "expected": _POSITIVES * mean,
                "expected low": _POSITIVES * (mean - 1.96 * drawn),
                "expected high": _POSITIVES * (mean + 1.96 * drawn),
            }
        )
    return pd.DataFrame(rows).sort_values("precision", ascending=False, kind="stable", ignore_index=True)


def _answers(worth: pd.DataFrame, titles: Mapping[str, str], chosen: str) -> Iterator[str]:
    best = worth.iloc[0]
    yield (
        f"Chosen: {titles[chosen]}, precision {best['precision']:.4f} at 20% in {best['runs']:.0f} runs of "
        f"nested cross-validation, {best['recall']:.3f} of the policies ({best['low']:.3f} to "
        f"{best['high']:.3f}); of {_POSITIVES} that would be {best['expected']:.0f} "
        f"({best['expected low']:.0f} to {best['expected high']:.0f}). The winner of the competition found "
        f"{_WINNER}; chance finds {_POSITIVES * _PLACES // _CUSTOMERS}."
    )
    if worth["found"].isna().all():
        yield "The count awaits the labels (tictgts2000.txt), which were unavailable; the lists are below."
        return
    yield f"The list of {titles[chosen]} holds {best['found']:.0f} of the {_POSITIVES}."
    others = ", ".join(f"{titles[r['method']]} {r['found']:.0f}" for r in worth.iloc[1:].to_dict("records"))
    yield f"The others, which were not chosen: {others}."
