"""Error and power: how often a verdict claims a difference that is none, and finds one that is.

    python -m studies.claims.verdicts [--simulations 1000] [--seed 0]

Two kinds of runs, 5 folds drawn twice or once (tests/support/simulated_runs.py). "values": Gaussian,
correlated as the means over test items and over training items that make them; the column names the variance
of a training item over that of a test item, and "assumed" is the correlation Nadeau and Bengio assume, the
most their test allows for. "resampled": fixed scorers on parts of one sample of 2,000 items, 200 positive,
top 100; scores share half of their noise. Every false alarm goes through `compare_at_top`'s summary and
through the report's `judge_all`, which must say the same; over data sets through `across`.
"""

import argparse
from functools import cache

import numpy as np
import pandas as pd
from support.simulated_runs import N, correlated, covariance, resampled, splits

from attop._core.top import Top
from attop.experiment._judge import judge
from attop.experiment._learner import Sample
from attop.experiment._result import summarise
from attop.metrics import get_metric
from attop_bench.report.compute.across import across, sentences
from attop_bench.report.compute.judgements import judge_all

MODELS = (2, 5, 10)
PRECISION = get_metric("precision@k")
SAMPLE = Sample(np.zeros((N, 1)), (np.arange(N) < N // 10).astype(int))


@cache
def runs_of(repeats, training):
    runs = splits(np.random.default_rng(0), N, 5, repeats)
    if training == "assumed":
        return runs, np.full((len(runs), len(runs)), 0.2) + 0.8 * np.eye(len(runs))
    return runs, covariance(runs, N, training)


def verdicts(values, repeats):
    """Return the best and its verdicts, by `compare_at_top`'s summary and by the report."""
    runs, _ = runs_of(repeats, 0.0)
    names = [f"m{j}" for j in range(values.shape[1])]
    rows = [(r, m, v) for r, row in enumerate(values) for m, v in zip(names, row, strict=True)]
    blank = {"reason": "", "candidate": {}, "seconds": 0.0, "warning": ""}
    results = [{**blank, "model": m, "value": v, "lift": v} for _, m, v in rows]
    found = summarise(results, [r for r, _, _ in rows], runs, PRECISION, Top(k=100, out_of=N), SAMPLE)
    ours = found.table["verdict"].to_dict()
    table = pd.DataFrame(rows, columns=["fold", "method", "value"])
    evaluation = table.assign(dataset="made", repeat=0, top="k=100 of 2000", metric="precision@k")
    trained = evaluation.assign(status="ok", n_train=N * 4 // 5, n_test=N // 5)
    (judged,) = judge_all(evaluation, trained).values()
    theirs = {name: judged.state(name).word for name in names}
    assert ours == theirs, (ours, theirs)
    return judged.best, ours


def share(simulations, seed, make, repeats, claim):
    """Return the percentage of simulations in which `claim` holds of the best and its verdicts."""
    rng = np.random.default_rng(seed)
    return 100 * np.mean([claim(*verdicts(make(rng), repeats)) for _ in range(simulations)])


def any_ahead(_, said):
    return "ahead" in said.values()


def false_alarms(n, seed):
    print(f"\nEqual models: % of {n} simulations with any claim that one is ahead; wanted: at most 5")
    print(f"{'':<34}" + "".join(f"{m:>4} models" for m in MODELS))
    for repeats in (2, 1):
        for training in (0.0, 0.5, "assumed"):
            _, cov = runs_of(repeats, training)
            cells = [
                share(n, seed, lambda rng, m=m, c=cov: correlated(rng, c, [0.5] * m, 0.1), repeats, any_ahead)
                for m in MODELS
            ]
            print(
                f"values, {5 * repeats} runs, training {training!s:<10}"
                + "".join(f"{c:>11.1f}" for c in cells)
            )
        cells = [
            share(n, seed, lambda rng, m=m, r=repeats: resampled(rng, [0.5] * m, 5, r), repeats, any_ahead)
            for m in MODELS
        ]
        print(f"{f'resampled, {5 * repeats} runs':<34}" + "".join(f"{c:>11.1f}" for c in cells))


def false_equality(n, seed):
    print(f"\nOne model better by exactly the tolerance, 0.01: % of {n} simulations call it equal to one")
    print(f"{'':<34}" + "".join(f"{m:>4} models" for m in MODELS))
    _, cov = runs_of(2, "assumed")
    for sd in (0.002, 0.005, 0.01):
        cells = []
        for m in MODELS:
            rng, wrong = np.random.default_rng(seed), 0
            for _ in range(n):
                values = correlated(rng, cov, [0.51] + [0.5] * (m - 1), sd)
                found = judge(dict(enumerate(values.T)), test_train_ratio=0.25, tolerance=0.01)
                equal = [r.model for r in found.rivals if r.verdict == "equal"]
                wrong += 0 in equal or (found.best == 0 and bool(equal))
            cells.append(100 * wrong / n)
        print(f"values, 10 runs, sd of a run {sd:<6}" + "".join(f"{c:>11.1f}" for c in cells))


def power(n, seed):
    print(f"\nOne model better by so many of 100: % of {n} simulations it is ahead of the next | of a rival")
    print(f"{'':<34}" + "".join(f"{m:>8} models" for m in MODELS))
    for repeats in (4, 2, 1):
        for better in (5, 10, 20):
            cells = []
            for m in MODELS:
                rng, next_, each = np.random.default_rng(seed), 0, 0.0
                for _ in range(n):
                    values = resampled(rng, [0.5 + better / 100] + [0.5] * (m - 1), 5, repeats)
                    found = judge(dict(enumerate(values.T)), test_train_ratio=0.25, tolerance=0.01)
                    next_ += found.best == 0 and found.verdict == "ahead"
                    each += (found.best == 0) * np.mean([r.verdict == "ahead" for r in found.rivals])
                cells.append(f"{100 * next_ / n:.0f} | {100 * each / n:.0f}")
            print(
                f"{f'resampled, {5 * repeats} runs, {better} of 100':<34}"
                + "".join(f"{c:>15}" for c in cells)
            )


def over_data_sets(n, seed):
    print(f"\nEqual models over 10 data sets: % of {n} simulations whose sentences call one worse or better")
    print(f"{'':<34}" + "".join(f"{m:>4} models" for m in MODELS))
    cells = []
    for m in MODELS:
        rng, claims = np.random.default_rng(seed), 0
        titles = {f"m{j}": f"m{j}" for j in range(m)}
        for _ in range(n):
            values = 0.5 + 0.1 * rng.normal(size=(10, m))
            rows = [(f"d{i}", f"m{j}", values[i, j]) for i in range(10) for j in range(m)]
            table = pd.DataFrame(rows, columns=["dataset", "method", "value"])
            table = table.assign(repeat=0, fold=0, top="k=10", metric="precision@k")
            said = " ".join(
                sentences(
                    across(table, dict.fromkeys(table["dataset"], "precision@k"), titles=titles), titles
                )
            )
            claims += "Worse than" in said or "is more than chance" in said
        cells.append(100 * claims / n)
    print(f"{'':<34}" + "".join(f"{c:>11.1f}" for c in cells))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    measures = (false_alarms, false_equality, power, over_data_sets)
    parser.add_argument("--only", choices=[measure.__name__ for measure in measures])
    args = parser.parse_args()
    for measure in measures:
        if args.only in (None, measure.__name__):
            measure(args.simulations, args.seed)


if __name__ == "__main__":
    main()
