"""Text of new rows as it was when a model learnt: a step of a pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TextCleaner"]


class TextCleaner(TransformerMixin, BaseEstimator):
    """Take blanks around text away and make gaps of what is empty; write `words` as text, and no others.

    Parameters
    ----------
    numbers, words : sequences of str
        Columns of each sort; others are left alone.
    """

    def __init__(self, numbers: Sequence[str], words: Sequence[str]):
        self.numbers = numbers
        self.words = words

    def fit(self, X: Any, y: Any = None) -> Self:
        """Do nothing: there is nothing to learn."""
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return a copy of `X` with clean columns.

        Raises
        ------
        ValueError
            If a column of numbers holds something else.
        """
        import pandas as pd

        clean: dict[str, Any] = {}
        for name in self.words:
            text = X[name].astype(object).map(lambda v: str(v).strip(), na_action="ignore")
            clean[name] = text.mask(text.isna() | text.isin([""]), np.nan)
        for name in self.numbers:
            if not pd.api.types.is_numeric_dtype(X[name]):
                text = X[name].astype(object).map(lambda v: v.strip() if isinstance(v, str) else v)
                try:
                    clean[name] = pd.to_numeric(text.mask(text.isin([""]), np.nan)).astype(np.float64)
                except (ValueError, TypeError) as error:
                    raise ValueError(f"column {name!r} must hold numbers: {error}") from None
        return X.assign(**clean)

    def __sklearn_is_fitted__(self) -> bool:
        return True
