"""Pat&Mat: positives against a smooth quantile of the scores."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar, Literal

from attop._core.typing import TopLike
from attop.learners._base import ranker
from attop.learners._bundle_ranker import BundleEstimator
from attop.surrogates import _threshold as threshold
from attop.surrogates._base import Surrogate


@ranker
class PatMat(BundleEstimator):
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
        Scale of the scores in the equation of t, chosen apart from `lam`: the larger, the nearer t is to the
        k-th highest score.
    quantile_of : {"all", "negatives"}, default="all"
        Pat&Mat, or Pat&Mat-NP.
    lam : float, positive, default=0.01
        Regularisation.

    See Also
    --------
    attop.surrogates.PatMatLoss : The loss.
    attop.surrogates.PatMatNPLoss : That of the negatives' quantile.
    TopPush : Against the highest negative.

    Notes
    -----
    With `groups`, the loss is the mean over groups, each with its own k and t. The problem is convex.
    ``w = 0`` is not a minimum where the means of the classes differ in a feature.

    Differences from the paper: tau is k / n, or k over the negatives, with k a whole number. The paper leaves
    the hinges open; here they are squared. The paper descends, with the derivative of t through the implicit
    function; here cutting planes with that derivative certify the gap.

    References
    ----------
    L. Adam, V. Macha, V. Smidl and T. Pevny, "General Framework for Binary Classification on Top Samples",
    arXiv:2002.10923, 2020.
    """

    _default_top: ClassVar[TopLike] = {"kappa": 1.0}

    top: TopLike | None = None
    beta: float = 1.0
    quantile_of: Literal["all", "negatives"] = "all"
    lam: float = field(default=0.01, kw_only=True)

    def _loss(self) -> Surrogate:
        kind = (
            threshold.PatMatLoss
            if self.quantile_of == "all"
            else threshold.PatMatNPLoss
        )
        return kind(self._top(), self.beta)
