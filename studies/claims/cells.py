"""Verdicts of the pages of runs and of the board, and cells that they leave undecided, now and before.

    python -m studies.claims.cells results results-claims

prints the page of each folder by data set, and the board by its stored values (docs/board/values.csv).
"Before" is the rule until November 2026 (judge.py) on the same values; which models are equal is as now. Of
the board a comparison is of all methods with a value on every set, at one top; sets are its runs.

A comparison is of the models at one top of one data set, by its own metric. A cell is a model in it that is
not the best and has a value: "behind" or "equal" are decided, "open", "untested" and "unranked" are not. A
comparison is "shown" if the best is better than all others.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from attop.experiment import MIN_RUNS, Verdict
from attop_bench.files import read_json
from attop_bench.papers.page import read_tables
from attop_bench.report.compute.judgements import split_ratio
from attop_bench.report.compute.results import Results
from studies.board import FOLDER
from studies.claims.judge import RISK, vectorised

DECIDED = (Verdict.AHEAD.word, Verdict.EQUAL.word)
UNDECIDED = (Verdict.OPEN.word, Verdict.UNTESTED.word, Verdict.UNRANKED.word)


def behind_by_rule(values, ratio):
    """Return the models that are shown to be behind, now and before, from model -> its values in the runs."""
    names = list(values)
    runs = np.column_stack([values[name] for name in names])
    if len(names) < 2 or len(runs) < MIN_RUNS or not ratio >= 0:
        return set(), set()
    _, others, *p = vectorised(runs[None], ratio)
    now, before, _ = ({names[j] for j in others[of_rule < RISK]} for of_rule in p)
    return now, before


def count_cells(results):
    """Return a row for each data set of `Results`, and one for all: comparisons, shown, and cells by word."""
    rows = {}
    for dataset, metric in results.own.items():
        judged = {key: one for key, one in results.judgements.items() if key[:2] == (dataset, metric)}
        counts = _counted(judged.values(), results.methods)
        rows[dataset] = counts | {"decided_before": _decided_before(judged, results)}
    table = pd.DataFrame(rows).T.fillna(0).astype(int)
    table.loc["all"] = table.sum()
    return table


def _counted(judged, methods):
    counts = dict.fromkeys((*DECIDED, *UNDECIDED, Verdict.ABSENT.word), 0)
    for one in judged:
        for method in methods:
            if method not in one.first:
                counts[one.state(method).word] += 1
    shown = sum(one.is_shown for one in judged)
    cells = sum(counts[word] for word in (*DECIDED, *UNDECIDED))
    return {"comparisons": len(judged), "shown": shown, "cells": cells, **counts}


def _decided_before(judged, results):
    names = ["dataset", "metric", "top", "method"]
    wide, cells = results.evaluation.pivot(index=["repeat", "fold"], columns=names, values="value"), 0
    for key, one in judged.items():
        sign = 1 if one.higher_is_better else -1
        values = sign * wide[key][list(one.scores)].dropna()
        _, behind = behind_by_rule(values, split_ratio(results.runs, key[0]))
        cells += len((behind | set(one.of(Verdict.EQUAL))) - set(one.first))
    return cells


def count_board():
    """Return a row for each top of the board, and one for all; sets are independent."""
    stored, rows = pd.read_csv(FOLDER / "values.csv"), {}
    values = stored.drop(columns=["Labels as scores", "Random scores"]).dropna(axis=1)
    for top, of_top in values.groupby("top"):
        models = of_top.drop(columns=["set", "top"])
        now, before = map(len, behind_by_rule(models, 0.0))
        n = models.shape[1] - 1
        counts = {"cells": n, "behind": now, "open": n - now, "decided_before": before}
        rows[top] = {"comparisons": 1, "shown": now == n, **counts}
    table = pd.DataFrame(rows).T.astype(int)
    table.loc["all"] = table.sum()
    return table


def in_words(counted):
    """Say the last row of `count_cells`."""
    total = counted.iloc[-1]
    undecided = total[counted.columns.intersection(UNDECIDED)].sum()
    before = total["cells"] - total["decided_before"]
    return (
        f"{total['comparisons']} comparisons, {total['shown']} with a winner that is shown; "
        f"{total['cells']} cells, {undecided} undecided, {before} before"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", type=Path, nargs="*", help="of results, with manifest.json and tables")
    tables = {}
    for folder in parser.parse_args().folders:
        read = Results(read_tables(folder / "tables"), read_json(folder / "manifest.json"))
        tables[folder] = count_cells(read)
    tables["board"] = count_board()
    for name, counted in tables.items():
        print(f"\n{name}\n{counted.to_string()}\n{in_words(counted)}")


if __name__ == "__main__":
    main()
