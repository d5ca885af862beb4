"""Error: how often a verdict claims a difference that is none; of power see judge.py.

    python -m studies.claims.verdicts [--simulations 1000] [--seed 0]

Two kinds of runs, 5 folds drawn twice or once (simulated_runs.py). "values": Gaussian,
correlated as the means over test items and over training items that make them; a cell names the variance
of a training item over that of a test item, and "assumed" is the correlation Nadeau and Bengio assume, the
most their test allows for. "resampled": fixed scorers on parts of one sample of 2,000 items, 200 positive,
top 100; scores share half of their noise. Every false alarm goes through `compare_at_top`'s `judge_top`, the
first hundred through the report's `judge_all`, which must say the same; over data sets through `across`.
False alarms, pages, and the question of a rival that was named are counted by `python -m studies.claims`.
"""

from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import norm

from attop.experiment import Sample, Units, count_shown, judge, judge_top
from attop.extending import Top
from attop.metrics import get_metric
from attop_bench.report.compute.across import across, sentences
from attop_bench.report.compute.judgements import judge_all
from studies.claims import options
from studies.claims.shares import mean, number, share
from studies.claims.simulated_runs import N, correlated, covariance, resampled, splits

MODELS = (2, 5, 10)
PRECISION = get_metric("precision@k")
TOP = Top(k=100, out_of=N)
SAMPLE = Sample(np.zeros((N, 1)), (np.arange(N) < N // 10).astype(int))


def covariance_of(repeats, training):
    if training == "assumed":
        return 0.2 + 0.8 * np.eye(5 * repeats)
    return covariance(splits(np.random.default_rng(0), N, 5, repeats), N, training)


def any_ahead(values, reported=True):
    """Return whether any model is ahead, as `compare_at_top` judges; `reported`: the report must agree."""
    runs = _by_name(values)
    units = SAMPLE.units(PRECISION, TOP, 0.25, [np.arange(N)])
    found = _judged_at_top(runs, TOP, dataset="data", n=N, units=units)
    ours = {name: found.state(name).word for name in runs}
    if reported:
        theirs = _in_report(runs)
        assert ours == theirs, (ours, theirs)
    return "behind" in ours.values()


def _in_report(runs):
    """Return the word of each model in the report's tables."""
    rows = [(fold, name, value) for name, column in runs.items() for fold, value in enumerate(column)]
    table = pd.DataFrame(rows, columns=["fold", "method", "value"])
    evaluation = table.assign(dataset="made", repeat=0, top="k=100 of 2000", metric="precision@k")
    trained = evaluation.assign(status="ok", n_train=N * 4 // 5, n_test=N // 5)
    about = {"made": {"items": N, "positives": N // 10}}
    (judged,) = judge_all(evaluation, trained, about).values()
    return {name: judged.state(name).word for name in runs}


def _by_name(values):
    return {f"m{j}": column for j, column in enumerate(values.T)}


def _judged_at_top(runs, top, **of_list):
    return judge_top(runs, PRECISION, top, test_train_ratio=0.25, share=0.1, grouped=False, **of_list)


def _judged(values, **more):
    return judge(_by_name(values), test_train_ratio=0.25, tolerance=0.01, **more)


def percent(n, seed, once):
    """Return the mean of ``once(rng)`` over n simulations, in percent."""
    rng = np.random.default_rng(seed)
    return 100 * np.mean([once(rng) for _ in range(n)], axis=0)


def show(what, cells, width=11):
    """Print a line of numbers, with one digit, or words."""
    words = (cell if isinstance(cell, str) else f"{cell:.1f}" for cell in cells)
    print(f"{what:<34}" + "".join(f"{word:>{width}}" for word in words), flush=True)


def head(width=11, models=MODELS):
    show("", [f"{m} models" for m in models], width)


#: Draws, nulls of equal models, in which the report is asked too: it takes longer than the judgement.
REPORTED = 100
#: Draws of a repetition of five folds, what they are, and models.
ALARMS = [(r, kind, m) for r in (2, 1) for kind in (0.0, 0.5, "assumed", "resampled") for m in MODELS]


def false_alarms(cell, n, seed):
    """Count equal models of which any is claimed to be ahead."""
    repeats, kind, m = cell
    rng = np.random.default_rng(seed)
    if kind == "resampled":
        draw, name = partial(resampled, rng, [0.5] * m, 5, repeats), "resampled"
    else:
        draw = partial(correlated, rng, covariance_of(repeats, kind), [0.5] * m, 0.1)
        name = f"values, training {kind}"
    wrong = [any_ahead(draw(), reported=i < REPORTED) for i in range(n)]
    return [share("false_alarms", f"{name}, {5 * repeats} runs, {m} models", "any ahead", wrong, "at most 5")]


def false_equality(n, seed):
    print(f"\nOne model better by exactly the tolerance, 0.01: % of {n} simulations call it equal to one")
    head()
    cov = covariance_of(2, "assumed")

    def wrong(rng, m, sd):
        found = _judged(correlated(rng, cov, [0.51] + [0.5] * (m - 1), sd))
        equal = found.of("equal")
        return "m0" in equal or (found.best == "m0" and bool(equal))

    for sd in (0.002, 0.005, 0.01):
        cells = [percent(n, seed, partial(wrong, m=m, sd=sd)) for m in MODELS]
        show(f"values, 10 runs, sd of a run {sd:<6}", cells)


#: Rows, positives, top, and the true precision of the better model.
DESIGNS = (
    (500, 50, 10, 0.999),
    (1000, 100, 20, 0.999),
    (2500, 250, 50, 0.999),
    (500, 50, 10, 0.975),
    (1000, 100, 20, 0.975),
    (1000, 10, 10, 0.041),
    (2000, 20, 20, 0.087),
    (10000, 1000, 300, 0.999),
)


def equality_of_rows(n, seed):
    print(f"\nFixed scorers, 10 runs: % of {n} simulations that call two models equal")
    show("rows, positives, top, precision", ["apart by 0.02", "0.01", "0"], 15)

    def equal(rng, apart, rows, positives, k, better):
        both = [better, better - apart]
        values = resampled(rng, both, n=rows, positives=positives, k=k, shared=0.9)
        return _judged(values, units=(k / 5, True), bounds=(0, 1)).verdict == "equal"

    for rows, positives, k, better in DESIGNS:
        design = {"rows": rows, "positives": positives, "k": k, "better": better}
        cells = [percent(n, seed, partial(equal, apart=apart, **design)) for apart in (0.02, 0.01, 0.0)]
        show(f"{rows}, {positives}, {k}, {better}", cells, 15)


#: Share of the noise that the models have in common, models, true lead in rows of 100.
QUESTIONS = [(shared, m, lead) for shared in (0.5, 0.9) for m in (2, 5) for lead in (0, 5, 10, 20)]


def question(cell, n, seed):
    """Count how often a lead over a rival that was named is shown, beside the most any test can have.

    That test knows the error of a run. Runs as correlated as Nadeau and Bengio allow for are exchangeable, so
    that their mean is all that counts (Neyman and Pearson).
    """
    shared, models, lead = cell
    rng, best_shown, named_shown, sd, needs = np.random.default_rng(seed), [], [], [], []
    for _ in range(n):
        values = resampled(rng, [0.5 + lead / 100] + [0.5] * (models - 1), shared=shared)
        best, named = (
            _judged(values, units=(20, True), bounds=(0, 1), against=rival) for rival in ("", "m1")
        )
        best_shown.append(best.best == "m0" and "m1" in best.of("ahead"))
        named_shown.append(named.asked == "m0" and named.answer.verdict == "ahead")
        sd.append(values[:, 0] - values[:, 1])
        needs.append(named.answer.needs)
    run = np.std(np.concatenate(sd))
    bound = norm.sf(norm.isf(0.05) - lead / 100 / (run * np.sqrt(0.1 + 0.9 * 0.2)))
    promise = "" if lead else "at most 5"
    where = "question", f"noise shared {shared}, {models} models, lead {lead}"
    return [
        share(*where, "shown as the best", best_shown, promise),
        share(*where, "shown as named", named_shown, promise),
        number(*where, "at most", 100 * bound),
        number(*where, "needs, of 100", 100 * np.nanmedian(needs)),
    ]


def page(models, n, seed):
    """Count claims of the sentence on top, by pages of data sets drawn from two for each simulation."""
    rng, found = np.random.default_rng(seed), []
    pool = [list(_of_tops(rng, str(d), 4, models)) for d in range(max(2 * n, 25))]
    names = [f"m{j}" for j in range(models)]
    for sets in (1, 10, 25):
        for tops in (1, 4):
            claims, alone = [], []
            for _ in range(n):
                chosen = rng.choice(len(pool), sets, replace=False)
                judged = [one for d in chosen for one in pool[d][:tops]]
                claims.append(bool(count_shown(judged, names)[0]))
                alone.append(sum(one.verdict == "ahead" for one in judged))
            where = "page", f"{models} methods, {sets} data sets, {tops} tops"
            found.append(share(*where, "sentence counts a lead", claims, "at most 5"))
            found.append(mean(*where, "leads by each top alone", alone))
    return found


def _of_tops(rng, name, tops, models):
    """Return the judgements of equal models on a data set of 400 rows, at tops that overlap."""
    y, runs = np.arange(400) < 40, splits(rng, 400)
    scores = rng.normal(size=(models, 400)) + y + 0.7 * rng.normal(size=400)
    for k in (20, 40, 60, 80)[:tops]:
        values = {
            f"m{j}": np.array([y[t][np.argsort(-s[t])[: k // 5]].mean() for _, t in runs])
            for j, s in enumerate(scores)
        }
        yield _judged_at_top(values, Top(k=k, out_of=400), dataset=name, n=400, units=Units(k / 5, True))


def over_data_sets(n, seed):
    print(f"\nEqual models over 10 data sets: % of {n} simulations whose sentences call one worse or better")
    head()

    def claim(rng, m):
        values = 0.5 + 0.1 * rng.normal(size=(10, m))
        titles = {f"m{j}": f"m{j}" for j in range(m)}
        rows = [(f"d{i}", f"m{j}", values[i, j]) for i in range(10) for j in range(m)]
        table = pd.DataFrame(rows, columns=["dataset", "method", "value"])
        table = table.assign(repeat=0, fold=0, top="k=10", metric="precision@k")
        found = across(table, dict.fromkeys(table["dataset"], "precision@k"), titles=titles)
        said = " ".join(sentences(found, titles))
        return "Worse than" in said or "is more than chance" in said

    show("", [percent(n, seed, partial(claim, m=m)) for m in MODELS])


def main():
    parser = options(__doc__, simulations=1000, seed=0)
    measures = (false_equality, equality_of_rows, over_data_sets)
    parser.add_argument("--only", choices=[measure.__name__ for measure in measures])
    args = parser.parse_args()
    for measure in measures:
        if args.only in (None, measure.__name__):
            measure(args.simulations, args.seed)


if __name__ == "__main__":
    main()
