"""The command line: its words and options."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status: 0, 1 for what cannot be done, 2 for a wrong call."""
    options = _parser().parse_args(arguments)
    # Late, so that help and wrong calls are answered at once.
    from attop.bench.config import ConfigError
    from attop.cli import catalogue, runs

    commands = {"status": runs.status, "retry": runs.retry, "list": catalogue.show}
    try:
        return commands[options.command](options)
    except ConfigError as error:
        print(f"The configuration cannot be run:\n{error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="attop",
        description="Look after a run of the benchmark. The run itself is `snakemake --cores N`.",
        epilog="Run it where you run snakemake: in the folder of the Snakefile.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    status = commands.add_parser("status", help="what is done, what failed and why, what is left")
    _add_configuration(status)

    retry = commands.add_parser(
        "retry",
        help="forget failed runs and downloads, so that the next snakemake makes them again",
        description="Remove the outputs of training runs that failed (status error, timeout, memory or "
        "diverged) and the receipts of files that could not be had. Nothing else is touched.",
    )
    _add_configuration(retry)
    retry.add_argument("--dataset", help="only this data set")
    retry.add_argument("--method", help="only this method")
    retry.add_argument(
        "--status", choices=["error", "timeout", "memory", "diverged"], help="only this status"
    )

    names = commands.add_parser("list", help="the names there are: of data sets, methods or metrics")
    names.add_argument("what", choices=["datasets", "methods", "metrics"])
    _add_configuration(names)
    return parser


def _add_configuration(parser: argparse.ArgumentParser) -> None:
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
