"""The p-norm push, and the other convex pushes, as an estimator."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from attop._core.typing import Features, Floats
from attop.from_papers.push._coordinate_descent import (
    CoordinateSolution,
    coordinate_descent,
)
from attop.learners._base import Training, WeightedRanker, ranker, sharing
from attop.solvers._base import Solution
from attop.solvers._gradient_descent import gradient_descent
from attop.solvers._lbfgs import lbfgs
from attop.surrogates._base import Surrogate
from attop.surrogates._pnorm_push import PNormPushExp
from attop.surrogates._push import ExpPushExp, HingePush, LogisticPush, Price

if TYPE_CHECKING:
    from attop.from_papers.push._threshold_rankers import ThresholdRankers

Loss = Literal["exponential", "logistic", "hinge"]
WeakRankerKind = Literal["features", "thresholds"]


@ranker
class PNormPush(WeightedRanker):
    r"""Ranking with a p-norm push, or another convex push (Rudin 2005).

    Minimises over :math:`\lambda`

    .. math:: F(\lambda) = \sum_k g\Bigl(\sum_i \ell(f(x_i) - f(\tilde x_k))\Bigr),
        \qquad f = \sum_j \lambda_j h_j,

    where :math:`x_i` are the positives, :math:`\tilde x_k` the negatives and :math:`h_j` weak rankers.
    The paper's algorithm is the default, price :math:`g(r) = r^p` and loss :math:`\ell(r) = \exp(-r)`:
    each round chooses the weak ranker along which F changes most and minimises exactly along it.
    ``p = 1`` is RankBoost (Freund et al. 2003); the larger `p`, the more a negative pays for being near the
    top.

    Parameters
    ----------
    p : float, at least 1, default=4
        Power of the price, of no effect with ``price="exp"``. The paper uses 1, 2, 4, 8, 16 and 64. Below
        1 the price would be concave: a negative would pay less, not more, for each further positive it
        overtakes.
    price : {"power", "exp"}, default="power"
        :math:`g(r) = r^p` or :math:`g(r) = \exp(r)`. The latter, of a sum over all positives, sees
        little but the negatives at the very top.
    loss : {"exponential", "logistic", "hinge"}, default="exponential"
        :math:`\exp(-r)`, :math:`\log_2(1 + \exp(-r))` or :math:`(1 - r)_+`. The logistic loss costs
        O(n_pos n_neg) an iteration, the others O(n) and O(n log n).
    weak_rankers : {"features", "thresholds"}, default="features"
        ``"features"``: the features as given, for a linear model. ``"thresholds"``: 1[x_j > t] for
        thresholds t of each feature, for a model that is a step function of each feature.
    n_thresholds : int, at least 1, or None, default=32
        With ``weak_rankers="thresholds"``: at most this many thresholds per feature, near quantiles of its
        training values; None for one between any two neighbouring values.
    max_iter : int, at least 1, default=200
        Rounds, or iterations. Few rounds give a sparse model, since each changes one coefficient.
    tol : float, at least 0, default=1e-8
        Stops earlier when no entry of the gradient of the objective exceeds it; with the hinge loss, when the
        objective falls by less than this, relative to its size, in 50 iterations.
    eta : float, positive, default=1.0
        Length of the first step, for the hinge loss only.
    time_limit : float or None, default=None
        Seconds after which the best model so far is kept.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        :math:`\lambda`; only with ``weak_rankers="features"``.
    thresholds_, votes_ : list of n_features ndarrays
        Thresholds of each feature, ascending, and their :math:`\lambda`; only with
        ``weak_rankers="thresholds"``. The score sums the votes of the thresholds that are exceeded.
    n_iter_ : int
        Rounds, or iterations, done.
    objective_ : float
        Value of the surrogate at the model, a monotone function of F; see below.
    status_ : str
        "converged" where the solver met `tol`, which it never does on separable data, where smooth objectives
        have no minimum; "max_iter" after all rounds; "deadline" or "diverged".
    history_ : attop.solvers.History
        Objective and seconds, one entry a round, the first for :math:`\lambda = 0`.

    See Also
    --------
    attop.surrogates.PNormPushExp : exponential loss, power price: minimises :math:`\log F`.
    attop.surrogates.ExpPushExp : exponential loss and price: minimises :math:`\log \log F`.
    attop.surrogates.HingePush, attop.surrogates.LogisticPush : other losses: :math:`g^{-1}(F / K) / I`.

    Notes
    -----
    Solvers: coordinate descent for exponential loss with power price, L-BFGS for the other smooth
    objectives, subgradient descent for the hinge loss. Nothing is regularised. On separable data the
    minimum of a smooth objective is at infinity, and the number of iterations is the regulariser, as in
    the paper: tune `max_iter`. `fit_many` computes one path of rounds for all values of `max_iter`.

    Scaling of real features is the caller's: the largest derivative, and so the choice of weak ranker,
    depends on their units. The paper scales each feature to [-1, 1]:
    ``make_pipeline(MinMaxScaler((-1, 1)), PNormPush())``. Thresholds need no scaling.

    The objective is bipartite: `groups` passed to `fit` are ignored, and pairs across groups count like
    any other.

    Differences from the paper: none in the path of :math:`\lambda` for exponential loss and power price;
    it is computed from the factorised objective in O(n d) a round, without the paper's array of pairs,
    and the coefficients are not normalised at the end, which would not change the order. The paper has no
    algorithm for the other prices and losses, and chooses thresholds by hand.

    References
    ----------
    C. Rudin, "Ranking with a P-Norm Push", NYU Tech Report TR2005-874, 2005, section 2 and figure 1.
    Y. Freund, R. Iyer, R. E. Schapire and Y. Singer, "An Efficient Boosting Algorithm for Combining
    Preferences", Journal of Machine Learning Research 4, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from attop import PNormPush
    >>> X = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.3], [0.1, -0.5], [0.6, -0.2]])
    >>> y = np.array([1, 1, 0, 0, 0])
    >>> PNormPush(p=8).fit(X, y).decision_function(X).argsort()[::-1][:2].tolist()
    [0, 1]
    """

    p: float = 4
    price: Price = "power"
    loss: Loss = "exponential"
    weak_rankers: WeakRankerKind = "features"
    n_thresholds: int | None = 32
    max_iter: int = 200
    tol: float = 1e-8
    eta: float = 1.0
    time_limit: float | None = None

    def _solve(self, data: Training, models: Sequence[Self]) -> None:
        binned: dict[int | None, ThresholdRankers] = {}
        for alike in sharing(models, _path):
            longest = max(alike, key=lambda model: model.max_iter)
            solution = longest._minimise(longest._rankers(data, binned), data)
            for model in alike:
                if isinstance(solution, CoordinateSolution):
                    model._store(solution.after(model.max_iter), data, binned)
                else:
                    model._store(solution, data, binned)

    def _rankers(
        self, data: Training, binned: dict[int | None, ThresholdRankers]
    ) -> Features | ThresholdRankers:
        """Choose the weak rankers: the features, or thresholds of them, which are stored in `binned`."""
        if self.weak_rankers == "features":
            return data.X
        from attop.from_papers.push._threshold_rankers import ThresholdRankers

        if self.n_thresholds not in binned:
            binned[self.n_thresholds] = ThresholdRankers.at_quantiles(
                data.X, self.n_thresholds, data.weight
            )
        return binned[self.n_thresholds]

    def _boosts(self) -> bool:
        return self.loss == "exponential" and self.price == "power"

    def _surrogate(self) -> Surrogate:
        if self.loss == "exponential":
            return PNormPushExp(self.p) if self.price == "power" else ExpPushExp()
        return (HingePush if self.loss == "hinge" else LogisticPush)(
            self.price, self.p
        )

    def _minimise(
        self, rankers: Features | ThresholdRankers, data: Training
    ) -> Solution:
        loss = self._surrogate().bind(data.y, None, data.weight)
        max_iter = self.max_iter
        tol = self.tol
        limit = self.time_limit
        if self._boosts():
            return coordinate_descent(
                rankers, loss, max_iter=max_iter, tol=tol, time_limit=limit
            )
        if self.loss == "hinge":
            return gradient_descent(
                rankers,
                loss,
                eta=self.eta,
                lam=0.0,
                max_iter=max_iter,
                tol=tol,
                time_limit=limit,
            )
        return lbfgs(rankers, loss, max_iter=max_iter, tol=tol, time_limit=limit)

    def _store(
        self,
        solution: Solution,
        data: Training,
        binned: dict[int | None, ThresholdRankers],
    ) -> None:
        coef = solution.coef[:, 0]
        if self.weak_rankers == "features":
            self._set_linear(coef, data)
        else:
            rankers = binned[self.n_thresholds]
            self.thresholds_ = rankers.thresholds
            self.votes_ = rankers.by_feature(coef)
            self._set_threshold(self._score(data.X), data.y, data.weight)
        self.objective_ = float(solution.objective[0])
        self._store_progress(solution)

    def _score(self, X: Features) -> Floats:
        if self.weak_rankers == "features":
            return super()._score(X)
        from attop.from_papers.push._threshold_rankers import ThresholdRankers

        return ThresholdRankers(X, self.thresholds_) @ np.concatenate(self.votes_)


def _path(model: PNormPush) -> Hashable:
    """Collect the parameters shared by models trained together."""
    kind = (
        model.p,
        model.price,
        model.loss,
        model.weak_rankers,
        model.n_thresholds,
    )
    # Fewer rounds of boosting are the beginning of more, and share their fit; other solvers start again.
    rounds = None if model._boosts() else model.max_iter
    return (*kind, model.tol, model.eta, model.time_limit, rounds)
