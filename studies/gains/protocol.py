"""Shared by the protocols of this folder: splits of public sets, one after the other, and tables of gains.

    python -m studies.gains.NAME run FOLDER results.csv [--splits 10] [--part 0/2]
    python -m studies.gains.NAME table results.csv...

FOLDER holds the files as `rare_sets` names them. Splits come one after the other over all sets, so that what
was run before an end is complete splits; what a file holds already is not run again.
"""

import argparse
import csv
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from attop.statistics import wilcoxon
from studies.gains.rare_sets import SETS

#: Of whatever sample is ranked.
TOPS = {"n+/4": {"kappa": 0.25}, "n+/2": {"kappa": 0.5}, "n+": {"kappa": 1.0}}
#: In alphabetical order every second set, from the second on, was there for development; the others confirm.
DEVELOPMENT = sorted(SETS)[1::2]


def program(doc, names, run_one, table, splits=10):
    """Run or tabulate a protocol: ``run_one(name, split, folder)`` yields rows, ``table(rows)`` prints."""
    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    commands = parser.add_subparsers(required=True, dest="command")
    runs = commands.add_parser("run")
    runs.add_argument("folder", type=Path)
    runs.add_argument("results", type=Path)
    runs.add_argument("--splits", type=int, default=splits)
    runs.add_argument("--sets", nargs="+", choices=names, default=names)
    runs.add_argument("--part", default="0/1", help="this process runs every PARTS-th split, from PART")
    commands.add_parser("table").add_argument("results", nargs="+")
    args = parser.parse_args()
    if args.command == "table":
        return table(pd.concat(map(pd.read_csv, args.results), ignore_index=True))
    part, parts = map(int, args.part.split("/"))
    started = args.results.exists()
    done = set(map(tuple, pd.read_csv(args.results)[["set", "split"]].to_numpy())) if started else set()
    todo = [(name, split) for split in range(args.splits) for name in args.sets]
    with args.results.open("a", encoding="utf-8", newline="") as file:
        writer = None
        for name, split in todo[part::parts]:
            rows = [] if (name, split) in done else list(run_one(name, split, args.folder))
            for row in rows:
                if writer is None:
                    writer = csv.DictWriter(file, ["set", "split", *row], lineterminator="\n")
                    if not started:
                        writer.writeheader()
                writer.writerow({"set": name, "split": split, **row})
            file.flush()


def gains_by_set(rows, value, base):
    """Return the mean gain of each set; one that is 0 but for rounding is 0."""
    return (rows[value] - rows[base]).groupby(rows["set"]).mean().round(12)


def won_tied_lost(gains):
    """Count the sets won and lost by more than 0.002."""
    won, lost = int((gains > 0.002).sum()), int((gains < -0.002).sum())
    return f"{won}-{len(gains) - won - lost}-{lost}"


def p_value(gains):
    """Return p of Wilcoxon's signed-rank test over sets, two-sided and exact, zeros split."""
    return f"{wilcoxon(gains, np.zeros(len(gains))).p:.2g}" if np.any(gains != 0) else "1"


def print_row(*cells):
    print(f"| {' | '.join(cells)} |")


def print_head(*cells):
    print_row(*cells)
    print("|" + "---|" * len(cells))
