"""The interpreter that hands its script to a server; new servers import nothing beforehand."""

import sys

from attop_bench.jobs.client import HOME

PROGRAM = f"import sys; sys.path.append({HOME!r}); from attop_bench.jobs.client import main; main()"
CLIENT = [sys.executable, "-ISc", PROGRAM]
