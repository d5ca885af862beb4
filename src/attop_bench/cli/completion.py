"""`attop completion`: what a shell evaluates to complete the command line."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

SHELLS = ("bash", "zsh", "fish")


def add_completion(parser: ArgumentParser) -> None:
    """Add the argument of ``attop completion``."""
    parser.add_argument(
        "shell", choices=SHELLS, help="the shell that is to complete"
    )


def run_completion(options: Namespace) -> int:
    """Print what a shell evaluates at its start, after which the key Tab completes.

    It completes commands, options, files, and the names of data sets, methods and metrics. For bash and zsh
    write the example's line, with your shell's name, into .bashrc or .zshrc. For fish:

      attop completion fish > ~/.config/fish/completions/attop.fish
    """
    import argcomplete

    print(argcomplete.shellcode(["attop"], shell=options.shell))
    return 0
