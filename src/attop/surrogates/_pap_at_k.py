"""Surrogates of pAp@k (Hiranandani et al. 2020), and the structural ones of the AUC, whole and partial."""

from __future__ import annotations

from types import ModuleType

from attop.surrogates._grouped import (
    Amounts,
    GroupedSurrogate,
    KOfGroups,
    TopSurrogate,
    against_negatives,
)


class _Pairs(GroupedSurrogate):
    """Hinges on pairs: of every positive, unless a subclass has another kernel."""

    loss = "pauc"

    def _kernels(self) -> ModuleType:
        from attop.surrogates._kernels import pap_at_k

        return pap_at_k


class _PApK(_Pairs, TopSurrogate):
    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> KOfGroups:
        return against_negatives(self.top, n_pos, n_neg)


class PApKRamp(_PApK):
    r"""Ramp surrogate of pAp@k: the hinge on just the pairs that pAp@k counts; not convex.

    .. math:: \frac{1}{\beta k} \sum_{i=1}^{\beta} \sum_{j=1}^{k} (1 + s^-_{(j)} - s^+_{(i)})_+,
              \qquad \beta = \min(n_+, k),

    with :math:`s^\pm_{(i)}` the i-th highest positive or negative.

    Notes
    -----
    Source: Hiranandani et al. (2020), eq. (6). An upper bound of the risk. Convex if :math:`n_+ \le k`
    (proposition 2). Zero if some beta positives beat every negative by 1 (the weak beta-margin). `coef`
    is a generalised gradient: the gradient wherever there is one. Defined on groups with a positive and
    :math:`1 \le k \le n_-`.
    """

    name = "pap@k-ramp"
    convex = False
    loss = "ramp"


class PApKAvg(_PApK):
    r"""Average surrogate of pAp@k: the hinge of the highest negatives against the mean positive; convex.

    .. math:: \frac{1}{k} \sum_{j=1}^{k} (1 + s^-_{(j)} - \bar s^+)_+,
              \qquad \bar s^+ = \frac{1}{n_+} \sum_{l=1}^{n_+} s^+_l.

    Notes
    -----
    Source: Hiranandani et al. (2020), eq. (10). Zero if every beta positives have a mean score of at
    least 1 above every negative (the beta-margin). Below the max surrogate. Defined on groups with a
    positive and :math:`1 \le k \le n_-`.

    It does not bound the risk, nor the ramp surrogate. Positives scored (100, 0, 0), negatives (1, 1)
    and k = 2 have risk 1/2 and ramp 1, but avg 0: one high positive lifts the mean above all negatives.

    Differences from the paper: propositions 3 and 5 claim that it bounds risk and ramp. The step from
    eq. (8) to eq. (9) exchanges a minimum and a maximum, which only gives a lower bound; for
    :math:`n_+ \le k` Jensen's inequality even gives avg <= ramp. Nor does the beta-margin make the risk
    zero: positives (10, 0), negatives (1, 1) and k = 2 have it, and risk 1/2.
    """

    name = "pap@k-avg"
    loss = "avg"


class PApKMax(_PApK):
    r"""Max surrogate of pAp@k: the hinge on pairs with the lowest positives; convex.

    .. math:: \frac{1}{\beta k} \sum_{i=1}^{\beta} \sum_{j=1}^{k} (1 + s^-_{(j)} - s^+_{[i]})_+,
              \qquad \beta = \min(n_+, k),

    with :math:`s^-_{(j)}` the j-th highest negative and :math:`s^+_{[i]}` the i-th lowest positive.

    Notes
    -----
    Source: Hiranandani et al. (2020), section 4.2 and eq. (24). An upper bound of the risk, of ramp and
    of avg. Zero if every positive beats every negative by 1 (the strong beta-margin). Defined on groups
    with a positive and :math:`1 \le k \le n_-`.
    """

    name = "pap@k-max"
    loss = "max_"


class PApKTS(_PApK):
    r"""Tight-struct surrogate of pAp@k as the paper's algorithm computes it.

    .. math:: \frac{1}{\beta k} \sum_{j=1}^{k} \Bigl[
              \sum_{i \le \beta} (1 + s^-_{(j)} - s^+_{(i)})_+
              + \sum_{i > \beta} (s^-_{(j)} - s^+_{(i)})_+ \Bigr],
              \qquad \beta = \min(n_+, k),

    with :math:`s^\pm_{(i)}` the i-th highest positive or negative.

    See Also
    --------
    PApKTSConvex : Eq. (14) itself.

    Notes
    -----
    Source: Hiranandani et al. (2020), algorithm 2. An upper bound of the risk and of ramp. Zero if all
    positives score at least as high as all negatives and some beta of them beat every negative by 1
    (the moderate beta-margin). Defined on groups with a positive and :math:`1 \le k \le n_-`.

    Not convex: positives (1, 0) or (0, 1), negative 0 and k = 1 give 0, the midpoint (1/2, 1/2) gives
    1/2. It is convex, and equal to eq. (14), for :math:`n_+ \le k`. `coef` is a generalised gradient:
    the gradient wherever there is one.

    Differences from the paper: the paper derives algorithm 2 as a subgradient of eq. (14), a maximum
    over orderings :math:`\pi` whose loss counts the beta positives ranked highest by :math:`\pi`. What
    the algorithm descends is the function above, the first line of that display, whose loss counts the
    beta positives ranked highest by the scores. The paper's inequality between the two is the wrong way
    round: the function above is the larger one.
    """

    name = "pap@k-ts"
    convex = False
    loss = "ts"


class PApKTSConvex(_PApK):
    r"""Tight-struct surrogate of pAp@k as the paper defines it: a maximum over orderings, convex.

    .. math:: \max_{|Z_-| = k} \max_{\pi \in \Pi_{n_+ \times k}} \frac{1}{\beta k} \Bigl[
              \sum_{i=1}^{\beta} \sum_{j=1}^{k} \pi_{(i)_\pi, j}
              + \sum_{i=1}^{n_+} \sum_{j=1}^{k} \pi_{ij} (z^-_j - s^+_i) \Bigr],
              \qquad \beta = \min(n_+, k).

    An ordering that puts a negative above one of the beta highest positives puts it above all lower
    positives too. With :math:`s^\pm_{(i)}` the i-th highest positive or negative, the maximum is
    therefore

    .. math:: \frac{1}{\beta k} \sum_{j=1}^{k} \Bigl[
              \sum_{i > \beta} (s^-_{(j)} - s^+_{(i)})_+
              + \Bigl( \sum_{i \le \beta} (1 + s^-_{(j)} - s^+_{(i)})_+
              - \sum_{i > \beta} (s^+_{(i)} - s^-_{(j)})_+ \Bigr)_+ \Bigr].

    See Also
    --------
    PApKTS : What the paper's algorithm computes; larger, and not convex.

    Notes
    -----
    Source: Hiranandani et al. (2020), eq. (14). An upper bound of the risk. Zero under the moderate
    beta-margin, see `PApKTS`. Defined on groups with a positive and :math:`1 \le k \le n_-`.

    It does not bound the ramp surrogate: positives (0, 0), negative -1/2 and k = 1 give 0, ramp 1/2.

    Differences from the paper: the subgradient is exact; algorithm 2's is not, see `PApKTS`.
    """

    name = "pap@k-ts-convex"
    loss = "ts_convex"


class PAUCStruct(_PApK):
    r"""Tight structural surrogate of pAUC(0, k/n-]; convex.

    .. math:: \max_{|Z_-| = k} \max_{\pi \in \Pi_{n_+ \times k}}
              \frac{1}{n_+ k} \sum_{i,j} \pi_{ij} (1 + z^-_j - s^+_i)
              = \frac{1}{n_+ k} \sum_{i=1}^{n_+} \sum_{j=1}^{k} (1 + s^-_{(j)} - s^+_i)_+,

    with :math:`s^-_{(j)}` the j-th highest negative.

    See Also
    --------
    AUCStruct : All negatives.

    Notes
    -----
    Source: the tight surrogate of SVM-pAUC, as Hiranandani et al. (2020) use it, sections 3.1 and 4.3.
    An upper bound of the share of misranked pairs, hence zero if every positive beats every negative
    by 1. Defined on groups with a positive and :math:`1 \le k \le n_-`.

    Differences from the paper: only ranges of false positive rates that begin at 0 and hold a whole number
    of negatives.
    """

    name = "pauc"


class AUCStruct(_Pairs):
    r"""Structural surrogate of the AUC: the hinge on all pairs; convex.

    .. math:: \frac{1}{n_+ n_-} \sum_{i=1}^{n_+} \sum_{j=1}^{n_-} (1 + s^-_j - s^+_i)_+

    Notes
    -----
    Source: Joachims (2005), section 4.3. `PAUCStruct` with k = n-. An upper bound of the share of misranked
    pairs. Defined on groups with a positive and a negative.

    Differences from the paper: the mean over pairs, not the sum.
    """

    name = "auc"

    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> KOfGroups:
        return n_neg, (n_pos > 0) & (n_neg > 0), "a positive and a negative"
