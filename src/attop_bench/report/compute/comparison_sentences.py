"""What a comparison on one data set says, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from attop.core.wording import counted, fine, listed
from attop_bench.report.compute.comparison import Lead, Rival
from attop_bench.report.compute.tops import span

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["VERDICTS", "headline", "leader", "ranks_nothing", "reading"]

#: Is the best really better than the next?
VERDICTS = {
    "better": "Yes",
    "equivalent": "Practically none",
    "open": "Not shown",
    "refused": "Not tested",
    "": "",
}


def leader(lead: Lead, titles: Mapping[str, str]) -> str:
    """Name the best of one top, or how many share its mean."""
    if not lead.best:
        return "none"
    best = (lead.best, *lead.tied)
    return listed([titles[m] for m in best]) if len(best) <= 3 else f"{len(best)} methods"


def headline(leads: Sequence[Lead], titles: Mapping[str, str]) -> str:
    """Put the best of a data set's tops, in their order, into a sentence or two."""
    found = [lead for lead in leads if lead.best]
    if not found:
        return "No method has a defined value."
    same = [(who, [lead.top for lead in its]) for who, its in groupby(found, lambda a: leader(a, titles))]
    shown = sum(lead.verdict == "better" for lead in leads)
    if len(leads) == 1:
        return f"{same[0][0]} at {found[0].top}. {'S' if shown else 'Not s'}hown to be ahead of the next."
    where = (
        f"{same[0][0]} at every top ({span(same[0][1])})"
        if len(same) == 1 and len(found) == len(leads)
        else "; ".join(f"{who} at {span(tops)}" for who, tops in same)
    )
    return f"{where}. Shown to be ahead of the next at {shown or 'none'} of {len(leads)} tops."


def reading(lead: Lead, titles: Mapping[str, str]) -> str:
    """Say in words whether the lead is real; `titles` maps methods to the names a reader sees."""
    if not lead.best:
        return "No method has a defined value."
    first, ranked = titles[lead.best], lead.ranked
    words = []
    if not ranked:
        words.append(f"{first} has no other method to be compared with.")
    else:
        words.append(_about_next(lead, titles))
        beaten = [r.method for r in ranked if r.verdict == "better"]
        if len(ranked) > 1 and not all(r.verdict == "refused" for r in ranked):
            which = "all" if len(beaten) == len(ranked) else f"{len(beaten) or 'none'} of the"
            words.append(f"Really better than {which} {len(ranked)} others.")
    if lead.unranked:
        words.append(f"Not ranked, values on fewer runs: {listed([titles[m] for m in lead.unranked])}.")
    return " ".join(words)


def ranks_nothing(lead: Lead, table: pd.DataFrame, titles: Mapping[str, str]) -> str:
    """Say in how many runs the best gives all test items one score; empty if in none.

    `table` is what `attop_bench.report.compute.tables.summarise` returned.
    """
    key = {"dataset": lead.dataset, "top": lead.top, "metric": lead.metric, "method": lead.best}
    here = table[(table[list(key)] == list(key.values())).all(axis=1)]
    n = int(here["n_constant"].sum())
    if n == 0:
        return ""
    runs = counted(int(here["n_expected"].iloc[0]), "run")
    return f" {titles[lead.best]} gives all test items one score in {n} of {runs}, where it ranks nothing."


def _about_next(lead: Lead, titles: Mapping[str, str]) -> str:
    rival = lead.ranked[0]
    first, second = titles[lead.best], titles[rival.method]
    over = "" if rival.n == rival.m else f" (over {rival.n} of {counted(rival.m, 'run')})"
    if rival.n and rival.equal == rival.n:
        others = [titles[r.method] for r in lead.ranked if r.equal == r.n == rival.n]
        return f"{listed([first, *others])} are best, equal in every run{over}."
    if lead.tied:
        who = listed([first, *(titles[m] for m in lead.tied)])
        start = f"{who} have equal means{over}; a difference" + (
            "" if len(lead.tied) == 1 else f" to {second}"
        )
    else:
        start = f"{first} is best; the difference to {second}, {fine(rival.mean)}{over},"
    return f"{start} {_is_it_real(rival, second, lead.rope)}"


def _is_it_real(rival: Rival, second: str, rope: float) -> str:
    chances, verdict = rival.posterior, rival.verdict
    if verdict == "refused":
        return f"is not tested. {rival.test.refused}"
    if chances.refused:
        known = "is real" if verdict == "better" else "is not distinguishable from chance"
        return f"{known} (corrected resampled t-test, p {_p(rival.test.p)})."
    if verdict == "better":
        return f"is real (P {_p(chances.better)} that it is more than {rope:g})."
    if verdict == "equivalent":
        return f"is practically none (P {_p(chances.equivalent)} that it is at most {rope:g})."
    return (
        f"is not distinguishable from chance (that it is more than {rope:g}: P {_p(chances.better)}; "
        f"that {second} is better by as much: P {_p(chances.worse)})."
    )


def _p(p: float) -> str:
    """Return a probability that never looks certain, with its sign of relation."""
    if p < 0.001:
        return "< 0.001"
    return "> 0.99" if p > 0.99 else f"= {p:.2f}" if p >= 0.1 else f"= {p:.3f}"
