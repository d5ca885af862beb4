"""Successive halving of the search on eight sets: what it costs, and what it loses.

    python -m studies.searched.halving run FOLDER values.csv
    python -m studies.searched.halving outcomes values.csv studies/searched/halving.csv
    python -m studies.searched.halving table studies/searched/halving.csv

Fixed before the first result. The eight sets of `studies.selectors` with the fewest rows, but for
internet-ads, whose 1,555 columns take minutes; the first two folds; the first 27 candidates of
`lightgbm-search` on each. They are compared in three rounds: all 27, the best nine, the best three. A round
has a ninth, a third and all of the rows that are trained on (stratified), or of a candidate's trees, or one,
two and all three of the inner folds. Choices are by mean AP and by precision@k at n+. It becomes an option if
for AP one of the three loses no more than 0.2 of 100 on average over sets and tops against all 27 on all
rows, for at most 0.4 of the fits' processor time. Time of trees is counted as trees: those of a round go on
in the next.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from attop.metrics import average_precision, precision_at_k, scores_of
from studies.searched.train import PARAMS, TOPS, candidates
from studies.selectors.sets import CONFIRMATION, DEVELOPMENT, Part, Rows, Table, folds, load

Floats = NDArray[np.float64]
N_SETS, N_OUTER, N_CANDIDATES = 8, 2, 27
#: Candidates of a round, and the share of what is to be had that each gets.
ROUNDS = ((27, 1 / 9), (9, 1 / 3), (3, 1.0))
CHOSEN_BY = ("ap", "precision@k")
WAYS = ("all rows and trees", "rows", "trees", "folds")


def survivors(values: Sequence[Floats], counts: Sequence[int]) -> list[list[int]]:
    """Return the candidates of each round, and of a last one that has the winner alone.

    Parameters
    ----------
    values : sequence of ndarray of shape (candidates,)
        What each candidate is worth in each round, the higher the better; rounded to 10 digits.
    counts : sequence of int
        How many candidates are in each round, the first is all of them. Of equals the first stay.
    """
    rounds = [list(range(counts[0]))]
    for of_round, count in zip(values, [*counts[1:], 1], strict=True):
        alive = rounds[-1]
        order = np.argsort(-np.round(of_round[alive], 10), kind="stable")
        rounds.append(sorted(alive[place] for place in order[:count]))
    return rounds


def _measures(y: Rows, scores: Floats) -> dict[str, float]:
    return {"ap": average_precision(y, scores), "precision@k": precision_at_k(y, scores, TOPS["n+"])}


def measured(table: Table, part: Part, setting: Mapping[str, Any]) -> Iterator[dict[str, object]]:
    """Yield what a candidate is worth: on each inner fold by share of rows and of trees, and on the test."""
    for number, (train, rows) in enumerate(part.inner):
        y, labels = table.y[rows], table.y[train]
        for _, share in ROUNDS:
            few = train
            if share < 1:
                few, _ = train_test_split(train, train_size=share, stratify=labels, random_state=number)
            start = time.process_time()
            model = LGBMClassifier(**PARAMS, **setting).fit(table.X[few], table.y[few])
            scores = scores_of(model, table.X[rows])
            spent = time.process_time() - start
            yield {"kind": "rows", "share": share, "inner": number, "seconds": spent, **_measures(y, scores)}
        for _, share in ROUNDS:
            trees = max(1, round(share * model.n_estimators))
            scores = np.asarray(model.predict_proba(table.X[rows], num_iteration=trees))[:, 1]
            yield {"kind": "trees", "share": share, "inner": number, "trees": trees, **_measures(y, scores)}
    model = LGBMClassifier(**PARAMS, **setting).fit(table.X[part.train], table.y[part.train])
    scores = scores_of(model, table.X[part.test])
    y = table.y[part.test]
    yield {"kind": "test", **{name: precision_at_k(y, scores, top) for name, top in TOPS.items()}}


COLUMNS = [
    *("set", "fold", "candidate", "kind", "share", "inner", "seconds", "trees", "ap", "precision@k"),
    *TOPS,
]


def run(folder: Path, path: Path) -> None:
    """Fit what is not there yet."""
    warnings.filterwarnings("ignore")
    tables = {name: load(name, folder) for name in (*DEVELOPMENT, *CONFIRMATION) if name != "internet-ads"}
    smallest = sorted(tables, key=lambda name: (len(tables[name].y), name))[:N_SETS]
    started = path.exists()
    done = set(map(tuple, pd.read_csv(path)[["set", "fold"]].to_numpy())) if started else set()
    with path.open("a", encoding="utf-8", newline="") as file, threadpool_limits(1):
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if not started:
            writer.writeheader()
        for fold in range(N_OUTER):
            for name in smallest:
                if (name, fold) in done:
                    continue
                part, rows = folds(tables[name])[fold], []
                for number, setting in enumerate(candidates(name, fold)[:N_CANDIDATES]):
                    of_run = {"set": name, "fold": fold, "candidate": number}
                    rows += [of_run | one for one in measured(tables[name], part, setting)]
                writer.writerows(rows)
                file.flush()


def _cost(part: pd.DataFrame, alive: Sequence[Sequence[int]], way: str) -> float:
    """Return the share of the time of all candidates on all rows that the rounds of a way take."""
    of_rows = part[part["kind"] == "rows"]
    whole = of_rows[of_rows["share"] == 1.0].groupby("candidate")["seconds"].sum()
    shares = [share for _, share in ROUNDS]
    if way == "rows":
        spent = sum(
            of_rows[(of_rows["share"] == share) & of_rows["candidate"].isin(candidates_of)]["seconds"].sum()
            for share, candidates_of in zip(shares, alive, strict=True)
        )
        return float(spent / whole.sum())
    # What a round adds to the one before it: a further fold, or so many trees more.
    reached = [number / len(ROUNDS) for number in (1, 2, 3)] if way == "folds" else shares
    steps = np.diff([0.0, *reached])
    spent = sum(step * whole[list(one)].sum() for step, one in zip(steps, alive, strict=True))
    return float(spent / whole.sum())


def of_fold(part: pd.DataFrame, chosen_by: str) -> list[dict[str, object]]:
    """Return the test precision of what each way chooses on a fold, and its cost."""
    shares, counts = [share for _, share in ROUNDS], [count for count, _ in ROUNDS]
    inner = part[part["kind"] != "test"].pivot(
        index="candidate", columns=["kind", "share", "inner"], values=chosen_by
    )
    test = part[part["kind"] == "test"].set_index("candidate")[list(TOPS)]
    full = inner["rows"][1.0]
    values = {
        "rows": [inner["rows"][share].mean(axis=1).to_numpy() for share in shares],
        "trees": [inner["trees"][share].mean(axis=1).to_numpy() for share in shares],
        "folds": [full.iloc[:, : number + 1].mean(axis=1).to_numpy() for number in range(len(ROUNDS))],
    }
    outcomes: list[dict[str, object]] = []
    for way in WAYS:
        if way in values:
            *alive, (winner,) = survivors(values[way], counts)
            cost = _cost(part, alive, way)
        else:
            winner, cost = int(full.mean(axis=1).round(10).to_numpy().argmax()), 1.0
        outcomes.append({"way": way, "cost": cost, **test.loc[winner].to_dict()})
    outcomes.append({"way": "one at random", "cost": 0.0, **test.mean().to_dict()})
    return outcomes


def outcomes_of(values: pd.DataFrame) -> pd.DataFrame:
    """Return the test precision of what each way chooses, and its cost, by choice, set and fold."""
    rows = []
    for chosen_by in CHOSEN_BY:
        for (name, fold), part in values.groupby(["set", "fold"]):
            of_part = {"chosen by": chosen_by, "set": name, "fold": fold}
            rows += [of_part | outcome for outcome in of_fold(part, chosen_by)]
    return pd.DataFrame(rows)


def table(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Return the loss of each way against all candidates on all rows, of 100, and its share of their time."""
    keys = ["chosen by", "way"]
    of_sets = outcomes.groupby([*keys, "set"], sort=False)[[*TOPS, "cost"]].mean()
    whole = of_sets.xs(WAYS[0], level="way").reindex(of_sets.reset_index("way").index)
    gains = (of_sets[list(TOPS)] - whole[list(TOPS)].to_numpy()).mul(100)
    gains["all"] = gains.mean(axis=1)
    means = gains.groupby(level=keys, sort=False).mean().round(2)
    means["cost"] = of_sets.groupby(level=keys, sort=False)["cost"].mean().round(2)
    return means.reset_index()


def main() -> None:
    """Run the study or print its table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(required=True, dest="command")
    runs = commands.add_parser("run")
    runs.add_argument("folder", type=Path)
    runs.add_argument("values", type=Path)
    chooses = commands.add_parser("outcomes")
    chooses.add_argument("values", type=Path)
    chooses.add_argument("outcomes", type=Path)
    commands.add_parser("table").add_argument("outcomes", type=Path)
    args = parser.parse_args()
    if args.command == "run":
        run(args.folder, args.values)
    elif args.command == "outcomes":
        outcomes = outcomes_of(pd.read_csv(args.values))
        outcomes.to_csv(args.outcomes, index=False, float_format="%.6g", lineterminator="\n")
    else:
        print(table(pd.read_csv(args.outcomes)).to_string(index=False))


if __name__ == "__main__":
    main()
