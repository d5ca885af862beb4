"""TopPush as an estimator."""

from __future__ import annotations

from attop.estimators.bundle_ranker import PushEstimator
from attop.surrogates.base import Surrogate

__all__ = ["TopPush"]


class TopPush(PushEstimator):
    r"""TopPush (Li, Jin and Zhou 2014): positives against the highest negative.

    .. math:: \min_w \tfrac\lambda2 \|w\|^2
              + \frac1{n_+} \sum_{i=1}^{n_+} (1 + \max_j w \cdot x^-_j - w \cdot x^+_i)_+^2

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
    InfinitePush : The same comparison with the hinge loss.
    attop.solvers.bundle.bundle : The algorithm.

    Notes
    -----
    With `groups`, the loss is the mean over groups with a positive and a negative.

    On classes that overlap, ``w = 0`` is often the exact optimum, for every `lam`: where the mean of the
    positives lies among the negatives, no direction lifts the positives, on average, above the highest
    negative. All scores are then equal. A loss that looks further down the list, such as that of `SVMPAUC`,
    is the remedy.

    Differences from the paper: the paper maximises the dual by accelerated projected gradient, at a cost
    linear in the sample per iteration. Here cutting planes minimise the primal, which costs as much per
    iteration and takes tens of them where the dual takes thousands, with a certificate of the gain over
    ``w = 0``. Per-group means are an addition.

    References
    ----------
    N. Li, R. Jin and Z.-H. Zhou, "Top Rank Optimization in Linear Time", NIPS 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from attop.estimators.top_push import TopPush
    >>> X = np.array([[2.0, 0.1], [1.5, 0.9], [0.2, 0.8], [0.1, 0.3], [0.4, 0.5]])
    >>> model = TopPush().fit(X, [1, 1, 0, 0, 0])
    >>> sorted(model.decision_function(X).argsort()[-2:].tolist())
    [0, 1]
    """

    def _surrogate(self) -> Surrogate:
        from attop.surrogates.top_push import TopPushLoss

        return TopPushLoss()
