"""The data sets of Boyd et al. (2012) over many partitions, with features prepared in several ways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from attop_bench.papers.findings import Findings, Tables
from studies.aatp2012 import CITATION, over_partitions
from studies.partitions.partitions import partition_tables, picture


def tables(results: Tables, story: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return P@tau by preparation, and the methods in pairs."""
    return partition_tables(results, "precision@k", ["aatp", "aatp-pairs"])


def findings(tables: Tables) -> Findings:
    """Return the findings alone, without the paper's page."""
    return Findings(
        title="Accuracy at the Top, NIPS 2012: over partitions",
        citation=CITATION,
        verdict=["**A part of the page of [AATP](../aatp2012/README.md).**"],
        picture=picture(tables["tests"]),
        tables=[over_partitions(tables["tests"])],
    )
