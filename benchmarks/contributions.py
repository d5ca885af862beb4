"""What each column adds to a score by 100 boosted trees, against what the library says itself.

    python -m benchmarks.contributions [--quick]

LightGBM and XGBoost by their defaults, fitted on 20,000 rows of 50 features. Ratios are of 5,000 rows; of the
last two lines the limit is the 20 s wanted for 100,000.
"""

import numpy as np
from lightgbm import LGBMClassifier
from xgboost import DMatrix, XGBClassifier

from attop_bench.deploy.contributions import _of_features
from benchmarks.measure import clocked, duration, header, interleave, repeats, row

ROWS, COLUMNS, WANTED = 100_000, 50, 20.0


def main():
    times = repeats(__doc__, 1, 5)
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(ROWS, COLUMNS))
    y = Z[:20000, :10].sum(axis=1) + np.abs(Z[:20000, 10:20]).sum(axis=1) + 2 * rng.normal(size=20000) > 10
    lightgbm = LGBMClassifier(n_jobs=1, verbose=-1).fit(Z[:20000], y)
    xgboost = XGBClassifier(n_jobs=1).fit(Z[:20000], y)
    few = Z[:5000]
    own = {
        lightgbm: lambda: lightgbm.predict(few, pred_contrib=True),
        xgboost: lambda: xgboost.get_booster().predict(DMatrix(few), pred_contribs=True),
    }
    header()
    for model, peer in own.items():
        name = type(model).__name__
        interleave(lambda model=model: _of_features(model, few), peer, times).show(f"{name} : own", 1)
    for model in own:
        cpu, wall = clocked(lambda model=model: _of_features(model, Z))
        ratio, name = cpu / WANTED, f"{type(model).__name__}, {ROWS:,} rows"
        row(name, duration(cpu), duration(WANTED), ratio, wall=f"{wall / WANTED:.2f}", goal=1)


if __name__ == "__main__":
    main()
