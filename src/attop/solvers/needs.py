"""What solvers need of the surrogate they minimise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attop.surrogates.base import AlongLine, BoundSurrogate

__all__ = ["Needs"]


@dataclass(frozen=True)
class Needs:
    """What a solver asks of a surrogate; any will do where nothing is said.

    Attributes
    ----------
    solver : str
        Name in messages.
    convex, smooth : bool
        See `attop.surrogates.base.Surrogate`.
    along_line : bool
        Derivatives along a line, see `attop.surrogates.base.AlongLine`.
    """

    solver: str
    convex: bool = False
    smooth: bool = False
    along_line: bool = False

    def check(self, X: Any, loss: BoundSurrogate) -> None:
        """Refuse a loss that lacks something, or is bound to other items than the rows of `X`.

        Raises
        ------
        ValueError
            Naming the solver, the surrogate and what it lacks.
        """
        if len(X.shape) != 2 or X.shape[0] != loss.n:
            raise ValueError(
                f"X must have shape ({loss.n}, d), one row per item the loss is bound to, got {X.shape}: "
                "bind the loss to the labels of these rows"
            )
        kind = type(loss if loss.surrogate is None else loss.surrogate)
        lacks = [
            name for name in ("convex", "smooth") if getattr(self, name) and not getattr(kind, name, True)
        ]
        if self.along_line and not isinstance(loss, AlongLine):
            lacks.append("differentiable along lines (AlongLine)")
        if lacks:
            raise ValueError(
                f"{self.solver} needs a surrogate that is {' and '.join(lacks)}, but {kind.__name__} is not: "
                "use another surrogate, or gradient_descent, which works with any"
            )
