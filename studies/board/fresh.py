"""Cells of the fresh sets, from results of studies/gains/fresh.py, put into values.csv.

    python -m studies.board.fresh
    python -m studies.board.answers

A set's values are means over the folds that all seven methods of the two questions and their controls have.
"""

import pandas as pd

from attop_bench.files import write_csv
from studies import board

#: What was published with TopStack, and what was run for the board.
RESULTS = (board.FOLDER.parent / "explanation/top-stack.csv", board.FOLDER / "fresh.csv")
#: Methods, and controls, that a fold must have.
NEEDED = [*board._ASKED, "XGBoost", "Random forest", board._RANDOM, board._LABELS]


def cells(rows: pd.DataFrame) -> pd.DataFrame:
    """Return (set, top) x methods, of rows with a set, split, top, method and precision each."""
    wide = rows.pivot(index=["set", "split", "top"], columns="method", values="precision")
    groups = wide.dropna(subset=NEEDED).groupby(level=["set", "top"], sort=False)
    means = groups.mean()
    return means.where(groups.count().eq(groups.size(), axis=0)).rename_axis(columns=None)


def main() -> None:
    """Replace the rows of the fresh sets."""
    listed = pd.read_csv(board.FOLDER / "sets.csv", index_col="set")
    rows = pd.concat(map(pd.read_csv, RESULTS), ignore_index=True)
    rows = rows[rows["set"].map(listed["board"]) == "fresh"]
    old = pd.read_csv(board.FOLDER / "values.csv", index_col=["set", "top"])
    values = board._put(cells(rows), old)
    write_csv(board.FOLDER / "values.csv", values.round(10).reset_index())


if __name__ == "__main__":
    main()
