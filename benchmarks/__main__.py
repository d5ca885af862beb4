"""All benchmarks of time, one after the other: `python -m benchmarks [--quick] [name ...]`; see README.md."""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
NAMES = [
    *("imports", "metrics", "push", "bundle", "top_push", "soft_top", "objectives", "factors", "aatp"),
    *("first_order", "streaming"),
]


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(NAMES)}; default all")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, smaller samples")
    args = parser.parse_args()
    unknown = sorted(set(args.names) - set(NAMES))
    if unknown:
        parser.error(f"no benchmark is called {', '.join(unknown)}: there are {', '.join(NAMES)}")
    # As tests and jobs of the workflow run; a process's own threads are measured as such.
    environment = {"OMP_NUM_THREADS": "1"} | os.environ
    failed = []
    for name in args.names or NAMES:
        title = (HERE / f"{name}.py").read_text().split('"""')[1].splitlines()[0]
        print(f"\n== {name}: {title}", flush=True)
        start = time.perf_counter()
        command = [sys.executable, "-m", f"benchmarks.{name}", *["--quick"] * args.quick]
        if subprocess.run(command, env=environment).returncode != 0:
            failed.append(name)
        print(f"({time.perf_counter() - start:.0f} s)", flush=True)
    if failed:
        sys.exit(f"did not run to their end: {', '.join(failed)}")


if __name__ == "__main__":
    main()
