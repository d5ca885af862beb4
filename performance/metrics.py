"""Metrics against scikit-learn's at n = 100,000, and micro-pAp@k against a loop over users.

    python performance/metrics.py [--quick]

Ours average over the orders of tied items where theirs may not; values are compared on scores without
ties, where both are the same function.
"""

import argparse

import numpy as np
from measure import header, interleave
from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score

from attop.metrics import auc, average_precision, micro_pap_at_k, ndcg


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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    repeats = 5 if parser.parse_args().quick else 25
    rng = np.random.default_rng(0)
    n = 100_000
    y = (rng.random(n) < 0.05).astype(np.int64)
    scores = rng.standard_normal(n) + y
    users = rng.integers(0, 638, 42_000)
    y_users, scores_users, k = y[: len(users)], scores[: len(users)], 10
    header()
    for what, ours, peer, goal in (
        (
            "average precision : scikit-learn",
            lambda: average_precision(y, scores),
            lambda: average_precision_score(y, scores),
            1,
        ),
        ("AUC : scikit-learn", lambda: auc(y, scores), lambda: roc_auc_score(y, scores), 1),
        (
            "NDCG : scikit-learn",
            lambda: ndcg(y, scores),
            lambda: ndcg_score(y[np.newaxis], scores[np.newaxis]),
            1,
        ),
        (
            "micro-pAp@10, 638 users : loop over users",
            lambda: micro_pap_at_k(y_users, scores_users, k, users).value,
            lambda: pap_of_users(y_users, scores_users, k, users),
            1,
        ),
    ):
        if not np.isclose(ours(), peer(), rtol=1e-9):
            raise SystemExit(f"{what}: {ours()} is not {peer()}: the comparison would mean nothing")
        interleave(ours, peer, repeats).show(what, goal)


if __name__ == "__main__":
    main()
