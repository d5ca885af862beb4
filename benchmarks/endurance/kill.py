"""Kill a run at random and truncate files; its results must be those of a run left alone. See README.md."""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from pathlib import Path

import yaml

from benchmarks.endurance.killing import ROOT, finish, finished, kill_and_resume, results, scores, start


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


def mend(folder: Path, config: dict) -> None:
    """Run to the end; delete what a message says is to be deleted."""
    said = (folder / "output.txt").stat().st_size
    if start(folder, config).wait(timeout=1800) != 0:
        output = (folder / "output.txt").read_text()[said:]
        named = set(re.findall(r"^(results/\S+) .*: delete it", output, re.MULTILINE))
        assert named, output[-5000:]
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
    whole, killed = options.folder / "whole", options.folder / "killed"
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
        own = victim.parent.parts[-2:]
        assert all(p.parent == victim.parent or ("data" in own and own[-1] in p.parts) for p in again), again
    assert scores(killed) == scores(whole)
    assert results(killed) == results(whole)
    print(f"{len(scores(whole))} training jobs, identical results")


if __name__ == "__main__":
    main()
