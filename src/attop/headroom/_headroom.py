"""Headroom at the top: the gain to expect of a richer model, or of training for the top."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from typing import Literal, get_args

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from scipy.special import expit
from scipy.stats import norm
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_X_y
from threadpoolctl import threadpool_limits

from attop._core.sample import (
    Label,
    check_lists,
    check_positive_known,
    refuse_masked,
)
from attop._core.top import Top
from attop._core.typing import Features, Floats, Ints, TopLike
from attop.experiment._interval import CONFIDENCE
from attop.experiment._pairs import decide
from attop.experiment._splits import Pair, cross_fitting_folds
from attop.learners._validation import encode_labels
from attop.learners.soft_top._soft_top import SoftTop
from attop.learners.top_stack._members import (
    ROWS_OF_A_TREE,
    Member,
    booster,
    cross_fit,
)
from attop.metrics._held_out import TopPrecision

Verdict = Literal[
    "nothing to gain", "gain by a richer model", "gain by training for the top"
]
NOTHING, RICHER, TRAINING = get_args(Verdict)

NOW, REFINED = "logistic regression", "refined for the top"
#: Bootstrap samples; models are compared on the same.
_SAMPLES = 400
#: One-sided risk and power of `rows_to_tell`.
_RISK, _POWER = 1 - CONFIDENCE, 0.8


@dataclass(frozen=True)
class HeadroomModel:
    """Precision of a model at the top of rows it has not seen.

    Attributes
    ----------
    name : str
    precision : float
        Precision@k.
    low, high : float
        Its 95% interval, by the bootstrap.
    gain, gain_se : float
        Smoothed precision (mean over nine cuts from k/2 to 2k) above that of logistic regression on the same
        rows, and its standard error; both 0 for logistic regression itself.
    """

    name: str
    precision: float
    low: float
    high: float
    gain: float
    gain_se: float


@dataclass(frozen=True)
class Headroom:
    """Result of `headroom`; printed, it is a table and a sentence.

    Attributes
    ----------
    models : tuple of HeadroomModel
        Logistic regression, richer models, and logistic regression refined for the top.
    posterior : float
        Precision@k that the best calibrated posterior promises: the mean of its k highest probabilities.
    verdict : {"nothing to gain", "gain by a richer model", "gain by training for the top"}
    n, k : int
        Rows, and how many of them are at the top; with groups, of all together.
    rows_to_tell : int
        Rows of this kind it would take to tell the gain of `best`, or `min_gain` if that is more, from none:
        in four of five samples, at a risk of 5%.
    """

    models: tuple[HeadroomModel, ...]
    posterior: float
    verdict: Verdict
    n: int
    k: int
    rows_to_tell: int

    @property
    def now(self) -> HeadroomModel:
        """Logistic regression."""
        return self.models[0]

    @property
    def best(self) -> HeadroomModel:
        """The model the verdict is about; where there is nothing to gain, that which may gain most."""
        richer = self.models[1:-1]
        refined = self.models[-1]
        if self.verdict == NOTHING:
            return max(
                [*richer, refined],
                key=lambda c: c.gain + norm.isf(_RISK / 2) * c.gain_se,
            )
        return (
            refined
            if self.verdict == TRAINING
            else max(richer, key=lambda c: c.gain)
        )

    @property
    def sentence(self) -> str:
        """The verdict and its reason."""
        now = self.now
        best = self.best
        start = f"{self.verdict[0].upper()}{self.verdict[1:]}: precision at the top {self.k:,} is "
        start += f"{now.precision:.2f} ({now.low:.2f} to {now.high:.2f}) with logistic regression"
        reason = f"{best.name}, {best.gain:+.3f} ± {best.gain_se:.3f} about the cut"
        if self.verdict == NOTHING and self.rows_to_tell == 0:
            return f"{start}, and none of the others is above it."
        if self.verdict == NOTHING:
            return (
                f"{start}, and nothing is shown to be above it. Most is open for {reason}: it would take "
                f"{self.rows_to_tell:,} rows to tell; there are {self.n:,}."
            )
        return (
            f"{start} and {best.precision:.2f} with the best of these: {reason}. It takes "
            f"{self.rows_to_tell:,} rows to tell; there are {self.n:,}."
        )

    def __str__(self) -> str:
        lines = [
            f"{'':<22} {'precision':>9}  {'95% interval':<14} {'gain about the cut':>18}"
        ]
        for c in self.models:
            gain = "" if c is self.now else f"{c.gain:+.3f} ± {c.gain_se:.3f}"
            lines.append(
                f"{c.name:<22} {c.precision:>9.3f}  {c.low:.3f} to {c.high:.3f} {gain:>18}".rstrip()
            )
        lines.append(f"{'calibrated posterior':<22} {self.posterior:>9.3f}")
        return "\n".join([*lines, "", self.sentence])


def headroom(
    X: ArrayLike,
    y: ArrayLike,
    top: TopLike,
    *,
    pos_label: Label | None = None,
    groups: ArrayLike | None = None,
    entity: ArrayLike | None = None,
    min_gain: float = 0.02,
    cv: int = 5,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = 0,
) -> Headroom:
    r"""Say whether there is anything to gain at the top of a list, and by what.

    Compares on held-out rows a tuned logistic regression with what the same features allow a richer model,
    boosting and a forest, and with the same linear model refined for the top (`attop.SoftTop`).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Numbers. Missing values are filled in by the column's median, and marked in columns of their own.
    y : array-like of shape (n,)
        Two labels, of which one is `pos_label`.
    top : Top, int or mapping
        The top that matters: k, or a share such as ``{"tau": 0.01}``. With groups, that of each.
    pos_label : str, int, float or bool, optional
        The label of the positive class. By default the larger of two numbers; labels of words need it.
    groups : array-like of shape (n,), optional
        Group (user, query) of each row, a list of its own; folds keep groups together.
    entity : array-like of shape (n,), optional
        Customer, card or machine of each row, where all rows are one list; folds keep entities together,
        and the bootstrap draws whole ones.
    min_gain : float, positive, default=0.02
        The smallest gain in precision that matters.
    cv : int, at least 2, default=5
        Folds. Each must hold two positives and two negatives.
    n_jobs : int, optional
        Fits at the same time, see joblib. The numbers are the same for any.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    Headroom

    Raises
    ------
    ValueError
        If the input is malformed, the top larger than the sample or a class too small for the folds.

    Notes
    -----
    Models are compared by the smoothed precision, the mean over nine cuts from k/2 to 2k, and paired: on the
    same bootstrap samples of held-out rows. A gain is *told* when it is at least `min_gain` and above zero at
    a one-sided risk of 5% shared by the three models. The verdict is

    - "nothing to gain" where no gain is told. With few rows that proves nothing: see `Headroom.rows_to_tell`;
    - "gain by training for the top" where the refined linear model's is, and no richer model is told to be
      above the refined one;
    - "gain by a richer model" else.

    The bootstrap leaves out what another training sample would change; simulations with known scores are in
    studies/gains/headroom.py. The forest grows each tree on 20,000 rows at most.

    Examples
    --------
    >>> import numpy as np
    >>> from attop.headroom import headroom
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 4))
    >>> y = rng.random(2000) < 1 / (1 + np.exp(3 - 2 * X[:, 0]))
    >>> headroom(X, y, 60).verdict
    'nothing to gain'
    """
    if not (isinstance(min_gain, (int, float)) and 0 < min_gain < 1):
        raise ValueError(
            f"min_gain must be a number between 0 and 1, got {min_gain!r}"
        )
    for name, array in (("X", X), ("y", y)):
        refuse_masked(array, name)
    X, y = check_X_y(
        X, y, accept_sparse="csr", dtype=np.float64, ensure_all_finite="allow-nan"
    )
    classes, labels = encode_labels(y, pos_label)
    if pos_label is None:
        check_positive_known(np.asarray(y), classes, "pos_label={!r}")
    codes, entities = check_lists(groups, entity, len(labels))
    whole = codes if entities is None else entities
    measure = TopPrecision(labels, top, codes, entities)
    rng = check_random_state(random_state)
    folds = cross_fitting_folds(cv, labels, whole, rng)
    seed = int(rng.randint(np.iinfo(np.int32).max))
    X = SimpleImputer(
        strategy="median", add_indicator=True, keep_empty_features=True
    ).fit_transform(X)
    k = int(measure.k.sum())
    size = Top.of(top) if codes is not None else Top.of(top).as_share(len(labels))
    if codes is None and k == len(labels):
        size = Top(kappa=1.0)  # all rows: no part can be cut at this share
    base, refined = held_out_linear(
        X, labels, folds, codes, size, k / len(labels), seed, n_jobs
    )
    richer = held_out_richer(X, labels, folds, codes, seed, n_jobs)
    scores = {NOW: base, **richer, REFINED: refined}
    best = max(
        {NOW: base, **richer}.items(), key=lambda item: measure.smoothed(item[1])
    )
    posterior = measure.expected(calibrated(best[1], labels, folds))
    return _judge(measure, scores, posterior, len(labels), k, min_gain, seed)


def _judge(
    measure: TopPrecision,
    scores: dict[str, Floats],
    posterior: float,
    n: int,
    k: int,
    min_gain: float,
    seed: int,
) -> Headroom:
    resampled = partial(measure.resampled, seed=seed, n_samples=_SAMPLES)
    smoothed = {name: measure.smoothed(s) for name, s in scores.items()}
    samples = {name: resampled(s, smoothed=True) for name, s in scores.items()}

    def ahead(names: list[str], above: str) -> list[str]:
        gains = [smoothed[name] - smoothed[above] for name in names]
        errors = [
            float((samples[name] - samples[above]).std(ddof=1)) for name in names
        ]
        decided = decide(gains, errors, [math.inf] * len(names), tolerance=math.nan)
        rows = zip(names, gains, decided, strict=True)
        return [
            name
            for name, gain, d in rows
            if d.verdict == "ahead" and gain >= min_gain
        ]

    models = []
    for name, s in scores.items():
        drawn = resampled(s)
        low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
        se = float((samples[name] - samples[NOW]).std(ddof=1))
        gain = smoothed[name] - smoothed[NOW]
        models.append(
            HeadroomModel(
                name=name,
                precision=measure(s),
                low=float(low),
                high=float(high),
                gain=gain,
                gain_se=se,
            )
        )
    richer = [name for name in scores if name not in (NOW, REFINED)]
    above_now = ahead([*richer, REFINED], NOW)
    verdict: Verdict = NOTHING
    if REFINED in above_now and not ahead(richer, REFINED):
        verdict = TRAINING
    elif set(richer) & set(above_now):
        verdict = RICHER
    result = Headroom(
        models=tuple(models),
        posterior=posterior,
        verdict=verdict,
        n=n,
        k=k,
        rows_to_tell=0,
    )
    first = _RISK / (len(scores) - 1)  # Holm's first step, as the verdict has it
    needed = (norm.isf(first) + norm.ppf(_POWER)) * result.best.gain_se
    rows = n * (needed / max(min_gain, result.best.gain)) ** 2
    return replace(result, rows_to_tell=_rounded(rows))


def _rounded(number: float) -> int:
    """Round up to two leading digits."""
    if number < 100:
        return math.ceil(number)
    unit = 10 ** (math.floor(math.log10(number)) - 1)
    return math.ceil(number / unit) * unit


def held_out_richer(
    X: Features,
    y: Ints,
    folds: Sequence[Pair],
    groups: Ints | None,
    seed: int,
    n_jobs: int | None,
) -> dict[str, Floats]:
    """Predict log-odds of each row by a booster and a forest, fitted without its fold.

    They can represent what no linear model can. Without LightGBM no booster takes a sparse matrix, and the
    forest is alone.
    """
    rows = min(ROWS_OF_A_TREE, *(len(train) for train, _ in folds))
    forest = ExtraTreesClassifier(
        100, min_samples_leaf=2, bootstrap=True, max_samples=rows
    )
    boosting = (
        []
        if issparse(X) and find_spec("lightgbm") is None
        else [("boosting", booster())]
    )
    members: list[Member] = [*boosting, ("forest", forest)]
    values = {} if groups is None else {"groups": groups}
    _, scores = cross_fit(
        members, X, y, folds, values, float(y.mean()), seed, n_jobs
    )
    return {name: scores[:, j] for j, (name, _) in enumerate(members)}


def held_out_linear(
    X: Features,
    y: Ints,
    folds: Sequence[Pair],
    groups: Ints | None,
    top: Top,
    share: float,
    seed: int,
    n_jobs: int | None,
) -> tuple[Floats, Floats]:
    """Score each row by a tuned logistic regression and by its refinement for the top.

    Both are fitted, tuned and chosen without the row's fold. What a fold's model scores is shifted by the
    score where its training rows are cut, a `share` of them, and divided by how much the highest differ: the
    models of the folds are then aligned where the list is cut.
    """
    parts = Parallel(n_jobs)(
        delayed(_linear_part)(X, y, fold, groups, top, share, seed)
        for fold in folds
    )
    scores = np.empty((len(y), 2))
    for (_, test), part in zip(folds, parts, strict=True):
        scores[test] = part
    return scores[:, 0], scores[:, 1]


def _linear_part(
    X: Features,
    y: Ints,
    fold: Pair,
    groups: Ints | None,
    top: Top,
    share: float,
    seed: int,
) -> Floats:
    train, test = fold
    codes = None if groups is None else groups[train]
    with threadpool_limits(1):
        # Refined where that gains at all: `headroom` says on held-out rows whether the gain is real.
        model = SoftTop(
            top=top, base="logistic", cv=3, min_gain_se=0.0, random_state=seed
        )
        model.fit(X[train], y[train], groups=codes)
        return np.column_stack(
            [
                _aligned(X[train] @ coef, X[test] @ coef, share)
                for coef in (model.base_coef_, model.coef_)
            ]
        )


def _aligned(train: Floats, test: Floats, share: float) -> Floats:
    n = len(train)
    highest = np.sort(train)[-min(n, max(2, round(4 * share * n))) :]
    std = highest.std()
    return (test - np.quantile(train, 1 - share)) / (std if std > 0 else 1.0)


def calibrated(scores: Floats, y: Ints, folds: Sequence[Pair]) -> Floats:
    """Calibrate scores by Platt's method: the probability of each row, fitted on the other folds."""
    p = np.empty(len(y))
    for train, test in folds:
        model = LogisticRegression(C=1e6, max_iter=1000).fit(
            scores[train, None], y[train]
        )
        p[test] = expit(model.decision_function(scores[test, None]))
    return p
