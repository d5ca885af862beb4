"""Comparisons of the same models at several tops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from attop._core.top import Top
from attop._core.typing import TopLike
from attop.experiment._headline import headline
from attop.experiment._result import TopComparison

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class TopComparisons(Mapping[Top, TopComparison]):
    """Comparisons of the same models on the same folds, one for each top; ``found[50]`` is the one at 50.

    Verdicts are of each top by itself: of three tops, a claim at one of them is up to three times as likely
    to be false as one at a top named beforehand.

    Attributes
    ----------
    comparisons : dict of Top to TopComparison
        By the tops that were asked for, in that order.
    """

    comparisons: dict[Top, TopComparison]

    def __getitem__(self, top: TopLike) -> TopComparison:
        return self.comparisons[Top.of(top)]

    def __iter__(self) -> Iterator[Top]:
        return iter(self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    @property
    def sentence(self) -> str:
        """Sentence of the comparison at the middle top."""
        return headline([comparison.judgement for comparison in self.values()])

    @property
    def table(self) -> pd.DataFrame:
        """The tables of all tops, by top and model."""
        return self._stacked("table", "top", "model")

    @property
    def runs(self) -> pd.DataFrame:
        """The runs of all tops, by top."""
        return self._stacked("runs", "top", None)

    def _stacked(self, which: str, *names: str | None) -> pd.DataFrame:
        import pandas as pd

        return pd.concat(
            {str(top): getattr(one, which) for top, one in self.items()},
            names=names,
        )

    def __str__(self) -> str:
        texts = [f"At {top}:\n{comparison}" for top, comparison in self.items()]
        return "\n\n".join([*texts, self.sentence])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        sections = [
            f"<h4>{escape(str(top))}</h4>{one._repr_html_()}"
            for top, one in self.items()
        ]
        return f"<p><b>{escape(self.sentence)}</b></p>{''.join(sections)}"
