"""Gains of TopStack by the length of the list, described.

python -m studies.searched.lengths --data FOLDER
python -m studies.searched.lengths --read second

The first writes how long the lists of the first fold's test part are, `lengths.csv`; the second prints the
gains of TopStack by it. A set counts once for each range of lengths, with its mean over the tops in it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from attop_bench.files import write_csv
from studies.searched.judge import AP, HERE, MARGIN, Look, by, gains, p_of
from studies.searched.train import SEARCHED, TOPS
from studies.selectors.sets import CONFIRMATION, DEVELOPMENT, folds, load

#: Ends of the ranges of lengths.
ENDS = [0, 10, 30, 100, 100_000]
LABELS = ["below 10", "10 to 29", "30 to 99", "100 and more"]
RIVALS = [by(SEARCHED, AP), "LightGBM", "Extra trees", "Random forest"]


def lengths(folder: Path) -> pd.DataFrame:
    """Count the rows at each top of the first fold's test part: sets x tops."""
    rows = {}
    for name in [*DEVELOPMENT, *CONFIRMATION]:
        table = load(name, folder)
        y = table.y[folds(table)[0].test]
        rows[name] = [top.resolve(len(y), int(y.sum())) for top in TOPS.values()]
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(TOPS)).rename_axis("set")


def by_length(means: pd.DataFrame, of_sets: pd.DataFrame, method: str, rivals: Sequence[str]) -> pd.DataFrame:
    """Compute the gain of a method over each rival by the length of the list.

    `means` are sets and methods x tops, `of_sets` the `lengths`. p is of Wilcoxon's signed ranks over sets,
    not corrected.
    """
    which = pd.cut(of_sets.stack(), ENDS, right=False, labels=LABELS)
    rows = []
    for rival in rivals:
        of_pairs = gains(means, method, [rival]).stack()
        of_ranges = of_pairs.groupby(
            [which.reindex(of_pairs.index), of_pairs.index.get_level_values(0)], observed=True
        )
        table = of_ranges.mean().round(8)
        for label in LABELS:
            of_range = table.loc[label]
            rows.append(
                {
                    "over": rival,
                    "rows at the top": label,
                    "sets": len(of_range),
                    "gain": round(100 * float(of_range.mean()), 2),
                    "won": int((of_range > MARGIN).sum()),
                    "lost": int((of_range < -MARGIN).sum()),
                    "p": float(f"{p_of(of_range):.2g}"),
                }
            )
    return pd.DataFrame(rows)


def main() -> None:
    """Write the lengths, or print the gains by them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--read", help="name of tables that are here")
    args = parser.parse_args()
    if args.data:
        write_csv(HERE / "lengths.csv", lengths(args.data).reset_index())
    if args.read:
        means = Look.read(args.read).means.set_index(["set", "method"])[list(TOPS)].rename_axis(columns="top")
        of_sets = pd.read_csv(HERE / "lengths.csv", index_col="set").rename_axis(columns="top")
        print(by_length(means, of_sets, "TopStack", RIVALS).to_string(index=False))


if __name__ == "__main__":
    main()
