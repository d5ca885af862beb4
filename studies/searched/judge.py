"""Answer the rule's questions, from the scores of the run, or from the tables that a look left here.

python -m studies.searched.judge --data FOLDER --scores SCORES [--add first] [--write second]
python -m studies.searched.judge --read second
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from attop.metrics import precision_at_k
from attop.statistics import holm, wilcoxon
from attop_bench.files import write_csv
from studies.searched.choices import COMBINED, SELECTORS, TODAY, Search
from studies.searched.train import AS_THEY_COME, BESIDE, LINEAR, SEARCHED, STAGES, TOPS, fits, path_of
from studies.selectors.sets import CONFIRMATION, DEVELOPMENT, N_FOLDS, N_INNER, Part, Rows, Table, folds, load

HERE = Path(__file__).parent
#: Sets that must have so many candidates on the first fold.
LEAST_SETS = 30
#: Gains by which a set is counted as won or lost.
MARGIN = 0.005
N_LINEAR = 6
AP, NEAR = "ap", "ap-within-1se"


def by(method: str, select: str) -> str:
    """Return the name of a searched method whose candidate a selector chose."""
    return f"{method} by {select}"


class Question(NamedTuple):
    """Pairs of a method and its rivals, of which the best counts on each set."""

    name: str
    pairs: Sequence[tuple[str, tuple[str, ...]]]


def _selectors_of(method: str) -> Question:
    return Question(
        f"c: {method}",
        [
            (by(method, AP), (by(method, TODAY),)),
            (by(method, NEAR), (by(method, TODAY),)),
            (by(method, NEAR), (by(method, AP),)),
        ],
    )


class Look(NamedTuple):
    """Precisions and seconds that a look at the run has found.

    Attributes
    ----------
    means : DataFrame
        The mean precision over folds of each set and method at each top, with `candidates` and `folds`.
    seconds : DataFrame
        Mean processor seconds of a fold: sets x methods.
    """

    means: pd.DataFrame
    seconds: pd.DataFrame

    @classmethod
    def read(cls, name: str) -> Look:
        """Read the tables of an earlier look."""
        return cls(
            pd.read_csv(HERE / f"{name}.csv"), pd.read_csv(HERE / f"{name}-seconds.csv", index_col="set")
        )

    def write(self, name: str) -> None:
        """Write its tables beside this program."""
        write_csv(HERE / f"{name}.csv", self.means.round(10))
        write_csv(HERE / f"{name}-seconds.csv", self.seconds.round(3).reset_index())


OTHERS = (by(SEARCHED, AP), "LightGBM", "Extra trees", "Random forest")
QUESTIONS = [
    Question("a", [("TopStack", (by(SEARCHED, select),)) for select in (TODAY, AP, NEAR)]),
    Question("b", [("TopStack", OTHERS)]),
    _selectors_of(SEARCHED),
    _selectors_of(LINEAR),
    Question("d", [("SoftTop", (by(LINEAR, select),)) for select in (TODAY, AP)]),
    *(
        Question(f"{letter}: {rival}", [(method, (rival,)) for method in ("TopStack", "Mixture")])
        for letter, rivals in (("e", ("Extra trees", "Random forest")), ("f", BESIDE))
        for rival in rivals
    ),
]
DESCRIBED = [
    *("smoothed-precision@k", "pooled-ap", *COMBINED),
    *("a candidate at random", "the best on the test part"),
]


def n_finished(scores: Path, name: str, fold: int) -> int:
    """Return how many candidates a set has on a fold, by the stages that are whole: 0 for none."""
    for stage in range(len(STAGES)):
        paths = [path_of(scores, name, fold, fit.method, fit.candidate) for fit in fits(name, fold, stage)]
        if not all(path.exists() for path in paths):
            return STAGES[stage - 1] if stage else 0
    return STAGES[-1]


def n_evaluated(of_first_folds: Iterable[int], least: int = LEAST_SETS) -> int:
    """Return the most candidates that enough sets have on the first fold; 0 if there are too few sets."""
    numbers = list(of_first_folds)
    enough = [stage for stage in STAGES if sum(number >= stage for number in numbers) >= least]
    return max(enough, default=0)


def _search(scores: Path, name: str, fold: int, method: str, count: int, table: Table, part: Part) -> Search:
    files = []
    for candidate in range(count):
        with np.load(path_of(scores, name, fold, method, candidate)) as file:
            files.append(dict(file))
    return Search(
        [table.y[rows] for _, rows in part.inner],
        [np.array([file[f"inner{number}"] for file in files]) for number in range(N_INNER)],
        np.array([file["test"][0] for file in files]),
        np.array([file["averaged"] for file in files]),
    )


def _of_search(method: str, search: Search, y: np.ndarray) -> pd.DataFrame:
    """Return the precision of what comes of a search: methods x tops."""
    columns = {}
    combined = {label: combine(search) for label, combine in COMBINED.items()} if method == SEARCHED else {}
    for top_name, top in TOPS.items():
        on_test = np.array([precision_at_k(y, one, top) for one in search.test])
        reported = search.values(TODAY, top)
        values = {by(method, s): on_test[search.chosen(s, top, reported)] for s in SELECTORS}
        for label, one in combined.items():
            values[by(method, label)] = precision_at_k(y, one, top)
        values[by(method, "a candidate at random")] = on_test.mean()
        values[by(method, "the best on the test part")] = on_test.max()
        columns[top_name] = values
    return pd.DataFrame(columns)


def outcomes(scores: Path, name: str, fold: int, count: int, table: Table, part: Part) -> pd.DataFrame:
    """Return the precision of every method on a fold: methods x tops."""
    y, rows = table.y[part.test], {}
    for method in (*AS_THEY_COME, "SoftTop"):
        rows[method] = _of_file(path_of(scores, name, fold, method, 0), y)
    parts = [pd.DataFrame.from_dict(rows, orient="index", columns=list(TOPS))]
    for method, number in ((SEARCHED, count), (LINEAR, N_LINEAR)):
        parts.append(_of_search(method, _search(scores, name, fold, method, number, table, part), y))
    return pd.concat(parts).rename_axis("method").reset_index().assign(set=name, fold=fold)


def gains(values: pd.DataFrame, method: str, rivals: Sequence[str]) -> pd.DataFrame:
    """Return the gain of a method over the best of its rivals: sets x tops.

    `values` are sets and methods x tops. Sets that lack one of them are left out.
    """
    wide = values.unstack("method").stack("top", future_stack=True)
    best = wide[list(rivals)].max(axis=1, skipna=False)
    return (wide[method] - best).round(8).unstack("top")[list(TOPS)].dropna()


def p_of(of_sets: pd.Series) -> float:
    """Compute p of Wilcoxon's signed ranks of gains, 1 where none differs from 0."""
    p = wilcoxon(of_sets.to_numpy(), np.zeros(len(of_sets))).p
    return 1.0 if np.isnan(p) else float(p)


def answers(values: pd.DataFrame, question: Question) -> pd.DataFrame:
    """Return gains of 100 with sets won and lost, and p by Holm over all tests of the question."""
    rows = []
    for method, rivals in question.pairs:
        by_set = gains(values, method, rivals)
        for top in TOPS:
            of_top = by_set[top]
            rows.append(
                {
                    "method": method,
                    "over": " or ".join(rivals),
                    "top": top,
                    "sets": len(of_top),
                    "gain": round(100 * float(of_top.mean()), 2),
                    "won": int((of_top > MARGIN).sum()),
                    "lost": int((of_top < -MARGIN).sum()),
                    "p": p_of(of_top),
                }
            )
    table = pd.DataFrame(rows)
    table["p"] = [float(f"{p:.2g}") for p in holm(table["p"].to_numpy())]
    return table


def described(values: pd.DataFrame) -> pd.DataFrame:
    """Return mean gains of 100 over LightGBM chosen by precision@k, not tested: labels x tops."""
    rows = {}
    for label in DESCRIBED:
        by_set = gains(values, by(SEARCHED, label), [by(SEARCHED, TODAY)])
        over = by_set.mean(axis=1)
        rows[label] = {
            **(100 * by_set.mean()).round(2),
            "won-lost, all tops": f"{(over > MARGIN).sum()}-{(over < -MARGIN).sum()}",
            "p": float(f"{p_of(over.round(8)):.2g}"),
        }
    return pd.DataFrame(rows).T


def seconds(spent: pd.DataFrame, counted: pd.DataFrame, count: int) -> pd.DataFrame:
    """Return processor seconds of each method on a fold: sets x methods.

    `spent` is the run's `values.csv`; `counted` has the set and fold of what is evaluated. Of a search all
    fits of the first `count` candidates are counted, so each candidate's model that is tested too.
    """
    rows = spent[(spent["method"] != SEARCHED) | (spent["candidate"] < count)]
    rows = rows.merge(counted[["set", "fold"]].drop_duplicates())
    of_folds = rows.groupby(["set", "fold", "method"])["seconds"].sum()
    return of_folds.groupby(["set", "method"]).mean().unstack()


def ratios(spent: pd.DataFrame) -> pd.DataFrame:
    """Return the mean seconds of each method, and their ratio to those of the extra trees."""
    ratio = np.exp(np.log(spent.div(spent["Extra trees"], axis=0)).mean())
    seconds_of = {"sets": spent.count(), "mean seconds": spent.mean().round(2), "ratio": ratio.round(2)}
    return pd.DataFrame(seconds_of)


def _of_file(path: Path, y: Rows) -> list[float]:
    """Compute the precision at each top of the scores in a file."""
    with np.load(path) as file:
        tests = np.broadcast_to(file["test"], (len(TOPS), len(y)))
    return [float(precision_at_k(y, *pair)) for pair in zip(tests, TOPS.values(), strict=True)]


def evaluate_beside(folder: Path, scores: Path, n_folds: pd.Series) -> pd.DataFrame:
    """Compute the precisions of the further rivals, on the sets of which they have all folds.

    `n_folds` is the number of folds of each set that the other methods have.
    """
    rows = []
    for name, number in n_folds.items():
        paths = [
            (method, fold, path_of(scores, str(name), fold, method, 0))
            for method in BESIDE
            for fold in range(number)
        ]
        if not all(path.exists() for *_, path in paths):
            continue
        table = load(str(name), folder)
        parts = folds(table)
        for method, fold, path in paths:
            precisions = _of_file(path, table.y[parts[fold].test])
            rows.append(
                {"set": name, "method": method, "fold": fold, **dict(zip(TOPS, precisions, strict=True))}
            )
    return pd.DataFrame(rows, columns=["set", "method", "fold", *TOPS])


def n_of_run(scores: Path, names: Sequence[str], least: int) -> int:
    """Count the candidates that are evaluated of a run that has first folds."""
    count = n_evaluated([n_finished(scores, name, 0) for name in names], least)
    if not count:
        raise SystemExit(f"{scores}: fewer than {least} sets have {STAGES[0]} candidates on the first fold")
    return count


def evaluate(
    folder: Path, scores: Path, names: Sequence[str], count: int, numbers: Sequence[int]
) -> pd.DataFrame:
    """Compute the precisions of those of some folds that have so many candidates."""
    tables = []
    for name in names:
        whole = [fold for fold in numbers if n_finished(scores, name, fold) >= count]
        if whole:
            table = load(name, folder)
            parts = folds(table)
            tables += [outcomes(scores, name, fold, count, table, parts[fold]) for fold in whole]
    if not tables:
        raise SystemExit(f"{scores}: no fold is finished: train some first")
    return pd.concat(tables, ignore_index=True)


def look_of(values: pd.DataFrame, spent: pd.DataFrame, count: int) -> Look:
    """Compute the means over folds of each set and method, and their seconds."""
    of_sets = values.groupby(["set", "method"])
    means = of_sets[list(TOPS)].mean().assign(candidates=count, folds=of_sets["fold"].nunique())
    return Look(means.reset_index(), seconds(spent, values, count))


def over_both(earlier: Look, later: Look) -> Look:
    """Compute the means over the folds of two looks; the later one may lack sets."""
    keys = ["set", "method"]
    values = [look.means.set_index(keys) for look in (earlier, later)]
    means = _weighted(*(table[list(TOPS)] for table in values), *(table["folds"] for table in values))
    numbers = [table["folds"].groupby("set").first() for table in values]
    n_folds = numbers[0].add(numbers[1], fill_value=0).astype(int)
    table = means.reset_index().assign(candidates=earlier.means["candidates"].max())
    return Look(
        table.assign(folds=table["set"].map(n_folds)),
        _weighted(earlier.seconds, later.seconds, *numbers),
    )


def _weighted(
    earlier: pd.DataFrame, later: pd.DataFrame, n_earlier: pd.Series, n_later: pd.Series
) -> pd.DataFrame:
    """Compute the mean over all folds of two tables of means over so many folds."""
    later, n_later = later.reindex(earlier.index), n_later.reindex(earlier.index).fillna(0)
    pairs = ((earlier, n_earlier), (later, n_later))
    sums, numbers = (
        sum(part.mul(n, axis=0).fillna(0) for part, n in pairs),
        sum(part.notna().mul(n, axis=0) for part, n in pairs),
    )
    return sums / numbers


def report(values: pd.DataFrame) -> str:
    """Return the answers on all sets, on those of development and on those of confirmation.

    `values` are the mean precisions of each method on each set.
    """
    means = values.set_index(["set", "method"])[list(TOPS)].rename_axis(columns="top")
    texts = []
    for label, names in (
        ("all", [*DEVELOPMENT, *CONFIRMATION]),
        ("development", DEVELOPMENT),
        ("confirmation", CONFIRMATION),
    ):
        part = means[means.index.get_level_values("set").isin(names)]
        if part.empty:
            continue
        there = set(part.index.get_level_values("method"))
        for question in QUESTIONS:
            if not there.issuperset(
                chain.from_iterable((method, *rivals) for method, rivals in question.pairs)
            ):
                continue
            texts.append(
                f"\n{question.name}, sets: {label}\n\n{answers(part, question).to_string(index=False)}"
            )
        texts.append(f"\nLightGBM searched, described, sets: {label}\n\n{described(part).to_string()}")
    return "\n".join(texts)


def look_at(args: argparse.Namespace) -> Look:
    """Look at the scores of a run, and at the folds of an earlier look where one is to be added."""
    names = [*DEVELOPMENT, *CONFIRMATION]
    earlier = Look.read(args.add) if args.add else None
    count = int(earlier.means["candidates"].max()) if earlier else n_of_run(args.scores, names, args.least)
    spent = pd.read_csv(args.scores / "values.csv")
    of_rivals = spent["method"].isin(BESIDE)
    numbers = range(1 if earlier else 0, N_FOLDS)  # an earlier look is of the first fold
    look = look_of(evaluate(args.data, args.scores, names, count, numbers), spent[~of_rivals], count)
    look = over_both(earlier, look) if earlier else look
    beside = evaluate_beside(args.data, args.scores, look.means.groupby("set")["folds"].first())
    return with_rivals(look, look_of(beside, spent[of_rivals], count)) if len(beside) else look


def with_rivals(look: Look, rivals: Look) -> Look:
    """Join the tables of further rivals, which may lack sets, to those of a look."""
    means = pd.concat([look.means, rivals.means], ignore_index=True)
    return Look(means.sort_values(["set", "method"], ignore_index=True), look.seconds.join(rivals.seconds))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--scores", type=Path)
    parser.add_argument("--least", type=int, default=LEAST_SETS, help="sets that must have the candidates")
    parser.add_argument("--write", help="name of the tables to be written here")
    parser.add_argument("--add", help="name of tables that are here, whose folds are counted too")
    parser.add_argument("--read", help="name of tables that are here, in place of scores")
    args = parser.parse_args()
    look = Look.read(args.read) if args.read else look_at(args)
    if args.write:
        look.write(args.write)
    of_sets = look.means.groupby("set")["folds"].first()
    print(f"{look.means['candidates'].max()} candidates; {len(of_sets)} sets, {of_sets.sum()} folds")
    print(report(look.means))
    print(f"\nProcessor seconds a fold\n\n{ratios(look.seconds).to_string()}")


if __name__ == "__main__":
    main()
