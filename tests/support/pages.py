"""Tables of made-up runs of any number of data sets and methods, made without a loop over runs."""

from __future__ import annotations

import numpy as np
import pandas as pd

from support.made_up import METHODS

TOPS = ("k=10", "k=50", "k=100")
NAMES = ("Breast cancer", "Handwritten digit 8", "Mammography", "Seismic bumps", "Forest cover, rare type")


def made_tables(n_sets, n_methods, n_runs=5, tops=TOPS, seed=0):
    """Return tables and manifest of `build_report`."""
    rng = np.random.default_rng(seed)
    datasets = [f"set-{i}" for i in range(n_sets)]
    methods = [*METHODS, *(f"method-{i}" for i in range(n_methods))][:n_methods]
    skill = np.sort(rng.uniform(0.3, 0.8, n_methods))[::-1]
    means = np.clip(skill + rng.normal(0, 0.08, (n_sets, n_methods)), 0.02, 0.97)
    job = pd.MultiIndex.from_product(
        [datasets, methods, [0], range(n_runs), tops], names=["dataset", "method", "repeat", "fold", "top"]
    ).to_frame(index=False)
    each = np.repeat(means.ravel(), n_runs * len(tops)) - np.tile(
        0.03 * np.arange(len(tops)), means.size * n_runs
    )
    k = job["top"].str.removeprefix("k=").astype(int).to_numpy()
    value = rng.binomial(k, np.clip(each, 0, 1)) / k
    evaluation = job.assign(metric="precision@k", value=value, reason=None)
    seconds = np.repeat(
        10 ** rng.normal(np.linspace(1, -2, n_methods), 0.3, means.shape).ravel(), n_runs * len(tops)
    )
    runs = job.assign(
        status="ok", chosen='{"lam": 0.1}', n_candidates=3, scoring="precision@k", validation=value,
        n_train=12000.0, n_test=3000.0, at_edge="[]", constant=False, seconds_selection=9 * seconds,
        seconds_training=seconds, seconds_scoring=1e-4, seconds_cpu=10 * seconds,
        started=1.8e9 + np.arange(len(job)), ended=1.8e9 + np.arange(len(job)) + 1, peak_memory_mb=150.0,
        host="node-1", error="",
    )  # fmt: skip
    entry = {"items": 15000, "positives": 300, "features": 30, "scoring": "precision@k", "source": "made up"}
    titles = {d: f"{NAMES[i % 5]} {i // 5 + 1}" if i > 4 else NAMES[i] for i, d in enumerate(datasets)}
    manifest = {
        "title": "Accuracy at the top, made up",
        "datasets": {d: {**entry, "title": title} for d, title in titles.items()},
        "methods": {m: {"title": m.replace("-", " ").capitalize(), "estimator": m} for m in methods},
    }
    # The first k hold the hits that the value says; further hits come ever more slowly.
    rate = np.clip(value, 0.01, 0.99)[:, None]
    beyond = np.arange(61) / (rate * k[:, None])
    fp = np.minimum(2940, (1 - rate) * k[:, None] * beyond**1.5).round().astype(int)
    roc = job.assign(fp=[[*its.tolist(), 2940] for its in fp], n_neg=2940, n_pos=60)
    roc["tp"] = [[*range(61), 60]] * len(roc)
    return {"evaluation": evaluation, "runs": runs, "roc": roc}, manifest
