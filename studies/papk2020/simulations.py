"""The simulations of Hiranandani et al. (2020), sections 7.1 and 7.2, as tables of runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from attop.extending import Floats, Ints, Top, derive_seed, get_surrogate
from attop.from_papers import SVMPAUC, GDPApK
from attop.learners import GDRanker
from attop.metrics import UndefinedMetricError, auc_at_k, get_metric
from attop.solvers import gradient_descent
from attop.surrogates import BoundSurrogate

#: Case -> positives, k, and the methods the paper compares.
CASES = {1: (10, 20, ("sgd-avg", "gd-papk-avg")), 2: (20, 10, ("svm-pauc", "gd-papk-avg"))}
N_NEG, DIMENSIONS = 160, 5
N_RUNS = 300


def _values(X: Floats, y: Ints, k: int, w: Floats) -> tuple[float, float]:
    """Return precision@k and AUC@k of a direction; NaN where the latter is undefined."""
    scores = X @ w
    try:
        auc = auc_at_k(y, scores, k)
    except UndefinedMetricError:
        auc = float("nan")
    return get_metric("precision@k").value(y, scores, k), auc


def two_users(seed: int, n_runs: int = N_RUNS) -> pd.DataFrame:
    """Repeat section 7.1: a user with fewer positives than k, and one with more.

    A row per case, run, method and sample (``"training"``, or ``"fresh"`` of the same distribution):
    ``precision`` (precision@k), ``auc`` (AUC@k) and ``constant``, whether the model ranks nothing. Two lines
    stand beside the methods: the ``"best"`` direction, that of the two means, and a ``"random"`` one.
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
                    rows.append((case, run, method, name, *_values(X, y, k, model.coef_), model.constant_))
            for line, w in (("best", -np.ones(DIMENSIONS)), ("random", rng.standard_normal(DIMENSIONS))):
                for name, X in (("training", training), ("fresh", fresh)):
                    rows.append((case, run, line, name, *_values(X, y, k, w), False))
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
DRAWS = 10


def margins(seed: int, max_iter: int = 3000, draws: int = DRAWS) -> pd.DataFrame:
    """Repeat section 7.2: all surrogates while the one consistent under a margin condition is minimised.

    Twice, each time from standard normal draws on samples of their own. ``"worded"``: the sample of the text,
    by steps of a tenth of those of table 3: with these all is over after one. ``"coded"``: the sample and the
    steps of the authors' published code. A row per recipe, condition, draw, iteration and measure: the four
    surrogates, ``"loose"``, which is `loose_struct`, and ``"risk"``, 1 - pAp@k, of that iterate.
    """
    tables = []
    for condition, minimised in _CONDITIONS.items():
        for draw in range(draws):
            for recipe in ("worded", "coded"):
                name = () if recipe == "worded" else ("coded",)
                rng = np.random.default_rng(derive_seed(seed, "papk2020", "margins", *name, condition, draw))
                if recipe == "worded":
                    X, y = _sample(condition, rng)
                    steps = {"eta": 0.05, "lam": 0.0, "max_iter": max_iter, "tol": 0.0}
                else:
                    X, y = _sample_of_the_code(condition, rng)
                    eta = 2.0 if condition == "strong" else 3.0
                    steps = {"eta": eta, "lam": 1e-3, "max_iter": min(max_iter, 151), "tol": 0.0}
                table = _descent(X, y, minimised, rng.standard_normal(DIMENSIONS), steps)
                tables.append(
                    table.assign(recipe=recipe, condition=condition, minimised=minimised, draw=draw)
                )
    return pd.concat(tables, ignore_index=True)


def _descent(X: Floats, y: Ints, minimised: str, start: Floats, steps: dict[str, Any]) -> pd.DataFrame:
    """Descend one surrogate; return all of them, and the risk, at about 60 of the iterates."""
    losses = {name: get_surrogate(f"pap@k-{name.lower()}", Top(k=_K)).bind(y) for name in _MEASURES}
    last = steps["max_iter"] - 1
    wanted = {round(10**e) - 1 for e in np.linspace(0, np.log10(last + 1), 60)} | {last // 2}
    rows: list[tuple[int, str, float]] = []

    class Recorded(BoundSurrogate):
        """The minimised surrogate; called once an iteration, it records the iterate."""

        n, n_groups, n_left_out = len(y), 1, 0
        iteration = 0

        def __call__(self, scores: Floats) -> tuple[float | Floats, Floats]:
            if self.iteration in wanted:
                at, its = self.iteration, scores[:, 0]
                rows.extend((at, name, float(loss(its)[0])) for name, loss in losses.items())
                rows.append((at, "loose", loose_struct(y, its, _K)))
                rows.append((at, "risk", 1 - get_metric("pap@k").value(y, its, _K)))
            self.iteration += 1
            return losses[minimised](scores)

    gradient_descent(X, Recorded(), coef_init=start, **steps)
    return pd.DataFrame(rows, columns=["iteration", "measure", "value"])


def loose_struct(y: Ints, scores: Floats, k: int) -> float:
    r"""Return the structural surrogate of section 3.1, which the paper sets aside as loose.

    The maximum over orderings of all pairs, of the pAp@k risk of the ordering plus the mean over pairs of
    ``pi_ij (s^-_j - s^+_i)``. Negatives and positives may be taken in the order of their scores; an ordering
    is then, for each positive, how many negatives are above it.
    """
    p, q = -np.sort(-scores[y == 1]), -np.sort(-scores[y == 0])
    beta = min(len(p), k)
    best = np.zeros(len(q) + 1)  # of the positives so far, by the negatives above the last one
    for i, score in enumerate(p):
        gain = (q - score) / (len(p) * len(q))
        gain[:k] += (i < beta) / (beta * k)
        best = np.maximum.accumulate(best) + np.concatenate([[0.0], np.cumsum(gain)])
    return float(best.max())


def _sample_of_the_code(condition: str, rng: np.random.Generator) -> tuple[Floats, Ints]:
    """Return the training part of the sample that the authors' code draws.

    Both means are drawn too. The difference of the means realises the condition, of which what violates it
    is left out; 70% train, and features are scaled by their range.
    """
    spread = 0.2**0.5
    centres = [rng.normal(mean, spread, DIMENSIONS) for mean in (0.0, 0.4)]
    numbers = int(rng.integers(_N_POS - 20, _N_POS + 20)), 8 * _N_POS
    positives, negatives = (
        rng.standard_normal((n, DIMENSIONS)) + centre for n, centre in zip(numbers, centres, strict=True)
    )
    direction = centres[0] - centres[1]
    direction /= np.linalg.norm(direction)
    p, q = positives @ direction, negatives @ direction
    if condition == "strong":
        middle = (centres[0] + centres[1]) @ direction / 2
        positives, negatives = positives[p >= middle + 0.5], negatives[q <= middle - 0.5]
    elif condition == "beta":
        negatives = negatives[q <= p.mean() - 1]
    else:
        negatives = negatives[q <= np.sort(p)[-_K] - 1]
        positives = positives[p >= (negatives @ direction).max()]
    X, y = np.vstack([positives, negatives]), np.repeat([1, 0], [len(positives), len(negatives)])
    train = rng.random(len(y)) < 0.7
    X, y = X[train], y[train]
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - (low + high) / 2) / (high - low), y


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
