"""EASE beside LensKit's: processor time, peak memory and weights; part of `benchmarks.factors`.

Of the libraries asked about, implicit has no EASE. Each fit is in a process of its own, both in turn.
"""

import importlib.util
import os
import time
from pathlib import Path
from unittest.mock import patch

import numpy as np
from scipy.sparse import csr_matrix

from attop.learners import EASE
from benchmarks.measure import alone, header, row

LAM = 100.0
#: Users, items and pairs; the first is as Amazon Beauty.
SIZES = ((15_603, 8693, 87_688), (10_000, 5000, 100_000), (20_000, 10_000, 200_000))
GOAL = 1.1
#: The largest difference of a user's scores that is wanted.
DIFFERENCE = 1e-6
#: Users whose scores are compared.
USERS = 200


def pairs_of(n_users, n_items, n_pairs):
    """Return pairs of users with items, few of which are popular."""
    rng = np.random.default_rng(0)
    items = (n_items * rng.random(n_pairs) ** 3).astype(int)
    users = rng.integers(0, n_users, n_pairs)
    pairs = csr_matrix((np.ones(len(items), np.int8), (users, items)), (n_users, n_items))
    pairs.sum_duplicates()
    pairs.data[:] = 1
    return pairs


def of_attop(size):
    """Return processor seconds, megabytes and scores of a fit here."""
    pairs = pairs_of(*size)
    EASE().fit([[0, 0], [1, 1]])  # imports what a fit needs
    model = EASE(lam=LAM)
    cost = _cost(lambda: model.fit(pairs))
    return *cost, model.decision_function(np.arange(USERS))


def of_lenskit(size, solver):
    """Return the same of LensKit, whose solver is of torch, which it takes unasked, or of scipy."""
    import pandas as pd
    from lenskit.data import from_interactions_df
    from lenskit.knn.ease import EASEScorer

    os.environ["LK_EASE_SOLVER"] = solver
    pairs = pairs_of(*size)
    users, items = pairs.nonzero()
    data = from_interactions_df(pd.DataFrame({"user_id": users, "item_id": items}))
    EASEScorer(regularization=LAM).train(
        from_interactions_df(pd.DataFrame({"user_id": [0, 1], "item_id": [0, 1]}))
    )
    model = EASEScorer(regularization=LAM)
    cost = _cost(lambda: model.train(data))
    # LensKit leaves out items that nobody has; they score 0.
    items = model.items.ids()
    scores = np.zeros((USERS, size[1]), np.float32)
    scores[:, items] = pairs[:USERS, items].astype(np.float32) @ model.weights
    return *cost, scores


def _cost(fit):
    """Return the processor time of a call, and by how many megabytes its peak is above what there was."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak is what there is now
    before, start = _megabytes("VmRSS"), time.process_time()
    fit()
    return time.process_time() - start, _megabytes("VmHWM") - before


def _megabytes(entry):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(entry))


def compare(repeats):
    """Print a line for each size, number of threads and solver of LensKit, or why there is none."""
    print("\nEASE, processor time and peak memory against LensKit's, in single precision")
    if importlib.util.find_spec("lenskit") is None:
        print("not compared: LensKit is not installed; `pip install lenskit` beside attop, then run again")
        return
    header()
    for size in SIZES:
        for threads in (1, 2):
            for solver in ("torch", "scipy"):
                _compare(size, threads, solver, repeats)


def _compare(size, threads, solver, repeats):
    limits = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    with patch.dict(os.environ, limits):
        both = [(alone(of_attop, size), alone(of_lenskit, size, solver)) for _ in range(repeats)]
    what = f"{size[1]:,} items, {threads} thread(s), {solver}"
    seconds, megabytes = (np.array([[side[at] for side in pair] for pair in both]) for at in (0, 1))
    for measure, values in (("s", seconds), ("MB", megabytes)):
        ours, peer = (f"{median:.3g} {measure}" for median in np.median(values, axis=0))
        row(what, ours, peer, values[:, 0] / values[:, 1], goal=GOAL)
    ours, peer = (side[2] for side in both[0])
    row(f"{what}: difference of scores", f"{np.abs(ours - peer).max():.1e}", f"{DIFFERENCE:g}", 0)
