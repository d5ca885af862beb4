"""Kar et al. (2015) at a quarter of the positives: many partitions, preparations, stand-ins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from attop_bench.papers.findings import Comparison, Findings
from studies.partitions.partitions import partition_comparisons, sentences

__all__ = ["findings"]

#: The paper's methods, and the averages of its perceptrons.
_OWN = (
    "perceptron-avg",
    "perceptron-max",
    "perceptron-avg-averaged",
    "perceptron-max-averaged",
    "sgd-avg",
    "sgd-max",
)
#: Data sets thinned to as few positives as those of the paper that are not available.
_STAND_INS = ("-ppi", "-kdd")
_SHORT = {"letter": "Letter", "ijcnn1": "IJCNN1", "a9a": "Adult (a9a)"}


def findings(tables: Mapping[str, pd.DataFrame], story: Mapping[str, Any]) -> Findings:
    """Return precision@k by preparation and on stand-ins, and the methods in pairs."""
    means, tests = partition_comparisons(tables, "precision@k", _OWN)
    names = {m: about["title"] for m, about in story["methods"].items()} | _SHORT
    summary = tables["summary"]
    rare = summary[summary["dataset"].str.endswith(_STAND_INS) & (summary["metric"] == "precision@k")]
    rare = rare.rename(columns={"std": "spread", "n_constant": "constant"})
    columns = ["dataset", "top", "method", "mean", "spread", "n", "constant"]
    return Findings(
        title="Surrogate functions for precision at the top, ICML 2015: over partitions, by preparation",
        citation="P. Kar, H. Narasimhan, P. Jain. Surrogate Functions for Maximizing Precision at the Top. "
        "ICML 2015.",
        answers=[*_claims(tests.table, names), *sentences(tests.table, means.table, names, "precision@k")],
        choices=[
            "70% train; parameters on two inner folds of it, by precision@k, k a quarter of the positives.",
            "20 partitions of standardised features, ten of features scaled to their range and of raw ones.",
            "Stand-ins for PPI (1.19% positive) and KDD Cup 2008 (0.61%): the sets at hand, all negatives "
            "and as many positives drawn as make that share. They are as rare as those sets, no more.",
            "Perceptron@k returns its last iterate, as the paper's algorithms do; the average of its "
            "iterates, which is what SGD@k returns, stands beside it.",
        ],
        comparisons=[
            means,
            tests,
            Comparison(
                "stand-ins",
                "precision@k on sets as rare as PPI and KDD Cup 2008",
                rare[columns].reset_index(drop=True),
                "Mean and standard deviation (spread) over n splits; constant: those of them whose model "
                "ranks nothing.",
            ),
        ],
    )


def _claims(tests: pd.DataFrame, names: Mapping[str, str]) -> Iterator[str]:
    """Say against which of the paper's rivals its methods are higher, features standardised."""
    rows = tests[(tests["preparation"] == "standard") & tests["rival"].isin(["svm-perf", "one-pmb"])]
    found = []
    for (method, rival), pairs in rows.groupby(["method", "rival"], sort=False):
        count = pairs["verdict"].value_counts()
        parts = ", ".join(f"{v} on {count[v]}" for v in ("higher", "lower", "open") if v in count)
        found.append(f"{names[method]} against {names[rival]} {parts}")
    datasets = rows["dataset"].nunique()
    holds = "held" if len(rows) and (rows["verdict"] == "higher").all() else "not held as a whole"
    yield (
        "Claim, as we know it at second hand (our copy of the paper is not legible where it discusses its "
        f"figures): its methods are above SVMperf and 1PMB. {holds.capitalize()} at "
        f"kappa = 0.25 over 20 partitions of {datasets} sets: {'; '.join(found)} (tests.csv)."
    )
