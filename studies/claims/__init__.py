"""Simulations: how often a verdict, an interval or a list keeps its promise; see README.md."""

import argparse
import os
from pathlib import Path


def options(doc, data=False, **numbers):
    """Return a parser of whole numbers with their defaults; with `data`, of the folder of public sets too."""
    parser = argparse.ArgumentParser(description=doc.partition("\n")[0])
    for name, default in numbers.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=default)
    if data:
        parser.add_argument("--data", type=Path, default=os.environ.get("ATTOP_MIRROR"))
    return parser
