"""Pat&Mat as an estimator."""

from __future__ import annotations

from typing import ClassVar, Literal

from attop.core.typing import TopLike
from attop.estimators.bundle_ranker import PushEstimator
from attop.surrogates.base import Surrogate

__all__ = ["PatMat"]


class PatMat(PushEstimator):
    r"""Pat&Mat and Pat&Mat-NP (Adam et al. 2020): positives against a smooth quantile.

    .. math:: \min_w \tfrac\lambda2 \|w\|^2 + \frac1{n_+} \sum_{y_i = 1} (1 + t - w \cdot x_i)_+^2,
              \qquad \sum_i (1 + \beta (w \cdot x_i - t))_+^2 = k,

    where the second sum is over all items, or over the negatives.

    Parameters
    ----------
    top : int, mapping or Top, optional
        k; None stands for as many as there are positives, ``{"kappa": 1.0}``. For ``quantile_of="negatives"``
        a share tau refers to the negatives.
    beta : float, positive, default=1.0
        Scale of the scores in the equation of t, a choice of its own beside `lam`: the larger, the nearer t
        is to the k-th highest score.
    quantile_of : {"all", "negatives"}, default="all"
        Pat&Mat, or Pat&Mat-NP.
    lam : float, positive, default=0.01
        Regularisation.
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
    attop.surrogates.PatMat : The loss.
    attop.surrogates.PatMatNP : That of the negatives' quantile.
    TopPush : Against the highest negative.

    Notes
    -----
    With `groups`, the loss is the mean over groups, each with its own k and t. The problem is convex.
    ``w = 0`` is no minimum where the means of the classes differ in a feature.

    Differences from the paper: tau is k / n, or k over the negatives, with k a whole number. The paper leaves
    the hinges open; here they are squared. The paper descends, with the derivative of t through the implicit
    function; here cutting planes with that derivative certify the gap.

    References
    ----------
    L. Adam, V. Macha, V. Smidl and T. Pevny, "General Framework for Binary Classification on Top Samples",
    arXiv:2002.10923, 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from attop.estimators.pat_mat import PatMat
    >>> X = np.array([[2.0, 0.1], [1.5, 0.9], [0.2, 0.8], [0.1, 0.3], [0.4, 0.5]])
    >>> model = PatMat(top=2).fit(X, [1, 1, 0, 0, 0])
    >>> sorted(model.decision_function(X).argsort()[-2:].tolist())
    [0, 1]
    """

    _default_top: ClassVar[TopLike] = {"kappa": 1.0}

    def __init__(
        self,
        top: TopLike | None = None,
        beta: float = 1.0,
        quantile_of: Literal["all", "negatives"] = "all",
        lam: float = 0.01,
        tol: float = 1e-3,
        max_iter: int = 1000,
        time_limit: float | None = None,
    ):
        super().__init__(lam, tol, max_iter, time_limit)
        self.top = top
        self.beta = beta
        self.quantile_of = quantile_of

    def _surrogate(self) -> Surrogate:
        from attop.surrogates import threshold

        kinds = {"all": threshold.PatMat, "negatives": threshold.PatMatNP}
        if self.quantile_of not in kinds:
            raise ValueError(f"quantile_of must be 'all' or 'negatives', got {self.quantile_of!r}")
        return kinds[self.quantile_of](self._top(), self.beta)
