"""The options that say which configuration a command is about."""

from __future__ import annotations

import argparse

__all__ = ["add_configuration"]


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
