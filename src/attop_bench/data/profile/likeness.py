"""Values that come back as names do: rows of one value are alike, or numbers are far apart."""

from __future__ import annotations

import numpy as np
import pandas as pd

from attop.extending import Ints

#: Fewer values than this say little about what a column is; and fewer people than this are no entities.
FEW = 20
FEWEST = 10
#: Share of rows that differ in a column of identifiers, or of values that are of one kind.
NEARLY = 0.95
#: Pairs of rows with the same number to every one of neighbouring numbers, 1 where numbers are measured.
_FAR = 5.0
#: By so much of the usual distance are rows of an entity nearer than those of neighbouring values.
_ALIKE = 0.2


def are_far_apart(present: pd.Series) -> bool:
    """Decide whether numbers come back though neighbouring numbers are rare, as codes do.

    Numbers that people round are no codes: these end in one digit most often.
    """
    counts = present.astype(np.int64).value_counts().sort_index()
    same = float((counts * (counts - 1)).sum())
    near = (
        counts.to_numpy()[1:]
        * counts.to_numpy()[:-1]
        * (np.diff(counts.index) == 1)
    )
    ends = pd.Series(counts.index % 10).value_counts(normalize=True).iloc[0]
    return (
        same > 2 * FEW and same > _FAR * max(2.0 * near.sum(), 1.0) and ends < 0.3
    )


def look_like_names(present: pd.Series) -> bool:
    """Decide whether most values are written alike: with as many signs, a digit among them."""
    values = pd.Series(present.astype(str).unique())
    width = values.str.len()
    return bool(
        (width == width.mode()[0]).mean() >= NEARLY / 2
        and values.str.contains(r"\d").mean() >= NEARLY
    )


def are_alike(frame: pd.DataFrame, name: str, present: pd.Series) -> bool:
    """Decide whether rows of a value resemble each other more than rows of neighbouring values do.

    In some column they must be nearer, by a share `_ALIKE` of the distance of any two rows, and by more than
    five standard errors over the values.
    """
    rng = np.random.default_rng(0x0A11CE)  # made data often have the seed 0
    value = pd.factorize(present, sort=True)[0]
    order = np.lexsort((rng.random(len(value)), value))
    value = value[order]
    start = np.searchsorted(value, np.arange(value[-1] + 2))
    again = np.flatnonzero(value[1:] == value[:-1])
    again = again[value[again] < value[-1]]
    if len(np.unique(value[again])) < FEWEST:
        return False
    beyond = start[value[again] + 1]
    rows, any_row = (
        frame.loc[present.index[order]],
        rng.permutation(len(value))[: len(again)],
    )
    for other in frame.columns.drop(name):
        ranks = _ranks(rows[other], value[-1] + 1)
        if ranks is None:
            continue
        by, is_text = ranks
        same, near, usual = (
            np.abs(by[again] - by[rows_too])
            for rows_too in (again + 1, beyond, any_row)
        )
        if is_text:
            same, near, usual = (distance > 0 for distance in (same, near, usual))
        gain = pd.Series(near.astype(float) - same).groupby(value[again]).mean()
        error = gain.std() / np.sqrt(len(gain))
        if nearer(gain.mean(), error, usual.mean()):
            return True
    return False


def nearer(gain: float, error: float, usual: float) -> bool:
    """Decide whether rows are nearer than others: by a share of the usual distance, and beyond chance."""
    return bool(gain > _ALIKE * usual and gain > 5 * error)


def _ranks(values: pd.Series, most: int) -> tuple[Ints, bool] | None:
    """Rank the values of a column, and tell whether only their equality counts; None if it is of no use.

    Text of nearly as many as `most` values names what is to be judged once more.
    """
    if pd.api.types.is_numeric_dtype(values):
        return values.rank(method="dense").fillna(0).to_numpy(np.int64), False
    try:
        codes = pd.factorize(values)[0]
    except TypeError:
        return None
    return (codes, True) if codes.max() < 0.9 * most - 1 else None
