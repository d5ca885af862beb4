"""The simulations of Hiranandani et al. (2020), sections 7.1 and 7.2, as tables of runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import norm

from attop._core.seeds import derive_seed
from attop._core.top import Top
from attop._core.typing import Floats, Ints
from attop.from_papers._gd_papk import GDPApK
from attop.from_papers._structural import SVMPAUC
from attop.learners._gd_ranker import GDRanker
from attop.metrics._metric import UndefinedMetricError
from attop.metrics._registry import get_metric
from attop.metrics._roc import auc_at_k
from attop.solvers._gradient_descent import gradient_descent
from attop.surrogates._base import BoundSurrogate
from attop.surrogates._registry import get_surrogate

#: Case -> positives, k, and the methods the paper compares.
CASES = {1: (10, 20, ("sgd-avg", "gd-papk-avg")), 2: (20, 10, ("svm-pauc", "gd-papk-avg"))}
N_NEG, DIMENSIONS = 160, 5
N_RUNS = 300


def _auc(y: Ints, scores: Floats, k: int) -> float:
    try:
        return auc_at_k(y, scores, k)
    except UndefinedMetricError:
        return float("nan")


def two_users(seed: int, n_runs: int = N_RUNS) -> pd.DataFrame:
    """Repeat section 7.1: a user with fewer positives than k, and one with more.

    A row per case, run, method and sample (``"training"``, or ``"fresh"`` of the same distribution):
    ``precision`` (precision@k), ``auc`` (AUC@k) and ``constant``, whether the model ranks nothing.
    """
    rows = []
    for case, (n_pos, k, methods) in CASES.items():
        y = np.repeat([1, 0], [n_pos, N_NEG])
        for run in range(n_runs):
            run_seed = derive_seed(seed, "papk2020", "two-users", case, run)
            rng = np.random.default_rng(run_seed)
            training, fresh = (rng.standard_normal((len(y), DIMENSIONS)) - y[:, None] for _ in range(2))
            for method in methods:
                model = _learner(method, k, run_seed).fit(training, y)
                for name, X in (("training", training), ("fresh", fresh)):
                    scores = model.decision_function(X)
                    precision = get_metric("precision@k").value(y, scores, k)
                    rows.append((case, run, method, name, precision, _auc(y, scores, k), model.constant_))
    return pd.DataFrame(rows, columns=["case", "run", "method", "sample", "precision", "auc", "constant"])


def _learner(method: str, k: int, seed: int) -> GDPApK | GDRanker | SVMPAUC:
    if method == "svm-pauc":
        return SVMPAUC(top=k, lam=0.01)
    # "until they converge": small regularisation, steps to the tolerance.
    if method == "sgd-avg":
        return GDRanker("prec@k-avg", top=k, eta=0.5 / k, lam=1e-3, max_iter=2000, random_state=seed)
    return GDPApK("avg", top=k, eta=0.5, lam=1e-3, max_iter=2000, random_state=seed)


#: The paper's names for its surrogates.
_MEASURES = ("ramp", "avg", "max", "TS")
#: Margin condition -> the surrogate that is consistent under it, which is minimised.
_CONDITIONS = {"strong": "max", "beta": "avg", "moderate": "TS"}
_K, _N_POS, _N_NEGATIVES = 30, 250, 2000


def margins(seed: int, max_iter: int = 3000, starts: int = 4) -> pd.DataFrame:
    """Repeat section 7.2: all surrogates while the one consistent under a margin condition is minimised.

    Each start has a sample of its own, and descends from a standard normal draw, by steps of a tenth of
    those of table 3: with these all is over after one. A row per condition, start, iteration and measure:
    the four surrogates, and ``"risk"``, 1 - pAp@k.
    """
    tables = []
    for condition, minimised in _CONDITIONS.items():
        for start in range(starts):
            rng = np.random.default_rng(derive_seed(seed, "papk2020", "margins", condition, start))
            X, y = _sample(condition, rng)
            table = _descent(X, y, minimised, rng.standard_normal(DIMENSIONS), max_iter)
            tables.append(table.assign(condition=condition, minimised=minimised, start=start))
    return pd.concat(tables, ignore_index=True)


def _descent(X: Floats, y: Ints, minimised: str, start: Floats, max_iter: int) -> pd.DataFrame:
    """Descend one surrogate; return all of them, and the risk, at about 60 of the iterations."""
    losses = {name: get_surrogate(f"pap@k-{name.lower()}", Top(k=_K)).bind(y) for name in _MEASURES}
    wanted = {round(10**e) for e in np.linspace(0, np.log10(max_iter), 60)} | {0}
    rows: list[tuple[int, str, float]] = []

    class Recorded(BoundSurrogate):
        """The minimised surrogate; called once an iteration, it records the best iterate so far."""

        n, n_groups, n_left_out = len(y), 1, 0
        iteration, lowest, best = 0, np.inf, np.zeros(len(y))

        def __call__(self, scores: Floats) -> tuple[float | Floats, Floats]:
            value, coef = losses[minimised](scores)
            objective = float(np.squeeze(value))
            if objective < self.lowest:
                self.lowest, self.best = objective, scores[:, 0]
            if self.iteration in wanted:
                at = self.iteration
                rows.extend((at, name, float(loss(self.best)[0])) for name, loss in losses.items())
                rows.append((at, "risk", 1 - get_metric("pap@k").value(y, self.best, _K)))
            self.iteration += 1
            return value, coef

    gradient_descent(X, Recorded(), eta=0.05, lam=0.0, max_iter=max_iter, tol=0.0, coef_init=start)
    return pd.DataFrame(rows, columns=["iteration", "measure", "value"])


def _sample(condition: str, rng: np.random.Generator) -> tuple[Floats, Ints]:
    """Return positives from N(0, I), and negatives from N(1/2, I) given that 1_d realises the condition.

    All conditions bound the highest negative score. Negatives below the bound are rare, about one in a
    million: the component along 1_d is drawn from its truncated distribution instead of being rejected.
    """
    positives = rng.standard_normal((_N_POS, DIMENSIONS))
    scores = np.sort(positives.sum(axis=1))
    bound = {
        "strong": scores[0] - 1,
        "beta": scores[:_K].mean() - 1,
        "moderate": min(scores[0], scores[-_K] - 1),
    }[condition]
    unit = np.full(DIMENSIONS, DIMENSIONS**-0.5)
    along = 0.5 * DIMENSIONS**0.5  # mean of the component; its limit is bound / sqrt(d)
    share = norm.cdf(bound * DIMENSIONS**-0.5 - along)
    component = along + norm.ppf(share * rng.uniform(size=_N_NEGATIVES))
    across = rng.standard_normal((_N_NEGATIVES, DIMENSIONS))
    across -= np.outer(across @ unit, unit)
    X = np.vstack([positives, across + np.outer(component, unit)])
    return X, np.repeat([1, 0], [_N_POS, _N_NEGATIVES])
