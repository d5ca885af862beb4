"""Who is best on a data set, by a metric, at a top, and is it real; in numbers and in words.

`all_leads` judges every (data set, metric, top) once, by `attop.experiment._judge`, and says it in a `Lead`.
Table, map, cards, headlines, LaTeX and the page's script show what it returns, and compute nothing of the
kind themselves. `leader`, `reading`, `attop.experiment._lead.headline` put it into words, `VERDICTS` into
one, `MARKS` into a sign.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from attop._core.top import Top, sort_tops
from attop._core.wording import count_noun, format_p, format_small, join_words
from attop.experiment._judge import Rival, default_tolerance, judge
from attop.experiment._lead import Lead, items_at
from attop.metrics._registry import get_metric

#: The method others are set against, where it takes part: the plainest one that is often good enough.
BASELINE = "logistic-regression"
#: Methods up to this are few: more in colour are none in colour.
FEW = 5
#: Is the best better than the next?
VERDICTS = {
    "ahead": "Yes",
    "equal": "Practically equal",
    "open": "Not shown",
    "untested": "Not tested",
    "": "",
}
#: Sign at a value that is not the best, by the verdict of the best against it.
MARKS = {"ahead": "", "equal": "=", "open": "°", "untested": "†"}


#: A mean this many tolerances behind the best has the shade of that place; further behind, the last.
_SHADES = (1, 2, 4, 8, 16)


def shade(gap: float, lead: Lead) -> int:
    """Return the shade, 0 to 5, of a mean so far behind the best; a gap of whole tolerances has one."""
    unit = lead.tolerance if lead.tolerance > 0 else 0.01 * abs(lead.mean) or 1.0
    return sum(gap > times * unit * (1 + 1e-6) for times in _SHADES)


def leaders(lead: Lead) -> tuple[str, ...]:
    """Return those to show in colour: the best and its equals if they are few, else the best."""
    level = (*lead.first, *lead.of("equal"))
    return level if len(level) <= FEW else lead.first


def split_ratio(runs: pd.DataFrame, dataset: str) -> float:
    """Return the test items per training item of a data set, all runs together; NaN if not known."""
    part = runs[(runs["dataset"] == dataset) & (runs["status"] == "ok")]
    if not {"n_train", "n_test"} <= set(part.columns):
        return math.nan
    part = part.drop_duplicates(["repeat", "fold"])
    train, test = part["n_train"].astype(float).sum(), part["n_test"].astype(float).sum()
    return float(test / train) if train > 0 and test > 0 else math.nan


def all_leads(
    evaluation: pd.DataFrame, runs: pd.DataFrame, datasets: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[tuple[str, str, str], Lead]:
    """Compare the best method with every other one, for every (data set, metric, top), tops by size.

    `runs` says how many items they train and test on, `datasets` (the manifest's entries) how many items,
    positives and groups there are.
    """
    leads = {}
    sizes = dict(list(runs.groupby("dataset", sort=False)))
    for dataset, rows in evaluation.groupby("dataset", sort=False):
        about = (datasets or {}).get(str(dataset), {})
        items, positives = (n if isinstance(n := about.get(c), int) else None for c in ("items", "positives"))
        ratio = split_ratio(sizes.get(dataset, runs.iloc[:0]), str(dataset))
        index = pd.MultiIndex.from_frame(rows[["repeat", "fold"]].drop_duplicates())
        # One table of the data set: one for each metric and top takes several times as long.
        wide = rows.pivot(
            index=["repeat", "fold"], columns=["metric", "top", "method"], values="value"
        ).reindex(index)
        methods, tops = rows.groupby(["metric", "top"])["method"].unique(), sort_tops(rows["top"])
        for metric in rows["metric"].unique():
            definition = get_metric(str(metric))
            for top in tops:
                judged = judge(
                    {m: wide[metric, top, m].to_numpy(np.float64) for m in methods.get((metric, top), ())},
                    test_train_ratio=ratio,
                    tolerance=default_tolerance(definition),
                    higher_is_better=definition.higher_is_better,
                )
                leads[str(dataset), str(metric), top] = Lead(
                    **vars(judged),
                    dataset=str(dataset),
                    metric=str(metric),
                    top=top,
                    k=items_at(Top.parse(top), items, positives),
                    chance=by_chance(str(metric), about),
                    grouped="groups" in about,
                )
    return leads


def by_chance(metric: str, about: Mapping[str, Any]) -> float:
    """Return the expected value of a metric when the items are in random order; NaN if that is not known.

    Known for the area under the ROC curve, 1/2, and for precision@k without groups, the share of positives.
    """
    if metric == "auc":
        return 0.5
    items, positives = about.get("items"), about.get("positives")
    if metric == "precision@k" and isinstance(items, int) and isinstance(positives, int) and items:
        return math.nan if about.get("groups") else positives / items
    return math.nan


def leader(lead: Lead, titles: Mapping[str, str]) -> str:
    """Name the best of one top, or how many share its mean."""
    if not lead.best:
        return "none"
    return (
        join_words([titles[m] for m in lead.first]) if len(lead.first) <= 3 else f"{len(lead.first)} methods"
    )


def reading(lead: Lead, titles: Mapping[str, str]) -> str:
    """Say in words whether the lead is real; `titles` maps methods to the names a reader sees."""
    if not lead.best:
        return "No method has a defined value."
    ranked = lead.ranked
    if not ranked:
        words = [f"{titles[lead.best]} has no other method to be compared with."]
    else:
        words = [_about_next(lead, titles)]
        ahead = sum(r.verdict == "ahead" for r in ranked)
        if len(ranked) > 1 and not all(r.verdict == "untested" for r in ranked):
            which = "all" if ahead == len(ranked) else f"{ahead or 'none'} of the"
            words.append(f"Shown to be ahead of {which} {len(ranked)} others.")
    if lead.unranked:
        words.append(f"Not ranked, values on fewer runs: {join_words([titles[m] for m in lead.unranked])}.")
    return " ".join(words)


def _about_next(lead: Lead, titles: Mapping[str, str]) -> str:
    rival = lead.ranked[0]
    first, second = titles[lead.best], titles[rival.model]
    over = "" if rival.n == lead.m else f" (over {rival.n} of {count_noun(lead.m, 'run')})"
    if rival.n and rival.equal == rival.n:
        same = [titles[r.model] for r in lead.ranked if r.equal == r.n == rival.n]
        return f"{join_words([first, *same])} are best, with the same value in every run{over}."
    if lead.tied:
        start = f"{join_words([titles[m] for m in lead.first])} have equal means{over}; a difference"
        start += "" if len(lead.tied) == 1 else f" to {second}"
    else:
        start = f"{first} is best; the difference to {second}, {format_small(rival.mean)}{over},"
    return f"{start} {_verdict(lead, rival)}"


def _verdict(lead: Lead, rival: Rival) -> str:
    if rival.verdict == "untested":
        return f"is not tested. {rival.reason}"
    if rival.verdict == "ahead":
        return f"is shown ({format_p(rival.p, 'p')})."
    if rival.verdict == "equal":
        return f"is at most {lead.tolerance:g}, practically none ({format_p(rival.p_equal, 'p')})."
    low, high = format_small(rival.low), format_small(rival.high)
    return f"is not shown ({format_p(rival.p, 'p')}); 95% interval {low} to {high}."


def span(tops: list[str]) -> str:
    """Put sorted tops into few words, such as "k = 5 and 10" or "tau = 0.01 to 0.19"."""
    if len(tops) == 1:
        return tops[0]
    kinds = dict.fromkeys(t.partition("=")[0] for t in tops)
    parts = []
    for kind in kinds:
        values = [t.partition("=")[2] for t in tops if t.startswith(kind + "=")]
        parts.append(f"{kind} = {f'{values[0]} to {values[-1]}' if len(values) > 2 else join_words(values)}")
    return join_words(parts)
