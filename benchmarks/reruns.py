"""What runs again after each edit of tests/workflow/test_rerun.py, by each way of calling the workflow.

    python -m benchmarks.reruns

Prints a table: an edit, what it has to run again, and the ways of calling whose plan is another one.
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/workflow")]

import test_rerun as edits  # noqa: E402 - beside the tests

from support.small_run import jobs  # noqa: E402


def planned(root, way):
    """Return the jobs that a dry run counts; None if the run is refused."""
    status, output = edits.snakemake(root, "--cores", "1", "-n", way=way)
    if status:
        return None
    return {} if "Nothing to be done" in output else jobs(output)


def in_words(plan):
    """Return a plan as a cell of the table."""
    if plan is None:
        return "refused"
    return ", ".join(f"{rule} {n}" for rule, n in sorted(plan.items())) or "nothing"


def main():
    rows = [(name, *row[:3]) for name, row in (edits.PAGE | edits.CODE).items()]
    rows += [(name, *row, {}) for name, row in edits.NOTHING.items()]
    with tempfile.TemporaryDirectory() as folder:
        root = edits.run_in_a_clone(Path(folder))
        print(f"| edit | runs again | {' | '.join(edits.WAYS)} |")
        print("|---" * (2 + len(edits.WAYS)) + "|")
        for name, file, edit, expected in rows:
            with edits.edited(root / file, edit):
                plans = [planned(root, way) for way in edits.WAYS]
            same = ["the same" if plan == expected else in_words(plan) for plan in plans]
            print(f"| {name} | {in_words(expected)} | {' | '.join(same)} |", flush=True)


if __name__ == "__main__":
    main()
