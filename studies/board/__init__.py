"""The board of rare positives: who wins at the top, by docs/board/rule.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from attop.core.top import Top, sort_tops
from attop.core.wording import counted
from attop.metrics import precision_at_k
from attop.statistics.ranks import holm
from attop.statistics.regrets import bootstrap_means
from attop.statistics.two_methods import wilcoxon
from attop_bench.papers.findings import Findings, Plot, Table, Tables
from attop_bench.report.compute.across import board, metric_matrix
from attop_bench.report.figures.scene import figure_theme

_METRIC = "precision@k"
CONFIGURATION = "config/suites/rare.yaml"
_RUN = ["dataset", "repeat", "fold"]
#: The method of random scores, and what the labels as scores are called.
_RANDOM, _LABELS = "random", "labels"
_LINEAR, _TREES = ("logistic-regression", "linear-svm"), ("random-forest", "lightgbm", "xgboost")
#: The two questions: a method, and those of which the better is taken on each set.
_QUESTIONS = (("top-stack", ("lightgbm",)), ("soft-top", _LINEAR))
#: The list of the sets, with those a learner was developed on.
_SETS = Path(__file__).parents[2] / "docs/board/sets.csv"
_NAMES = {"top-stack": "TopStack", "soft-top": "SoftTop"}
#: What the page calls the tops, in its order.
_TOPS = {"kappa=0.25": "n+/4", "kappa=0.5": "n+/2", "kappa=1.0": "n+", "tau=0.01": "1%"}
#: For want of their weights.
_NOT_RUN = dict.fromkeys(
    ("TabPFN", "TabICL"), "their weights are not here; studies/board/send.py takes predictions"
)


def tables(results: Tables, story: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the board of every top, the two questions, each set, controls, and what was not run.

    Raises
    ------
    ValueError
        If the controls are not first and last; see `check_controls`.
    """
    titles = {m: about["title"] for m, about in story["methods"].items() if m != _RANDOM}
    evaluation = results["evaluation"].query("metric == @_METRIC")
    controls = check_controls(evaluation, results["roc"])
    evaluation = evaluation[evaluation["method"] != _RANDOM]
    means = set_means(evaluation, titles)
    absent = {m: _reason(story, m) for m in titles if m not in set(evaluation["method"])}
    not_run = {titles[m]: reason for m, reason in absent.items()} | _NOT_RUN
    values = pd.concat(
        [
            its.rename(columns=titles).rename_axis("set").reset_index().assign(top=top)
            for top, its in means.items()
        ]
    )
    asked = questions(means)
    if len(asked):
        over = (
            asked["over"].str.split(" or ").map(lambda rivals: " or ".join(titles.get(m, m) for m in rivals))
        )
        asked = asked.assign(over=over).replace(titles)
    made = {
        "board": _board(evaluation, results["runs"], means, titles),
        "values": values,
        "controls": controls,
    } | ({"questions": asked} if len(asked) else {})
    return {name: _named(table) for name, table in made.items()} | {
        "not-run": pd.DataFrame(not_run.items(), columns=["method", "reason"])
    }


def _named(table: pd.DataFrame) -> pd.DataFrame:
    tops = table["top"].replace(_TOPS)
    order = tops.map({top: place for place, top in enumerate(_TOPS.values())})
    return table.assign(top=tops).iloc[order.argsort(kind="stable")].reset_index(drop=True)


def findings(tables: Tables) -> Findings:
    """Return the page: the answers to the two questions, and every top as a table."""
    rows, asked = tables["board"], tables.get("questions", pd.DataFrame())
    each = [Table("The two questions", _shown_answers(asked), _NOTE_QUESTIONS)] if len(asked) else []
    not_run = tables["not-run"].groupby("reason", sort=False)
    board = [Table("The board", shown(rows), _NOTE_BOARD, by="top")] if "regret" in rows else []
    return Findings(
        title="Who wins at the top: rare positives",
        citation="Rule and protocol, five folds twice, before any result: docs/board/rule.md.",
        verdict=[*_answers(asked), *_costs(rows)] if len(asked) else ["**No question is answered.**"],
        picture=_picture(rows),
        tables=[*each, *board],
        reasons=[
            *_not_everywhere(rows, set(tables["values"]["set"])),
            *(f"Not run, {why}: {', '.join(its['method'])}." for why, its in not_run),
        ],
        files={
            "board": "every top",
            "questions": "the two questions",
            "values": "every set",
            "controls": "controls",
        },
    )


def shown(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what the page shows of the board of all sets, at every top."""
    rows = rows[rows["sets"] == "all"] if "sets" in rows else rows
    rows = pd.concat([its.sort_values("regret") for _, its in rows.groupby("top", sort=False)])
    between = [
        f"{low:.1f}–{high:.1f}" for low, high in zip(rows["regret_low"], rows["regret_high"], strict=True)
    ]
    cells = {"mean": ".3f", "regret": ".1f", "p_best": ".2f", "seconds": ".1f"}
    said = {name: rows[name].map(f"{{:{digits}}}".format) for name, digits in cells.items()}
    table = rows[["top", "method"]].assign(**said, interval=between)
    return table.rename(columns={"p_best": "P(best)"})[
        ["top", "method", "mean", "regret", "interval", "P(best)", "seconds"]
    ]


_NOTE_BOARD = (
    "regret: what each set's best method finds more, of 100, with its 95% bootstrap interval over sets; "
    "P(best): share of bootstrap samples in which it is best; seconds: median of a job, geometric mean."
)
_NOTE_QUESTIONS = (
    "more of 100: mean over sets, with its 95% bootstrap interval; p: Wilcoxon's signed ranks of the sets, "
    "two-sided, all eight corrected by Holm; untouched: without the sets it was developed on; won-lost: by "
    "more than 1 of 100; questions.csv names the lost."
)


def check_controls(evaluation: pd.DataFrame, roc: pd.DataFrame) -> pd.DataFrame:
    """Rank the labels as scores and random scores among the methods: first and last at every top.

    The labels of a test part are scored by the same metric; random scores are a method of the run.

    Returns
    -------
    DataFrame
        A row for each top: means over sets.

    Raises
    ------
    ValueError
        If a run beats its own labels, or a method is not above random scores.
    """
    counts = roc.drop_duplicates(_RUN).set_index(_RUN)[["n_pos", "n_neg"]]
    rows = []
    for top in sort_tops(evaluation["top"]):
        part = evaluation[evaluation["top"] == top]
        best = {
            run: precision_at_k(
                y := np.repeat([1, 0], [n_pos, n_neg]), y.astype(float), Top.of(_options(top))
            )
            for run, n_pos, n_neg in counts.itertuples()
        }
        ceiling = pd.Series(best).reindex(pd.MultiIndex.from_frame(part[_RUN])).to_numpy()
        above = part[part["value"].to_numpy() > ceiling + 1e-9]
        if len(above):
            raise ValueError(f"{top}: {above.iloc[0][['method', *_RUN]].to_dict()} is above its own labels")
        means = part.groupby(["dataset", "method"])["value"].mean().unstack()
        whole = means.dropna(axis=1).mean()
        if _RANDOM not in whole or len(whole) < 2:
            raise ValueError(
                f"{top}: no random scores beside another method on every set: keep the method random"
            )
        if whole.drop(_RANDOM).min() <= whole[_RANDOM]:
            worst = whole.drop(_RANDOM).idxmin()
            raise ValueError(
                f"{top}: {worst} finds {whole[worst]:.4f}, random scores {whole[_RANDOM]:.4f}: a method "
                "that is not above random scores is broken, or the metric is"
            )
        labels = part.assign(value=ceiling).groupby("dataset")["value"].mean().mean()
        rows.append({"top": top, _LABELS: labels, "best": whole.max(), _RANDOM: whole[_RANDOM]})
    return pd.DataFrame(rows)


def _options(top: str) -> dict[str, float]:
    name, _, value = top.partition("=")
    return {name: float(value)}


def set_means(evaluation: pd.DataFrame, titles: Mapping[str, str]) -> dict[str, pd.DataFrame]:
    """Return sets x methods of mean precision for each top; NaN where a method has fewer runs than others."""
    found = {}
    for top in sort_tops(evaluation["top"]):
        part = evaluation[(evaluation["top"] == top) & np.isfinite(evaluation["value"])]
        groups = part.groupby(["dataset", "method"])["value"]
        means, counts = groups.mean().unstack(), groups.size().unstack()
        whole = means.where(counts.eq(counts.max(axis=1), axis=0))
        found[top] = whole.reindex(columns=[m for m in titles if m in whole])
    return found


def questions(means: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Answer the two questions at each top, with all sets and without those a method was developed on."""
    known_to = pd.read_csv(_SETS).set_index("set")["developed_on"].fillna("")
    rows = []
    for top, values in means.items():
        for method, rivals in _QUESTIONS:
            if not {method, *rivals} <= {*values}:
                continue
            known = values[[method, *rivals]].dropna()
            seen = known_to.index[known_to.str.contains(_NAMES[method])]
            for which, sets in (
                ("all", known),
                ("untouched", known.drop(seen, errors="ignore")),
            ):
                gain = sets[method] - sets[list(rivals)].max(axis=1)
                spread = bootstrap_means(pd.DataFrame({"gain": gain}), higher_is_better=True)
                lost = gain[gain < -0.01].sort_values()
                rows.append(
                    {"sets": which, "top": top, "method": method, "over": " or ".join(rivals), "n": len(gain)}
                    | {"difference": gain.mean(), "low": spread.low["gain"], "high": spread.high["gain"]}
                    | {"won": int((gain > 0.01).sum()), "lost": len(lost)}
                    | {"p": wilcoxon(gain, np.zeros(len(gain))).p}
                    | {"losses": ", ".join(f"{name} {100 * value:+.0f}" for name, value in lost.items())}
                )
    table = pd.DataFrame(rows)
    if len(table):
        table["p_holm"] = table.groupby("sets")["p"].transform(lambda p: holm(p.fillna(1.0)))
    return table


def _board(
    evaluation: pd.DataFrame, runs: pd.DataFrame, means: Mapping[str, pd.DataFrame], titles: Mapping[str, str]
) -> pd.DataFrame:
    """Return the board of all sets, and that of the sets on which every method was run."""
    common = set.intersection(*(set(values.dropna().index) for values in means.values()))
    parts = []
    for which, part in (("all", evaluation), ("common", evaluation[evaluation["dataset"].isin(common)])):
        metrics = {str(d): _METRIC for d in dict.fromkeys(part["dataset"])}
        table = board(part, runs, metrics, titles) if len(metrics) > 1 else pd.DataFrame()
        if table.empty:
            continue
        leads = pd.concat([_leads(part, metrics, top, titles) for top in dict.fromkeys(table["top"])])
        parts.append(table.merge(leads, on=["top", "method"]).assign(sets=which))
    if not parts:
        return pd.DataFrame(columns=["sets", "method", "top"])
    table = pd.concat(parts, ignore_index=True).replace({"method": dict(titles)})
    return table[["sets", *table.columns.drop("sets")]].round(4)


def _leads(
    evaluation: pd.DataFrame, metrics: Mapping[str, str], top: str, titles: Mapping[str, str]
) -> pd.DataFrame:
    """Return what each method finds more than the best other one, in items of 100, mean over sets."""
    scores = metric_matrix(evaluation, metrics, dict.fromkeys(metrics, top), titles).scores
    lead = {m: 100 * (scores[m] - scores.drop(columns=m).max(axis=1)).mean() for m in scores}
    return pd.DataFrame({"top": top, "method": list(lead), "lead": list(lead.values())})


def _answers(found: pd.DataFrame) -> Iterator[str]:
    for (method, over), its in found.groupby(["method", "over"], sort=False):
        every, untouched = (its[its["sets"] == which] for which in ("all", "untouched"))
        shown = every[(every["p_holm"] < 0.01) & (every["difference"] > 0)]
        answer = f"Yes, at {' and '.join(shown['top'])}" if len(shown) > 1 else "No"
        yield f"**Does {method} find more than {over}? {answer}:** {_more(every)}."
        if untouched["n"].max() < every["n"].max():
            yield f"On sets it was not developed on: {_more(untouched)}."


def _more(answers: pd.DataFrame) -> str:
    more, p = 100 * answers["difference"], answers["p_holm"]
    sets = counted(int(answers["n"].max()), "set")
    return f"{more.min():.0f} to {more.max():.0f} of 100 more over {sets}, p {p.min():.2g} to {p.max():.2g}"


def _costs(rows: pd.DataFrame) -> Iterator[str]:
    """Say what the leading method costs; one set alone has no board."""
    if "seconds" not in rows:
        return
    seconds = rows[rows["sets"] == "all"].groupby("method")["seconds"].first()
    if {"TopStack", "LightGBM"} <= {*seconds.index}:
        ratio = seconds["TopStack"] / seconds["LightGBM"]
        yield f"TopStack takes {ratio:.1f} times as long as tuned LightGBM."


def _not_everywhere(rows: pd.DataFrame, run: set[str]) -> Iterator[str]:
    sets = pd.read_csv(_SETS).query("board == 'in'")["set"]
    if missing := set(sets) - run:
        yield f"{len(sets) - len(missing)} of the {len(sets)} sets were run, those in values.csv."
    some = set(rows["method"]) - set(rows.loc[rows["sets"] == "all", "method"])
    if some:
        yield f"Run on some sets alone, and compared on those in board.csv: {', '.join(sorted(some))}."


def _shown_answers(found: pd.DataFrame) -> pd.DataFrame:
    every, untouched = (
        found[found["sets"] == which].reset_index(drop=True) for which in ("all", "untouched")
    )
    more = zip(100 * every["difference"], 100 * every["low"], 100 * every["high"], strict=True)
    cells = every[["method", "top"]].assign(
        **{
            "more of 100": [f"{gain:+.1f} ({low:.1f} to {high:.1f})" for gain, low, high in more],
            "won-lost": every["won"].astype(str) + "-" + every["lost"].astype(str),
            "p": every["p_holm"].map("{:.2g}".format),
            "untouched": (100 * untouched["difference"]).map("{:+.1f}".format),
            "its p": untouched["p_holm"].map("{:.2g}".format),
        }
    )
    return pd.concat([its for _, its in cells.groupby("method", sort=False)])


def _reason(story: Mapping[str, Any], method: str) -> str:
    reasons = {data["skip"].get(method) for data in story["datasets"].values()} - {None}
    return "; ".join(sorted(reasons)) or "no run has a result"


def _picture(rows: pd.DataFrame) -> Plot:
    """Draw regret, its interval and seconds at the first top, narrow enough for a telephone."""
    from matplotlib.figure import Figure

    its = rows[(rows["top"] == rows["top"].iloc[:1].sum()) & (rows.get("sets", "all") == "all")]
    its = its.reindex(columns=["method", "regret", "regret_low", "regret_high", "seconds", "top"])
    its = its.sort_values("regret", ascending=False).reset_index(drop=True)
    with figure_theme():
        canvas = Figure(figsize=(4.4, 1 + 0.2 * len(its)), layout="constrained")
        axes = canvas.subplots()
        axes.hlines(its.index, its["regret_low"], its["regret_high"], color="0.7", linewidth=2)
        axes.plot(its["regret"], its.index, "o")
        axes.set_yticks(its.index, its["method"])
        axes.set(xlabel=f"hits of 100 behind the best, k = {' '.join(its['top'].unique())}", xlim=(0, None))
        seconds = axes.secondary_yaxis("right")
        seconds.set_yticks(its.index, [f"{s:.1f} s" for s in its["seconds"]])
        seconds.tick_params(length=0)
    return Plot(
        "regret", "Hits of 100 that each set's best finds more; mean, 95% interval over sets.", canvas
    )
