"""Inner folds drawn again: python -m studies.selectors.repeats FOLDER SCORES.

Described alone: six settings of LightGBM on the twelve development sets of the fewest rows here. Three
folds of each, chosen on three inner folds, or on these and four further draws of three.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import pandas as pd

from attop_bench.data.base import DatasetError
from studies.selectors.judge import TODAY, gains, outcomes, p_of
from studies.selectors.sets import DEVELOPMENT, N_FOLDS, N_INNER, Part, Table, cut, folds, load
from studies.selectors.train import keep

N_SETS, N_TESTED, N_DRAWS = 12, 3, 5
SELECTORS = (TODAY, "ap", "ap-within-1se", "smoothed-precision@k")


def repeated(table: Table, part: Part, number: int) -> Part:
    """Return a part whose inner folds are drawn several times, as the study has them first."""
    seeds = range(number, N_DRAWS * N_FOLDS, N_FOLDS)
    return part._replace(inner=[pair for seed in seeds for pair in cut(table, part.train, N_INNER, seed)])


def main() -> None:
    """Fit what is not there yet, and print mean gains over one draw, of precision@k and of each selector."""
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("scores", type=Path)
    args = parser.parse_args()
    tables = {}
    for name in DEVELOPMENT:
        try:
            tables[name] = load(name, args.folder)
        except (DatasetError, OSError) as error:
            print(f"{name}: left out: {error}", flush=True)
    args.scores.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in sorted(tables, key=lambda name: len(tables[name].y))[:N_SETS]:
        for number, part in enumerate(folds(tables[name])[:N_TESTED]):
            path = args.scores / f"{name}-fold{number}.npz"
            if not path.exists():
                keep("LightGBM", tables[name], repeated(tables[name], part, number), path)
            rows += [row for row in outcomes(path) if row["selector"] in SELECTORS]
            again = outcomes(path, N_INNER * N_DRAWS)
            rows += [
                {**row, "selector": f"{row['selector']}, {N_DRAWS} draws"}
                for row in again
                if row["selector"] in SELECTORS
            ]
        print(name, len(tables[name].y), flush=True)
    by_set = gains(pd.DataFrame(rows))
    by_selector = by_set["all"].unstack("selector")
    for select in SELECTORS:
        again = by_selector[f"{select}, {N_DRAWS} draws"]
        for label, over in (("precision@k", again), ("itself", again - by_selector[select])):
            won, lost = (over > 0.5).sum(), (over < -0.5).sum()
            p = p_of(over.round(8))
            print(f"{select} over {label}: {over.mean():+.2f} ({won}-{lost}, {p:.2g}), {len(over)} sets")


if __name__ == "__main__":
    main()
