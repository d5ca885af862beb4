"""How long a benchmark takes by `snakemake --profile slurm`, beside `--cores 2` on the same machine.

    tests/slurm/up.sh                          # where no SLURM runs: one of a single node, as root on Debian
    python -m benchmarks.slurm                # a small benchmark: at most 2.5 times `--cores 2` wanted
    python -m benchmarks.slurm --default      # config/config.yaml, the same
    python -m benchmarks.slurm --compiled     # the small benchmark, not for the first time in an environment

Wall time is what counts, so the machine must be idle. Submissions are counted, and how long they ran in all.
Each of the two compiles for itself, unless `--compiled`. The small one then takes 22 s on two cores. Three
rounds of submissions wait for the plugin, which looks after 3 s whether a job has ended, then after 13 s.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

ROOT = Path(__file__).parents[1]
SMALL = {
    "datasets": [
        {"id": "digit-8", "protocol": {"kind": "stratified", "options": {"n_folds": 3, "inner_folds": 3}}}
    ],
    "methods": [
        *("aatp", "perceptron-avg", "sgd-avg", "gd-papk-avg", "gd-papk-ramp"),
        *("rankboost", "push-8", "logistic-regression", "linear-svm", "random-forest"),
    ],
}


def timed(folder: Path, compiled: bool, *arguments: str) -> tuple[float, str]:
    """Run the workflow and return its seconds and Snakemake's own log."""
    config = folder / "config.yaml"
    command = [sys.executable, "-m", "snakemake", "--directory", str(folder), "--configfile", str(config)]
    start = time.monotonic()
    with (folder / "output.txt").open("w") as output:
        env = os.environ if compiled else os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache")}
        status = subprocess.run(
            [*command, *arguments], cwd=ROOT, env=env, stdout=output, stderr=output
        ).returncode
    if status != 0:
        sys.exit((folder / "output.txt").read_text()[-5000:])
    return time.monotonic() - start, max(folder.glob(".snakemake/log/*")).read_text()


def job_seconds(id: str) -> int:
    """Return how long a job of SLURM ran."""
    shown = subprocess.check_output(["scontrol", "show", "job", id], text=True)
    hours, minutes, seconds = re.search(r"RunTime=(?:\d+-)?(\d+):(\d+):(\d+)", shown).groups()
    return 3600 * int(hours) + 60 * int(minutes) + int(seconds)


def main() -> None:
    """Run both and print what they took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--default", action="store_true", help="the default configuration")
    parser.add_argument("--compiled", action="store_true", help="with what earlier runs have compiled")
    options = parser.parse_args()
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    if not options.default:
        config |= SMALL
    load = os.getloadavg()[0]
    with TemporaryDirectory() as name:
        folders = [Path(name) / which for which in ("slurm", "cores")]
        for folder in folders:
            folder.mkdir()
            (folder / "config.yaml").write_text(yaml.safe_dump(config))
        taken, log = timed(folders[0], options.compiled, "--profile", "slurm")
        ids = re.findall(r"SLURM jobid (\d+)", log)
        steps = re.findall(r"(\d+) of \d+ steps", log)[-1]
        ran = sum(map(job_seconds, ids))
        print(
            f"--profile slurm: {steps} steps in {taken:.0f} s, {len(ids)} submissions that ran {ran} s in all"
        )
        alone = timed(folders[1], options.compiled, "--cores", "2")[0]
        print(f"--cores 2: {alone:.0f} s; SLURM takes {taken / alone:.2f} times that")
        print(f"load before: {load:.1f}")


if __name__ == "__main__":
    main()
