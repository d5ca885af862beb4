"""Verdicts of the page of a run, and cells that it leaves undecided, by data set.

    python -m studies.claims.cells results

A comparison is of the models at one top of one data set, by its own metric. A cell is a model in it that is
not the best and has a value: "behind" or "equal" are decided, "open", "untested" and "unranked" are not. A
comparison is "shown" if the best is better than all others.
"""

import argparse
from pathlib import Path

import pandas as pd

from attop.experiment import Verdict
from attop_bench.files import read_json
from attop_bench.papers.page import read_tables
from attop_bench.report.compute.results import Results

DECIDED = (Verdict.AHEAD.word, Verdict.EQUAL.word)
UNDECIDED = (Verdict.OPEN.word, Verdict.UNTESTED.word, Verdict.UNRANKED.word)


def count_cells(results):
    """Return a row for each data set of `Results`, and one for all: comparisons, shown, and cells by word."""
    rows = {}
    for dataset, metric in results.own.items():
        keys = [key for key in results.judgements if key[:2] == (dataset, metric)]
        rows[dataset] = _counted([results.judgements[key] for key in keys], results.methods)
    table = pd.DataFrame(rows).T.fillna(0).astype(int)
    table.loc["all"] = table.sum()
    return table.rename_axis("dataset").reset_index()


def _counted(judged, methods):
    counts = dict.fromkeys((*DECIDED, *UNDECIDED, Verdict.ABSENT.word), 0)
    for one in judged:
        for method in methods:
            if method not in one.first:
                counts[one.state(method).word] += 1
    shown = sum(one.is_shown for one in judged)
    cells = sum(counts[word] for word in (*DECIDED, *UNDECIDED))
    return {"comparisons": len(judged), "shown": shown, "cells": cells, **counts}


def in_words(counted):
    """Say the last row of `count_cells`."""
    total = counted.iloc[-1]
    undecided = int(total[list(UNDECIDED)].sum())
    percent = 100 * undecided / total["cells"] if total["cells"] else 0.0
    return (
        f"{total['comparisons']} comparisons, {total['shown']} with a winner that is shown; "
        f"{total['cells']} cells, {undecided} undecided ({percent:.0f}%)"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="of the results, with manifest.json and tables")
    folder = parser.parse_args().folder
    counted = count_cells(Results(read_tables(folder / "tables"), read_json(folder / "manifest.json")))
    print(counted.to_string(index=False))
    print(in_words(counted))


if __name__ == "__main__":
    main()
