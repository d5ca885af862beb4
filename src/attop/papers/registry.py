"""The papers by name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attop.papers.findings import Findings

__all__ = ["PAPERS", "SIMULATIONS", "findings_of", "simulate"]

#: Name in the configuration's `paper`, and the module whose `findings` rebuilds the paper's tables.
PAPERS: Mapping[str, str] = {
    "aatp2012": "attop.papers.aatp2012",
    "prec2015": "attop.papers.prec2015",
    "papk2020": "attop.papers.papk2020",
    "pnorm2005": "attop.papers.pnorm2005",
}

#: Paper -> what is simulated for it alone, by name: functions of the seed that return a table.
SIMULATIONS: Mapping[str, Mapping[str, str]] = {
    "papk2020": {
        "two_users": "attop.papers.papk_simulations.two_users",
        "margins": "attop.papers.papk_simulations.margins",
    },
}


def findings_of(paper: str, tables: Mapping[str, Any], story: Mapping[str, Any]) -> Findings:
    """Return the tables and figures of a paper, made of a benchmark's results.

    Parameters
    ----------
    paper : str
        A key of `PAPERS`.
    tables : mapping of str to DataFrame
        See `attop.bench.tables.TABLES`, ``"summary"``, and those of `SIMULATIONS`.
    story : mapping
        See `attop.bench.manifest.manifest`.
    """
    return import_module(PAPERS[paper]).findings(tables, story)


def simulate(paper: str, name: str, seed: int) -> Any:
    """Return the table of one simulation of a paper."""
    module, _, function = SIMULATIONS[paper][name].rpartition(".")
    return getattr(import_module(module), function)(seed)
