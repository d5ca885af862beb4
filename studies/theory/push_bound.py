"""Generalisation bound of the p-norm push."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attop.core.sample import check_labels
from attop.surrogates.push_price import check_power, power_mean

__all__ = ["PushBound", "log_covering_number", "margin_risk", "push_bound"]


class PushBound(NamedTuple):
    r"""The terms of theorem 2, as natural logarithms, and what they amount to.

    Attributes
    ----------
    failure : float in [0, 1]
        The generalisation gap exceeds epsilon with at most this probability; 1 says nothing.
    log_failure : float
        ``log(2) + log_covering + log(exp(log_negatives) + exp(log_positives))``; above 0 where the bound
        says nothing.
    log_covering : float
        :math:`\log \mathcal N(\mathcal F, \epsilon \theta / 8)`.
    log_negatives : float
        :math:`-2 (\epsilon / 4)^{2p} K`, the share of the negatives.
    log_positives : float
        :math:`-\epsilon^2 I / 8`, the share of the positives.
    """

    failure: float
    log_failure: float
    log_covering: float
    log_negatives: float
    log_positives: float


def push_bound(
    epsilon: float, theta: float, *, p: float, n_pos: int, n_neg: int, n_rankers: int
) -> PushBound:
    r"""Bound the probability that a p-norm push generalises worse than by `epsilon` (Rudin 2005, theorem 2).

    For I positives and K negatives, drawn independently from their distributions, every
    :math:`\epsilon, \theta > 0` and all f in :math:`\mathcal F` at once,

    .. math:: P\bigl[R^p 1_f \le R^p_{S_+, S_-} 1_f^\theta + \epsilon\bigr] \ge 1 -
        2 \mathcal N\Bigl(\mathcal F, \frac{\epsilon \theta}{8}\Bigr) \Bigl[
        \exp\bigl(-2 (\tfrac\epsilon4)^{2p} K\bigr) + \exp\bigl(-\tfrac{\epsilon^2}{8} I\bigr)\Bigr],

    with the true risk :math:`R^p 1_f = (E_{x_-} (P_{x_+}[f(x_+) \le f(x_-)])^p)^{1/p}` and its empirical
    counterpart with margin, `margin_risk`.

    Parameters
    ----------
    epsilon : float, positive
        Generalisation gap. Risks are at most 1, so that only values below 1 are of interest.
    theta : float, positive
        Margin, in units of the scores.
    p : float, at least 1
        Power of the price.
    n_pos, n_neg : int, at least 1
        I and K.
    n_rankers : int, at least 1
        Weak rankers whose combinations are :math:`\mathcal F`; see `log_covering_number`.

    Returns
    -------
    bound : PushBound

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    To keep the term of the negatives, their number must grow by :math:`(4 / \epsilon)^2` for each
    increase of p by 1. For large p the bound says nothing at any realistic size.

    Differences from the paper: the covering number, which the theorem leaves open, is that of
    `log_covering_number`. The last step of the paper's proof (lemma 4) applies McDiarmid's inequality,
    which holds for each negative instance, to the supremum over all of them. It stands nevertheless: that
    deviation is at most the one between the empirical and the true distribution function of the scores
    of positives, which the inequality of Dvoretzky, Kiefer and Wolfowitz, with Massart's constant,
    bounds by the same number.

    References
    ----------
    C. Rudin, "Ranking with a P-Norm Push", NYU Tech Report TR2005-874, 2005, theorem 2 and appendix A.

    P. Massart, "The Tight Constant in the Dvoretzky-Kiefer-Wolfowitz Inequality", Annals of Probability
    18(3), 1990.

    Examples
    --------
    >>> bound = push_bound(0.5, 1.0, p=1, n_pos=10_000, n_neg=10_000, n_rankers=10)
    >>> bound.log_positives, bound.log_negatives
    (-312.5, -312.5)
    >>> bound.failure < 1e-100
    True
    >>> push_bound(0.5, 1.0, p=4, n_pos=10_000, n_neg=10_000, n_rankers=10).failure
    1.0
    """
    for name, value in (("epsilon", epsilon), ("theta", theta)):
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 < value < math.inf:
            raise ValueError(f"{name} must be a positive, finite number, got {value!r}")
    _check_counts(n_pos=n_pos, n_neg=n_neg)
    p = check_power(p)
    log_covering = log_covering_number(epsilon * theta / 8, n_rankers)
    log_negatives = -2 * (epsilon / 4) ** (2 * p) * n_neg
    log_positives = -(epsilon**2) / 8 * n_pos
    log_failure = math.log(2) + log_covering + float(np.logaddexp(log_negatives, log_positives))
    return PushBound(math.exp(min(0.0, log_failure)), log_failure, log_covering, log_negatives, log_positives)


def log_covering_number(radius: float, n_rankers: int) -> float:
    r"""Bound the logarithm of the covering number of combinations of weak rankers.

    Parameters
    ----------
    radius : float, positive
        Of the balls, in the supremum norm.
    n_rankers : int, at least 1
        Number J of weak rankers :math:`h_j`, with values in [-1, 1].

    Returns
    -------
    log_number : float
        :math:`J \log(1 + 2 / r)`, or 0 for a radius of at least 1, where one ball around 0 will do.

    Notes
    -----
    :math:`\mathcal F = \{\sum_j \lambda_j h_j : \sum_j |\lambda_j| \le 1\}`. As
    :math:`\|\sum_j \lambda_j h_j\|_\infty \le \|\lambda\|_1`, a cover of the unit ball of
    :math:`\ell_1^J` is one of :math:`\mathcal F`, and comparing volumes gives :math:`(1 + 2 / r)^J`.
    The paper's class, convex combinations, is a part of it. Scores of a fitted model belong to it after
    division by the sum of its absolute coefficients.

    Differences from the paper: the paper does not bound this number.
    """
    _check_counts(n_rankers=n_rankers)
    if not radius > 0:
        raise ValueError(f"radius must be positive, got {radius!r}")
    return 0.0 if radius >= 1 else n_rankers * math.log1p(2 / radius)


def margin_risk(scores: ArrayLike, y: ArrayLike, *, theta: float, p: float) -> float:
    r"""Empirical p-norm risk with margin, the quantity theorem 2 starts from (Rudin 2005, section 3).

    .. math:: R^p_{S_+, S_-} 1_f^\theta = \Bigl(\frac1K \sum_k \Bigl(\frac1I \sum_i
        1[f(x_i) - f(\tilde x_k) \le \theta]\Bigr)^p\Bigr)^{1/p}

    Parameters
    ----------
    scores, y : array-like of shape (n,)
        Scores and labels.
    theta : float, at least 0
        Margin; 0 counts the misranked pairs, ties included.
    p : float, at least 1

    Returns
    -------
    risk : float in [0, 1]

    Raises
    ------
    ValueError
        If a class is missing, shapes disagree or a parameter is out of range.
    """
    labels = check_labels(y)
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != labels.shape:
        raise ValueError(f"scores must have shape {labels.shape} to match y, got {values.shape}")
    if not 0 <= theta < math.inf:
        raise ValueError(f"theta must be a finite number of at least 0, got {theta!r}")
    pos, neg = np.sort(values[labels == 1]), values[labels == 0]
    if len(pos) == 0 or len(neg) == 0:
        raise ValueError(f"a positive and a negative are needed, got {len(pos)} and {len(neg)}")
    share = np.searchsorted(pos, neg + theta, side="right") / len(pos)
    return power_mean(share, np.ones(len(share)), check_power(p))[0]


def _check_counts(**counts: int) -> None:
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
            raise ValueError(f"{name} must be an integer of at least 1, got {count!r}")
