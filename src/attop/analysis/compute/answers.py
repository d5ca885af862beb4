"""Which method for my k: the best of each data set and target, and how far the next one is."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import pandas as pd

from attop.analysis.compute.targets import span
from attop.analysis.wording import counted, decimals_for, fine, listed
from attop.metrics import get_metric

__all__ = ["Answer", "answer", "headline"]


@dataclass(frozen=True)
class Answer:
    """The best of one data set and target by one metric.

    Attributes
    ----------
    dataset, target, metric : str
    best : tuple of str
        Method with the best mean; several if their means are equal, none if no value is defined.
    mean, std : float
        Of the (first) best.
    n, n_expected : int
        Runs with a value, and runs there should be.
    next : str
        The method that follows, empty if there is none.
    gap, gap_se : float
        How much worse the mean of the next is, at least 0, and the standard error of that difference.
    near : tuple of str
        Methods behind the best by at most one standard error of the difference.
    unranked : tuple of str
        Methods with values on fewer runs than the best, left out of the comparison.
    better, equal, shared : int
        Runs in which the (first) best beats and equals the next, of those both have.
    """

    dataset: str
    target: str
    metric: str
    best: tuple[str, ...] = ()
    mean: float = float("nan")
    std: float = float("nan")
    n: int = 0
    n_expected: int = 0
    next: str = ""
    gap: float = float("nan")
    gap_se: float = float("nan")
    near: tuple[str, ...] = ()
    unranked: tuple[str, ...] = ()
    better: int = 0
    equal: int = 0
    shared: int = 0

    @property
    def clear(self) -> bool:
        """Whether one method leads all others by more than one standard error."""
        return len(self.best) == 1 and not self.near and self.gap_se == self.gap_se

    def reading(self, titles: dict[str, str]) -> str:
        """Say in words how close the next is; `titles` maps methods to the names a reader sees."""
        if not self.best:
            return "No method has a defined value."
        places = decimals_for([self.mean, self.std])
        gap, se = fine(self.gap, places), fine(self.gap_se, places)
        words = []
        if len(self.best) > 1:
            words.append(f"Equal means: {listed([titles[m] for m in self.best])}.")
        if not self.next:
            words.append("" if len(self.best) > 1 else "No other method to compare with.")
        elif self.gap_se != self.gap_se:
            words.append(f"{titles[self.next]} is {gap} behind, in one run: this may be chance.")
        elif self.next in self.near:
            others = len(self.near) - 1
            also = f", as {'are' if others > 1 else 'is'} {counted(others, 'other')}" if others else ""
            words.append(
                f"{titles[self.next]} is {gap} behind, within one standard error ({se}){also}: "
                "these runs do not separate them."
            )
        else:
            words.append(f"{titles[self.next]} is {gap} behind, more than one standard error ({se}).")
            if self.near:
                words.append(f"Within one, though further behind: {listed([titles[m] for m in self.near])}.")
        if self.shared:
            equal = f", equal in {self.equal}" if self.equal else ""
            words.append(f"Better in {self.better} of {counted(self.shared, 'shared run')}{equal}.")
        if self.unranked:
            words.append(f"Not ranked, values on fewer runs: {listed([titles[m] for m in self.unranked])}.")
        return " ".join(filter(None, words))


def answer(table: pd.DataFrame, evaluation: pd.DataFrame, dataset: str, target: str, metric: str) -> Answer:
    """Find the best method of one data set and target.

    Parameters
    ----------
    table : DataFrame
        What `attop.analysis.compute.tables.standings` returned.
    evaluation : DataFrame
        The values behind it, for the comparison run by run.
    dataset, target, metric : str

    Returns
    -------
    Answer
    """
    higher = get_metric(metric).higher_is_better
    part = table[(table["dataset"] == dataset) & (table["target"] == target) & (table["metric"] == metric)]
    ranked = part[part["ranked"]].sort_values("mean", ascending=not higher, kind="stable")
    if ranked.empty:
        return Answer(dataset, target, metric)
    leaders, others = ranked[ranked["best"]], ranked[~ranked["best"]]
    first = leaders.iloc[0]
    found = Answer(
        dataset,
        target,
        metric,
        best=tuple(leaders["method"]),
        mean=float(first["mean"]),
        std=float(first["std"]),
        n=int(first["n"]),
        n_expected=int(first["n_expected"]),
        near=tuple(ranked.loc[ranked["near"], "method"]),
        unranked=tuple(part.loc[~part["ranked"] & (part["n"] > 0), "method"]),
    )
    if others.empty:
        return found
    second = str(others.iloc[0]["method"])
    pairs = _paired(evaluation, found, second).dropna()
    difference = (pairs[found.best[0]] - pairs[second]) * (1 if higher else -1)
    return Answer(
        **{
            **vars(found),
            "next": second,
            "gap": float(others.iloc[0]["gap"]),
            "gap_se": float(others.iloc[0]["gap_se"]),
            "better": int((difference > 0).sum()),
            "equal": int((difference == 0).sum()),
            "shared": len(difference),
        }
    )


def _paired(evaluation: pd.DataFrame, found: Answer, second: str) -> pd.DataFrame:
    rows = evaluation[
        (evaluation["dataset"] == found.dataset)
        & (evaluation["target"] == found.target)
        & (evaluation["metric"] == found.metric)
        & evaluation["method"].isin([found.best[0], second])
    ]
    return rows.pivot(index=["repeat", "fold"], columns="method", values="value")


def headline(answers: list[Answer], titles: dict[str, str]) -> str:
    """Put the answers of one data set, in the order of its targets, into a sentence or two."""
    leads = [
        (
            listed([titles[m] for m in best]) if len(best) <= 3 else f"{len(best)} methods alike",
            [a.target for a in same],
        )
        for best, same in ((b, list(s)) for b, s in groupby(answers, key=lambda a: a.best))
        if best
    ]
    if not leads:
        return "No method has a defined value."
    if len(leads) == 1 and len(leads[0][1]) == len(answers):
        where = f"at every target ({span(leads[0][1])})" if len(answers) > 1 else f"at {answers[0].target}"
        sentence = f"{leads[0][0]} {where}."
    else:
        sentence = "; ".join(f"{who} at {span(targets)}" for who, targets in leads) + "."
    clear = sum(a.clear for a in answers)
    if len(answers) == 1:
        lead = "by more than one standard error" if clear else "not by more than one standard error"
    else:
        lead = f"by more than one standard error at {clear or 'none'} of {len(answers)} targets"
    return f"{sentence} Ahead of the next {lead}."
