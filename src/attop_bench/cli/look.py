"""What is in a table of yours, what is wrong with it, and a configuration to begin with."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

from attop.core.files import write_text
from attop.core.wording import counted, few
from attop_bench.cli.text import columns
from attop_bench.data import DatasetError, make
from attop_bench.data.look import Look, look
from attop_bench.data.look.proposal import identifier, parameters, propose
from attop_bench.run.config import ConfigError

__all__ = ["show"]

#: Columns a screen has room for.
_SCREEN = 30


def show(options: argparse.Namespace) -> int:
    """Print one screen about a table; write the configuration if asked for."""
    try:
        found = look(options.table, options.label, options.positive)
        print("\n".join(_screen(found)))
        proposal = propose(found)
        make("file", **parameters(found))
    except DatasetError as error:
        raise ConfigError(str(error)) from None
    if options.output:
        write_text(options.output, proposal)
        print(f"\nWritten: {options.output}. Next:")
    else:
        print(f"\nA configuration, which --output FILE writes:\n\n{proposal}\nNext:")
    file = options.output or "FILE"
    id = identifier(options.table)
    print(f"  snakemake --cores all --configfile {file}    compares the methods; edit the file as you like")
    print(f"  attop deploy {id} --top 100 --configfile {file}    chooses one and fits it on all rows")
    return 0


def _screen(found: Look) -> Iterator[str]:
    kinds = Counter(column.kind for column in found.columns)
    told = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    yield f"{found.path}: {counted(found.rows, 'row')}, {counted(len(found.columns), 'column')}: {told}"
    for candidate in found.candidates[:4]:
        mark = "label" if candidate == found.label else "      or"
        yield f"{mark}: {candidate.column} = {candidate.positive}, {candidate.share:.2%} of the rows"
    yield ""
    plain = [c.name for c in found.columns if c.kind == "number" and not c.missing]
    shown = [c for c in found.columns if c.name not in plain]
    rows = [["column", "is", "missing", "values", "such as"]]
    for c in shown[:_SCREEN]:
        missing = f"{c.missing:.1%}" if c.missing else ""
        rows.append([c.name[:32], c.kind, missing, f"{c.distinct:,}", c.example])
    yield columns(rows, right={2, 3})
    if len(shown) > _SCREEN:
        yield f"and {len(shown) - _SCREEN} more"
    if plain:
        yield f"and {counted(len(plain), 'number')} without gaps: {few(plain, 12)}"
    yield ""
    yield from (f"- {complaint}" for complaint in found.complaints)
