r"""The papers' theory in numbers: margin conditions, mistake and generalisation bounds.

Functions of plain arrays, as Boyd et al. (2012), Kar et al. (2015), Hiranandani et al. (2020) and Rudin
(2005) write them. Where they differ from the paper the docstring says so, and docs/errata shows why.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from attop.extending import Batch, Floats, check_labels
from attop.surrogates import PrecAtKAvg, PrecAtKMax

# --- Margin conditions of prec@k and pAp@k ---


class PrecMargins(NamedTuple):
    """Largest delta with which scores satisfy each margin condition of prec@k; the paper asks for 1.

    Attributes
    ----------
    weak : float
        Some k positives score at least delta above every negative. At 1, the ramp surrogate is 0.
    k : float
        Every n+ - k + 1 positives have a mean at least delta above every negative. At 1, avg is 0.
    strong : float
        Every positive scores at least delta above every negative. At 1, max is 0.
    """

    weak: float
    k: float
    strong: float


class PApMargins(NamedTuple):
    """Largest delta with which scores satisfy each margin condition of pAp@k, ``beta = min(n+, k)``.

    Attributes
    ----------
    weak : float
        Some beta positives score at least delta above every negative. At 1, the ramp surrogate is 0.
    beta : float
        Every beta positives have a mean at least delta above every negative. At 1, avg is 0.
    moderate : float
        As `weak`, while no positive is below a negative; else minus infinity. At 1, both TS surrogates are 0.
    strong : float
        Every positive scores at least delta above every negative. At 1, max is 0.
    """

    weak: float
    beta: float
    moderate: float
    strong: float


def prec_margins(scores: ArrayLike, y: ArrayLike, k: int) -> PrecMargins:
    """Return the realised margins of prec@k of one list with at least k positives (Kar et al., section 3).

    Differences from the paper: the size of the subsets in the k-margin, n+ - k + 1, is the one with which the
    margin makes avg 0; with k, as the condition is sometimes quoted, it does not.

    Examples
    --------
    >>> prec_margins([3.0, 2.0, 0.5, 1.0], [1, 1, 1, 0], 2)
    PrecMargins(weak=1.0, k=0.25, strong=-0.5)
    """
    leads = _leads(scores, y)
    return PrecMargins(float(leads[-k]), float(leads[: len(leads) - k + 1].mean()), float(leads[0]))


def pap_margins(scores: ArrayLike, y: ArrayLike, k: int) -> PApMargins:
    """Return the realised margins of pAp@k of one list with at least k negatives (definitions 2 to 5).

    Differences from the paper: it calls the beta-margin stronger than the weak one, which is true for
    ``n+ >= 2 beta - 1`` only; beyond, a positive `beta` leaves open whether the risk is 0.

    Examples
    --------
    >>> pap_margins([3.0, 2.0, 0.5, 1.0], [1, 1, 1, 0], 1)
    PApMargins(weak=2.0, beta=-0.5, moderate=-inf, strong=-0.5)
    """
    leads = _leads(scores, y)
    beta = min(len(leads), k)
    weak, strong = float(leads[-beta]), float(leads[0])
    return PApMargins(weak, float(leads[:beta].mean()), weak if strong >= 0 else -math.inf, strong)


def _leads(scores: ArrayLike, y: ArrayLike) -> Floats:
    """Return the positives' scores minus the highest negative's, ascending."""
    values, labels = np.asarray(scores, dtype=np.float64), check_labels(y)
    return np.sort(values[labels == 1] - values[labels == 0].max())


# --- Perceptron@k ---


def mistake_bound(stream: Iterable[Batch], u: ArrayLike, *, variant: Literal["avg", "max"] = "avg") -> float:
    r"""Bound the mistakes of Perceptron@k on a stream of batches (Kar et al. 2015, section 4).

    With :math:`\Delta_t` the negatives in the top of batch t, whatever u,

    .. math:: \sum_t \Delta_t \le \Bigl(2 R \sqrt k \, \|u\| + \sqrt{\textstyle\sum_t \ell_t(u)}\Bigr)^2,

    where :math:`\|x\| \le R` for all items and :math:`\ell_t` is prec@k's avg or max surrogate on batch t.
    Differences from the paper: k may differ from batch to batch; the largest is the bound's.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> mistake_bound([Batch(X, np.array([0, 1]), 1, 1)], [0.5, -0.5])
    2.0000000000000004
    """
    surrogate: type[PrecAtKAvg] | type[PrecAtKMax] = PrecAtKAvg if variant == "avg" else PrecAtKMax
    w = np.asarray(u, dtype=np.float64)
    radius = loss = 0.0
    k = 0
    for batch in stream:
        labels = (np.arange(len(batch.rows)) < batch.n_pos).astype(np.int64)
        value, _ = surrogate(batch.k).value_and_coef(batch.scores(w[:, np.newaxis])[:, 0], labels)
        loss += float(value)
        radius, k = max(radius, _largest_norm(batch.X)), max(k, batch.k)
    return (2 * radius * math.sqrt(k) * float(np.linalg.norm(w)) + math.sqrt(loss)) ** 2


def _largest_norm(X: Any) -> float:
    squares = X.multiply(X).sum(axis=1) if issparse(X) else np.einsum("ij,ij->i", X, X)
    return math.sqrt(float(np.max(squares)))


# --- Accuracy at the top ---


def top_margin_loss(scores: ArrayLike, y: ArrayLike, *, threshold: float, rho: float) -> float:
    r"""Return the empirical margin loss about a threshold, over all pairs of a positive and a negative.

    .. math:: \hat R_\rho(h, t) = \frac12 \Bigl[ \frac1{n_-} \sum_{neg} \Phi_\rho(t - h(x_i))
        + \frac1{n_+} \sum_{pos} \Phi_\rho(h(x_i) - t) \Bigr], \qquad
        \Phi_\rho(u) = \min(1, (1 - u / \rho)_+).

    Boyd et al. (2012), section 4; t is there the quantile of the true distribution of scores.
    """
    labels, values = check_labels(y), np.asarray(scores, dtype=np.float64)
    margin = np.where(labels == 1, values - threshold, threshold - values)
    phi = np.clip(1.0 - margin / rho, 0.0, 1.0)
    return float(0.5 * (phi[labels == 0].mean() + phi[labels == 1].mean()))


def aatp_kernel_bound(
    margin_loss: float,
    *,
    rho: float,
    norm: float,
    radius: float,
    m: int,
    delta: float = 0.05,
) -> float:
    r"""Bound the error at the top for functions of a kernel (Boyd et al. 2012, corollary 2).

    For all h with :math:`\|h\|_K \le \Lambda` (`norm`) at once, where :math:`K(x, x) \le r^2` (`radius`):

    .. math:: R(h) \le \hat R_\rho(h, q_h) + \frac{4 r \Lambda}{\rho \sqrt m}
        + \sqrt{\frac{\log(1/\delta)}{2 m}}.

    The paper has a second form, by the traces of the kernel matrices.
    Differences from the paper: it assumes :math:`K(x, x) \le r` and concludes :math:`|h(x)| \le \Lambda r`;
    Cauchy and Schwarz give that for :math:`K(x, x) \le r^2`, the assumption made here.
    """
    complexity = 4 * (radius * norm / (rho * math.sqrt(m)))
    return margin_loss + complexity + math.sqrt(math.log(1 / delta) / (2 * m))


def rademacher(X: ArrayLike, norm: float, seed: int = 0, draws: int = 200) -> float:
    r"""Return the empirical Rademacher complexity of linear functions of a norm of at most :math:`\Lambda`.

    It is :math:`\frac{\Lambda}{m} E \|\sum_i \sigma_i x_i\|`, here the mean over draws of the signs. Boyd et
    al. (2012), theorem 1, have it for the preferred and for the non-preferred elements.
    """
    features = np.asarray(X, dtype=np.float64)
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (draws, len(features)))
    return norm / len(features) * float(np.linalg.norm(signs @ features, axis=1).mean())


def aatp_bound(
    margin_loss: float,
    *,
    rho: float,
    largest: float,
    complexities: tuple[float, float],
    m: int,
    delta: float = 0.05,
) -> float:
    r"""Bound the error at the top by empirical Rademacher complexities (Boyd et al. 2012, theorem 1).

    For functions with values in :math:`[-M, M]` (`largest`), and all thresholds t there:

    .. math:: R(h, t) \le \hat R_\rho(h, t)
        + \frac1\rho \Bigl( \hat{\mathfrak R}_{S_1} + \hat{\mathfrak R}_{S_2} + \frac{2 M}{\sqrt m} \Bigr)
        + 3 \sqrt{\frac{\log(2/\delta)}{2 m}}.
    """
    complexity = (sum(complexities) + 2 * largest / math.sqrt(m)) / rho
    return margin_loss + complexity + 3 * math.sqrt(math.log(2 / delta) / (2 * m))


# --- The p-norm push ---


def push_risk(scores: ArrayLike, y: ArrayLike, *, p: float, theta: float = 0.0) -> float:
    r"""Return the risk with the price of power p and a margin (Rudin 2005), both sides of theorem 2.

    .. math:: R^p 1_f^\theta = \Bigl( \frac1K \sum_{k} \Bigl( \frac1I \sum_i
        1[f(x_i) - f(\tilde x_k) \le \theta] \Bigr)^p \Bigr)^{1/p}.

    Examples
    --------
    >>> push_risk([3, 1, 2, 0], [1, 1, 0, 0], p=1), push_risk([3, 1, 2, 0], [1, 1, 0, 0], p=1, theta=1)
    (0.25, 0.75)
    """
    labels, values = check_labels(y), np.asarray(scores, dtype=np.float64)
    below = values[labels == 1][:, None] - values[labels == 0][None, :] <= theta
    return float((below.mean(axis=0) ** p).mean() ** (1 / p))


def push_bound(epsilon: float, theta: float, *, p: float, n_pos: int, n_neg: int, n_rankers: int) -> float:
    r"""Bound the log probability that a p-norm push generalises worse than by `epsilon` (Rudin 2005).

    Theorem 2: for I positives and K negatives, and all f in :math:`\mathcal F` at once,

    .. math:: P\bigl[R^p 1_f \le R^p_{S_+, S_-} 1_f^\theta + \epsilon\bigr] \ge 1 -
        2 \mathcal N\Bigl(\mathcal F, \frac{\epsilon \theta}{8}\Bigr) \Bigl[
        \exp\bigl(-2 (\tfrac\epsilon4)^{2p} K\bigr) + \exp\bigl(-\tfrac{\epsilon^2}{8} I\bigr)\Bigr].

    Differences from the paper: the covering number, which the theorem leaves open, is `log_covering_number`.
    The last step of its proof (lemma 4) applies McDiarmid's inequality, which holds for each negative, to the
    supremum over all; it stands by the inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant.

    Examples
    --------
    >>> push_bound(0.5, 1.0, p=1, n_pos=10_000, n_neg=10_000, n_rankers=10) < -250
    True
    >>> push_bound(0.5, 1.0, p=4, n_pos=10_000, n_neg=10_000, n_rankers=10) < 0
    False
    """
    log_negatives = -2 * (epsilon / 4) ** (2 * p) * n_neg
    log_positives = -(epsilon**2) / 8 * n_pos
    log_covering = log_covering_number(epsilon * theta / 8, n_rankers)
    return math.log(2) + log_covering + float(np.logaddexp(log_negatives, log_positives))


def log_covering_number(radius: float, n_rankers: int) -> float:
    r"""Bound the log covering number, in the supremum norm, of combinations of J weak rankers in [-1, 1].

    For :math:`\sum_j |\lambda_j| \le 1` a cover of the unit ball of :math:`\ell_1^J` is one of the
    combinations, and comparing volumes gives :math:`J \log(1 + 2 / r)`; one ball will do for r of at least 1.
    """
    return 0.0 if radius >= 1 else n_rankers * math.log1p(2 / radius)
