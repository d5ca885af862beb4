"""Kill a run at random and truncate files; its results must be those of a run left alone. See README.md."""

import argparse
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pandas as pd
import psutil
import yaml

from attop_bench.archives import archive_of, opened
from attop_bench.run.blocks import files_of

ROOT = Path(__file__).parents[2]

#: Variable of the environment that says which folder a process works for. Its name makes a server of its own
#: for each folder: variables that begin so are part of what a server stands for.
FOLDER = "ATTOP_TEST_FOLDER"


def start(folder, config, targets=()):
    """Start a run; it leads a process group of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    command = [sys.executable, "-m", "snakemake", "-s", str(ROOT / "Snakefile"), "--directory", str(folder)]
    command += ["--configfile", str(folder / "config.yaml"), "--cores", "2", *targets]
    with (folder / "output.txt").open("a") as output:
        return subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, FOLDER: str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


def finish(folder, config, targets=()):
    assert start(folder, config, targets).wait(timeout=1800) == 0, (folder / "output.txt").read_text()[-5000:]


def workers(folder):
    """Return the processes that work for `folder`, and for no other: the run, its jobs, and servers."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get(FOLDER) == str(folder):
                found.append(process.pid)
    return found


def kill_one(run, folder, draw):
    """Kill the main process, or one of those that work for it; return which."""
    everyone = sorted(set(workers(folder)) - {run.pid})
    victim = run.pid if draw.random() < 0.5 or not everyone else draw.choice(everyone)
    with contextlib.suppress(ProcessLookupError):
        os.kill(victim, signal.SIGKILL)
    return "main process" if victim == run.pid else "worker"


def finished(folder):
    """Return the times of writing of all that is done and not being done again."""
    return {path: (archive_of(path) or path).stat().st_mtime_ns for path in trained(folder)}


def trained(folder):
    """Return the files of scores of all runs, some of them in archives."""
    train = folder / "results/train"
    return files_of([*train.glob("*/*/*/scores.npz"), *train.glob("*/*/*.zip")])[0]


def scores(folder):
    found = {}
    for path in trained(folder):
        with opened(path) as file:
            found[str(path.relative_to(folder))] = file.read()
    return found


def results(folder):
    """Return everything that a reader of the report sees and that does not depend on the clock."""
    tables = folder / "results/tables"
    names = ("evaluation", "cross", "selection", "roc", "trace")
    return {name: pd.read_parquet(tables / f"{name}.parquet").to_json() for name in names}


def kill_and_resume(folder, config, times, seed, longest, targets=()):
    """Kill `times` times at random, then let the run of all or of `targets` end; return what was killed."""
    draw = random.Random(seed)
    killed = []
    before = {}
    while len(killed) < times:
        run = start(folder, config, targets)
        time.sleep(draw.uniform(1, longest))
        if run.poll() is None:
            killed.append(kill_one(run, folder, draw))
            if killed[-1] == "worker":  # the run notices; then what is left of it goes too
                with contextlib.suppress(subprocess.TimeoutExpired):
                    run.wait(timeout=draw.uniform(1, 5))
            with contextlib.suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        time.sleep(1)  # jobs notice within half a second that their run is gone
        done = finished(folder)
        assert len(done) >= len(before) - 2, "finished jobs were lost"
        before = done
        if all((folder / target).exists() for target in targets or ["results/report.html"]):
            shutil.rmtree(folder / "results")
            before = {}
    kept = finished(folder)
    finish(folder, config, targets)
    again = [p for p, written in finished(folder).items() if p in kept and kept[p] != written]
    assert len(again) <= 2, "finished jobs were repeated"
    return killed


def cut(folder: Path, draw: random.Random) -> Path:
    """Truncate one file of the results at a random place."""
    files = sorted(
        path
        for path in (folder / "results").rglob("*")
        if path.is_file()
        and path.stat().st_size > 1
        and path.suffix in (".npz", ".json", ".parquet", ".html")
    )
    victim = draw.choice(files)
    content = victim.read_bytes()
    victim.write_bytes(content[: draw.randrange(len(content))])
    return victim


def follows(scores: Path, victim: Path) -> bool:
    """True if these scores are made again after a file: their own, or one of their data set or method."""
    if "data" not in victim.parts:
        return scores.parent == victim.parent
    name = victim.parts[victim.parts.index("data") + 1]
    return (victim.stem if name == "compiled" else name) in scores.parts


def mend(folder: Path, config: dict) -> None:
    """Run to the end; delete what a message says is to be deleted, if nothing was set aside."""
    said = (folder / "output.txt").stat().st_size
    if start(folder, config).wait(timeout=1800) != 0:
        output = (folder / "output.txt").read_text()[said:]
        named = set(re.findall(r"(\S*results/\S+) .*: delete it", output))
        assert named or "set aside" in output, output[-5000:]
        for file in named:
            (folder / file).unlink()
        finish(folder, config)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--cuts", type=int, default=5)
    parser.add_argument("--longest", type=float, default=30, help="seconds from a start to a kill")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--config", type=Path, default=ROOT / "config/config.yaml")
    options = parser.parse_args()
    config = yaml.safe_load(options.config.read_text())
    whole = options.folder / "whole"
    killed = options.folder / "killed"
    finish(whole, config)
    victims = Counter(kill_and_resume(killed, config, options.kills, options.seed, options.longest))
    print(f"killed: {dict(victims)}", flush=True)
    draw = random.Random(options.seed)
    for _ in range(options.cuts):
        before = finished(killed)
        victim = cut(killed, draw)
        mend(killed, config)
        again = [path for path in before if finished(killed)[path] != before[path]]
        print(f"truncated: {victim.relative_to(killed)}; training jobs repeated: {len(again)}", flush=True)
        assert all(follows(path, victim) for path in again), again
    assert scores(killed) == scores(whole)
    assert results(killed) == results(whole)
    print(f"{len(scores(whole))} training jobs, identical results")


if __name__ == "__main__":
    main()
