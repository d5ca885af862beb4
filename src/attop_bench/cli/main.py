"""The command line: which word does what, and how what went wrong is said."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from attop_bench.cli.parser import build_parser

__all__ = ["main"]

#: Command -> module in this package and function in it, which takes the options and returns the exit status.
#: Imported when called for, so that help and wrong calls are answered at once.
COMMANDS = {
    "look": ("look", "show"),
    "init": ("init", "init"),
    "plan": ("plan", "show"),
    "status": ("runs", "status"),
    "retry": ("runs", "retry"),
    "deploy": ("deploy", "show"),
    "score": ("deploy", "score"),
    "rescore": ("rescore", "show"),
    "gap": ("gap", "show"),
    "fit": ("fit", "show"),
    "list": ("catalogue", "show"),
    "doctor": ("doctor", "show"),
    "check-method": ("check_method", "check"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status: 0, 1 for what cannot be done, 2 for a wrong call."""
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 0
    module, function = COMMANDS[options.command]
    try:
        command = getattr(import_module(f"attop_bench.cli.{module}"), function)
    except ModuleNotFoundError as error:
        if (error.name or "attop").partition(".")[0] in ("attop", "attop_bench"):
            raise
        print(
            f"attop {options.command} needs the Python package {error.name!r}, which is not installed:\n"
            'pip install "attop[workflow]", in a clone pip install -e ".[workflow]", installs all it needs; '
            "attop doctor looks for what else is missing",
            file=sys.stderr,
        )
        return 1
    try:
        status = command(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # such as `attop plan | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nor does Python complain at exit
        return 0
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        if error.filename is None:  # it was the output
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        where = error.filename or "its output"
        print(f"attop {options.command} cannot write {where}: {error.strerror}, free some", file=sys.stderr)
        return 1
    except ValueError as error:
        from attop_bench.run.config import ConfigError

        if not isinstance(error, ConfigError):
            raise
        print(f"attop {options.command} cannot go on:\n{error}", file=sys.stderr)
        return 1
