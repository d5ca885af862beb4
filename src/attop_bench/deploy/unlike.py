"""New rows that are not like those of training: each such feature is named, with what was found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from attop.extending import Floats
from attop_bench.deploy.training import (
    Distances,
    Distribution,
    Rare,
    Training,
    shares_up_to,
    some_rows,
)

#: Of lists like the training rows, this share at most is said to be unlike them.
FALSE_ALARM = 0.01
#: Distances beyond chance and what is usual that matter: so many of the rows have other values; and so many
#: have a number that training hardly had, since they may be the top of the list.
_MATTERS, _MATTER_AT_TOP = 0.1, 0.02
#: Quantiles by which a change of units is looked for, without the ends.
_INNER = np.linspace(0.05, 0.95, 37)
#: Factors of units besides powers of ten: days, months, hours, minutes, years, inches, feet, miles, pounds.
_UNITS = [
    f
    for factor in (7, 12, 24, 60, 3600, 365.25, 2.54, 0.3048, 1.609344, 0.45359237)
    for f in (float(factor), 1 / factor)
]
#: Logarithm of how far a factor of units may be from its estimate.
_NEAR = 0.4
#: Factors that a unit has.
_FACTOR_OF_UNITS = 1.8
#: Digits of values that are compared after a change of units.
_DIGITS = 9


@dataclass(frozen=True)
class Rows:
    """New rows in one aspect, and how much of a distance is chance."""

    distribution: Distribution
    values: Floats
    distances: Distances
    #: Units that the rows of training, and the new ones, are worth.
    units: tuple[float, float]
    #: Probability of a false alarm that this aspect has for each of its distances.
    level: float

    @property
    def present(self) -> Floats:
        """Values of the rows that have one."""
        return self.values[~np.isnan(self.values)]

    @property
    def seen(self) -> Floats:
        """Values that training rows have too, or of a number all."""
        aspect, present = self.distribution.aspect, self.present
        return (
            present[present < len(aspect.values)] if aspect.is_category else present
        )

    @property
    def noise(self) -> float:
        """Kolmogorov distance that chance exceeds with probability `level` at most (Massart 1990)."""
        trained, new = self.units
        trained *= (1 - self.distribution.missing) * (1 - self.distribution.unseen)
        new *= len(self.seen) / len(self.values)
        if not trained or not new:
            return 1.0
        return math.sqrt(math.log(2 / self.level) * (1 / trained + 1 / new) / 2)

    @property
    def is_far(self) -> bool:
        """True if the values are others than those of training."""
        usual = self.distribution.usual.distance
        return self.distances.distance > usual + max(self.noise, _MATTERS)

    def fits(self, distribution: Distribution, values: Floats) -> bool:
        """Decide whether values, such as in other units, cannot be told from those of training."""
        if not len(values) or not len(distribution.cuts):
            return False
        apart = np.abs(shares_up_to(distribution.cuts, values) - distribution.below)
        return float(apart.max()) <= self.noise

    def is_another_share(self, share: float, new: float, usual: float) -> bool:
        """Decide whether a share of the new rows is another than that of training."""
        far = abs(new - share) > usual + _MATTERS
        return far and chance_of_shares(share, new, *self.units) < self.level

    @property
    def rare(self) -> Rare | None:
        """Numbers that training hardly had, if so many rows have one that it is no chance.

        Where the values are others as a whole, they are so without these, too: then there are none.
        """
        distribution, present = self.distribution, self.present
        # Without values, in training or here, there is no distance either.
        if distribution.aspect.what != "number" or not self.distances.distance:
            return None
        rare = distribution.rare(present)
        usual = rare.at_most + max(distribution.usual.unseen, 0.0)
        # Beyond either end, or between.
        chance = (
            3 * rare.tries * chance_of_shares(rare.at_most, rare.share, *self.units)
        )
        if rare.share <= usual + _MATTER_AT_TOP or chance >= self.level:
            return None
        others = present[~np.isin(present, rare.values)]
        return None if self.is_far and not self.fits(distribution, others) else rare


def chance_of_shares(share: float, new: float, trained: float, n: float) -> float:
    """Bound the probability that two samples of one law have shares as far apart.

    It is Hoeffding's of the hypergeometric law, for each of the two samples in the pool of both, and for the
    rows of the pool that are counted, of which those of a sample are as many by the same law; see Chvatal
    (1979), "The tail of the hypergeometric distribution", Discrete Mathematics 25.
    """
    counted = share * trained + new * n
    if not counted:
        return 1.0
    pooled = counted / (trained + n)
    exponent = max(
        trained * _divergence(share, pooled),
        n * _divergence(new, pooled),
        counted * _divergence(new * n / counted, n / (trained + n)),
    )
    return min(1.0, 2 * math.exp(-exponent))


def _divergence(share: float, other: float) -> float:
    """Compute the Kullback-Leibler divergence of two outcomes with these shares."""
    terms = ((share, other), (1 - share, 1 - other))
    return sum(p * math.log(p / q) for p, q in terms if p > 0)


class Finding(NamedTuple):
    """A difference of new rows from training in one feature, in a sentence."""

    column: str
    sentence: str
    #: It is the share of missing values.
    is_missing: bool = False


def findings(training: Training, X: pd.DataFrame, effect: float) -> list[Finding]:
    """Find the features of new rows that are not like those of training.

    `X` has the features as the training rows had them before the model's own steps; a column of it that is
    not in the summary is not looked at. `effect` is how many of the rows are worth one. Of lists drawn as
    the training rows were, at most `FALSE_ALARM` have any finding.
    """
    distributions = [d for d in training.distributions if d.aspect.column in X]
    if not distributions or not len(X):
        return []
    some = X.iloc[some_rows(len(X), len(distributions))]
    units = training.units, len(some) / effect
    # Of each aspect three distances are looked at, at most.
    level = FALSE_ALARM / (3 * len(distributions))
    rows = []
    for distribution in distributions:
        values = distribution.aspect.measure(some)
        rows.append(
            Rows(distribution, values, distribution.distances(values), units, level)
        )
    far = [one for one in rows if one.is_far]
    return [finding for one in rows for finding in _findings_of(one, far)]


def _findings_of(rows: Rows, far: Sequence[Rows]) -> Iterator[Finding]:
    """Yield what was found of one aspect; `far` are those whose values are others."""
    distribution = rows.distribution
    apart = rows.distances
    usual = distribution.usual
    column = distribution.aspect.column
    name = distribution.aspect.name
    missing = distribution.missing + apart.missing
    if rows.is_another_share(
        distribution.missing, missing, max(usual.missing, 0.0)
    ):
        share = f"in {missing:.0%} of the rows, in training in {distribution.missing:.0%}"
        yield Finding(column, f"{name} is missing {share}", is_missing=True)
    unseen = distribution.unseen + apart.unseen
    is_never = distribution.aspect.is_category and apart.unseen > 0
    if is_never and rows.is_another_share(
        distribution.unseen, unseen, max(usual.unseen, 0.0)
    ):
        share = f"in {unseen:.0%} of the rows"
        yield Finding(column, f"{name} has a value that training never had {share}")
    if rare := rows.rare:
        share = f"such as {rare.example:.10g}, in {rare.share:.0%} of the rows"
        yield Finding(
            column, f"{name} has a value that training hardly had, {share}"
        )
    elif rows.is_far:
        yield Finding(column, f"{name} {_change(rows, far)}")


def _change(rows: Rows, far: Sequence[Rows]) -> str:
    """Say what became of the values of a column: those of another, in other units, or other ones."""
    if other := _column_held(rows, far):
        return (
            f"has the values that {other} had in training: did the columns shift?"
        )
    if rows.distribution.aspect.is_category:
        return _change_of_shares(rows)
    if rows.distribution.aspect.what != "number":
        return _change_of_median(rows)
    return _change_of_units(rows) or _change_of_median(rows)


def _column_held(rows: Rows, far: Sequence[Rows]) -> str | None:
    """Find the column whose values these are, if it has others itself."""
    if rows.distribution.aspect.what != "number":
        return None
    others = [
        one.distribution
        for one in far
        if one.distribution.aspect.what == "number" and one is not rows
    ]
    held = (d.aspect.column for d in others if rows.fits(d, rows.present))
    return next(held, None)


def _change_of_units(rows: Rows) -> str | None:
    """Say by what the values were multiplied, or what was added, if that is all that is new."""
    distribution, present = rows.distribution, rows.present
    trained = np.quantile(distribution.quantiles, _INNER, method="inverted_cdf")
    new = np.quantile(present, _INNER, method="inverted_cdf")
    for factor in _factors(trained, new):
        if rows.fits(distribution, _rounded(present / factor)):
            is_unit = (
                abs(math.log(abs(factor))) > math.log(_FACTOR_OF_UNITS)
                or factor < 0
            )
            ask = "another unit?" if is_unit else "why?"
            return f"is {_times(factor)} what it was in training: {ask}"
    added = float(np.median(new - trained))
    if rows.fits(distribution, _rounded(present - added)):
        return f"is what it was in training {_plus(added)}: another origin?"
    if np.ptp(trained) > 0 and np.ptp(new) > 0:
        slope, origin = np.polyfit(trained, new, 1).tolist()
        if slope and rows.fits(distribution, _rounded((present - origin) / slope)):
            return f"is {_times(slope)} what it was in training {_plus(origin)}: another unit?"
    return None


def _factors(trained: Floats, new: Floats) -> Iterator[float]:
    """Yield by what values may have been multiplied: factors of units near the estimate, then the estimate.

    The estimate is the median ratio of quantiles. It has the noise of both samples, so that a round factor
    that explains the values as well comes first; the last are for another sign.
    """
    for sign, turned in ((1.0, new), (-1.0, -new[::-1])):
        is_value = trained != 0
        factor = (
            float(np.median(turned[is_value] / trained[is_value]))
            if is_value.any()
            else 0.0
        )
        if factor <= 0:
            continue
        power = 10.0 ** round(math.log10(factor))
        near = [f for f in (power, *_UNITS) if abs(math.log(f / factor)) < _NEAR]
        near.sort(key=lambda f: abs(math.log(f / factor)))
        yield from (sign * f for f in (*near, factor))


def _rounded(values: Floats) -> Floats:
    """Round off the last digits of values, which change with the units."""
    scale = float(np.abs(values).max()) or 1.0
    return np.round(values / scale, _DIGITS) * scale


def _times(factor: float) -> str:
    return f"{factor:,.3g} times" if abs(factor) < 1000 else f"{factor:,.0f} times"


def _plus(number: float) -> str:
    return f"{'less' if number < 0 else 'plus'} {abs(number):.3g}"


def _change_of_median(rows: Rows) -> str:
    trained, new = (
        float(np.median(rows.distribution.quantiles)),
        float(np.median(rows.present)),
    )
    medians = f"median {new:.4g} for {trained:.4g}"
    return (
        f"has other values than in training: {medians}, {_distance_in_words(rows)}"
    )


def _change_of_shares(rows: Rows) -> str:
    """Name the value whose share changed most."""
    values, seen = rows.distribution.aspect.values, rows.seen.astype(int)
    new = np.bincount(seen, minlength=len(values)) / len(seen)
    trained = np.diff(np.concatenate([[0.0], rows.distribution.below, [1.0]]))
    place = int(np.argmax(np.abs(new - trained)))
    return (
        f"has other values than in training: {values[place]!r} in {new[place]:.0%} of the rows for "
        f"{trained[place]:.0%}, {_distance_in_words(rows)}"
    )


def _distance_in_words(rows: Rows) -> str:
    usual = rows.distribution.usual.distance + max(rows.noise, _MATTERS)
    return f"distance {rows.distances.distance:.2f} (up to {usual:.2f} is usual)"
