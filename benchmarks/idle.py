"""How much of a run each core had something to do, from what Snakemake keeps of it.

    snakemake --cores 2 && python -m benchmarks.idle --cores 2

Of the last run in a working directory that began without results: wall time from start to end of Snakemake,
and the shares of it in which compilation runs, compilation runs alone, fewer jobs run than there are cores,
no job runs, and one job is left alone at the end. Wanted: at most 12% of compilation, 5% alone at the end.
"""

import argparse
import json
from datetime import datetime
from itertools import pairwise
from pathlib import Path


def jobs(folder):
    """Return rule, start and end of each job."""
    found = {}
    for file in filter(Path.is_file, (folder / ".snakemake/metadata").rglob("*")):
        kept = json.loads(file.read_text())
        key = kept["rule"], *(kept["log"] or [file.name])
        start, end = found.get(key, (kept["starttime"], kept["endtime"]))
        found[key] = min(start, kept["starttime"]), max(end, kept["endtime"])
    return [(rule, *times) for (rule, *_), times in found.items()]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), help="working directory of the run")
    parser.add_argument("--cores", type=int, required=True)
    options = parser.parse_args()
    log = max((options.folder / ".snakemake/log").glob("*.snakemake.log"))
    begin = datetime.strptime(log.name.split(".")[0], "%Y-%m-%dT%H%M%S").timestamp()
    over = log.stat().st_mtime
    ran = [job for job in jobs(options.folder) if job[1] >= begin - 1]
    if not ran:
        raise SystemExit(f"the last run in {options.folder.resolve()} did nothing: run it without results")
    times = sorted({begin, over, *(time for _, *both in ran for time in both if begin < time < over)})
    pieces = [
        (b - a, [rule for rule, start, end in ran if start < (a + b) / 2 < end]) for a, b in pairwise(times)
    ]
    wall = over - begin

    def share(of):
        return f"{sum(length for length, rules in pieces if of(rules)) / wall:.1%}"

    print(f"{len(ran)} jobs in {wall:.0f} s on {options.cores} cores")
    print("compilation runs", share(lambda rules: "compile" in rules))
    print("nothing but compilation runs", share(lambda rules: set(rules) == {"compile"}))
    print("a core has nothing to do", share(lambda rules: len(rules) < options.cores))
    print("no job runs", share(lambda rules: not rules))
    idle = sum(length * max(0, options.cores - len(rules)) for length, rules in pieces)
    print(f"idle core time {idle / wall / options.cores:.1%}")
    alone = {}
    for length, rules in reversed(pieces):
        if len(rules) > 1:
            break
        rule = (rules or ["no job"])[0]
        alone[rule] = alone.get(rule, 0) + length
    print("alone at the end:", ", ".join(f"{rule} {length / wall:.1%}" for rule, length in alone.items()))


if __name__ == "__main__":
    main()
