"""Aspects of features in which rows are compared: numbers, categories, length and words of texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attop.extending import Floats
from attop_bench.data.columns.preparation import columns_of

_WORD = re.compile(r"\w\w+")
#: A common word is in this share of the training rows, and in so many, at least.
_COMMON_SHARE, _COMMON_ROWS = 0.02, 5


@dataclass(frozen=True)
class Aspect:
    """One thing that is compared of a column."""

    column: str
    #: ``number``, ``category``, ``length`` of a text or its share of common ``words``.
    what: str
    #: Values of a category in training, in order, or the common words of a text.
    values: tuple[str, ...] = ()
    #: Of the common words those that are common by the other rows too, whichever training row is left out.
    surely: tuple[str, ...] = ()

    @property
    def is_category(self) -> bool:
        """True if values are places in `values`, and one more for those that are none of them."""
        return self.what == "category"

    @property
    def name(self) -> str:
        """Name in a sentence."""
        words = {
            "length": f"length of {self.column}",
            "words": f"share of common words in {self.column}",
        }
        return words.get(self.what, self.column)

    def measure(self, X: pd.DataFrame, is_training: bool = False) -> Floats:
        """Measure each row by a number, NaN where it has none.

        A row of training is measured by what the other rows make common, as a new row is.
        """
        column = X[self.column]
        if self.what == "number":
            return column.to_numpy(np.float64)
        if self.is_category:
            return self._places(column)
        texts = column.fillna("").astype(str)
        if self.what == "length":
            lengths = texts.str.len().to_numpy(np.float64)
            return np.where(lengths > 0, lengths, np.nan)
        common = frozenset(self.surely if is_training else self.values)
        return np.array([_share_of(common, text) for text in texts], np.float64)

    def _places(self, column: pd.Series) -> Floats:
        """Look up the place of each value among those of training; all other values share the last place."""
        places = pd.Index(self.values).get_indexer(column.astype(object))
        is_missing = column.isna().to_numpy()
        return np.where(
            is_missing, np.nan, np.where(places < 0, len(self.values), places)
        )


def _share_of(common: frozenset[str], text: str) -> float:
    words = _words_of(text)
    return sum(word in common for word in words) / len(words) if words else np.nan


def _words_of(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def aspects_of(X: pd.DataFrame) -> Iterator[Aspect]:
    """Yield what is compared of the typed features of training rows."""
    columns = columns_of(X)
    categories, texts = frozenset(columns.categories), frozenset(columns.texts)
    for name in X:
        if name in categories:
            yield Aspect(
                name,
                "category",
                tuple(X[name].cat.remove_unused_categories().cat.categories),
            )
        elif name in texts:
            yield Aspect(name, "length")
            yield Aspect(
                name,
                "words",
                _common_words(X[name]),
                _common_words(X[name], others=1),
            )
        else:
            yield Aspect(name, "number")


def _common_words(texts: pd.Series, others: int = 0) -> tuple[str, ...]:
    """List the words that many rows have, beside so many `others`, in sorted order."""
    rows = Counter(word for text in texts for word in {*_words_of(text)})
    least = max(_COMMON_ROWS, _COMMON_SHARE * len(texts))
    return tuple(
        sorted(word for word, count in rows.items() if count >= least + others)
    )
