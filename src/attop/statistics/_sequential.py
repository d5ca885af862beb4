"""Sequential signed-rank test: differences come one by one, and are tested after each."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from attop.statistics._rounding import levels


class Looked(NamedTuple):
    """Result of a sequential test: the look that showed a sign (or the last), from 1, and the sign or 0."""

    look: int
    sign: int


def signed_ranks_in_turn(
    differences: ArrayLike, planned: int, level: float = 0.05, draws: int = 20_000
) -> Looked:
    """Test sequentially, by Wilcoxon's signed ranks, whether differences lie on one side of zero.

    Parameters
    ----------
    differences : array-like of shape (n,)
        Those known so far, in the order in which they came, which was fixed before.
    planned : int
        How many there will be at most.
    level : float
        If each difference is as likely to be of either sign, a sign is shown with this probability at most,
        over all looks together, wherever one stops.
    draws : int
        Assignments of random signs, the same in every call, from which the limits are computed.

    Notes
    -----
    The error allowed until look k of K is ``level * log(1 + (e - 1) k / K)``, Pocock's form of Lan and
    DeMets's spending function. A look's limit leaves of the random assignments, given the sizes, as many
    beyond it as are allowed by then, with those beyond an earlier limit: it is a test of permutations, exact
    but for the draws.

    References
    ----------
    Lan and DeMets (1983), "Discrete sequential boundaries for clinical trials", Biometrika 70.
    """
    d = np.asarray(differences, float)
    if d.ndim != 1 or d.size > planned or not np.isfinite(d).all():
        raise ValueError(
            f"differences must be at most {planned} finite numbers, got {differences!r}"
        )
    signs = np.random.default_rng(0).choice(np.array([-1.0, 1.0]), (planned, draws))
    open_ = np.ones(draws, bool)
    for look in range(1, d.size + 1):
        ranks = scipy.stats.rankdata(levels(np.abs(d[:look]))) * (d[:look] != 0)
        allowed = int(
            level * math.log1p((math.e - 1) * look / planned) * draws
        ) - int((~open_).sum())
        drawn = np.abs(ranks @ signs[:look])
        beyond = np.sort(drawn[open_])[::-1]
        total = float(ranks @ np.sign(d[:look]))
        if abs(total) > beyond[allowed]:
            return Looked(look, int(np.sign(total)))
        open_ &= drawn <= beyond[allowed]
    return Looked(d.size, 0)
