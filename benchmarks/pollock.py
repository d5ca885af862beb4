"""Polluted files of Pollock (VLDB 2023) read with nothing told, by Pollock's own measure.

python -m benchmarks.pollock FOLDER

FOLDER has `polluted`, `clean` and `files.csv` with the columns file, stands_for and weight. A file is worth
10: one for being read at all, and precision, recall and F1 of the names of columns, of the rows, and of the
cells, each compared as text. The simple score is the mean over files, each as often as it stands for, the
weighted one the mean by weight. Files below 10 are listed, those that cost most in the weighted score first.
Both scores are printed again without files that have no header or several tables: Pollock wants the first
row as names, and the first table alone, where attop says what it saw and asks.
"""

import csv
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from attop_bench.data.errors import DatasetError
from attop_bench.data.reading.as_found import read_as_found

#: Kinds of files of which a person wants something else than Pollock.
APART = ("file_no_header", "file_multitable")


def agreement(found, right):
    """Return the sum of precision, recall and F1 of what was found."""
    if found == right:
        return 3
    common = (Counter(found) & Counter(right)).total()
    sizes = len(found), len(right), (len(found) + len(right)) / 2
    return sum(common / max(size, 0.5) for size in sizes)


def read(file, folder):
    """Return the points of a file, and how it was read or why not."""
    try:
        table, reader, _ = read_as_found(folder / "polluted" / file, "csv", {})
    except DatasetError as error:
        return 0, f"refused: {error}"
    frame = table.frame.astype(str)
    found = [tuple(frame), *frame.itertuples(index=False, name=None)]
    with open(folder / "clean" / file, newline="", encoding="utf-8") as text:
        right = list(map(tuple, csv.reader(text)))
    names, rows = agreement(found[0], right[0]), agreement(found[1:], right[1:])
    return 1 + names + rows + agreement(sum(found[1:], ()), sum(right[1:], ())), str(reader)


def main(folder):
    """Print the two scores, and the files that cost them."""
    warnings.simplefilter("ignore")
    files = pd.read_csv(Path(folder) / "files.csv").fillna({"weight": 0})
    scores = [read(file, Path(folder)) for file in files["file"]]
    files = files.assign(score=[score for score, _ in scores], read=[how for _, how in scores])
    rest = files[~files["file"].str.startswith(APART)]
    for measure, weight in (("simple", "stands_for"), ("weighted", "weight")):
        files[measure] = (10 - files["score"]) * files[weight] / files[weight].sum()
        without = np.average(rest["score"], weights=rest[weight])
        print(f"{measure}: {10 - files[measure].sum():.3f}; {without:.3f} without {', '.join(APART)}")
    short = files[files["score"] < 10].sort_values(["weighted", "simple"], ascending=False)
    print(
        short[["file", "score", "simple", "weighted", "read"]].to_csv(
            sep="\t", index=False, float_format="%.3f"
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])
