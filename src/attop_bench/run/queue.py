"""Jobs of an earlier run that are still in the queue of SLURM, after its main process was killed.

They write to the folder of results at the same time as a run that begins now. The queue says from which
folder a job was submitted; its name is the "SLURM run ID" of its run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from attop.extending import count_noun, join_first
from attop_bench.files import StrPath

#: Left in the working directory by a run that submitted jobs.
_LOGS = Path(".snakemake/slurm_logs")

#: Id, name, state and working directory of a job, with a sign between that none of them has.
_FORMAT = "%i|%j|%T|%Z"

#: The name of a run's jobs.
_RUN_ID = re.compile(r"(\w+_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

#: State of a job whose processes were ended.
_ENDING = "COMPLETING"

#: Seconds that the controller is given to answer.
_PATIENCE = 30


class Asked(Exception):
    """The queue did not answer; the message says why."""


def submitted_here(folder: StrPath = ".") -> dict[str, list[str]]:
    """List the ids of queued jobs that runs submitted from a folder, by the SLURM run ID.

    Nothing is asked where no run has submitted any, or there is no SLURM.

    Raises
    ------
    Asked
        If the queue does not answer.
    """
    if not (Path(folder) / _LOGS).is_dir() or not shutil.which("squeue"):
        return {}
    command = ["squeue", "--me", "--noheader", f"--format={_FORMAT}"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE, check=True
        )
    except subprocess.TimeoutExpired:
        raise Asked(f"squeue did not answer within {_PATIENCE} s") from None
    except subprocess.CalledProcessError as error:
        raise Asked(f"squeue: {error.stderr.strip() or error.returncode}") from None
    except OSError as error:
        raise Asked(f"squeue: {error.strerror}") from None
    return _by_run(done.stdout.splitlines(), folder)


def in_words(jobs: Mapping[str, list[str]]) -> str:
    """Say which jobs there are, and how to end them or to wait for them."""
    runs = [f"{join_first(ids)} of SLURM run ID {run}" for run, ids in jobs.items()]
    names = ",".join(jobs)
    number = count_noun(sum(map(len, jobs.values())), "job")
    return (
        f"An earlier run from {os.getcwd()} left {number} in the queue: {'; '.join(runs)}. "
        f"`scancel --me --name={names}` ends them; or wait until `squeue --me --name={names}` lists none. "
        "Then the same command goes on."
    )


def _by_run(lines: Iterable[str], folder: StrPath) -> dict[str, list[str]]:
    jobs: dict[str, list[str]] = {}
    here = os.path.realpath(folder)
    for line in lines:
        number, _, rest = line.strip().partition("|")
        name, _, rest = rest.partition("|")
        state, _, directory = rest.partition("|")
        if (
            state != _ENDING
            and _RUN_ID.fullmatch(name)
            and os.path.realpath(directory) == here
        ):
            jobs.setdefault(name, []).append(number)
    return jobs
