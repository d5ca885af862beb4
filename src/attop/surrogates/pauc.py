"""The structural surrogate of the partial AUC (Narasimhan and Agarwal)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from attop.sample import RankingSample
from attop.surrogates.grouped import GroupedSurrogate, resolve_each
from attop.top import Top
from attop.typing import Ints, TopLike

__all__ = ["PAUCStruct"]


class PAUCStruct(GroupedSurrogate):
    r"""Tight structural surrogate of pAUC(0, k/n-], or of the AUC; convex.

    .. math:: \max_{|Z_-| = k} \max_{\pi \in \Pi_{n_+ \times k}}
              \frac{1}{n_+ k} \sum_{i,j} \pi_{ij} (1 + z^-_j - s^+_i)
              = \frac{1}{n_+ k} \sum_{i=1}^{n_+} \sum_{j=1}^{k} (1 + s^-_{(j)} - s^+_i)_+,

    with :math:`s^-_{(j)}` the j-th highest negative.

    Parameters
    ----------
    top : Top, int, mapping or None
        The k of each group; an integer is k itself. None takes all negatives: the structural AUC.

    Notes
    -----
    Source: the tight surrogate of SVM-pAUC, as Hiranandani et al. (2020) use it, sections 3.1 and 4.3.
    An upper bound of the share of misranked pairs, hence zero if every positive beats every negative
    by 1. Defined on groups with a positive and :math:`1 \le k \le n_-`.

    Differences from the paper: none known. Only ranges of false positive rates that begin at 0 and hold
    a whole number of negatives.
    """

    convex: ClassVar[bool] = True
    smooth: ClassVar[bool] = False
    bounds: ClassVar[str | None] = "pAUC"
    kernel: ClassVar[str] = "pap_at_k:PAUC"

    def __init__(self, top: TopLike | None = None):
        self.top = None if top is None else Top.of(top)

    def _group_k(self, sample: RankingSample) -> tuple[Ints, NDArray[np.bool_], str]:
        k = sample.n_neg if self.top is None else resolve_each(self.top, sample)
        defined = (sample.n_pos > 0) & (k > 0) & (k <= sample.n_neg)
        need = (
            "a positive and a negative"
            if self.top is None
            else f"a positive and at least k negatives ({self.top})"
        )
        return k, defined, need
