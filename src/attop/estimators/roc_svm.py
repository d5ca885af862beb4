"""ROC-SVM: the structural support vector machine for the AUC."""

from __future__ import annotations

from attop.estimators.bundle_ranker import SVMEstimator
from attop.surrogates.base import Surrogate

__all__ = ["ROCSVM"]


class ROCSVM(SVMEstimator):
    r"""Structural support vector machine for the AUC (Joachims 2005), all pairs counting.

    .. math:: \min_w \tfrac12 \|w\|^2 + \frac{C}{n_+ n_-} \sum_{i=1}^{n_+} \sum_{j=1}^{n_-}
              (1 - w \cdot (x^+_i - x^-_j))_+

    Parameters
    ----------
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
    SVMPAUC : Only the highest negatives count.
    attop.solvers.bundle.bundle.bundle : The algorithm.

    Notes
    -----
    With `groups`, the loss is the mean over groups, pairs being formed within a group only.

    Differences from the paper: the loss is the mean over pairs, so that the paper's C' for a sum over
    pairs is ``C = n_+ n_- C'``. No array of pairs is formed: an evaluation takes a sort.

    References
    ----------
    T. Joachims, "A Support Vector Method for Multivariate Performance Measures", ICML 2005, section 4.3.

    Examples
    --------
    >>> import numpy as np
    >>> from attop.estimators.roc_svm import ROCSVM
    >>> X = np.array([[2.0, 0.1], [1.5, 0.9], [0.2, 0.8], [0.1, 0.3], [0.4, 0.5]])
    >>> model = ROCSVM().fit(X, [1, 1, 0, 0, 0])
    >>> sorted(model.decision_function(X).argsort()[-2:].tolist())
    [0, 1]
    """

    def _surrogate(self) -> Surrogate:
        from attop.surrogates.pauc import AUCStruct

        return AUCStruct()
