"""Hits of the next list: positives among the k highest of a list that is not there yet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from attop._core.parameters import check_numbers, check_seed, check_share
from attop._core.sample import check_labels, check_scores, plain_array
from attop._core.typing import Floats, Ints
from attop._core.wording import format_hits
from attop.metrics._overlap import inside_top
from attop.metrics._roc import RocPoints, roc_points
from attop.statistics._effective import design_effect, effective_number

#: Held-out positives, and held-out rows, and entities, at the top, below which nothing is promised.
MIN_POSITIVES, MIN_TOP = 5, 10
_DRAWS, _MOST_BINS, _LENGTHS = 4000, 80, 24
#: Length of the path, in multiples of k.
_REACH = 3


@dataclass(frozen=True)
class HeldOut:
    """Test part: rows on which the model that scored them was neither trained nor tuned.

    Attributes
    ----------
    rows : ndarray of shape (n,)
        Which rows of the sample they are, from 0, each once: parts may share some.
    y_true : ndarray of shape (n,)
        1 for a positive, else 0.
    y_score : ndarray of shape (n,)
    entity : ndarray of int of shape (n,), optional
        Customer or machine of each row, from 0, where rows of one are alike: the list to come has others.
    """

    rows: Ints
    y_true: Ints
    y_score: Floats
    entity: Ints | None = None

    def __post_init__(self) -> None:
        labels, rows = check_labels(self.y_true), plain_array(self.rows, "rows")
        whole = rows.dtype.kind in "iu" and rows.shape == labels.shape
        if not whole or rows.min() < 0 or len(np.unique(rows)) < len(rows):
            raise ValueError(
                f"rows must be a row number, from 0, for each of the {len(labels)} labels, all different, "
                f"got {rows.dtype} of shape {rows.shape}"
            )
        if self.entity is not None:
            entity = plain_array(self.entity, "entity")
            if (
                entity.dtype.kind not in "iu"
                or entity.shape != labels.shape
                or entity.min() < 0
            ):
                raise ValueError(
                    f"entity must be a number, from 0, for each of the {len(labels)} labels, got "
                    f"{entity.dtype} of shape {entity.shape}: number those of all parts as one sample"
                )
        object.__setattr__(self, "rows", rows.astype(np.int64, copy=False))
        object.__setattr__(self, "y_true", labels)
        object.__setattr__(self, "y_score", check_scores(self.y_score, len(labels)))


@dataclass(frozen=True)
class NextList:
    """Positives among the k highest of the next list.

    Attributes
    ----------
    k, length : int
        Rows at the top, of how many.
    expected, low, high : float
        Mean and prediction interval; NaN where the sample is too small.
    least : float
        Lower end of the interval of the mean over many such lists, which the list's own interval holds.
    ks : ndarray of shape (m,)
        From 1 to three times k.
    path, band_low, band_high : ndarray of shape (m,)
        Mean for each of them, and a band that holds for all at once.
    optimism : float
        Positives taken off because the model was chosen among others by the same rows.
    reason : str
        Why nothing is promised; empty if something is.
    """

    k: int
    length: int
    expected: float
    low: float
    high: float
    least: float
    ks: Ints
    path: Floats
    band_low: Floats
    band_high: Floats
    optimism: float
    reason: str

    @property
    def sentence(self) -> str:
        """The expected hits, or why nothing is promised."""
        where = f"the {self.k:,} highest of {self.length:,} rows"
        if self.reason:
            return f"Of {where} nothing is promised: {self.reason}"
        expected = format_hits(self.expected, self.k)
        noun = "positive" if expected == "1" else "positives"
        within = f"{self.low:,.0f} to {self.high:,.0f} in 95% of such lists"
        return f"Of {where} expect {expected} {noun} ({within})"


def next_list(
    parts: Sequence[HeldOut],
    k: int,
    length: int,
    *,
    rivals: Sequence[Sequence[HeldOut]] = (),
    prevalence: float | None = None,
    confidence: float = 0.95,
    random_state: int = 0,
) -> NextList:
    """Predict how many positives the k highest of a new list hold.

    Parameters
    ----------
    parts : sequence of HeldOut
        Of the model, all test parts of a cross-validation, repeated or not.
    k, length : int
        Rows at the top of the list to come, of how many; 1 <= k <= length.
    rivals : sequence of sequence of HeldOut
        The other models on the same parts, if the model was chosen among them.
    prevalence : float, optional
        Share of positives of the list to come, by default that of the sample. Positives and negatives must
        look as before, and only their numbers differ.
    confidence : float
        Of interval and band, between 0 and 1.
    random_state : int
        Of the 4,000 lists that are drawn.

    Raises
    ------
    ValueError
        If k, length, prevalence or confidence are out of range, or there is no part.

    Notes
    -----
    The interval is of the count in one list, not of its mean over lists. Held-out rows are put into narrow
    bins by the share of their part that ranks above them, ties in every order alike. A list is drawn in two
    steps: shares of the bins and their precision from what the sample leaves open (Dirichlet, Beta; a row
    that several parts hold counts once), then as many rows as the list has. So the interval covers
    the sample, the list, and the place where the list is cut. Where rows belong to entities, both sample and
    list are of units of rows that come together, each as large as the design effect: the factor by which the
    variance of the hits is larger than for independent rows. That factor is an estimate, and a bad one of few
    entities where some are large, since other large ones will come. So hits vary as Student's t does, with as
    many degrees of freedom as there are entities behind the factor, by Kish's effective number of their
    squares. For another `prevalence` a held-out row counts as much as there are such rows in the list to one
    in the sample, and none counts as more than one row of evidence.

    The best of several equal models looks better than it is. So the optimism of that choice is taken off, by
    the bootstrap of Efron (1983): how much better a model is on resampled rows that choose it than on all.

    It holds for rows drawn as those of the sample were: it allows for no change over time.
    studies/claims/next_list.py measures its coverage.

    References
    ----------
    Efron (1983), "Estimating the error rate of a prediction rule: improvement on cross-validation", Journal
    of the American Statistical Association 78.
    """
    _check_asked(k, length, prevalence, confidence)
    check_seed(random_state)
    _check_parts(parts, rivals)
    parts = _renumbered(parts)
    positives, n = _distinct_rows(parts)
    paths = [roc_points(part.y_true, part.y_score) for part in parts]
    once = n / sum(map(_size, paths))  # a row that several parts hold counts once
    evidence = 1.0
    if prevalence is not None and 0 < positives < n:
        worth = (
            np.array(
                [[(1 - prevalence) / (n - positives)], [prevalence / positives]]
            )
            * n
        )
        paths = [RocPoints(*(worth * np.stack(path))) for path in paths]
        evidence = 1 / float(worth.max())
    alike = _alike(parts, k / length)
    ks = _lengths(k, length)
    reason = _too_few(positives, n * k / length, alike)
    if reason:
        nan, none = math.nan, np.full(len(ks), math.nan)
        return NextList(
            k=k,
            length=length,
            expected=nan,
            low=nan,
            high=nan,
            least=nan,
            ks=ks,
            path=none,
            band_low=none,
            band_high=none,
            optimism=nan,
            reason=reason,
        )
    units, rng = (
        max(round(length / alike.effect), 1),
        np.random.default_rng(random_state),
    )
    cuts = ks.astype(np.float64) * (units / length)
    in_units = _drawn(
        paths, n / alike.effect, evidence, k / length, units, cuts, rng
    )
    drawn, means = (hits * (length / units) for hits in in_units)
    if math.isfinite(alike.entities):
        spread = np.sqrt(alike.entities / rng.chisquare(alike.entities, _DRAWS))
        drawn, means = _widened(drawn, spread), _widened(means, spread)
    optimism = 0.0
    if rivals:
        optimism = (
            _optimism([parts, *rivals], k / length, once, random_state) * length / n
        )
    drawn = np.clip(drawn - optimism * np.minimum(ks / k, 1), 0, ks)
    return _summed_up(k, length, ks, drawn, means, confidence, optimism)


def _check_asked(
    k: int, length: int, prevalence: float | None, confidence: float
) -> None:
    check_numbers(k=k, length=length)
    if k > length:
        raise ValueError(
            f"k must be from 1 to the length of the list, {length}, got {k}"
        )
    check_share("confidence", confidence)
    if prevalence is not None:
        check_share("prevalence", prevalence)


def _check_parts(
    parts: Sequence[HeldOut], rivals: Sequence[Sequence[HeldOut]]
) -> None:
    for model in (parts, *rivals):
        if not isinstance(model, Sequence) or not all(
            isinstance(part, HeldOut) for part in model
        ):
            raise ValueError(
                "parts, and each of rivals, must be a list of HeldOut, one a test part"
            )
    if not parts:
        raise ValueError(
            "parts is empty: give the test parts of a cross-validation"
        )
    if not all(_tested_on(parts) == _tested_on(rival) for rival in rivals):
        raise ValueError(
            "rivals must have the rows and labels of parts, part by part"
        )


def _distinct_rows(parts: Sequence[HeldOut]) -> tuple[int, int]:
    """Count the distinct positives, and the distinct rows, of all parts."""
    distinct = np.unique(
        np.concatenate([2 * part.rows + part.y_true for part in parts])
    )
    if len(distinct) > len(np.unique(distinct // 2)):
        raise ValueError(
            "parts give one of the rows two labels: number the rows of all parts as one sample"
        )
    return int((distinct % 2).sum()), len(distinct)


def _too_few(positives: int, top: float, alike: _Alike) -> str:
    """Explain why the sample is too small to promise anything; empty if it is large enough."""
    times, why = "", ""
    if alike.effect != 1:
        times, why = (
            f"{alike.effect:.1f} times ",
            ", as rows of an entity are alike",
        )
    needed = f"are needed{why}, and there are"
    if positives < MIN_POSITIVES * alike.effect:
        return f"at least {times}{MIN_POSITIVES} held-out positives {needed} {positives}"
    if top < MIN_TOP * alike.effect:
        return (
            f"at least {times}{MIN_TOP} held-out rows at the top {needed} {top:.3g}"
        )
    if alike.at_top < MIN_TOP:
        return (
            f"at least {MIN_TOP} held-out entities at the top are needed, and those there are, of unequal "
            f"size, count as {alike.at_top:.1f}"
        )
    return ""


def _lengths(k: int, length: int) -> Ints:
    """List the lengths of the top at which hits are drawn, k among them."""
    reach = min(_REACH * k, length)
    return np.union1d(
        np.linspace(1, reach, min(reach, _LENGTHS)).round(), [k]
    ).astype(np.int64)


def _summed_up(
    k: int,
    length: int,
    ks: Ints,
    drawn: Floats,
    means: Floats,
    confidence: float,
    optimism: float,
) -> NextList:
    """Summarise drawn hits by an interval and a band, and their `means` at k by its lower end."""
    at = int(np.searchsorted(ks, k))
    tail = (1 - confidence) / 2
    ends = np.quantile(drawn[:, at], [tail, 1 - tail], method="inverted_cdf")
    low, high = math.floor(ends[0]), math.ceil(ends[1])
    path, std = drawn.mean(axis=0), np.maximum(drawn.std(axis=0), 1e-9)
    wide = np.quantile(np.abs((drawn - path) / std).max(axis=1), confidence) * std
    band_high = np.minimum(np.ceil(path + wide), ks)
    return NextList(
        k=k,
        length=length,
        expected=float(path[at]),
        low=low,
        high=high,
        least=float(np.clip(np.quantile(means, tail) - optimism, low, path[at])),
        ks=ks,
        path=path,
        # Among more rows there are no fewer positives.
        band_low=np.maximum.accumulate(np.maximum(np.floor(path - wide), 0)),
        band_high=np.minimum.accumulate(band_high[::-1])[::-1],
        optimism=optimism,
        reason="",
    )


def _drawn(
    paths: list[RocPoints],
    n: float,
    evidence: float,
    top: float,
    length: int,
    ks: Floats,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Draw positives among the ks highest of lists, of shape (draws, len(ks)), and their means at a top.

    All are in units of rows that come together: the sample has n of them, each worth `evidence`, and a list
    has `length`. A path is straight within a unit. The top is a share of the list.
    """
    share = ks[-1] / length
    # Lists differ in where they are cut.
    looked_at = min(1.0, 1.5 * share + 5 * math.sqrt(share / length))
    bins = int(np.clip(math.ceil(looked_at * n / 2), 8, _MOST_BINS))
    edges = np.linspace(0, looked_at, bins + 1)
    edges = edges if looked_at == 1 else np.append(edges, 1.0)
    sizes = np.diff(edges) * n * evidence
    worth = n * evidence / sum(map(_size, paths))
    hits = worth * np.diff(sum(path.hits(edges * _size(path)) for path in paths))
    # Jeffreys' half a unit on either side, over the top.
    prior = np.minimum(0.5 * np.diff(edges) / top, 0.5)
    precision = rng.beta(
        hits + prior, np.maximum(sizes - hits, 0) + prior, (_DRAWS, len(sizes))
    )
    weights = rng.gamma(sizes, size=precision.shape)
    weights /= weights.sum(axis=1, keepdims=True)
    counts = rng.multinomial(length, weights)
    positives = rng.binomial(counts, precision)
    rows, found, before, right = (
        np.pad(np.cumsum(a, axis=1), ((0, 0), (1, 0)))
        for a in (counts, positives, weights, weights * precision)
    )
    draw = np.arange(_DRAWS)
    last = np.minimum((before[:, 1:] < top).sum(axis=1), len(sizes) - 1)
    means = length * (
        right[draw, last] + (top - before[draw, last]) * precision[draw, last]
    )
    cuts = np.unique(np.concatenate([np.floor(ks), np.ceil(ks)])).astype(np.int64)
    at_cuts = np.empty((_DRAWS, len(cuts)))
    for column, cut in enumerate(cuts):
        # Bin in which the list is cut.
        last = np.minimum((rows[:, 1:] < cut).sum(axis=1), len(sizes) - 1)
        hit = positives[draw, last]
        inside = rng.hypergeometric(
            hit, counts[draw, last] - hit, cut - rows[draw, last]
        )
        at_cuts[:, column] = found[draw, last] + inside
    below = np.searchsorted(cuts, np.floor(ks))
    above = np.searchsorted(cuts, np.ceil(ks))
    return at_cuts[:, below] + (ks - np.floor(ks)) * (
        at_cuts[:, above] - at_cuts[:, below]
    ), means


def _optimism(
    models: list[Sequence[HeldOut]], share: float, once: float, random_state: int
) -> float:
    """Estimate by how many hits, in the rows of the sample, the choice of the best flatters it."""
    units = [
        part.rows if part.entity is None else part.entity for part in models[0]
    ]
    count = 1 + max(int(unit.max()) for unit in units)
    influence, hits = np.zeros((count, len(models))), np.zeros(len(models))
    for column, parts in enumerate(models):
        for part, unit in zip(parts, units, strict=True):
            hits_of_part, adds = _influence(part, share)
            hits[column] += once * hits_of_part
            np.add.at(influence[:, column], unit, once * adds)
    noise = np.random.default_rng(random_state).multivariate_normal(
        np.zeros(len(models)), influence.T @ influence, _DRAWS, method="eigh"
    )
    best = np.argmax(hits + noise, axis=1)
    return float(noise[np.arange(_DRAWS), best].mean())


def _influence(part: HeldOut, share: float) -> tuple[float, Floats]:
    """Count the hits of a part, and what each row adds to them, less what it pushes over the edge."""
    path, places = roc_points(part.y_true, part.y_score), share * len(part.rows)
    around = np.array([0.75 * places, min(1.25 * places, len(part.rows))])
    margin = np.diff(path.hits(around)) / np.diff(around)
    return float(path.hits(places)), inside_top(part.y_score, places) * (
        part.y_true - margin
    )


class _Alike(NamedTuple):
    """Ratio of the spread of hits to the spread if rows of an entity were no more alike than others.

    `entities` is the number that this estimate rests on, `at_top` the number behind the rows at the top, both
    by Kish's effective number; infinite where rows are independent.
    """

    effect: float = 1.0
    entities: float = math.inf
    at_top: float = math.inf


def _alike(parts: Sequence[HeldOut], share: float) -> _Alike:
    if any(part.entity is None for part in parts):
        return _Alike()
    rows, entities = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("rows", "entity")
    )
    adds = np.concatenate([_influence(part, share)[1] for part in parts])
    inside = np.concatenate(
        [inside_top(part.y_score, share * len(part.rows)) for part in parts]
    )
    # A row that several parts hold is one.
    _, first, row = np.unique(rows, return_index=True, return_inverse=True)
    of_row, of_entity = np.bincount(row, adds), entities[first]
    if len(np.unique(of_entity)) == len(of_entity):
        return _Alike()
    return _Alike(
        effect=design_effect(of_row, of_entity),
        entities=effective_number(np.bincount(of_entity, of_row) ** 2),
        at_top=effective_number(inside, entities),
    )


def _widened(hits: Floats, spread: Floats) -> Floats:
    """Multiply the distance of drawn hits from their mean by `spread`; the first axis is that of draws."""
    mean = hits.mean(axis=0)
    return mean + ((hits - mean).T * spread).T


def _renumbered(parts: Sequence[HeldOut]) -> list[HeldOut]:
    """Number rows, and entities if all parts have them, from 0 without gaps."""
    rows = _codes([part.rows for part in parts])
    entities: Sequence[Ints | None] = [None] * len(parts)
    if named := [part.entity for part in parts if part.entity is not None]:
        entities = _codes(named) if len(named) == len(parts) else entities
    return [
        replace(part, rows=numbers, entity=entity)
        for part, numbers, entity in zip(parts, rows, entities, strict=True)
    ]


def _codes(columns: Sequence[Ints]) -> list[Ints]:
    """Encode the numbers of all columns together as 0, 1, ..., in ascending order."""
    codes = np.unique(np.concatenate(columns), return_inverse=True)[1]
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])


def _tested_on(parts: Sequence[HeldOut]) -> list[tuple[bytes, bytes]]:
    return [(part.rows.tobytes(), part.y_true.tobytes()) for part in parts]


def _size(path: RocPoints) -> float:
    return float(path.fp[-1] + path.tp[-1])
