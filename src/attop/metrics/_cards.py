"""Card precision: the cards found by a team that checks k of them a day; and the metric of that name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attop._core.parameters import check_number, check_seed
from attop._core.sample import Label, check_groups, check_labels, check_scores
from attop._core.top import Top
from attop._core.typing import Bools, Floats, Ints, TopLike
from attop.metrics._metric import Family, Metric, MetricValue, UndefinedMetricError

Ties = Literal["first", "last"]


class CardPrecision(NamedTuple):
    """Card precision of a model.

    Attributes
    ----------
    value : float
        Mean over the days, and over `n_orders` random orders of tied cards; exact where `low` is `high`.
    low, high : float
        With tied cards ordered against and in favour of the model.
    per_day : ndarray of shape (n_days,)
        Mean precision of each day, in sorted order of `days`.
    """

    value: float
    low: float
    high: float
    per_day: Floats


@dataclass(frozen=True)
class _Cards:
    """Each card once a day: its highest score, and whether an item of the day is positive."""

    entity: list[Ints]
    score: list[Floats]
    positive: list[Bools]
    n_entities: int

    @classmethod
    def of(cls, y: Ints, scores: Floats, entities: Ints, days: Ints) -> _Cards:
        order = np.lexsort((entities, days))
        new = np.ones(len(order), dtype=bool)
        new[1:] = (np.diff(days[order]) != 0) | (np.diff(entities[order]) != 0)
        first = np.flatnonzero(new)
        ends = np.flatnonzero(np.diff(days[order][first])) + 1
        return cls(
            np.split(entities[order][first], ends),
            np.split(np.maximum.reduceat(scores[order], first), ends),
            np.split(np.maximum.reduceat(y[order], first) == 1, ends),
            int(entities.max()) + 1,
        )

    def k_per_day(self, top: Top) -> list[int]:
        """Count the cards that are checked each day."""
        ks = []
        for day, positive in enumerate(self.positive, 1):
            try:
                ks.append(top.resolve(len(positive), int(positive.sum())))
            except ValueError:
                raise UndefinedMetricError(
                    "k > n",
                    f"card precision is undefined: {top} is more than the {len(positive)} cards of day {day} "
                    "(the days in order, from 1): lower k or leave that day out",
                ) from None
        return ks

    def per_day(self, ks: list[int], ties: Ties | np.random.Generator) -> Floats:
        """Compute the precision of each day; cards that were found are left out on later days."""
        caught = np.zeros(self.n_entities, dtype=bool)
        # Days on which a card is yet to be positive.
        to_come = np.zeros(self.n_entities, dtype=np.int64)
        for entity, positive in zip(self.entity, self.positive, strict=True):
            to_come[entity] += positive
        precision = []
        for entity, score, positive, k in zip(
            self.entity, self.score, self.positive, ks, strict=True
        ):
            to_come[entity] -= positive
            left = np.flatnonzero(~caught[entity])
            if isinstance(ties, np.random.Generator):
                left = ties.permutation(left)
            else:
                # To find the most cards, check those last that can still be found on a later day.
                place = np.lexsort((to_come[entity[left]], ~positive[left]))
                left = left[place if ties == "first" else place[::-1]]
            checked = left[np.argsort(-score[left], kind="stable")[:k]]
            frauds = checked[positive[checked]]
            caught[entity[frauds]] = True
            precision.append(len(frauds) / k)
        return np.array(precision)


def card_precision(
    y_true: ArrayLike,
    y_score: ArrayLike,
    top: TopLike,
    entities: ArrayLike,
    days: ArrayLike,
    *,
    n_orders: int = 200,
    random_state: int = 0,
    pos_label: Label | None = None,
) -> CardPrecision:
    """Share of compromised cards among the `k` checked each day, mean over the days.

    Each day every card counts once, by its highest score, and is compromised if an item of that day is
    positive. The `k` highest are checked; those found compromised are blocked and are not there on later
    days. This is card precision of Le Borgne et al., "Reproducible machine learning for credit card fraud
    detection". With customers, accounts or machines in place of cards it is what a team finds day by day.

    Parameters
    ----------
    y_true, y_score
        As for `precision_at_k`.
    top : Top, int or mapping
        Cards checked a day, resolved among the cards of the day. Where fewer are left than that, all are
        checked, and the precision is still a share of `k`.
    entities : array-like of shape (n,)
        Card of each item.
    days : array-like of shape (n,)
        Day of each item; days follow each other in sorted order.
    n_orders : int, at least 1
        Random orders of tied cards, for `value`.
    random_state : int
        Draws them.
    pos_label : str, int, float or bool, optional
        The label of the positive class.

    Raises
    ------
    UndefinedMetricError
        If a day has fewer than `k` cards.
    ValueError
        If the input is malformed.

    Notes
    -----
    Differences from the handbook: its code takes tied cards in the order in which the sort leaves them, so
    that its number is one of those between `low` and `high`.

    The least and the greatest number of cards found are taken day by day, each day's ties against or in
    favour of the model. What is found today is missing tomorrow, so that over the week another order may,
    rarely, find one card less or more: of small weeks of seven cards, 2 in 100.

    Examples
    --------
    Ann is found on Monday and not looked at again:

    >>> cards = ["ann", "ann", "bob", "ann", "bob", "cat"]
    >>> days = ["1 Mon", "1 Mon", "1 Mon", "2 Tue", "2 Tue", "2 Tue"]
    >>> found = card_precision([0, 1, 0, 1, 1, 0], [0.2, 0.9, 0.3, 0.8, 0.4, 0.4], 1, cards, days)
    >>> found.low, found.high, found.per_day[0].item()
    (0.5, 1.0, 1.0)
    """
    labels = check_labels(y_true, pos_label)
    values = check_scores(y_score, len(labels))
    top = Top.of(top)
    check_number("n_orders", n_orders)
    check_seed(random_state)
    cards = _Cards.of(
        labels,
        values,
        check_groups(entities, len(labels)),
        check_groups(days, len(labels)),
    )
    k = cards.k_per_day(top)
    extremes = np.array([cards.per_day(k, "last"), cards.per_day(k, "first")])
    low, high = extremes.mean(axis=1)
    if np.array_equal(*extremes):
        return CardPrecision(float(low), float(low), float(high), extremes[0])
    rng = np.random.default_rng(random_state)
    orders = np.array([cards.per_day(k, rng) for _ in range(n_orders)])
    weeks = orders.mean(axis=1)
    per_day = orders.mean(axis=0)
    return CardPrecision(
        float(weeks.mean()),
        float(min(low, weeks.min())),
        float(max(high, weeks.max())),
        per_day,
    )


@dataclass(frozen=True, repr=False)
class CardMetric(Metric):
    """A metric of entities checked day by day, k of them a day; k is its `parameter`, not the top of the run.

    `kernel` is called as ``kernel(y_true, y_score, k, entities, days)`` and returns the value.
    """

    def evaluate(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        top: TopLike | None = None,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
        *,
        entities: ArrayLike | None = None,
        days: ArrayLike | None = None,
    ) -> MetricValue:
        """Compute the value on a sample, or NaN and the reason, such as that there are no entities or days.

        `top` and `groups` are not used, and weights are refused.
        """
        self._check_weights(sample_weight, len(np.asarray(y_true)))
        if entities is None or days is None:
            return MetricValue(
                float("nan"), 0, 1, "the data name no entities or no days"
            )
        assert self.parameter is not None
        try:
            value = self.kernel(
                check_labels(y_true, pos_label),
                y_score,
                int(self.parameter[1]),
                entities,
                days,
            )
        except UndefinedMetricError as error:
            return MetricValue(float("nan"), 0, 1, error.reason)
        return MetricValue(float(value), 1, 0)


def _value(
    y_true: ArrayLike,
    y_score: ArrayLike,
    k: int,
    entities: ArrayLike,
    days: ArrayLike,
) -> float:
    return card_precision(y_true, y_score, k, entities, days).value


CARD_PRECISION = Family(
    CardMetric(
        "card-precision-{}",
        "Card precision@{}",
        "Share of compromised cards among the {} checked each day, mean over the days; each counts once a "
        "day, by its highest item, and not at all once it was found.",
        _value,  # type: ignore[arg-type]
        "Undefined without entities and days, or where a day has fewer than k cards.",
        ties="mean over 200 random orders of tied cards",
    ),
    "k",
    "a whole number of at least 1",
    lambda k: k >= 1 and k == int(k),
)
