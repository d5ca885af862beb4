"""The losses of Talos's tables, by the names of the configuration: surrogates, and losses with a state.

A loss with a state keeps numbers of its own beside the factors, and descends (or climbs) on them at each
block of users: thresholds by quantile regression, an adversary, or the six numbers of LLPAUC.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.special import expit, softmax

from attop.extending import Amounts, Floats, GroupedSurrogate, Ints, Lists, TopSurrogate, room_for_scores
from attop.surrogates import BPRLoss, SoftmaxLoss, SoftmaxLossAtK, TalosLossAtK
from studies.talos2026.kernels import DRAWN

Singles = NDArray[np.float32]


class _Listed(TopSurrogate):
    """A loss of `kernels`, called by its function's name, with what else it takes."""

    convex: ClassVar[bool] = False

    def __init__(self, k: int, loss: str, constant: Any):
        super().__init__(k)
        self.loss = loss  # type: ignore[misc]
        self._given = constant

    def _kernels(self) -> ModuleType:
        from studies.talos2026 import kernels

        return kernels

    def _constant(self) -> Any:
        return self._given

    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> tuple[Amounts, NDArray[np.bool_], str]:
        k, defined, need = super()._group_k(n_pos, n_neg)
        return k, defined & (n_neg > 0), f"{need}, and a negative"


class _Adam:
    """Steps of Adam on an array in place, downhill; with a negative rate uphill."""

    def __init__(self, array: Floats, rate: float):
        self.array, self._rate, self._t = array, rate, 0
        self._mean, self._square = np.zeros_like(array), np.zeros_like(array)

    def step(self, gradient: Floats, at: Any = slice(None)) -> None:
        """Move the elements `at` by their `gradient`."""
        self._t += 1
        self._mean[at] += 0.1 * (gradient - self._mean[at])
        self._square[at] += 0.001 * (gradient**2 - self._square[at])
        mean = self._mean[at] / (1 - 0.9**self._t)
        square = self._square[at] / (1 - 0.999**self._t)
        self.array[at] -= self._rate * mean / (np.sqrt(square) + 1e-8)


class _StatefulLists(Lists):
    """`Lists` of a loss that keeps numbers of its own; scores are cosines."""

    def __init__(self, pairs: csr_matrix):
        self.pairs = pairs
        self.n_items = pairs.shape[1]
        self.users = np.flatnonzero(pairs.getnnz(axis=1))
        self.scores = room_for_scores(self.n_items)

    def _positive(self, users: Ints) -> NDArray[np.bool_]:
        return self.pairs[users].toarray() > 0


class DrawnLists(_StatefulLists):
    """A loss over each user's positives and `DRAWN` items, which are drawn anew for each block of users."""

    def __init__(self, pairs: csr_matrix, loss: GroupedSurrogate, seed: int = 0):
        super().__init__(pairs)
        self._loss, self._rng = loss, np.random.default_rng(seed)

    def descend(self, scores: Singles, users: Ints, scale: float, factor: float) -> float:
        """Overwrite scores by slopes; see `Lists`."""
        positive = self._positive(users)
        listed = positive.copy()
        listed[:, self._rng.permutation(self.n_items)[:DRAWN]] = True
        labels = positive[listed].astype(int)
        user = np.nonzero(listed)[0]
        mean, slopes = self._loss.value_and_coef(scale * scores[listed], labels, user)
        scores[:] = 0.0
        scores[listed] = factor * scale * len(users) * slopes
        return float(mean) * len(users)


class RegressedHinges(_StatefulLists):
    """AATP as printed: hinges about thresholds that follow the users' k-th scores by quantile regression."""

    def __init__(self, pairs: csr_matrix, k: int, rate: float):
        super().__init__(pairs)
        self._share = k / self.n_items
        self.thresholds = _Adam(np.zeros(pairs.shape[0]), rate)

    def descend(self, scores: Singles, users: Ints, scale: float, factor: float) -> float:
        """Overwrite scores by slopes; see `Lists`."""
        positive = self._positive(users)
        n_pos = positive.sum(axis=1, keepdims=True)
        threshold = self.thresholds.array[users, np.newaxis].astype(np.float32)
        above = (scores > threshold).mean(axis=1)
        self.thresholds.step(self._share - above, users)
        hinge = 1 + np.where(positive, threshold - scores, scores - threshold)
        weight = np.where(positive, 1.0, n_pos / (self.n_items - n_pos)).astype(np.float32)
        scores[:] = factor * np.where(positive, -weight, weight) * (hinge > 0)
        return float((weight * np.maximum(hinge, 0)).sum())


class AdversarialSoftmax(_StatefulLists):
    """AdvInfoNCE: softmax over negatives whose weights, a softmax of products, an adversary makes harder."""

    def __init__(self, pairs: csr_matrix, temperature: float, rate: float, interval: int, seed: int = 0):
        super().__init__(pairs)
        self._temperature, self._interval, self._passes = temperature, interval, 0
        self._seen = 0
        rng = np.random.default_rng(seed)
        self._adversary = [
            _Adam(rng.normal(scale=np.sqrt(2 / (n + 64)), size=(n, 64)), -rate) for n in pairs.shape
        ]

    def descend(self, scores: Singles, users: Ints, scale: float, factor: float) -> float:
        """Overwrite scores by slopes; see `Lists`."""
        positive = self._positive(users)
        p, q = (adam.array.astype(scores.dtype) for adam in self._adversary)
        hardness = softmax(np.where(positive, -np.inf, p[users] @ q.T), axis=1)
        weighted = 64 * DRAWN * hardness * np.exp(scores / self._temperature)
        level = np.log(weighted.sum(axis=1, keepdims=True))
        excess = level - scores / self._temperature
        missed = np.where(positive, expit(excess), 0.0)
        loss = float(np.where(positive, np.logaddexp(0.0, excess), 0.0).sum())
        share = weighted / np.exp(level) * missed.sum(axis=1, keepdims=True)
        self._climb(users, hardness, share, missed.sum(axis=1, keepdims=True))
        scores[:] = factor * (share - missed) / self._temperature
        return loss

    def _climb(self, users: Ints, hardness: Floats, share: Floats, total: Floats) -> None:
        """Make the weights harder, in one pass over the users out of `interval`."""
        self._seen += len(users)
        if self._seen // len(self.users) % self._interval == self._interval - 1:
            slope = share - hardness * total
            p, q = self._adversary
            of_users, of_items = slope @ q.array, slope.T @ p.array[users]
            p.step(of_users, users)
            q.step(of_items)


class LowerLeft(_StatefulLists):
    """LLPAUC: the lower left part of the area under the curve, as a minimum and maximum over six numbers."""

    _START: ClassVar[Mapping[str, float]] = {
        "a": 1.0, "b": 0.0, "gamma": 0.0, "s_neg": 0.5, "s_pos": 0.5, "theta_b": 0.5, "theta_a": 0.5
    }  # fmt: skip
    _RANGE: ClassVar[Mapping[str, tuple[float, float]]] = {
        "a": (0, 1), "b": (0, 1), "gamma": (-1, 1), "theta_a": (0, 1e9), "theta_b": (0, 1e9),
        "s_pos": (-1, 4), "s_neg": (0, 5),
    }  # fmt: skip

    def __init__(self, pairs: csr_matrix, alpha: float, beta: float, rate: float):
        super().__init__(pairs)
        self._alpha, self._beta = alpha, beta
        speed = {"gamma": -2, "s_pos": -2, "s_neg": 2}
        self._numbers = {
            name: _Adam(np.full(1, value), rate * speed.get(name, 1)) for name, value in self._START.items()
        }

    def descend(self, scores: Singles, users: Ints, scale: float, factor: float) -> float:
        """Overwrite scores by slopes; see `Lists`."""
        now = {name: float(adam.array[0]) for name, adam in self._numbers.items()}
        positive = self._positive(users)
        n_pos = positive.sum(axis=1, keepdims=True)
        number = scores.dtype.type  # of single precision, as the scores are
        share = np.where(positive, number(1.0), (n_pos / (self.n_items - n_pos)).astype(number)) / number(
            n_pos.sum()
        )
        f = expit(scores)
        off = np.where(positive, now["a"] - f, f - now["b"])
        sign = np.where(positive, number(-1.0), number(1.0))
        lead = 2 * (1 + now["gamma"])
        excess = sign * off**2 + lead * f - np.where(positive, number(now["s_pos"]), number(now["s_neg"]))
        part = share * np.where(positive, number(-1 / self._alpha), number(1 / self._beta))
        active = part * expit(5 * excess)
        by_score = active * (2 * off + lead)
        total = float((part * np.logaddexp(0.0, 5 * excess)).sum() / 5)
        total += now["s_neg"] - now["s_pos"] - now["gamma"] ** 2
        total += now["theta_a"] * (now["a"] + now["gamma"])
        total -= now["theta_b"] * (now["b"] - 1 - now["gamma"])
        self._move(now, active, positive, off, f)
        scores[:] = factor * n_pos.sum() * by_score * f * (1 - f)
        return total * float(n_pos.sum())

    def _move(
        self, now: Mapping[str, float], active: Floats, positive: NDArray[np.bool_], off: Floats, f: Floats
    ) -> None:
        """Move the six numbers, down or up, and keep them in their ranges."""
        of_pos, of_neg = np.where(positive, active, 0.0), np.where(positive, 0.0, active)
        slopes = {
            "a": -2 * (of_pos * off).sum() + now["theta_a"],
            "b": -2 * (of_neg * off).sum() - now["theta_b"],
            "gamma": 2 * (active * f).sum() - 2 * now["gamma"] + now["theta_a"] + now["theta_b"],
            "s_pos": -1 - of_pos.sum(),
            "s_neg": 1 - of_neg.sum(),
            "theta_a": now["a"] + now["gamma"],
            "theta_b": -(now["b"] - 1 - now["gamma"]),
        }
        for name, adam in self._numbers.items():
            adam.step(np.array([slopes[name]]))
            np.clip(adam.array, *self._RANGE[name], out=adam.array)


def surrogate(name: str, k: int, temperature: float, second: float) -> tuple[GroupedSurrogate, float]:
    """Return a loss of the table that has no state, and the highest score it is meant for, of cosines 1.

    `temperature` and `second` are those that its source prints, in its order.
    """
    listed: Mapping[str, Callable[[], Any]] = {
        "psl": lambda: _Listed(k, "psl_tanh", 1 / temperature),
        "bsl": lambda: _Listed(k, "bsl", (second, temperature)),
        "rs@k": lambda: _Listed(k, "recall_at_k", (temperature, second)),
        "smoothi@k": lambda: _Listed(k, "smooth_indicators", (temperature, second)),
        "talos": lambda: _Listed(k, "as_printed", temperature),
        "talos-without-threshold": lambda: _Listed(k, "without_threshold", temperature),
        "talos-inside": lambda: _Listed(k, "inside", temperature),
        "talos-without-denominator": lambda: _Listed(k, "without_denominator", temperature),
        "talos-bounded": lambda: TalosLossAtK(k, temperature),
    }
    if name in listed:
        return listed[name](), 1.0
    scaled: Mapping[str, Callable[[], GroupedSurrogate]] = {
        "bpr": BPRLoss,
        "softmax": SoftmaxLoss,
        "softmax@k": lambda: SoftmaxLossAtK(k, second / temperature),
        "aatp": lambda: _Listed(k, "hinges", 1.0),
    }
    return scaled[name](), 1 / temperature


def stateful(name: str, pairs: csr_matrix, k: int, settings: Mapping[str, float]) -> Lists:
    """Return the lists of a loss with a state, by its name in the configuration."""
    kinds: Mapping[str, Callable[[], Lists]] = {
        "aatp-regressed": lambda: RegressedHinges(pairs, k, settings["second"]),
        "advinfonce": lambda: AdversarialSoftmax(
            pairs, settings["temperature"], settings["second"], int(settings["interval"])
        ),
        "llpauc": lambda: LowerLeft(pairs, settings["alpha"], settings["beta"], settings["learning_rate"]),
    }
    return kinds[name]()


#: Losses of pairs of items, or of k passes over them: too slow over all items.
DRAWN_FOR = ("psl", "rs@k", "smoothi@k")
#: Losses that keep numbers of their own.
STATEFUL = ("aatp-regressed", "advinfonce", "llpauc")
