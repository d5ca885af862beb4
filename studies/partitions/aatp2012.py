"""The data sets of Boyd et al. (2012) over many partitions, with features prepared in several ways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from attop_bench.papers.findings import Findings, Tables, printed_numbers
from studies.aatp2012 import CITATION, PRINTED, over_partitions
from studies.partitions.partitions import paired_tests, partition_tables, picture


def tables(results: Tables, story: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return P@tau by preparation, and the methods in pairs; by the positives at the top on Ionosphere."""
    own, printed = ["aatp", "aatp-pairs"], printed_numbers(PRINTED)
    rivals = printed[~printed["method"].isin(own)].groupby("dataset")["method"].agg(set)
    both = partition_tables(results, "precision@k", own, rivals)
    runs = results["evaluation"]
    ionosphere = {**results, "evaluation": runs[runs["dataset"] == "ionosphere.standard"]}
    return {**both, "positives": paired_tests(ionosphere, "positives@top", own, rivals)}


def findings(tables: Tables) -> Findings:
    """Return the findings alone, without the paper's page."""
    return Findings(
        title="Accuracy at the Top, NIPS 2012: over partitions",
        citation=CITATION,
        verdict=["**A part of the page of [AATP](../aatp2012/README.md).**"],
        picture=picture(tables["tests"]),
        tables=[over_partitions(tables["tests"])],
    )
