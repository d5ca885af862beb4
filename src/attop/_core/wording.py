"""Formatting for messages, tables and reports."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from difflib import SequenceMatcher, get_close_matches
from itertools import zip_longest

#: Rows of a list up to which a tenth of a hit is worth saying: a thousandth of precision.
_SHORT = 100
#: Hits below which a tenth is, however long the list is.
_FEW = 10


def decimals_for(values: Iterable[float]) -> int:
    """Choose the decimals of a table: three significant places of its largest value."""
    finite = [abs(v) for v in values if math.isfinite(v)]
    largest = max(finite, default=0.0)
    for decimals, bound in ((3, 10), (2, 100), (1, 10_000)):
        if largest < bound:
            return decimals
    return 0


def format_fixed(value: float, decimals: int = 3) -> str:
    """Format a number with fixed decimals and a true minus sign; a dash if it is not finite."""
    if value is None or not math.isfinite(value):
        return "–"
    value = float(f"{value:.8g}")  # the page's script adds up values of nine digits
    text = f"{value:,.{decimals}f}"
    return text.replace("-", "" if float(text.replace(",", "")) == 0 else "−")


def format_small(value: float, decimals: int = 3) -> str:
    """Format a number as `format_fixed` does where that says enough and not too much.

    One too small for it has one significant figure, one of ten thousand or more four, as a sum has.
    """
    if 0 < abs(value) < 10.0**-decimals:
        return f"{value:.1g}".replace("-", "−", value < 0)
    if abs(value) >= 1e4:
        return format_sum(value)
    return format_fixed(value, decimals)


#: Sizes that a small cell has room for, with their signs.
_SIZES = ((1e9, 1e9, "bn"), (1e6, 1e6, "M"), (1e4, 1e3, "k"))


def format_cell(value: float) -> str:
    """Format a number for a small cell: two decimals below 10, without the zero before the point.

    From ten thousand on it has three figures and the sign of its size: 12.3k, 456k, 1.23M, 2.00bn.
    """
    if not math.isfinite(value):
        return "·"
    rounded = float(f"{value:.3g}")
    for least, unit, sign in _SIZES:
        if abs(rounded) >= least:
            return _three_figures(rounded / unit) + sign
    text = format_fixed(value, 2 if abs(value) < 10 else 1)
    return text[1:] if text.startswith("0.") else text


def _three_figures(value: float) -> str:
    whole_digits = len(str(int(abs(value))))
    return format_fixed(value, max(0, 3 - whole_digits))


def format_hits(value: float, k: float) -> str:
    """Format the hits of a list of `k` rows: with tenths for at most 100 rows or below 10 hits, else whole.

    Halves go up.

    It is the one rounding of what is found, expected and promised, and of leads between them.

    Examples
    --------
    >>> format_hits(34.5, 60), format_hits(34.0, 60), format_hits(0.63 * 5, 5), format_hits(1190.5, 2160)
    ('34.5', '34', '3.2', '1,191')
    """
    if not math.isfinite(value):
        return "–"
    place = Decimal("0.1") if k <= _SHORT or abs(value) < _FEW else Decimal(1)
    # Nine digits are what is known: 0.63 * 5 is 3.15, and not a little less.
    text = f"{Decimal(f'{value:.9g}').quantize(place, ROUND_HALF_UP):,}"
    return text.removesuffix(".0").replace("-", "−")


def format_sum(value: float) -> str:
    """Format a sum of amounts: four digits, with commas; a dash if it is not finite."""
    if not math.isfinite(value):
        return "–"
    return f"{float(f'{value:.4g}'):,.10g}".replace("-", "−")


def format_duration(value: float) -> str:
    """Format a duration with two significant figures and its unit."""
    if value is None or not math.isfinite(value):
        return "–"
    for limit, unit, size in (
        (1e-3, "µs", 1e-6),
        (1.0, "ms", 1e-3),
        (120.0, "s", 1.0),
        (7200.0, "min", 60.0),
        (172_800.0, "h", 3600.0),
    ):
        if value < limit:
            return f"{_two_figures(value / size)} {unit}"
    return f"{_two_figures(value / 86400)} d"


def format_p(p: float, name: str = "") -> str:
    """Format a p-value so that it never looks certain, with a name as "p = 0.012"; a dash if unknown."""
    if not math.isfinite(p):
        return "–"
    text = f"= {p:.3f}"
    if p < 0.001:
        text = "< 0.001"
    elif p > 0.999:
        text = "> 0.999"
    return f"{name} {text}" if name else text.removeprefix("= ")


def _two_figures(value: float) -> str:
    return f"{value:,.0f}" if value >= 9.95 else f"{value:.1f}"


def count_noun(n: int, noun: str) -> str:
    """Format a count with its noun, such as "1 run" or "3 runs"."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def join_first(names: Sequence[str], most: int = 6) -> str:
    """Join names by commas; beyond `most`, say how many more there are."""
    return ", ".join(names[:most]) + (
        f" and {len(names) - most} more" if len(names) > most else ""
    )


def abridge(text: str, length: int = 28) -> str:
    """Shorten a text to `length` signs by an ellipsis before its end: names often differ at their end."""
    end = length // 3
    return (
        text if len(text) <= length else f"{text[: length - 1 - end]}…{text[-end:]}"
    )


def nearest(word: object, choices: Iterable[object]) -> str:
    """Ask "did you mean", naming the `choices` nearest to a word; empty if none is near."""
    word = str(word).lower()
    names = {name.lower(): name for name in map(str, choices)}
    near = get_close_matches(word, names, n=3)
    if not near:
        return ""
    ratios = [SequenceMatcher(None, name, word).ratio() for name in near]
    best = [
        repr(names[name])
        for name, ratio in zip(near, ratios, strict=True)
        if ratio == ratios[0]
    ]
    return f"did you mean {' or '.join(best)}?"


def did_you_mean(word: object, choices: Iterable[object]) -> str:
    """Ask "did you mean", naming the nearest of `choices`; where none is near, list 20 of them at most.

    Examples
    --------
    >>> did_you_mean("recal", ["recall", "auc"])
    "did you mean 'recall'?"
    >>> did_you_mean("f1", ["recall", "auc"])
    'choose one of: recall, auc'
    """
    names = [str(name) for name in choices]
    return (
        nearest(word, names) or f"choose one of: {join_first(names, 20) or 'none'}"
    )


def pitfall(anchor: str) -> str:
    """Name the section of the documentation on a pitfall, such as ``"leak"``, for a message."""
    return f"docs/howto/pitfalls.md#{anchor}"


def capitalise(text: str) -> str:
    """Capitalise the first letter of a text, and leave the others as they are."""
    return text[:1].upper() + text[1:]


def join_words(items: Sequence[str], most: int = 0) -> str:
    """Join items as "a", "a and b" or "a, b and c"; beyond `most`, say how many others there are."""
    shown = list(items)
    if most and len(shown) > most + 1:
        shown = [*shown[:most], f"{len(shown) - most} others"]
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def columns(rows: Iterable[Sequence[str]], right: Container[int] = ()) -> str:
    """Align rows of words as columns of text; the columns in `right` end at their right edge.

    A row may end before the others.
    """
    table = list(rows)
    widths = [max(map(len, column)) for column in zip_longest(*table, fillvalue="")]
    return "\n".join(
        "  ".join(
            word.rjust(width) if i in right else word.ljust(width)
            for i, (word, width) in enumerate(zip(row, widths, strict=False))
        ).rstrip()
        for row in table
    )
