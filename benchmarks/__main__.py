"""All benchmarks of time, one after the other: `python -m benchmarks [--quick] [name ...]`; see README.md."""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
#: The order, and what makes each quick.
QUICK = {
    "imports": ["--quick"],
    "metrics": ["--quick"],
    "push": ["--quick"],
    "bundle": ["--quick"],
    "top_push": ["--quick"],
    "soft_top": ["--quick"],
    "objectives": ["--quick"],
    "factors": ["--quick"],
    "aatp": ["--quick"],
    "first_order": [],
    "streaming": ["--rows", "200000", "400000"],
}


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(QUICK)}; default all")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, smaller samples")
    args = parser.parse_args()
    unknown = sorted(set(args.names) - set(QUICK))
    if unknown:
        parser.error(f"no benchmark is called {', '.join(unknown)}: there are {', '.join(QUICK)}")
    # As tests and jobs of the workflow run; a process's own threads are measured as such.
    environment = {"OMP_NUM_THREADS": "1"} | os.environ
    failed = []
    for name in args.names or QUICK:
        title = (HERE / f"{name}.py").read_text().split('"""')[1].splitlines()[0]
        print(f"\n== {name}: {title}", flush=True)
        start = time.perf_counter()
        command = [sys.executable, "-m", f"benchmarks.{name}", *(QUICK[name] if args.quick else [])]
        if subprocess.run(command, env=environment).returncode != 0:
            failed.append(name)
        print(f"({time.perf_counter() - start:.0f} s)", flush=True)
    if failed:
        sys.exit(f"did not run to their end: {', '.join(failed)}")


if __name__ == "__main__":
    main()
