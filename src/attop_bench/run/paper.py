"""The paper a configuration rebuilds: a module.

Its ``tables(results, story)`` compares the results with the printed numbers, its ``findings(tables)`` makes a
page of them; its ``SIMULATIONS``, if any, are computed in addition to the training runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from attop.extending import module_at, object_at


@dataclass(frozen=True)
class Simulation:
    """A table that is computed for a paper alone, in addition to the training runs.

    The function at a dotted path returns it, called with the seed, if there are data sets with a mapping of
    those available, and with `arguments`.
    """

    function: str
    datasets: tuple[str, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)


def load_paper(paper: str) -> ModuleType:
    """Import the module of a paper by its dotted path."""
    try:
        module = module_at(paper)
    except ValueError as error:
        raise ValueError(
            f"{error}; give the dotted path of a module, such as studies.aatp2012 in a clone of attop"
        ) from error.__cause__
    for function, arguments in (
        ("tables", "results, story"),
        ("findings", "tables"),
    ):
        if not callable(getattr(module, function, None)):
            raise ValueError(
                f"the module {paper!r} has no function {function}({arguments})"
            )
    return module


def configuration_of(paper: str) -> str:
    """Locate the configuration that rebuilds a paper, below the root of the repository."""
    return str(
        getattr(
            load_paper(paper), "CONFIGURATION", f"{paper.replace('.', '/')}.yaml"
        )
    )


def simulations_of(paper: str | None) -> Mapping[str, Simulation]:
    """Look up the simulations of a paper, by name."""
    return {} if paper is None else getattr(load_paper(paper), "SIMULATIONS", {})


def simulate(paper: str, name: str, seed: int, data: Mapping[str, Any]) -> Any:
    """Compute the table of one simulation of a paper; `data` are its available data sets, by id."""
    simulation = simulations_of(paper)[name]
    tables = (data,) if simulation.datasets else ()
    return object_at(simulation.function)(seed, *tables, **simulation.arguments)
