"""Structural support vector machines and pushes: the losses of four papers, to a certified gap."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

from attop._core.typing import TopLike
from attop.learners._base import ranker
from attop.learners._bundle_ranker import BundleEstimator
from attop.surrogates._base import Surrogate
from attop.surrogates._pap_at_k import AUCStruct, PAUCStruct
from attop.surrogates._prec_at_k import PrecAtKStruct
from attop.surrogates._threshold import InfinitePushHinge


@ranker
class SVMPerf(BundleEstimator):
    r"""Structural support vector machine for prec@k (Joachims 2005).

    .. math:: \min_w \tfrac\lambda2 \|w\|^2 + \max_{\hat y \in \{0,1\}^n, \|\hat y\|_1 = k}
              \Bigl[ \Delta(\hat y) + \sum_i (\hat y_i - y_i) w \cdot x_i \Bigr],

    with :math:`\Delta(\hat y)` the number of negatives among the k items that :math:`\hat y` chooses.

    Parameters
    ----------
    top : int, mapping or Top, optional
        k; None stands for as many as there are positives, ``{"kappa": 1.0}``.
    lam : float, positive, default=1.0
        Regularisation; 1 / C of support vector machines. The loss is in items.

    See Also
    --------
    attop.surrogates.PrecAtKStruct : The loss, and where it does not bound prec@k.
    attop.solvers.bundle : The algorithm.

    Notes
    -----
    With `groups`, the loss is the mean over groups, each with its own k. For k other than the number
    of positives the loss does not bound prec@k from above, and may be negative.

    On classes that overlap much, ``w = 0`` can be the exact optimum for every `lam`: all scores are then
    equal, and `coef_` says so.

    Differences from the paper: there, labels in the joint features are -1 and 1, which doubles the
    scores, and the loss is a percentage of k. The problem of the paper with C' is this one, up to the
    scale of w, with ``lam = 25 / (k C')``. The cutting planes are found by a solver of our own.

    References
    ----------
    T. Joachims, "A Support Vector Method for Multivariate Performance Measures", ICML 2005.
    Kar, Narasimhan and Jain, "Surrogate Functions for Maximizing Precision at the Top", ICML 2015, eq. (3).
    """

    _default_top: ClassVar[TopLike] = {"kappa": 1.0}

    top: TopLike | None = None

    def _loss(self) -> Surrogate:
        return PrecAtKStruct(self._top())


@ranker
class SVMPAUC(BundleEstimator):
    r"""Structural support vector machine for the partial AUC (Narasimhan and Agarwal 2017).

    .. math:: \min_w \tfrac\lambda2 \|w\|^2 + \frac1{n_+ k} \sum_{i=1}^{n_+} \sum_{j=1}^{k}
              (1 + s^-_{(j)} - s^+_i)_+, \qquad s = X w,

    with :math:`s^-_{(j)}` the j-th highest negative: the range of false positive rates is
    :math:`(0, k/n_-]`.

    Parameters
    ----------
    top : int, mapping or Top, optional
        k, the number of negatives that count, resolved in each group; None stands for k = 1. A fraction `tau`
        refers to all items.
    lam : float, positive, default=1.0
        Regularisation; 1 / C of support vector machines. The loss is 1 at w = 0.

    See Also
    --------
    ROCSVM : All negatives count.
    attop.surrogates.PAUCStruct : The loss.
    attop.solvers.bundle : The algorithm.

    Notes
    -----
    With `groups` (users, queries), the loss is the mean over groups; those without a positive or with
    fewer than k negatives are left out.

    Differences from the paper: only ranges that begin at 0 and hold a whole number of negatives. The
    cutting planes are found by a solver of our own.

    References
    ----------
    H. Narasimhan and S. Agarwal, "Support Vector Algorithms for Optimizing the Partial Area under the ROC
    Curve", Neural Computation 29(7), 2017.
    Hiranandani et al., "Optimization and analysis of the pAp@k metric for recommender systems", ICML 2020.
    """

    _default_top = 1

    top: TopLike | None = None

    def _loss(self) -> Surrogate:
        return PAUCStruct(self._top())


@ranker
class ROCSVM(BundleEstimator):
    r"""Structural support vector machine for the AUC (Joachims 2005), all pairs counting.

    .. math:: \min_w \tfrac\lambda2 \|w\|^2 + \frac1{n_+ n_-} \sum_{i=1}^{n_+} \sum_{j=1}^{n_-}
              (1 - w \cdot (x^+_i - x^-_j))_+

    Parameters
    ----------
    lam : float, positive, default=1.0
        Regularisation; 1 / C of support vector machines. The loss is 1 at w = 0.

    See Also
    --------
    SVMPAUC : Only the highest negatives count.
    attop.solvers.bundle : The algorithm.

    Notes
    -----
    With `groups`, the loss is the mean over groups, pairs being formed within a group only.

    Differences from the paper: the loss is the mean over pairs, so that the paper's C' for a sum over
    pairs is ``lam = 1 / (n_+ n_- C')``. No array of pairs is formed: an evaluation takes a sort.

    References
    ----------
    T. Joachims, "A Support Vector Method for Multivariate Performance Measures", ICML 2005, section 4.3.
    """

    def _loss(self) -> Surrogate:
        return AUCStruct()


@ranker
class InfinitePush(BundleEstimator):
    r"""Support vector infinite push (Agarwal 2011): the worst negative counts.

    .. math:: \min_w \tfrac\lambda2 \|w\|^2
              + \max_j \frac1{n_+} \sum_{i=1}^{n_+} (1 - w \cdot (x^+_i - x^-_j))_+

    Parameters
    ----------
    lam : float, positive, default=0.01
        Regularisation. The loss is 1 at w = 0.

    See Also
    --------
    TopPush : The same comparison with a quadratic loss.
    PNormPush : p large, exponential loss.
    attop.solvers.bundle : The algorithm.

    Notes
    -----
    With `groups`, the loss is the mean over groups with a positive and a negative. Each cutting plane
    knows one negative only: where hundreds compete for the top, as with little regularisation of classes
    that overlap, many iterations are needed.

    Differences from the paper: the paper solves the dual, with its n+ x n- variables, by projected
    gradient; cutting planes on the primal need no pairs. With C in front of the loss and 1/2 of the
    squared norm, ``lam = 1 / C``.

    References
    ----------
    S. Agarwal, "The Infinite Push: A New Support Vector Ranking Algorithm that Directly Optimizes Accuracy
    at the Absolute Top of the List", SDM 2011.
    """

    lam: float = field(default=0.01, kw_only=True)

    def _loss(self) -> Surrogate:
        return InfinitePushHinge()
