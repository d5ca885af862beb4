"""The infinite push as an estimator."""

from __future__ import annotations

from attop.estimators.bundle_ranker import PushEstimator
from attop.surrogates.base import Surrogate

__all__ = ["InfinitePush"]


class InfinitePush(PushEstimator):
    r"""Support vector infinite push (Agarwal 2011): the worst negative counts.

    .. math:: \min_w \tfrac\lambda2 \|w\|^2
              + \max_j \frac1{n_+} \sum_{i=1}^{n_+} (1 - w \cdot (x^+_i - x^-_j))_+

    Parameters
    ----------
    lam : float, positive, default=0.01
        Regularisation. The loss is 1 at w = 0.
    tol : float, positive, default=1e-3
        Share of the gain over ``w = 0`` that may be missing: the gap to certify.
    max_iter : int, at least 1, default=1000
    time_limit : float, optional
        Seconds per model.

    Attributes
    ----------
    See `BundleEstimator`.

    See Also
    --------
    TopPush : The same comparison with a quadratic loss.
    PNormPush : p large, exponential loss.
    attop.solvers.bundle.bundle.bundle : The algorithm.

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

    Examples
    --------
    >>> import numpy as np
    >>> from attop.estimators.infinite_push import InfinitePush
    >>> X = np.array([[2.0, 0.1], [1.5, 0.9], [0.2, 0.8], [0.1, 0.3], [0.4, 0.5]])
    >>> model = InfinitePush().fit(X, [1, 1, 0, 0, 0])
    >>> sorted(model.decision_function(X).argsort()[-2:].tolist())
    [0, 1]
    """

    def _surrogate(self) -> Surrogate:
        from attop.surrogates.top_push import InfinitePushHinge

        return InfinitePushHinge()
