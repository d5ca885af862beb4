"""Differences between list and rest, and the top by one column alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attop.experiment import Fold
from attop.extending import Floats, Ints
from attop_bench.data.columns.labels import shares_of_others


class Difference(NamedTuple):
    """A column, or one category of it, on the list and in the rest."""

    what: str
    is_share: bool
    #: listed, rest: Its mean, or the share of the category.
    listed: float
    rest: float
    #: Their difference over the root of the mean of the two variances (Austin 2009).
    standardised: float


def differences(
    X: pd.DataFrame, categorical: Sequence[str], listed: NDArray[np.bool_]
) -> list[Difference]:
    """Compute the difference of each column between list and rest, the largest standardised one first.

    Of a column of `categorical` it is the category whose shares differ most. Missing values are left out.

    References
    ----------
    Austin (2009), "Using the standardized difference to compare the prevalence of a binary variable between
    two groups in observational research", Communications in Statistics - Simulation and Computation 38.
    """
    differences_found = []
    for name in X:
        sides = [X.loc[side, name].dropna() for side in (listed, ~listed)]
        if not all(map(len, sides)):
            continue
        if name in categorical:
            shares = pd.concat(
                [side.value_counts(normalize=True) for side in sides], axis=1
            ).fillna(0.0)
            means, names = (
                shares.to_numpy(),
                [f"{name} = {value}" for value in shares.index],
            )
            variances = means * (1 - means)
        else:
            means, variances = (
                np.array([[f(side) for side in sides]], float)
                for f in (np.mean, np.var)
            )
            names = [name]
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (means[:, 0] - means[:, 1]) / np.sqrt(variances.mean(axis=1))
        found[np.isnan(found)] = 0.0  # of a constant
        first = int(np.argmax(np.abs(found)))
        listed_mean, rest_mean = means[first].tolist()
        differences_found.append(
            Difference(
                names[first],
                name in categorical,
                listed_mean,
                rest_mean,
                float(found[first]),
            )
        )
    return sorted(differences_found, key=lambda one: -abs(one.standardised))


def one_column(
    X: pd.DataFrame,
    categorical: Sequence[str],
    y: Ints,
    folds: Sequence[Fold],
    measure: Callable[[Ints, Floats], float],
) -> list[tuple[str, Floats]]:
    """Choose the column that orders the training part of each fold best, and score the test part by it.

    Columns of `categorical` are ordered by the share of positives of each category in training; where the
    best is chosen, a training row's own label does not count for its share. `measure` goes from rows and
    their scores to a value, higher is better.
    """
    columns = []
    for fold in folds:
        orders = (
            order
            for name in X
            for order in _orders(X[name], name in categorical, y, fold.train)
        )
        none = "none, of text alone", np.zeros(len(y))
        best = max(
            orders,
            key=lambda order: np.nan_to_num(
                measure(fold.train, order[1][fold.train])
            ),
            default=none,
        )
        columns.append((best[0], best[1][fold.test]))
    return columns


def _orders(
    column: pd.Series, is_text: bool, y: Ints, train: Ints
) -> Iterator[tuple[str, Floats]]:
    if is_text:
        text, mean = column.fillna(""), float(y[train].mean())
        by_category = pd.Series(y[train]).groupby(text.iloc[train].to_numpy())
        # Of few rows, near the mean.
        rates = (by_category.sum() + mean) / (by_category.count() + 1)
        shares = text.map(rates).fillna(mean).to_numpy(np.float64, copy=True)
        shares[train] = shares_of_others(
            pd.factorize(text.iloc[train])[0], y[train]
        )
        yield f"`{column.name}` by its share of positives", shares
        return
    for sign, first in ((1, "highest"), (-1, "lowest")):
        values = sign * column.to_numpy(np.float64)
        missing = np.isnan(values)
        values[missing] = values.min(where=~missing, initial=0.0) - 1
        yield f"`{column.name}`, {first} first", values
