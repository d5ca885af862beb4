"""What a message says of a name nobody knows."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

__all__ = ["did_you_mean", "nearest"]


def nearest(word: object, known: Iterable[object]) -> str:
    """Return the question for the nearest of `known` names, or equally near ones; nothing if none is near."""
    word = str(word).lower()
    near = get_close_matches(word, dict.fromkeys(map(str, known)), n=3)
    if not near:
        return ""
    ratios = [SequenceMatcher(None, name, word).ratio() for name in near]
    best = [repr(name) for name, ratio in zip(near, ratios, strict=True) if ratio == ratios[0]]
    return f"did you mean {' or '.join(best)}?"


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
