"""`import attop` against the import of what it cannot do without, each in a fresh interpreter.

python performance/imports.py [--quick]
"""

import argparse

from measure import header, interleave_programs

CORE = "import numpy, scipy, sklearn.base"
PEER = "numpy scipy sklearn"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="five repeats instead of fifteen")
    repeats = 5 if parser.parse_args().quick else 15
    header()
    for ours, goal in (
        ("import attop", 1.2),
        ("from attop import AATP", 1.2),
        ("import attop.metrics", None),
    ):
        interleave_programs(ours, CORE, repeats).show(f"{ours} : {PEER}", goal)


if __name__ == "__main__":
    main()
