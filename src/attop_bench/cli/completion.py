"""Completion of the command line by the shell, out of the parser itself, by shtab.

Without it, the names of data sets and methods have to be typed out, or looked up by `attop list`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import shtab

from attop_bench.cli.configuration import identifier, read_catalogues, read_raw
from attop_bench.cli.parser import build_parser
from attop_bench.run.config import ConfigError

__all__ = ["show"]

#: What an option or argument called so takes.
_PATHS = {
    **dict.fromkeys(("configfile", "table", "predictions", "output"), shtab.FILE),
    **dict.fromkeys(("save", "model"), shtab.DIRECTORY),
}
_NAMES = {"dataset": "datasets", "method": "methods"}


def show(options: argparse.Namespace) -> int:
    """Print the script that teaches a shell the commands, their options and the names there are."""
    parser = build_parser()
    names = _names(options)
    for action in _actions(parser):
        if action.dest in _PATHS:
            action.complete = _PATHS[action.dest]  # type: ignore[attr-defined]  # where shtab looks
        elif section := _NAMES.get(action.dest):
            action.choices = names.get(section)
    print(shtab.complete(parser, options.shell))
    return 0


def _names(options: argparse.Namespace) -> dict[str, list[str]]:
    """Return the data sets and methods of configuration and catalogues; none if there is none here."""
    try:
        raw = read_raw(options)
        catalogues = read_catalogues(raw)
    except ConfigError:
        return {}
    names = {}
    for section in _NAMES.values():
        listed = raw.get(section)
        own = map(identifier, listed) if isinstance(listed, list) else ()
        names[section] = list(dict.fromkeys([*own, *catalogues.get(section, {})]))
    return names


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield all options and arguments of all commands."""
    for action in parser._actions:  # argparse has no public list of them
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action._choices_actions:
                inner = action.choices[command.dest]
                inner.description = command.help  # one line, as shells show beside a word
                yield from _actions(inner)
