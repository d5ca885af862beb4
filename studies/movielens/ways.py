"""Table 3 of Hiranandani et al. (2020) on MovieLens with its methods trained three ways, from several starts.

- *code*: as the authors' public code trains the baselines, see `studies.movielens.code`;
- *words*: as the paper words it, by gradient descent;
- *exact*: the same objectives at their optimum.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from attop.extending import Floats, Ints, Top, derive_seed, get_surrogate
from attop.from_papers import GDPApK
from attop.learners import BundleRanker, ConstantModelWarning, GDRanker
from attop.metrics import MICRO_PAP
from attop_bench.data.base import Dataset
from attop_bench.data.columns.preparation import scaler
from attop_bench.data.splits.protocols import make_folds
from studies.movielens.code import SharedCut, cross_entropy, descend, greedy_of, one_number_for_all_weights
from studies.movielens.reference_lines import InnerProduct, ItemMean
from studies.papk2020.baselines import (
    GreedyPApK,
    RandomDirection,
    Selection,
    SelectPApK,
    minimise_cross_entropy,
)

#: Surrogates by method.
_OWN = {"gd-papk-avg": "pap@k-avg", "gd-papk-max": "pap@k-max", "gd-papk-ts": "pap@k-ts"}
_BASELINES = {"svm-pauc": "pauc", "sgd-avg": "prec@k-avg"}
#: The printed grid of lambda. Of the twelve printed eta the longest stands: of 0.02, 0.1, 0.2 and 0.5 it was
#: best on the validation part from every start looked at; for SGD@k-avg 0.2 was level.
_WORDED_LAM = (10.0, 1.0, 0.1, 0.01, 0.001)
_WORDED_ETA = 0.5
_EXACT_LAM = (0.1, 0.01, 0.001)
_CODE_LAM, _CODE_ETA, _CODE_STEPS = 0.001, 0.2, 121
_STARTS, _WORDED_STARTS = 10, 2
#: How the settings of a row are chosen.
NOTHING, FIXED, VALIDATION = "nothing to choose", "fixed", "validation part"
CHOICES = {"reference": NOTHING, "code": FIXED, "words": VALIDATION, "exact": VALIDATION}


def ways(
    seed: int,
    data: Mapping[str, Dataset],
    *,
    split: int,
    n_starts: int = _STARTS,
    n_worded: int = _WORDED_STARTS,
    tops: Sequence[int] = (8, 12, 16, 20, 24),
    worded_tops: Sequence[int] = (16,),
    steps: int = _CODE_STEPS,
) -> pd.DataFrame:
    """Train every method in every way on one split, by its repeat; `data` is empty without ``"movielens"``.

    What is descended has `n_starts` starts, and as the paper words it `n_worded` and `steps`, for
    `worded_tops` alone, as the choice of lambda takes its time; what is minimised exactly, or from zero, has
    one. Returns one row per k, method, way and start, with test micro-pAp@k as ``value``, ``constant``,
    whether the model gives all test rows one score, and ``choice``, how its settings are chosen (`CHOICES`):
    by validation micro-pAp@k for each start, or not at all.
    """
    rows = [
        (split, k, *run)
        for one in data.values()
        for study in [_Study(one, seed, split)]
        for k in tops
        for run in study.runs(k, n_starts, n_worded * (k in worded_tops), steps)
    ]
    table = pd.DataFrame(rows, columns=["split", "k", "method", "way", "start", "value", "constant"])
    return table.assign(choice=table["way"].map(CHOICES))


class _Study:
    """One split of the data, scaled by its training part."""

    def __init__(self, one: Dataset, seed: int, split: int):
        [fold] = make_folds("within-groups", one, split, seed, fractions=[0.6, 0.2, 0.2], stratify=False)
        train, validation = fold.inner[0]
        assert one.groups is not None
        self.raw = {name: one.X[its] for name, its in (("train", train), ("test", fold.test))}
        scale = scaler("range").fit(one.X[train])
        parts = {"train": train, "validation": validation, "test": fold.test}
        self.X = {name: scale.transform(one.X[its]) for name, its in parts.items()}
        self.y = {name: one.y[its] for name, its in parts.items()}
        self.groups = {name: one.groups[its] for name, its in parts.items()}
        self._seed, self._split = seed, split

    def seed(self, *about: Any) -> int:
        return derive_seed(self._seed, "papk2020", "ways", self._split, *about) % 2**32

    def micro(self, part: str, scores: Floats, k: int) -> float:
        return MICRO_PAP.evaluate(self.y[part], scores, k, self.groups[part]).value

    def best(self, W: Floats, k: int) -> Floats:
        """Return the column with the highest value on the validation part."""
        return W[:, int(np.argmax([self.micro("validation", self.X["validation"] @ w, k) for w in W.T]))]

    def runs(
        self, k: int, n_starts: int, n_worded: int, steps: int
    ) -> Iterator[tuple[str, str, int, float, bool]]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", ConstantModelWarning)
            for method, way, models in (
                *self._lines(k, n_starts),
                *self._code(k, n_starts),
                *(self._words(k, n_worded, steps) if n_worded else ()),
                *self._exact(k),
            ):
                for start, scores in enumerate(models):
                    yield method, way, start, self.micro("test", scores, k), bool(np.ptp(scores) == 0)

    def _scored(self, W: Iterable[Floats]) -> list[Floats]:
        return [self.X["test"] @ w for w in W]

    def _lines(self, k: int, n_starts: int) -> Iterator[tuple[str, str, list[Floats]]]:
        X, y = self.X["train"], self.y["train"]
        random = [RandomDirection(self.seed("start", s)).fit(X, y).coef_ for s in range(n_starts)]
        yield "random", "reference", self._scored(random)
        yield "item-mean", "reference", [ItemMean().fit(X, y).decision_function(self.X["test"])]
        product = InnerProduct().fit(self.raw["train"], y)
        yield "u.v", "reference", [product.decision_function(self.raw["test"])]
        W = np.column_stack([minimise_cross_entropy(X, y, lam)[0] for lam in _EXACT_LAM])
        yield "logistic-regression", "reference", self._scored([self.best(W, k)])

    def _code(self, k: int, n_starts: int) -> Iterator[tuple[str, str, list[Floats]]]:
        X, y, groups = self.X["train"], self.y["train"], self.groups["train"]
        rngs = [np.random.RandomState(self.seed("start", s)) for s in range(n_starts)]
        first = np.column_stack([rng.standard_normal(X.shape[1]) for rng in rngs])
        losses: dict[str, Any] = {
            m: get_surrogate(name, Top(k=k)).bind(y, groups) for m, name in {**_OWN, **_BASELINES}.items()
        }
        losses["sgd-avg"] = SharedCut(y, groups, k)
        eta, lam = np.full(n_starts, _CODE_ETA), np.full(n_starts, _CODE_LAM)
        for method, loss in losses.items():  # all starts are columns of one descent
            late = method == "sgd-avg"
            ends = descend(X, loss, first, eta=eta, lam=lam, steps=_CODE_STEPS, late=late)
            yield method, "code", self._scored(ends.T)
        greedy = [
            greedy_of(X, y, groups, k, partial(one_number_for_all_weights, rng=rng), rng) for rng in rngs
        ]
        yield "greedy-papk", "code", self._scored(greedy)

    def _words(self, k: int, n_starts: int, steps: int) -> Iterator[tuple[str, str, list[Floats]]]:
        X, y, groups = self.X["train"], self.y["train"], self.groups["train"]
        seeds = [self.seed("start", s) for s in range(n_starts)]
        settings = [
            {"eta": _WORDED_ETA, "lam": lam, "random_state": seed} for seed in seeds for lam in _WORDED_LAM
        ]
        for method, name in {**_OWN, **_BASELINES}.items():
            kind = name.removeprefix("pap@k-")
            base = GDPApK(kind, top=k) if name.startswith("pap@k") else GDRanker(name, top=k)
            models = base.set_params(max_iter=steps).fit_many(X, y, groups, candidates=settings)
            W = np.column_stack([model.coef_ for model in models])
            by_start = np.split(W, n_starts, axis=1)
            yield method, "words", self._scored([self.best(of_start, k) for of_start in by_start])
        # Cross entropy has one optimum: from zero, as a start says nothing.
        greedy = [
            greedy_of(X, y, groups, k, partial(_logistic, lam=lam, steps=steps), self._folds())
            for lam in _WORDED_LAM
        ]
        select = [_select(X, y, groups, k, lam, steps) for lam in _WORDED_LAM]
        for method, found in {"greedy-papk": greedy, "select-papk": select}.items():
            yield method, "words", self._scored([self.best(np.column_stack(found), k)])

    def _folds(self) -> np.random.RandomState:
        return np.random.RandomState(self.seed("folds"))

    def _exact(self, k: int) -> Iterator[tuple[str, str, list[Floats]]]:
        X, y, groups = self.X["train"], self.y["train"], self.groups["train"]
        convex = {**_OWN, "gd-papk-ts": "pap@k-ts-convex", **_BASELINES}
        by_lam = [{"lam": lam} for lam in _EXACT_LAM]
        learners: dict[str, tuple[Any, list[dict[str, float]]]] = {
            method: (BundleRanker(name, top=k), by_lam) for method, name in convex.items()
        }
        learners["greedy-papk"] = GreedyPApK(top=k, random_state=self.seed("folds")), by_lam
        learners["select-papk"] = SelectPApK(top=k), by_lam
        for method, (base, settings) in learners.items():
            models = base.fit_many(X, y, groups, candidates=settings)
            yield method, "exact", self._scored([self.best(np.column_stack([m.coef_ for m in models]), k)])


def _logistic(X: Floats, y: Ints, lam: float, steps: int) -> Floats:
    start = np.zeros((X.shape[1], 1))
    eta, lams = np.array([_WORDED_ETA]), np.array([lam])
    return descend(X, cross_entropy(y), start, eta=eta, lam=lams, steps=steps)[:, 0]


def _select(X: Floats, y: Ints, groups: Ints, k: int, lam: float, steps: int, rounds: int = 5) -> Floats:
    """Select-pAp@k with its classifiers descended."""
    select = Selection(y, groups, Top(k=k))
    w = _logistic(X, y, lam, steps)
    for _ in range(rounds):
        rows = select(X @ w)
        w = _logistic(X[rows], y[rows], lam, steps)
    return w
