"""Scores of each method of the catalogue on a sparse matrix, beside those on the dense one.

    python -m benchmarks.sparse_and_dense [METHOD ...]

Made features, 300 x 40, a fifth of them not 0. A method has the setting in the middle of its grid. The table
has the largest difference of two scores of 200 other rows, as a share of the largest score, or why there is
none. Searches, and networks, are left out.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
import yaml
from scipy.sparse import random_array
from sklearn.model_selection import ParameterGrid

from attop.extending import Top, object_at
from attop.metrics import scores_of

METHODS = Path(__file__).parents[1] / "config" / "methods.yaml"
NOT_MEASURED = ("realmlp", "tabm", "random")


def sample():
    """Return sparse features, labels, and sparse features of other rows."""
    rng = np.random.default_rng(0)
    X = random_array((300, 40), density=0.2, format="csr", rng=rng)
    y = (X.toarray()[:, :5].sum(axis=1) + 0.3 * rng.normal(size=300) > 0.8).astype(int)
    return X, y, random_array((200, 40), density=0.2, format="csr", rng=rng)


def learner(entry):
    """Return an unfitted method, with the setting in the middle of its grid."""
    model = object_at(entry["estimator"])(**entry.get("params", {}))
    grid = list(ParameterGrid(entry.get("param_grid", {})))
    setting = grid[len(grid) // 2]
    of_all = {"top": Top(tau=0.1), "random_state": 0}
    setting |= {name: value for name, value in of_all.items() if name in model.get_params()}
    return model.set_params(**setting)


def difference(entry, X, y, X_test):
    """Return the largest difference of scores, as a share of the largest score."""
    dense = scores_of(learner(entry).fit(X.toarray(), y), X_test.toarray())
    sparse = scores_of(learner(entry).fit(X, y), X_test)
    return np.abs(sparse - dense).max() / np.abs(dense).max()


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sparse_and_dense")
    parser.add_argument("methods", nargs="*", help="of the catalogue, by default all")
    chosen = parser.parse_args().methods
    warnings.filterwarnings("ignore")
    catalogue = yaml.safe_load(METHODS.read_text())
    of_rows = sample()
    print("| method | difference |")
    print("|---|---:|")
    for name, entry in catalogue.items():
        if name in NOT_MEASURED or "param_distributions" in entry or (chosen and name not in chosen):
            continue
        try:
            said = f"{difference(entry, *of_rows):.1e}"
        except Exception as error:  # what another library raises is its own
            said = str(error).splitlines()[0][:80]
        print(f"| {name} | {said} |", flush=True)


if __name__ == "__main__":
    main()
