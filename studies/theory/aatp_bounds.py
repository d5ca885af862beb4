"""Margin bounds for accuracy at the top."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attop.core.sample import check_labels

__all__ = ["AATPBound", "aatp_bound", "aatp_kernel_bound", "top_margin_loss"]


class AATPBound(NamedTuple):
    """A bound on the generalisation error of accuracy at the top, and its terms.

    Attributes
    ----------
    bound : float
        Sum of the other fields; from 1 on it says nothing.
    margin_loss : float in [0, 1]
        Empirical margin loss, see `top_margin_loss`.
    complexity : float
        Share of the Rademacher complexities of the scoring functions.
    threshold : float
        Share of the supremum over thresholds.
    confidence : float
        Share of the probability of failure.
    """

    bound: float
    margin_loss: float
    complexity: float
    threshold: float
    confidence: float


def top_margin_loss(scores: ArrayLike, y: ArrayLike, *, threshold: float, rho: float) -> float:
    r"""Empirical margin loss about a threshold, over all pairs of a positive and a negative.

    .. math:: \hat R_\rho(h, t) = \frac12 \Bigl[ \frac1{n_-} \sum_{neg} \Phi_\rho(t - h(x_i))
        + \frac1{n_+} \sum_{pos} \Phi_\rho(h(x_i) - t) \Bigr], \qquad
        \Phi_\rho(u) = \min(1, (1 - u / \rho)_+).

    Parameters
    ----------
    scores, y : array-like of shape (n,)
        Scores and labels.
    threshold : float
        t; the theory takes the quantile of the true distribution of scores.
    rho : float, positive
        Margin, in units of the scores.

    Returns
    -------
    loss : float in [0, 1]

    Raises
    ------
    ValueError
        If a class is missing, shapes disagree or a parameter is out of range.

    References
    ----------
    S. Boyd, C. Cortes, M. Mohri and A. Radovanovic, "Accuracy at the Top", NIPS 2012, section 4. The mean
    over all pairs is the mean of the two class means.
    """
    labels = check_labels(y)
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != labels.shape:
        raise ValueError(f"scores must have shape {labels.shape} to match y, got {values.shape}")
    if not math.isfinite(threshold):
        raise ValueError(f"threshold must be finite, got {threshold!r}")
    _check_positive(rho=rho)
    n_pos = int(labels.sum())
    if n_pos in (0, len(labels)):
        raise ValueError(f"a positive and a negative are needed, got {n_pos} and {len(labels) - n_pos}")
    margin = np.where(labels == 1, values - threshold, threshold - values)
    phi = np.clip(1.0 - margin / rho, 0.0, 1.0)
    return float(0.5 * (phi[labels == 0].mean() + phi[labels == 1].mean()))


def aatp_bound(
    margin_loss: float,
    complexities: tuple[float, float],
    *,
    rho: float,
    score_bound: float,
    m: int,
    delta: float = 0.05,
    empirical: bool = True,
) -> AATPBound:
    r"""Bound the error at the top (Boyd et al. 2012, corollary 1).

    With probability at least :math:`1 - \delta` over m independent pairs, for all h in H, with values in
    [-M, M], at once:

    .. math:: R(h) \le \hat R_\rho(h, q_h) + \frac1\rho \Bigl( \mathfrak R_1 + \mathfrak R_2
        + \frac{2 M}{\sqrt m} \Bigr) + \begin{cases}
        \sqrt{\log(1/\delta) / (2 m)} & \text{true complexities} \\
        3 \sqrt{\log(2/\delta) / (2 m)} & \text{empirical complexities.} \end{cases}

    :math:`R(h)` is half the probability that the non-preferred element of a pair is scored above the
    quantile :math:`q_h`, plus half the probability that the preferred one is scored below.

    Parameters
    ----------
    margin_loss : float in [0, 1]
        :math:`\hat R_\rho(h, q_h)`, see `top_margin_loss`.
    complexities : tuple of two floats, at least 0
        Rademacher complexities of H for the non-preferred and for the preferred elements.
    rho : float, positive
        Margin, chosen before seeing the sample.
    score_bound : float, positive
        M: scores lie in [-M, M].
    m : int, at least 1
        Pairs, independent of each other. The ``n_pos * n_neg`` pairs of a sample of items are not.
    delta : float in (0, 1), default=0.05
        Probability of failure.
    empirical : bool, default=True
        Whether `complexities` are those of the sample, or their expectations.

    Returns
    -------
    bound : AATPBound

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Differences from the paper: none in the formula. The margin loss is about the quantile of the true
    distribution, which the sample's quantile only estimates; section 4 leaves that error as a term of
    order ``1 / sqrt(m)`` without a constant, and it is not part of this number. The paper's margin loss in
    (5) needs no ``t > 0``.

    References
    ----------
    S. Boyd, C. Cortes, M. Mohri and A. Radovanovic, "Accuracy at the Top", NIPS 2012, theorem 1 and
    corollary 1.

    Examples
    --------
    >>> aatp_bound(0.1, (0.01, 0.02), rho=0.5, score_bound=1.0, m=10_000).complexity
    0.06
    """
    _check_common(margin_loss, rho, m, delta)
    _check_positive(score_bound=score_bound)
    if len(complexities) != 2 or not all(0 <= c < math.inf for c in complexities):
        raise ValueError(f"complexities must be two finite numbers of at least 0, got {complexities!r}")
    return _total(
        margin_loss, sum(complexities) / rho, 2 * score_bound / (rho * math.sqrt(m)), m, delta, empirical
    )


def aatp_kernel_bound(
    margin_loss: float,
    *,
    rho: float,
    norm: float,
    radius: float,
    m: int,
    delta: float = 0.05,
    traces: tuple[float, float] | None = None,
) -> AATPBound:
    r"""Bound the error at the top for functions of a kernel (Boyd et al. 2012, corollary 2).

    With probability at least :math:`1 - \delta` over m independent pairs, for all h with
    :math:`\|h\|_K \le \Lambda` at once, where :math:`K(x, x) \le r^2`:

    .. math:: R(h) \le \hat R_\rho(h, q_h) + \frac{4 r \Lambda}{\rho \sqrt m}
        + \sqrt{\frac{\log(1/\delta)}{2 m}}

    or, with the traces of the kernel matrices of the non-preferred and the preferred elements,

    .. math:: R(h) \le \hat R_\rho(h, q_h) + \frac{r \Lambda}{\rho \sqrt m} \Biggl[
        \sqrt{\frac{\mathrm{Tr} K_1}{m r^2}} + \sqrt{\frac{\mathrm{Tr} K_2}{m r^2}} + 2 \Biggr]
        + 3 \sqrt{\frac{\log(2/\delta)}{2 m}}.

    Parameters
    ----------
    margin_loss, rho, m, delta
        See `aatp_bound`.
    norm : float, positive
        :math:`\Lambda`; for a linear model a bound on the norm of its coefficients, chosen before seeing
        the sample.
    radius : float, positive
        r: the square root of the largest ``K(x, x)``; for a linear model the largest norm of an item.
    traces : tuple of two floats in [0, m r^2], optional
        Traces of the two kernel matrices, m by m; None gives the first form.

    Returns
    -------
    bound : AATPBound

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Differences from the paper: it assumes :math:`K(x, x) \le r` and concludes
    :math:`|h(x)| \le \|h\|_K K(x, x) \le \Lambda r`. The inequality of Cauchy and Schwarz gives
    :math:`|h(x)| \le \|h\|_K \sqrt{K(x, x)}`, and the bounds of the corollary are those for
    :math:`K(x, x) \le r^2`, the assumption made here. The last inequality of its proof must read
    :math:`\sqrt{r^2 \Lambda^2 / m}`; it is printed with tau in the place of r.

    References
    ----------
    S. Boyd, C. Cortes, M. Mohri and A. Radovanovic, "Accuracy at the Top", NIPS 2012, appendix A.

    Examples
    --------
    >>> aatp_kernel_bound(0.1, rho=1.0, norm=1.0, radius=1.0, m=10_000).complexity
    0.02
    """
    _check_common(margin_loss, rho, m, delta)
    _check_positive(norm=norm, radius=radius)
    unit = radius * norm / (rho * math.sqrt(m))
    if traces is None:
        return _total(margin_loss, 2 * unit, 2 * unit, m, delta, empirical=False)
    largest = m * radius**2
    if len(traces) != 2 or not all(0 <= trace <= largest * (1 + 1e-12) for trace in traces):
        raise ValueError(f"traces must be two numbers from 0 to m * radius^2 = {largest:g}, got {traces!r}")
    complexity = unit * sum(math.sqrt(trace / largest) for trace in traces)
    return _total(margin_loss, complexity, 2 * unit, m, delta, empirical=True)


def _total(
    margin_loss: float, complexity: float, threshold: float, m: int, delta: float, empirical: bool
) -> AATPBound:
    confidence = math.sqrt(math.log(1 / delta) / (2 * m))
    if empirical:
        confidence = 3 * math.sqrt(math.log(2 / delta) / (2 * m))
    return AATPBound(
        margin_loss + complexity + threshold + confidence, margin_loss, complexity, threshold, confidence
    )


def _check_common(margin_loss: float, rho: float, m: int, delta: float) -> None:
    if not 0 <= margin_loss <= 1:
        raise ValueError(f"margin_loss must lie in [0, 1], got {margin_loss!r}")
    _check_positive(rho=rho)
    if isinstance(m, bool) or not isinstance(m, Integral) or m < 1:
        raise ValueError(f"m must be an integer of at least 1, got {m!r}")
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie strictly between 0 and 1, got {delta!r}")


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 < value < math.inf:
            raise ValueError(f"{name} must be a positive, finite number, got {value!r}")
