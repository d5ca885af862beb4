"""Card precision@100 in one order of tied cards: the worst, the best, and the one the handbook's code has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from attop.metrics import card_precision, get_metric


def least(y_true: ArrayLike, y_score: ArrayLike, k: int, entities: ArrayLike, days: ArrayLike) -> float:
    """Card precision with tied cards ordered against the model."""
    return card_precision(y_true, y_score, k, entities, days).low


def greatest(y_true: ArrayLike, y_score: ArrayLike, k: int, entities: ArrayLike, days: ArrayLike) -> float:
    """Card precision with tied cards ordered in favour of the model."""
    return card_precision(y_true, y_score, k, entities, days).high


def in_order(y_true: ArrayLike, y_score: ArrayLike, k: int, entities: ArrayLike, days: ArrayLike) -> float:
    """Card precision with tied cards as pandas' unstable sort leaves each day's cards, named in order.

    With another version of NumPy, or on another processor, that order may be another.
    """
    rows = pd.DataFrame({"card": entities, "fraud": y_true, "score": y_score})
    caught, found = pd.Index([]), []
    for _, day in rows.groupby(np.asarray(days)):
        cards = day[~day["card"].isin(caught)].groupby("card").max()
        checked = cards.sort_values("score", ascending=False).head(k)
        frauds = checked.index[checked["fraud"] == 1]
        caught = caught.append(frauds)
        found.append(len(frauds) / k)
    return float(np.mean(found))


_EXPECTED = get_metric("card-precision-100")
LEAST, GREATEST, IN_ORDER = (
    replace(_EXPECTED, title=f"{_EXPECTED.title}, {title}", ties=ties, kernel=kernel)  # type: ignore[arg-type]
    for title, ties, kernel in (
        ("least", "tied cards ordered against the model", least),
        ("greatest", "tied cards ordered in favour of the model", greatest),
        ("in order", "tied cards as an unstable sort leaves them, which is the handbook's order", in_order),
    )
)
