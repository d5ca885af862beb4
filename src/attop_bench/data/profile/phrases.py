"""Words of columns of text, single and by two that follow each other, and the rows that have them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attop.extending import Floats, Ints

#: Rows with a phrase, and with neither class by chance, from which on it is looked at.
_FEWEST = 10
#: A class alone has a phrase: of the rows with it, and of a class, at least; positives, by chance, at most.
_PURE, _QUARTER, _NONE = 0.95, 4, 0.01
#: A word says what a part of the rows does if, by this share of chance, one is without the other.
_OUTSIDE = 0.1


class Phrase(NamedTuple):
    """The rows with a phrase, or those without it, of which nearly all or none are positive."""

    column: str
    what: str
    rows: NDArray[np.bool_]
    are_positive: bool
    #: Phrases that were looked at, with and without.
    tried: int


@dataclass(frozen=True)
class Phrases:
    """The phrases of columns of text, in some rows of a table."""

    #: Column and phrase.
    names: list[tuple[str, str]]
    #: The rows that were read, of so many.
    read: Ints
    n_rows: int
    #: Shape (rows read, names), sparse: 1 where a row has a phrase.
    has: Any

    @classmethod
    def of_columns(
        cls, frame: pd.DataFrame, columns: Sequence[str], read: Ints
    ) -> Phrases | None:
        """Find the phrases of some columns of text in the rows `read`; None if no word comes back."""
        from scipy import sparse
        from sklearn.feature_extraction.text import CountVectorizer

        names, has = [], []
        for column in columns:
            texts = frame[column].iloc[read].fillna("").astype(str)
            phrases = CountVectorizer(ngram_range=(1, 2), binary=True)
            with suppress(ValueError):  # there is no word
                has.append(phrases.fit_transform(texts))
                names += [
                    (column, text) for text in phrases.get_feature_names_out()
                ]
        if not names:
            return None
        return cls(names, read, len(frame), sparse.hstack(has, "csc"))

    def telling(self, y: NDArray[np.bool_]) -> Iterator[Phrase]:
        """Yield phrases that a quarter of one class alone has, or lacks; those without exception first."""
        label = y[self.read]
        n, n_pos = len(label), int(label.sum())
        size = np.asarray(self.has.sum(axis=0)).ravel()
        hits = self.has.T @ label.astype(float)
        is_common = (size >= _FEWEST) & (n - size >= _FEWEST)
        tried = 2 * int(is_common.sum())
        sides = (("with", size, hits), ("without", n - size, n_pos - hits))
        for side, rows, inside in sides:
            for are_positive, alone in zip(
                (True, False), _alone(rows, inside, n, n_pos), strict=True
            ):
                places = np.flatnonzero(is_common & alone)
                exceptions = (rows - inside if are_positive else inside)[places]
                order = np.lexsort((-rows[places], exceptions))
                for column, text, among in self._different(places[order], side):
                    what = f"{side} {text!r}"
                    yield Phrase(column, what, among, are_positive, tried)

    def _different(
        self, numbers: Ints, side: str
    ) -> Iterator[tuple[str, str, NDArray[np.bool_]]]:
        """Yield some phrases and the rows of a side; of those of a column with the same rows the longest."""
        longest: dict[tuple[str, bytes], str] = {}
        for at in numbers:
            column, text = self.names[at]
            has = self.has[:, [at]].toarray().ravel() > 0
            key = column, (has == (side == "with")).tobytes()
            longest[key] = max(text, longest.get(key, ""), key=len)
        for (column, rows), text in longest.items():
            among = np.zeros(self.n_rows, bool)
            among[self.read] = np.frombuffer(rows, bool)
            yield column, text, among

    def weights(
        self, parts: Iterable[NDArray[np.bool_]], without: Collection[str]
    ) -> Any:
        """Compute TF-IDF weights of single words, but for those that say what `parts` of the rows do.

        Words of the columns `without` are left out.
        """
        from sklearn.feature_extraction.text import TfidfTransformer

        single = [
            at
            for at, (column, text) in enumerate(self.names)
            if " " not in text and column not in without
        ]
        words = self.has[:, single].astype(float)
        size = np.asarray(words.sum(axis=0)).ravel()
        is_other = np.ones(len(single), bool)
        for rows in parts:
            part = rows[self.read].astype(float)
            inside: Floats = words.T @ part
            is_other &= size - inside > _OUTSIDE * size * (1 - part.mean())
            is_other &= part.sum() - inside > _OUTSIDE * part.sum() * (
                1 - size / len(part)
            )
        words = words[:, np.flatnonzero(is_other)].tocsr()
        return TfidfTransformer().fit_transform(words) if is_other.any() else words


def _alone(
    rows: Floats, positives: Floats, n: int, n_pos: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Mark the phrases of which nearly all rows are positive, and those of which nearly none is.

    Either has a quarter of the class, and more rows than chance has of the other.
    """
    negatives, chance = rows - positives, rows * n_pos / n
    of_positives = positives >= max(n_pos / _QUARTER, _FEWEST)
    of_positives &= negatives <= np.minimum((1 - _PURE) * rows, (rows - chance) / 2)
    of_negatives = negatives >= (n - n_pos) / _QUARTER
    of_negatives &= (chance >= _FEWEST) & (positives <= _NONE * chance)
    return of_positives, of_negatives
