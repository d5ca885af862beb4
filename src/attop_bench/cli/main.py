"""The command line: its commands and their errors."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from inspect import cleandoc
from typing import NamedTuple

from attop import __version__
from attop.extending import did_you_mean


class Command(NamedTuple):
    """A command: its module, imported when called, which has ``add_COMMAND`` and ``run_COMMAND``."""

    module: str
    #: What it does, and how it is called, each in a line.
    line: str
    example: str


#: Groups of commands, in the order of their use.
GROUPS = {
    "A table of yours": {
        "look": Command(
            "tables",
            "inspect a table and propose a configuration",
            "attop look claims.csv --label fraud --output claims.yaml",
        ),
        "headroom": Command(
            "tables",
            "estimate what better models or training for the top can gain on a table",
            "attop headroom claims.csv --label fraud --top 100",
        ),
    },
    "The benchmark": {
        "run": Command(
            "folder",
            "run the benchmark of a configuration, in any folder, to the report",
            "attop run claims.yaml --cores 8",
        ),
        "status": Command(
            "runs",
            "count jobs done, failed and left, with reasons and the time to come",
            "attop status claims.yaml --fail-on failed",
        ),
        "retry": Command(
            "runs",
            "clear failed runs and downloads, so that they run again",
            "attop retry claims.yaml --method random-forest",
        ),
        "rescore": Command(
            "rescore",
            "write the report of stored test scores, without training",
            "attop rescore scores --top 100 --output results-rescored",
        ),
        "compare-runs": Command(
            "compare_runs",
            "list the changes between two finished runs, or the runs of a folder",
            "attop compare-runs results-may results-june",
        ),
    },
    "A model to take away": {
        "deploy": Command(
            "deploy",
            "choose a method, fit it on all rows, write a model to take away and its card",
            "attop deploy claims --configfile claims.yaml",
        ),
        "score": Command(
            "deploy",
            "rank the rows of a new file by a model that attop deploy wrote",
            "attop score deployed-claims june.csv --top 100 --output lists/2025-06.xlsx --picture june.png",
        ),
        "watch": Command(
            "watch",
            "check past lists against the promised precision",
            "attop watch lists --model deployed-claims --fail-on worse",
        ),
    },
    "A method of yours": {
        "new-method": Command(
            "folder",
            "write a method of your own to begin with, and its configuration",
            "attop new-method my-ranker",
        ),
        "check-method": Command(
            "check_method",
            "check a class of your own as a method of the benchmark",
            "PYTHONPATH=. attop check-method mymethods.MyRanker",
        ),
        "propose": Command(
            "propose",
            "compare a class of your own with a method of the board, in a minute",
            "PYTHONPATH=. attop propose mymethods.MyRanker --against LightGBM",
        ),
        "fit": Command(
            "fit",
            "train one method on one data set in the foreground, to debug it",
            "attop fit claims logistic-regression --configfile claims.yaml --pdb",
        ),
    },
    "Around it": {
        "list": Command(
            "folder",
            "list the names of data sets, methods or metrics",
            "attop list methods",
        ),
        "init": Command(
            "folder",
            "make a folder to run the benchmark in",
            "attop init benchmark",
        ),
        "doctor": Command(
            "doctor",
            "check this machine for a run",
            "attop doctor --configfile claims.yaml",
        ),
        "completion": Command(
            "completion",
            "print what lets a shell complete commands, options and names",
            'eval "$(attop completion bash)"',
        ),
    },
}
COMMANDS = {
    name: command for group in GROUPS.values() for name, command in group.items()
}

#: Errors of a file or folder that cannot be used.
_PLACES = {
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.EBUSY,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
}
_PLACES |= {errno.EXDEV, errno.ELOOP, errno.ENAMETOOLONG}


class _Help(argparse.HelpFormatter):
    """Fills paragraphs, but leaves those alone that are indented: lists and examples."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = text.split("\n\n")
        filled = [
            p
            if p.startswith(" ")
            else super(_Help, self)._fill_text(p, width, indent)
            for p in paragraphs
        ]
        return "\n\n".join(filled)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the options of a command, with the function that does it as ``run``."""
    parser = _parser(arguments[:1])
    if (
        arguments
        and not arguments[0].startswith("-")
        and arguments[0] not in COMMANDS
    ):
        parser.error(
            f"there is no command {arguments[0]!r}; {did_you_mean(arguments[0], COMMANDS)}"
        )
    return parser.parse_args(arguments or ["--help"])


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Build the parser; of its commands the one that is the first of `words` has its options."""
    parser = argparse.ArgumentParser(
        prog="attop",
        usage="attop COMMAND ...",
        description="Look at your data, run and repair the benchmark, take the best model away. "
        "`attop run` is `snakemake --cores all`, which takes more options, where there is a Snakefile.",
        epilog=_groups(),
        formatter_class=_Help,
    )
    parser.add_argument(
        "--version", action="version", version=f"attop {__version__}"
    )
    commands = parser.add_subparsers(
        dest="command", help=argparse.SUPPRESS, prog="attop"
    )
    for name, (module, _, example) in COMMANDS.items():
        command = commands.add_parser(
            name, formatter_class=_Help, epilog=f"for example:\n\n  {example}"
        )
        if name in words:
            code = import_module(f"attop_bench.cli.{module}")
            word = name.replace("-", "_")
            getattr(code, f"add_{word}")(command)
            run = getattr(code, f"run_{word}")
            command.description = cleandoc(run.__doc__)
            command.set_defaults(run=run)
    return parser


def _groups() -> str:
    """Write the commands by group, each with what it does."""
    width = max(map(len, COMMANDS))
    parts = []
    for group, commands in GROUPS.items():
        lines = [
            f"  {name:{width}}  {command.line}"
            for name, command in commands.items()
        ]
        parts += [f"{group}:", "\n".join(lines)]
    return "\n\n".join(
        [*parts, "attop COMMAND --help tells of one, with an example."]
    )


def _complete() -> None:
    """Answer a shell that asks by argcomplete's variables how a line may go on, and end; else do nothing."""
    if "_ARGCOMPLETE" not in os.environ:
        return
    import argcomplete

    words = os.environ.get("COMP_LINE", "").split()
    argcomplete.autocomplete(_parser(words[1:2]), always_complete_options=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status.

    It is 0, 1: it cannot be done, 2: a wrong call, 3: what ``--fail-on`` names is so, 130: Ctrl-C.
    """
    _complete()
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
        # Nor does Python complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        full = error.errno == errno.ENOSPC
        if not full and not (error.filename and error.errno in _PLACES):
            raise
        if error.filename is None:  # it was the output
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        where = error.filename or "its output"
        verb, remedy = (
            ("write", "free some") if full else ("use", "give another place")
        )
        print(
            f"{command} cannot {verb} {where}: {error.strerror}, {remedy}",
            file=sys.stderr,
        )
        return 1
    except ValueError as error:
        if not getattr(error, "for_the_user", False):
            raise
        print(f"{command} cannot go on:\n{error}", file=sys.stderr)
        return 1
