"""Damaged and nonsensical input: read, or refused in words; see README.md."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import resource
import shutil
import signal
import time
import traceback
from collections import Counter
from pathlib import Path

from benchmarks.endurance.commands import COMMANDS
from benchmarks.endurance.inputs import TARGETS as INPUTS

TARGETS = {**INPUTS, **COMMANDS}
#: Inputs a child process takes; seconds of processor time for one; bytes of memory.
_BATCH, _SECONDS, _MEMORY = 40, 20, 2 << 30


def fuzz(seconds: float, seed: int, folder: Path, targets: list[str]) -> Counter[str]:
    """Try inputs until the time is up; return how often what happened."""
    findings = folder / "findings"
    findings.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        work = folder / "work"
        told, telling = multiprocessing.Pipe(duplex=False)
        arguments = (telling, seed, number, targets, work, findings)
        child = multiprocessing.get_context("fork").Process(target=_batch, args=arguments)
        child.start()
        telling.close()
        child.join()
        done = number
        last = ""
        while told.poll():
            try:
                done, last, outcome = told.recv()
            except EOFError:
                break
            if outcome:
                counts[f"{last}: {outcome}"] += 1
        if child.exitcode != 0:  # the last input that was begun is to blame
            how = f"ended by {-child.exitcode}" if child.exitcode < 0 else f"exit status {child.exitcode}"
            counts[f"{last}: FOUND {how}"] += 1
            _keep(work, findings / f"{seed}-{done}", f"{last}: {how}\n")
        number = done + 1
    counts["inputs"] = number
    return counts


def _keep(work: Path, where: Path, said: str) -> None:
    shutil.copytree(work, where, dirs_exist_ok=True)
    where.with_suffix(".txt").write_text(said)


def _batch(telling, seed, first, targets, work, findings):
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY + (4 << 30), _MEMORY + (4 << 30)))
    for number in (signal.SIGALRM, signal.SIGPROF):  # they end this process, also within C
        signal.signal(number, signal.SIG_DFL)
    for number in range(first, first + _BATCH):
        draw = random.Random(f"{seed}-{number}")
        name = draw.choice(targets)
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        telling.send((number, name, ""))
        signal.setitimer(signal.ITIMER_PROF, _SECONDS)
        signal.alarm(10 * _SECONDS)
        try:
            outcome = TARGETS[name](draw, work)
        except Exception as error:
            outcome = "refused" if getattr(error, "for_the_user", False) else f"FOUND {type(error).__name__}"
            if outcome != "refused":
                _keep(work, findings / f"{seed}-{number}", f"{name}\n{traceback.format_exc()}")
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        telling.send((number, name, outcome))
    os._exit(0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=Path("fuzz"))
    parser.add_argument("--target", choices=TARGETS, action="append")
    options = parser.parse_args()
    counts = fuzz(options.seconds, options.seed, options.folder, options.target or list(TARGETS))
    for what, n in sorted(counts.items()):
        print(f"{n:8} {what}")
    return int(any("FOUND" in what for what in counts))


if __name__ == "__main__":
    raise SystemExit(main())
