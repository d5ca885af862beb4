"""Made-up runs of MovieLens trained three ways."""

import pandas as pd
from studies.movielens.ways import CHOICES
from studies.papk2020 import PRINTED

from attop_bench.papers.findings import printed_numbers


def as_printed(split):
    """Return runs: the code's are as printed, those of words the other way round, exact ones all alike."""
    printed = printed_numbers(PRINTED)
    rows = []
    for row in printed[printed["dataset"] == "movielens"].itertuples():
        k = int(row.top.removeprefix("k="))
        for start in (0, 1):
            if row.method != "select-papk":
                rows.append((k, row.method, "code", start, row.mean + 0.002 * start))
            rows.append((k, row.method, "words", start, 1 - row.mean))
        rows.append((k, row.method, "exact", 0, 0.4))
        rows.append((k, "random", "reference", 0, 0.3))
    table = pd.DataFrame(rows, columns=["k", "method", "way", "start", "value"])
    return table.drop_duplicates(["k", "method", "way", "start"]).assign(
        split=split, constant=False, choice=lambda its: its["way"].map(CHOICES)
    )
