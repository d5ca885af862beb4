"""Positives among the k highest scores: precision, recall, hit, lift, F-beta, amount; average precision."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attop._core.typing import Floats, Ints
from attop.metrics._metric import (
    EXPECTED,
    Kernel,
    Metric,
    Need,
    UndefinedMetricError,
    family,
    metric,
)
from attop.metrics._ranking import Ranking


@metric(
    "precision@k",
    "Precision@k",
    "Undefined for k > n; 0 without positives; at most n+/k.",
    (Need.K_ITEMS,),
    needs_top=True,
)
def precision_at_k(ranking: Ranking, k: Ints) -> Floats:
    """Positives among the k highest scores, divided by k; P@tau when the top is given as tau.

    Boyd et al. (2012), appendix B, with ``k = ceil(tau n)``.

    Notes
    -----
    Differences from the paper: it counts the items scored at least the tau-quantile, which under ties may
    be more than `k`; here they are always `k`, and a tie at the cut counts in expectation.

    Examples
    --------
    >>> precision_at_k([1, 0, 1, 0], [3.0, 2.0, 2.0, 1.0], 2)
    0.75
    """
    return ranking.positives_in_top(k) / k


#: Cuts that are averaged over, relative to k: nine from half to twice, evenly on the scale of logarithms.
CUTS = 2.0 ** np.linspace(-1.0, 1.0, 9)


@metric(
    "smoothed-precision@k",
    "Smoothed precision@k",
    "Undefined for k > n; 0 without positives; cuts are at least 1 and at most n.",
    (Need.K_ITEMS,),
    needs_top=True,
)
def smoothed_precision_at_k(ranking: Ranking, k: Ints) -> Floats:
    """Mean of the precisions at nine cuts from k/2 to 2k, evenly on the scale of logarithms.

    The same question as precision@k with less noise, for choosing between models. A cut between two items is
    interpolated.

    Examples
    --------
    >>> smoothed_precision_at_k([1, 1, 0, 0], [4.0, 3.0, 2.0, 1.0], 1)
    1.0
    """
    cuts = np.clip(np.multiply.outer(CUTS, k), 1.0, ranking.n)
    return np.mean([ranking.positives_in_top(cut) / cut for cut in cuts], axis=0)


@metric(
    "recall@k",
    "Recall@k",
    "Undefined for k > n and without positives; at most k/n+.",
    (Need.K_ITEMS, Need.POSITIVE),
    needs_top=True,
    weighted=True,
)
def recall_at_k(ranking: Ranking, k: Ints) -> Floats:
    """Positives among the k highest scores, divided by the number of positives.

    With weights it is the share captured of what all positives are worth; the top is `k` items, whatever
    these are worth.

    Examples
    --------
    >>> recall_at_k([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], 2)
    0.5
    >>> recall_at_k([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], 2, sample_weight=[900.0, 5.0, 100.0, 7.0])
    0.9
    """
    return ranking.gain_in_top(k) / ranking.total(ranking.gain)


@metric(
    "hit@k",
    "Hit@k",
    "Undefined for k > n; 0 without positives.",
    (Need.K_ITEMS,),
    ties=EXPECTED + ", so a probability",
    needs_top=True,
)
def hit_at_k(ranking: Ranking, k: Ints) -> Floats:
    """1 if there is a positive among the k highest scores, else 0.

    Examples
    --------
    >>> hit_at_k([0, 1, 0, 1], [4.0, 3.0, 2.0, 1.0], 2)
    1.0
    """
    cut = ranking.cut_block(k)
    size = ranking.size[cut]
    pos = ranking.pos[cut]
    taken = k - ranking.before[cut]
    hit = ((ranking.pos_before[cut] > 0) | (pos > 0)).astype(np.float64)
    for g in np.flatnonzero(
        (ranking.pos_before[cut] == 0) & (pos > 0) & (taken < size)
    ):
        # P(no positive among the items taken) = C(t - p, m) / C(t, m), which is symmetric in m and p.
        few, many = sorted((int(taken[g]), int(pos[g])))
        drawn = size[g] - np.arange(few)
        hit[g] = 1.0 - np.prod(np.maximum(drawn - many, 0) / drawn)
    return hit


@metric("ap", "AP", "Undefined without positives.", (Need.POSITIVE,))
def average_precision(ranking: Ranking, k: Ints) -> Floats:
    """Mean over the positives of the precision at their rank.

    Boyd et al. (2012), appendix B. Without ties it equals scikit-learn's ``average_precision_score``, which
    with ties takes a whole tie block as one step instead.

    Notes
    -----
    Differences from the paper: its formula prints ``P@quantile(i)``, which it also uses for the percentage
    i/N; the precision among the first i items is meant.

    Examples
    --------
    >>> average_precision([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0])
    0.8333333333333333
    """
    block, rank = ranking.places()
    size = ranking.size[block]
    pos = ranking.pos[block]
    # A positive at place i of a block shares the i - 1 places before it with (i-1)(p-1)/(t-1) others.
    earlier = (
        (rank - ranking.before[block] - 1) * (pos - 1) / np.maximum(size - 1, 1)
    )
    precision = (ranking.pos_before[block] + 1 + earlier) / rank
    return ranking.total_of_places(block, pos / size * precision) / ranking.n_pos


@metric(
    "lift@k",
    "Lift@k",
    "Undefined for k > n and without positives; 1 in expectation for a random order; at most n/max(k, n+).",
    (Need.K_ITEMS, Need.POSITIVE),
    bounds=(0.0, float("inf")),
    needs_top=True,
    weighted=True,
)
def lift_at_k(ranking: Ranking, k: Ints) -> Floats:
    """Precision@k divided by the share of positives: how many times more positives the top holds than a
    random one. The enrichment factor of drug discovery.

    EF1% is the one of ``{"tau": 0.01}``. With weights: how many times more of what positives are worth.

    Examples
    --------
    >>> lift_at_k([1, 1, 0, 0, 0, 0, 0, 0], [8.0, 1.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0], 2)
    2.0
    """
    return ranking.gain_in_top(k) / ranking.total(ranking.gain) * (ranking.n / k)


@family(
    "f{}@k",
    "F{}@k",
    "Undefined for k > n and without positives; 1 needs k = n+.",
    (Need.K_ITEMS, Need.POSITIVE),
    ("above 0", lambda beta: 0 < beta < float("inf")),
    needs_top=True,
)
def f_beta_at_k(ranking: Ranking, k: Ints, beta: float = 1.0) -> Floats:
    r"""Weighted harmonic mean of precision@k and recall@k, recall counting {} times.

    .. math:: \frac{(1 + \beta^2) \, tp}{k + \beta^2 n_+}

    Parameters
    ----------
    beta : float, positive
        How many times recall counts as much as precision.

    Examples
    --------
    >>> f_beta_at_k([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], 2)
    0.5
    """
    return (
        (1 + beta**2) * ranking.positives_in_top(k) / (k + beta**2 * ranking.n_pos)
    )


@dataclass(frozen=True, repr=False)
class AmountMetric(Metric):
    """A metric of what the positives are worth, by the amounts of the data: not of models' weights."""

    def _check_weights(
        self, sample_weight: ArrayLike | None, n: int
    ) -> Floats | None:
        if sample_weight is None:
            raise UndefinedMetricError(
                "the data name no amount",
                f"{self.name} needs amounts: give them as sample_weight",
            )
        return super()._check_weights(sample_weight, n)


def _amount_in_top(ranking: Ranking, k: Ints) -> Floats:
    return ranking.gain_in_top(k) / k


def _amount(
    name: str, definition: str, kernel: Kernel, most: float = math.inf
) -> AmountMetric:
    edge = "Undefined without amounts, for k > n and without positives."
    needs = (Need.K_ITEMS, Need.POSITIVE)
    title = name.capitalize().replace("-", " ")
    return AmountMetric(
        name,
        title,
        definition,
        kernel,
        edge,
        needs,
        (0.0, most),
        needs_top=True,
        weighted=True,
    )


_SUM = "Sum of the positives' amounts among the k highest scores"
#: Metrics by the column of a data set's `amount`; the sum found is k times the first.
AMOUNTS = {
    one.name: one
    for one in (
        _amount("amount@k", f"{_SUM}, divided by k.", _amount_in_top),
        _amount(
            "amount-share@k",
            f"{_SUM}, divided by that of all positives.",
            recall_at_k.metric.kernel,
            1.0,
        ),
        _amount(
            "amount-lift@k",
            f"{_SUM}, divided by that of a random order.",
            lift_at_k.metric.kernel,
        ),
    )
}
