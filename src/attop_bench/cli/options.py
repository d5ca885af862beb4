"""Options that several commands share. Imports nothing heavy: a command line is checked at once."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from attop.core.top import Top

__all__ = ["add_configuration", "add_jobs", "add_pair", "add_top", "command_line"]


def add_configuration(parser: argparse.ArgumentParser) -> None:
    """Add ``--configfile`` and ``--config``, as snakemake has them."""
    parser.add_argument(
        "--configfile",
        action="append",
        default=[],
        metavar="FILE",
        help="as for snakemake: its keys replace those of config/config.yaml; may be given again",
    )
    parser.add_argument(
        "--config",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        help="as for snakemake: single keys of the configuration, such as output=results-mine",
    )


def command_line(options: argparse.Namespace, *words: str | Path) -> str:
    """Return a command for the same configuration: ``snakemake`` with the cores asked for, unless given."""
    from joblib import cpu_count

    cores = getattr(options, "cores", None) or cpu_count()
    files = ["--configfile", *options.configfile] if options.configfile else []
    keys = ["--config", *options.config] if options.config else []
    command = words if words[:1] == ("attop",) else ("snakemake", "--cores", cores, *words)
    return shlex.join([*map(str, command), *files, *keys])


def add_pair(parser: argparse.ArgumentParser, **method: Any) -> None:
    """Add a data set and a method of the catalogues."""
    parser.add_argument("dataset", metavar="DATASET", help="its name; attop list datasets prints all")
    method = {"help": "its name; attop list methods prints all", **method}
    parser.add_argument("method", metavar="METHOD", **method)


def add_jobs(parser: argparse.ArgumentParser, what: str) -> None:
    """Add ``--jobs``."""
    about = f"{what} at the same time (default: all cores)"
    parser.add_argument("--jobs", type=int, default=-1, metavar="N", help=about)


def add_top(parser: argparse.ArgumentParser, about: str, **options: Any) -> None:
    """Add ``--top``, which takes 10, k=10, 'k=100 of 30000', tau=0.05 or kappa=0.25, as a `Top`."""
    about = f"{about}, written as 10, k=10, 'k=100 of 30000', tau=0.05 or kappa=0.25"
    parser.add_argument("--top", type=_read_top, metavar="100", help=about, **options)


def _read_top(text: str) -> Top:
    try:
        return Top.parse(text if "=" in text else f"k={text}")
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
