"""A step of FactorRanker against its products, and the memory of a fit, at the sizes of SL@K's sets.

    python -m benchmarks.factors [--quick]

Wanted: at most 2 for the softmax losses. BPR and PSL read a list once for each of its positives. Of memory,
less than 1 GB beyond the imports. EASE beside LensKit's follows, at most 1.1 of its time and memory.
"""

import resource

import numpy as np

from attop.extending import Top, get_surrogate
from attop.learners import FactorRanker
from attop.learners.factor_ranker import _factor_descent as factors
from benchmarks import ease
from benchmarks.measure import by_quick, header, interleave, show

#: As MovieLens-100K, Amazon Health, a million, and Amazon Electronic: users, items, training pairs.
SIZES = ((939, 1016, 63_944), (1974, 1200, 37_784), (15_000, 8000, 1_000_000), (13_455, 8360, 182_398))
NAMES = ("softmax", "softmax@k", "talos@k", "pap@k-avg", "prec@k-avg", "psl", "bpr")
GOALS = {"softmax": 2.0, "softmax@k": 2.0}
FACTORS, USERS = 64, 1000


def main():
    times = by_quick(__doc__, 5, 15)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    FactorRanker(batch_users=USERS, max_iter=1).fit(ease.pairs_of(*SIZES[-1]))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"memory of a fit on {SIZES[-1][0]:,} users x {SIZES[-1][1]:,}: {grown / 1e3:.0f} MB")
    header()
    for size in SIZES:
        pairs = ease.pairs_of(*size)
        backbone = factors.Backbone(pairs, 0)
        rng = np.random.default_rng(0)
        arrays = [rng.standard_normal((n, FACTORS)).astype(np.float32) for n in pairs.shape]
        for name in NAMES:
            lists = factors.SurrogateLists(pairs, get_surrogate(name, Top(k=20)))
            adam = factors._Adam(arrays, 0.0)
            users = lists.users[:USERS]

            def step(lists=lists, backbone=backbone, adam=adam, users=users, arrays=arrays):
                adam.step(factors._gradients(lists, backbone, arrays, users, 5.0)[1])

            def products(lists=lists, users=users, arrays=arrays):
                for first in range(0, len(users), len(lists.scores)):
                    block = users[first : first + len(lists.scores)]
                    p = arrays[0][block]
                    q = arrays[1]
                    slope = lists.scores[: len(block)]
                    np.matmul(p, q.T, out=slope)
                    slope @ q, slope.T @ p

            what = f"{len(users)} of {size[0]} users x {size[1]}, {pairs.nnz} pairs, {name} : products"
            show(what, interleave(step, products, times), GOALS.get(name))
    ease.compare(times // 5)


if __name__ == "__main__":
    main()
