"""RankBoost: the push without a push."""

from __future__ import annotations

from attop.estimators.pnorm_push import Loss, PNormPush, WeakRankerKind
from attop.surrogates.push_price import Price

__all__ = ["RankBoost"]


class RankBoost(PNormPush):
    r"""RankBoost for bipartite ranking (Freund, Iyer, Schapire and Singer 2003).

    Minimises the exponential loss of all pairs of a positive :math:`x_i` and a negative
    :math:`\tilde x_k`,

    .. math:: F(\lambda) = \sum_{i,k} \exp[-f(x_i) + f(\tilde x_k)], \qquad f = \sum_j \lambda_j h_j,

    by rounds: the weak ranker of largest :math:`|r_j| = |\sum_{ik} D_{ik} (h_j(x_i) - h_j(\tilde x_k))|`
    under the pair weights :math:`D \propto` the losses, then the step that minimises F along it. It is
    `PNormPush` with ``p = 1``.

    Parameters
    ----------
    weak_rankers : {"thresholds", "features"}, default="thresholds"
        ``"thresholds"``: 1[x_j > t]. ``"features"``: the features as given, real-valued.
    n_thresholds : int, at least 1, or None, default=32
        At most this many thresholds per feature; None for one between any two neighbouring values.
    max_iter : int, at least 1, default=200
        Rounds.
    tol : float, at least 0, default=1e-8
        Stops earlier when no :math:`|r_j|` exceeds it.
    time_limit : float or None, default=None
        Seconds after which the best model so far is kept.

    Attributes
    ----------
    coef_, thresholds_, votes_, intercept_, n_iter_, objective_, status_, history_
        See `PNormPush`; the objective is :math:`\log F`.

    See Also
    --------
    PNormPush : pushes harder at the top.

    Notes
    -----
    For a weak ranker with values 0 and 1 the step is :math:`\frac12 \log(W_+ / W_-)`, with
    :math:`W_\pm` the weight of the pairs on which :math:`h(x_i) - h(\tilde x_k) = \pm 1`.

    Differences from the paper: of its three ways to choose a step, the exact minimum (the first, in its
    numerical form for real-valued rankers); no weak rankers that abstain, as no feature is missing.

    References
    ----------
    Y. Freund, R. Iyer, R. E. Schapire and Y. Singer, "An Efficient Boosting Algorithm for Combining
    Preferences", Journal of Machine Learning Research 4, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from attop.estimators.rankboost import RankBoost
    >>> X = np.array([[3.0], [2.0], [1.0], [9.0]])
    >>> model = RankBoost(max_iter=5).fit(X, [1, 1, 0, 0])
    >>> [t.tolist() for t in model.thresholds_]
    [[1.5, 2.5, 6.0]]
    >>> model.predict(X).tolist()
    [1, 1, 0, 0]
    """

    # What sets RankBoost apart; not parameters.
    p: float = 1.0
    price: Price = "power"
    loss: Loss = "exponential"
    eta: float = 1.0

    def __init__(
        self,
        weak_rankers: WeakRankerKind = "thresholds",
        n_thresholds: int | None = 32,
        max_iter: int = 200,
        tol: float = 1e-8,
        time_limit: float | None = None,
    ):
        self.weak_rankers = weak_rankers
        self.n_thresholds = n_thresholds
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
