"""Precision at the top where it is not certain how many items can be acted on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike

from attop._core.sample import Label, check_labels, check_scores
from attop.metrics._ranking import Ranking

#: How far from 1 the sum of a law may be.
_ROUNDING = 1e-9


def expected_precision(
    y_true: ArrayLike,
    y_score: ArrayLike,
    law: Mapping[int, float],
    *,
    pos_label: Label | None = None,
) -> float:
    r"""Compute the expected precision@k where k, the capacity, is drawn from a law.

    .. math:: \sum_k P(k) \, \mathrm{precision@}k.

    Parameters
    ----------
    y_true, y_score, pos_label
        As for `precision_at_k`.
    law : mapping
        Probability by number of items k, from 1 to n. The probabilities sum to 1.

    Returns
    -------
    precision : float in [0, 1]
        The exact expectation over k and over a uniformly random order of tied items.

    Raises
    ------
    ValueError
        If an argument is malformed, the probabilities do not sum to 1, or a k of positive probability is
        above n.

    See Also
    --------
    precision_at_k : The same for one k.

    Notes
    -----
    Vanderschueren et al. (2022) rank by the expected precision of a capacity that is limited and uncertain.
    The registry does not have it, as its law is not a top.

    Examples
    --------
    >>> expected_precision([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], {1: 0.5, 2: 0.5})
    0.75
    """
    labels = check_labels(y_true, pos_label)
    ranking = Ranking.of_list(labels, check_scores(y_score, len(labels)))
    value = 0.0
    for k, chance in _checked(law, len(labels)).items():
        hits = ranking.positives_in_top(np.array([k]))
        value += chance * float(hits[0]) / k
    return value


def _checked(law: Mapping[int, float], n: int) -> dict[int, float]:
    """Check a law, and select the k of positive probability."""
    positive: dict[int, float] = {}
    for k, chance in law.items():
        if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
            raise ValueError(
                f"law must give probabilities of whole numbers of at least 1, got k = {k!r}"
            )
        if not 0 <= chance <= 1:
            raise ValueError(
                f"law must give probabilities from 0 to 1, got {chance!r} for k = {k}"
            )
        if chance > 0:
            positive[int(k)] = float(chance)
    total = math.fsum(positive.values())
    if abs(total - 1) > _ROUNDING:
        raise ValueError(
            f"the probabilities of law must sum to 1, got {total:g}: divide them by it"
        )
    if max(positive) > n:
        raise ValueError(
            f"law gives k = {max(positive)} a probability, and the list has {n} items: "
            f"give the probability of all larger k to {n}"
        )
    return positive
