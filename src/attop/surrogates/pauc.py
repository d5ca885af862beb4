"""The structural surrogates of the AUC and the partial AUC (Joachims; Narasimhan and Agarwal)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from attop.surrogates.grouped import Amounts, GroupedSurrogate, TopSurrogate, against_negatives

__all__ = ["AUCStruct", "PAUCStruct"]


class PAUCStruct(TopSurrogate):
    r"""Tight structural surrogate of pAUC(0, k/n-]; convex.

    .. math:: \max_{|Z_-| = k} \max_{\pi \in \Pi_{n_+ \times k}}
              \frac{1}{n_+ k} \sum_{i,j} \pi_{ij} (1 + z^-_j - s^+_i)
              = \frac{1}{n_+ k} \sum_{i=1}^{n_+} \sum_{j=1}^{k} (1 + s^-_{(j)} - s^+_i)_+,

    with :math:`s^-_{(j)}` the j-th highest negative.

    Parameters
    ----------
    top : Top, int or mapping
        The k of each group; an integer is k itself.

    See Also
    --------
    AUCStruct : All negatives.

    Notes
    -----
    Source: the tight surrogate of SVM-pAUC, as Hiranandani et al. (2020) use it, sections 3.1 and 4.3.
    An upper bound of the share of misranked pairs, hence zero if every positive beats every negative
    by 1. Defined on groups with a positive and :math:`1 \le k \le n_-`.

    Differences from the paper: none known. Only ranges of false positive rates that begin at 0 and hold
    a whole number of negatives.
    """

    name: ClassVar[str] = "pauc"
    convex: ClassVar[bool] = True
    smooth: ClassVar[bool] = False
    bounds: ClassVar[str | None] = "pAUC"
    kernel: ClassVar[str] = "pap_at_k:PAUC"

    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> tuple[Amounts, NDArray[np.bool_], str]:
        return against_negatives(self.top, n_pos, n_neg)


class AUCStruct(GroupedSurrogate):
    r"""Structural surrogate of the AUC: the hinge on all pairs; convex.

    .. math:: \frac{1}{n_+ n_-} \sum_{i=1}^{n_+} \sum_{j=1}^{n_-} (1 + s^-_j - s^+_i)_+

    Notes
    -----
    Source: Joachims (2005), section 4.3. `PAUCStruct` with k = n-. An upper bound of the share of misranked
    pairs. Defined on groups with a positive and a negative.

    Differences from the paper: the mean over pairs, not the sum.
    """

    name: ClassVar[str] = "auc"
    convex: ClassVar[bool] = True
    smooth: ClassVar[bool] = False
    bounds: ClassVar[str | None] = "AUC"
    kernel: ClassVar[str] = "pap_at_k:PAUC"

    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> tuple[Amounts, NDArray[np.bool_], str]:
        return n_neg, (n_pos > 0) & (n_neg > 0), "a positive and a negative"
