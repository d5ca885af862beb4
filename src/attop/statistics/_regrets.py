"""Methods over data sets: regret, and how a mean depends on which sets they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from attop.statistics._rounding import count_wins, difference
from attop.statistics._two_methods import MIN_DATASETS

_BLOCK = 1000  # resamples at once: those of a hundred data sets take 0.8 MB


def regret(values: pd.DataFrame, *, higher_is_better: bool) -> pd.DataFrame:
    """Compute the regret of each value, its distance from the best of its row; NaN where it is not finite.

    Parameters
    ----------
    values : DataFrame, data sets x methods
    higher_is_better : bool
    """
    score = values.astype(float).where(np.isfinite(values.astype(float))) * (
        1 if higher_is_better else -1
    )
    best = score.max(axis=1).to_numpy()[:, None]
    return pd.DataFrame(
        difference(best, score), index=score.index, columns=score.columns
    )


def complete_block(
    complete: pd.DataFrame,
) -> tuple[pd.DataFrame, list[str], dict[str, list[str]]]:
    """Leave out methods and data sets until the rest has every result.

    As long as one is missing, the method or data set that lacks the largest share is left out; of equals the
    method, because data sets are the samples. Two methods with a result in common both stay.

    Parameters
    ----------
    complete : DataFrame of bool, data sets x methods

    Returns
    -------
    block : DataFrame
        The rest.
    methods : list of str
        Those left out.
    datasets : dict of str to list of str
        Data sets left out -> the methods that lacked them.
    """
    methods: list[str] = []
    datasets: dict[str, list[str]] = {}
    left = complete if len(complete) else complete.iloc[:, :0]
    while not left.empty and not left.to_numpy().all():
        of_methods = (~left).mean(axis=0)
        of_datasets = (~left).mean(axis=1)
        if of_methods.max() == 1.0 or (
            of_methods.max() >= of_datasets.max() and left.shape[1] > 2
        ):
            methods.append(str(of_methods.idxmax()))
            left = left.drop(columns=methods[-1])
        else:
            dataset = str(of_datasets.idxmax())
            datasets[dataset] = [str(m) for m in left if not left.loc[dataset, m]]
            left = left.drop(index=dataset)
    return left, methods, datasets


@dataclass(frozen=True)
class Bootstrap:
    """Means over data sets, with bootstrap intervals.

    Attributes
    ----------
    n : int
        Data sets.
    level : float
        Of the intervals, such as 0.95.
    mean, low, high : Series, methods
        Mean over the data sets, and its percentile interval; the interval is NaN where refused.
    p_best : Series, methods
        Share of the resamples in which the method has the best mean, divided between methods that share it;
        NaN where refused. They sum to 1.
    refused : str or None
        Why there is neither interval nor share.
    """

    n: int
    level: float
    mean: pd.Series
    low: pd.Series
    high: pd.Series
    p_best: pd.Series
    refused: str | None = None


def bootstrap_means(
    values: pd.DataFrame,
    *,
    higher_is_better: bool,
    level: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> Bootstrap:
    """Bootstrap the means of methods over data sets.

    Parameters
    ----------
    values : DataFrame, data sets x methods
        A value of each method on each data set, such as a rank or a mean over runs; finite.
    higher_is_better : bool
    level : float, in (0, 1)
    n_resamples : int, at least 1
    seed : int

    Notes
    -----
    Data sets are drawn as they were measured: that each of them was measured on few runs is not in the
    interval, and a collection of data sets is not a random sample of the reader's. With few of them
    percentile intervals are too narrow, and below five they are refused.

    References
    ----------
    B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7, 1979, pages 1-26.
    """
    table = values.to_numpy(np.float64)
    if not np.isfinite(table).all():
        raise ValueError(
            "a value is not finite: compare methods on data sets on which all have one"
        )
    n, m = table.shape
    nothing = pd.Series(np.nan, index=values.columns)
    mean = values.mean(axis=0) if n else nothing
    if n < MIN_DATASETS or not m:
        there_are = "there is" if n == 1 else "there are"
        few = f"A bootstrap needs at least {MIN_DATASETS} data sets, and {there_are} {n}."
        return Bootstrap(
            n=n,
            level=level,
            mean=mean,
            low=nothing,
            high=nothing,
            p_best=nothing,
            refused=few,
        )
    rng = np.random.default_rng(seed)
    means = np.empty((n_resamples, m))
    wins = np.zeros(m)
    for start in range(0, n_resamples, _BLOCK):
        size = min(_BLOCK, n_resamples - start)
        means[start : start + size] = drawn = (
            rng.multinomial(n, np.full(n, 1 / n), size) @ table / n
        )
        score = drawn if higher_is_better else -drawn
        wins += count_wins(score)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Bootstrap(
        n=n,
        level=level,
        mean=mean,
        low=pd.Series(low, index=values.columns),
        high=pd.Series(high, index=values.columns),
        p_best=pd.Series(wins / n_resamples, index=values.columns),
    )
