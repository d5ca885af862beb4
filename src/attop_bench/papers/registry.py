"""The papers by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from attop_bench.papers.findings import Findings

__all__ = [
    "MAILINGS",
    "PAPERS",
    "SIMULATIONS",
    "Mailing",
    "Simulation",
    "findings_of",
    "simulate",
]


@dataclass(frozen=True)
class Simulation:
    """What is computed for a paper alone, beside the training runs.

    Attributes
    ----------
    function : str
        Dotted path. It is called with the seed and, if it has data sets, with a mapping of those that could
        be had, by name; it returns a table.
    datasets : tuple of str
        Ids of data sets of the paper's configuration.
    arguments : mapping
        Further ones, by name.
    """

    function: str
    datasets: tuple[str, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)


#: Name in the configuration's `paper`, and the module whose `findings` rebuilds the paper's tables.
PAPERS: Mapping[str, str] = {
    "aatp2012": "attop_bench.papers.aatp2012",
    "aatp2012-partitions": "studies.partitions.aatp2012",
    "prec2015": "attop_bench.papers.prec2015",
    "prec2015-partitions": "studies.partitions.prec2015",
    "papk2020": "attop_bench.papers.papk2020",
    "pnorm2005": "attop_bench.papers.pnorm2005",
    "fraud-handbook": "studies.fraud_handbook.findings",
    "coil2000": "studies.coil2000.findings",
    "movielens-ways": "studies.movielens.findings",
}

#: Paper -> what is simulated for it alone, by name.
SIMULATIONS: Mapping[str, Mapping[str, Simulation]] = {
    "papk2020": {
        "two_users": Simulation("attop_bench.papers.papk_simulations.two_users"),
        "margins": Simulation("attop_bench.papers.papk_simulations.margins"),
    },
    # A split each, so that they run side by side.
    "movielens-ways": {
        f"ways_{split}": Simulation("studies.movielens.ways.ways", ("movielens",), {"split": split})
        for split in range(5)
    },
    "pnorm2005": {
        "rounds": Simulation(
            "attop_bench.papers.push_rounds.rounds",
            ("pima", "pima-thresholds", "wdbc", "tic-tac-toe", "housing", "pima-50"),
        ),
    },
}


class Mailing(NamedTuple):
    """A list that is asked for of customers whose labels may not be had.

    Attributes
    ----------
    dataset : str
        What methods are chosen and trained on; its files have the customers to choose from.
    labelled : str
        The data set that has their labels too.
    k : int
        Places on the list.
    """

    dataset: str
    labelled: str
    k: int


#: Paper -> the list it asks for.
MAILINGS: Mapping[str, Mailing] = {"coil2000": Mailing("coil2000", "coil2000-evaluation", 800)}


def findings_of(paper: str, tables: Mapping[str, Any], story: Mapping[str, Any]) -> Findings:
    """Return the tables and figures of a paper, made of a benchmark's results.

    Parameters
    ----------
    paper : str
        A key of `PAPERS`.
    tables : mapping of str to DataFrame
        See `attop_bench.run.tables.TABLES`, ``"summary"``, those of `SIMULATIONS`, and for `MAILINGS`
        ``"mailing"`` (see `studies.coil2000.mailing.mailing`).
    story : mapping
        See `attop_bench.run.manifest.manifest`.
    """
    return import_module(PAPERS[paper]).findings(tables, story)


def simulate(paper: str, name: str, seed: int, data: Mapping[str, Any]) -> Any:
    """Return the table of one simulation of a paper; `data` are its data sets that could be had, by id."""
    simulation = SIMULATIONS[paper][name]
    module, _, function = simulation.function.rpartition(".")
    call = getattr(import_module(module), function)
    given = (data,) if simulation.datasets else ()
    return call(seed, *given, **simulation.arguments)
