"""Evaluate every selector on kept scores: python -m studies.selectors.judge SCORES [--sets confirmation]."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from attop.experiment import Sample, Selector, within_one_error
from attop.extending import Top
from attop.metrics import get_metric, precision_at_k
from attop.statistics import holm, wilcoxon
from studies.searched.choices import COMBINED, Search
from studies.selectors.sets import CONFIRMATION, DEVELOPMENT, N_INNER
from studies.selectors.train import FAMILIES

TOPS = {"n+/4": Top(kappa=0.25), "n+/2": Top(kappa=0.5), "n+": Top(kappa=1.0), "2n+": Top(kappa=2.0)}
TODAY = "precision@k"
SELECTORS = [
    TODAY,
    *("ap", "smoothed-precision@k", "ap-within-1se", "pooled-precision@k", "pooled-ap"),
]
#: Of the settings, as studies.searched has them.
ENSEMBLES = ("five best, averaged", "greedy ensemble")
DESCRIBED = (
    "auc",
    "pooled-smoothed-precision@k",
    "one at random",
    "near-best, averaged",
    "best on the test part",
    *ENSEMBLES,
)


def outcomes(path: Path, n_inner: int = N_INNER) -> list[dict[str, object]]:
    """Return the precision of each selector's choice, on so many inner folds, on a test part at each top."""
    with np.load(path) as file:
        arrays = dict(file)
    folds = [arrays[f"inner{number}_y"] for number in range(n_inner)]
    scores = [arrays[f"inner{number}_scores"] for number in range(n_inner)]
    y, ends = np.concatenate(folds), np.cumsum([len(labels) for labels in folds])
    rows = np.split(np.arange(len(y)), ends[:-1])
    sample = Sample(np.zeros((len(y), 0)), y)
    name, _, fold = path.stem.rpartition("-fold")
    search = Search(folds, scores, arrays["test_scores"], arrays["test_scores"])
    combined = {name: COMBINED[name](search) for name in ENSEMBLES}
    results = []
    for top_name, top in TOPS.items():
        on_test = [precision_at_k(arrays["test_y"], one, top) for one in arrays["test_scores"]]
        chosen = {}
        reported = _values(TODAY, sample, rows, scores, top)
        for select in (*SELECTORS, "auc", "pooled-smoothed-precision@k"):
            values = _values(select, sample, rows, scores, top)
            choice = Selector.of(select).choose(values, reported, get_metric(TODAY))
            chosen[select] = on_test[0 if choice is None else choice]
        near = within_one_error(_values("ap", sample, rows, scores, top), get_metric("ap"))
        ranks = np.mean([pd.Series(arrays["test_scores"][one]).rank() for one in near], axis=0)
        chosen["near-best, averaged"] = precision_at_k(arrays["test_y"], ranks, top)
        chosen |= {name: precision_at_k(arrays["test_y"], one, top) for name, one in combined.items()}
        chosen["one at random"] = float(np.mean(on_test))
        chosen["best on the test part"] = max(on_test)
        results += [
            {"set": name, "fold": int(fold), "top": top_name, "selector": select, "precision": value}
            for select, value in chosen.items()
        ]
    return results


def _values(select, sample, rows, scores, top):
    candidates = range(len(scores[0]))
    selector = Selector.of(select)
    return np.array([selector.values(sample, rows, [one[c] for one in scores], top) for c in candidates])


def gains(values: pd.DataFrame) -> pd.DataFrame:
    """Return the gain of each selector over today's, of 100: (set, selector) x tops and their mean."""
    means = values.groupby(["set", "selector", "top"])["precision"].mean().unstack()[list(TOPS)]
    means["all"] = means.mean(axis=1)
    today = means.xs(TODAY, level="selector")
    return 100 * (means - today.reindex(means.index, level="set")).round(10)


def table(values: pd.DataFrame) -> pd.DataFrame:
    """Return mean gains, sets won and lost by more than 0.5 of 100, and p by Wilcoxon, by Holm over tops."""
    by_set, rows = gains(values), []
    for select in (*SELECTORS[1:], *DESCRIBED):
        part = by_set.xs(select, level="selector")
        raw = {top: p_of(part[top]) for top in part}
        adjusted = dict(zip(TOPS, holm([raw[top] for top in TOPS]), strict=True)) | {"all": raw["all"]}
        for top in part:
            won, lost = int((part[top] > 0.5).sum()), int((part[top] < -0.5).sum())
            rows.append(
                {
                    "selector": select,
                    "top": top,
                    "sets": len(part),
                    "gain": round(float(part[top].mean()), 2),
                    "won": won,
                    "lost": lost,
                    "p": float(f"{adjusted[top]:.2g}"),
                }
            )
    return pd.DataFrame(rows)


def p_of(of_sets: pd.Series) -> float:
    """Compute p of Wilcoxon's signed ranks of gains, 1 where none differs from 0."""
    p = wilcoxon(of_sets.to_numpy(), np.zeros(len(of_sets))).p
    return 1.0 if np.isnan(p) else float(p)


def main() -> None:
    """Print the table of each family, of the sets whose first three folds, or all five, are there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("scores", type=Path)
    parser.add_argument("--sets", choices=["development", "confirmation", "all"], default="development")
    parser.add_argument("--csv", type=Path, help="write the values of each set here")
    args = parser.parse_args()
    names = {"development": DEVELOPMENT, "confirmation": CONFIRMATION}.get(
        args.sets, [*DEVELOPMENT, *CONFIRMATION]
    )
    kept = []
    for family in FAMILIES:
        paths = [path for name in names for path in sorted((args.scores / family).glob(f"{name}-fold?.npz"))]
        values = pd.DataFrame([row for path in paths for row in outcomes(path)])
        if values.empty:
            continue
        counts = values.groupby("set")["fold"].nunique()
        whole = counts[counts >= 3].index
        left_out = sorted(set(names) - set(whole))
        values = values[values["set"].isin(whole)]
        print(f"\n{family}: {len(whole)} sets, {counts[whole].sum()} folds; not finished: {left_out}\n")
        print(table(values).to_string(index=False))
        kept.append(values.assign(family=family))
    if args.csv and kept:
        rows = pd.concat(kept).groupby(["family", "set", "top", "selector"], sort=False)["precision"]
        rows.agg(["mean", "count"]).round(6).reset_index().to_csv(args.csv, index=False)


if __name__ == "__main__":
    main()
