"""SVM-pAUC: the structural support vector machine for the partial AUC."""

from __future__ import annotations

from typing import ClassVar

from attop.core.typing import TopLike
from attop.estimators.bundle_ranker import TopSVMEstimator
from attop.surrogates.base import Surrogate

__all__ = ["SVMPAUC"]


class SVMPAUC(TopSVMEstimator):
    r"""Structural support vector machine for the partial AUC (Narasimhan and Agarwal 2017).

    .. math:: \min_w \tfrac12 \|w\|^2 + \frac{C}{n_+ k} \sum_{i=1}^{n_+} \sum_{j=1}^{k}
              (1 + s^-_{(j)} - s^+_i)_+, \qquad s = X w,

    with :math:`s^-_{(j)}` the j-th highest negative: the range of false positive rates is
    :math:`(0, k/n_-]`.

    Parameters
    ----------
    top : int, mapping or Top, optional
        k, the number of negatives that count, resolved in each group; None stands for k = 1. A fraction `tau`
        refers to all items.
    C : float, positive, default=1.0
        Weight of the loss, which is 1 at w = 0.
    tol : float, positive, default=1e-3
        Share of the gain over ``w = 0`` that may be missing: the gap to certify.
    max_iter : int, at least 1, default=1000
    time_limit : float, optional
        Seconds per model.

    Attributes
    ----------
    See `BundleEstimator`. `objective_` is ``||w||^2 / (2 C)`` plus the loss.

    See Also
    --------
    ROCSVM : All negatives count.
    attop.surrogates.pauc.PAUCStruct : The loss.
    attop.solvers.bundle.bundle.bundle : The algorithm.

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

    Examples
    --------
    >>> import numpy as np
    >>> from attop.estimators.svm_pauc import SVMPAUC
    >>> X = np.array([[2.0, 0.1], [1.5, 0.9], [0.2, 0.8], [0.1, 0.3], [0.4, 0.5]])
    >>> model = SVMPAUC(top=2).fit(X, [1, 1, 0, 0, 0])
    >>> sorted(model.decision_function(X).argsort()[-2:].tolist())
    [0, 1]
    """

    _default_top: ClassVar[TopLike] = 1

    def _surrogate(self) -> Surrogate:
        from attop.surrogates.pauc import PAUCStruct

        return PAUCStruct(self._top())
