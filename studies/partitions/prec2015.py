"""Kar et al. (2015) at a quarter of the positives: many partitions, preparations, stand-ins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from attop_bench.papers.findings import Findings, Tables
from studies.partitions.partitions import partition_tables
from studies.prec2015 import CITATION, over_partitions, picture, verdict

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


def tables(results: Tables, story: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return precision@k by preparation and on stand-ins, and the methods in pairs."""
    summary = results["summary"]
    rare = summary[summary["dataset"].str.endswith(_STAND_INS) & (summary["metric"] == "precision@k")]
    rare = rare.rename(columns={"std": "spread", "n_constant": "constant"})
    columns = ["dataset", "top", "method", "mean", "spread", "n", "constant"]
    return partition_tables(results, "precision@k", _OWN) | {
        "stand-ins": rare[columns].reset_index(drop=True)
    }


def findings(tables: Tables) -> Findings:
    """Return the findings alone, without the paper's page."""
    return Findings(
        title="Surrogate functions for precision at the top, ICML 2015: over partitions",
        citation=CITATION,
        verdict=list(verdict(tables["tests"], tables["partitions"])),
        picture=picture(tables["tests"]),
        tables=[over_partitions(tables["partitions"], tables["tests"])],
    )
