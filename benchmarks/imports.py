"""`import attop` against the import of what it cannot do without, each in a fresh interpreter.

python -m benchmarks.imports [--quick]
"""

from benchmarks.measure import header, interleave_programs, repeats

CORE = "import numpy, scipy, sklearn.base"
PEER = "numpy scipy sklearn"


def main():
    times = repeats(__doc__, 5, 15)
    header()
    for ours, goal in (
        ("import attop", 1.2),
        ("from attop import AATP", 1.2),
        ("import attop.metrics", None),
    ):
        interleave_programs(ours, CORE, times).show(f"{ours} : {PEER}", goal)


if __name__ == "__main__":
    main()
