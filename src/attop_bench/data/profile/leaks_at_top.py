"""Columns that find positives alone, at the top or by some values, where all others together do not."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attop.extending import Floats, Ints
from attop.metrics import auc, precision_at_k
from attop_bench.data.columns.categories import MANY_VALUES
from attop_bench.data.columns.labels import shares_of_others
from attop_bench.data.profile.missing import says_nothing
from attop_bench.data.profile.phrases import Phrases
from attop_bench.data.profile.readers import Column

#: Lists as parts of the positives, and the share of positives in one from which a column is suspected.
_QUARTER, _HALF = 4, 2
_SUSPECT = {_QUARTER: 0.98, _HALF: 0.95}
#: Share of positives of values which, in order, are suspected at all.
_MOSTLY = 0.8
#: Fewest rows of a list, and of a side by chance.
_SHORTEST, _FEWEST = 5, 10
#: By chance alone, so seldom the others find so many fewer; and of what chance misses, they miss this share.
_CHANCE, _BEHIND = 0.01, 0.03
#: They miss this share where one of many phrases is suspected.
_BEHIND_A_PHRASE = 0.25
#: Share of the positives expected by chance up to which rows with a value, or without one, have none.
_NONE = 0.01
#: Values and rows, at most, from which the others learn; parts that are predicted by the rest of the rows.
_VALUES, _ROWS, _PARTS = 10_000_000, 20_000, 3
#: Signs of text, at most, from which they learn, and the fewest rows of long texts.
_SIGNS, _LEAST = 20_000_000, 1000
#: Of a linear model of words, which may be many or tell nothing.
_PENALTIES = (0.1, 1.0, 10.0)
_SEED = 0x709


@dataclass(frozen=True)
class _Order:
    """An order of the rows by one column."""

    #: What comes first.
    first: str
    #: Higher is earlier.
    scores: Floats
    #: Of so many orders it is one.
    tried: int = 1

    def among(self, rows: Ints) -> _Order:
        """Restrict the order to some of the rows."""
        return replace(self, scores=self.scores[rows])

    def found(self, y: NDArray[np.bool_], part: int) -> tuple[int, float]:
        """Count the positives in a list as long as one of so many parts of n+; the length comes first."""
        length = int(y.sum()) // part
        return length, float(
            precision_at_k(y, self.scores, length)
        ) * length if length else 0.0

    def is_suspected(self, y: NDArray[np.bool_]) -> bool:
        """Decide whether nearly all rows that come first are positive, at a quarter and at half of n+."""
        for part, share in _SUSPECT.items():
            length = int(y.sum()) // part
            if length < _SHORTEST:
                return False
            last = np.partition(self.scores, -length)[-length]
            # No order of equal scores has more.
            if y[self.scores >= last].sum() < share * length:
                return False
            if self.found(y, part)[1] < share * length:
                return False
        return True

    def ahead_of(self, others: Floats, y: NDArray[np.bool_]) -> str:
        """Say how many it finds that the others do not; empty if they find as many."""
        from scipy.stats import fisher_exact

        together = _Order("", others)
        for part in _SUSPECT:
            length, alone = self.found(y, part)
            counts = round(alone), round(together.found(y, part)[1])
            table = [[hits, length - hits] for hits in counts]
            far = counts[0] - counts[1] >= _BEHIND * length * (1 - y.mean())
            by_chance = fisher_exact(table, alternative="greater").pvalue
            if far and by_chance * self.tried < _CHANCE:
                return f"{counts[0]:,} of the {length:,} {self.first} positive; others find {counts[1]:,}"
        return ""


@dataclass(frozen=True)
class _Rows:
    """Some rows by one column."""

    #: What is said of them.
    what: str
    rows: NDArray[np.bool_]
    #: Of so many parts or sides the rows are one.
    tried: int = 1
    #: The others are behind by this share of what chance misses, or expects, at least.
    behind: float = 0.0

    def among(self, rows: Ints) -> Self:
        """Restrict them to some of the rows."""
        return replace(self, rows=self.rows[rows])


class _Side(_Rows):
    """The rows in which a column has a value, or those in which it has none."""

    def is_suspected(self, y: NDArray[np.bool_]) -> bool:
        """Decide whether the side has a quarter of the negatives and, against chance, no positive."""
        expected = self.rows.sum() * y.mean()
        large = (self.rows & ~y).sum() >= (~y).sum() / _QUARTER
        return bool(
            large
            and expected >= _FEWEST
            and (self.rows & y).sum() <= _NONE * expected
        )

    def ahead_of(self, others: Floats, y: NDArray[np.bool_]) -> str:
        """Say how many positives the others expect where there are none; empty if none either."""
        from scipy.stats import poisson

        shares = others * y.sum() / max(others.sum(), 1e-9)
        expected, hits = float(shares[self.rows].sum()), int((self.rows & y).sum())
        far = expected - hits >= self.behind * self.rows.sum() * y.mean()
        if not far or poisson.cdf(hits, expected) * self.tried >= _CHANCE:
            return ""
        return f"{hits:,} of {self.rows.sum():,} rows {self.what} positive; others expect {expected:,.0f}"


@dataclass(frozen=True)
class Part(_Rows):
    """The rows of some values of a column, of which nearly all are positive."""

    behind: float = _BEHIND

    def ahead_of(self, others: Floats, y: NDArray[np.bool_]) -> str:
        """Say how many are positive; empty if the others expect as many, or chance in so many parts."""
        from scipy.stats import binom

        rows = self.rows & ~np.isnan(others)
        if not rows.any():
            return ""
        size, hits = int(rows.sum()), int((rows & y).sum())
        share = float(np.clip(others[rows].mean(), 0.0, 1.0))
        far = hits - share * size >= self.behind * size * (1 - y.mean())
        by_chance = binom.sf(hits - 1, size, share)
        return self.what if far and by_chance * self.tried < _CHANCE else ""


def leaks_at_top(
    frame: pd.DataFrame,
    columns: Sequence[Column],
    y: NDArray[np.bool_],
    told: Sequence[str],
    parts: Mapping[str, Part],
) -> dict[str, str]:
    """Find the columns that alone find nearly all first positives where the others do not, and say how.

    A column orders the rows: by its numbers or days, either way up, by the share of positives of its values,
    or by having one. It is suspected if of its first n+/4 rows 98% are positive, and of its first n+/2 rows
    95%; if the rows with a value, or those without one, hold a quarter of the negatives and no positive; for
    one of the `parts`; or for a word or two that one class alone has, or lacks, in a quarter of its rows. The
    others are what is left without suspected columns, those of `told` and words of suspected rows. A
    suspected column is returned if the others, of models not trained on these rows, find or expect otherwise
    by more than chance.

    Parameters
    ----------
    frame
        Rows with a label.
    columns
        The columns that may be features.
    y
        Shape (n,), which rows are positive.
    told
        Names of columns that are known to tell the label.
    parts
        Column -> rows of its values that are nearly all positive.

    Returns
    -------
    dict of str to str
        Column -> what it finds alone, and what the others find together.
    """
    features = [
        column
        for column in columns
        if column.name not in told and column.is_feature
    ]
    sample = _sampled(frame, features)
    texts = [column.name for column in features if column.kind == "text"]
    phrases = Phrases.of_columns(frame, texts, sample) if texts else None
    suspected = _suspected_columns(frame, columns, y, told)
    of_phrases = _suspected_phrases(phrases, y)
    if not (suspected or of_phrases or parts):
        return {}
    others = _share_by_others(
        frame, features, y, sample, phrases, parts, of_phrases, {*suspected, *parts}
    )
    evidence = {name: [part.ahead_of(others, y)] for name, part in parts.items()}
    for name in {**suspected, **of_phrases}:
        evidence.setdefault(name, []).extend(
            order.among(sample).ahead_of(others[sample], y[sample])
            for order in (*suspected.get(name, ()), *of_phrases.get(name, ()))
        )
    return _first_of_each(evidence)


def _share_by_others(
    frame: pd.DataFrame,
    features: Sequence[Column],
    y: NDArray[np.bool_],
    sample: Ints,
    phrases: Phrases | None,
    parts: Mapping[str, Part],
    of_phrases: Mapping[str, Sequence[Part | _Side]],
    aside: Collection[str],
) -> Floats:
    """Predict the share of positives without the columns `aside` and words of suspected rows."""
    alone = [part.rows for part in parts.values()]
    with_phrases = [part.rows for part in chain(*of_phrases.values())]
    read = [rows[sample] for rows in with_phrases]
    rest = [c for c in features if c.name not in aside]
    rest = _not_telling(frame, rest, alone)
    rest = _not_telling(frame.iloc[sample], rest, read)
    words = phrases and phrases.weights([*alone, *with_phrases], aside)
    # Words are known of the sample alone.
    further = [] if phrases else alone
    return _shares_by(frame, rest, y, sample, further, words)


def _suspected_columns(
    frame: pd.DataFrame,
    columns: Sequence[Column],
    y: NDArray[np.bool_],
    told: Sequence[str],
) -> dict[str, list[_Order | _Side]]:
    """List the suspected orders and sides by column, but for columns of which it is told."""
    usable = (c for c in columns if c.name not in told and c.kind != "unusable")
    orders = {
        c.name: _suspected(frame[c.name], c, y, 2 * len(columns)) for c in usable
    }
    return {name: several for name, several in orders.items() if several}


def _first_of_each(evidence: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Keep the first evidence of each column that has any."""
    first = {name: next(filter(None, hows), "") for name, hows in evidence.items()}
    return {name: how for name, how in first.items() if how}


def _sampled(frame: pd.DataFrame, columns: Sequence[Column]) -> Ints:
    """Draw the rows from which the others learn: of long texts fewer."""
    texts = [column.name for column in columns if column.kind == "text"]
    signs = sum(int(frame[name].astype(str).str.len().sum()) for name in texts)
    most = min(_ROWS, max(_SIGNS * len(frame) // (signs + 1), _LEAST))
    if len(frame) <= most:
        return np.arange(len(frame))
    rng = np.random.default_rng(_SEED)
    return np.sort(rng.choice(np.arange(len(frame)), most, replace=False))


def _suspected(
    values: pd.Series, column: Column, y: NDArray[np.bool_], tried: int
) -> list[_Order | _Side]:
    """List the orders, one of `tried`, and sides by a column that tell the label nearly alone."""
    orders = _orders(values, column, y, tried)
    return [order for order in orders if order.is_suspected(y)]


def _suspected_phrases(
    phrases: Phrases | None, y: NDArray[np.bool_]
) -> dict[str, list[Part | _Side]]:
    """List the rows of the phrases that one class alone has, or lacks, by column."""
    parts: dict[str, list[Part | _Side]] = {}
    for phrase in phrases.telling(y) if phrases else ():
        kind: type[Part | _Side] = _Side
        what, rows = phrase.what, phrase.rows
        if phrase.are_positive:
            kind = Part
            what = f"{(rows & y).sum():,} of {rows.sum():,} rows {what} positive"
        part = kind(what, rows, phrase.tried, _BEHIND_A_PHRASE)
        parts.setdefault(phrase.column, []).append(part)
    return parts


def _not_telling(
    frame: pd.DataFrame,
    columns: Sequence[Column],
    parts: Sequence[NDArray[np.bool_]],
) -> list[Column]:
    """List the columns whose values are not those of some part of the rows."""
    return [c for c in columns if not _tells(frame[c.name], parts)]


def _tells(values: pd.Series, parts: Sequence[NDArray[np.bool_]]) -> bool:
    """Decide whether a few values of a column are those of some part of the rows, and of it alone."""
    codes = pd.factorize(values, use_na_sentinel=False)[0]
    size = np.bincount(codes)
    if size.max() < _FEWEST:
        return False
    for rows in parts:
        inside = np.bincount(codes[rows], minlength=len(size))
        are_few = _FEWEST * np.count_nonzero(inside) <= inside.sum()
        if are_few and (inside == size)[inside > 0].all():
            return True
    return False


def _orders(
    values: pd.Series, column: Column, y: NDArray[np.bool_], tried: int
) -> Iterator[_Order | _Side]:
    """Yield the orders of the rows by one column, and their sides by whether it has a value."""
    missing = _without_value(values, column)
    if missing.any():
        yield _Order("with a value", (~missing).astype(float), tried)
        yield _Order("without a value", missing.astype(float), tried)
        yield _Side("with a value", ~missing)
        yield _Side("without a value", missing)
    is_number = pd.api.types.is_numeric_dtype(values)
    is_day = column.kind == "date" and is_number
    if column.kind == "text" or not (column.is_feature or is_day):
        return
    if is_number and not missing.all():
        numbers = values.to_numpy(np.float64, na_value=np.nan)
        for first, sign in (("highest", 1.0), ("lowest", -1.0)):
            scores = sign * numbers
            last = np.nanmin(scores) - 1
            yield _Order(first, np.where(missing, last, scores), tried)
    if not is_number or 2 < column.distinct <= MANY_VALUES:
        codes = pd.factorize(values, use_na_sentinel=False)[0]
        rows, hits = np.bincount(codes), np.bincount(codes, y)
        # The shares of a thousand columns take seconds.
        if hits[hits > _MOSTLY * rows].sum() >= _MOSTLY * y.sum() / _QUARTER:
            yield _Order("first by its values", shares_of_others(codes, y), tried)


def _without_value(values: pd.Series, column: Column) -> NDArray[np.bool_]:
    """Mark the rows of a column that are missing, or of a category that says nothing."""
    missing = values.array.isna()
    if column.kind != "category" or not column.text:
        return missing
    nothing = list(filter(says_nothing, values.unique()))
    return missing | values.isin(nothing).to_numpy()


def _shares_by(
    frame: pd.DataFrame,
    columns: Sequence[Column],
    y: NDArray[np.bool_],
    sample: Ints,
    parts: Sequence[NDArray[np.bool_]],
    words: Any = None,
) -> Floats:
    """Predict the share of positives from some columns together, by models not trained on the row.

    They learn from the rows `sample`, whose weights of words are in `words`. Predicted are these and those of
    `parts`; other rows are NaN.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import StratifiedKFold
    from threadpoolctl import threadpool_limits

    shares = np.full(len(y), np.nan)
    further = np.setdiff1d(
        np.flatnonzero(np.any([*parts, np.zeros(len(y), bool)], axis=0)), sample
    )
    names = [column.name for column in columns if column.kind != "text"]
    shares[sample] = shares[further] = y[sample].mean()
    if not names:
        shares[sample] = _with_words(words, shares[sample], y[sample])
        return shares
    X = np.column_stack([_as_numbers(frame[name]) for name in names])
    folds = StratifiedKFold(_PARTS, shuffle=True, random_state=_SEED)
    rng = np.random.default_rng(_SEED)
    most = max(_VALUES // X.shape[1], 1000)
    model = HistGradientBoostingClassifier(
        max_iter=60, early_stopping=False, random_state=_SEED
    )
    with threadpool_limits(1):
        for train, test in folds.split(sample, y[sample]):
            rows = sample[train]
            if len(rows) > most:
                rows = rng.choice(rows, most, replace=False)
            if len(np.unique(y[rows])) < 2:
                continue
            model.fit(X[rows], y[rows])
            shares[sample[test]] = model.predict_proba(X[sample[test]])[:, 1]
        if len(further) and hasattr(model, "classes_"):
            shares[further] = model.predict_proba(X[further])[:, 1]
        shares[sample] = _with_words(words, shares[sample], y[sample])
    return shares


def _with_words(words: Any, shares: Floats, y: NDArray[np.bool_]) -> Floats:
    """Predict the share of positives from weights of words and a share known without them, calibrated."""
    if words is None or not words.shape[1] or min(y.sum(), (~y).sum()) < _PARTS:
        return shares
    from scipy import sparse, special
    from sklearn.isotonic import IsotonicRegression
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    margins = special.logit(np.clip(shares, 1e-6, 1 - 1e-6))
    X = sparse.hstack([words, margins[:, None]], "csr")
    folds = StratifiedKFold(_PARTS, shuffle=True, random_state=_SEED)
    scores = max(
        (
            cross_val_predict(
                LogisticRegression(C=C, max_iter=200),
                X,
                y,
                cv=folds,
                method="decision_function",
            )
            for C in _PENALTIES
        ),
        key=lambda scores: auc(y, scores),
    )
    return IsotonicRegression().fit_transform(scores, y.astype(float))


def _as_numbers(values: pd.Series) -> Floats:
    """Convert a column to numbers: text to the number of each value, in the order of the rows."""
    if pd.api.types.is_numeric_dtype(values):
        return values.to_numpy(np.float64, na_value=np.nan)
    codes = pd.factorize(values)[0].astype(np.float64)
    return np.where(codes < 0, np.nan, codes)
