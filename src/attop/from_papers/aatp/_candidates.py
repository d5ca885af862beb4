"""Problems solved for AATP, and which of their models is returned for a quantile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attop._core.typing import Floats, Ints
from attop.solvers._base import History


def quantile_items(
    scores: Floats, weight: Ints | Floats, targets: Sequence[int]
) -> Ints:
    """Find the item at each quantile of the scores, (n, m), of each model: shape (len(targets), m).

    The quantile is the target-th largest score of a sample that holds item i `weight[i]` times. Among items
    of equal score it is one of them.
    """
    order = np.argsort(-scores, axis=0, kind="stable")
    if (weight == 1).all():
        position = np.repeat(
            np.asarray(targets)[:, None] - 1, scores.shape[1], axis=1
        )
    else:
        reached = np.cumsum(weight[order], axis=0)
        position = np.stack([(reached < target).sum(axis=0) for target in targets])
    return np.take_along_axis(order, position, axis=0)


def resolution(gap: float, score_range: float) -> float:
    """Compute the difference of two distances from a quantile that may be solver error alone.

    The objective is strongly convex: a relative duality gap bounds the error of the scores by a multiple of
    ``sqrt(gap)``, in units of the hinge's margin 1, or of the range of the scores where that is smaller.
    Distances that are equal in exact arithmetic are common, because many support vectors have the threshold
    item's score plus or minus 1.
    """
    return float(np.sqrt(gap) * min(1.0, score_range))


@dataclass
class QuantileModel:
    """The model AATP returns for one quantile.

    Attributes
    ----------
    threshold_item : int
        Item k, whose problem the model solves.
    coef : ndarray of shape (d,)
    quantile_distance : float
        Distance of the threshold item's score from the quantile of the model's scores.
    objective, gap : float
        Of the threshold item's problem; see `ThresholdSolution`.
    n_solved, n_missed : int
        Problems solved to find it, and those of them that missed the tolerance.
    worst_gap : float
        Largest gap among those solved.
    complete : bool
        False if items were left untried, by the deadline or for the effort, that might be nearer.
    history : History
        By problems solved, `objective` the smallest distance from the quantile so far, shape (1,).
    """

    threshold_item: int
    coef: Floats
    quantile_distance: float
    objective: float
    gap: float
    n_solved: int
    n_missed: int
    worst_gap: float
    complete: bool
    history: History


@dataclass
class SolvedProblems:
    """Results of m solved problems, for T quantiles.

    Attributes
    ----------
    threshold_items, objective, gap : ndarray of shape (m,)
    coef : ndarray of shape (d, m)
    score_range : ndarray of shape (m,)
        Highest minus lowest score of each model.
    offset : ndarray of shape (T, m)
        The threshold item's score minus each quantile; exactly 0 where the threshold item is at the quantile.
    """

    threshold_items: Ints
    coef: Floats
    objective: Floats
    gap: Floats
    score_range: Floats
    offset: Floats

    @classmethod
    def join(cls, parts: Sequence[SolvedProblems]) -> SolvedProblems:
        """Concatenate the problems of `parts`."""
        columns = {
            name: [getattr(part, name) for part in parts] for name in vars(parts[0])
        }
        return cls(
            **{
                name: np.concatenate(values, axis=-1)
                for name, values in columns.items()
            }
        )

    def take(self, position: int) -> SolvedProblems:
        """Select the problem at `position`."""
        return SolvedProblems(
            **{name: value[..., [position]] for name, value in vars(self).items()}
        )

    def choose(
        self, target: int, tol: float, complete: bool, history: History
    ) -> QuantileModel:
        """Choose the model nearest to the quantile; among equally near ones, that of the smallest objective.

        Problems that missed `tol` are considered only if all did. Distances count as equal within
        `resolution`, except 0: a model at distance 0 is feasible for the paper's problem (1), whatever the
        accuracy of the solver.
        """
        certified = np.flatnonzero(self.gap <= tol)
        pool = certified if len(certified) else np.arange(len(self.gap))
        distance = np.abs(self.offset[target, pool])
        nearest = np.argmin(distance)
        error = 0.0
        if distance[nearest] > 0:
            error = resolution(
                float(self.gap[pool].max()), float(self.score_range[pool[nearest]])
            )
        equal = pool[distance <= distance[nearest] + error]
        best = equal[np.argmin(self.objective[equal])]
        return QuantileModel(
            threshold_item=int(self.threshold_items[best]),
            coef=self.coef[:, best],
            quantile_distance=float(abs(self.offset[target, best])),
            objective=float(self.objective[best]),
            gap=float(self.gap[best]),
            n_solved=len(self.threshold_items),
            n_missed=len(self.gap) - len(certified),
            worst_gap=float(self.gap.max()),
            complete=complete,
            history=history,
        )
