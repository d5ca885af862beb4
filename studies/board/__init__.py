"""The board of rare positives: who wins at the top, by docs/board/rule.md.

The page is computed from two tables: values.csv, mean precision of each method, and of the controls, on each
set at each top, and cost.csv. A run, or a row that was sent, replaces its cells alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from attop.extending import Top, count_noun
from attop.metrics import precision_at_k
from attop.statistics import bootstrap_means, holm, regret, wilcoxon
from attop_bench.papers.findings import Findings, Plot, Table, Tables
from attop_bench.papers.page import read_tables
from attop_bench.report.compute.tables import costs
from attop_bench.report.figures.scene import figure_theme
from studies.board.decides import decides

CONFIGURATION = "config/suites/rare.yaml"
#: The published tables.
FOLDER = Path(__file__).parents[2] / "docs/board"
_PART = ["dataset", "repeat", "fold"]
_CELL = ["set", "top"]
#: The controls' columns.
_LABELS, _RANDOM = "Labels as scores", "Random scores"
#: The two questions: a method, and those of which the better is taken on each set.
_QUESTIONS = (("TopStack", ("LightGBM",)), ("SoftTop", ("Logistic regression", "Linear SVM")))
_ASKED = [name for method, rivals in _QUESTIONS for name in (method, *rivals)]
#: What the page calls the tops, in its order.
_TOPS = {"kappa=0.25": "n+/4", "kappa=0.5": "n+/2", "kappa=1.0": "n+", "tau=0.01": "1%"}
_TOPS_SAID = (
    "A list is as long as a quarter, half or all of a test part's positives (n+/4, n+/2, n+), or 1% of its "
    "rows."
)
_BESIDE = ("TopStack", "LightGBM")
#: Its nearest rivals.
_RIVALS = ("Random forest", "CatBoost", "Extra trees")
#: Of the first three, and of all, the best on each set is its rival too: question b of studies/gains/rule.md.
_BEST_OF = ("LightGBM", "XGBoost", "Random forest", "CatBoost")
#: Of a set: simulated, thinned, fresh.
_MARKS = {"‡": "Simulated", "†": "Positives drawn down", "§": "By a shorter protocol"}
_NO_WEIGHTS = "whose weights are not here; studies/board/send.py takes predictions"
_NOT_RUN = {
    "AutoGluon": "which takes five minutes a fit and has 50 fits a set",
    "Easy ensemble": "which was not finished",
    "TabM": "whose early stop counts errors and kept the first epoch where few are positive: AUC 0.48",
    "TabPFN": _NO_WEIGHTS,
    "TabICL": _NO_WEIGHTS,
}

_REMARKS = (
    "Sets marked § follow [another protocol](rule.md): one or three of five folds, at most 30,000 rows to "
    "train on, copies not kept on one side. They had results before.",
    "Not run on the sets marked §: LambdaMART, the balanced forest and all methods of papers but TopPush.",
    "Gains are ranked after rounding to 8 digits.",
)


def tables(results: Tables, story: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the published tables, with the cells of a run or of rescored predictions in place of theirs.

    Raises
    ------
    ValueError
        If the test parts are not those of the board, or the controls are not first and last
        (`check_controls`).
    """
    titles = {method: about["title"] for method, about in story["methods"].items()}
    check_parts(results["runs"])
    old = read_tables(FOLDER)
    values = _put(set_means(results, titles), old["values"].set_index(_CELL))
    check_controls(values)
    spent, known = cost(results["runs"], titles), old["cost"].set_index("method")
    more = spent["sets"] >= known["sets"].reindex(spent.index, fill_value=0)
    made = {"values": values.round(10), "cost": _put(spent[more], known).round(4)}
    return {name: table.reset_index() for name, table in made.items()}


def _put(new: pd.DataFrame, old: pd.DataFrame) -> pd.DataFrame:
    """Put cells in the place of others, and rows and columns that are new after them."""
    rows, columns = (
        its.append(more.difference(its, sort=False))
        for its, more in ((old.index, new.index), (old.columns, new.columns))
    )
    return new.combine_first(old).reindex(index=rows, columns=columns)


def check_parts(runs: pd.DataFrame) -> None:
    """Refuse runs whose test parts are not, by their sizes, those of the board's splits, all of a set."""
    splits = pd.read_csv(FOLDER / "splits.csv.gz", dtype={"tested_in": str})
    board = {
        (name, repeat, int(fold)): tested.count(fold)
        for name, repeat, tested in splits[["set", "repeat", "tested_in"]].itertuples(index=False)
        for fold in sorted({*tested} - {"-"})
    }
    sizes = runs.groupby(_PART)["n_test"].max().to_dict()
    sets = {name for name, *_ in sizes}
    expected = {part: n for part, n in board.items() if part[0] in sets}
    for part in sorted({*sizes, *expected}):
        if sizes.get(part) != expected.get(part):
            raise ValueError(
                f"{part}: {sizes.get(part)} rows tested, on the board {expected.get(part)}: use its splits"
            )


def set_means(results: Tables, titles: Mapping[str, str]) -> pd.DataFrame:
    """Return (set, top) x methods of mean precision; NaN where a method has fewer runs than others.

    The labels of a test part, scored by the same metric, are a method.
    """
    its = results["evaluation"].query("metric == 'precision@k'")
    parts = results["roc"].drop_duplicates(_PART)[[*_PART, "n_pos", "n_neg"]]
    labels = [
        {**dict(zip(_PART, part, strict=True)), "top": top, "method": _LABELS, "value": value}
        for *part, n_pos, n_neg in parts.itertuples(index=False)
        for y in [np.repeat([1, 0], [n_pos, n_neg])]
        for top in its["top"].unique()
        for value in [precision_at_k(y, y.astype(float), Top.parse(top))]
    ]
    its = pd.concat([its[np.isfinite(its["value"])], pd.DataFrame(labels)])
    its = its.replace({"top": _TOPS, "method": dict(titles)}).rename(columns={"dataset": "set"})
    groups, cells = its.groupby([*_CELL, "method"])["value"], its[_CELL].drop_duplicates()
    # In their order; pandas 2.2 unstacks what is not sorted into wrong columns.
    order = {"index": pd.MultiIndex.from_frame(cells), "columns": its["method"].unique()}
    means, counts = groups.mean().unstack().reindex(**order), groups.size().unstack().reindex(**order)
    return means.where(counts.eq(counts.max(axis=1), axis=0)).rename_axis(columns=None)


def check_controls(values: pd.DataFrame) -> None:
    """Rank the labels as scores and random scores among the methods: first and last at every top.

    Raises
    ------
    ValueError
        If a control is missing, or a method beats the labels of a set or is not above random scores.
    """
    methods, labels, random = _methods(values), values[_LABELS], values[_RANDOM]
    for (name, top), missing in (labels.isna() | random.isna()).items():
        if missing:
            raise ValueError(
                f"{name}, {top}: no random scores or no labels: keep the method random, or leave the set out"
            )
    for method, its in methods.items():
        for (name, top), above in (its > labels + 1e-9).items():
            if above:
                raise ValueError(f"{name}, {top}: {method} is above its own labels")
        for top, part in its.dropna().groupby(level="top"):
            if part.mean() <= (chance := random[part.index].mean()):
                raise ValueError(
                    f"{top}: {method} finds {part.mean():.4f}, random scores {chance:.4f}: a method that is "
                    "not above random scores is broken, or the metric is"
                )


def _methods(values: pd.DataFrame) -> pd.DataFrame:
    return values.drop(columns=[_LABELS, _RANDOM])


def cost(runs: pd.DataFrame, titles: Mapping[str, str]) -> pd.DataFrame:
    """Return the processor time of a job, over LightGBM's on the same set: the geometric mean over sets."""
    if "lightgbm" not in set(runs["method"]):
        return pd.DataFrame(columns=["sets", "times"]).rename_axis("method")
    spent = pd.DataFrame({name: costs(runs, name)["cpu"] for name in runs["dataset"].unique()}).T
    logs = np.log(spent.div(spent["lightgbm"], axis=0)).rename(columns=titles)
    logs = logs.drop(columns=_RANDOM, errors="ignore")
    return pd.DataFrame({"sets": logs.count(), "times": np.exp(logs.mean())}).rename_axis("method").dropna()


def findings(tables: Tables) -> Findings:
    """Return the page: the answers to the two questions, every top as a table, and what decides who wins."""
    methods = _methods(tables["values"].set_index(_CELL))
    cost = tables["cost"].set_index("method")
    rows, asked = standings(methods), questions(methods)
    rows["time"] = rows["method"].map(cost["times"])
    every, some = rows[rows["group"] == 0], shown_some(rows)
    decided, rule = decides(methods, _listed())
    first, *others = _answers(asked)
    return Findings(
        title="Who wins at the top: rare positives",
        citation="Rule and protocol, five folds twice, and what was known of each set: docs/board/rule.md. "
        "Answers again from values.csv, by 19 lines: `python -m studies.board.answers`.",
        verdict=[
            f"{first} {_TOPS_SAID}",
            *others,
            f"TopStack takes {cost.at['TopStack', 'times']:.1f} times as long as tuned LightGBM.",
        ],
        picture=_picture(every),
        tables=[
            Table("The two questions", _shown_answers(asked), _NOTE_QUESTIONS),
            Table("Its nearest rivals", _nearest(methods, cost), _NOTE_NEAREST),
            Table("The board", shown(every), _NOTE_BOARD, by="top"),
            *([Table("Methods run on some sets alone", some, _NOTE_SOME)] if len(some) else []),
            Table("What decides who wins", decided, rule),
        ],
        reasons=[*_marks(methods), *_lost(asked), *_without_fresh(methods), *_not_run(methods), *_REMARKS],
        files={"values": "every set, and the controls", "cost": "time over LightGBM's"},
    )


def standings(methods: pd.DataFrame) -> pd.DataFrame:
    """Return the board of each group of sets on which some method was run, with all that were run on them.

    `group` 0 are those of both questions, of which the others are parts; `own`: that a method has no others.
    """
    found = []
    for top, its in methods.groupby(level="top", sort=False):
        its = its.dropna(subset=_ASKED)
        has = its.notna()
        groups = {(sum(mask), *mask) for mask in has.to_numpy().T if mask.any()}
        for group, (_, *sets) in enumerate(sorted(groups, reverse=True)):
            part = its[sets].dropna(axis=1)
            lost = bootstrap_means(100 * regret(part, higher_is_better=True), higher_is_better=False)
            spread = {"regret": lost.mean, "low": lost.low, "high": lost.high, "p_best": lost.p_best}
            table = pd.DataFrame({"mean": part.mean(), **spread, "own": has[part.columns].sum() == sum(sets)})
            table = table.rename_axis("method").sort_values("regret", kind="stable").reset_index()
            found.append(table.assign(group=group, sets=sum(sets), top=top))
    return pd.concat(found, ignore_index=True)


def shown(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the page's tables of a board, at every top."""
    between = [f"{low:.1f}–{high:.1f}" for low, high in zip(rows["low"], rows["high"], strict=True)]
    cells = {"mean": ".3f", "regret": ".1f", "p_best": ".2f", "time": ".1f"}
    said = {
        name: rows[name].map(f"{{:{digits}}}".format, na_action="ignore") for name, digits in cells.items()
    }
    table = rows[["top", "method"]].assign(**said, interval=between).rename(columns={"p_best": "P(best)"})
    return table[["top", "method", "mean", "regret", "interval", "P(best)", "time"]].fillna("")


def shown_some(rows: pd.DataFrame) -> pd.DataFrame:
    """Return regret at each top of the methods that some sets lack, beside the leaders on the same sets."""
    some = rows[(rows["group"] > 0) & (rows["own"] | rows["method"].isin(_BESIDE))]
    if some.empty:
        return some
    table = some.pivot(index=["group", "sets", "method"], columns="top", values="regret").reset_index()
    table = table.sort_values(["group", *_TOPS.values()])[["method", "sets", *_TOPS.values()]]
    times = some.drop_duplicates("method").set_index("method")["time"]
    table["time"] = table["method"].map(times)
    return table.map(lambda cell: f"{cell:.1f}" if isinstance(cell, float) else cell).replace("nan", "")


_NOTE_BOARD = (
    "Regret: what each set's best method finds more, of 100, with its 95% bootstrap interval over sets. "
    "P(best): share of bootstrap samples in which it is best. Time: of a job, LightGBM's is 1. A "
    "geometric mean over the sets not marked §, or some of them: [cost.csv](cost.csv) says how many."
)
_NOTE_SOME = (
    "Regret on so many sets, of all methods run on them. Which sets, [the rule](rule.md) says. P-norm push: "
    "those of 10,000 rows or fewer. Time: as above."
)
_NOTE_NEAREST = (
    "Nothing was asked of these beforehand, and p is not corrected. More of 100, and p: least and most over "
    "the tops. Time: LightGBM's is 1."
)
_NOTE_QUESTIONS = (
    "More of 100: mean over sets, with its 95% bootstrap interval. P: Wilcoxon's signed ranks of the sets, "
    "two-sided, all eight corrected by Holm. Untouched: without the sets it was developed on. Won-lost: by "
    "more than 1 of 100."
)


def questions(methods: pd.DataFrame) -> pd.DataFrame:
    """Answer the two questions at each top, with all sets and without those a method was developed on."""
    known_to = _listed()["developed_on"].fillna("")
    rows = []
    for top, its in methods.groupby(level="top", sort=False):
        for method, rivals in _QUESTIONS:
            known = its.droplevel("top")[[method, *rivals]].dropna()
            seen = known_to.index[known_to.str.contains(method)]
            for which, sets in (("all", known), ("untouched", known.drop(seen, errors="ignore"))):
                gain = (sets[method] - sets[list(rivals)].max(axis=1)).round(8)  # equal gains are equal
                spread = bootstrap_means(pd.DataFrame({"gain": gain}), higher_is_better=True)
                rows.append(
                    {"sets": which, "top": top, "method": method, "over": " or ".join(rivals), "n": len(gain)}
                    | {"difference": gain.mean(), "low": spread.low["gain"], "high": spread.high["gain"]}
                    | {"won": int((gain > 0.01).sum()), "lost": [*gain[gain < -0.01].sort_values().index]}
                    | {"p": wilcoxon(gain, np.zeros(len(gain))).p}
                )
    table = pd.DataFrame(rows)
    table["p_holm"] = table.groupby("sets")["p"].transform(lambda p: holm(p.fillna(1.0)))
    return table


def _listed() -> pd.DataFrame:
    return pd.read_csv(FOLDER / "sets.csv", index_col="set")


def _answers(found: pd.DataFrame) -> Iterator[str]:
    for (method, over), its in found.groupby(["method", "over"], sort=False):
        every, untouched = (its[its["sets"] == which] for which in ("all", "untouched"))
        shown = every[(every["p_holm"] < 0.01) & (every["difference"] > 0)]
        where = "every top" if len(shown) == len(every) else ", ".join(shown["top"])
        answer = f"Yes, at {where}" if len(shown) > 1 else "No"
        yield f"**Does {method} find more than {over}? {answer}:** {_more(every)}."
        yield f"On sets it was not developed on: {_more(untouched)}."


def _more(answers: pd.DataFrame) -> str:
    more, p = 100 * answers["difference"], answers["p_holm"]
    sets = count_noun(int(answers["n"].max()), "set")
    return f"{more.min():.0f} to {more.max():.0f} of 100 more over {sets}, p {p.min():.2g} to {p.max():.2g}"


def _nearest(methods: pd.DataFrame, cost: pd.DataFrame) -> pd.DataFrame:
    """Return rows beside the questions: TopStack over its nearest rivals, and over the best of several."""
    rows = [
        _beside_rivals(methods, name, [name], cost)
        for name in methods.columns.intersection(_RIVALS, sort=False)
    ]
    best = {}  # by the number of sets: where two have the same, the one over more methods
    for n in (3, 4):
        over = [name for name in _BEST_OF[:n] if name in methods]
        row = _beside_rivals(methods, f"the best of {', '.join(over)} on each set", over, cost)
        best[row["sets"]] = row
    return pd.DataFrame([*rows, *best.values()])


def _beside_rivals(
    methods: pd.DataFrame, name: str, rivals: Sequence[str], cost: pd.DataFrame
) -> dict[str, object]:
    """Return the row of TopStack's gains over the best of some rivals: least and most over the tops."""
    sets, low, high, p = _ahead_of(methods, *rivals)
    spent = ""
    if name in cost.index:
        spent = f"{cost.at[name, 'times']:.1f} ({cost.at[name, 'sets']} sets)"
    return {
        "TopStack beside": name,
        "sets": sets,
        "more of 100": f"{low:+.1f} to {high:+.1f}",
        "p": f"{min(p):.2g} to {max(p):.2g}",
        "its time": spent,
    }


def _ahead_of(methods: pd.DataFrame, *rivals: str) -> tuple[int, float, float, list[float]]:
    """Return TopStack's gains over the best of some methods: sets, least and most of 100, p of each top."""
    gain = (methods["TopStack"] - methods[list(rivals)].max(axis=1, skipna=False)).dropna().round(8)
    tops = [its for _, its in gain.groupby("top")]
    means = [round(100 * its.mean(), 1) + 0.0 for its in tops]
    p = [wilcoxon(its, np.zeros(len(its))).p for its in tops]
    return len(tops[0]), min(means), max(means), p


def _marks(methods: pd.DataFrame) -> Iterator[str]:
    """Say which sets are marked, and by what."""
    names = methods.index.unique("set").map(_marked)
    for mark, what in _MARKS.items():
        if marked := ", ".join(names[names.str.contains(mark)]):
            yield f"{what} ({mark}): {marked}."


def _marked(name: str) -> str:
    """Return the name of a set with its marks."""
    its = _listed().loc[name]
    true = (its["rows_are"] == "simulated", its["prevalence_is"] == "thinned", its["board"] == "fresh")
    return name + "".join(mark for mark, is_so in zip(_MARKS, true, strict=True) if is_so)


def _lost(found: pd.DataFrame) -> Iterator[str]:
    for method, its in found[found["sets"] == "all"].groupby("method", sort=False):
        where = its.explode("lost").dropna(subset="lost").groupby("lost", sort=False)["top"]
        lost = ", ".join(f"{_marked(name)} ({', '.join(tops)})" for name, tops in where)
        yield f"Sets {method} loses: {lost}."


def _without_fresh(methods: pd.DataFrame) -> Iterator[str]:
    fresh = methods.index.get_level_values("set").map(_listed()["board"]) == "fresh"
    if fresh.any():
        answers = questions(methods[~fresh]).query("sets == 'all'")
        for method, its in answers.groupby("method", sort=False):
            yield f"Without the sets marked §, {method}: {_more(its)}."


def _not_run(methods: pd.DataFrame) -> Iterator[str]:
    listed = set(_listed().query("board == 'in'").index)
    run = listed & set(methods.index.get_level_values("set"))
    if run < listed:
        yield f"{len(run)} of the {len(listed)} sets of the suite were run, those in values.csv."
    for reason in dict.fromkeys(_NOT_RUN.values()):
        names = [name for name, why in _NOT_RUN.items() if why == reason and name not in methods]
        if names:
            yield f"Not on the board: {', '.join(names)}, {reason}."


def _shown_answers(found: pd.DataFrame) -> pd.DataFrame:
    every, untouched = (
        found[found["sets"] == which].reset_index(drop=True) for which in ("all", "untouched")
    )
    more = zip(100 * every["difference"], 100 * every["low"], 100 * every["high"], strict=True)
    cells = every[["method", "top"]].assign(
        **{
            "more of 100": [f"{gain:+.1f} ({low:.1f} to {high:.1f})" for gain, low, high in more],
            "won-lost": every["won"].astype(str) + "-" + every["lost"].str.len().astype(str),
            "p": every["p_holm"].map("{:.2g}".format),
            "untouched": (100 * untouched["difference"]).map("{:+.1f}".format),
            "its p": untouched["p_holm"].map("{:.2g}".format),
        }
    )
    return pd.concat([its for _, its in cells.groupby("method", sort=False)])


def _picture(rows: pd.DataFrame) -> Plot:
    """Draw regret, its interval and processor time at the first top, narrow enough for a telephone."""
    from matplotlib.figure import Figure

    top = rows["top"].iloc[0]
    its = rows[rows["top"] == top].sort_values("regret", ascending=False).reset_index(drop=True)
    with figure_theme():
        canvas = Figure(figsize=(4.4, 1 + 0.2 * len(its)), layout="constrained")
        axes = canvas.subplots()
        axes.hlines(its.index, its["low"], its["high"], color="0.7", linewidth=2)
        axes.plot(its["regret"], its.index, "o")
        axes.set_yticks(its.index, its["method"])
        axes.set(xlabel=f"hits of 100 behind the best, k = {top}", xlim=(0, None))
        time = axes.secondary_yaxis("right")
        time.set_ylabel("time, LightGBM's is 1")
        time.set_yticks(its.index, its["time"].map("{:.1f}".format, na_action="ignore").fillna(""))
        time.tick_params(length=0)
    return Plot(
        "regret", "Hits of 100 that each set's best finds more; mean, 95% interval over sets.", canvas
    )
