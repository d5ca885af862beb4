"""The two searches for AATP's threshold item, and the batches of problems they solve."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from attop._core.compiled import blas
from attop._core.typing import Floats, Ints
from attop.from_papers.aatp._candidates import (
    QuantileModel,
    SolvedProblems,
    quantile_items,
)
from attop.from_papers.aatp._threshold_svm import ThresholdSVM
from attop.solvers._base import Deadline, History

#: Steps of the fixed-point iteration at most, before items are tried one by one, the most promising first.
_WALK = 12
#: A fixed-point search on up to this many items may try all of them. On larger samples the product of the
#: number of problems and the cost of each, ``n (d + 30)^2``, is limited to the second number.
_SMALL, _EFFORT = 500, 1.2e10
#: See `Search`.
Report = Callable[[int, Floats], None]


class Search:
    """A search for the threshold items of several quantiles, which share the problems solved.

    Each search returns a `QuantileModel` for each of `targets`, see `quantile_items`, among the items solved
    before the `deadline`, each to a relative duality gap of `tol`. After each batch of problems it calls
    ``report(n_solved, distance)``, with the smallest distances from the quantiles so far, shape (T,).
    """

    def __init__(
        self,
        problem: ThresholdSVM,
        weight: Ints | Floats,
        targets: Sequence[int],
        *,
        tol: float,
        deadline: Deadline,
        report: Report | None = None,
    ):
        self._problem = problem
        self._weight = weight
        self._targets = targets
        self._tol = tol
        self._deadline = deadline
        self._report = report
        self._history = History()
        self._n_solved = 0
        self._distance = np.full(len(targets), np.inf)

    def exhaustive(self) -> list[QuantileModel]:
        """Solve for every item and choose for each target: the paper's algorithm, section 3.2.

        See `SolvedProblems.choose`; which of several models of equal objective is returned is not determined.
        """
        candidates = self._solve(np.arange(self._problem.n))[0]
        complete = len(candidates.threshold_items) == self._problem.n
        return [
            self._choose(candidates, t, complete) for t in range(len(self._targets))
        ]

    def fixed_point(self) -> list[QuantileModel]:
        """Look for a fixed point: a threshold item that is at the quantile of its own model.

        Its distance from the quantile is 0, the best AATP's rule can ask for. The search first iterates: it
        solves for a threshold item, and the item at the quantile of that model is the next threshold item.
        Once an item comes up again, the other items are tried in batches, the most promising first, until one
        is a fixed point, all are tried, or the work is spent.

        Notes
        -----
        The iteration starts from ``w = sum_i c_i y_i z_i`` over centred items, which for small C is the
        direction of every solution. The distance of the threshold item's score from the quantile is a
        continuous function of the item's features. It is extrapolated linearly from the items tried, starting
        from the scores of the best model so far; an item is promising where the extrapolated distance is
        small. Problems solved for one target are not solved again for another.

        On up to 500 items the search goes on until all are tried: if any item has distance 0, so has the
        result, though not necessarily that of the smallest objective. On larger samples the work is
        limited to what 45 problems take at 49,000 items of 44 features, and at least 16; then
        `QuantileModel.complete` is False. Often there is no fixed point.

        Differences from the paper: the paper tries all items.
        """
        problem = self._problem
        n = problem.n
        most = _max_problems(problem)
        size = problem.batch_size * problem.workers
        start = problem.Z @ (problem.Z.T @ (problem.sign * problem.upper))
        first = quantile_items(start, self._weight, self._targets)[:, 0]
        solved: dict[int, tuple[SolvedProblems, Ints]] = {}

        def solve(threshold_items: Ints) -> None:
            new = np.array(
                [k for k in threshold_items if k not in solved], dtype=np.int64
            )
            if len(new):
                batch, items = self._solve(new)
                for b, k in enumerate(batch.threshold_items.tolist()):
                    solved[k] = batch.take(b), items[:, [b]]

        choices = []
        for t, k in enumerate(first.tolist()):
            tried: list[int] = []
            while (
                k not in tried
                and len(tried) < min(_WALK, most)
                and not (tried and self._over())
            ):
                solve(np.array([k]))
                tried.append(k)
                k = int(solved[k][1][t, 0])
            seen = SolvedProblems.join([solved[k][0] for k in tried])
            while (
                (seen.offset[t] != 0).all()
                and len(tried) < most
                and not self._over()
            ):
                promise = self._extrapolate(seen, t)
                promise[tried] = np.inf
                batch = np.argsort(promise, kind="stable")[
                    : min(size, most - len(tried))
                ]
                solve(batch)
                tried += [k for k in batch.tolist() if k in solved]
                seen = SolvedProblems.join([solved[k][0] for k in tried])
            complete = bool((seen.offset[t] == 0).any()) or len(tried) == n
            choices.append(self._choose(seen, t, complete))
        return choices

    def automatic(self) -> list[QuantileModel]:
        """Search exhaustively where a fixed-point search might try all items too, else for a fixed point.

        The size of the sample decides, not the clock: up to 500 items, or as many as the effort of a
        fixed-point search allows for.
        """
        return (
            self.exhaustive()
            if _max_problems(self._problem) == self._problem.n
            else self.fixed_point()
        )

    def _over(self) -> bool:
        return self._deadline.expired

    def _choose(
        self, candidates: SolvedProblems, t: int, complete: bool
    ) -> QuantileModel:
        record = self._history
        history = History(
            record.iteration,
            record.seconds,
            [value[[t]] for value in record.objective],
        )
        return candidates.choose(t, self._tol, complete, history)

    def _solve(self, threshold_items: Ints) -> tuple[SolvedProblems, Ints]:
        """Solve in batches, at the same time where that helps; the first even if the search is over.

        Returns also the items at the quantiles of each model, shape (len(targets), m).
        """
        workers = self._problem.workers
        # Batches of equal size, as many for each worker.
        rounds = math.ceil(
            len(threshold_items) / (self._problem.batch_size * workers)
        )
        size = math.ceil(len(threshold_items) / (rounds * workers))

        def solve(start: int) -> tuple[SolvedProblems, Ints] | None:
            return (
                None
                if start and self._over()
                else self._solve_batch(threshold_items[start : start + size])
            )

        # Compiled code does the work outside the interpreter's lock, so threads share it. Each keeps to one
        # thread of the BLAS, even if alone: on a busy machine the BLAS's threads wait for each other.
        starts = range(0, len(threshold_items), size)
        with blas().limit(limits=1):
            if workers == 1 or len(starts) == 1:
                done = self._collect(map(solve, starts))
            else:
                with ThreadPoolExecutor(workers) as threads:
                    done = self._collect(threads.map(solve, starts))
        return SolvedProblems.join([part[0] for part in done]), np.hstack(
            [part[1] for part in done]
        )

    def _collect(
        self, parts: Iterable[tuple[SolvedProblems, Ints] | None]
    ) -> list[tuple[SolvedProblems, Ints]]:
        """Gather what was solved, in order; record and report it as it comes."""
        done = []
        for part in parts:
            if part is None:
                continue
            done.append(part)
            candidates = part[0]
            self._n_solved += len(candidates.threshold_items)
            self._distance = np.minimum(
                self._distance, np.abs(candidates.offset).min(axis=1)
            )
            self._history.record(
                self._n_solved, self._deadline.elapsed, self._distance
            )
            if self._report is not None:
                self._report(self._n_solved, self._distance)
        return done

    def _solve_batch(self, threshold_items: Ints) -> tuple[SolvedProblems, Ints]:
        solution = self._problem.solve(
            threshold_items, tol=self._tol, expired=self._over
        )
        items = quantile_items(solution.scores, self._weight, self._targets)
        threshold_score = solution.scores[
            threshold_items, np.arange(len(threshold_items))
        ]
        offset = threshold_score - np.take_along_axis(
            solution.scores, items, axis=0
        )
        # Equal items have equal scores, rounding aside.
        offset[np.abs(offset) <= 1e-13 * np.abs(solution.scores).max(axis=0)] = 0.0
        score_range = np.ptp(solution.scores, axis=0)
        candidates = SolvedProblems(
            threshold_items=threshold_items,
            coef=solution.coef,
            objective=solution.objective,
            gap=solution.gap,
            score_range=score_range,
            offset=offset,
        )
        return candidates, items

    def _extrapolate(self, solved: SolvedProblems, t: int) -> Floats:
        """Extrapolate each item's distance from quantile t in the model whose threshold item it would be."""
        Z = self._problem.Z
        best = np.argmin(np.abs(solved.offset[t]))
        scores = Z @ solved.coef[:, [best]]
        prior = (
            scores[:, 0]
            - scores[
                quantile_items(scores, self._weight, [self._targets[t]])[0, 0], 0
            ]
        )
        # Add the linear function of the features that fits the distances of the items tried, by ridge
        # regression.
        features = np.column_stack(
            [np.ones(len(solved.threshold_items)), Z[solved.threshold_items]]
        )
        gram = features @ features.T
        gram[np.diag_indices(len(gram))] += 1e-3 * np.trace(gram) / len(gram)
        dual = np.linalg.solve(
            gram, solved.offset[t] - prior[solved.threshold_items]
        )
        correction = features.T @ dual
        return np.abs(prior + correction[0] + Z @ correction[1:])


#: The searches, by what AATP calls them.
SEARCHES = {
    "auto": Search.automatic,
    "exhaustive": Search.exhaustive,
    "fixed-point": Search.fixed_point,
}


def problems_at_most(problem: ThresholdSVM, search: str) -> int:
    """Bound the number of problems that a search, by its name, solves for one target."""
    return problem.n if search == "exhaustive" else _max_problems(problem)


def work(problem: ThresholdSVM) -> float:
    """Estimate the work of one problem, in units of which about 1e8 take a second."""
    n, d = problem.Z.shape
    return float(n * (d + 30.0) ** 2)


def _max_problems(problem: ThresholdSVM) -> int:
    """Bound the number of problems that a fixed-point search may solve for one target."""
    n = problem.n
    return n if n <= _SMALL else min(n, max(16, int(_EFFORT / work(problem))))
