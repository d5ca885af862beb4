"""What a message says of a name nobody knows."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["did_you_mean", "nearest"]


def nearest(word: object, known: Iterable[object]) -> str:
    """Return the question for the nearest of `known` names, or nothing where none is near."""
    near = get_close_matches(str(word).lower(), [str(name) for name in known], n=1)
    return f"did you mean {near[0]!r}?" if near else ""


def did_you_mean(word: object, known: Iterable[object]) -> str:
    """Return the question for the nearest of `known` names, or all of them where none is near.

    Examples
    --------
    >>> did_you_mean("recal", ["recall", "auc"])
    "did you mean 'recall'?"
    >>> did_you_mean("f1", ["recall", "auc"])
    'choose one of: recall, auc'
    """
    names = [str(name) for name in known]
    return nearest(word, names) or f"choose one of: {', '.join(names) or 'none'}"
