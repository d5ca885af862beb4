"""Accuracy at the top with a kernel."""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels

from attop.core.typing import Floats, Ints, TopLike
from attop.estimators.aatp import AATP
from attop.solvers.aatp.threshold_kernel_svm import KernelThresholdSVM
from attop.surrogates.accuracy_at_top import Weights

__all__ = ["KernelAATP"]


#: Kernels, and which of gamma, degree and coef0 each takes.
_KERNELS = {"linear": (), "rbf": ("gamma",), "poly": ("gamma", "degree", "coef0"), "precomputed": ()}


class KernelAATP(AATP):
    r"""Accuracy at the top with a kernel (Boyd et al. 2012, section 3.3).

    `AATP` for functions :math:`h(z) = w \cdot \Phi(z)` in the feature space of a kernel K, through the dual
    problem (4) of every item k; the model is

    .. math:: h(z) = \sum_i \alpha_i y_i \bigl(K(z_i, z) - K(z_k, z)\bigr).

    Parameters
    ----------
    top, C, weights, search, tol, time_limit, verbose
        See `AATP`.
    kernel : {"linear", "rbf", "poly", "precomputed"}, default="rbf"
        With ``"precomputed"`` X holds kernel values: of shape (n, n) in `fit`, and of shape
        (n_items, n), items against training items, in `decision_function`.
    gamma : {"scale", "auto"} or float, default="scale"
        As in `sklearn.svm.SVC`: of ``exp(-gamma ||z - z'||^2)`` and ``(gamma z . z' + coef0)^degree``.
        ``"scale"`` is ``1 / (n_features * X.var())``, ``"auto"`` ``1 / n_features``.
    degree : int, at least 1, default=3
        Of ``"poly"``.
    coef0 : float, at least 0, default=0.0
        Of ``"poly"``.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n,)
        Weight of each training item: :math:`\alpha_i y_i`, and for item k minus the sum of the others; up to
        a correction for rounding, see `attop.solvers.aatp.threshold_kernel_svm.KernelThresholdSVM`.
    X_fit_ : ndarray of shape (n, n_features)
        Training items, or their kernel values.
    gamma_ : float
        The number used for `gamma`.
    threshold_item_, quantile_gap_, intercept_, objective_, gap_, n_iter_, converged_
        See `AATP`. There is no `coef_`.

    Notes
    -----
    Memory is of order n^2, and a problem takes time of order n^3 where the kernel matrix has full rank:
    for up to some 1500 items, from 500 on by a fixed-point search.

    Kernel values far above 1 / C, such as those of a polynomial of high degree on features that are not
    standardised, do not spoil the certificate, up to about 1e12. But scores are sums of kernel values, and
    lose as many digits as these have before the point. Standardise, or lower `gamma`.

    Differences from the paper: see `AATP`.

    References
    ----------
    S. Boyd, C. Cortes, M. Mohri and A. Radovanovic, "Accuracy at the Top", NIPS 2012, problem (4).

    Examples
    --------
    The positives are in the middle, where no linear model can find them.

    >>> import numpy as np
    >>> from attop.estimators import KernelAATP
    >>> X = np.linspace(-1, 1, 21)[:, None]
    >>> y = (abs(X[:, 0]) < 0.25).astype(int)
    >>> model = KernelAATP(top=5, C=10.0).fit(X, y)
    >>> sorted(model.decision_function(X).argsort()[-5:].tolist())
    [8, 9, 10, 11, 12]
    """

    _choices: ClassVar[dict[str, Collection[str]]] = {"search": AATP._choices["search"], "kernel": _KERNELS}

    def __init__(
        self,
        top: TopLike | None = None,
        C: float = 1.0,
        kernel: Literal["linear", "rbf", "poly", "precomputed"] = "rbf",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        weights: Weights = "items",
        search: Literal["auto", "exhaustive", "fixed-point"] = "auto",
        tol: float = 1e-6,
        time_limit: float | None = None,
        verbose: bool = False,
    ):
        self.top = top
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.weights = weights
        self.search = search
        self.tol = tol
        self.time_limit = time_limit
        self.verbose = verbose

    def _items(self, X: Floats, rows: Ints) -> Floats:
        return _square(X)[np.ix_(rows, rows)] if self.kernel == "precomputed" else X[rows]

    def _problem(self, X: Floats, y: Ints, upper: Floats, weight: Floats | None) -> KernelThresholdSVM:
        if self.kernel == "precomputed":
            X = _square(X)
        return KernelThresholdSVM(self._kernel_values(X, X, self._gamma_of(X, weight)), y, upper)

    def _set_model(self, coef: Floats, X: Floats, y: Ints, rows: Ints, weight: Floats | None) -> None:
        self.dual_coef_ = np.zeros(len(y))
        self.dual_coef_[rows] = coef
        self.X_fit_ = X
        self.gamma_ = self._gamma_of(X, weight)
        self._place_cut(self._score(X), y, weight)

    def _score(self, X: Floats) -> Floats:
        return self._kernel_values(X, self.X_fit_, self.gamma_) @ self.dual_coef_

    def _kernel_values(self, X: Floats, Y: Floats, gamma: float) -> Floats:
        if self.kernel == "precomputed":
            return X
        parameters = {"gamma": gamma, "degree": self.degree, "coef0": self.coef0}
        own = {name: parameters[name] for name in _KERNELS[self.kernel]}
        with np.errstate(over="ignore", invalid="ignore"):
            values = pairwise_kernels(X, Y, metric=self.kernel, **own)
        if not np.isfinite(values).all():
            raise ValueError("kernel values overflow: scale the features, for example by StandardScaler")
        return values

    def _gamma_of(self, X: Floats, weight: Floats | None) -> float:
        if self.gamma == "scale":
            if weight is None:
                variance = X.var()
            else:
                share = weight / weight.sum()
                variance = (share @ (X - (share @ X).mean()) ** 2).mean()
            return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
        return 1.0 / X.shape[1] if self.gamma == "auto" else float(self.gamma)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.gamma not in ("scale", "auto") and (
            not isinstance(self.gamma, Real) or not 0 < self.gamma < math.inf
        ):
            raise ValueError(f"gamma must be 'scale', 'auto' or a positive number, got {self.gamma!r}")
        if self.degree != int(self.degree) or self.degree < 1:
            raise ValueError(f"degree must be an integer of at least 1, got {self.degree!r}")
        if not 0 <= self.coef0 < math.inf:
            raise ValueError(
                f"coef0 must be at least 0 for a positive semi-definite kernel, got {self.coef0!r}"
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def _square(kernel: Floats) -> Floats:
    if kernel.shape[0] != kernel.shape[1]:
        raise ValueError(f"a precomputed kernel must be square for fit, got shape {kernel.shape}")
    return kernel
