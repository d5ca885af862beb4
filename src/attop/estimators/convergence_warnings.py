"""What is said of a training that ended early, or in a model that ranks nothing."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from sklearn.exceptions import ConvergenceWarning

__all__ = ["ConstantModelWarning", "warn_constant", "warn_of_cross_entropies", "warn_unfinished"]


class ConstantModelWarning(UserWarning):
    """A fitted model gives all training items one score: it ranks nothing."""


def warn_unfinished(models: Sequence[Any]) -> None:
    """Warn, once for each way to end, of models whose training ended before it was done.

    Training is done when it has converged. Where the number of iterations is a hyper-parameter, like the
    rounds of boosting or the passes over a stream, reaching it is normal: such models have `status_` and no
    `converged_`.

    Parameters
    ----------
    models : sequence of fitted estimators of one class, fitted together
        Those without a `status_` warn by themselves.
    """
    for status in ("max_iter", "deadline", "diverged"):
        early = [
            model
            for model in models
            if getattr(model, "status_", None) == status
            and (status != "max_iter" or hasattr(model, "converged_"))
        ]
        if early:
            # The warning names the line that calls `fit` or `fit_many`.
            warnings.warn(_message(early, len(models), status), ConvergenceWarning, stacklevel=4)


def warn_constant(models: Sequence[Any]) -> None:
    """Warn, once for each reason, of models that give all training items one score.

    Parameters
    ----------
    models : sequence of fitted LinearRanker of one class, fitted together
    """
    reasons: dict[str, int] = {}
    for model in models:
        if model.constant_:
            reason = model._why_constant()
            reasons[reason] = reasons.get(reason, 0) + 1
    for reason, count in reasons.items():
        name = type(models[0]).__name__
        who = f"{name} scores" if len(models) == 1 else f"{count} of {len(models)} models of {name} score"
        message = f"{who} all training items alike, and so rank{'s' * (len(models) == 1)} nothing: {reason}"
        warnings.warn(message, ConstantModelWarning, stacklevel=4)


def warn_of_cross_entropies(minimised: Sequence[bool]) -> None:
    """Warn of classifiers, parts of a model, whose cross entropy was not minimised."""
    missed = len(minimised) - sum(minimised)
    if missed:
        warnings.warn(
            f"L-BFGS did not minimise the cross entropy of {missed} of {len(minimised)} classifiers in 2000 "
            "iterations: scale the features or raise lam",
            ConvergenceWarning,
            stacklevel=5,
        )


def _message(early: Sequence[Any], n_models: int, status: str) -> str:
    one = max(early, key=lambda model: getattr(model, "gap_", 0.0))
    name = type(one).__name__
    who = name if n_models == 1 else f"{len(early)} of {n_models} models of {name}"
    where = f"after {one.n_iter_} iterations"
    if hasattr(one, "gap_"):
        where += f" at a relative gap of {one.gap_:.2g}, above tol={one.tol:g}"
    advice = {
        "max_iter": "raise max_iter or tol, or scale the features",
        "deadline": "raise time_limit",
        "diverged": "scale the features" + (", or lower eta" if hasattr(one, "eta") else ""),
    }[status]
    return f"{who} stopped ({status}) {where}: {advice}"
