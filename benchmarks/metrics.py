"""Metrics against scikit-learn's at n = 100,000, micro-pAp@k against a loop over users; all at a million.

    python -m benchmarks.metrics [--quick]

Ours average over the orders of tied items where theirs may not; values are compared on scores without
ties, where both are the same function. At a million scores every metric stands beside `np.argsort` of them:
wanted are 0.1 s for a list, whatever its ties, and 0.3 s with a thousand groups.
"""

from functools import partial

import numpy as np
from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score

from attop.metrics import METRICS, auc, average_precision, micro_pap_at_k, ndcg
from benchmarks.measure import by_quick, header, interleave, show


def pap_of_users(y, scores, k, users):
    """Mean of pAp@k, user by user, straight from the definition."""
    gains = []
    for user in np.unique(users):
        mine = users == user
        pos = np.sort(scores[mine & (y == 1)])[::-1]
        neg = np.sort(scores[mine & (y == 0)])[::-1][:k]
        if len(pos) > 0 and len(neg) == k:
            gains.append(np.mean(pos[: min(len(pos), k), None] > neg))
    return float(np.mean(gains))


def main():
    times = by_quick(__doc__, 5, 25)
    rng = np.random.default_rng(0)
    n = 100_000
    y = (rng.random(n) < 0.05).astype(np.int64)
    scores = rng.standard_normal(n) + y
    users = rng.integers(0, 638, 42_000)
    y_users = y[: len(users)]
    scores_users = scores[: len(users)]
    k = 10
    header()
    of_users = y_users, scores_users, k, users
    for what, args, ours, peer in (
        ("average precision : scikit-learn", (y, scores), average_precision, average_precision_score),
        ("AUC : scikit-learn", (y, scores), auc, roc_auc_score),
        ("NDCG : scikit-learn", (y[None], scores[None]), lambda y, s: ndcg(y[0], s[0]), ndcg_score),
        ("micro-pAp@10 : loop over 638 users", of_users, lambda *of: micro_pap_at_k(*of).value, pap_of_users),
    ):
        if not np.isclose(ours(*args), peer(*args), rtol=1e-9):
            raise SystemExit(f"{what}: {ours(*args)} is not {peer(*args)}: the comparison would mean nothing")
        show(what, interleave(partial(ours, *args), partial(peer, *args), times), 1)
    million(rng)


def million(rng, n=10**6):
    y = (rng.random(n) < 0.02).astype(np.int64)
    scores = rng.standard_normal(n) + y
    half = rng.integers(0, 2, n)
    groups = rng.integers(0, 1000, n)
    samples = {
        "2% positive": (y, scores, 100, None),
        "50% positive": (half, scores, 100, None),
        "constant": (y, np.zeros(n), 100, None),
        "groups": (y, scores, 10, groups),
    }
    for name, metric in METRICS.items():
        for what, sample in samples.items():
            ours = partial(metric.evaluate, *sample)
            peer = partial(np.argsort, sample[1])
            show(f"a million, {name}, {what} : np.argsort", interleave(ours, peer, 5))


if __name__ == "__main__":
    main()
