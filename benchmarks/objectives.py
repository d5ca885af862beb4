"""A round of LightGBM with a surrogate as objective, against one of its own log loss: one list of 10^6 rows.

    python -m benchmarks.objectives [--quick]

Both continue the same five trees of log loss, on 20 features of single precision, with LightGBM's 31 leaves;
k = 100. Wanted: at most 1.3. Its lambdarank refuses lists above 10,000 rows.
"""

import lightgbm as lgb
import numpy as np

from attop.objectives import LightGBMObjective
from benchmarks.measure import by_quick, header, interleave, show

ROWS, FEATURES, K = 10**6, 20, 100
NAMES = ("prec@k-soft", "prec@k-ramp", "prec@k-avg", "pap@k-avg", "top-push")
QUIET = {"verbosity": -1, "num_threads": 1, "force_col_wise": True}


def booster(data, objective):
    """Return a function that adds a tree."""
    own = isinstance(objective, str)
    model = lgb.Booster({**QUIET, "objective": objective if own else "none"}, data)
    return model.update if own else lambda: model.update(fobj=objective)


def main():
    times = by_quick(__doc__, 5, 15)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, FEATURES), dtype=np.float32)
    y = X[:, 0] + X[:, 1] ** 2 + rng.standard_normal(ROWS) > 5
    print(f"{ROWS:,} rows x {FEATURES}, {y.mean():.1%} positive, k = {K}, one list")
    data = lgb.Dataset(X, y, params=QUIET).construct()
    start = lgb.train({**QUIET, "objective": "binary"}, data, 5)
    data = lgb.Dataset(X, y, params=QUIET, init_score=start.predict(X, raw_score=True)).construct()
    header()
    for name in NAMES:
        ours = booster(data, LightGBMObjective(name, K))
        show(f"{name} : binary", interleave(ours, booster(data, "binary"), times), 1.3)


if __name__ == "__main__":
    main()
