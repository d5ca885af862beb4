"""Whom each method would choose from rows without labels: selected and trained on all rows that have them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from attop.core.seeds import derive_seed
from attop.core.typing import Floats, Ints
from attop.experiment.splits import assign_folds, fold_of
from attop_bench.data.base import Dataset
from attop_bench.run.spec import JobSpec
from attop_bench.run.training import run_job

__all__ = ["mailing"]


def mailing(
    dataset: Dataset,
    others: Floats,
    jobs: Mapping[str, JobSpec],
    k: int,
    *,
    inner_folds: int = 5,
    labels: Ints | None = None,
) -> pd.DataFrame:
    """Return the `k` highest of the rows `others` by each method.

    Parameters
    ----------
    dataset : Dataset
        All of it trains; `inner_folds` stratified folds select.
    others : ndarray of shape (m, d)
    jobs : mapping of method to JobSpec
        Of which protocol, repeat and fold are not looked at.
    k : int, at most m
    labels : ndarray of shape (m,), optional
        Of the rows `others`, to count; nothing is learnt from them.

    Returns
    -------
    table : DataFrame
        ``method``, ``place`` from 1, ``row`` of `others` from 1, ``score``, ``tied`` (whether other rows of
        this score are left out; chance decides which, the same for every method), ``positive`` (0 or 1, NaN
        without labels). A method that fails has no rows.
    """
    n, m = len(dataset.y), len(others)
    # Labels of the rows to choose from are needed to make a data set, and never read.
    whole = Dataset(dataset.name, np.vstack([dataset.X, others]), np.concatenate([dataset.y, np.zeros(m)]))
    tables = []
    for method, job in jobs.items():
        rng = np.random.default_rng(derive_seed(job.seed, "mailing", dataset.name))
        fold = fold_of(
            dataset.y,
            np.arange(n),
            np.arange(n, n + m),
            inner_folds,
            lambda rows, count, rng=rng: assign_folds(dataset.y[rows], count, rng),  # type: ignore[misc]
        )
        chance = rng.permutation(m)
        outcome = run_job(job, whole, fold)
        if not outcome.record.ok:
            continue
        scores = outcome.scores[0]
        order = np.lexsort((chance, -scores))[:k]
        last = scores[order[-1]]
        partly = (scores == last).sum() > (scores[order] == last).sum()
        tables.append(
            pd.DataFrame(
                {
                    "method": method,
                    "place": np.arange(1, k + 1),
                    "row": order + 1,
                    "score": scores[order],
                    "tied": (scores[order] == last) & partly,
                    "positive": np.nan if labels is None else labels[order].astype(float),
                }
            )
        )
    return pd.concat(tables, ignore_index=True)
