"""Run tests of today against the package of an earlier commit: which of them would have found its faults?

``python -m endurance.before COMMIT tests/datasets/test_fetch.py ...``: quick tests alone. Those that
start Snakemake would take the workflow of today.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main(commit: str, *tests: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(
            ["git", "archive", commit, "src"], cwd=ROOT, check=True, capture_output=True
        ).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=packed, check=True)
        path = os.pathsep.join([f"{folder}/src", str(ROOT / "tests")])
        command = [sys.executable, "-m", "pytest", "-q", "-m", "not workflow", "--tb=no", "--durations=0"]
        command += ["-p", "no:cacheprovider", "--continue-on-collection-errors", "-rA", *tests]
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    found = re.findall(
        r"^(PASSED|FAILED|ERROR|SKIPPED) (\S+?)(?:::(\w+))?(?:\[| |$)", done.stdout, re.MULTILINE
    )
    for file in tests:
        counts = Counter(outcome for outcome, name, _ in found if name == file)
        print(
            f"{file}: {', '.join(f'{n} {outcome.lower()}' for outcome, n in counts.items()) or 'nothing ran'}"
        )
        failed = Counter(test for outcome, name, test in found if name == file and outcome == "FAILED")
        for test, n in failed.items():
            print(f"    {n:4} {test}")


if __name__ == "__main__":
    main(*sys.argv[1:])
