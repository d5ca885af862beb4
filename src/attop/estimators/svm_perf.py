"""SVMperf for precision at k."""

from __future__ import annotations

from typing import ClassVar

from attop.core.typing import TopLike
from attop.estimators.bundle_ranker import TopSVMEstimator
from attop.surrogates.base import Surrogate

__all__ = ["SVMPerf"]


class SVMPerf(TopSVMEstimator):
    r"""Structural support vector machine for prec@k (Joachims 2005).

    .. math:: \min_w \tfrac12 \|w\|^2 + C \max_{\hat y \in \{0,1\}^n, \|\hat y\|_1 = k}
              \Bigl[ \Delta(\hat y) + \sum_i (\hat y_i - y_i) w \cdot x_i \Bigr],

    with :math:`\Delta(\hat y)` the number of negatives among the k items that :math:`\hat y` chooses.

    Parameters
    ----------
    top : int, mapping or Top, optional
        k; None stands for as many as there are positives, ``{"kappa": 1.0}``.
    C : float, positive, default=1.0
        Weight of the loss, which is in items.
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
    attop.surrogates.prec_at_k.PrecAtKStruct : The loss, and where it is no bound of prec@k.
    attop.solvers.bundle.bundle.bundle : The algorithm.

    Notes
    -----
    With `groups`, the loss is the mean over groups, each with its own k. For k other than the number
    of positives the loss is no upper bound of prec@k, and may be negative.

    On classes that overlap much, ``w = 0`` can be the exact optimum for every C: all scores are then
    equal, and `coef_` says so.

    Differences from the paper: there, labels in the joint features are -1 and 1, which doubles the
    scores, and the loss is a percentage of k. The problem of the paper with C' is this one, up to the
    scale of w, with ``C = k C' / 25``. The cutting planes are found by a solver of our own.

    References
    ----------
    T. Joachims, "A Support Vector Method for Multivariate Performance Measures", ICML 2005.
    Kar, Narasimhan and Jain, "Surrogate Functions for Maximizing Precision at the Top", ICML 2015, eq. (3).

    Examples
    --------
    >>> import numpy as np
    >>> from attop.estimators.svm_perf import SVMPerf
    >>> X = np.array([[2.0, 0.1], [1.5, 0.9], [0.2, 0.8], [0.1, 0.3], [0.4, 0.5]])
    >>> model = SVMPerf(top=2).fit(X, [1, 1, 0, 0, 0])
    >>> sorted(model.decision_function(X).argsort()[-2:].tolist())
    [0, 1]
    """

    _default_top: ClassVar[TopLike] = {"kappa": 1.0}

    def _surrogate(self) -> Surrogate:
        from attop.surrogates.prec_at_k import PrecAtKStruct

        return PrecAtKStruct(self._top())
