"""The command line: its commands and their errors."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from attop import __version__

#: Command -> its module, imported when called, which has ``add_COMMAND`` and ``run_COMMAND``, and its help.
COMMANDS = {
    "look": ("tables", "inspect a table and propose a configuration"),
    "headroom": ("tables", "estimate what better models or training for the top can gain on a table"),
    "init": ("folder", "make a folder to run the benchmark in"),
    "list": ("folder", "list the names of data sets, methods or metrics"),
    "new-method": ("folder", "write a method of your own to begin with, and its configuration"),
    "run": ("folder", "run the benchmark of a configuration, in any folder, to the report"),
    "status": ("runs", "count jobs done, failed and left, with reasons and the time to come"),
    "retry": ("runs", "clear failed runs and downloads, so that they run again"),
    "fit": ("fit", "train one method on one data set in the foreground, to debug it"),
    "deploy": ("deploy", "choose a method, fit it on all rows, write a model to take away and its card"),
    "score": ("deploy", "rank the rows of a new file by a model that attop deploy wrote"),
    "watch": ("watch", "check past lists against the promised precision"),
    "compare-runs": ("compare_runs", "list the changes between two finished runs, or the runs of a folder"),
    "rescore": ("rescore", "write the report of stored test scores, without training"),
    "doctor": ("doctor", "check this machine for a run"),
    "check-method": ("check_method", "check a class of your own as a method of the benchmark"),
    "propose": ("propose", "compare a class of your own with a method of the board, in a minute"),
}

#: Errors of a file or folder that cannot be used.
_PLACES = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.ENOENT, errno.ENOTDIR, errno.EISDIR}
_PLACES |= {errno.EXDEV, errno.ELOOP, errno.ENAMETOOLONG}


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command, with the function that does it as ``run``."""
    parser = argparse.ArgumentParser(
        prog="attop",
        description="Look at your data, run and repair the benchmark, take the best model away. "
        "`attop run` is `snakemake --cores all`, which takes more options, where there is a Snakefile.",
    )
    parser.add_argument("--version", action="version", version=f"attop {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, (module, line) in COMMANDS.items():
        command = commands.add_parser(name, help=line)
        if name in arguments[:1]:
            code, word = import_module(f"attop_bench.cli.{module}"), name.replace("-", "_")
            getattr(code, f"add_{word}")(command)
            run = getattr(code, f"run_{word}")
            command.description = run.__doc__
            command.set_defaults(run=run)
    return parser.parse_args(arguments or ["--help"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status: 0, 1: it cannot be done, 2: a wrong call, 130: Ctrl-C."""
    arguments = sys.argv[1:] if arguments is None else arguments
    command = f"attop {arguments[0]}" if arguments else "attop"
    try:
        options = parse(arguments)
        status = options.run(options)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print(f"\n{command} was stopped", file=sys.stderr)
        return 130
    except ModuleNotFoundError as error:
        if (error.name or "attop").partition(".")[0] in ("attop", "attop_bench"):
            raise
        print(
            f"{command} needs the Python package {error.name!r}, which is not installed:\n"
            'pip install "attop[workflow]", in a clone pip install -e ".[workflow]", installs all it needs; '
            "attop doctor looks for what else is missing",
            file=sys.stderr,
        )
        return 1
    except BrokenPipeError:  # such as `attop list methods | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nor does Python complain at exit
        return 0
    except OSError as error:
        full = error.errno == errno.ENOSPC
        if not full and not (error.filename and error.errno in _PLACES):
            raise
        if error.filename is None:  # it was the output
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        where = error.filename or "its output"
        verb, remedy = ("write", "free some") if full else ("use", "give another place")
        print(f"{command} cannot {verb} {where}: {error.strerror}, {remedy}", file=sys.stderr)
        return 1
    except ValueError as error:
        if not getattr(error, "for_the_user", False):
            raise
        print(f"{command} cannot go on:\n{error}", file=sys.stderr)
        return 1
