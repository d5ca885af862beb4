"""Whether this machine is ready for a run, and what to do if not.

Without it, each of these shows up as a traceback of another program, one after the other, some after hours.
Runs on an installation that lacks packages: what needs them is imported once they are known to be there.
"""

from __future__ import annotations

import argparse
import textwrap
from collections import Counter
from collections.abc import Iterator

from attop_bench.cli.cluster import check_slurm
from attop_bench.cli.finding import Finding
from attop_bench.cli.machine import check_cores, check_graphics
from attop_bench.cli.packages import check_packages, check_python

__all__ = ["show"]


def show(options: argparse.Namespace) -> int:
    """Print what was looked at, a line each with its remedy; return 1 if a run is not possible."""
    states: Counter[str] = Counter()
    for finding in _look(options):
        states[finding.state] += 1
        print(_line(finding.state, f"{finding.about}: {finding.text}"))
        if finding.fix:
            print(f"      -> {finding.fix}")  # on one line: to be copied
    said = f"{states['FAIL']} FAIL, {states['warn']} warn"
    print(f"\n{said}: fix what is marked ->" if states["FAIL"] else f"\nReady for a run ({said}).")
    return 1 if states["FAIL"] else 0


def _look(options: argparse.Namespace) -> Iterator[Finding]:
    yield check_python()
    packages = list(check_packages())
    yield from packages
    yield from check_cores()
    if any(finding.state == "FAIL" for finding in packages):
        yield Finding(
            "warn", "configuration", "not looked at", "fix the packages, then call attop doctor again"
        )
    else:
        from attop_bench.cli.surroundings import check_configuration

        yield check_graphics()
        yield from check_configuration(options)
    yield from check_slurm()


def _line(state: str, text: str) -> str:
    return textwrap.fill(
        text, 110, initial_indent=f"{state:5} ", subsequent_indent=" " * 9, break_on_hyphens=False
    )
