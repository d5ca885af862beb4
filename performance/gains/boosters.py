"""What training boosters for the top gains over log loss, on 14 public sets with few positives.

    export OMP_NUM_THREADS=1
    python performance/gains/boosters.py run FOLDER results.jsonl [--splits 6] [--part 0/2]
    python performance/gains/boosters.py table results.jsonl...

Protocol, fixed before any of its results was seen:

- Sets: the 14 of `rare_sets.SETS`, at most 250 positives and 2,500 rows each. In alphabetical order every
  second one, from the second on, was there for development, whole and on other splits; the others confirm.
- Stratified splits, 70% to train on, 30% to test; the seed of a split is its number. Features as they are.
- Tops: kappa = 1/4, 1/2 and 1, which is k = n+/4, n+/2 and n+ of whatever part it is applied to.
- Measured: precision@k of the test part. The gain of a set is the mean over its splits and, for a number
  of all tops, over these.
- The interval of the mean is Student's over sets, 95%; Wilcoxon's signed-rank test is over sets, two-sided,
  zeros dropped. A set is won or lost where the gain is beyond 0.002.

Small models: `TopBooster`, nothing tuned but what it tunes itself (5 folds, margin 1), with 100 trees of 2
leaves and 20 of 4, learning rate 0.1; against `base_`, its log loss. Beside it `margin=0`, which weights
wherever that gains at all.

A surrogate as objective: LightGBM with 200 trees of 15 leaves, learning rate 0.05, at least 10 rows in a
leaf, trained on log loss, and continued for 10 or 40 trees by `LightGBMObjective(SoftPrecAtK(top, width))`
with width 0.3 or 1. The best of the four by the precision averaged over k/2 to 2k on 5 folds is taken where
it gains more than its standard error, otherwise none. Beside it: taken always; and, so that more trees are no
gain, log loss continued by itself for 10 or 40 trees, chosen in the same way. All against the 200 trees.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from lightgbm import Dataset, train
from rare_sets import SETS, load
from scipy import stats
from sklearn.model_selection import StratifiedKFold, train_test_split

from attop import TopBooster
from attop.metrics import precision_at_k
from attop.metrics.held_out import TopPrecision
from attop.objectives import LightGBMObjective
from attop.surrogates import SoftPrecAtK

DEVELOPMENT = sorted(SETS)[1::2]
KAPPAS = (0.25, 0.5, 1.0)
SMALL = {"100 trees of 2 leaves": (100, 2), "20 trees of 4 leaves": (20, 4)}
TREES, WIDTHS, MORE = 200, (0.3, 1.0), (10, 40)
LARGE = {
    "num_leaves": 15,
    "learning_rate": 0.05,
    "min_data_in_leaf": 10,
    "num_threads": 1,
    "verbosity": -1,
    "deterministic": True,
    "force_col_wise": True,
}
ROWS = {
    "TopBooster": SMALL,
    "TopBooster, margin 0": SMALL,
    "objective": ["200 trees of 15 leaves"],
    "objective, always": ["200 trees of 15 leaves"],
    "log loss continued": ["200 trees of 15 leaves"],
}


def small(train_part, test_part):
    """Yield gains of TopBooster over its log loss."""
    (X, y), (test, truth) = train_part, test_part
    for label, (trees, leaves) in SMALL.items():
        for kappa in KAPPAS:
            top = {"kappa": kappa}
            model = TopBooster(top, n_estimators=trees, num_leaves=leaves, margin=0.0).fit(X, y)
            base, weighted = (
                precision_at_k(truth, each.predict(test, raw_score=True), top)
                for each in (model.base_, model.booster_)
            )
            pays = bool(model.cv_gain_ > model.cv_gain_se_)
            for title, taken in (("TopBooster, margin 0", model.refined_), ("TopBooster", pays)):
                yield title, label, kappa, base, weighted if taken else base, taken


def continued(X, y, test, objective, start):
    """Return scores of `test` after each of `MORE` further trees."""
    data = Dataset(X, y, free_raw_data=False)
    model = train({**LARGE, "objective": objective}, data, max(MORE), init_model=start)
    return [model.predict(test, raw_score=True, num_iteration=TREES + more) for more in MORE]


def settings(X, y, test, top):
    """Return scores of `test` by log loss, by each setting of the objective, by log loss continued."""
    start = train({**LARGE, "objective": "binary"}, Dataset(X, y), TREES)
    base = start.predict(test, raw_score=True)
    ours = [
        scores
        for width in WIDTHS
        for scores in continued(X, y, test, LightGBMObjective(SoftPrecAtK(top, width)), start)
    ]
    return base, ours, continued(X, y, test, "binary", start)


def large(train_part, test_part):
    """Yield gains of the objective over log loss."""
    (X, y), (test, truth) = train_part, test_part
    (label,) = ROWS["objective"]
    for kappa in KAPPAS:
        top = {"kappa": kappa}
        gains = []
        for inner, held in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
            measure = TopPrecision(y[held], top)
            scores = settings(X[inner], y[inner], X[held], top)
            before = measure.smoothed(scores[0])
            gains.append([measure.smoothed(s) - before for s in [*scores[1], *scores[2]]])
        gains = np.array(gains)
        mean, error = gains.mean(axis=0), gains.std(axis=0, ddof=1) / np.sqrt(len(gains))
        scores = settings(X, y, test, top)
        base, *values = (precision_at_k(truth, given, top) for given in (scores[0], *scores[1], *scores[2]))
        n = len(scores[1])
        for title, among, margin in (
            ("objective", slice(0, n), 1.0),
            ("objective, always", slice(0, n), -np.inf),
            ("log loss continued", slice(n, None), 1.0),
        ):
            best = range(len(values))[among][int(np.argmax(mean[among]))]
            taken = bool(mean[best] > margin * error[best])
            yield title, label, kappa, base, values[best] if taken else base, taken


def run_one(name, split, folder):
    X, y = load(name, folder, n_pos=250, n_rows=2500)
    X, test, y, truth = train_test_split(X, y, test_size=0.3, stratify=y, random_state=split)
    for rows in (small, large):
        for title, label, kappa, base, value, taken in rows((X, y), (test, truth)):
            yield {
                "set": name, "split": split, "what": title, "model": label, "kappa": kappa,
                "base": base, "value": value, "taken": taken,
            }  # fmt: skip


def run(args):
    part, parts = map(int, args.part.split("/"))
    path = Path(args.results)
    done = {(row["set"], row["split"]) for row in read([path])} if path.exists() else set()
    todo = [(name, split) for split in range(args.splits) for name in sorted(SETS)]
    with path.open("a", encoding="utf-8") as file:
        for name, split in todo[part::parts]:
            if (name, split) not in done:
                rows = list(run_one(name, split, args.folder))
                file.writelines(json.dumps(row) + "\n" for row in rows)
                file.flush()


def read(paths):
    return [
        json.loads(line) for path in paths for line in Path(path).read_text(encoding="utf-8").splitlines()
    ]


def gains_of(rows, names):
    """Return the mean gain of each set; one that is 0 but for rounding is 0."""
    gains = [np.mean([r["value"] - r["base"] for r in rows if r["set"] == name]) for name in names]
    return np.round(gains, 12)


def table(args):
    rows = read(args.results)
    splits = [len({row["split"] for row in rows if row["set"] == name}) for name in sorted(SETS)]
    confirming = [name for name in sorted(SETS) if name not in DEVELOPMENT]
    print(f"{len(SETS)} sets, {min(splits)} to {max(splits)} splits each, {sum(splits)} in all\n")
    print("| what | model | top | log loss | gain, 95% interval | won-tied-lost | p | taken | confirming |")
    print("|---|---|---|---|---|---|---|---|---|")
    for what, models in ROWS.items():
        for model in models:
            alike = [row for row in rows if (row["what"], row["model"]) == (what, model)]
            for kappa in (*KAPPAS, None):
                here = [row for row in alike if kappa in (None, row["kappa"])]
                g = gains_of(here, sorted(SETS))
                half = stats.sem(g) * stats.t.ppf(0.975, len(g) - 1)
                p = stats.wilcoxon(g[g != 0]).pvalue if g.any() else 1.0
                won, lost = int((g > 0.002).sum()), int((g < -0.002).sum())
                taken = np.mean([r["taken"] for r in here])
                print(
                    f"| {what} | {model} | {'all' if kappa is None else f'{kappa:g} n+'} "
                    f"| {np.mean([r['base'] for r in here]):.3f} "
                    f"| {g.mean():+.4f} [{g.mean() - half:+.4f}, {g.mean() + half:+.4f}] "
                    f"| {won}-{len(g) - won - lost}-{lost} | {p:.2g} "
                    f"| {taken:.0%} | {gains_of(here, confirming).mean():+.4f} |"
                )
    print("\n| set | log loss | " + " | ".join(f"{w}, {m}" for w in ROWS for m in ROWS[w]) + " |")
    print("|---|---|" + "---|" * sum(map(len, ROWS.values())))
    for name in sorted(SETS):
        here = [row for row in rows if row["set"] == name]
        cells = [
            f"{gains_of([r for r in here if (r['what'], r['model']) == (what, model)], [name])[0]:+.3f}"
            for what in ROWS
            for model in ROWS[what]
        ]
        star = "" if name in DEVELOPMENT else " *"
        print(f"| {name}{star} | {np.mean([r['base'] for r in here]):.3f} | {' | '.join(cells)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run")
    runs.add_argument("folder", type=Path)
    runs.add_argument("results")
    runs.add_argument("--splits", type=int, default=6)
    runs.add_argument("--part", default="0/1", help="this process does every PARTS-th pair, from PART")
    runs.set_defaults(do=run)
    tables = commands.add_parser("table")
    tables.add_argument("results", nargs="+")
    tables.set_defaults(do=table)
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
