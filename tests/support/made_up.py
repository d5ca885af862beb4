"""Made-up results of a benchmark, for tests of what is made of results."""

import json

import numpy as np
import pandas as pd

from attop.extending import sort_tops
from attop.metrics import METRICS

METHODS = [
    *("aatp", "aatp-fixed-point", "perceptron-avg", "perceptron-max", "sgd-avg"),
    *("gd-papk-avg", "gd-papk-max", "gd-papk-ts", "rankboost", "pnorm-push-4", "pnorm-push-16"),
    *("logistic-regression", "linear-svm"),
]

TAUS = tuple(f"tau={t:g}" for t in np.round(np.linspace(0.01, 0.19, 10), 2))
DATASETS = {
    # id: tops, repeats, folds, groups, metric, items, positives
    "wdbc": (("k=5", "k=10", "k=20"), 1, 5, 0, "precision@k", 569, 212),
    "digit-8": (("k=10", "k=30", "k=60"), 1, 3, 0, "precision@k", 1797, 174),
    "ionosphere-windows": (TAUS, 1, 10, 0, "precision@k", 351, 126),
    "many-users": (("k=5", "k=10", "k=15"), 3, 1, 200, "micro-pap@k", 24000, 3100),
    "ratings": (("k=5", "k=10", "k=15"), 5, 1, 638, "micro-pap@k", 70032, 15489),
}


def make_results(
    datasets=tuple(DATASETS),
    methods=tuple(METHODS),
    metrics=tuple(METRICS),
    failures=True,
):
    """Make up the tables and the manifest of a benchmark, with a few failures, gaps and undefined values."""
    rng = np.random.default_rng(0)
    evaluation, runs, roc = [], [], []
    for dataset in datasets:
        tops, repeats, folds, groups, scoring, items, positives = DATASETS[dataset]
        n_pos = max(2, positives * 2 // 5 // folds if not groups else 150)
        n_neg = max(5, n_pos * (items - positives) // positives)
        for m, method in enumerate(methods):
            if dataset == "ratings" and method == "aatp":
                continue
            quality = 0.9 - 0.25 * rng.random()
            for repeat in range(repeats):
                for fold in range(folds):
                    job = {"dataset": dataset, "method": method, "repeat": repeat, "fold": fold}
                    if failures and (dataset, method, fold) == ("digit-8", "rankboost", 2):
                        continue  # missing
                    failed = failures and (
                        ((dataset, method) == ("wdbc", "perceptron-max") and fold < 2)
                        or (dataset, method) == ("many-users", "pnorm-push-16")
                    )
                    training = 10 ** rng.normal(-2.5 + 0.25 * m, 0.1)
                    for t, top in enumerate(tops):
                        lam = rng.choice([0.01, 0.1, 1.0], p=[0.7, 0.2, 0.1] if m % 3 else [0.2, 0.6, 0.2])
                        runs.append(
                            {
                                **job,
                                "top": top,
                                "status": "error" if failed else "ok",
                                "chosen": json.dumps({} if failed else {"lam": lam}),
                                "n_candidates": 3,
                                "scoring": scoring,
                                "validation": np.nan if failed else quality + 0.02,
                                "n_train": float(items * 4 // 5),
                                "n_test": float(n_pos + n_neg),
                                "at_edge": json.dumps(["lam"] if lam in (0.01, 1.0) and not failed else []),
                                "constant": False,
                                "seconds_selection": np.nan if failed else 9 * training,
                                "seconds_training": np.nan if failed else training,
                                "seconds_scoring": np.nan if failed else 1e-4,
                                "seconds_cpu": np.nan if failed else 10 * training,
                                "started": 1.8e9 + len(runs),
                                "ended": 1.8e9 + len(runs) + 10 * training,
                                "peak_memory_mb": 150.0 + m,
                                "host": "node-1",
                                "seed": "0",
                                "error": "FloatingPointError: overflow in step 7\n  more" if failed else "",
                            }
                        )
                        if failed:
                            continue
                        for metric in metrics:
                            undefined = failures and metric == "pap@k" and dataset == "wdbc" and fold == 1
                            value = quality - 0.03 * t + rng.normal(0, 0.03)
                            high = METRICS[metric].bounds[1]
                            value = min(max(value, 0), 1) if high == 1 else 20 * value
                            value, reason = (np.nan, "fewer than k negatives") if undefined else (value, None)
                            row = {**job, "top": top, "metric": metric, "value": value, "reason": reason}
                            evaluation.append({**row, "n_groups": max(1, groups), "n_left_out": 0})
                        y = np.repeat([0, 1], [n_neg, n_pos])
                        scores = rng.normal(0, 1, len(y)) + 4 * quality * (quality - 0.3) * y
                        ranked = y[np.argsort(-scores)]
                        fp, tp = np.cumsum(1 - ranked), np.cumsum(ranked)
                        curve = {"fp": [0, *fp.tolist()], "tp": [0, *tp.tolist()]}
                        roc.append({**job, "top": top, **curve, "n_neg": n_neg, "n_pos": n_pos})
    manifest = {
        "title": "Accuracy at the top, made up",
        "seed": 0,
        "config": "title: Accuracy at the top\nseed: 0\n",
        "git": {"commit": "0123456789abcdef", "dirty": True},
        "environment": {
            "python": "3.12.1",
            "versions": {"attop": "0.1.0", "numpy": "2.4.0"},
            "host": "node-1",
            "platform": "Linux",
            "cpu": "Some CPU at 3 GHz",
            "threads": 2,
        },
        "datasets": {
            d: {
                "title": d.replace("-", " ").title(),
                "source": "made up",
                "licence": "none needed",
                "positive": "the rarer class",
                "items": DATASETS[d][5],
                "features": 30,
                "positives": DATASETS[d][6],
                "protocol": {
                    "kind": "within-groups" if DATASETS[d][3] else "stratified",
                    "options": {"n_folds": DATASETS[d][2]},
                    "repeats": DATASETS[d][1],
                },
                "scaling": "standard",
                "tops": list(DATASETS[d][0]),
                "scoring": DATASETS[d][4],
                "skip": {"aatp": "needs as many programs as there are items"} if d == "ratings" else {},
                **({"groups": DATASETS[d][3], "positives_per_group": [1, 14, 90]} if DATASETS[d][3] else {}),
            }
            for d in datasets
        },
        "methods": {
            m: {
                "title": {"aatp": "AATP", "gd-papk-avg": "GD-pAp@k-avg"}.get(m, m),
                "reference": "Hiranandani et al. (2020), algorithm 1",
                "summary": "Subgradient descent on a surrogate of the top.",
                "estimator": "attop.learners.Some",
                "params": {"max_iter": 300},
                "grid": {"lam": [0.01, 0.1, 1.0]},
                "n_candidates": 3,
            }
            for m in methods
        },
    }
    return pd.DataFrame(evaluation), pd.DataFrame(runs), pd.DataFrame(roc), manifest


def as_tables(evaluation, runs, roc):
    """Return all tables of a benchmark: other tops cost 0.01 each, and the candidate chosen is the best."""
    rng = np.random.default_rng(0)
    cross, selection = [], []
    key = ["dataset", "method", "repeat", "fold", "top"]
    chosen_by = runs.drop_duplicates("dataset").set_index("dataset")["scoring"]
    places = {d: sort_tops(part["top"]) for d, part in evaluation.groupby("dataset")}
    for row in evaluation[evaluation["metric"] == evaluation["dataset"].map(chosen_by)].itertuples():
        job = {name: getattr(row, name) for name in key}
        order = places[row.dataset]
        for at in order:
            away = abs(order.index(at) - order.index(row.top))
            cross.append({**job, "at": at, "metric": row.metric, "value": row.value - 0.01 * away})
    for row in runs[runs["status"] == "ok"].itertuples():
        for lam in (0.01, 0.1, 1.0):
            value = row.validation - (json.loads(row.chosen).get("lam") != lam) * rng.random() / 10
            job = {name: getattr(row, name) for name in key}
            candidate = json.dumps({"lam": lam})
            selection.append(
                {**job, "candidate": candidate, "inner_fold": 0, "value": value, "part": "validation"}
            )
    trace = []
    for row in runs.drop_duplicates(["dataset", "method"]).itertuples():
        for i, iterations in enumerate((1, 2, 4, 8) if row.status == "ok" else ()):
            job = {name: getattr(row, name) for name in key}
            curve = {
                "objective": 5 / iterations,
                "train": 1 - 0.5 / iterations,
                "test": 0.8 - 0.5 * rng.random() / (1 + i),
            }
            trace.append({**job, "iterations": iterations, **curve})
    return {
        "evaluation": evaluation,
        "runs": runs,
        "roc": roc,
        "cross": pd.DataFrame(cross, columns=[*key, "at", "metric", "value"]),
        "trace": pd.DataFrame(trace, columns=[*key, "iterations", "objective", "train", "test"]),
        "selection": pd.DataFrame(selection, columns=[*key, "candidate", "inner_fold", "value", "part"]),
    }
