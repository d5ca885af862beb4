"""Verdicts, with the words and marks that page, terminal, TeX, notebook and papers have for them."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

#: With fewer runs than this nothing is tested: their variance is not known well enough.
MIN_RUNS = 5


class Verdict(StrEnum):
    """Standing of a model compared with the best one, or of a number compared with another.

    "ahead", "equal", "open" and "untested" are of the best against a model, see `attop.experiment.judge`;
    "above" and "below" are of two numbers of which either may be the higher.

    Attributes
    ----------
    mark : str
        Sign at the model's value, or at the number.
    """

    mark: str
    _sentence: str

    BEST = "best", "", "the best"
    AHEAD = "ahead", "", "shown to be {behind} {other}"
    EQUAL = "equal", "=", "shown to be equal to {other}"
    OPEN = "open", "°", "not shown to be {behind} {other}"
    UNTESTED = "untested", "†", "not tested against {other}"
    UNRANKED = "unranked", "‡", "fewer runs than others, not ranked"
    ABSENT = "absent", "", "no value"
    ABOVE = "above", "▲", "shown to be above {other}"
    BELOW = "below", "▼", "shown to be below {other}"

    def __new__(cls, value: str, mark: str = "", sentence: str = "") -> Self:
        self = str.__new__(cls, value)
        self._value_ = value
        self.mark = mark
        self._sentence = sentence
        return self

    __repr__ = str.__repr__  # in a tuple or a table as anywhere else

    @classmethod
    def beside(cls, difference: float, shown: bool) -> Verdict:
        """Choose "above" or "below", whichever the difference says, if that is shown, else "open"."""
        return cls.OPEN if not shown else cls.ABOVE if difference > 0 else cls.BELOW

    @property
    def word(self) -> str:
        """Standing of the model that the best is set against."""
        return "behind" if self is Verdict.AHEAD else self.value

    def sentence(self, other: str = "the best", behind: str = "behind") -> str:
        """Say how the model compares with `other`; with `behind` "better than", how the best does."""
        return self._sentence.format(other=other, behind=behind)


def legend(
    equal: str, undecided: str, untested: str, ahead: str, unranked: str = ""
) -> str:
    """Explain what stands for each verdict in a table or figure."""
    signs = {
        Verdict.OPEN: undecided,
        Verdict.UNTESTED: untested,
        Verdict.AHEAD: ahead,
    }
    if unranked:
        signs[Verdict.UNRANKED] = unranked
    others = "; ".join(
        f"{sign}: {verdict.sentence('it')}" for verdict, sign in signs.items()
    )
    return f"{equal}: the best, or {Verdict.EQUAL.sentence('it')}; {others}"
