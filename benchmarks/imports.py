"""`import attop` against the import of what it cannot do without, each in a fresh interpreter.

python -m benchmarks.imports [--quick]
"""

from benchmarks.measure import by_quick, header, interleave_programs, show

CORE = "import numpy, scipy, sklearn.base"
PEER = "numpy scipy sklearn"


def main():
    times = by_quick(__doc__, 5, 15)
    header()
    for ours, goal in (
        ("import attop", 1.2),
        ("from attop import AATP", 1.2),
        ("import attop.metrics", None),
    ):
        show(f"{ours} : {PEER}", interleave_programs(ours, CORE, times), goal)


if __name__ == "__main__":
    main()
