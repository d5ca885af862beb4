"""A job that is named rather than held: a function by its dotted path, which any process can run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import Any

from attop_bench.jobs.limits import Exit, Limits
from attop_bench.jobs.supervise import supervise

__all__ = ["Call", "run"]


@dataclass(frozen=True)
class Call:
    """A function to call, and how.

    Attributes
    ----------
    function : str
        Dotted path. What it raises is its own fault, but for a full disk and
        `attop_bench.jobs.supervise.CannotRun`.
    argument : JSON value
        Its only argument.
    log : str
        File that takes what it prints.
    limits : Limits
    preload : tuple of str
        Modules that a server imports before it calls any function.
    """

    function: str
    argument: Any
    log: str
    limits: Limits = field(default_factory=Limits)
    preload: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return it as a JSON value."""
        return asdict(self)

    @classmethod
    def from_dict(cls, said: dict[str, Any]) -> Call:
        """Return the call that `as_dict` gave."""
        return cls(**{**said, "limits": Limits(**said["limits"]), "preload": tuple(said["preload"])})


def run(call: Call, abandoned: Callable[[], bool]) -> Exit:
    """Run a call in a child of this process, and wait for its end.

    Parameters
    ----------
    call : Call
    abandoned : callable
        Says whether to stop because nobody waits for the result.
    """

    def work() -> None:
        module, _, name = call.function.rpartition(".")
        getattr(import_module(module), name)(call.argument)

    return supervise(work, call.log, call.limits, abandoned)
