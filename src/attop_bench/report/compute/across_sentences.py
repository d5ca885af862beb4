"""What a comparison over data sets says, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attop.core.wording import fixed, listed, with_p
from attop.statistics.ranks import Comparison
from attop_bench.report.compute.across import Across, Standing, share_of

__all__ = ["by_reason", "sentences"]


def sentences(
    found: Across, titles: Mapping[str, str], dataset_titles: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Say who leads, whether the ranks differ, who is worse, and what was left out.

    Parameters
    ----------
    found : Across
    titles : mapping
        Method -> name shown.
    dataset_titles : mapping, optional
        Data set -> name shown.
    """
    names = dataset_titles or {}
    tested, nemenyi = found.friedman, found.nemenyi
    ranked = [s for s in found.standings if not s.reason and s.rank == s.rank]
    said, opening = [], "No comparison over data sets."
    if len(ranked) > 1:
        first = ranked[0]
        best = [titles[s.method] for s in ranked if s.rank == first.rank]
        where = f"among {len(ranked)} methods on {share_of(first.n, first.m)}"
        if len(best) == len(ranked):
            said.append(f"No method ranks best: equal mean ranks {where}.")
            opening = "Nothing is tested."
        else:
            rank = "ranks" if len(best) == 1 else "rank"
            said.append(f"{listed(best)} {rank} best: mean rank {fixed(first.rank, 2)} {where}.")
            opening = "Whether that is more than chance is not tested."
    if found.refused:
        said.append(f"{opening} {found.refused}")
    elif found.test == "Wilcoxon":
        p = ranked[1].p
        said.append(
            f"The difference of the two is {'' if p < nemenyi.alpha else 'not '}more than chance explains "
            f"(Wilcoxon's signed-rank test, {with_p(p)})."
        )
    elif tested.p_F >= nemenyi.alpha:
        said.append(
            f"The ranks differ no more than chance explains (Friedman's test, {with_p(tested.p_F)}): over "
            "these data sets no method can be called better than another."
        )
    else:
        said.append(
            f"The methods do not all rank alike (Friedman's test, {with_p(tested.p_F)}). "
            + _apart(ranked, nemenyi, titles)
        )
    absent = by_reason([(titles[s.method], s.reason) for s in found.standings if s.reason])
    said += [f"Not ranked: {who} ({why})." for who, why in absent]
    left_out = [(names.get(d, d), why) for d, why in found.left_out.items()]
    if left_out:
        said.append("Left out: " + "; ".join(f"{who} ({why})" for who, why in by_reason(left_out)) + ".")
    return tuple(said)


def by_reason(reasons: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Put those with the same reason together."""
    return [
        (listed([name for name, its in reasons if its == why]), why)
        for why in dict.fromkeys(why for _, why in reasons)
    ]


def _apart(ranked: Sequence[Standing], nemenyi: Comparison, titles: Mapping[str, str]) -> str:
    """Name the methods worse than the best, and those of them the test of all pairs does not separate."""
    first, alpha = ranked[0].method, nemenyi.alpha
    worse = [s.method for s in ranked[1:] if s.p < alpha]
    alike = [s.method for s in ranked[1:] if not s.p < alpha]
    joined = {m for clique in nemenyi.cliques if first in clique for m in clique}
    words = []
    if worse:
        words.append(
            f"Worse than {titles[first]} beyond chance (Holm, alpha = {alpha:g}): "
            f"{listed([titles[m] for m in worse])}."
        )
    if joined & set(worse):
        words.append(
            f"Of these, {listed([titles[m] for m in worse if m in joined])} not by the stricter test of all "
            "pairs (Nemenyi), which does not take the best as given."
        )
    if alike:
        words.append(f"Not told apart from {titles[first]}: {listed([titles[m] for m in alike])}.")
    return " ".join(words)
