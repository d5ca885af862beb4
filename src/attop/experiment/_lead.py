"""Who finds the most, by how much, is it sure: the judgement of a data set, and the sentence of several."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from attop._core.top import Top, main_top
from attop._core.wording import join_words
from attop.experiment._judge import MIN_RUNS, Judgement

#: Most of a headline.
_WORDS = 30


@dataclass(frozen=True)
class Lead(Judgement):
    """The best model of a data set by a metric at one top, against all others.

    Attributes
    ----------
    dataset, metric, top : str
    k : int or None
        Items that the top has in the list a reader looks at; None if that is not known.
    chance : float
        The metric's value of a random order; NaN if that is not known.
    grouped : bool
        Whether there is a list for each group.
    """

    dataset: str
    metric: str
    top: str
    k: int | None = None
    chance: float = math.nan
    grouped: bool = False

    @property
    def in_hits(self) -> bool:
        """Whether the metric counts positives among the first k."""
        return self.metric == "precision@k"

    def found(self, value: float) -> str:
        """Put a value of the metric into hits, if it counts them."""
        if not self.in_hits:
            return f"{value:.3g}"
        k = self.k or 100
        return f"{_number(k * value)} of {k:,}{' per group' * self.grouped}"


def items_at(top: Top, n: int | None, n_pos: int | None) -> int | None:
    """Return the items that a top has in a list of n items, n_pos of them positive; None if not known."""
    try:
        return top.k if top.k is not None else top.resolve(n or 0, n_pos or 0)
    except ValueError:
        return None


def too_few_runs(n: int) -> str:
    """Warn of a plan whose runs are too few to test anything; empty if they are not."""
    runs = f"{n} run{'s' * (n != 1)} a method cannot be tested: plan {MIN_RUNS}, by more folds or repeats"
    return runs if n < MIN_RUNS else ""


def headline(leads: Sequence[Lead], titles: Mapping[str, str] | None = None) -> str:
    """Say in at most 30 words who finds the most, by how much, and whether that is shown.

    Of one data set at its main top; of several the model of least `mean_regrets`.

    Parameters
    ----------
    leads : sequence of Lead
        Of one metric a data set.
    titles : mapping of str to str, optional
        Model -> name shown.
    """
    known = [lead for lead in leads if lead.best]
    compared = [lead for lead in known if lead.ranked]
    if not known:
        return "No method has a defined value."
    sentence = ""
    for words in (5, 3, 2):  # of a long title
        names = {r: _short((titles or {}).get(r, r), words) for r in _models(known)}
        if len({lead.dataset for lead in leads}) == 1:
            main = main_top(lead.top for lead in known)
            sentence = _of_one(next(lead for lead in known if lead.top == main), names)
        else:
            sentence = _of_several(compared, names) if compared else "No two methods can be compared."
        if len(sentence.split()) <= _WORDS:
            break
    return sentence


def _models(leads: Sequence[Lead]) -> list[str]:
    return [m for lead in leads for m in (lead.best, *(rival.model for rival in lead.rivals))]


def _short(title: str, words: int) -> str:
    """Return a title up to a bracket, cut after so many words."""
    parts = title.partition(" (")[0].split()
    return " ".join(parts[:words]) + "…" * (len(parts) > words)


def _of_one(lead: Lead, names: Mapping[str, str]) -> str:
    best, others = _named(lead.first, names), [r for r in lead.ranked if r.model not in lead.tied]
    finds, value = "find" if lead.tied else "finds", lead.found(lead.mean)
    if lead.in_hits:
        times = f", {lead.mean / lead.chance:.2g} times chance" if lead.chance > 0 else ""
        sentence = f"{best} {finds} {value}{times}."
    else:
        sentence = f"{best} {'have' if lead.tied else 'has'} {lead.metric} {value} at {lead.top}."
    if not others:
        return f"{sentence} {_untested(lead)}" if lead.verdict == "untested" else sentence
    rival = others[0]
    second = f"{names[rival.model]} ({lead.found(rival.own)})"
    verdict = {
        "ahead": f"Shown to be better than {second}.",
        "equal": f"Shown to be equal to {second}, within {lead.tolerance:g}.",
        "open": f"Not shown to be better than {second}.",
        "untested": f"Next: {second}. {_untested(lead)}",
    }
    return f"{sentence} {verdict[rival.verdict]}"


def _of_several(leads: Sequence[Lead], names: Mapping[str, str]) -> str:
    metrics, tops = {lead.metric for lead in leads}, f"{len(leads)} tops"
    by = f" by {metrics.pop()}" if len(metrics) == 1 else ""
    mean = mean_regrets(leads)
    if len(mean) < 2 or any(math.isnan(lost) for lost in mean.values()):
        return _by_times(leads, by, tops, names)
    order = sorted(mean, key=lambda model: mean[model])
    first = [model for model in order if mean[model] <= mean[order[0]] + 1e-9]
    shown = _shown(leads, first, tops)
    if len(first) == len(mean):
        return f"All {len(mean)} methods are equal on average{by}. {shown}"
    best, one, rival = _named(first, names), len(first) == 1, order[len(first)]
    least, more = _number(mean[first[0]]), _number(mean[rival])
    plural = "s" * (least != "1")
    if all(lead.in_hits for lead in leads):
        start, unit = f"{best} find{'s' * one} the most", f"hit{plural} per 100"
    else:
        start, unit = f"{best} {'is' if one else 'are'} best{by}", f"point{plural}"
    return (
        f"{start}: on average {least} {unit} behind each data set’s best; "
        f"{names[rival]}, next, {more} behind. {shown}"
    )


def regrets(leads: Sequence[Lead]) -> dict[str, dict[str, float]]:
    """Return the regret of each model that is ranked wherever any is, by data set.

    The mean over its tops of what the best has more, in hundredths of the metric's range; NaN if it has none.
    """
    gaps: dict[str, dict[str, list[float]]] = {}
    for lead in leads:
        gap_of = {rival.model: rival.mean for rival in lead.ranked} | dict.fromkeys(lead.first, 0.0)
        for model, gap in gap_of.items():
            lost = gap / lead.tolerance if lead.tolerance > 0 else math.nan
            gaps.setdefault(model, {}).setdefault(lead.dataset, []).append(lost)
    counts = {model: sum(map(len, per_top.values())) for model, per_top in gaps.items()}
    most = max(counts.values(), default=0)
    return {
        m: {d: fmean(of) for d, of in per_top.items()} for m, per_top in gaps.items() if counts[m] == most
    }


def mean_regrets(leads: Sequence[Lead]) -> dict[str, float]:
    """Return the mean over the data sets of `regrets`."""
    return {model: fmean(per_top.values()) for model, per_top in regrets(leads).items()}


def _by_times(leads: Sequence[Lead], by: str, tops: str, names: Mapping[str, str]) -> str:
    """Name the model that has the best mean most often, where means have no unit or most are missing."""
    times = Counter(model for lead in leads for model in lead.first)
    first = [model for model, n in times.items() if n == max(times.values())]
    most = f"{_named(first, names)} most often ha{'s' if len(first) == 1 else 've'} the best mean{by}"
    return f"{most}, at {times[first[0]]} of {tops}. {_shown(leads, first, tops)}"


def _shown(leads: Sequence[Lead], first: Sequence[str], tops: str) -> str:
    tested = [lead for lead in leads if lead.verdict != "untested"]
    if not tested:
        return _untested(leads[0])
    ahead = sum(lead.best in first and lead.verdict == "ahead" for lead in tested)
    rest = f", {len(leads) - len(tested)} not tested" if len(tested) < len(leads) else ""
    return f"Shown ahead at {ahead or 'none'} of {tops}{rest}."


def _untested(lead: Lead) -> str:
    if lead.m < MIN_RUNS:
        return f"Not tested: {lead.m} run{'s' * (lead.m != 1)}, {MIN_RUNS} needed."
    return "Not tested: values of too few runs, or training parts of unknown size."


def _named(models: Sequence[str], names: Mapping[str, str]) -> str:
    return join_words([names[m] for m in models]) if len(models) <= 2 else f"{len(models)} methods"


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}".removesuffix(".0")
