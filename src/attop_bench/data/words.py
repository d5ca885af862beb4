"""TF-IDF weights of words, learnt from training rows, of text and of the counts of its words."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer

#: Training rows that a word is in, at least.
_ROWS = 2


def text_weights() -> TfidfVectorizer:
    """Return an unfitted transformer of a column of text to weights of its words, sparse."""
    return TfidfVectorizer(min_df=_ROWS, sublinear_tf=True)


class Words(TransformerMixin, BaseEstimator):
    """Weights of words as by `text_weights`, for numbers of texts whose words are counted already.

    Parameters
    ----------
    counts : sparse matrix of shape (texts, words)
    """

    def __init__(self, counts: Any):
        self.counts = counts

    def fit(self, X: Any, y: object = None) -> Words:
        """Learn the words and their weights."""
        rows = self._rows(X)
        self.kept_ = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]) >= _ROWS)
        self.weights_ = TfidfTransformer(sublinear_tf=True).fit(rows[:, self.kept_])
        return self

    def transform(self, X: Any) -> Any:
        """Return the weights of the words of each text, sparse."""
        return self.weights_.transform(self._rows(X)[:, self.kept_])

    def _rows(self, X: Any) -> Any:
        return self.counts[np.asarray(X).ravel().astype(np.int64)]
