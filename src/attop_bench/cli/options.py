"""Options that several commands share. Imports nothing heavy."""

from __future__ import annotations

import csv
import math
import os
import re
import shlex
from argparse import Action, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import attop_bench
from attop.extending import Top
from attop_bench.files import UNFINISHED, check_folder

#: Exit status of a command that did what it was told, where ``--fail-on`` names what it found.
GATE = 3


def source() -> Path:
    """Locate the folder of the workflow, in a clone or in the installed package."""
    package = Path(attop_bench.__file__).parent
    clone = package.parents[1]
    return clone if (clone / "Snakefile").is_file() else package / "benchmark"


def beside(file: str) -> str:
    """Locate a file of the benchmark in the folder whose Snakefile is run.

    This is the working directory, if it is a copy of the benchmark, else `source`.
    """
    return file if Path("rules/common.smk").is_file() else str(source() / file)


class _Files(Action):
    """Puts configuration files given by position before those of ``--configfile``."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        namespace.configfile = [*values, *namespace.configfile]


def add_configuration(parser: ArgumentParser, *, by_position: bool = False) -> None:
    """Add ``--configfile`` and ``--config``, as snakemake has them, and files `by_position`."""
    if by_position:
        parser.add_argument(
            "files",
            nargs="*",
            action=_Files,
            default=[],
            metavar="FILE.yaml",
            help="configuration: its keys replace those of the default benchmark",
        )
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


def command_line(options: Namespace, *words: str | Path) -> str:
    """Write a command for the same configuration, by default ``snakemake``, as text."""
    from joblib import cpu_count

    return shlex.join(
        command(options, getattr(options, "cores", None) or cpu_count(), *words)
    )


def command(options: Namespace, cores: int | str, *words: str | Path) -> list[str]:
    """List the parts of a command for the same configuration, by default ``snakemake``."""
    keys = ["--config", *options.config] if options.config else []
    if words[:1] == ("attop",):
        files = [
            word for file in options.configfile for word in ("--configfile", file)
        ]
    else:
        snakefile = (
            ()
            if Path("Snakefile").exists()
            else ("--snakefile", source() / "Snakefile")
        )
        words = ("snakemake", *snakefile, "--cores", str(cores), *words)
        files = ["--configfile", *options.configfile] if options.configfile else []
    return [*map(str, words), *files, *keys]


def add_gate(parser: ArgumentParser, states: Sequence[str]) -> None:
    """Add ``--fail-on``, which makes the exit status `GATE` where the result is one of the states named."""
    parser.add_argument(
        "--fail-on",
        action="append",
        choices=states,
        default=[],
        metavar="STATE",
        help=f"end with exit status {GATE} if it is so: {', '.join(states)}; may be given again",
    )


def add_jobs(parser: ArgumentParser, what: str) -> None:
    """Add ``--jobs``."""
    parser.add_argument(
        "--jobs",
        type=read_number,
        default=-1,
        metavar="N",
        help=f"{what} at the same time (default: all cores)",
    )


def add_top(parser: ArgumentParser, help_text: str, **options: Any) -> None:
    """Add ``--top``, which takes 10, k=10, 'k=100 of 30000', tau=0.05 or kappa=0.25, as a `Top`."""
    parser.add_argument(
        "--top",
        **{
            "type": read_top,
            "metavar": "100",
            "help": f"{help_text}, written as 10, k=10, 'k=100 of 30000', tau=0.05 or kappa=0.25",
            **options,
        },
    )


def check_output(
    output: str | Path,
    inputs: Iterable[str | Path],
    mark: str | None = None,
    names: Sequence[str] = (),
    flag: str = "--output",
) -> None:
    """Refuse an output that is an input, of the wrong kind, not of this command, or that cannot be written.

    It is a file, or with a `mark` a folder in which the command writes `names`, of which `mark` is one. A
    folder that holds other files has to hold the `mark`. `flag` names the option in messages.

    Raises
    ------
    OutputError
        If it must not be written.
    OSError
        If it cannot be written; see `check_folder`.
    """
    path = Path(output)
    what = _wrong_kind(path) if mark is None else _wrong_folder(path, mark)
    for file in map(Path, inputs):
        # `resolve` raises an error of a link that leads to itself.
        target = Path(os.path.realpath(file))
        if not what and Path(os.path.realpath(path)) in (
            target,
            *(target.parents if mark else ()),
        ):
            what = f"would replace the input {file}: give another name"
    if what:
        raise OutputError(f"{flag} {output} {what}")
    if mark is None:
        check_folder(path.parent, [path.name])
    else:
        check_folder(path, names)


def _wrong_kind(path: Path) -> str:
    """Say why a path is none of a file that can be replaced; empty if it can."""
    if path.is_dir():
        return "is a folder: give a file"
    device = path.exists() and not path.is_file()
    if device or os.path.realpath(path.parent) in (
        "/dev",
        "/dev/fd",
        "/proc/self/fd",
    ):
        return "is a device or a pipe, not a file: leave --output out, and pass on what is printed"
    return ""


def _wrong_folder(path: Path, mark: str) -> str:
    """Say why a folder cannot take the output of a command, whose `mark` it would hold; empty if it can."""
    if path.exists() and not path.is_dir():
        return "is a file: give a folder"
    if not path.is_dir() or (path / mark).is_file():
        return ""
    if all(entry.name.startswith(UNFINISHED) for entry in path.iterdir()):
        return ""
    return f"holds other files and no {mark}, so it was not made by this command: give a new folder"


class OutputError(ValueError):
    """An output that must not be written."""

    for_the_user = True


def read_number(text: str) -> int:
    """Read a number of cores or jobs; -1 is that of this machine, as in scikit-learn."""
    if text == "-1":
        from joblib import cpu_count

        return cpu_count()
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(
            f"a number of at least 1, or -1 for all cores, is needed, got {text!r}"
        )
    return int(text)


def read_seconds(text: str) -> float:
    """Read a time in seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not seconds > 0:
        raise ArgumentTypeError(
            f"a number of seconds above 0 is needed, got {text!r}"
        )
    return seconds


def read_count(text: str) -> int:
    """Read a whole number of at least 0, such as a seed."""
    if not (text.isascii() and text.isdecimal()):
        raise ArgumentTypeError(
            f"a whole number of at least 0 is needed, got {text!r}"
        )
    return int(text)


def read_names(text: str) -> list[str]:
    """Read names separated by commas; one that holds a comma stands in double quotes, as in a CSV file."""
    try:
        (names,) = csv.reader([text], skipinitialspace=True)
    except csv.Error:
        names = []
    if not names or not all(names):
        raise ArgumentTypeError(
            f"names separated by commas are needed, got {text!r}"
        )
    return names


def read_top(text: str) -> Top:
    """Read a top of the command line."""
    if re.search(r"\d ?(a |per |/ ?)[a-z]+$", text):
        raise ArgumentTypeError(
            f"{text!r} is a rate: attop look takes 'N a day', week, month or year, and finds how many rows "
            "that is of; elsewhere write it, such as 'k=100 of 30000'"
        )
    try:
        return Top.parse(text if "=" in text else f"k={text}")
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
