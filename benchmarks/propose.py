"""Verdicts of `attop propose` within a minute on two cores, by what a method costs.

    python -m benchmarks.propose --data FOLDER [--seconds 120] [--method slow]

FOLDER holds the board's sets, as a mirror does. A method is trained as `attop propose` trains it, on the sets
with the fewest rows first, until it has used so many seconds of processor time: 120 are a minute of two
cores, and one job at a time uses them. Verdicts are those of studies/board/replay.csv: of the pairs that
`attop propose` shows to differ, those shown after so many sets.
"""

import argparse
import os
import time
from contextlib import closing
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import pandas as pd  # noqa: E402 - after the numbers of threads
from lightgbm import LGBMClassifier  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402

from attop_bench.cli.configuration import read_raw  # noqa: E402
from attop_bench.run.config import load_config  # noqa: E402
from attop_bench.run.propose import get_files, measure  # noqa: E402

ROOT = Path(__file__).parents[1]


class TunedLightGBM(GridSearchCV):
    """LightGBM of 300 trees, the best of six settings in three folds by average precision."""

    def __init__(self):
        super().__init__(
            LGBMClassifier(n_estimators=300, n_jobs=1, verbose=-1, random_state=0),
            {"num_leaves": [7, 15, 31], "learning_rate": [0.03, 0.1]},
            scoring="average_precision",
            cv=3,
        )


METHODS = {
    "cheap": "sklearn.linear_model.LogisticRegression",
    "middle": "sklearn.ensemble.ExtraTreesClassifier",
    "slow": "benchmarks.propose.TunedLightGBM",
}


def processor_seconds():
    """Return what this process and those it has waited for have used."""
    return sum(os.times()[:4])


def sets_within(config, files, seconds):
    """Return the sets that are done before the seconds are used, and what they took together."""
    done = []
    used = 0.0
    began = processor_seconds()
    # Of time by the clock there is plenty: the machine may be busy with other things.
    with closing(measure(config, files, time.time() + 20 * seconds, 1)) as sets:
        for measured in sets:
            took = processor_seconds() - began
            if took > seconds or measured.means is None:
                break
            done.append(measured.dataset)
            used = took
    return done, used


def verdicts(replay, sets):
    """Return how many pairs are shown after so many sets, and how many are shown after all."""
    shown = replay[replay["propose"] != "open"]
    return int((shown["after"] <= sets).sum()), len(shown)


def configuration(path, mirror):
    """Return the board's sets and protocol with one method, as for `attop propose`."""
    given = [f"mirror={mirror}", "offline=true"]
    raw = read_raw(argparse.Namespace(configfile=[ROOT / "config/suites/rare.yaml"], config=given))
    taken = {key: raw[key] for key in ("catalogues", "mirror", "offline", "seed") if key in raw}
    datasets = [{**data, "skip": {}} for data in raw["datasets"]]
    return load_config(taken | {"datasets": datasets, "methods": [{"id": "it", "estimator": path}]})


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--method", nargs="+", choices=METHODS, default=list(METHODS))
    args = parser.parse_args()
    replay = pd.read_csv(ROOT / "studies/board/replay.csv")
    values = pd.read_csv(ROOT / "docs/board/values.csv", index_col=["set", "top"])
    published = values["LightGBM"].unstack().dropna()
    print("| method | sets | of | seconds | verdicts | of |\n|---|---|---|---|---|---|")
    for name in args.method:
        config = configuration(METHODS[name], args.data)
        files, _ = get_files(config, published.index)
        done, used = sets_within(config, files, args.seconds)
        shown, of = verdicts(replay, len(done))
        print(f"| {name} | {len(done)} | {len(files)} | {used:.0f} | {shown} | {of} |", flush=True)


if __name__ == "__main__":
    main()
