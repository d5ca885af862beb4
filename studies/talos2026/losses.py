"""The losses of Talos's tables, by the names of the configuration: surrogates, and losses of blocks of users.

The latter take the scores of a block in few passes of numpy, whose exponentials of single precision are the
fastest. Some keep numbers of their own beside the factors, and descend (or climb) on them at each block:
thresholds by quantile regression, an adversary, or the six numbers of LLPAUC.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.special import expit

from attop.extending import Amounts, Floats, GroupedSurrogate, Ints, Lists, TopSurrogate, room_for_scores
from attop.surrogates import BPRLoss, SoftmaxLoss, SoftmaxLossAtK, TalosLossAtK
from studies.talos2026.kernels import DRAWN, kth_of_rows

Singles = NDArray[np.float32]
#: Of single precision in a descent, of double in its test.
Reals = NDArray[np.floating[Any]]


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


class _BlockLists(Lists):
    """`Lists` of a loss that takes a block of users at once; scores are cosines."""

    def __init__(self, pairs: csr_matrix):
        self.pairs = pairs
        self.n_items = pairs.shape[1]
        self.users = np.flatnonzero(pairs.getnnz(axis=1))
        self.scores = room_for_scores(self.n_items)

    def _positives(self, users: Ints) -> tuple[Ints, Ints, Ints]:
        """Return of each pair of a block of users the row and the item, and the number of each row."""
        rows = self.pairs[users]
        n_pos = np.diff(rows.indptr)
        return np.repeat(np.arange(len(users)), n_pos), rows.indices, n_pos


class DrawnLists(_BlockLists):
    """A loss over each user's positives and `DRAWN` items, other ones for each block of users."""

    def __init__(self, pairs: csr_matrix, loss: GroupedSurrogate, seed: int = 0):
        super().__init__(pairs)
        self._loss, self._rng = loss, np.random.default_rng(seed)

    def descend(self, scores: Singles, users: Ints, scale: float, factor: float) -> float:
        """Overwrite scores by slopes; see `Lists`."""
        positive = self.pairs[users].toarray() > 0
        listed = positive.copy()
        listed[:, self._rng.permutation(self.n_items)[:DRAWN]] = True
        labels = positive[listed].astype(int)
        user = np.nonzero(listed)[0]
        mean, slopes = self._loss.value_and_coef(scale * scores[listed], labels, user)
        scores[:] = 0.0
        scores[listed] = factor * scale * len(users) * slopes
        return float(mean) * len(users)


class PowerLists(_BlockLists):
    """PSL: of each positive ``log sum_j sigmoid(s_j - s_i) ** power``, over negatives among drawn items.

    Each block of users has `DRAWN` items of its own. Scores are cosines, so that no exponential leaves
    single precision.
    """

    def __init__(self, pairs: csr_matrix, power: float, seed: int = 0):
        super().__init__(pairs)
        self._power, self._rng = power, np.random.default_rng(seed)

    def descend(self, scores: Singles, users: Ints, scale: float, factor: float) -> float:
        """Overwrite scores by slopes; see `Lists`."""
        user, item, n_pos = self._positives(users)
        drawn = self._rng.permutation(self.n_items)[:DRAWN]
        negative = (self.pairs[users][:, drawn].toarray() == 0).astype(scores.dtype)
        z = np.exp(-scores[:, drawn])[user]
        z *= np.exp(scores[user, item])[:, np.newaxis]
        below = z + 1
        z /= below
        powers = np.power(below, -self._power, out=below)
        powers *= negative[user]
        total = powers.sum(axis=1)
        total[total == 0.0] = 1.0  # no item drawn is negative: no loss
        z *= powers
        z *= (factor * self._power / total).astype(scores.dtype)[:, np.newaxis]
        scores[:] = 0.0
        scores[:, drawn] = np.add.reduceat(z, np.cumsum(n_pos) - n_pos)
        scores[user, item] = -z.sum(axis=1)
        return float(np.log(total).sum())


class SigmoidLists(_BlockLists):
    """Talos, the negatives alone below the line: of each positive ``log sum_neg p_j - log p_i``.

    p is a sigmoid of ``(s - threshold) / width`` to the power ``1 / temperature``. The threshold is the k-th
    score, held where it is as in the paper's code, or 0 without a `k`. Scores are cosines, so that no
    exponential leaves single precision.
    """

    def __init__(self, pairs: csr_matrix, k: int | None, temperature: float, width: float = 1.0):
        super().__init__(pairs)
        self._k, self._temperature, self._width = k, temperature, width
        self._room = (
            np.empty(self.n_items),
            np.empty((2, self.n_items)),
            np.empty((2, self.n_items), np.int64),
        )

    def descend(self, scores: Singles, users: Ints, scale: float, factor: float) -> float:
        """Overwrite scores by slopes; see `Lists`."""
        user, item, n_pos = self._positives(users)
        threshold = np.zeros(len(users), scores.dtype)
        if self._k is not None:
            kth_of_rows(scores, self._k, threshold, *self._room)
        fall = np.subtract(threshold[:, np.newaxis], scores, out=scores)
        fall /= self._width
        np.exp(fall, out=fall)
        below = fall + 1
        fall /= below
        powers = np.power(below, -1 / self._temperature, out=below)
        of_positives, steep = powers[user, item], fall[user, item]
        powers[user, item] = 0.0
        total = powers.sum(axis=1)
        fall *= powers
        lead = factor / (self._temperature * self._width)
        fall *= (lead * n_pos / total).astype(scores.dtype)[:, np.newaxis]
        scores[user, item] = -lead * steep
        return float((n_pos * np.log(total)).sum() - np.log(of_positives).sum())


class RegressedHinges(_BlockLists):
    """AATP as printed: hinges about thresholds that follow the users' k-th scores by quantile regression."""

    def __init__(self, pairs: csr_matrix, k: int, rate: float):
        super().__init__(pairs)
        self._share = k / self.n_items
        self.thresholds = _Adam(np.zeros(pairs.shape[0]), rate)

    def descend(self, scores: Singles, users: Ints, scale: float, factor: float) -> float:
        """Overwrite scores by slopes; see `Lists`."""
        user, item, n_pos = self._positives(users)
        threshold = self.thresholds.array[users, np.newaxis].astype(scores.dtype)
        above = np.count_nonzero(scores > threshold, axis=1) / self.n_items
        self.thresholds.step(self._share - above, users)
        of_positives = np.maximum(1 + threshold[user, 0] - scores[user, item], 0.0)
        scores += 1 - threshold
        scores[user, item] = 0.0
        hinge = np.maximum(scores, 0.0, out=scores)
        weight = n_pos / (self.n_items - n_pos)
        value = (weight * hinge.sum(axis=1)).sum() + of_positives.sum()
        np.sign(hinge, out=scores)
        scores *= (factor * weight).astype(scores.dtype)[:, np.newaxis]
        scores[user, item] = -factor * (of_positives > 0)
        return float(value)


class AdversarialSoftmax(_BlockLists):
    """AdvInfoNCE: softmax over negatives whose weights, a softmax of products, an adversary makes harder."""

    def __init__(self, pairs: csr_matrix, temperature: float, rate: float, interval: int, seed: int = 0):
        super().__init__(pairs)
        self._temperature, self._interval, self._seen = temperature, interval, 0
        rng = np.random.default_rng(seed)
        self._adversary = [
            _Adam(rng.normal(scale=np.sqrt(2 / (n + 64)), size=(n, 64)), -rate) for n in pairs.shape
        ]

    def descend(self, scores: Singles, users: Ints, scale: float, factor: float) -> float:
        """Overwrite scores by slopes; see `Lists`."""
        user, item, _ = self._positives(users)
        p, q = (adam.array.astype(scores.dtype) for adam in self._adversary)
        hardness = p[users] @ q.T
        hardness -= hardness.max(axis=1, keepdims=True)
        np.exp(hardness, out=hardness)
        hardness[user, item] = 0.0
        hardness /= hardness.sum(axis=1, keepdims=True)
        scores /= self._temperature
        of_positives = scores[user, item]
        share = np.exp(scores, out=scores)
        share *= hardness
        total = share.sum(axis=1)
        excess = np.log(64 * DRAWN * total)[user] - of_positives
        missed = expit(excess)
        all_missed = np.bincount(user, missed, len(users)).astype(scores.dtype)
        share *= (all_missed / total)[:, np.newaxis]
        self._climb(users, hardness, share, all_missed[:, np.newaxis])
        scores *= factor / self._temperature
        scores[user, item] = -factor / self._temperature * missed
        return float(np.logaddexp(0.0, excess).sum())

    def _climb(self, users: Ints, hardness: Reals, share: Reals, total: Reals) -> None:
        """Make the weights harder, in one pass out of `interval`; `hardness` is overwritten."""
        self._seen += len(users)
        if self._seen // len(self.users) % self._interval == self._interval - 1:
            hardness *= -total
            hardness += share
            p, q = (adam.array.astype(share.dtype) for adam in self._adversary)
            of_users, of_items = hardness @ q, hardness.T @ p[users]
            self._adversary[0].step(of_users, users)
            self._adversary[1].step(of_items)


class LowerLeft(_BlockLists):
    """LLPAUC: the lower left part of the area under the curve, as a minimum and maximum over six numbers.

    Each has its range, and scores are cosines, so that no exponential leaves single precision.
    """

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
        user, item, n_pos = self._positives(users)
        whole = float(n_pos.sum())
        f = expit(scores[user, item])
        pos = _Half(f, now["a"] - f, -1.0, now["s_pos"], now["gamma"])
        f = _sigmoids(scores)
        neg = _Half(f, f - now["b"], 1.0, now["s_neg"], now["gamma"])
        weight = n_pos / (self.n_items - n_pos) / whole / self._beta
        neg.weigh(weight.astype(scores.dtype)[:, np.newaxis], (user, item))
        pos.weigh(np.asarray(-1 / (self._alpha * whole), scores.dtype))
        self._move(now, pos, neg)
        np.multiply(neg.slopes(), factor * whole, out=scores)
        scores[user, item] = factor * whole * pos.slopes()
        total = pos.value + neg.value + now["s_neg"] - now["s_pos"] - now["gamma"] ** 2
        total += now["theta_a"] * (now["a"] + now["gamma"])
        total -= now["theta_b"] * (now["b"] - 1 - now["gamma"])
        return total * whole

    def _move(self, now: Mapping[str, float], pos: _Half, neg: _Half) -> None:
        """Move the six numbers, down or up, and keep them in their ranges."""
        of_both = pos.sum_with(pos.f) + neg.sum_with(neg.f)
        slopes = {
            "a": -2 * pos.sum_with(pos.off) + now["theta_a"],
            "b": -2 * neg.sum_with(neg.off) - now["theta_b"],
            "gamma": 2 * of_both - 2 * now["gamma"] + now["theta_a"] + now["theta_b"],
            "s_pos": -1 - float(pos.active.sum()),
            "s_neg": 1 - float(neg.active.sum()),
            "theta_a": now["a"] + now["gamma"],
            "theta_b": -(now["b"] - 1 - now["gamma"]),
        }
        for name, adam in self._numbers.items():
            adam.step(np.array([slopes[name]]))
            np.clip(adam.array, *self._RANGE[name], out=adam.array)


class _Half:
    """The positives or the negatives in LLPAUC: soft excesses of ``sign off^2 + lead f`` over `least`."""

    def __init__(self, f: Reals, off: Reals, sign: float, least: float, gamma: float):
        self.f, self.off, self._lead = f, off, 2 * (1 + gamma)
        excess = off * off
        excess *= 5 * sign
        excess += 5 * self._lead * f
        excess -= 5 * least
        self.active = np.exp(excess, out=excess)

    def weigh(self, weight: Reals, without: Any = None) -> None:
        """Sum up the weighted excesses, and make `active` their slopes; those of `without` are 0."""
        if without is not None:
            self.active[without] = 0.0
        self.value = float((weight * np.log1p(self.active)).sum() / 5)
        self.active /= self.active + 1
        self.active *= weight

    def sum_with(self, factors: Reals) -> float:
        """Return the sum of the slopes times `factors`."""
        return float(np.vdot(self.active, factors))

    def slopes(self) -> Reals:
        """Return the slopes by the scores, f being their sigmoids; `off` is overwritten."""
        self.off *= 2
        self.off += self._lead
        self.off *= self.active
        self.off *= self.f
        self.off *= 1 - self.f
        return self.off


def _sigmoids(scores: Reals) -> Reals:
    """Overwrite cosines by their sigmoids."""
    np.negative(scores, out=scores)
    np.exp(scores, out=scores)
    scores += 1
    return np.divide(1, scores, out=scores)


def surrogate(name: str, k: int, temperature: float, second: float) -> tuple[GroupedSurrogate, float]:
    """Return a surrogate of the table, and the highest score it is meant for, of cosines 1.

    `temperature` and `second` are those that its source prints, in its order.
    """
    listed: Mapping[str, Callable[[], Any]] = {
        "bsl": lambda: _Listed(k, "bsl", (second, temperature)),
        "rs@k": lambda: _Listed(k, "recall_at_k", (temperature, second)),
        "smoothi@k": lambda: _Listed(k, "smooth_indicators", (temperature, second)),
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


def lists_of(name: str, pairs: csr_matrix, k: int, settings: Mapping[str, float]) -> Lists:
    """Return the lists of a loss over blocks of users, by its name in the configuration."""
    temperature = settings["temperature"]
    kinds: Mapping[str, Callable[[], Lists]] = {
        "psl": lambda: PowerLists(pairs, 1 / temperature),
        "talos": lambda: SigmoidLists(pairs, k, temperature),
        "talos-without-threshold": lambda: SigmoidLists(pairs, None, temperature),
        "talos-inside": lambda: SigmoidLists(pairs, k, 1.0, temperature),
        "aatp-regressed": lambda: RegressedHinges(pairs, k, settings["second"]),
        "advinfonce": lambda: AdversarialSoftmax(
            pairs, temperature, settings["second"], int(settings["interval"])
        ),
        "llpauc": lambda: LowerLeft(pairs, settings["alpha"], settings["beta"], settings["learning_rate"]),
    }
    return kinds[name]()


#: Losses of pairs of items, or of k passes over them: too slow over all items.
DRAWN_FOR = ("bpr", "rs@k", "smoothi@k")
#: Losses over blocks of users: of sigmoids, and those that keep numbers of their own.
OF_BLOCKS = (
    "psl", "talos", "talos-without-threshold", "talos-inside", "aatp-regressed", "advinfonce", "llpauc"
)  # fmt: skip
