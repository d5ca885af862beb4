"""Answer to predictions that somebody sends: refused with a reason, or their row of the board.

    python -m studies.board.answer predictions.parquet FOLDER

FOLDER/answer.md says it; a refusal ends with status 1. Test parts, labels and scores are looked at first,
before anything is measured. Of what is accepted, FOLDER/page is the board with its row.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from attop.extending import join_first
from attop_bench.cli.main import main as attop
from attop_bench.files import write_text
from attop_bench.papers.page import read_tables
from attop_bench.run.rescore import COLUMNS
from studies import board
from studies.board import send

MOST_BYTES = 200_000_000
#: The fold of a row that none tests.
_NOWHERE = -1
_COMPARED = ("TopStack", "LightGBM", "Logistic regression")


def read(path: Path) -> pd.DataFrame:
    """Return the predictions in a file; a ValueError where it is none, or has not what it must."""
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file")
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path}: {path.stat().st_size:,} bytes; the board takes {MOST_BYTES:,} at most")
    try:
        frame = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    except Exception as error:
        raise ValueError(f"{path}: neither CSV nor Parquet ({error})") from None
    if missing := [name for name in (*COLUMNS, "repeat") if name not in frame]:
        raise ValueError(f"{path}: no column {missing[0]!r}: it needs {', '.join((*COLUMNS, 'repeat'))}")
    for name in ("row", "fold", "repeat", "label"):
        if frame[name].dtype.kind not in "iu":
            raise ValueError(f"{path}: column {name!r} must be whole numbers, got {frame[name].dtype}")
    if frame["score"].dtype.kind not in "iuf" or not np.isfinite(frame["score"].astype(float)).all():
        raise ValueError(f"{path}: scores must be finite numbers")
    return frame


def check(frame: pd.DataFrame) -> None:
    """Refuse, with a ValueError, what is not tested as on the board, in all folds of each of its sets."""
    if frame.empty:
        raise ValueError("there are no rows: write a row for each item that a fold tests")
    splits = pd.read_csv(board.FOLDER / "splits.csv.gz", dtype={"tested_in": str})
    tested = splits.set_index(["set", "repeat"])["tested_in"]
    positives = pd.read_csv(board.FOLDER / "sets.csv", index_col="set")["positives"]
    _check_names(frame, set(splits["set"]))
    keys = ["dataset", "method", *(["top"] if "top" in frame else [])]
    for key, rows in frame.groupby(keys, observed=True):
        name, of_set = key[0], tested[key[0]]
        for repeat in of_set.index.union(rows["repeat"].unique()):
            where = f"{', '.join(map(str, key))}, repeat {repeat}"
            if repeat not in of_set.index:
                raise ValueError(f"{where}: the board has no such repeat of this set")
            part = rows[rows["repeat"] == repeat]
            _check_repeat(part, of_set[repeat], where)
            _check_labels(part["label"], None if "-" in of_set[repeat] else int(positives[name]), where)


def _check_names(frame: pd.DataFrame, sets: set[str]) -> None:
    """Refuse a method whose name is taken, and sets that are not on the board."""
    taken = set(frame["method"]) & set(pd.read_csv(board.FOLDER / "values.csv", nrows=0))
    if taken:
        raise ValueError(f"{taken.pop()!r} is on the board: give your method another name")
    if unknown := sorted(set(frame["dataset"].astype(str)) - sets):
        raise ValueError(f"{join_first(unknown)}: no set of the board, which has {', '.join(sorted(sets))}")


def _check_labels(labels: pd.Series, positives: int | None, where: str) -> None:
    """Refuse labels that are no 0 and 1, or of which not so many are 1."""
    if not labels.isin([0, 1]).all():
        raise ValueError(f"{where}: labels must be 0 or 1, got {sorted(labels.unique())[:5]}")
    if positives is not None and labels.sum() != positives:
        raise ValueError(
            f"{where}: {labels.sum()} labels are 1, on the board {positives}: take y of the set's dataset.npz"
        )


def _check_repeat(rows: pd.DataFrame, tested: str, where: str) -> None:
    """Refuse rows that are not each in the fold that tests it, once."""
    expected = np.array([_NOWHERE if sign == "-" else int(sign) for sign in tested])
    numbers = rows["row"].to_numpy()
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= len(expected)):
        raise ValueError(
            f"{where}: the set has rows 0 to {len(expected) - 1}, got {numbers.min()} to {numbers.max()}"
        )
    if len(np.unique(numbers)) < len(numbers):
        raise ValueError(f"{where}: a row is scored twice")
    folds = np.full(len(expected), _NOWHERE)
    folds[numbers] = rows["fold"].to_numpy()
    other = np.flatnonzero(folds != expected)
    if other.size:
        is_in, belongs = (_in_words(array[other[0]]) for array in (folds, expected))
        raise ValueError(
            f"{where}: {other.size} rows are not in the fold that tests them: row {other[0]} is in {is_in}, "
            f"on the board in {belongs}: use splits.csv.gz"
        )


def _in_words(fold: int) -> str:
    return "none" if fold == _NOWHERE else f"fold {fold}"


def accepted(path: Path, folder: Path) -> str:
    """Return the row of predictions that passed, as Markdown, and write the board's page with it.

    Raises
    ------
    ValueError
        See `studies.board.send.row`.
    """
    scored = folder / "scored"
    attop(["rescore", str(path), "--output", str(scored)])
    send.row(scored, folder / "page")
    made = read_tables(folder / "page")["values"].set_index(["set", "top"])
    old = pd.read_csv(board.FOLDER / "values.csv", nrows=0)
    new = [name for name in made if name not in old]
    lines = []
    for method in new:
        values = made.dropna(subset=[method])
        shown = [method, *(name for name in _COMPARED if name in values)]
        means = values.groupby(level="top", sort=False)[shown].mean()
        sets = values.index.unique("set")
        lines += [f"**{method}**, mean precision on {join_first(list(sets), 40)}", ""]
        lines += ["| top | " + " | ".join(shown) + " |", "|---" * (len(shown) + 1) + "|"]
        for top, row in means.iterrows():
            lines.append(f"| {top} | " + " | ".join(f"{value:.3f}" for value in row) + " |")
        lines.append("")
    return "\n".join(lines)


def answer(path: Path, folder: Path) -> bool:
    """Write ``answer.md`` into a folder; return whether the predictions were accepted."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        check(read(path))
        text, is_accepted = accepted(path, folder), True
    except ValueError as error:
        text, is_accepted = f"Refused: {error}\n", False
    write_text(folder / "answer.md", text)
    return is_accepted


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer; return 1 for a refusal."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("predictions", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    is_accepted = answer(options.predictions, options.folder)
    print((options.folder / "answer.md").read_text(encoding="utf-8"))
    return 0 if is_accepted else 1


if __name__ == "__main__":
    sys.exit(main())
