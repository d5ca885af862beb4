"""TopPush as an estimator: the certified optimum of its objective, or the model its paper stops at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Literal, Self

from attop.from_papers.top_push._dual_descent import dual_descent
from attop.learners._base import Training, ranker
from attop.learners._bundle_ranker import BundleEstimator
from attop.surrogates._base import Surrogate
from attop.surrogates._threshold import TopPushLoss

#: With more features many negatives share the top, up to one more than there are features, and each of them
#: would need a cutting plane.
_WIDE = 1000
#: Change of the dual, as a share, at which the authors stop.
_PAPER_TOLERANCE = 1e-4


@ranker
class TopPush(BundleEstimator):
    r"""TopPush (Li, Jin and Zhou 2014): positives against the highest negative.

    .. math:: \min_w \tfrac\lambda2 \|w\|^2
              + \frac1{n_+} \sum_{i=1}^{n_+} (1 + \max_j w \cdot x^-_j - w \cdot x^+_i)_+^2

    Parameters
    ----------
    stop : {"gap", "paper"}, default="gap"
        ``"gap"``: the optimum, as near as `tol` says, by cutting planes or, with more than 1,000
        features, by the dual. ``"paper"``: the paper's model. Its accelerated
        projected gradient on the dual stops when that changes by less than 1e-4 of its value in an
        iteration; `tol` has no effect. That is often far from the optimum, and better at the top; see the
        notes. It takes neither groups nor weights.
    lam : float, positive, default=0.01
        Regularisation. The loss is 1 at w = 0.

    See Also
    --------
    InfinitePush : The same comparison with the hinge loss.
    attop.solvers.bundle : Cutting planes, the algorithm of ``stop="gap"``.

    Notes
    -----
    With `groups`, the loss is the mean over groups with a positive and a negative.

    On classes that overlap, ``w = 0`` is often the exact optimum, for every `lam`: it is wherever the mean of
    the positives lies in the convex hull of the negatives, since then no direction lifts the positives, on
    average, above the highest negative. All scores are then equal. The gradient on the dual starts at the
    other end, whatever `lam`, with the difference of the means of the classes: the paper's model lies between
    the two, where its stop leaves it. `gap_` says how far the optimum may be. A loss that looks further down
    the list, such as that of `SVMPAUC`, is another remedy.

    Of many features each negative at the top would need a cutting plane of its own. There the paper's
    algorithm on the dual goes on to the same certificate, and gives up its momentum wherever that leads
    uphill.

    Differences from the paper: with ``stop="gap"`` cutting planes minimise the primal, or momentum on the
    dual is restarted, with a certificate of the gain over ``w = 0``; groups and weights are additions. With
    ``stop="paper"`` the change is relative, as in the authors' code; the text has it absolute.

    References
    ----------
    N. Li, R. Jin and Z.-H. Zhou, "Top Rank Optimization in Linear Time", NIPS 2014.
    B. O'Donoghue and E. Candes, "Adaptive Restart for Accelerated Gradient Schemes", Foundations of
    Computational Mathematics 15(3), 2015.
    """

    lam: float = field(default=0.01, kw_only=True)
    stop: Literal["gap", "paper"] = field(default="gap", kw_only=True)

    def _loss(self) -> Surrogate:
        return TopPushLoss()

    def _solve(self, data: Training, models: Sequence[Self]) -> None:
        wide = data.X.shape[1] > _WIDE
        rows = data.with_positive_weight()
        by_dual = [model for model in models if wide or model.stop == "paper"]
        super()._solve(data, [model for model in models if model not in by_dual])
        for model in by_dual:
            certified = model.stop == "gap"
            if not certified and (
                data.groups is not None or data.weight is not None
            ):
                raise ValueError(
                    'TopPush(stop="paper") takes neither groups nor sample_weight, which its paper does not '
                    'have: leave them out, or use stop="gap"'
                )
            solution = dual_descent(
                rows.X,
                rows.y,
                lam=model.lam,
                tol=model.tol if certified else _PAPER_TOLERANCE,
                max_iter=model.max_iter,
                time_limit=model.time_limit,
                certified=certified,
                weight=rows.weight,
                groups=rows.groups,
            )
            model._finish(solution, data)
