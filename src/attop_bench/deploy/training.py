"""A summary of the rows a model was trained on, small enough to be taken away with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attop.experiment import Fold
from attop.extending import Floats, Ints
from attop.statistics import design_effect
from attop_bench.data.base import DatasetError, load_arrays, save_arrays
from attop_bench.deploy.aspects import Aspect, aspects_of

TRAINING = "training.npz"
#: Quantiles that are kept of a number.
_QUANTILES = 101
#: Rows, and cells of all of them, that are looked at: more tell nothing new.
_MOST_ROWS, _MOST_CELLS, _FEWEST_ROWS = 20_000, 20_000_000, 1000
#: Where the ends are cut, as a share of the largest value.
_BEYOND = 1e-9
#: Mean of a Kolmogorov distance, and of that of two shares, in units of its scale under equal laws.
_MEAN_DISTANCE, _MEAN_SHARE = 0.8687, np.sqrt(2 / np.pi)


def _no_numbers() -> Floats:
    return np.empty(0)


@dataclass(frozen=True)
class Distances:
    """Distances of rows from those of training in one aspect: differences of shares from 0 to 1."""

    #: Share of rows without a value, less that of training.
    missing: float = 0.0
    #: Share of present values that training rows do not have, less what is usual of rows like them; of a
    #: number see `Distribution.rare`.
    unseen: float = 0.0
    #: Largest difference of the shares of rows up to a value: the Kolmogorov distance.
    distance: float = 0.0


class Rare(NamedTuple):
    """Values of a number that training hardly had."""

    values: Floats
    #: The most frequent of them.
    example: float
    #: Share of the rows that have one, and the largest share of the training rows that may.
    share: float
    at_most: float
    #: Sets of values that may be as frequent.
    tries: int


@dataclass(frozen=True)
class Distribution:
    """Of the training rows, one aspect."""

    aspect: Aspect
    #: Share of rows without a value.
    missing: float
    #: Share of present values that only one unit has: so many of the next rows have one never seen.
    unseen: float = 0.0
    #: cuts, below: Numbers between the values, and the share of present values up to each; of a category, of
    #: the values that several units have.
    cuts: Floats = field(default_factory=_no_numbers)
    below: Floats = field(default_factory=_no_numbers)
    #: Of a number; empty of a category.
    quantiles: Floats = field(default_factory=_no_numbers)
    #: Largest distances of a test part from its training part, less the mean of chance.
    usual: Distances = field(default_factory=Distances)

    def distances(self, values: Floats) -> Distances:
        """Measure how far values are from these."""
        present = values[~np.isnan(values)]
        missing = 1 - len(present) / len(values) - self.missing
        unseen = 0.0
        if self.aspect.is_category and len(present):
            is_seen = present < len(self.aspect.values)
            unseen = 1 - float(is_seen.mean()) - self.unseen
            present = present[is_seen]
        if not len(present) or not len(self.cuts):
            return Distances(missing, unseen)
        if self.aspect.what == "number":
            rare = self.rare(present)
            unseen = rare.share - rare.at_most
        apart = np.abs(shares_up_to(self.cuts, present) - self.below)
        return Distances(missing, unseen, float(apart.max()))

    def rare(self, present: Floats) -> Rare:
        """Find the values of a number that training hardly had: those below all quantiles or above, or one.

        Of these, the ones that most rows have. A value between quantiles may be in so many rows of training
        as there are between two; so may each code for nothing, such as 0 among positive and negative ones.
        """
        values, rows = np.unique(present, return_counts=True)
        is_new = ~np.isin(values, self.quantiles)
        most = np.argmax(rows * is_new)
        sets = (
            (values < self.cuts[0], float(self.below[0]), 1),
            (values > self.cuts[-1], 1 - float(self.below[-1]), 1),
            (is_new & (values == values[most]), 1 / _QUANTILES, _QUANTILES),
        )
        where, at_most, tries = max(sets, key=lambda one: rows[one[0]].sum())
        share = float(rows[where].sum() / len(present))
        example = float(values[np.argmax(rows * where)])
        return Rare(values[where], example, share, at_most, tries)


@dataclass(frozen=True)
class Training:
    """Of the training rows, all aspects."""

    distributions: Sequence[Distribution] = ()
    #: Units that the rows are worth: rows of one customer, or of one list, count as one.
    units: float = 1.0
    #: Rows that are worth one unit.
    design_effect: float = 1.0


def shares_up_to(cuts: Floats, values: Floats) -> Floats:
    """Compute the share of values that are at most each of the increasing `cuts`."""
    if not len(cuts):
        return _no_numbers()
    places = np.searchsorted(cuts, values, "left")
    return np.cumsum(np.bincount(places, minlength=len(cuts) + 1))[:-1] / len(
        values
    )


def some_rows(n_rows: int, n_columns: int) -> Ints:
    """Select the rows that are looked at: all, or of many a random part, the same at each call."""
    most = min(_MOST_ROWS, max(_FEWEST_ROWS, _MOST_CELLS // max(n_columns, 1)))
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(
        np.random.default_rng(n_rows).choice(n_rows, most, replace=False)
    )


def summarise(
    X: pd.DataFrame, rows: Ints, unit: Ints | None, folds: Sequence[Fold] = ()
) -> Training:
    """Summarise the `rows` of a table that a model was trained on.

    Rows of one `unit` count as one. What is `usual` is how far the test parts of `folds` were from their
    training parts: days that follow, or other customers, differ by more than chance.
    """
    whole = _summary(X, rows, unit)
    usual = [Distances()] * len(whole.distributions)
    for fold in folds:
        part = _summary(X, fold.train, unit)
        test = fold.test[some_rows(len(fold.test), X.shape[1])]
        chance = 1 / part.units + effect_of(test, unit) / len(test)
        for place, distribution in enumerate(part.distributions):
            apart = distribution.distances(
                distribution.aspect.measure(X.iloc[test])
            )
            usual[place] = _larger(
                usual[place], _beyond_chance(distribution, apart, chance)
            )
    distributions = [
        replace(d, usual=u) for d, u in zip(whole.distributions, usual, strict=True)
    ]
    return replace(whole, distributions=distributions)


def effect_of(rows: Ints, unit: Ints | None) -> float:
    """Compute how many of some rows are worth one."""
    if unit is None:
        return 1.0
    return float(design_effect(np.ones(len(rows)), unit[rows]))


def _summary(X: pd.DataFrame, rows: Ints, unit: Ints | None) -> Training:
    """Summarise some rows; what is usual is not known yet."""
    rows = rows[some_rows(len(rows), X.shape[1])]
    part = X.iloc[rows]
    units = np.arange(len(rows)) if unit is None else unit[rows]
    effect = effect_of(rows, unit)
    distributions = [
        _distribution(aspect, aspect.measure(part, is_training=True), units)
        for aspect in aspects_of(part)
    ]
    return Training(distributions, len(rows) / effect, effect)


def _distribution(aspect: Aspect, values: Floats, unit: Ints) -> Distribution:
    is_present = ~np.isnan(values)
    present = values[is_present]
    missing = 1 - len(present) / len(values)
    if not len(present):
        return Distribution(aspect, missing)
    if aspect.is_category:
        return _of_category(aspect, missing, present, unit[is_present])
    places = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    quantiles = np.quantile(present, places, method="inverted_cdf")
    cuts = _cuts_between(quantiles)
    return Distribution(
        aspect,
        missing,
        cuts=cuts,
        below=shares_up_to(cuts, present),
        quantiles=quantiles,
    )


def _of_category(
    aspect: Aspect, missing: float, present: Floats, unit: Ints
) -> Distribution:
    """Compute the distribution of the values that others have too.

    A row is left out whose value no other unit has, as a new row is whose value no unit of training has: else
    common values were more frequent among new rows than in training.
    """
    pairs = pd.DataFrame({"value": present, "unit": unit})
    has_others = pairs.groupby("value")["unit"].transform("nunique").to_numpy() > 1
    unseen = 1 - float(has_others.mean())
    cuts = np.arange(len(aspect.values) - 1, dtype=np.float64)
    if not has_others.any():
        cuts = _no_numbers()
    below = shares_up_to(cuts, present[has_others])
    return Distribution(
        aspect,
        missing,
        unseen=unseen,
        cuts=cuts,
        below=below,
    )


def _cuts_between(quantiles: Floats) -> Floats:
    """Choose numbers between distinct quantiles, and one just outside each end."""
    atoms = np.unique(quantiles)
    margin = _BEYOND * (float(np.abs(atoms).max()) or 1.0)
    return np.concatenate(
        [[atoms[0] - margin], (atoms[1:] + atoms[:-1]) / 2, [atoms[-1] + margin]]
    )


def _beyond_chance(
    distribution: Distribution, found: Distances, chance: float
) -> Distances:
    """Subtract from distances their mean under equal laws; `chance` is the variance of a mean of units."""

    def shares(share: float) -> float:
        return float(_MEAN_SHARE * np.sqrt(chance * share * (1 - share)))

    return Distances(
        abs(found.missing) - shares(distribution.missing),
        found.unseen - shares(distribution.unseen),
        found.distance - float(_MEAN_DISTANCE * np.sqrt(chance)),
    )


def _larger(one: Distances, other: Distances) -> Distances:
    return Distances(
        max(one.missing, other.missing),
        max(one.unseen, other.unseen),
        max(one.distance, other.distance),
    )


def write_training(path: Path, training: Training) -> None:
    """Write a summary."""
    parts = training.distributions
    arrays = {
        name: _joined([getattr(d, name) for d in parts])
        for name in ("cuts", "below", "quantiles")
    }
    for name in ("cuts", "quantiles"):
        arrays[f"sizes_of_{name}"] = np.array(
            [len(getattr(d, name)) for d in parts], np.int64
        )
    records = [
        {
            "aspect": asdict(d.aspect),
            "missing": d.missing,
            "unseen": d.unseen,
            "usual": asdict(d.usual),
        }
        for d in parts
    ]
    meta = {
        "units": training.units,
        "design_effect": training.design_effect,
        "distributions": records,
    }
    save_arrays(path, arrays, meta)


def _joined(arrays: Sequence[NDArray]) -> NDArray:
    return np.concatenate([_no_numbers(), *arrays])


def read_training(path: Path) -> Training:
    """Read what `write_training` wrote."""
    arrays, meta = load_arrays(path)
    try:
        if not meta["distributions"]:
            return Training([], meta["units"], meta["design_effect"])
        ends = {
            name: np.cumsum(arrays[f"sizes_of_{name}"])[:-1]
            for name in ("cuts", "quantiles")
        }
        columns = [
            np.split(arrays[name], ends.get(name, ends["cuts"]))
            for name in ("cuts", "below", "quantiles")
        ]
        records = zip(meta["distributions"], *columns, strict=True)
        distributions = [_distribution_of(*record) for record in records]
        return Training(distributions, meta["units"], meta["design_effect"])
    except (KeyError, TypeError, ValueError) as error:
        raise DatasetError(
            f"{path} is not by attop deploy ({error}): deploy again"
        ) from None


def _distribution_of(
    record: Mapping[str, Any], cuts: Floats, below: Floats, quantiles: Floats
) -> Distribution:
    words = {name: tuple(record["aspect"][name]) for name in ("values", "surely")}
    aspect = Aspect(**{**record["aspect"], **words})
    return Distribution(
        aspect=aspect,
        missing=record["missing"],
        unseen=record["unseen"],
        cuts=cuts,
        below=below,
        quantiles=quantiles,
        usual=Distances(**record["usual"]),
    )
